//! Batches of similar length, each searched on a core of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::batch::SourceText;
use super::super::beam::{Hypothesis, SearchOptions, search};
use super::super::invalid_scores::InvalidScores;
use super::super::iterative::{BATCH_TOKENS, End, SearchEvent, Searcher, best, limits, of_drafts};
use super::super::reranking::chosen;
use super::super::trail::Trail;
use super::PackedSearch;
use crate::datastore::Datastore;
use crate::model::{
    Model, PackedEncoderOutput, PackedTransformer, Reranker, SearchRule, SomeWords,
    TranslationStates,
};
use crate::shortlist::Shortlist;
use canopy_kernels::packed::Scratch;
use canopy_tokenize::Tokenizer;

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
    pub(in crate::search) fn by_packed(
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
    pub(in crate::search) fn drafts_by_packed(
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
        let batches = if self.model.shortlist.is_some() && self.is_marian() {
            listed_batches(self.text, wanted, cores)
        } else {
            let batches = batches(self.text, wanted, tokens, cores);
            batches.into_iter().map(Batch::of).collect()
        };
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
        batches: &[Batch],
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
        batch: &Batch,
        encode: &Encode<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<End> {
        let (batch, listed) = (batch.own.as_slice(), batch.listed.as_slice());
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
        let _entered = tracing::debug_span!("search batch", sentences = batch.len()).entered();
        let encoding = tracing::debug_span!("encode").entered();
        let encoded = encode(batch).or_else(|| {
            let rows = text.alone(batch);
            packed.encode(&rows, Scratch::on_cores(several_cores))
        });
        let encoded = encoded.expect("a packed encoder, or another one's states");
        drop(encoding);
        let shortlist = model.shortlist.as_deref();
        let decoder = &PackedSearch {
            packed,
            datastore,
            subsets: datastore.map_or_else(Vec::new, |datastore| {
                let sources = batch.iter().map(|&it| &text.sentences[it].ids);
                sources.map(|ids| datastore.subset(ids)).collect()
            }),
            some: shortlist.and_then(|shortlist| self.some_words(shortlist, batch, listed)),
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

    /// Whether batches are to be those of Marian.
    fn is_marian(&self) -> bool {
        self.packed.tokens().search == SearchRule::Marian
    }

    /// The words that may stand in translations of a batch, by the words of all sentences that are `listed` with it; all if
    /// terms are asked for, whose words may be any.
    fn some_words(
        &self,
        shortlist: &Shortlist,
        batch: &[usize],
        listed: &[usize],
    ) -> Option<SomeWords> {
        let mut terms = batch
            .iter()
            .filter_map(|number| self.text.terms.get(number));
        if terms.any(|terms| !terms.is_empty()) {
            return None;
        }
        let (tokens, special) = (self.packed.tokens(), self.vocabulary.special());
        let sources = listed
            .iter()
            .map(|&number| &self.text.sentences[number].ids);
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

/// Numbers of sentences that are searched together.
struct Batch {
    own: Vec<usize>,
    /// Those of which a shortlist is taken.
    listed: Arc<Vec<usize>>,
}

impl Batch {
    fn of(own: Vec<usize>) -> Self {
        Self {
            listed: Arc::new(own.clone()),
            own,
        }
    }
}

/// The batches of Firefox's engine, with the words of whose sentences a shortlist is made there: the shortest sentences
/// first, as many as have 1,024 tokens with what fills them up. Few batches are dealt out to all cores.
fn listed_batches(text: &SourceText, numbers: &[usize], cores: usize) -> Vec<Batch> {
    const TOKENS: usize = 1_024;
    /// Sentences that are sorted together.
    const WINDOW: usize = 8_192;
    let len = |number: usize| text.sentences[number].ids.len() + 1;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for window in numbers.chunks(WINDOW) {
        let mut window = window.to_vec();
        window.sort_by_key(|&number| len(number));
        let first = groups.len();
        groups.push(Vec::new());
        for number in window {
            let last = groups.last().map_or(0, Vec::len);
            if last > 0 && (last + 1) * len(number) > TOKENS {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.last_mut() {
                group.push(number);
            }
        }
        // The longest first: the last ones to be done are short.
        groups[first..].reverse();
    }
    let parts = if groups.len() < 2 * cores { cores } else { 1 };
    let dealt = groups.into_iter().flat_map(|group| {
        let group = Arc::new(group);
        let size = group.len().div_ceil(parts).max(1);
        let parts = group.chunks(size).map(|own| Batch {
            own: own.to_vec(),
            listed: Arc::clone(&group),
        });
        parts.collect::<Vec<_>>()
    });
    dealt.collect()
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
