//! The search for translations of units, whichever way the model reads what comes before.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::divided::Divided;
use crate::error::Result;
use crate::inference::pipeline::{FormalityConstraints, FormalityOption, Operation, Plan};
use crate::inference::translator::Translator;
use canopy_corpus::memory::{constraint_suffix, previous_suffix};
use canopy_corpus::{DocumentUnits, Segment};
use canopy_metrics::formality::{EarlierForms, Formality};
use canopy_nn::model::Model;
use canopy_nn::search::{SearchOptions, TermConstraints, search_sentences};
use canopy_tokenize::{Side, Tokenizer};

/// How many translations before a sentence the encoder reads, and how much it reads in all.
#[derive(Debug, Clone, Copy)]
struct Previous<'a> {
    count: usize,
    max_tokens: usize,
    /// Whether it is the form of address last used that is read of them.
    reads_formality: bool,
    /// Constraints by which that form is kept.
    kept_forms: Option<&'a FormalityConstraints>,
    /// The form that they request before one was used.
    first_form: Option<Formality>,
    /// Forms of the documents before.
    earlier: Option<&'a EarlierForms>,
}

impl<'a> Previous<'a> {
    fn new(translator: &'a Translator, first_form: Option<Formality>) -> Self {
        let config = &translator.description().model;
        Self {
            count: config.previous_translations,
            max_tokens: config.max_tokens,
            reads_formality: config.reads_formality,
            kept_forms: translator.resources().kept_forms(),
            first_form,
            earlier: translator.memory().map(|memory| memory.forms()),
        }
    }

    /// The form of address last used before a unit, if it is requested; where it is kept, that of the speaker, if notes name one.
    fn form_before(
        self,
        unit: usize,
        document: &DocumentUnits,
        target: impl Fn(usize) -> Option<String>,
    ) -> Option<Formality> {
        let source = |other: usize| document.sources[other].1.as_str();
        if self.kept_forms.is_none() {
            let keeps_form = self.reads_formality;
            return keeps_form.then(|| Formality::last_before(unit, source, target))?;
        }
        let of_alike = |other| {
            let is_alike = document.share_note(unit, other);
            is_alike.then(|| target(other))?
        };
        let form = Formality::last_before(unit, source, of_alike);
        let note = document.notes.get(unit).and_then(Option::as_deref);
        let form = form.or_else(|| self.earlier?.last_with_note(note));
        form.or_else(|| Formality::last_before(unit, source, &target))
    }
}

/// Sentences of units that are translated along a plan.
pub(super) struct Units<'s, 'a> {
    pub(super) search: &'s mut Search<'a>,
    pub(super) documents: &'s [DocumentUnits],
    pub(super) wanted: Vec<usize>,
    /// Called after every unit.
    pub(super) go_on: &'s mut dyn FnMut() -> ControlFlow<()>,
}

impl Operation for Units<'_, '_> {
    fn joint(&mut self, _: &Translator) -> Result<ControlFlow<()>> {
        self.search
            .run(std::mem::take(&mut self.wanted), self.go_on)
    }

    fn sequential(
        &mut self,
        translator: &Translator,
        form: Option<Formality>,
    ) -> Result<ControlFlow<()>> {
        let previous = Previous::new(translator, form);
        let wanted = std::mem::take(&mut self.wanted);
        self.search
            .run_behind_translations(previous, self.documents, wanted, self.go_on)
    }

    fn in_form(
        &mut self,
        form: (FormalityOption, &FormalityConstraints),
        _: &Translator,
        then: &Plan<'_>,
    ) -> Result<ControlFlow<()>> {
        let is_wanted: HashSet<usize> = self.wanted.iter().copied().collect();
        if then.apply(self)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.search.run_in_form(form, self.documents, &is_wanted)
    }

    /// The first model is the one that is tested.
    fn pivot(
        &mut self,
        [whole, _]: [&Translator; 2],
        _: Option<FormalityOption>,
    ) -> Result<ControlFlow<()>> {
        Plan::for_units(&whole.first_leg(), None).apply(self)
    }
}

/// Documents under translation.
pub(super) struct Search<'a> {
    pub(super) model: &'a Model,
    pub(super) tokenizer: &'a dyn Tokenizer,
    pub(super) options: &'a SearchOptions,
    pub(super) read: Divided,
    /// Parts that a unit still lacks, at its first sentence.
    pub(super) missing: Vec<usize>,
    pub(super) found: Vec<Vec<u32>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        (model, tokenizer): (&'a Model, &'a dyn Tokenizer),
        read: Divided,
        options: &'a SearchOptions,
    ) -> Self {
        let mut missing = vec![0; read.firsts.len()];
        for &first in &read.firsts {
            missing[first] += 1;
        }
        Self {
            model,
            tokenizer,
            options,
            found: vec![Vec::new(); read.firsts.len()],
            missing,
            read,
        }
    }

    /// Translates these sentences; `go_on` is called after every unit.
    pub(super) fn run(
        &mut self,
        wanted: Vec<usize>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        self.read.text.wanted = wanted;
        let (model, tokenizer, options) = (self.model, self.tokenizer, self.options);
        model.read_packed()?;
        let (text, firsts) = (&self.read.text, &self.read.firsts);
        let (missing, found) = (&mut self.missing, &mut self.found);
        let mut flow = ControlFlow::Continue(());
        let searched = search_sentences(
            model,
            tokenizer,
            text,
            options,
            &mut |number, hypothesis| {
                found[number] = hypothesis.ids;
                let missing = &mut missing[firsts[number]];
                *missing = missing.saturating_sub(1);
                if *missing == 0 {
                    flow = go_on();
                }
                flow
            },
        );
        searched.map_err(|broken| broken.into_error(text, tokenizer))?;
        Ok(flow)
    }

    /// Translates once more what leaves a form of address, or the one that most sentences of each document take.
    fn run_in_form(
        &mut self,
        (choice, forms): (FormalityOption, &FormalityConstraints),
        documents: &[DocumentUnits],
        is_wanted: &HashSet<usize>,
    ) -> Result<ControlFlow<()>> {
        let units = self.read.in_order(documents);
        let units = documents.iter().zip(units).map(|(document, units)| {
            let sources = document.sources.iter().map(|(_, source)| source.as_str());
            sources.zip(units).collect()
        });
        let units: Vec<Vec<(&str, Range<usize>)>> = units.collect();
        let mut again = Vec::new();
        for units in units {
            let units = units.into_iter();
            let units = units.filter(|(_, unit)| unit.clone().all(|it| is_wanted.contains(&it)));
            let found = units.map(|(source, unit)| {
                let ids = self.found[unit.clone()].concat();
                (source, unit, self.tokenizer.decode(Side::Target, &ids))
            });
            let found: Vec<(&str, Range<usize>, String)> = found.collect();
            let pairs = found
                .iter()
                .map(|(source, _, text)| (*source, text.as_str()));
            let commonest = || Formality::commonest(pairs);
            let Some(form) = choice.form().or_else(commonest) else {
                continue;
            };
            for (source, unit, text) in found {
                if form.is_left_by(source, &text) {
                    self.request_terms(&unit, forms.constraints(form, source), source);
                    again.extend(unit);
                }
            }
        }
        // They have been counted.
        self.run(again, &mut || ControlFlow::Continue(()))
    }

    /// Adds constraints to a unit that addresses its reader and is not read in parts.
    fn request_terms(
        &mut self,
        unit: &Range<usize>,
        constraints: Option<Arc<TermConstraints>>,
        source: &str,
    ) {
        if let Some(constraints) = constraints
            && unit.len() == 1
            && Formality::is_chosen_for(source)
        {
            self.read.text.terms.insert(unit.start, constraints);
        }
    }

    /// Translates with an encoder that reads the translations before each sentence: known ones, or else those that are found,
    /// which takes the sentences of a document one after the other, and all of them.
    fn run_behind_translations(
        &mut self,
        previous: Previous<'_>,
        documents: &[DocumentUnits],
        wanted: Vec<usize>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let units = self.read.in_order(documents);
        let is_known = |units: &DocumentUnits| !units.known.is_empty();
        if documents.iter().all(is_known) {
            for (units, document) in units.iter().zip(documents) {
                let known = document.known.iter().filter(|_| previous.count > 0);
                let known = known.map(|it| self.tokenizer.encode(Side::Target, it));
                let known: Vec<Vec<u32>> = known.collect();
                for (unit, own) in units.iter().enumerate() {
                    let form = previous
                        .form_before(unit, document, |other| document.known.get(other).cloned());
                    let before = known.get(unit.saturating_sub(previous.count)..unit);
                    let before = before.unwrap_or_default();
                    self.keep_form(own, form, document.sources[unit].1.as_str(), previous);
                    self.read_behind(own.clone(), (before, form), previous);
                }
            }
            return self.run(wanted, go_on);
        }
        let longest = units.iter().map(Vec::len).max().unwrap_or(0);
        for unit in 0..longest {
            let mut now = Vec::new();
            for (units, document) in units.iter().zip(documents) {
                if unit >= units.len() {
                    continue;
                }
                let found = |other: usize| self.found[units[other].clone()].concat();
                let form = previous.form_before(unit, document, |other| {
                    Some(self.tokenizer.decode(Side::Target, &found(other)))
                });
                let before: Vec<Vec<u32>> = (unit.saturating_sub(previous.count)..unit)
                    .map(found)
                    .collect();
                let source = document.sources[unit].1.as_str();
                self.keep_form(&units[unit], form, source, previous);
                self.read_behind(units[unit].clone(), (&before, form), previous);
                now.extend(units[unit].clone());
            }
            if self.run(now, go_on)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Requests the form of address last used in earlier translations, where it is kept.
    fn keep_form(
        &mut self,
        unit: &Range<usize>,
        form: Option<Formality>,
        source: &str,
        previous: Previous<'_>,
    ) {
        let form = form.or(previous.first_form);
        let form = form.or_else(|| previous.earlier?.last());
        let kept = previous.kept_forms.zip(form);
        let kept = kept.and_then(|(forms, form)| forms.constraints(form, source));
        self.request_terms(unit, kept, source);
    }

    /// Puts translations after the sentences of a unit, the last one first, or the form of address that they used last.
    fn read_behind(
        &mut self,
        unit: Range<usize>,
        (translations, form): (&[Vec<u32>], Option<Formality>),
        previous: Previous<'_>,
    ) {
        for sentence in &mut self.read.text.sentences[unit] {
            let (own, max_tokens) = (sentence.ids.len(), previous.max_tokens);
            sentence.ids.extend(if previous.reads_formality {
                let constraint =
                    form.map(|it| self.tokenizer.encode(Side::Source, it.side_constraint()));
                constraint_suffix(constraint, own, max_tokens)
            } else {
                let nearest = translations.iter().rev().map(Vec::as_slice);
                previous_suffix(
                    nearest,
                    own,
                    (self.model.network.tokens().sentence_break(), max_tokens),
                )
            });
        }
    }

    /// The units of each segment.
    pub(super) fn translations(&self, segments: &[Segment]) -> Vec<Vec<String>> {
        let part = |number: usize| {
            let [before, after] = &self.read.around[number];
            let found = self.tokenizer.decode(Side::Target, &self.found[number]);
            [before, &found, after].map(String::as_str).concat()
        };
        let of = |segment: &Segment| {
            let of = |place| self.read.sentences(segment, place).map(part);
            let units = segment.units.iter();
            units
                .map(|unit| of(unit.place).collect::<String>())
                .collect()
        };
        segments.iter().map(of).collect()
    }
}
