//! A model that translates back chooses among the translations.

use std::ops::ControlFlow;

use canopy::model::{Model, Reranker};
use canopy::search::{
    Candidates, ForcedScores, Hypothesis, SourceSentence, SourceText, force_documents,
};
use canopy::text::vocabulary::Vocabulary;

use crate::search::{hypotheses, options, ranked, tiny};

/// Twice the requested number where a re-ranker chooses.
const BEAM: usize = 8;

/// The log-probability of `source` as the translation of each of `targets`.
fn back_scores(
    reranker: &Model,
    vocabulary: &Vocabulary,
    source: &SourceSentence,
    targets: &[Hypothesis],
) -> Vec<f32> {
    let back = |target: &Hypothesis| SourceSentence {
        ids: target.ids.clone(),
        position: source.position,
    };
    let text = SourceText::from_sentences(targets.iter().map(back).collect());
    let sources = (0..targets.len()).map(|number| (number, vec![source.ids.clone()]));
    let sources: Candidates = sources.collect();
    let mut log_probs = vec![0.0; targets.len()];
    let mut keep = |forced: ForcedScores| {
        log_probs[forced.number] = forced.log_probs.iter().sum();
        ControlFlow::Continue(())
    };
    let options = options(BEAM);
    force_documents(reranker, vocabulary, &text, &sources, &options, &mut keep)
        .expect("probabilities");
    log_probs
}

fn sources(vocabulary: &Vocabulary) -> [SourceSentence; 4] {
    let texts = [
        "Open the file.",
        "Print the page.",
        "Copy the cell.",
        "Save the image.",
    ];
    texts.map(|text| SourceSentence {
        ids: vocabulary.encode(text),
        position: (0, 0),
    })
}

/// `model` with one that translates back, which reads `longest` tokens.
fn choosing(model: &Model, back: &Model, weight: f32, max_tokens: usize) -> Model {
    let mut model = model.clone();
    model.reranker = Some(Reranker {
        model: Box::new(back.clone()),
        tokenizer: None,
        weight,
        max_tokens,
    });
    model
}

#[test]
fn the_translation_that_recovers_its_source_best_is_chosen() {
    let vocabulary = tiny::vocabulary();
    let (model, back) = (tiny::talkative_model(1), tiny::talkative_model(2));
    let sources = sources(&vocabulary);
    let with = |weight, beam| {
        let model = choosing(&model, &back, weight, 1_000);
        hypotheses(&model, &vocabulary, &sources, beam)
    };
    let alone = hypotheses(&model, &vocabulary, &sources, BEAM);
    assert_eq!(with(0.0, BEAM / 2), alone, "a channel that does not count");
    let mut others = 0;
    for ((source, chosen), alone) in sources.iter().zip(with(1e6, BEAM / 2)).zip(&alone) {
        let max_tokens = source.ids.len() * 8 / 5 + 10;
        let found = ranked(&model, &vocabulary, &source.ids, BEAM, max_tokens);
        let back_scores = back_scores(&back, &vocabulary, source, &found);
        let finished = found
            .iter()
            .zip(&back_scores)
            .filter(|(it, _)| it.cut_off == found[0].cut_off);
        let best = finished
            .max_by(|a, b| a.1.total_cmp(b.1))
            .expect("one at least");
        assert_eq!(chosen.ids, best.0.ids);
        others += usize::from(chosen.ids != alone.ids);
    }
    assert!(others > 0, "the likeliest was always chosen");
}

#[test]
fn what_is_longer_than_the_channel_reads_is_not_chosen_by_it() {
    let vocabulary = tiny::vocabulary();
    let (model, back) = (tiny::talkative_model(1), tiny::talkative_model(2));
    let sources = sources(&vocabulary);
    let alone = hypotheses(&model, &vocabulary, &sources, BEAM);
    let mut left_out = 0;
    for (number, source) in sources.iter().enumerate() {
        let max_tokens = source.ids.len() * 8 / 5 + 10;
        let found = ranked(&model, &vocabulary, &source.ids, BEAM, max_tokens);
        let back_scores = back_scores(&back, &vocabulary, source, &found);
        let mut lengths: Vec<usize> = found.iter().map(|it| it.ids.len()).collect();
        lengths.sort_unstable();
        // With its end a translation of the middle length is read, a longer one is not.
        let limit = lengths[found.len() / 2].max(source.ids.len()) + 1;
        let best = |limit: usize| {
            let scored = found.iter().zip(&back_scores);
            let scored = scored.filter(|(it, _)| it.cut_off == found[0].cut_off);
            let read = scored.filter(|(it, _)| it.ids.len() < limit);
            read.max_by(|a, b| a.1.total_cmp(b.1)).map(|(it, _)| it)
        };
        let chosen = |limit: usize| {
            let model = choosing(&model, &back, 1e6, limit);
            hypotheses(&model, &vocabulary, std::slice::from_ref(source), BEAM / 2).swap_remove(0)
        };
        let expected = best(limit).unwrap_or(&found[0]);
        assert_eq!(chosen(limit).ids, expected.ids, "sentence {number}");
        left_out += usize::from(Some(expected) != best(usize::MAX));
        // A sentence that is itself too long cannot be scored.
        assert_eq!(chosen(source.ids.len()).ids, alone[number].ids);
    }
    assert!(left_out > 0, "the longest were never the best");
}
