//! A model that translates back chooses among the translations.

use std::ops::ControlFlow;

use canopy::model::{Channel, Model};
use canopy::search::{Candidates, Forced, Hypothesis, SourceSentence, SourceText, force_documents};
use canopy::text::vocabulary::Vocabulary;

use crate::{hypotheses, options, ranked, tiny};

/// Twice what is asked for where a channel chooses.
const BEAM: usize = 8;

/// The log-probability of `source` as the translation of each of `targets`.
fn told(
    channel: &Model,
    vocabulary: &Vocabulary,
    source: &SourceSentence,
    targets: &[Hypothesis],
) -> Vec<f32> {
    let back = |target: &Hypothesis| SourceSentence {
        ids: target.ids.clone(),
        place: source.place,
    };
    let text = SourceText::of_sentences(targets.iter().map(back).collect());
    let sources = (0..targets.len()).map(|number| (number, vec![source.ids.clone()]));
    let sources: Candidates = sources.collect();
    let mut log_probs = vec![0.0; targets.len()];
    let mut keep = |forced: Forced| {
        log_probs[forced.number] = forced.log_probs.iter().sum();
        ControlFlow::Continue(())
    };
    let options = options(BEAM);
    force_documents(channel, vocabulary, &text, &sources, &options, &mut keep);
    log_probs
}

#[test]
fn the_translation_that_tells_its_source_best_is_chosen() {
    let vocabulary = tiny::vocabulary();
    let (model, back) = (tiny::talkative_model(1), tiny::talkative_model(2));
    let texts = [
        "Open the file.",
        "Print the page.",
        "Copy the cell.",
        "Save the image.",
    ];
    let sources = texts.map(|text| SourceSentence {
        ids: vocabulary.encode(text),
        place: (0, 0),
    });
    let with = |weight, beam| {
        let mut model = model.clone();
        model.channel = Some(Channel {
            model: Box::new(back.clone()),
            weight,
        });
        hypotheses(&model, &vocabulary, &sources, beam)
    };
    let alone = hypotheses(&model, &vocabulary, &sources, BEAM);
    assert_eq!(with(0.0, BEAM / 2), alone, "a channel that does not count");
    let mut others = 0;
    for ((source, chosen), alone) in sources.iter().zip(with(1e6, BEAM / 2)).zip(&alone) {
        let max_tokens = source.ids.len() * 8 / 5 + 10;
        let found = ranked(&model, &vocabulary, &source.ids, BEAM, max_tokens);
        let told = told(&back, &vocabulary, source, &found);
        let finished = found
            .iter()
            .zip(&told)
            .filter(|(it, _)| it.cut_off == found[0].cut_off);
        let best = finished
            .max_by(|a, b| a.1.total_cmp(b.1))
            .expect("one at least");
        assert_eq!(chosen.ids, best.0.ids);
        others += usize::from(chosen.ids != alone.ids);
    }
    assert!(others > 0, "the likeliest was always chosen");
}
