//! Search finds what the model says, in whatever company a sentence is searched, and keeps all markup.

mod markup;
mod models;
mod packed;
mod reranking;
mod scripted;
mod terms;

use crate::support::tiny;

use std::ops::ControlFlow;

use canopy::model::{BatchSetup, Model, PackedBatch};
use canopy::search::{
    Hypothesis, Limits, Markup, SearchOptions, SourceSentence, SourceText, search, search_sentences,
};
use canopy::text::vocabulary::Vocabulary;

fn options(beam_size: usize) -> SearchOptions {
    SearchOptions {
        beam_size,
        ..SearchOptions::default()
    }
}

fn hypotheses(
    model: &Model,
    vocabulary: &Vocabulary,
    sources: &[SourceSentence],
    beam: usize,
) -> Vec<Hypothesis> {
    let mut found = vec![None; sources.len()];
    search_sentences(
        model,
        vocabulary,
        &SourceText::from_sentences(sources.to_vec()),
        &options(beam),
        &mut |number, hypothesis| {
            assert!(
                found[number].replace(hypothesis).is_none(),
                "sentence {number} was finished twice"
            );
            ControlFlow::Continue(())
        },
    )
    .expect("probabilities");
    found
        .into_iter()
        .map(|hypothesis| hypothesis.expect("every sentence is finished"))
        .collect()
}

/// Searches one sentence with its own limit.
fn limited(
    model: &Model,
    vocabulary: &Vocabulary,
    ids: &[u32],
    beam: usize,
    max_tokens: usize,
) -> Hypothesis {
    ranked(model, vocabulary, ids, beam, max_tokens).swap_remove(0)
}

/// All that the search of one sentence with its own limit finds, the best first.
fn ranked(
    model: &Model,
    vocabulary: &Vocabulary,
    ids: &[u32],
    beam: usize,
    max_tokens: usize,
) -> Vec<Hypothesis> {
    let rows = PackedBatch::new([[ids, &[Vocabulary::EOS]].concat().as_slice()]);
    let executor = model.executor();
    let mut decoder = executor.start(&rows, BatchSetup::default());
    let limits = [Limits {
        markup: Markup::from_ids(ids, vocabulary),
        terms: None,
        max_tokens,
    }];
    let mut found = None;
    search(
        &mut *decoder,
        &limits,
        &options(beam),
        vocabulary,
        &mut |_, hypotheses| found = Some(hypotheses),
    )
    .expect("probabilities");
    found.expect("the sentence is finished")
}
