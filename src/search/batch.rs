//! Many sentences through one model: batches of similar length, results by number.

use std::ops::ControlFlow;

use super::beam::{Hypothesis, Limits, SearchOptions, search};
use super::markup::Markup;
use crate::kernels::DropoutSource;
use crate::model::{Rows, Transformer};
use crate::text::vocabulary::Vocabulary;

/// Source tokens in a batch: enough to keep the cores busy, few enough that first results come soon.
const BATCH_TOKENS: usize = 1_536;

/// A translation may have `LENGTH_FACTOR` tokens for each of the source, and `LENGTH_SLACK` more.
const LENGTH_FACTOR: f32 = 1.6;
const LENGTH_SLACK: usize = 10;

/// A source sentence as ids, without `eos`, and its place (in its paragraph, paragraph in the document).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSentence {
    pub ids: Vec<u32>,
    pub place: (usize, usize),
}

/// Searches translations of `sentences`; `finished` gets each one's number as soon as its translation is there.
///
/// Sentences keep their order from batch to batch in groups of a few batches, so that what is asked for first comes
/// first. After `Break` the current batch ends without further calls.
pub fn search_sentences(
    model: &Transformer,
    vocabulary: &Vocabulary,
    sentences: &[SourceSentence],
    options: &SearchOptions,
    finished: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
) {
    let none = DropoutSource::none();
    let mut flow = ControlFlow::Continue(());
    for batch in batches(sentences, BATCH_TOKENS / options.beam_size.max(1)) {
        let mut rows = Rows::default();
        let mut limits = Vec::with_capacity(batch.len());
        for &number in &batch {
            let SourceSentence { ids, place } = &sentences[number];
            rows.push(&[ids.as_slice(), &[Vocabulary::EOS]].concat(), *place);
            limits.push(Limits {
                markup: Markup::of(ids, vocabulary),
                max_tokens: max_target_tokens(ids.len()),
            });
        }
        let state = model.start(&model.encode(&rows, &none));
        search(
            model,
            state,
            &limits,
            options,
            vocabulary,
            &mut |sentence, hypothesis| {
                if flow.is_continue() {
                    flow = finished(batch[sentence], hypothesis);
                }
            },
        );
        if flow.is_break() {
            return;
        }
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

/// Numbers of sentences in batches of about `tokens` tokens, alike in length within a window of the order given.
fn batches(sentences: &[SourceSentence], tokens: usize) -> Vec<Vec<usize>> {
    const WINDOW: usize = 256;
    let mut batches = Vec::new();
    let numbers: Vec<usize> = (0..sentences.len()).collect();
    for window in numbers.chunks(WINDOW) {
        let mut window = window.to_vec();
        window.sort_by_key(|&number| sentences[number].ids.len());
        let (mut batch, mut sum) = (Vec::new(), 0);
        for number in window {
            let len = sentences[number].ids.len() + 1;
            if sum + len > tokens && !batch.is_empty() {
                batches.push(std::mem::take(&mut batch));
                sum = 0;
            }
            batch.push(number);
            sum += len;
        }
        if !batch.is_empty() {
            batches.push(batch);
        }
    }
    batches
}
