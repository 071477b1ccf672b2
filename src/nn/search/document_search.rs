//! The search of all wanted sentences: those that others read first, where a model reads translations.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, §3.2: every
//! sentence is translated by itself first, and then again with the translations of the others.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

use super::batch::SourceText;
use super::beam::{Hypothesis, SearchOptions};
use super::encodings::EncodingCache;
use super::invalid_scores::InvalidScores;
use super::pass::{Pass, Start};
use super::windows::{LARGEST, Window, groups};
use crate::model::{EncoderOutput, Executor, Model, PackedBatch, TranslationStates};
use canopy_tokenize::Tokenizer;

/// How drafts are searched that others read: greedily, in a third of the time. Nobody else sees them.
fn draft_options(options: &SearchOptions) -> SearchOptions {
    SearchOptions {
        beam_size: 1,
        alternatives: 0,
        ..*options
    }
}

/// A result of a search, reported as soon as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchEvent {
    /// A translation that was not requested, which others read; `left` more of its kind come before the next wanted one.
    Draft {
        /// Number of the sentence.
        number: usize,
        /// The draft.
        hypothesis: Hypothesis,
        /// Drafts that come before the next wanted translation.
        left: usize,
    },
    /// A wanted translation.
    Translation {
        /// Number of the sentence.
        number: usize,
        /// The translation.
        hypothesis: Hypothesis,
    },
}

/// Why a search ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stop {
    Cancelled,
    Invalid(InvalidScores),
}

impl Stop {
    /// The result of a search that is over.
    pub(super) fn result(flow: ControlFlow<Self>) -> Result<(), InvalidScores> {
        match flow {
            ControlFlow::Break(Self::Invalid(broken)) => Err(broken),
            ControlFlow::Break(Self::Cancelled) | ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// The control flow of the consumer of the results, as the search's own.
    pub(super) fn cancelled(flow: ControlFlow<()>) -> ControlFlow<Self> {
        flow.map_break(|()| Self::Cancelled)
    }

    /// The flow after a search in a batch of these sentences.
    pub(super) fn from_batch(
        searched: Result<(), InvalidScores>,
        batch: &[usize],
    ) -> ControlFlow<Self> {
        match searched {
            Ok(()) => ControlFlow::Continue(()),
            Err(broken) => {
                ControlFlow::Break(Self::Invalid(broken.with_number(batch[broken.number])))
            }
        }
    }
}

/// The search of a text.
pub(super) struct DocumentSearch<'a> {
    pub model: &'a Model,
    pub executor: Box<dyn Executor + 'a>,
    pub vocabulary: &'a dyn Tokenizer,
    pub text: &'a SourceText,
    pub options: &'a SearchOptions,
    /// Source tokens that are encoded at once.
    pub largest: usize,
    found: &'a mut dyn FnMut(SearchEvent) -> ControlFlow<()>,
    /// Translations of the first pass.
    drafts: HashMap<usize, Vec<u32>>,
    /// The states of drafts that others read, as far as their search has kept them and they were not read yet.
    draft_states: HashMap<usize, TranslationStates>,
}

impl<'a> DocumentSearch<'a> {
    pub(super) fn new(
        model: &'a Model,
        vocabulary: &'a dyn Tokenizer,
        text: &'a SourceText,
        options: &'a SearchOptions,
        found: &'a mut dyn FnMut(SearchEvent) -> ControlFlow<()>,
    ) -> Self {
        Self {
            model,
            executor: model.executor(),
            vocabulary,
            text,
            options,
            largest: LARGEST,
            found,
            drafts: HashMap::new(),
            draft_states: HashMap::new(),
        }
    }

    pub(super) fn run(&mut self, kept: &mut EncodingCache) -> ControlFlow<Stop> {
        if self.model.encodes_documents() {
            self.by_document(kept)
        } else {
            self.by_sentence()
        }
    }

    /// Encodes the sentences of each batch.
    fn by_sentence(&mut self) -> ControlFlow<Stop> {
        let (executor, text) = (&*self.executor, self.text);
        let pass = self.pass(executor, self.options);
        let start: &Start<'_> = &|batch, setup| executor.start(&text.alone(batch), setup);
        pass.run(&text.wanted, start, &mut |number, hypothesis| {
            (self.found)(SearchEvent::Translation { number, hypothesis })
        })
    }

    /// Encodes whole documents or windows of them, a number of short ones at once.
    fn by_document(&mut self, kept: &mut EncodingCache) -> ControlFlow<Stop> {
        for (group, wanted) in self.wanted_groups() {
            let (rows, encoded) = self.encoded(&group, &wanted, kept);
            let mut translations = None;
            if self.model.is_bilingual() {
                self.first_pass(&group, &wanted, &encoded)?;
                let (target, known) = (self.translations(&group), self.states_of_drafts(&group));
                let executor = &self.executor;
                translations = executor.translations(&rows, &target, &encoded, known);
            }
            let executor = &*self.executor;
            let memory = executor.prepare(&encoded, translations.as_ref());
            let pass = self.pass(executor, self.options);
            let start: &Start<'_> = &|batch, setup| {
                let within = within(&group, |window| window.own.clone(), batch);
                executor.start_with(&encoded.select(&within), &memory, setup)
            };
            pass.run(&wanted, start, &mut |number, hypothesis| {
                (self.found)(SearchEvent::Translation { number, hypothesis })
            })?;
        }
        ControlFlow::Continue(())
    }

    /// A pass that finds translations.
    fn pass<'p>(&self, executor: &'p dyn Executor, options: &'p SearchOptions) -> Pass<'p>
    where
        'a: 'p,
    {
        Pass {
            executor,
            reranker: self.model.reranker.as_ref(),
            model: self.model,
            vocabulary: self.vocabulary,
            text: self.text,
            options,
            draft_states: None,
        }
    }

    /// The windows that are encoded together, with the wanted sentences of each.
    pub(super) fn wanted_groups(&self) -> Vec<(Vec<Window>, Vec<usize>)> {
        let groups = groups(&self.text.sentences, &self.text.documents, self.largest);
        let mut wanted = vec![Vec::new(); groups.len()];
        for &number in &self.text.wanted {
            // Groups ascend, and their windows have all sentences for their own.
            let ends_before = |group: &Vec<Window>| {
                let last = group.last();
                last.is_some_and(|window| window.own.end <= number)
            };
            if let Some(wanted) = wanted.get_mut(groups.partition_point(ends_before)) {
                wanted.push(number);
            }
        }
        let groups = groups.into_iter().zip(wanted);
        groups.filter(|(_, wanted)| !wanted.is_empty()).collect()
    }

    /// The rows of a group of windows and the encoding of at least the `wanted` sentences.
    pub(super) fn encoded(
        &self,
        group: &[Window],
        wanted: &[usize],
        kept: &mut EncodingCache,
    ) -> (PackedBatch, EncoderOutput) {
        let _entered = tracing::debug_span!("encode documents", windows = group.len()).entered();
        let mut wanted = within(group, |window| window.own.clone(), wanted);
        wanted.sort_unstable();
        kept.encode_group(&*self.executor, (self.text, self.largest), group, &wanted)
    }

    /// Translates what the wanted sentences read of the others' translations and are not known yet.
    pub(super) fn first_pass(
        &mut self,
        group: &[Window],
        wanted: &[usize],
        encoded: &EncoderOutput,
    ) -> ControlFlow<Stop> {
        let missing = self.missing(group, wanted);
        if missing.is_empty() {
            return ControlFlow::Continue(());
        }
        let text = self.text;
        if let Some(stage_one) = self.model.stage_one_executor() {
            let executor = &*stage_one;
            let start: &Start<'_> = &|batch, setup| executor.start(&text.alone(batch), setup);
            return self.drafts(executor, &missing, start);
        }
        let executor = self.model.executor();
        let executor = &*executor;
        let memory = executor.prepare(encoded, None);
        let start: &Start<'_> = &|batch, setup| {
            let within = within(group, |window| window.read.clone(), batch);
            executor.start_with(&encoded.select(&within), &memory, setup)
        };
        self.drafts(executor, &missing, start)
    }

    /// The sentences that are read by wanted ones, and of which there is no translation.
    fn missing(&self, group: &[Window], wanted: &[usize]) -> Vec<usize> {
        let mut missing = Vec::new();
        for Window { read, own } in group {
            let mut is_read = vec![false; read.len()];
            for &sentence in wanted.iter().filter(|sentence| own.contains(sentence)) {
                let others = self.model.context.map_or(sentence..sentence, |context| {
                    context.translations_read(sentence, read)
                });
                for other in others.filter(|&other| other != sentence) {
                    is_read[other - read.start] = true;
                }
            }
            let read = read.clone().zip(is_read);
            let read = read.filter_map(|(other, is_read)| is_read.then_some(other));
            missing.extend(read.filter(|&other| self.translation(other).is_none()));
        }
        // Windows of one document overlap.
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Searches drafts of the `missing` sentences.
    fn drafts(
        &mut self,
        executor: &dyn Executor,
        missing: &[usize],
        start: &Start<'_>,
    ) -> ControlFlow<Stop> {
        let (options, states) = (draft_options(self.options), Mutex::default());
        let pass = Pass {
            reranker: None,
            draft_states: executor.keeps_draft_states().then_some(&states),
            ..self.pass(executor, &options)
        };
        let (found, drafts) = (&mut *self.found, &mut self.drafts);
        let mut left = missing.len();
        let flow = pass.run(missing, start, &mut |number, hypothesis: Hypothesis| {
            left -= 1;
            drafts.insert(number, hypothesis.ids.clone());
            found(SearchEvent::Draft {
                number,
                hypothesis,
                left,
            })
        });
        self.draft_states
            .extend(states.into_inner().unwrap_or_else(PoisonError::into_inner));
        flow
    }

    /// Translations of all sentences of the windows; missing ones are not read.
    pub(super) fn translations(&self, group: &[Window]) -> PackedBatch {
        let (mut rows, start) = (PackedBatch::default(), self.model.network.tokens().start);
        for window in group {
            rows.begin_document();
            for number in window.read.clone() {
                let ids = self.translation(number).unwrap_or_default();
                let position = self.text.sentences[number].position;
                rows.push(&[&[start], ids].concat(), position);
            }
        }
        rows
    }

    /// The states of [`Self::translations`] that are known, by their places there; they are taken out.
    pub(super) fn states_of_drafts(
        &mut self,
        group: &[Window],
    ) -> HashMap<usize, TranslationStates> {
        let numbers = group.iter().flat_map(|window| window.read.clone());
        let known = numbers.enumerate().filter_map(|(place, number)| {
            let states = self.draft_states.remove(&number)?;
            Some((place, states))
        });
        known.collect()
    }

    /// The translation of a sentence as others read it.
    fn translation(&self, number: usize) -> Option<&[u32]> {
        let known = self.text.known.get(&number);
        known
            .or_else(|| self.drafts.get(&number))
            .map(Vec::as_slice)
    }
}

/// Numbers that sentences have among those of a group, in the first window of which `part` holds them.
pub(super) fn within(
    group: &[Window],
    part: impl Fn(&Window) -> Range<usize>,
    batch: &[usize],
) -> Vec<usize> {
    let within = |&number: &usize| {
        let mut before = 0;
        for window in group {
            if part(window).contains(&number) {
                return Some(before + number - window.read.start);
            }
            before += window.read.len();
        }
        None
    };
    let numbers: Option<Vec<usize>> = batch.iter().map(within).collect();
    numbers.expect("sentences of the group")
}
