//! Search finds what the model says, in whatever company a sentence is searched, and keeps all markup.

mod tiny;

use std::cell::RefCell;
use std::ops::ControlFlow;

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use canopy::kernels::DropoutSource;
use canopy::model::{Batch, Model, ModelConfig, Rows};
use canopy::search::{
    Decode, Hypothesis, Limits, Markup, SearchOptions, SourceSentence, SourceText, search,
    search_sentences,
};
use canopy::text::placeholder::{self, CLOSE};
use canopy::text::vocabulary::Vocabulary;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn options(beam_size: usize) -> SearchOptions {
    SearchOptions {
        beam_size,
        ..SearchOptions::default()
    }
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("32-bit floats")
}

/// Sentences of one to four dozen tokens, each with a place in its document.
fn sources(vocabulary: &Vocabulary, count: usize) -> Vec<SourceSentence> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let texts: Vec<String> = tiny::pairs()
        .into_iter()
        .map(|(source, _)| source)
        .collect();
    let sentence = |number: usize| {
        let words: Vec<&str> = (0..rng.random_range(1..4))
            .map(|_| texts.choose(&mut rng).expect("some").as_str())
            .collect();
        SourceSentence {
            ids: vocabulary.encode(&words.join(" ")),
            place: (number % 3, number),
        }
    };
    (0..count).map(sentence).collect()
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
        &SourceText::of_sentences(sources.to_vec()),
        &options(beam),
        &mut |number, hypothesis| {
            assert!(
                found[number].replace(hypothesis).is_none(),
                "sentence {number} was finished twice"
            );
            ControlFlow::Continue(())
        },
    );
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
    let rows = Rows::new([[ids, &[Vocabulary::EOS]].concat().as_slice()]);
    let state = model.start(&model.encode(&rows, &DropoutSource::none()));
    let limits = [Limits {
        markup: Markup::of(ids, vocabulary),
        max_tokens,
    }];
    let mut found = None;
    search(
        model,
        state,
        &limits,
        &options(beam),
        vocabulary,
        &mut |_, hypothesis| found = Some(hypothesis),
    );
    found.expect("the sentence is finished")
}

/// Always the likeliest word, written without the search room.
fn greedy(model: &Model, vocabulary: &Vocabulary, source: &[u32], max_tokens: usize) -> Hypothesis {
    let rows = Rows::new([[source, &[Vocabulary::EOS]].concat().as_slice()]);
    let mut state = model.start(&model.encode(&rows, &DropoutSource::none()));
    let (mut ids, mut log_prob, mut last) = (Vec::new(), 0.0, Vocabulary::BOS);
    loop {
        let scores = numbers(log_softmax(model.step(&mut state, &[last]), 1));
        let words = (0_u32..)
            .zip(&scores)
            .filter(|(id, _)| vocabulary.placeholder(*id).is_none());
        let (id, score) = words
            .max_by(|a, b| a.1.total_cmp(b.1))
            .expect("a vocabulary");
        log_prob += score;
        if id == Vocabulary::EOS {
            return Hypothesis {
                ids,
                log_prob,
                cut_off: false,
            };
        }
        ids.push(id);
        if ids.len() == max_tokens {
            return Hypothesis {
                ids,
                log_prob,
                cut_off: true,
            };
        }
        last = id;
    }
}

#[test]
fn beam_of_one_equals_greedy() {
    let (vocabulary, mut ended) = (tiny::vocabulary(), 0);
    for seed in 0..4 {
        let model = tiny::talkative_model(seed);
        for source in sources(&vocabulary, 12) {
            let expected = greedy(&model, &vocabulary, &source.ids, 20);
            let found = limited(&model, &vocabulary, &source.ids, 1, 20);
            assert_eq!(
                (&found.ids, found.cut_off),
                (&expected.ids, expected.cut_off)
            );
            assert!(
                (found.log_prob - expected.log_prob).abs() < 1e-3,
                "{found:?} is not {expected:?}"
            );
            ended += usize::from(!found.cut_off);
        }
    }
    assert!(
        (5..48).contains(&ended),
        "{ended} of 48 ended by themselves: the models show too little"
    );
}

/// Log-probabilities after every word of every target sentence, computed at once.
fn log_probs_at_once(model: &Model, source: &Rows, target: &Rows) -> Vec<f32> {
    let batch = Batch {
        source: source.clone(),
        target: target.clone(),
        translated: (0..source.sentences.len()).collect(),
        ..Batch::default()
    };
    numbers(log_softmax(model.scores(&batch, &DropoutSource::none()), 1))
}

fn assert_near(found: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let worst = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    assert!(worst <= tolerance, "{what}: {worst} apart");
}

#[test]
fn cached_decoding_equals_a_full_forward() {
    const WORDS: usize = 6;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut word = || rng.random_range(4..u32::try_from(tiny::VOCAB).expect("small"));
    for config in tiny::kinds() {
        let model = tiny::model(&config, 5, &tiny::device());
        let (mut source, mut target) = (Rows::default(), Rows::default());
        for (number, len) in [9, 1, 4].into_iter().enumerate() {
            let place = (number, 2 * number);
            source.push(&(0..len).map(|_| word()).collect::<Vec<_>>(), place);
            let sentence: Vec<u32> = (0..WORDS)
                .map(|place| if place == 0 { Vocabulary::BOS } else { word() })
                .collect();
            target.push(&sentence, place);
        }
        let expected = log_probs_at_once(&model, &source, &target);
        let after = |sentence: usize, words: usize| {
            &expected[(sentence * WORDS + words) * tiny::VOCAB..][..tiny::VOCAB]
        };
        let mut state = model.start(&model.encode(&source, &DropoutSource::none()));
        // Half-way two hypotheses change places, one is given up and one goes on twice.
        let mut order = vec![0, 1, 2];
        for words in 0..WORDS {
            if words == 3 {
                order = vec![2, 0, 2];
                state.select(&order);
            }
            let ids: Vec<u32> = order
                .iter()
                .map(|&sentence| target.ids[sentence * WORDS + words])
                .collect();
            let found = Decode::step(&model, &mut state, &ids);
            for (row, &sentence) in found.chunks_exact(tiny::VOCAB).zip(&order) {
                assert_near(
                    row,
                    after(sentence, words),
                    1e-4,
                    &format!("sentence {sentence}, word {words}, {config:?}"),
                );
            }
        }
    }
}

#[test]
fn batched_equals_one_by_one() {
    let vocabulary = tiny::vocabulary();
    let model = tiny::talkative_model(2);
    let sources = sources(&vocabulary, 150);
    for beam in [1, 3] {
        let together = hypotheses(&model, &vocabulary, &sources, beam);
        for (number, source) in sources.iter().enumerate().step_by(4) {
            let alone = &hypotheses(&model, &vocabulary, std::slice::from_ref(source), beam)[0];
            assert_eq!(
                together[number].ids, alone.ids,
                "sentence {number}, beam {beam}"
            );
            assert!((together[number].log_prob - alone.log_prob).abs() < 1e-3);
        }
    }
}

#[test]
fn breaking_off_ends_the_search() {
    let vocabulary = tiny::vocabulary();
    let mut finished = 0;
    let sources = sources(&vocabulary, 100);
    search_sentences(
        &tiny::talkative_model(1),
        &vocabulary,
        &SourceText::of_sentences(sources),
        &options(1),
        &mut |_, _| {
            finished += 1;
            ControlFlow::Break(())
        },
    );
    assert_eq!(finished, 1);
}

/// What may follow a sentence's words so far, with probabilities; all else is impossible.
type Script = fn(sentence: usize, words: &[u32]) -> Vec<(u32, f32)>;

/// A model that follows a script and notes for how many hypotheses it was asked.
struct Scripted {
    script: Script,
    asked: RefCell<Vec<usize>>,
}

impl Decode for Scripted {
    type State = Vec<(usize, Vec<u32>)>;

    fn vocab_size(&self) -> usize {
        tiny::VOCAB
    }

    fn step(&self, state: &mut Self::State, ids: &[u32]) -> Vec<f32> {
        assert_eq!(state.len(), ids.len(), "one word for every hypothesis");
        self.asked.borrow_mut().push(ids.len());
        let mut log_probs = vec![f32::NEG_INFINITY; ids.len() * tiny::VOCAB];
        for ((sentence, words), (&id, row)) in state
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

    fn select(&self, state: &mut Self::State, hypotheses: &[usize]) {
        *state = hypotheses
            .iter()
            .map(|&hypothesis| state[hypothesis].clone())
            .collect();
    }
}

/// Searches as many sentences as there are limits.
fn scripted(
    script: Script,
    limits: &[Limits],
    options: &SearchOptions,
) -> (Vec<Hypothesis>, Vec<usize>) {
    let model = Scripted {
        script,
        asked: RefCell::default(),
    };
    let state = (0..limits.len())
        .map(|sentence| (sentence, Vec::new()))
        .collect();
    let mut found = vec![None; limits.len()];
    search(
        &model,
        state,
        limits,
        options,
        &tiny::vocabulary(),
        &mut |sentence, hypothesis| {
            found[sentence] = Some(hypothesis);
        },
    );
    (
        found
            .into_iter()
            .map(|hypothesis| hypothesis.expect("finished"))
            .collect(),
        model.asked.into_inner(),
    )
}

fn plain_limits(count: usize, max_tokens: usize) -> Vec<Limits> {
    vec![
        Limits {
            markup: Markup::default(),
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
    let (found, asked) = scripted(script, &plain_limits(4, 100), &options(1));
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
    assert_eq!(asked, [4, 3, 3, 2, 2, 1, 1]);
}

#[test]
fn a_sentence_without_end_is_cut_off_at_its_own_limit() {
    let mut limits = plain_limits(2, 5);
    limits[1].max_tokens = 3;
    for beam in [1, 4] {
        let (found, asked) = scripted(|_, _| vec![(50, 0.5), (51, 0.25)], &limits, &options(beam));
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
        assert_eq!(asked.len(), 5);
    }
}

#[test]
fn a_larger_beam_is_not_misled_as_greedy_is() {
    const TRAP: u32 = 50;
    const PATH: u32 = 51;
    // The likelier first word leads to a lottery.
    let script: Script = |_, words| match words {
        [] => vec![(TRAP, 0.55), (PATH, 0.45)],
        [TRAP] => (60..80).map(|id| (id, 0.05)).collect(),
        [PATH] => vec![(52, 0.9), (53, 0.1)],
        _ => vec![(Vocabulary::EOS, 0.9), (54, 0.1)],
    };
    let score = |beam: usize| {
        let options = SearchOptions {
            beam_size: beam,
            length_penalty: 1.0,
        };
        let (found, _) = scripted(script, &plain_limits(1, 10), &options);
        let length = f32::from(u16::try_from(found[0].ids.len()).expect("short")) + 1.0;
        (
            found[0].ids[0],
            found[0].log_prob / ((5.0 + length) / 6.0).powf(options.length_penalty),
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

#[test]
fn a_broken_model_does_not_break_the_search() {
    for beam in [1, 3] {
        let (found, _) = scripted(
            |_, _| (0..340).map(|id| (id, f32::NAN)).collect(),
            &plain_limits(2, 6),
            &options(beam),
        );
        assert!(found.iter().all(|hypothesis| hypothesis.ids.len() <= 6));
    }
}

/// A text with up to eight placeholders, well nested, their numbers in any order.
fn marked_up(rng: &mut ChaCha8Rng) -> String {
    let mut numbers: Vec<usize> = (0..placeholder::MAX_PLACEHOLDERS).collect();
    numbers.shuffle(rng);
    numbers.truncate(rng.random_range(0..=8));
    let (mut text, mut depth) = (String::new(), 0_usize);
    while !numbers.is_empty() || depth > 0 {
        match rng.random_range(0..5) {
            0 if depth > 0 => {
                text.push(CLOSE);
                depth -= 1;
            }
            1 if !numbers.is_empty() => {
                text.push(placeholder::open(numbers.pop().expect("one is left")));
                depth += 1;
            }
            2 if !numbers.is_empty() => {
                text.push(placeholder::point(numbers.pop().expect("one is left")));
            }
            3 => text.push_str("page "),
            _ => text.push_str(" file"),
        }
    }
    text
}

#[test]
fn markup_is_kept_by_whatever_model() {
    let vocabulary = tiny::vocabulary();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let texts: Vec<String> = (0..24).map(|_| marked_up(&mut rng)).collect();
    assert!(
        texts
            .iter()
            .any(|text| tiny::markup(text).chars().count() > 8)
    );
    let sources: Vec<SourceSentence> = texts
        .iter()
        .map(|text| SourceSentence {
            ids: vocabulary.encode(text),
            place: (0, 0),
        })
        .collect();
    let tied = ModelConfig {
        tied_embeddings: true,
        ..tiny::config()
    };
    let tied = tiny::model(&tied, 5, &tiny::device());
    let models = (3..5).map(tiny::talkative_model);
    for model in models.chain(std::iter::once(tied)) {
        for beam in [1, 4] {
            for (text, found) in texts
                .iter()
                .zip(hypotheses(&model, &vocabulary, &sources, beam))
            {
                assert_eq!(
                    tiny::markup(&vocabulary.decode(&found.ids)),
                    tiny::markup(text),
                    "beam {beam}, {text:?}"
                );
            }
            for (text, source) in texts.iter().zip(&sources).step_by(3) {
                for max_tokens in [1, 4] {
                    let found = limited(&model, &vocabulary, &source.ids, beam, max_tokens);
                    assert_eq!(
                        tiny::markup(&vocabulary.decode(&found.ids)),
                        tiny::markup(text),
                        "cut at {max_tokens}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_model_that_forgets_all_markup_gets_it_at_the_end() {
    let vocabulary = tiny::vocabulary();
    let source = vocabulary.encode("\u{E001}Open\u{E200} the \u{E103} file");
    let limits = [Limits {
        markup: Markup::of(&source, &vocabulary),
        max_tokens: 20,
    }];
    for beam in [1, 4] {
        let script: Script = |_, words| {
            if words.is_empty() {
                vec![(50, 1.0)]
            } else {
                vec![(Vocabulary::EOS, 0.9), (51, 0.1)]
            }
        };
        let (found, _) = scripted(script, &limits, &options(beam));
        let text = vocabulary.decode(&found[0].ids);
        assert_eq!(tiny::markup(&text), "\u{E001}\u{E103}\u{E200}", "{text:?}");
        assert_eq!(
            (found[0].ids[0], found[0].ids.len(), found[0].cut_off),
            (50, 4, false),
            "{text:?}"
        );
    }
}
