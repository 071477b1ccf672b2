//! The search with packed weights: batches of similar length, each on a core of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::batch::SourceText;
use super::beam::{Hypothesis, SearchOptions, search};
use super::decode::Decode;
use super::invalid_scores::InvalidScores;
use super::iterative::{BATCH_TOKENS, End, SearchEvent, Searcher, best, limits, of_drafts};
use super::reranking::chosen;
use super::trail::Trail;
use crate::kernels::packed::{Scratch, log_normalisers};
use crate::kernels::{NextScores, ReadTokens};
use crate::memory::{Datastore, Neighbours, Shortlist, Subset};
use crate::model::{
    Model, PackedDecoderOutput, PackedEncoderOutput, PackedState, PackedTransformer, Reranker,
    SearchRule, SomeWords, TranslationStates,
};
use crate::tokenizers::Tokenizer;

/// A packed model, and what its next words are mixed with.
pub(super) struct PackedSearch<'a> {
    pub packed: &'a PackedTransformer,
    pub datastore: Option<&'a Datastore>,
    /// The states of the datastore that each sentence of the batch is compared with, if not with all.
    subsets: Vec<Option<Subset>>,
    /// The only words that translations of a batch are made of; none if of all.
    some: Option<SomeWords>,
    /// What is kept of every word of drafts.
    trail: Option<RefCell<Trail>>,
}

/// A state, and what it shares with the datastore.
pub(super) struct State {
    hypotheses: PackedState,
    scratch: Scratch,
    /// Of the last words.
    told: PackedDecoderOutput,
    /// Of [`PackedSearch::some`] words.
    few: Vec<f32>,
}

impl Decode for PackedSearch<'_> {
    type State = State;

    fn vocab_size(&self) -> usize {
        self.packed.vocab_size()
    }

    fn step(&self, state: &mut State, ids: &[u32]) -> Vec<f32> {
        let mut scores = NextScores::default();
        self.score(state, ids, None, &mut scores);
        let rows = scores.values.chunks_exact_mut(self.vocab_size());
        for (row, normaliser) in rows.zip(&scores.normalisers) {
            for score in row {
                *score -= normaliser;
            }
        }
        scores.values
    }

    fn score(
        &self,
        state: &mut State,
        ids: &[u32],
        read: Option<ReadTokens>,
        scores: &mut NextScores,
    ) {
        if let (Some(some), Some(read)) = (&self.some, read) {
            self.score_some(state, ids, (some, read), scores);
            return;
        }
        let vocab = self.vocab_size();
        let in_parts = self.datastore.is_none() && self.packed.has_parts(ids.len());
        if let Some(read) = read.filter(|read| in_parts && read.is_less_than(vocab)) {
            self.score_in_parts(state, ids, read, scores);
            return;
        }
        let State {
            hypotheses,
            scratch,
            told,
            ..
        } = state;
        scores.columns = None;
        let NextScores {
            values,
            normalisers,
            ..
        } = scores;
        let asked = self.asks().then_some(&mut *told);
        self.packed.step(hypotheses, ids, None, values, asked);
        self.keep(hypotheses, ids, told);
        let tokens = self.packed.tokens();
        let suppressed = tokens.suppressed.iter().map(|&id| id as usize);
        // What is never generated has no part in a sum that is made one again.
        if tokens.renormalised && self.datastore.is_none() {
            suppress(values, vocab, suppressed.clone());
        }
        log_normalisers(values, vocab, normalisers);
        if let Some(datastore) = self.datastore {
            let near = self.near(datastore, (hypotheses, &told.fed_forward), scratch);
            datastore.mix_rows(&near, values, normalisers);
            if tokens.renormalised {
                suppress(values, vocab, suppressed.clone());
                log_normalisers(values, vocab, normalisers);
            }
        }
        if let (Some(first), true) = (tokens.forced_first, hypotheses.is_first_word()) {
            values.fill(f32::NEG_INFINITY);
            values
                .iter_mut()
                .skip(first as usize)
                .step_by(vocab)
                .for_each(|score| *score = 0.0);
            normalisers.fill(0.0);
        } else {
            suppress(values, vocab, suppressed);
        }
    }

    fn start(&self) -> u32 {
        self.packed.tokens().start
    }

    fn end(&self) -> u32 {
        self.packed.tokens().end
    }

    fn rule(&self) -> SearchRule {
        self.packed.tokens().search
    }

    fn select(&self, state: &mut State, hypotheses: &[usize]) {
        state.hypotheses.select(hypotheses);
    }
}

impl PackedSearch<'_> {
    /// A state with one hypothesis for each sentence that was encoded.
    pub fn begin(&self, encoded: &PackedEncoderOutput, several_cores: bool) -> State {
        let mut scratch = Scratch::on_cores(several_cores);
        let source = self.packed.source(encoded, &mut scratch);
        let numbers: Vec<usize> = (0..encoded.sentences.len()).collect();
        State {
            hypotheses: self.packed.start(source, &numbers, scratch.clone()),
            scratch,
            told: PackedDecoderOutput::default(),
            few: Vec::new(),
        }
    }

    /// Whether more is read of a word than its scores.
    fn asks(&self) -> bool {
        self.datastore.is_some() || self.trail.is_some()
    }

    /// Keeps what is told of the words `ids` of drafts.
    fn keep(&self, hypotheses: &PackedState, ids: &[u32], told: &PackedDecoderOutput) {
        if let Some(trail) = &self.trail {
            trail.borrow_mut().add(hypotheses.sentences(), ids, told);
        }
    }

    /// The nearest states of every hypothesis.
    fn near(
        &self,
        datastore: &Datastore,
        (hypotheses, queries): (&PackedState, &[f32]),
        scratch: &mut Scratch,
    ) -> Vec<Neighbours> {
        if self.subsets.iter().all(Option::is_none) {
            return datastore.near_rows(queries, None, scratch);
        }
        let sentences = hypotheses.sentences();
        let d_model = queries.len() / sentences.len().max(1);
        let mut near = Vec::with_capacity(sentences.len());
        for of_sentence in sentences.chunk_by(|a, b| a == b) {
            let rows = near.len() * d_model..(near.len() + of_sentence.len()) * d_model;
            let subset = self.subsets[of_sentence[0]].as_ref();
            near.extend(datastore.near_rows(&queries[rows], subset, scratch));
        }
        near
    }

    /// [`Self::score`] of many hypotheses and a large vocabulary, without a datastore.
    fn score_in_parts(
        &self,
        state: &mut State,
        ids: &[u32],
        read: ReadTokens,
        scores: &mut NextScores,
    ) {
        let State {
            hypotheses,
            few,
            told,
            ..
        } = state;
        let (tokens, vocab) = (self.packed.tokens(), self.vocab_size());
        let forced = tokens.forced_first.filter(|_| hypotheses.num_words() == 0);
        let suppressed = || tokens.suppressed.iter().map(|&id| id as usize);
        let id = |column| u32::try_from(column).expect("ids fit 32 bits");
        let mut normalisers = Vec::new();
        scores.normalisers.clear();
        ReadTokens::tell_none(scores);
        let asked = self.asks().then_some(&mut *told);
        let step = (few, asked);
        self.packed.step_in_parts(hypotheses, ids, step, |values| {
            if let Some(first) = forced {
                values.fill(f32::NEG_INFINITY);
                let forced = values.iter_mut().skip(first as usize).step_by(vocab);
                forced.for_each(|score| *score = 0.0);
                normalisers.clear();
                normalisers.resize(values.len() / vocab, 0.0);
            } else {
                if tokens.renormalised {
                    suppress(values, vocab, suppressed());
                }
                log_normalisers(values, vocab, &mut normalisers);
                suppress(values, vocab, suppressed());
            }
            scores.normalisers.append(&mut normalisers);
            read.tell_more(values, vocab, id, scores);
        });
        self.keep(hypotheses, ids, told);
    }

    /// [`Self::score`] with some words alone, of which those that are read are told. A probability is one among them.
    fn score_some(
        &self,
        state: &mut State,
        ids: &[u32],
        (some, read): (&SomeWords, ReadTokens),
        scores: &mut NextScores,
    ) {
        let State {
            hypotheses,
            scratch,
            told,
            few,
        } = state;
        let tokens = self.packed.tokens();
        let asked = self.asks().then_some(&mut *told);
        self.packed.step(hypotheses, ids, Some(some), few, asked);
        self.keep(hypotheses, ids, told);
        let width = some.ids.len();
        if let (Some(first), true) = (tokens.forced_first, hypotheses.is_first_word()) {
            few.fill(f32::NEG_INFINITY);
            if let Ok(place) = some.ids.binary_search(&first) {
                few.iter_mut()
                    .skip(place)
                    .step_by(width)
                    .for_each(|it| *it = 0.0);
            }
            scores.normalisers.clear();
            scores.normalisers.resize(ids.len(), 0.0);
            read.tell_of(few, &some.ids, scores);
            return;
        }
        let columns = tokens.suppressed.iter();
        let columns = columns.filter_map(|id| some.ids.binary_search(id).ok());
        let columns: Vec<usize> = columns.collect();
        if tokens.renormalised {
            suppress(few, width, columns.iter().copied());
        }
        log_normalisers(few, width, &mut scores.normalisers);
        suppress(few, width, columns.into_iter());
        read.tell_of(few, &some.ids, scores);
        if let Some(datastore) = self.datastore {
            let near = self.near(datastore, (hypotheses, &told.fed_forward), scratch);
            let theirs = datastore.scores_of_next(&near, few, &some.ids);
            datastore.mix_in_told(&near, &theirs, scores);
            scores.suppress(&tokens.suppressed);
        }
    }
}

/// Takes what is never generated out of scores `[rows, width]`.
fn suppress(scores: &mut [f32], width: usize, columns: impl Iterator<Item = usize>) {
    for column in columns {
        let column = scores.iter_mut().skip(column).step_by(width);
        column.for_each(|score| *score = f32::NEG_INFINITY);
    }
}

/// Encodes sentences with what their translations read beyond them; none if the packed encoder is to read them.
type Encode<'e> = dyn Fn(&[usize]) -> Option<PackedEncoderOutput> + Sync + 'e;

/// A core's working state to search a batch.
#[derive(Clone, Copy)]
struct Task<'a> {
    model: &'a Model,
    /// Chooses among the translations of a sentence; none of drafts.
    reranker: Option<&'a Reranker>,
    packed: &'a PackedTransformer,
    datastore: Option<&'a Datastore>,
    vocabulary: &'a dyn Tokenizer,
    text: &'a SourceText,
    options: &'a SearchOptions,
    /// Where what others read of drafts is kept.
    states: Option<&'a Mutex<HashMap<usize, TranslationStates>>>,
    /// Whether there is one batch alone.
    several_cores: bool,
}

impl Searcher<'_> {
    /// Translates the wanted sentences, each batch encoded by `encode` or by the packed encoder.
    pub(super) fn by_packed(
        &mut self,
        packed: &PackedTransformer,
        wanted: &[usize],
        encode: &Encode<'_>,
    ) -> ControlFlow<End> {
        let task = Task {
            model: self.model,
            reranker: self.model.reranker.as_ref(),
            packed,
            datastore: self.model.datastore(),
            vocabulary: self.vocabulary,
            text: self.text,
            options: self.options,
            states: None,
            several_cores: false,
        };
        let found = &mut *self.found;
        let mut report =
            |number, hypothesis| found(SearchEvent::Translation { number, hypothesis });
        task.search(wanted, encode, &mut report)
    }

    /// Drafts of sentences that others read, by the packed model or by `stage_one`, as [`Self::by_packed`] translates.
    pub(super) fn drafts_by_packed(
        &mut self,
        packed: &PackedTransformer,
        missing: &[usize],
        encode: &Encode<'_>,
    ) -> ControlFlow<End> {
        let states = Mutex::default();
        let task = Task {
            model: self.model,
            reranker: None,
            packed,
            // What a stage-one model writes is its own.
            datastore: self
                .model
                .datastore()
                .filter(|_| self.model.stage_one.is_none()),
            vocabulary: self.vocabulary,
            text: self.text,
            options: &of_drafts(self.options),
            states: packed.decodes_translations().then_some(&states),
            several_cores: false,
        };
        let (found, drafts) = (&mut *self.found, &mut self.drafts);
        let mut left = missing.len();
        let flow = task.search(missing, encode, &mut |number, hypothesis: Hypothesis| {
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
}

/// A translation of a sentence, or what ends the search.
type Message = Result<(usize, Hypothesis), InvalidScores>;

impl Task<'_> {
    /// Searches the wanted sentences in batches.
    fn search(
        self,
        wanted: &[usize],
        encode: &Encode<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<End> {
        let cores = rayon::current_num_threads();
        let tokens = self.packed.batch_tokens(cores, BATCH_TOKENS);
        let tokens = tokens / self.options.beam_size.max(1);
        let batches = batches(self.text, wanted, tokens, cores);
        let task = Self {
            several_cores: batches.len() == 1,
            ..self
        };
        if cores == 1 || batches.len() == 1 {
            for batch in &batches {
                task.run(batch, encode, report)?;
            }
            return ControlFlow::Continue(());
        }
        task.on_cores(&batches, cores, encode, report)
    }

    /// Searches every batch on the next core that has nothing to do; `report` is called on this one.
    fn on_cores(
        self,
        batches: &[Vec<usize>],
        cores: usize,
        encode: &Encode<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<End> {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |sender: Sender<Message>| {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed))
                && !is_over.load(Ordering::Relaxed)
            {
                let mut send = |number, hypothesis| {
                    // The other end is gone if the search has ended.
                    let sent = sender.send(Ok((number, hypothesis)));
                    sent.map_or(ControlFlow::Break(()), ControlFlow::Continue)
                };
                if let ControlFlow::Break(End::Invalid(broken)) = self.run(batch, encode, &mut send)
                {
                    sender.send(Err(broken)).ok();
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let threads = (0..cores.min(batches.len())).map(|_| {
                let (sender, work) = (sender.clone(), &work);
                scope.spawn(move || work(sender))
            });
            let threads: Vec<_> = threads.collect();
            drop(sender);
            let mut flow = ControlFlow::Continue(());
            for message in &receiver {
                flow = match message {
                    Ok((number, hypothesis)) => End::asked(report(number, hypothesis)),
                    Err(broken) => ControlFlow::Break(End::Invalid(broken)),
                };
                if flow.is_break() {
                    break;
                }
            }
            is_over.store(flow.is_break(), Ordering::Relaxed);
            drop(receiver);
            for thread in threads {
                if let Err(panic) = thread.join() {
                    resume_unwind(panic);
                }
            }
            flow
        })
    }

    /// Searches one batch; `report` gets each sentence's translation as soon as it is there.
    fn run(
        self,
        batch: &[usize],
        encode: &Encode<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<End> {
        let Self {
            model,
            reranker,
            packed,
            datastore,
            vocabulary,
            text,
            options,
            states,
            several_cores,
        } = self;
        let encoded = encode(batch).or_else(|| {
            let rows = text.alone(batch);
            packed.encode(&rows, Scratch::on_cores(several_cores))
        });
        let encoded = encoded.expect("a packed encoder, or another one's states");
        let shortlist = model.shortlist.as_deref();
        let decoder = &PackedSearch {
            packed,
            datastore,
            subsets: datastore.map_or_else(Vec::new, |datastore| {
                let sources = batch.iter().map(|&it| &text.sentences[it].ids);
                sources.map(|ids| datastore.subset(ids)).collect()
            }),
            some: shortlist.and_then(|shortlist| self.some_words(shortlist, batch)),
            trail: states.map(|_| RefCell::new(Trail::of(batch.len()))),
        };
        let state = decoder.begin(&encoded, several_cores);
        let mut limits = limits(text, batch, vocabulary, model);
        if states.is_some() {
            // The state of the last word is told when the next one is asked for.
            for limits in &mut limits {
                limits.max_tokens += 1;
            }
        }
        if let Some(reranker) = reranker {
            let mut found = Vec::new();
            let mut keep = |place: usize, hypotheses| found.push((batch[place], hypotheses));
            let searched = search(decoder, state, &limits, options, vocabulary, &mut keep);
            End::of_batch(searched, batch)?;
            for (number, hypothesis) in chosen((text, vocabulary, options), reranker, found)? {
                End::asked(report(number, hypothesis))?;
            }
            return ControlFlow::Continue(());
        }
        let mut flow = ControlFlow::Continue(());
        let mut found = |place: usize, hypotheses| {
            let mut hypothesis = best(hypotheses, options.alternatives);
            if let (Some(states), Some(trail)) = (states, &decoder.trail) {
                if hypothesis.cut_off && hypothesis.ids.len() == limits[place].max_tokens {
                    hypothesis.ids.pop();
                }
                let of_words = trail.borrow_mut().take(place, &hypothesis.ids);
                let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
                states.extend(of_words.map(|it| (batch[place], it)));
            }
            if flow.is_continue() {
                flow = report(batch[place], hypothesis);
            }
        };
        let searched = search(decoder, state, &limits, options, vocabulary, &mut found);
        End::of_batch(searched, batch)?;
        End::asked(flow)
    }
}

impl Task<'_> {
    /// The words that may stand in translations of a batch; all if terms are asked for, whose words may be any.
    fn some_words(&self, shortlist: &Shortlist, batch: &[usize]) -> Option<SomeWords> {
        let mut terms = batch
            .iter()
            .filter_map(|number| self.text.terms.get(number));
        if terms.any(|terms| !terms.is_empty()) {
            return None;
        }
        let (tokens, special) = (self.packed.tokens(), self.vocabulary.special());
        let sources = batch.iter().map(|&number| &self.text.sentences[number].ids);
        let source = sources.flatten().copied().chain([special.source_end()]);
        let always = self.vocabulary.placeholder_ids().end as usize;
        let vocab = self.packed.vocab_size();
        let mut words = shortlist.words(source, [always, vocab]);
        for id in [Some(tokens.end), tokens.forced_first]
            .into_iter()
            .flatten()
        {
            if let Err(place) = words.binary_search(&id) {
                words.insert(place, id);
            }
        }
        Some(self.packed.some_words(words))
    }
}

/// Numbers of sentences in batches of up to about `tokens` tokens, alike in length within a window of the order given; as
/// many batches of every window as cores have equal work with.
fn batches(text: &SourceText, numbers: &[usize], tokens: usize, cores: usize) -> Vec<Vec<usize>> {
    const WINDOW: usize = 512;
    let len = |number: usize| text.sentences[number].ids.len() + 1;
    let mut batches = Vec::new();
    for window in numbers.chunks(WINDOW) {
        let mut window = window.to_vec();
        // The longest first: the last ones to be done are short.
        window.sort_by_key(|&number| std::cmp::Reverse(len(number)));
        let total: usize = window.iter().map(|&number| len(number)).sum();
        let count = total.div_ceil(tokens.max(1)).next_multiple_of(cores);
        let count = count.min(window.len());
        let (mut before, mut last) = (0, usize::MAX);
        for number in window {
            // By the middle of each sentence.
            let middle = before + len(number) / 2;
            let batch = (middle * count / total.max(1)).min(count.saturating_sub(1));
            if batch != last {
                batches.push(Vec::new());
                last = batch;
            }
            if let Some(batch) = batches.last_mut() {
                batch.push(number);
            }
            before += len(number);
        }
    }
    batches
}
