//! The choice among the translations that a search has found, by a model of the opposite direction.
//!
//! The re-ranking of Yee et al., EMNLP 2019, without their language model: the largest `log p(y | x) + λ log p(x | y)`,
//! either sum by the length penalty of its own sentence (theirs: by its length), is chosen. The search keeps more hypotheses
//! than are asked for, so that there is a choice.

use std::ops::ControlFlow;

use super::batch::{SourceSentence, SourceText};
use super::beam::{Hypothesis, SearchOptions};
use super::forced_decoding::{Candidates, force_documents};
use super::iterative::End;
use crate::model::{Model, Reranker, SENTENCE_BREAK};
use crate::tokenizers::Tokenizer;

/// Hypotheses that are kept for each one asked for.
const WIDER: usize = 2;

impl SearchOptions {
    /// Of the search of a model: wider where a channel chooses.
    pub(super) fn of(self, model: &Model) -> Self {
        let wider = if model.reranker.is_some() { WIDER } else { 1 };
        Self {
            beam_size: self.beam_size * wider,
            ..self
        }
    }
}

/// For each sentence of `text`, by its number, the translation from which `reranker` tells it best. One that was cut off is
/// chosen where all are, and so is one that is longer than `reranker` reads; where the sentence itself is, the likeliest is.
pub(super) fn chosen(
    (text, vocabulary, options): (&SourceText, &dyn Tokenizer, &SearchOptions),
    reranker: &Reranker,
    found: Vec<(usize, Vec<Hypothesis>)>,
) -> ControlFlow<End, Vec<(usize, Hypothesis)>> {
    let (mut sentences, mut sources) = (Vec::new(), Candidates::new());
    let mut owners = Vec::new();
    let readable = |source: &[u32], hypothesis: &Hypothesis| {
        // Either with its end.
        source.len().max(hypothesis.ids.len()) < reranker.max_tokens
    };
    for (number, hypotheses) in &found {
        let position = text.sentences[*number].position;
        let source = source(text, *number);
        for hypothesis in hypotheses.iter().filter(|it| readable(source, it)) {
            sources.insert(sentences.len(), vec![source.to_vec()]);
            sentences.push(SourceSentence {
                ids: hypothesis.ids.clone(),
                position,
            });
            owners.push(*number);
        }
    }
    let mut log_probs = vec![0.0; sentences.len()];
    let back = SourceText::of_sentences(sentences);
    let model = &reranker.model;
    let scored = force_documents(model, vocabulary, &back, &sources, options, &mut |forced| {
        log_probs[forced.number] = forced.log_probs.iter().sum();
        ControlFlow::Continue(())
    });
    if let Err(broken) = scored {
        return ControlFlow::Break(End::Broken(broken.of(owners[broken.number])));
    }
    let mut log_probs = log_probs.into_iter();
    let best = |(number, hypotheses): (usize, Vec<Hypothesis>)| {
        let source = source(text, number);
        let penalty = options.penalty(source.len());
        let scored = hypotheses.into_iter().map(|hypothesis| {
            let back = readable(source, &hypothesis).then(|| log_probs.next());
            let score = back
                .flatten()
                .map(|back| hypothesis.score(options) + reranker.weight * back / penalty);
            (hypothesis, score)
        });
        // Of equal ones the first. They come with those that ended by themselves before all others.
        let best = scored.reduce(|best, other| {
            let is_better = other.1 > best.1 && best.0.cut_off == other.0.cut_off;
            if is_better { other } else { best }
        });
        (number, best.expect("one at least").0)
    };
    ControlFlow::Continue(found.into_iter().map(best).collect())
}

/// The ids of a sentence without what a model reads behind it.
fn source(text: &SourceText, number: usize) -> &[u32] {
    let ids = &text.sentences[number].ids;
    let own = ids.split(|&id| id == SENTENCE_BREAK).next();
    own.unwrap_or_default()
}
