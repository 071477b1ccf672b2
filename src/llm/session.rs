//! A prompt that grows: whatever two prompts in a row begin with in common is computed once.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::Result;

use super::completion::LanguageModel;
use super::network::{BATCH, Cache, Recorder};
use super::sampling::Sampling;
use super::writing::Writing;

/// How a prompt is continued.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generation {
    /// Tokens at most.
    pub max_tokens: usize,
    /// Whether a line break after a text ends it, which then has no line break itself.
    pub is_line: bool,
    /// Tokens that the continuation does not begin with.
    pub other_beginnings: Vec<u32>,
    /// None: greedily.
    pub sampling: Option<Sampling>,
}

/// A continuation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generated {
    /// Its tokens.
    pub ids: Vec<u32>,
    /// Their text.
    pub text: String,
    /// Sum of the log-probabilities of its tokens and of its end (natural logarithm).
    pub log_prob: f32,
    /// Whether it came to an end by itself.
    pub ended: bool,
}

/// Tokens that were computed, and for how long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Tokens of prompts that stood in the cache.
    pub reused: usize,
    /// Tokens of prompts that were computed.
    pub read: usize,
    /// Tokens of continuations.
    pub written: usize,
    /// Time in which prompts were computed.
    pub reading: Duration,
    /// Time in which continuations were computed.
    pub writing: Duration,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.reused += other.reused;
        self.read += other.read;
        self.written += other.written;
        self.reading += other.reading;
        self.writing += other.writing;
    }
}

/// A model with the tokens that it has read last.
#[derive(Debug)]
pub struct Session {
    model: Arc<LanguageModel>,
    cache: Cache,
    /// The tokens of the cache.
    ids: Vec<u32>,
    /// Those that the encoder has read, if there is one.
    source: Vec<u32>,
    keeps: bool,
    cost: Cost,
}

impl Session {
    /// A session of a model that has read nothing yet.
    pub fn new(model: Arc<LanguageModel>) -> Self {
        Self {
            cache: model.network.new_cache(),
            model,
            ids: Vec::new(),
            source: Vec::new(),
            keeps: true,
            cost: Cost::default(),
        }
    }

    /// Reads each prompt anew, as a server without a cache does.
    #[must_use]
    pub fn without_cache(self) -> Self {
        Self {
            keeps: false,
            ..self
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<LanguageModel> {
        &self.model
    }

    /// The cost of all prompts so far.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Counts costs from zero; what was read stays.
    pub fn forget_cost(&mut self) {
        self.cost = Cost::default();
    }

    /// Continues `prompt`. `step` is called for each batch of the prompt and each token that is written; where it
    /// breaks nothing is given, and the next prompt goes on with what has been read.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel), if prompt and continuation are longer than the model's
    /// context, or the prompt is empty.
    pub fn continue_prompt(
        &mut self,
        prompt: &[u32],
        generation: &Generation,
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Generated>> {
        self.model.check_length(prompt, generation.max_tokens)?;
        let Some(logits) = self.read(prompt, step) else {
            return Ok(None);
        };
        Ok(self.write(logits, generation, step))
    }

    /// Continues `prompt` as each of `generations` says. On the CPU all are written together and share what was read; a GPU
    /// writes one after the other.
    ///
    /// # Errors
    /// As [`Self::continue_prompt`].
    pub fn continue_prompt_each(
        &mut self,
        prompt: &[u32],
        generations: &[Generation],
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Vec<Generated>>> {
        if self.model.network.is_on_gpu() {
            let each = generations.iter();
            let each = each.map(|it| self.continue_prompt(prompt, it, step));
            return each.collect();
        }
        let most = generations.iter().map(|it| it.max_tokens).max();
        self.model.check_length(prompt, most.unwrap_or_default())?;
        let Some(logits) = self.read(prompt, step) else {
            return Ok(None);
        };
        Ok(self.write_together(&logits, generations, step))
    }

    /// Reads `answer` after `prompt` and returns the attention of each query after which a token of the answer was written: the
    /// last one of the prompt, then all of the answer but its last.
    ///
    /// # Errors
    /// As [`Self::continue_prompt`].
    pub fn record(
        &mut self,
        prompt: &[u32],
        answer: &[u32],
        recorder: &mut Recorder<'_>,
    ) -> Result<()> {
        self.model.check_length(prompt, answer.len())?;
        let Some((_, written)) = answer.split_last() else {
            return Ok(());
        };
        let begin = Instant::now();
        let prompt = &*self.decoded(prompt);
        let kept = self.keep_shared(prompt);
        let (context, last) = prompt.split_at(prompt.len() - 1);
        let (context, read) = (&context[kept..], [last, written].concat());
        let network = &self.model.network;
        network.read_recorded(context, &read, &mut self.cache, recorder);
        self.ids.extend(context);
        self.ids.extend(&read);
        self.cost.read += context.len() + read.len();
        self.cost.reading += begin.elapsed();
        Ok(())
    }

    /// The log-probabilities (natural logarithm) of the tokens of `answer`, each behind `prompt` and those before it.
    ///
    /// # Errors
    /// As [`Self::continue_prompt`].
    pub fn forced(&mut self, prompt: &[u32], answer: &[u32]) -> Result<Vec<f32>> {
        self.model.check_length(prompt, answer.len())?;
        let Some((_, written)) = answer.split_last() else {
            return Ok(Vec::new());
        };
        let begin = Instant::now();
        let read = self.read_up_to_last(prompt, written);
        let network = &self.model.network;
        let log_probs = network.read_forced(&read, answer, &mut self.cache);
        self.ids.extend(&read);
        self.cost.reading += begin.elapsed();
        Ok(log_probs)
    }

    /// The tokens that the decoder reads of a prompt: all, or, where an encoder reads them, the one with which it begins.
    fn decoded<'p>(&mut self, prompt: &'p [u32]) -> Cow<'p, [u32]> {
        let network = &self.model.network;
        let Some(start) = network.start() else {
            return Cow::Borrowed(prompt);
        };
        if self.keeps && self.source == prompt {
            self.cost.reused += prompt.len();
        } else {
            network.read_source(prompt, &mut self.cache);
            self.ids.clear();
            prompt.clone_into(&mut self.source);
            self.cost.read += prompt.len();
        }
        Cow::Owned(vec![start])
    }

    /// Reads a prompt but for its last token; gives that and what is `written` behind it, which is to be read next.
    fn read_up_to_last(&mut self, prompt: &[u32], written: &[u32]) -> Vec<u32> {
        let prompt = &*self.decoded(prompt);
        let kept = self.keep_shared(prompt);
        let (context, last) = prompt.split_at(prompt.len() - 1);
        let context = &context[kept..];
        self.model.network.read_context(context, &mut self.cache);
        self.ids.extend(context);
        let read = [last, written].concat();
        self.cost.read += context.len() + read.len();
        read
    }

    /// Keeps what a prompt, but for its last token, shares with what was read; gives the number of its tokens.
    fn keep_shared(&mut self, prompt: &[u32]) -> usize {
        let shared = self.ids.iter().zip(prompt).take_while(|(a, b)| a == b);
        let kept = shared.count().min(prompt.len() - 1);
        self.cache.truncate(kept);
        self.ids.truncate(kept);
        self.cost.reused += kept;
        kept
    }

    /// The logits after a prompt.
    fn read(
        &mut self,
        prompt: &[u32],
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Option<Vec<f32>> {
        let begin = Instant::now();
        let prompt = &*self.decoded(prompt);
        let shared = self.ids.iter().zip(prompt).take_while(|(a, b)| a == b);
        let shared = if self.keeps { shared.count() } else { 0 };
        // Logits are of a token that is read.
        let kept = shared.min(prompt.len() - 1);
        self.cache.truncate(kept);
        self.ids.truncate(kept);
        self.cost.reused += kept;
        let rest = &prompt[kept..];
        let (context, last) = rest.split_at((rest.len() - 1) / BATCH * BATCH);
        for batch in context.chunks(BATCH) {
            self.model.network.read_context(batch, &mut self.cache);
            self.ids.extend(batch);
            self.cost.read += batch.len();
            if step(self.cost).is_break() {
                return None;
            }
        }
        let logits = self.model.network.read_tokens(last, &mut self.cache);
        self.ids.extend(last);
        self.cost.read += last.len();
        self.cost.reading += begin.elapsed();
        step(self.cost).is_continue().then_some(logits)
    }

    fn write(
        &mut self,
        mut logits: Vec<f32>,
        generation: &Generation,
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Option<Generated> {
        let model = Arc::clone(&self.model);
        let mut writing = Writing::new(&model, generation);
        let begin = Instant::now();
        while let Some(id) = writing.write(&mut logits) {
            self.cost.written += 1;
            if writing.is_full() {
                break;
            }
            logits = model.network.read_tokens(&[id], &mut self.cache);
            self.ids.push(id);
            if !self.goes_on(begin, step) {
                return None;
            }
        }
        self.cost.writing += begin.elapsed();
        Some(writing.ended())
    }

    /// Whether `step` lets the writing go on that has begun then; otherwise its time is counted.
    fn goes_on(&mut self, begin: Instant, step: &mut dyn FnMut(Cost) -> ControlFlow<()>) -> bool {
        let so_far = Cost {
            writing: self.cost.writing + begin.elapsed(),
            ..self.cost
        };
        let goes_on = step(so_far).is_continue();
        if !goes_on {
            self.cost = so_far;
        }
        goes_on
    }

    /// Writes several continuations token by token together, so that the weights are read once for all of them; what was read
    /// so far belongs to each.
    fn write_together(
        &mut self,
        logits: &[f32],
        generations: &[Generation],
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Option<Vec<Generated>> {
        let model = Arc::clone(&self.model);
        let network = &model.network;
        let mut writings: Vec<_> = generations
            .iter()
            .map(|generation| Writing::new(&model, generation))
            .collect();
        let mut caches: Vec<Cache> = writings.iter().map(|_| network.new_cache()).collect();
        let mut logits = vec![logits.to_vec(); writings.len()];
        let mut open: Vec<usize> = (0..writings.len()).collect();
        let begin = Instant::now();
        loop {
            let mut read = Vec::new();
            open = std::mem::take(&mut open)
                .into_iter()
                .zip(logits)
                .filter_map(|(number, mut logits)| {
                    let writing = &mut writings[number];
                    let id = writing.write(&mut logits)?;
                    self.cost.written += 1;
                    if writing.is_full() {
                        return None;
                    }
                    read.push(id);
                    Some(number)
                })
                .collect();
            if open.is_empty() {
                break;
            }
            let branches = caches.iter_mut().enumerate();
            let branches = branches.filter(|(number, _)| open.contains(number));
            let mut branches: Vec<&mut Cache> = branches.map(|(_, cache)| cache).collect();
            logits = network.read_branches(&read, &self.cache, &mut branches);
            if !self.goes_on(begin, step) {
                return None;
            }
        }
        self.cost.writing += begin.elapsed();
        Some(writings.into_iter().map(Writing::ended).collect())
    }
}
