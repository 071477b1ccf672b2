//! A scripted model shows how the search handles its beam.

use canopy::search::{Decode, Hypothesis, InvalidScores, Limits, Markup, SearchOptions, search};
use canopy::text::vocabulary::Vocabulary;

use crate::search::{options, tiny};

/// Tokens that may follow a sentence's tokens so far, with probabilities; all else is impossible.
pub type Script = fn(sentence: usize, words: &[u32]) -> Vec<(u32, f32)>;

/// A model that follows a script and records the batch size of every step.
struct Scripted {
    script: Script,
    batch_sizes: Vec<usize>,
    /// The sentence and the words of each hypothesis.
    hypotheses: Vec<(usize, Vec<u32>)>,
}

impl Scripted {
    fn new(script: Script, sentences: usize) -> Self {
        Self {
            script,
            batch_sizes: Vec::new(),
            hypotheses: (0..sentences).map(|it| (it, Vec::new())).collect(),
        }
    }
}

impl Decode for Scripted {
    fn step(&mut self, ids: &[u32]) -> Vec<f32> {
        let count = self.hypotheses.len();
        assert_eq!(count, ids.len(), "one word for every hypothesis");
        self.batch_sizes.push(ids.len());
        let mut log_probs = vec![f32::NEG_INFINITY; ids.len() * tiny::VOCAB];
        for ((sentence, words), (&id, row)) in self
            .hypotheses
            .iter_mut()
            .zip(ids.iter().zip(log_probs.chunks_exact_mut(tiny::VOCAB)))
        {
            if id == Vocabulary::BOS {
                assert!(words.is_empty(), "a sentence begins once");
            } else {
                words.push(id);
            }
            for (next, prob) in (self.script)(*sentence, words) {
                row[next as usize] = prob.ln();
            }
        }
        log_probs
    }

    fn select(&mut self, hypotheses: &[usize]) {
        self.hypotheses = hypotheses
            .iter()
            .map(|&hypothesis| self.hypotheses[hypothesis].clone())
            .collect();
    }
}

/// Searches as many sentences as there are limits.
pub fn scripted(
    script: Script,
    limits: &[Limits],
    options: &SearchOptions,
) -> (Vec<Hypothesis>, Vec<usize>) {
    let mut model = Scripted::new(script, limits.len());
    let found = searched(&mut model, limits, options).expect("probabilities");
    (
        found
            .into_iter()
            .map(|hypothesis| hypothesis.expect("finished"))
            .collect(),
        model.batch_sizes,
    )
}

/// The best translation of each sentence.
fn searched(
    model: &mut Scripted,
    limits: &[Limits],
    options: &SearchOptions,
) -> Result<Vec<Option<Hypothesis>>, InvalidScores> {
    let mut found = vec![None; limits.len()];
    let mut finished = |sentence: usize, hypotheses: Vec<Hypothesis>| {
        found[sentence] = hypotheses.into_iter().next();
    };
    let vocabulary = tiny::vocabulary();
    search(model, limits, options, &vocabulary, &mut finished)?;
    Ok(found)
}

fn plain_limits(count: usize, max_tokens: usize) -> Vec<Limits> {
    vec![
        Limits {
            markup: Markup::default(),
            terms: None,
            max_tokens
        };
        count
    ]
}

#[test]
fn finished_sentences_leave_the_batch() {
    // Sentence n has 2 n words.
    let script: Script = |sentence, words| {
        if words.len() < 2 * sentence {
            vec![(50, 1.0)]
        } else {
            vec![(Vocabulary::EOS, 1.0)]
        }
    };
    let (found, batch_sizes) = scripted(script, &plain_limits(4, 100), &options(1));
    assert_eq!(
        found
            .iter()
            .map(|hypothesis| hypothesis.ids.len())
            .collect::<Vec<_>>(),
        [0, 2, 4, 6]
    );
    assert!(
        found
            .iter()
            .all(|hypothesis| !hypothesis.cut_off && hypothesis.log_prob == 0.0)
    );
    assert_eq!(batch_sizes, [4, 3, 3, 2, 2, 1, 1]);
}

#[test]
fn a_sentence_without_end_is_cut_off_at_its_own_limit() {
    let mut limits = plain_limits(2, 5);
    limits[1].max_tokens = 3;
    for beam in [1, 4] {
        let (found, batch_sizes) =
            scripted(|_, _| vec![(50, 0.5), (51, 0.25)], &limits, &options(beam));
        assert_eq!(
            found
                .iter()
                .map(|hypothesis| hypothesis.ids.len())
                .collect::<Vec<_>>(),
            [5, 3]
        );
        assert!(
            found
                .iter()
                .all(|hypothesis| hypothesis.cut_off && hypothesis.ids.iter().all(|&id| id == 50))
        );
        assert_eq!(batch_sizes.len(), 5);
    }
}

#[test]
fn a_larger_beam_is_not_misled_as_greedy_is() {
    const TRAP: u32 = 50;
    const PATH: u32 = 51;
    // The more probable first word leads to a lottery.
    let script: Script = |_, words| match words {
        [] => vec![(TRAP, 0.55), (PATH, 0.45)],
        [TRAP] => (60..80).map(|id| (id, 0.05)).collect(),
        [PATH] => vec![(52, 0.9), (53, 0.1)],
        _ => vec![(Vocabulary::EOS, 0.9), (54, 0.1)],
    };
    let score = |beam: usize| {
        let options = SearchOptions {
            beam_size: beam,
            ..SearchOptions::default()
        };
        let (found, _) = scripted(script, &plain_limits(1, 10), &options);
        let length = f32::from(u16::try_from(found[0].ids.len()).expect("short")) + 1.0;
        (
            found[0].ids[0],
            found[0].log_prob / ((5.0 + length) / 6.0).powf(options.length_penalty.unwrap_or(1.0)),
        )
    };
    let (first, misled) = score(1);
    assert_eq!(first, TRAP);
    for beam in 2..=8 {
        let (first, found) = score(beam);
        assert!(
            first == PATH && found > misled,
            "beam {beam}: {found} after {first}, greedy has {misled}"
        );
    }
}

/// Two tokens and the end; but the second sentence gets `row` after its first token.
fn broken_off(sentence: usize, words: &[u32], row: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    match (sentence, words.len()) {
        (1, 1) => row,
        (_, 0..2) => vec![(50, 0.75), (51, 0.25)],
        _ => vec![(Vocabulary::EOS, 1.0)],
    }
}

#[test]
fn scores_that_are_no_probabilities_end_the_search_and_name_the_sentence() {
    // Damaged weights, and what a device that is lost may hand out.
    let scripts: [Script; 4] = [
        |sentence, words| broken_off(sentence, words, (0..340).map(|id| (id, f32::NAN)).collect()),
        |sentence, words| broken_off(sentence, words, vec![(60, 0.5), (61, f32::INFINITY)]),
        |sentence, words| broken_off(sentence, words, (0..340).map(|id| (id, 1.0)).collect()),
        |sentence, words| broken_off(sentence, words, Vec::new()),
    ];
    for (number, script) in scripts.into_iter().enumerate() {
        for beam in [1, 3] {
            let mut model = Scripted::new(script, 3);
            let found = searched(&mut model, &plain_limits(3, 6), &options(beam));
            let error = found.expect_err("no probabilities");
            assert_eq!(error.number, 1, "script {number}, beam {beam}: {error:?}");
            let is_log_prob = error.found.is_finite() && error.found <= 0.0;
            assert!(!is_log_prob, "script {number}, beam {beam}: {error:?}");
        }
    }
}
