use super::*;

const VOCAB: usize = 7;
const WIDTH: usize = 4;

fn config() -> RnnSearchConfig {
    RnnSearchConfig {
        vocab_size: VOCAB,
        d_model: WIDTH,
        num_decoder_layers: 2,
        dropout: 0.1,
        max_tokens: 20,
    }
}

fn model() -> RnnSearch {
    let device = Device::flex();
    device.seed(5);
    RnnSearch::new(&config(), &device)
}

fn source() -> PackedBatch {
    PackedBatch::new([&[3, 4, 2][..], &[5, 2], &[6, 4, 3, 3, 2]])
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("f32 numbers")
}

fn assert_close(got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len(), "numbers");
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= tolerance, "{got} instead of {want}");
    }
}

#[test]
fn whole_sentences_and_single_steps_score_alike() {
    let (model, none) = (model(), DropoutSource::none());
    let target = PackedBatch::new([&[1, 5][..], &[1, 3, 4, 6], &[1], &[1, 6, 5]]);
    let encoded = model.encode(&source(), &none).select(&[2, 0, 1, 0]);
    let together = model.scores(&encoded, &target, &none);
    for (number, sentence) in target.sentences.iter().enumerate() {
        let mut state = model.start(&encoded.select(&[number]));
        for row in sentence.clone() {
            let scores = values(model.step(&mut state, &[target.ids[row]]));
            let want = values(together.clone().narrow(0, row, 1));
            assert_close(&scores, &want, 1e-5);
        }
        assert_eq!(state.len(), sentence.len(), "words of sentence {number}");
    }
}

#[test]
fn the_loss_is_the_mean_over_all_rows_of_the_translated_sentences() {
    let (model, none) = (model(), DropoutSource::none());
    let target = PackedBatch::new([&[1, 5][..], &[1, 3, 4]]);
    let labels = [5, 2, 3, 4, 2];
    let loss = |target: &PackedBatch, translated: &[usize], labels: &[u32]| {
        values(model.loss(&source(), target, translated, labels, 0.1, &none))[0]
    };
    let both = loss(&target, &[2, 0], &labels);
    let first = loss(&PackedBatch::new([&[1, 5][..]]), &[2], &labels[..2]);
    let second = loss(&PackedBatch::new([&[1, 3, 4][..]]), &[0], &labels[2..]);
    let want = (2.0 * first + 3.0 * second) / 5.0;
    assert!((both - want).abs() < 1e-5, "{both} instead of {want}");
}

#[test]
fn other_sentences_and_rows_of_none_change_nothing() {
    let (model, none) = (model(), DropoutSource::none());
    let mut junk = PackedBatch {
        ids: vec![6, 3, 4, 2, 6, 6, 4, 3, 3, 2, 5],
        sentences: vec![1..4, 5..5, 5..10],
        positions: vec![[0; crate::model::LEVELS]; 3],
        documents: vec![0..1, 1..2, 2..3],
        ..PackedBatch::default()
    };
    let step = |rows: &PackedBatch, sentences: &[usize]| {
        let encoded = model.encode(rows, &none).select(sentences);
        let mut state = model.start(&encoded);
        model.step(&mut state, &[1, 1]);
        values(model.step(&mut state, &[4, 3]))
    };
    let want = step(&source(), &[2, 0]);
    assert_close(&step(&junk, &[2, 0]), &want, 1e-5);
    junk.ids[2] = 5;
    let changed = step(&junk, &[2, 0]);
    assert_close(&changed[..VOCAB], &want[..VOCAB], 1e-5);
    assert_ne!(changed[VOCAB..], want[VOCAB..], "a word of the sentence");
}

#[test]
fn selected_hypotheses_keep_their_states_and_their_sources() {
    let (model, none) = (model(), DropoutSource::none());
    let mut state = model.start(&model.encode(&source(), &none));
    model.step(&mut state, &[1, 1, 1]);
    let mut selected = state.clone();
    selected.select(&[2, 0, 2, 1]);
    assert_eq!(selected.num_hypotheses(), 4);
    let all = values(model.step(&mut state, &[3, 4, 5]));
    let some = values(model.step(&mut selected, &[5, 3, 5, 4]));
    for (position, hypothesis) in [2, 0, 2, 1].into_iter().enumerate() {
        let row = |number: usize| number * VOCAB..(number + 1) * VOCAB;
        assert_close(&some[row(position)], &all[row(hypothesis)], 1e-5);
    }
}

#[test]
fn parameters_are_counted_from_the_sizes() {
    for num_decoder_layers in [1, 3] {
        let config = RnnSearchConfig {
            num_decoder_layers,
            ..config()
        };
        let model = RnnSearch::new(&config, &Device::flex());
        assert_eq!(config.num_parameters(), model.num_params());
        assert_eq!(config.encoder_parameters(), model.encoder.num_params());
        assert_eq!(config.decoder_parameters(), model.decoder.num_params());
    }
}

type Change = fn(&mut RnnSearchConfig);

#[test]
fn what_cannot_be_built_is_refused() {
    config().validate().expect("a valid configuration");
    let refused: [(&str, Change); 4] = [
        ("vocab_size", |config| config.vocab_size = 4),
        ("num_decoder_layers", |config| config.num_decoder_layers = 0),
        ("d_model", |config| config.d_model = usize::MAX),
        ("dropout", |config| config.dropout = f32::NAN),
    ];
    for (field, change) in refused {
        let mut config = config();
        change(&mut config);
        let error = config.validate().expect_err(field).to_string();
        assert!(error.contains(field), "{error}");
    }
}

/// The equations as loops over numbers, one sentence at a time.
mod loops {
    use super::*;
    use crate::model::rnn_search::{Gate, GruCell};

    type Vector = Vec<f32>;

    /// `x M` for `M [d_input, d_output]`.
    fn times(x: &[f32], matrix: Tensor<2>) -> Vector {
        let [d_input, d_output] = matrix.dims();
        assert_eq!(x.len(), d_input);
        let matrix = values(matrix);
        (0..d_output)
            .map(|column| {
                (0..d_input)
                    .map(|row| x[row] * matrix[row * d_output + column])
                    .sum()
            })
            .collect()
    }

    fn plus(a: &[f32], b: &[f32]) -> Vector {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    fn word(table: &Param<Tensor<2>>, id: u32) -> Vector {
        values(table.val().narrow(0, id as usize, 1))
            .into_iter()
            .map(|value| value * 2.0) // √d_model
            .collect()
    }

    fn gate(gate: &Gate, x: &[f32], h: &[f32]) -> Vector {
        let bias = gate.input.bias.as_ref().expect("a bias").val();
        let input = plus(&times(x, gate.input.weight.val()), &values(bias));
        plus(&input, &times(h, gate.state.weight.val()))
    }

    /// A.1.1: `h = (1 - z) ⊙ h + z ⊙ tanh(W x + U (r ⊙ h))`.
    fn gru(cell: &GruCell, x: &[f32], h: &[f32]) -> Vector {
        let sigmoid = |x: &f32| 1.0 / (1.0 + (-x).exp());
        let z: Vector = gate(&cell.update, x, h).iter().map(sigmoid).collect();
        let r: Vector = gate(&cell.reset, x, h).iter().map(sigmoid).collect();
        let reset: Vector = r.iter().zip(h).map(|(r, h)| r * h).collect();
        let candidate = gate(&cell.candidate, x, &reset);
        (0..h.len())
            .map(|unit| (1.0 - z[unit]) * h[unit] + z[unit] * candidate[unit].tanh())
            .collect()
    }

    /// Eq. 5-6: the context of a state.
    fn attend(model: &RnnSearch, state: &[f32], annotations: &[Vector]) -> Vector {
        let attention = &model.decoder.attention;
        let query = times(state, attention.state.weight.val());
        let v = values(attention.score.val());
        let scores: Vector = annotations
            .iter()
            .map(|annotation| {
                let key = times(annotation, attention.annotation.weight.val());
                (0..WIDTH)
                    .map(|unit| v[unit] * (query[unit] + key[unit]).tanh())
                    .sum()
            })
            .collect();
        let sum: f32 = scores.iter().map(|score| score.exp()).sum();
        let mut context = vec![0.0; 2 * WIDTH];
        for (annotation, score) in annotations.iter().zip(scores) {
            for (context, value) in context.iter_mut().zip(annotation) {
                *context += score.exp() / sum * value;
            }
        }
        context
    }

    fn annotate(model: &RnnSearch, source: &[u32]) -> Vec<Vector> {
        let words: Vec<Vector> = source
            .iter()
            .map(|&id| word(&model.source_words, id))
            .collect();
        let mut annotations = vec![vec![0.0; 2 * WIDTH]; words.len()];
        let (mut forward, mut backward) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
        for time in 0..words.len() {
            forward = gru(&model.encoder.forward, &words[time], &forward);
            annotations[time][..WIDTH].copy_from_slice(&forward);
            let time = words.len() - 1 - time;
            backward = gru(&model.encoder.backward, &words[time], &backward);
            annotations[time][WIDTH..].copy_from_slice(&backward);
        }
        annotations
    }

    /// Scores of the token after the last token of `target`.
    fn score(model: &RnnSearch, source: &[u32], target: &[u32]) -> Vector {
        let annotations = annotate(model, source);
        let decoder = &model.decoder;
        let first = decoder.first_states.iter();
        let mut states: Vec<Vector> = first
            .map(|layer| times(&annotations[0][WIDTH..], layer.weight.val()))
            .map(|state| state.into_iter().map(f32::tanh).collect())
            .collect();
        let mut pairs = Vec::new();
        for &id in target {
            let y = word(&model.target_words, id);
            let context = attend(model, &states[1], &annotations);
            states[0] = gru(
                &decoder.cells[0],
                &[y.clone(), context.clone()].concat(),
                &states[0],
            );
            states[1] = gru(&decoder.cells[1], &states[0], &states[1]);
            let read = [states[1].clone(), y, context].concat();
            pairs = times(&read, decoder.readout.weight.val());
        }
        let maxout: Vector = (0..WIDTH)
            .map(|unit| pairs[unit].max(pairs[WIDTH + unit]))
            .collect();
        times(&maxout, model.logits.val().transpose())
    }

    #[test]
    fn a_step_agrees_with_loops() {
        let model = model();
        let mut state = model.start(&model.encode(&source(), &DropoutSource::none()));
        let target = [[1, 1, 1], [3, 6, 4], [5, 5, 3]];
        for time in 0..target.len() {
            let scores = values(model.step(&mut state, &target[time]));
            for (number, rows) in source().sentences.into_iter().enumerate() {
                let so_far: Vec<u32> = target[..=time].iter().map(|ids| ids[number]).collect();
                let want = score(&model, &source().ids[rows], &so_far);
                assert_close(&scores[number * VOCAB..][..VOCAB], &want, 1e-5);
            }
        }
    }
}
