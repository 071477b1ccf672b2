//! Translations of the segments a system is scored on.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::pipeline::{AddressChoice, AddressForms, Plan};
use super::translator::Translator;
use canopy_base::error::Result;
use canopy_corpus::memory::{constraint_suffix, previous_suffix};
use canopy_corpus::{DocumentUnits, Segment};
use canopy_metrics::formality::{EarlierForms, FormOfAddress};
use canopy_nn::model::{BertSequence, Model};
use canopy_nn::search::{
    SearchOptions, SourceFrame, SourceSentence, SourceText, TermConstraints, search_sentences,
};
use canopy_tokenize::{Side, SpecialIds, Tokenizer};

/// Segments that a system is scored on, and how they are translated.
#[derive(Debug, Clone, Copy)]
pub struct SegmentRequest<'a> {
    /// All units of the documents that the segments come from: what is not scored is context.
    pub documents: &'a [DocumentUnits],
    pub segments: &'a [Segment],
    pub search: &'a SearchOptions,
    /// The form of address of German translations from English; none leaves it to the model.
    pub formality: Option<AddressChoice>,
}

/// Translates every unit of every segment, each in its document and as a whole, by a network alone; texts keep their
/// placeholders. `go_on` is called after every sentence; none if it breaks off.
///
/// # Errors
/// [`Error::InvalidScores`](canopy_base::error::Error::InvalidScores), which names the sentence.
pub fn translate_segments(
    model: &Model,
    tokenizer: &dyn Tokenizer,
    request: SegmentRequest<'_>,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Vec<Vec<String>>>> {
    let whole = |units: &DocumentUnits, unit: usize| vec![Part::whole(tokenizer, units, unit)];
    let read = Divided::new(request.documents, tokenizer.special(), &whole);
    let wanted = read.wanted(request.segments);
    let mut search = Search::new((model, tokenizer), read, request.search);
    let flow = search.run(wanted, go_on)?;
    Ok(flow
        .is_continue()
        .then(|| search.translations(request.segments)))
}

impl Translator {
    /// The sentences of all units of a document, or of what they are cut into, as a reader sees them.
    pub fn sentences_of_units(&self, units: &DocumentUnits) -> Vec<String> {
        let reader = self.reader();
        let sentences = units.shown.iter().enumerate().flat_map(|(unit, text)| {
            let is_known = units.known.get(unit).is_some();
            let parts = reader.scored_parts(text, is_known).into_iter();
            parts.map(|part| part.trim().to_owned())
        });
        sentences.collect()
    }

    /// Translates every unit of every segment, each in its document; units that are longer than the model reads in parts, as a
    /// document has them. `go_on` is called after every sentence; none if it breaks off.
    ///
    /// # Errors
    /// As [`translate_segments`].
    pub fn translate_segments(
        &self,
        request: SegmentRequest<'_>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let SegmentRequest {
            documents,
            segments,
            search: options,
            formality,
        } = request;
        let reader = self.reader();
        let points = |units: &DocumentUnits, unit: usize| {
            units.points.get(unit).cloned().unwrap_or_default()
        };
        let parts = |units: &DocumentUnits, unit: usize| {
            let points = &points(units, unit);
            let source = &units.sources[unit].1;
            let text = if reader.strips_markup() {
                reader.read_text(source, points)
            } else {
                // Scored as it is.
                Cow::Borrowed(source.as_str())
            };
            let parts = reader.scored_parts(&text, units.known.get(unit).is_some());
            if parts.len() < 2 && !reader.strips_markup() {
                return vec![Part::whole(self.tokenizer(), units, unit)];
            }
            let part = |part: &str| {
                let lead = part.len() - part.trim_start().len();
                let end = part.trim_end().len().max(lead);
                Part {
                    ids: reader.read_ids(part.trim(), points),
                    around: [part[..lead].to_owned(), part[end..].to_owned()],
                    known: None,
                }
            };
            parts.into_iter().map(part).collect()
        };
        let read = Divided::new(documents, self.tokenizer().special(), &parts);
        let wanted = read.wanted(segments);
        let mut search = Search::new((self.model(), self.tokenizer()), read, options);
        let (config, plan) = (&self.description().model, self.plan_in(formality));
        let previous = Previous {
            count: config.previous_translations,
            max_tokens: config.max_tokens,
            address_form: config.address_form,
            kept_forms: self.address_forms(),
            first_form: match &plan {
                Plan::InForm { choice, .. } => choice.form(),
                Plan::Joint(_) | Plan::Sequential(_) | Plan::Pivot { .. } => None,
            },
            earlier: self.memory().map(|memory| memory.forms()),
        };
        let flow = match plan {
            _ if previous.count > 0 || previous.keeps_form() => {
                search.run_behind_translations(previous, documents, wanted, go_on)?
            }
            Plan::InForm { choice, forms, .. } => {
                search.run_in_form((choice, forms), documents, wanted, go_on)?
            }
            Plan::Joint(_) | Plan::Sequential(_) | Plan::Pivot { .. } => {
                search.run(wanted, go_on)?
            }
        };
        if flow.is_break() {
            return Ok(None);
        }
        let translated = search.translations(segments);
        if !reader.strips_markup() {
            return Ok(Some(translated));
        }
        let with_markup = |(segment, texts): (&Segment, Vec<String>)| {
            let units = &documents[segment.document];
            let texts = segment.units.iter().zip(texts).map(|(unit, text)| {
                let number = units
                    .sources
                    .iter()
                    .position(|(place, _)| *place == unit.place);
                number.map_or(text.clone(), |number| {
                    let source = &units.sources[number].1;
                    let prepared = reader.prepared(source, &points(units, number));
                    let put_back = self.with_markup(&prepared.text, &prepared.points, &text);
                    prepared.restored(put_back.text)
                })
            });
            texts.collect()
        };
        let translated = segments.iter().zip(translated);
        Ok(Some(translated.map(with_markup).collect()))
    }
}

/// One sequence of a model: a unit or a part of it.
struct Part {
    ids: Vec<u32>,
    /// White space before and after it, which is not read.
    around: [String; 2],
    /// The translation that other sentences read; none of a part, since it is unknown where to cut.
    known: Option<Vec<u32>>,
}

impl Part {
    fn whole(tokenizer: &dyn Tokenizer, units: &DocumentUnits, unit: usize) -> Self {
        // A vocabulary without placeholders reads what people see.
        let text = match units.shown.get(unit) {
            Some(shown) if tokenizer.placeholder_ids().is_empty() => shown,
            _ => &units.sources[unit].1,
        };
        let mut ids = tokenizer.encode(Side::Source, text);
        ids.extend(units.source_suffix.get(unit).into_iter().flatten());
        let known = units.known.get(unit);
        Self {
            ids,
            around: [String::new(), String::new()],
            known: known.map(|known| tokenizer.encode(Side::Target, known)),
        }
    }
}

/// Documents as a model reads them.
#[derive(Default)]
struct Divided {
    text: SourceText,
    /// White space around each sentence of the text.
    around: Vec<[String; 2]>,
    /// The first sentence of the unit that each is of.
    firsts: Vec<usize>,
    /// The sentences of each unit, by its document and its place there.
    units: HashMap<(usize, (usize, usize)), Range<usize>>,
}

impl Divided {
    /// `parts` gives those of a unit by its number in the document, one at least.
    fn new(
        documents: &[DocumentUnits],
        special: &SpecialIds,
        parts: &dyn Fn(&DocumentUnits, usize) -> Vec<Part>,
    ) -> Self {
        let mut read = Self::default();
        read.text.frame = SourceFrame::from_special_ids(special);
        for (document, units) in documents.iter().enumerate() {
            let begin = read.firsts.len();
            for (unit, (place, _)) in units.sources.iter().enumerate() {
                let first = read.firsts.len();
                for Part { ids, around, known } in parts(units, unit) {
                    let position = *place;
                    let number = read.text.sentences.len();
                    read.text.known.extend(known.map(|known| (number, known)));
                    read.text.sentences.push(SourceSentence { ids, position });
                    let pieces = units.pieces.get(unit).cloned();
                    let pieces = pieces.map(|(ids, of_first)| BertSequence { ids, of_first });
                    read.text.pieces.extend(pieces);
                    let headings = units.headings.get(unit).copied().unwrap_or_default();
                    read.text.headings.push(headings);
                    read.around.push(around);
                    read.firsts.push(first);
                }
                let sentences = first..read.firsts.len();
                read.units.insert((document, *place), sentences);
            }
            read.text.documents.push(begin..read.firsts.len());
        }
        read
    }

    fn sentences(&self, segment: &Segment, place: (usize, usize)) -> Range<usize> {
        self.units[&(segment.document, place)].clone()
    }

    /// The sentences of all segments.
    fn wanted(&self, segments: &[Segment]) -> Vec<usize> {
        let units = segments.iter().flat_map(|segment| {
            let units = segment.units.iter();
            units.flat_map(|unit| self.sentences(segment, unit.place))
        });
        units.collect()
    }

    /// The sentences of the units of each document, in order.
    fn in_order(&self, documents: &[DocumentUnits]) -> Vec<Vec<Range<usize>>> {
        let documents = documents.iter().enumerate();
        let units = documents.map(|(document, units)| {
            let units = units.sources.iter();
            units
                .map(|(place, _)| self.units[&(document, *place)].clone())
                .collect()
        });
        units.collect()
    }
}

/// How many translations before a sentence the encoder reads, and how much it reads in all.
#[derive(Debug, Clone, Copy)]
struct Previous<'a> {
    count: usize,
    max_tokens: usize,
    /// Whether it is the form of address last used that is read of them.
    address_form: bool,
    /// Constraints by which that form is kept.
    kept_forms: Option<&'a AddressForms>,
    /// The form that they request before one was used.
    first_form: Option<FormOfAddress>,
    /// Forms of the documents before.
    earlier: Option<&'a EarlierForms>,
}

impl Previous<'_> {
    fn keeps_form(self) -> bool {
        self.address_form || self.kept_forms.is_some()
    }

    /// The form of address last used before a unit, if it is requested; where it is kept, that of the speaker, if notes name one.
    fn form_before(
        self,
        unit: usize,
        document: &DocumentUnits,
        target: impl Fn(usize) -> Option<String>,
    ) -> Option<FormOfAddress> {
        let source = |other: usize| document.sources[other].1.as_str();
        if self.kept_forms.is_none() {
            let keeps_form = self.address_form;
            return keeps_form.then(|| FormOfAddress::last_before(unit, source, target))?;
        }
        let of_alike = |other| {
            let is_alike = document.share_note(unit, other);
            is_alike.then(|| target(other))?
        };
        let form = FormOfAddress::last_before(unit, source, of_alike);
        let note = document.notes.get(unit).and_then(Option::as_deref);
        let form = form.or_else(|| self.earlier?.of_note(note));
        form.or_else(|| FormOfAddress::last_before(unit, source, &target))
    }
}

/// Documents under translation.
struct Search<'a> {
    model: &'a Model,
    tokenizer: &'a dyn Tokenizer,
    options: &'a SearchOptions,
    read: Divided,
    /// Parts that a unit still lacks, at its first sentence.
    missing: Vec<usize>,
    found: Vec<Vec<u32>>,
}

impl<'a> Search<'a> {
    fn new(
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
    fn run(
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
        searched.map_err(|broken| broken.of_text(text, tokenizer))?;
        Ok(flow)
    }

    /// Translates in a form of address, or in the one that most sentences of each document take.
    fn run_in_form(
        &mut self,
        (choice, forms): (AddressChoice, &AddressForms),
        documents: &[DocumentUnits],
        wanted: Vec<usize>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let units = self.read.in_order(documents);
        let units = documents.iter().zip(units).map(|(document, units)| {
            let sources = document.sources.iter().map(|(_, source)| source.as_str());
            sources.zip(units).collect()
        });
        let units: Vec<Vec<(&str, Range<usize>)>> = units.collect();
        let is_wanted: HashSet<usize> = wanted.iter().copied().collect();
        if self.run(wanted, go_on)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
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
            let commonest = || FormOfAddress::commonest(pairs);
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
            && FormOfAddress::is_chosen_for(source)
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
        form: Option<FormOfAddress>,
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
        (translations, form): (&[Vec<u32>], Option<FormOfAddress>),
        previous: Previous<'_>,
    ) {
        for sentence in &mut self.read.text.sentences[unit] {
            let (own, max_tokens) = (sentence.ids.len(), previous.max_tokens);
            sentence.ids.extend(if previous.address_form {
                let constraint =
                    form.map(|it| self.tokenizer.encode(Side::Source, it.side_constraint()));
                constraint_suffix(constraint, own, max_tokens)
            } else {
                let nearest = translations.iter().rev().map(Vec::as_slice);
                previous_suffix(
                    nearest,
                    own,
                    (self.model.tokens().sentence_break(), max_tokens),
                )
            });
        }
    }

    /// The units of each segment.
    fn translations(&self, segments: &[Segment]) -> Vec<Vec<String>> {
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
