//! The search of all wanted sentences: those that others read first, where a model reads translations.
//!
//! Maruf, Martins & Haffari, "Selective Attention for Context-aware Neural Machine Translation", NAACL 2019, §3.2: every
//! sentence is translated by itself first, and then again with the translations of the others.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use super::batch::{SourceText, batches};
use super::beam::{Hypothesis, Limits, SearchOptions, search};
use super::decode::Decode;
use super::encodings::Encodings;
use super::gpu::GpuSearch;
use super::halving::in_halves;
use super::invalid_scores::InvalidScores;
use super::markup::Markup;
use super::reranking::chosen;
use super::windows::{Window, groups};
use crate::model::{Encoded, Model, PackedBatch, SearchRule, SpecialTokens, TranslationStates};
use canopy_kernels::DropoutSource;
use canopy_tokenize::Tokenizer;

/// Source tokens in a batch: enough to keep the cores busy, few enough that first results come soon.
pub(super) const BATCH_TOKENS: usize = 1_536;

/// The same on a GPU, where a word of a few hypotheses takes as long as one of many.
const GPU_BATCH_TOKENS: usize = 24_576;

/// Sentences whose order may change for batches of similar length.
const WINDOW: usize = 256;
const GPU_WINDOW: usize = 1_024;

/// A translation may have `LENGTH_FACTOR` tokens for each of the source, and `LENGTH_SLACK` more.
const LENGTH_FACTOR: f32 = 1.6;
const LENGTH_SLACK: usize = 10;

/// How drafts are searched that others read: greedily, in a third of the time. Nobody else sees them.
pub(super) fn of_drafts(options: &SearchOptions) -> SearchOptions {
    SearchOptions {
        beam_size: 1,
        alternatives: 0,
        ..*options
    }
}

/// A result of a search, told as soon as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchEvent {
    /// A translation that nobody asked for, which others read; `left` more of its kind come before the next wanted one.
    Draft {
        number: usize,
        hypothesis: Hypothesis,
        left: usize,
    },
    Translation {
        number: usize,
        hypothesis: Hypothesis,
    },
}

/// Why a search ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    Asked,
    Invalid(InvalidScores),
}

impl End {
    /// How a search ended.
    pub fn of(flow: ControlFlow<Self>) -> Result<(), InvalidScores> {
        match flow {
            ControlFlow::Break(Self::Invalid(broken)) => Err(broken),
            ControlFlow::Break(Self::Asked) | ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// The flow of whoever gets what is found, as the search's own.
    pub fn asked(flow: ControlFlow<()>) -> ControlFlow<Self> {
        flow.map_break(|()| Self::Asked)
    }

    /// The same of a search in a batch of these sentences.
    pub fn of_batch(searched: Result<(), InvalidScores>, batch: &[usize]) -> ControlFlow<Self> {
        match searched {
            Ok(()) => ControlFlow::Continue(()),
            Err(broken) => ControlFlow::Break(Self::Invalid(broken.of(batch[broken.number]))),
        }
    }
}

pub(super) struct Searcher<'a> {
    pub model: &'a Model,
    pub vocabulary: &'a dyn Tokenizer,
    pub text: &'a SourceText,
    pub options: &'a SearchOptions,
    /// Source tokens that are encoded at once.
    pub largest: usize,
    pub found: &'a mut dyn FnMut(SearchEvent) -> ControlFlow<()>,
    /// Translations of the first pass.
    pub drafts: HashMap<usize, Vec<u32>>,
    /// What others read of them, as far as their search has told it and nobody has read it yet.
    pub draft_states: HashMap<usize, TranslationStates>,
}

impl<'a> Searcher<'a> {
    pub fn run(&mut self, kept: &mut Encodings) -> ControlFlow<End> {
        if self.model.encodes_documents() {
            self.by_document(kept)
        } else {
            self.by_sentence()
        }
    }

    /// Encodes the sentences of each batch.
    fn by_sentence(&mut self) -> ControlFlow<End> {
        if let Some(packed) = self.model.packed().filter(|packed| packed.encodes()) {
            return self.by_packed(packed, &self.text.wanted, &|_| None);
        }
        let model = self.model;
        let gpu = self.gpu().filter(|search| search.gpu.encodes());
        for batch in self.batches(&self.text.wanted) {
            if let Some(search) = gpu {
                self.translate_within_memory(&search, &batch, &mut |text, batch| {
                    let started = search.gpu.start(&text.alone(batch), search.datastore);
                    started.expect("an encoder on the GPU")
                })?;
                continue;
            }
            self.translate_within_memory(model, &batch, &mut |text, batch| {
                model.start(&model.encode(&text.alone(batch), &DropoutSource::none()))
            })?;
        }
        ControlFlow::Continue(())
    }

    /// Encodes whole documents or windows of them, a number of short ones at once.
    fn by_document(&mut self, kept: &mut Encodings) -> ControlFlow<End> {
        for (group, wanted) in self.wanted_groups() {
            let (rows, encoded) = self.encoded(&group, kept);
            let memory = if self.model.is_bilingual() {
                self.first_pass(&group, &wanted, &encoded)?;
                let known = self.states_of_drafts(&group);
                self.model
                    .prepare_with(&rows, &self.translations(&group), &encoded, known)
            } else {
                self.model.prepare(&encoded)
            };
            let own = |window: &Window| window.own.clone();
            let model = self.model;
            if let Some(packed) = model.packed() {
                let encode = |batch: &[usize]| {
                    memory.packed(model, &encoded.select(&within(&group, own, batch)))
                };
                self.by_packed(packed, &wanted, &encode)?;
                continue;
            }
            let gpu = self.gpu();
            for batch in self.batches(&wanted) {
                if let Some(search) = gpu {
                    self.translate_within_memory(&search, &batch, &mut |_, batch| {
                        let encoded = encoded.select(&within(&group, own, batch));
                        let states = memory.packed(model, &encoded);
                        let states = states.expect("states of a Transformer");
                        search.gpu.start_with(&states, search.datastore)
                    })?;
                    continue;
                }
                self.translate_within_memory(model, &batch, &mut |_, batch| {
                    let within = within(&group, own, batch);
                    model.start_with(&encoded.select(&within), &memory)
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The model's weights on its GPU.
    fn gpu(&self) -> Option<GpuSearch<'a>> {
        let gpu = self.model.on_gpu()?;
        Some(GpuSearch {
            gpu,
            datastore: self.model.datastore(),
        })
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

    /// A group of windows and its encoding; `kept` is for [`Encodings::around`].
    pub(super) fn encoded(&self, group: &[Window], kept: &mut Encodings) -> (PackedBatch, Encoded) {
        let rows = self
            .text
            .rows(group.iter().map(|window| window.read.clone()));
        let document_window = match group {
            [window] => kept.around(self.model, self.text, window, self.largest),
            _ => None,
        };
        let encoded = match document_window {
            Some(document_window) => self.model.encode_in_window(&rows, &document_window),
            None => self.model.encode_to_search(&rows),
        };
        (rows, encoded)
    }

    /// Translates what the wanted sentences read of the others' translations and nobody knows yet.
    pub(super) fn first_pass(
        &mut self,
        group: &[Window],
        wanted: &[usize],
        encoded: &Encoded,
    ) -> ControlFlow<End> {
        let mut missing = Vec::new();
        for Window { read, own } in group {
            let mut is_read = vec![false; read.len()];
            for &sentence in wanted.iter().filter(|sentence| own.contains(sentence)) {
                let others = self.model.translations_read(sentence, read);
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
        let model = self.model;
        let read = |window: &Window| window.read.clone();
        if let Some(packed) = model.packed_stage_one() {
            return self.drafts_by_packed(packed, &missing, &|_| None);
        }
        if let Some(packed) = model.packed().filter(|_| model.stage_one.is_none()) {
            let memory = model.prepare(encoded);
            return self.drafts_by_packed(packed, &missing, &|batch| {
                memory.packed(model, &encoded.select(&within(group, read, batch)))
            });
        }
        let gpu = self.gpu().filter(|_| model.stage_one.is_none());
        let mut left = missing.len();
        let options = &of_drafts(self.options);
        for batch in self.batches(&missing) {
            let limits = limits(self.text, &batch, self.vocabulary, self.model);
            let (mut drafts, mut flow) = (Vec::new(), ControlFlow::Continue(()));
            let mut keep = |position: usize, hypotheses: Vec<Hypothesis>| {
                left -= 1;
                let hypothesis = best(hypotheses, 0);
                let number = batch[position];
                drafts.push((number, hypothesis.ids.clone()));
                if flow.is_continue() {
                    flow = (self.found)(SearchEvent::Draft {
                        number,
                        hypothesis,
                        left,
                    });
                }
            };
            let vocabulary = self.vocabulary;
            let searched = if let Some(gpu) = model.on_gpu_stage_one() {
                let state = gpu.start(&self.text.alone(&batch), None);
                let state = state.expect("a sentence-level model");
                // What a stage-one model writes is its own.
                let gpu = GpuSearch {
                    gpu,
                    datastore: None,
                };
                search(&gpu, state, &limits, options, vocabulary, &mut keep)
            } else if let Some(gpu) = gpu {
                let batch = encoded.select(&within(group, read, &batch));
                let states = model.prepare(encoded).packed(model, &batch);
                let state = gpu
                    .gpu
                    .start_with(&states.expect("states of a Transformer"), gpu.datastore);
                search(&gpu, state, &limits, options, vocabulary, &mut keep)
            } else if let Some(stage_one) = &self.model.stage_one {
                let rows = self.text.alone(&batch);
                let encoded = stage_one.encode(&rows, None, &DropoutSource::none());
                let memory = stage_one.decoder.prepare(&encoded);
                let state = stage_one.start(&encoded, memory);
                search(stage_one, state, &limits, options, vocabulary, &mut keep)
            } else {
                let within = within(group, read, &batch);
                let state = self.model.start(&encoded.select(&within));
                search(self.model, state, &limits, options, vocabulary, &mut keep)
            };
            self.drafts.extend(drafts);
            End::of_batch(searched, &batch)?;
            End::asked(flow)?;
        }
        ControlFlow::Continue(())
    }

    /// Translations of all sentences of the windows; nobody reads those that are not there.
    pub(super) fn translations(&self, group: &[Window]) -> PackedBatch {
        let (mut rows, start) = (PackedBatch::default(), self.model.tokens().start);
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

    /// What is known of the words of [`Self::translations`], by their places there.
    fn states_of_drafts(&mut self, group: &[Window]) -> HashMap<usize, TranslationStates> {
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

    /// Goes on from the state that `start` makes of the sentences of `batch`, of as many at once as the device has memory for.
    fn translate_within_memory<D: Decode>(
        &mut self,
        decoder: &D,
        batch: &[usize],
        start: &mut dyn FnMut(&SourceText, &[usize]) -> D::State,
    ) -> ControlFlow<End> {
        let mut told = HashSet::new();
        in_halves(batch, &mut |part| {
            let is_left = |number: &usize| !told.contains(number);
            let left: Vec<usize> = part.iter().copied().filter(is_left).collect();
            if left.is_empty() {
                return ControlFlow::Continue(());
            }
            let state = start(self.text, &left);
            self.translate(decoder, &left, state, &mut told)
        })
    }

    /// Goes on from `state`, which holds one hypothesis for each sentence of `batch`; notes what is `told`.
    fn translate<D: Decode>(
        &mut self,
        decoder: &D,
        batch: &[usize],
        state: D::State,
        told: &mut HashSet<usize>,
    ) -> ControlFlow<End> {
        let limits = limits(self.text, batch, self.vocabulary, self.model);
        let (options, vocabulary) = (self.options, self.vocabulary);
        if let Some(reranker) = &self.model.reranker {
            let mut found = Vec::new();
            let mut keep = |position: usize, hypotheses| found.push((batch[position], hypotheses));
            let searched = search(decoder, state, &limits, options, vocabulary, &mut keep);
            End::of_batch(searched, batch)?;
            let searched = (self.text, self.vocabulary, self.options);
            for (number, hypothesis) in chosen(searched, reranker, found)? {
                told.insert(number);
                End::asked((self.found)(SearchEvent::Translation {
                    number,
                    hypothesis,
                }))?;
            }
            return ControlFlow::Continue(());
        }
        let mut flow = ControlFlow::Continue(());
        let mut tell = |position: usize, hypotheses| {
            told.insert(batch[position]);
            if flow.is_continue() {
                flow = (self.found)(SearchEvent::Translation {
                    number: batch[position],
                    hypothesis: best(hypotheses, options.alternatives),
                });
            }
        };
        let searched = search(decoder, state, &limits, options, vocabulary, &mut tell);
        End::of_batch(searched, batch)?;
        End::asked(flow)
    }

    fn batches(&self, numbers: &[usize]) -> Vec<Vec<usize>> {
        let (tokens, window) = if self.model.is_on_cpu() {
            (BATCH_TOKENS, WINDOW)
        } else {
            (GPU_BATCH_TOKENS, GPU_WINDOW)
        };
        let tokens = tokens / self.options.beam_size.max(1);
        batches(&self.text.sentences, numbers, tokens, window)
    }
}

/// The bounds of the search for the sentences of a batch.
pub(super) fn limits(
    text: &SourceText,
    batch: &[usize],
    vocabulary: &dyn Tokenizer,
    model: &Model,
) -> Vec<Limits> {
    let tokens = model.tokens();
    let known_break = tokens.known_break();
    let limits = batch.iter().map(|&number| {
        let ids = &text.sentences[number].ids;
        // A suffix is not translated.
        let mut own = ids.split(|&id| Some(id) == known_break);
        let own = own.next().unwrap_or(ids);
        let terms = text.terms.get(&number).cloned();
        let more = terms.as_ref().map_or(0, |terms| terms.num_tokens());
        Limits {
            markup: Markup::of(own, vocabulary),
            terms,
            max_tokens: most_tokens(own.len(), &tokens, more),
        }
    });
    limits.collect()
}

/// Tokens after which the translation of a sentence of so many is cut off, where terms take `more`.
fn most_tokens(source_tokens: usize, tokens: &SpecialTokens, more: usize) -> usize {
    match tokens.search {
        // The end of the source is counted there.
        SearchRule::Marian => {
            let for_hundred = tokens.most_for_hundred.unwrap_or(300);
            (for_hundred * (source_tokens + 1)).div_ceil(100)
        }
        _ => tokens
            .most
            .unwrap_or_else(|| max_target_tokens(source_tokens) + more),
    }
}

/// The first of the translations of a sentence, with so many of the others.
pub(super) fn best(hypotheses: Vec<Hypothesis>, alternatives: usize) -> Hypothesis {
    let mut hypotheses = hypotheses.into_iter();
    let mut first = hypotheses.next().expect("one at least");
    let others: Vec<Hypothesis> = hypotheses.take(alternatives).collect();
    first.others = others;
    first
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
                return before + number - window.read.start;
            }
            before += window.read.len();
        }
        unreachable!("a sentence of the group")
    };
    batch.iter().map(within).collect()
}

#[expect(clippy::cast_precision_loss, reason = "sentences are short")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small positive number"
)]
fn max_target_tokens(source_tokens: usize) -> usize {
    (source_tokens as f32 * LENGTH_FACTOR) as usize + LENGTH_SLACK
}
