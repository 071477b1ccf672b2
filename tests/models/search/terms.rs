//! Terms that a translation has to use are used, and nothing else changes.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use canopy::kernels::packed::Quantization;
use canopy::model::Model;
use canopy::search::{
    Hypothesis, Limits, Markup, SourceSentence, SourceText, TermConstraints, TermForce,
    search_sentences,
};
use canopy::text::vocabulary::Vocabulary;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::scripted::{Script, scripted};
use crate::search::{options, tiny};

type Forms = Vec<Vec<u32>>;

/// One to three terms of one or two forms of one to three tokens that are no placeholders.
fn terms(rng: &mut ChaCha8Rng) -> Vec<Forms> {
    let form = |rng: &mut ChaCha8Rng| {
        let length = rng.random_range(1..4_usize);
        (0..length).map(|_| rng.random_range(60..100_u32)).collect()
    };
    let term = |rng: &mut ChaCha8Rng| {
        let forms = rng.random_range(1..3_usize);
        (0..forms).map(|_| form(rng)).collect()
    };
    (0..rng.random_range(1..4_usize))
        .map(|_| term(rng))
        .collect()
}

fn found(
    model: &Model,
    vocabulary: &Vocabulary,
    sources: &[SourceSentence],
    terms: &HashMap<usize, Arc<TermConstraints>>,
    beam: usize,
) -> Vec<Hypothesis> {
    let mut found = vec![None; sources.len()];
    let text = SourceText {
        terms: terms.clone(),
        ..SourceText::from_sentences(sources.to_vec())
    };
    let mut keep = |number: usize, hypothesis| {
        found[number] = Some(hypothesis);
        ControlFlow::Continue(())
    };
    search_sentences(model, vocabulary, &text, &options(beam), &mut keep).expect("probabilities");
    found.into_iter().map(|it| it.expect("finished")).collect()
}

fn sources(vocabulary: &Vocabulary) -> Vec<SourceSentence> {
    let texts = [
        "Open the file.",
        "\u{E000}Open\u{E200} the \u{E101} file and \u{E002}the page\u{E200}.",
        "Close",
        "Close the page and open the other file of the two.",
    ];
    let source = |text: &&str| SourceSentence {
        ids: vocabulary.encode(text),
        position: (0, 0),
    };
    texts.iter().map(source).collect()
}

fn has(ids: &[u32], form: &[u32]) -> bool {
    ids.windows(form.len()).any(|window| window == form)
}

/// Without placeholders, which may stand within a term.
fn words(ids: &[u32], vocabulary: &Vocabulary) -> Vec<u32> {
    let words = ids.iter().copied();
    words
        .filter(|&id| vocabulary.placeholder(id).is_none())
        .collect()
}

#[test]
fn every_hard_term_is_in_the_translation_and_markup_is_kept() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for seed in 0..3 {
        let plain = tiny::talkative_model(seed);
        let packed = plain.clone().packed_as(Quantization::None);
        for model in [&plain, &packed] {
            for beam in [1, 2, 4] {
                let wanted: Vec<Vec<Forms>> = sources.iter().map(|_| terms(&mut rng)).collect();
                let constraints = wanted.iter().enumerate().map(|(number, terms)| {
                    let constraints = TermConstraints::new(terms, &[], TermForce::Hard);
                    (number, Arc::new(constraints))
                });
                let found = found(model, &vocabulary, &sources, &constraints.collect(), beam);
                for ((source, terms), found) in sources.iter().zip(&wanted).zip(&found) {
                    let own = words(&found.ids, &vocabulary);
                    for forms in terms {
                        assert!(
                            forms.iter().any(|form| has(&own, form)),
                            "beam {beam}: {forms:?} is not in {own:?}"
                        );
                    }
                    assert_eq!(
                        tiny::markup(&vocabulary.decode(&found.ids)),
                        tiny::markup(&vocabulary.decode(&source.ids))
                    );
                }
            }
        }
    }
}

#[test]
fn sentences_without_terms_are_translated_as_before() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary);
    let none = TermConstraints::new(&[vec![]], &[], TermForce::Hard);
    assert!(none.is_empty());
    for seed in 0..2 {
        let model = tiny::talkative_model(seed).packed_as(Quantization::None);
        for beam in [1, 4] {
            let expected = crate::search::hypotheses(&model, &vocabulary, &sources, beam);
            let nothing = HashMap::from([(1, Arc::new(none.clone()))]);
            assert_eq!(
                found(&model, &vocabulary, &sources, &nothing, beam),
                expected
            );
            // Terms of one sentence are none of the others.
            let other = TermConstraints::new(&[vec![vec![70, 71]]], &[], TermForce::Hard);
            let of_one = HashMap::from([(3, Arc::new(other))]);
            let found = found(&model, &vocabulary, &sources, &of_one, beam);
            let ids = |all: &[Hypothesis]| -> Vec<Vec<u32>> {
                all[..3].iter().map(|it| it.ids.clone()).collect()
            };
            assert_eq!(ids(&found), ids(&expected));
            assert!(has(&words(&found[3].ids, &vocabulary), &[70, 71]));
        }
    }
}

fn limits(terms: TermConstraints) -> [Limits; 1] {
    [Limits {
        markup: Markup::default(),
        terms: Some(Arc::new(terms)),
        max_tokens: 12,
    }]
}

/// Says 50 51 and ends; 60 61 is possible anywhere, but seldom.
const SAYS: Script = |_, words| match words.last() {
    None => vec![(50, 0.9), (60, 0.01), (62, 0.001)],
    Some(50) => vec![(51, 0.9), (60, 0.02), (62, 0.001)],
    Some(60) => vec![(61, 0.9), (50, 0.05), (51, 0.01)],
    _ => vec![
        (Vocabulary::EOS, 0.8),
        (50, 0.05),
        (51, 0.05),
        (60, 0.05),
        (62, 0.001),
    ],
};

#[test]
fn a_term_stands_where_it_costs_least() {
    let hard = TermConstraints::new(&[vec![vec![60, 61], vec![62]]], &[], TermForce::Hard);
    for beam in [1, 4] {
        let (found, _) = scripted(SAYS, &limits(hard.clone()), &options(beam));
        let ids = &found[0].ids;
        assert!(has(ids, &[60, 61]) || has(ids, &[62]), "{found:?}");
        assert!(!found[0].cut_off);
    }
    let (found, _) = scripted(SAYS, &limits(hard), &options(4));
    assert_eq!(found[0].ids, [50, 51, 60, 61]);
}

#[test]
fn a_soft_term_is_used_if_it_is_worth_it() {
    let ids = |bonus| {
        let soft = TermConstraints::new(&[vec![vec![60, 61]]], &[], TermForce::Soft { bonus });
        scripted(SAYS, &limits(soft), &options(4)).0[0].ids.clone()
    };
    assert_eq!(ids(0.0), [50, 51]);
    assert!(has(&ids(6.0), &[60, 61]));
}

#[test]
fn what_is_forbidden_does_not_stand() {
    let forbidden = TermConstraints::new(&[], &[vec![50, 51]], TermForce::Soft { bonus: 0.0 });
    for beam in [1, 4] {
        let (found, _) = scripted(SAYS, &limits(forbidden.clone()), &options(beam));
        assert!(!has(&found[0].ids, &[50, 51]), "{found:?}");
    }
}
