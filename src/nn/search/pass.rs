//! One pass of a search: batches of similar length, on the cores or one after the other.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::batch::{SourceText, batches};
use super::beam::{Hypothesis, Limits, SearchOptions, search};
use super::document_search::Stop;
use super::invalid_scores::InvalidScores;
use super::markup::Markup;
use super::oom_retry::retry_smaller_on_oom;
use super::reranking::chosen;
use crate::model::{
    BatchSetup, Batching, Decode, DraftStates, Executor, Model, Reranker, SearchRule,
    SpecialTokens, TranslationStates,
};
use crate::shortlist::Shortlist;
use canopy_tokenize::Tokenizer;

/// A translation may have `LENGTH_FACTOR` tokens for each of the source, and `LENGTH_SLACK` more.
const LENGTH_FACTOR: f32 = 1.6;
const LENGTH_SLACK: usize = 10;

/// Starts a hypothesis for each sentence of a batch.
pub(super) type Start<'e> = dyn Fn(&[usize], BatchSetup<'_>) -> Box<dyn Decode + 'e> + Sync + 'e;

/// Searches sentences with one executor.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub executor: &'a dyn Executor,
    pub model: &'a Model,
    /// Chooses among the translations of a sentence; none of drafts.
    pub reranker: Option<&'a Reranker>,
    pub vocabulary: &'a dyn Tokenizer,
    pub text: &'a SourceText,
    pub options: &'a SearchOptions,
    /// Where the states of drafts are kept that others read; none if they are not kept.
    pub draft_states: Option<&'a Mutex<HashMap<usize, TranslationStates>>>,
}

/// A translation of a sentence, or what ends the search.
type Message = Result<(usize, Hypothesis), InvalidScores>;

impl Pass<'_> {
    /// Searches the wanted sentences; `report` gets the translation of each as soon as it is found, in this thread.
    pub(super) fn run(
        &self,
        wanted: &[usize],
        start: &Start<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        let cores = rayon::current_num_threads();
        let beam_size = self.options.beam_size.max(1);
        match self.executor.batching(cores) {
            Batching::Cores { tokens } => {
                let batches = if self.executor.shortlist().is_some() && self.is_marian() {
                    listed_batches(self.text, wanted, cores)
                } else {
                    let batches = even_batches(self.text, wanted, tokens / beam_size, cores);
                    batches.into_iter().map(Batch::from).collect()
                };
                self.on_cores(&batches, cores, start, report)
            }
            Batching::Device { tokens, window } => {
                let sentences = &self.text.sentences;
                for batch in batches(sentences, wanted, tokens / beam_size, window) {
                    self.within_memory(&batch, start, report)?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Searches the sentences of a batch, as many at once as the device has memory for.
    fn within_memory(
        &self,
        batch: &[usize],
        start: &Start<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        let mut reported = HashSet::new();
        retry_smaller_on_oom(batch, &mut |part| {
            let is_left = |number: &usize| !reported.contains(number);
            let left: Vec<usize> = part.iter().copied().filter(is_left).collect();
            if left.is_empty() {
                return ControlFlow::Continue(());
            }
            self.search(
                &Batch::from(left),
                false,
                start,
                &mut |number, hypothesis| {
                    reported.insert(number);
                    report(number, hypothesis)
                },
            )
        })
    }

    /// Searches every batch on the next core that has nothing to do.
    fn on_cores(
        &self,
        batches: &[Batch],
        cores: usize,
        start: &Start<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        if cores == 1 || batches.len() == 1 {
            for batch in batches {
                self.search(batch, batches.len() == 1, start, report)?;
            }
            return ControlFlow::Continue(());
        }
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
                if let ControlFlow::Break(Stop::Invalid(broken)) =
                    self.search(batch, false, start, &mut send)
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
                    Ok((number, hypothesis)) => Stop::cancelled(report(number, hypothesis)),
                    Err(broken) => ControlFlow::Break(Stop::Invalid(broken)),
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

    /// Searches one batch; `report` gets each sentence's translation as soon as it is found.
    fn search(
        &self,
        batch: &Batch,
        several_cores: bool,
        start: &Start<'_>,
        report: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        let (batch, listed) = (batch.own.as_slice(), batch.listed.as_slice());
        let _entered = tracing::debug_span!("search batch", sentences = batch.len()).entered();
        let Self {
            text,
            options,
            vocabulary,
            ..
        } = *self;
        let kept = self.draft_states;
        let drafts = kept.map(|_| Rc::new(RefCell::new(DraftStates::new(batch.len()))));
        let sources = batch
            .iter()
            .map(|&number| text.sentences[number].ids.as_slice());
        let shortlist = self.executor.shortlist();
        let setup = BatchSetup {
            sources: sources.collect(),
            vocabulary: shortlist.and_then(|it| self.listed_ids(it, batch, listed)),
            several_cores,
            draft_states: drafts.clone(),
        };
        let encoding = tracing::debug_span!("encode").entered();
        let mut decoder = start(batch, setup);
        drop(encoding);
        let decoder = &mut *decoder;
        let mut limits = self.limits(batch);
        if kept.is_some() {
            // The state of the last token is known when the next one is searched.
            for limits in &mut limits {
                limits.max_tokens += 1;
            }
        }
        if let Some(reranker) = self.reranker {
            let mut found = Vec::new();
            let mut keep = |place: usize, hypotheses| found.push((batch[place], hypotheses));
            let searched = search(decoder, &limits, options, vocabulary, &mut keep);
            Stop::from_batch(searched, batch)?;
            for (number, hypothesis) in chosen((text, vocabulary, options), reranker, found)? {
                Stop::cancelled(report(number, hypothesis))?;
            }
            return ControlFlow::Continue(());
        }
        let mut flow = ControlFlow::Continue(());
        let mut found = |place: usize, hypotheses| {
            let mut hypothesis = best(hypotheses, options.alternatives);
            if let (Some(kept), Some(drafts)) = (kept, &drafts) {
                if hypothesis.cut_off && hypothesis.ids.len() == limits[place].max_tokens {
                    hypothesis.ids.pop();
                }
                let states = drafts.borrow_mut().take(place, &hypothesis.ids);
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(states.map(|states| (batch[place], states)));
            }
            if flow.is_continue() {
                flow = report(batch[place], hypothesis);
            }
        };
        let searched = search(decoder, &limits, options, vocabulary, &mut found);
        Stop::from_batch(searched, batch)?;
        Stop::cancelled(flow)
    }

    /// Whether batches are to be those of Marian.
    fn is_marian(&self) -> bool {
        self.model.network.tokens().search == SearchRule::Marian
    }

    /// The ids that may be in translations of a batch, by the words of all sentences that are `listed` with it, and of the
    /// sentence before each if the model reads documents: a verb that is left out is there. None for all if terms are
    /// requested, whose words may be any.
    fn listed_ids(
        &self,
        shortlist: &Shortlist,
        batch: &[usize],
        listed: &[usize],
    ) -> Option<Vec<u32>> {
        let mut terms = batch
            .iter()
            .filter_map(|number| self.text.terms.get(number));
        if terms.any(|terms| !terms.is_empty()) {
            return None;
        }
        let (tokens, special) = (self.model.network.tokens(), self.vocabulary.special());
        let before = |number: &usize| {
            number
                .checked_sub(1)
                .filter(|_| self.model.reads_documents())
        };
        let sources = listed
            .iter()
            .copied()
            .chain(listed.iter().filter_map(before));
        let sources = sources.map(|number| &self.text.sentences[number].ids);
        let source = sources.flatten().copied().chain([special.source_end()]);
        let always = self.vocabulary.placeholder_ids().end as usize;
        let vocab = self.model.network.vocab_size();
        let mut words = shortlist.words(source, [always, vocab]);
        for id in [Some(tokens.end), tokens.forced_first]
            .into_iter()
            .flatten()
        {
            if let Err(place) = words.binary_search(&id) {
                words.insert(place, id);
            }
        }
        Some(words)
    }

    /// The bounds of the search for the sentences of a batch.
    fn limits(&self, batch: &[usize]) -> Vec<Limits> {
        let tokens = self.model.network.tokens();
        let known_break = tokens.known_break();
        let limits = batch.iter().map(|&number| {
            let ids = &self.text.sentences[number].ids;
            // A suffix is not translated.
            let mut own = ids.split(|&id| Some(id) == known_break);
            let own = own.next().unwrap_or(ids);
            let terms = self.text.terms.get(&number).cloned();
            let more = terms.as_ref().map_or(0, |terms| terms.num_tokens());
            Limits {
                markup: Markup::from_ids(own, self.vocabulary),
                terms,
                max_tokens: most_tokens(own.len(), &tokens, more),
            }
        });
        limits.collect()
    }
}

/// Tokens after which the translation of a sentence of `tokens` tokens is cut off, where terms take `more`.
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

#[expect(clippy::cast_precision_loss, reason = "sentences are short")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small positive number"
)]
fn max_target_tokens(source_tokens: usize) -> usize {
    (source_tokens as f32 * LENGTH_FACTOR) as usize + LENGTH_SLACK
}

/// The first of the translations of a sentence, with a number of others.
fn best(hypotheses: Vec<Hypothesis>, alternatives: usize) -> Hypothesis {
    let mut hypotheses = hypotheses.into_iter();
    let mut first = hypotheses.next().expect("one at least");
    let others: Vec<Hypothesis> = hypotheses.take(alternatives).collect();
    first.others = others;
    first
}

/// Numbers of sentences that are searched together.
struct Batch {
    own: Vec<usize>,
    /// Sentences of which a shortlist is taken.
    listed: Arc<Vec<usize>>,
}

impl From<Vec<usize>> for Batch {
    fn from(own: Vec<usize>) -> Self {
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
fn even_batches(
    text: &SourceText,
    numbers: &[usize],
    tokens: usize,
    cores: usize,
) -> Vec<Vec<usize>> {
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
