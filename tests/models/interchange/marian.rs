//! Models of Marian itself.

use canopy::inference::{DeviceChoice, Translator};
use canopy::interchange::ForeignFormat;
use canopy::model::{AttentionKind, DecoderCell, PackedBatch, Recording};

use super::cases::{Case, assert_near, folders, ids_of, tokens_of, words};
use super::decoding::{Rule, beam, greedy};

fn cases() -> Vec<Case> {
    let folders = folders("marian-native-").into_iter();
    folders.map(|folder| Case::open(&folder)).collect()
}

fn source(case: &Case, row: &serde_json::Value) -> Vec<u32> {
    let side = &case.foreign.source;
    [ids_of(&words(&row["pieces"]), side), side.suffix.clone()].concat()
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn greedy_words_and_their_scores_are_the_same() {
    for case in cases() {
        assert_eq!(case.foreign.format, ForeignFormat::Marian);
        let recurrent = case.foreign.config.variant.decoder_cell == DecoderCell::Ssru;
        assert_eq!(recurrent, case.name.contains("ssru"));
        for row in case.rows() {
            let source = source(&case, row);
            let found = greedy(&case, &source, 3 * source.len(), Rule::Marian);
            let expected = row["greedy"].as_str().expect("a line");
            let (expected, scores) = expected.split_once(" ||| WordScores= ").expect("scores");
            let tokens = tokens_of(&found.ids, &case.foreign.target).join(" ");
            assert_eq!(tokens, expected, "{}: {}", case.name, row["text"]);
            let scores: Vec<f32> = scores
                .split_whitespace()
                .map(|score| score.parse().expect("a number"))
                .collect();
            assert_eq!(found.word_scores.len(), scores.len());
            for (found, expected) in found.word_scores.iter().zip(scores) {
                assert_near(*found, expected, 1e-3, &case.name);
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn lists_of_the_best_and_their_scores_are_the_same() {
    for case in cases() {
        let search = case.foreign.search;
        assert_eq!((search.beam_size, search.length_penalty), (6, 1.0));
        for row in case.rows() {
            let source = source(&case, row);
            let found = beam(&case, &source, (6, 3 * source.len()), Rule::Marian);
            let expected = words(&row["nbest"]);
            assert_eq!(
                found.len(),
                expected.len(),
                "{}: {}",
                case.name,
                row["text"]
            );
            for (found, expected) in found.iter().zip(expected) {
                let parts: Vec<&str> = expected.split(" ||| ").collect();
                let tokens = tokens_of(&found.ids, &case.foreign.target).join(" ");
                assert_eq!(tokens, parts[0].trim(), "{}: {}", case.name, row["text"]);
                let [.., sum, score] = parts[..] else {
                    panic!("{expected}");
                };
                let sum = sum
                    .trim_start_matches("F0=")
                    .trim()
                    .parse()
                    .expect("a number");
                // The sum of a score of thirty words.
                assert_near(found.log_prob, sum, 3e-3, &case.name);
                let score = score.trim().parse().expect("a number");
                assert_near(found.score(Rule::Marian), score, 1e-3, &case.name);
            }
        }
    }
}

/// The first head of the last layer was trained to align.
#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn the_guided_head_aligns_the_same_words() {
    for case in cases() {
        let (layer, head) = case.foreign.alignment.expect("Marian's models have one");
        for row in case.rows() {
            let Some(expected) = row["greedy_alignment"].as_array() else {
                continue;
            };
            let source = source(&case, row);
            let found = greedy(&case, &source, 3 * source.len(), Rule::Marian);
            let target = [&[case.model.network.tokens().start], found.ids.as_slice()].concat();
            let mut weights = aligned(&case, (&source, &target), (layer, head));
            if found.cut_off {
                weights.pop();
            }
            assert_eq!(
                weights.len(),
                expected.len(),
                "{}: {}",
                case.name,
                row["text"]
            );
            for (weights, expected) in weights.iter().zip(expected) {
                let expected = expected.as_object().expect("places and weights");
                for (place, weight) in expected {
                    let place: usize = place.parse().expect("a place");
                    #[expect(clippy::cast_possible_truncation, reason = "four places")]
                    let expected = weight.as_f64().expect("a weight") as f32;
                    assert_near(weights[place], expected, 1e-3, &case.name);
                }
            }
            hard_alignment(&case, row, &source);
        }
    }
}

/// Weights of one head over the source for every target row.
fn aligned(
    case: &Case,
    (source, target): (&[u32], &[u32]),
    (layer, head): (usize, usize),
) -> Vec<Vec<f32>> {
    let rows = [source, target].map(|ids| PackedBatch::new([ids]));
    let recorded = case.model.record(&rows[0], &rows[1], Recording::all());
    let cross = recorded.layers.iter();
    let mut cross = cross.filter(|it| it.kind == AttentionKind::Cross && it.layer == layer);
    let weights = &cross.next().expect("a decoder layer").attention_weights;
    let num_heads = weights.num_heads;
    let rows = weights.rows.iter().skip(head).step_by(num_heads);
    rows.map(|row| {
        let mut dense = vec![0.0; source.len()];
        for &(place, weight) in &row.keys {
            dense[place as usize] = weight;
        }
        dense
    })
    .collect()
}

/// `0-0 1-1`: the most probable source word of every target word of the best translation.
fn hard_alignment(case: &Case, row: &serde_json::Value, source: &[u32]) {
    let best = &beam(case, source, (6, 3 * source.len()), Rule::Marian)[0];
    let target = [&[case.model.network.tokens().start], best.ids.as_slice()].concat();
    let place = case.foreign.alignment.expect("a guided head");
    let mut weights = aligned(case, (source, &target), place);
    if best.cut_off {
        weights.pop();
    }
    let found = weights.iter().enumerate().map(|(number, weights)| {
        let best = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
        (best.expect("source words"), number)
    });
    let mut found: Vec<(usize, usize)> = found.collect();
    found.sort_unstable();
    let found = found.into_iter().map(|(from, to)| format!("{from}-{to}"));
    let found = found.collect::<Vec<_>>().join(" ");
    let expected = words(&row["nbest"])[0]
        .split(" ||| ")
        .nth(1)
        .expect("an alignment");
    assert_eq!(found, expected.trim(), "{}: {}", case.name, row["text"]);
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn searches_take_the_length_penalty_of_the_settings() {
    for folder in folders("marian-native-align") {
        let copy = tempfile::tempdir().expect("a folder");
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("an entry").path();
            let to = copy.path().join(path.file_name().expect("a name"));
            std::fs::copy(path, to).expect("copies");
        }
        let settings = copy.path().join("decoder.yml");
        let text = std::fs::read_to_string(&settings).expect("readable");
        let other = text.replace("normalize: 1\n", "normalize: 0.6\n");
        assert_ne!(other, text);
        std::fs::write(settings, other).expect("writes");
        let opened = Translator::open(copy.path(), DeviceChoice::Cpu).expect("a model");
        assert_eq!(opened.model().length_penalty, Some(0.6));
    }
}
