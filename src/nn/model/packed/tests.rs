//! Packed models compared with burn's layers.

use burn::tensor::{Device, Tensor};

use super::*;
use crate::model::tests::assert_recorded_alike;
use crate::model::{
    Activation, Architecture, Context, Counting, DecoderCell, ExecutorKind, MemorySource, Model,
    ModelConfig, Network, NormPosition, Positions, SineColumns, SineFrequencies, Sinusoids,
    SpecialTokens, Variant,
};
use canopy_kernels::DropoutSource;
use canopy_tokenize::vocabulary::Vocabulary;

fn config() -> ModelConfig {
    ModelConfig {
        vocab_size: 40,
        d_model: 24,
        d_ff: 36,
        num_heads: 3,
        encoder: "s-sf-f".parse().expect("a layout"),
        num_decoder_layers: 2,
        dropout: 0.0,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: true,
        max_tokens: 12,
        architecture: Architecture::Transformer,
        context: None,
        memory: MemorySource::Live,
        warm_gate: false,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    }
}

pub(super) fn configs() -> Vec<ModelConfig> {
    let tables = Positions::MultiLevel {
        words: 13,
        sentences: 2,
        paragraphs: 2,
        headings: 0,
        counting: Counting::Restarting,
    };
    vec![
        config(),
        ModelConfig {
            norm: NormPosition::Pre,
            ..config()
        },
        ModelConfig {
            tied_embeddings: false,
            num_decoder_layers: 1,
            ..config()
        },
        ModelConfig {
            positions: tables,
            ..config()
        },
        // As Hugging Face's Marian.
        ModelConfig {
            positions: Positions::Sinusoids(Sinusoids {
                columns: SineColumns::Halves,
                frequencies: SineFrequencies::Paper,
                first: 0,
            }),
            variant: Variant {
                attention_bias: true,
                activation: Activation::Swish,
                output_bias: true,
                norm_epsilon: 1e-6,
                ..Variant::default()
            },
            tokens: SpecialTokens {
                zero_start: true,
                ..SpecialTokens::default()
            },
            ..config()
        },
        // With learned places, a norm before the first layer, and a recurrent decoder.
        ModelConfig {
            positions: Positions::Learned { size: 4 },
            tied_embeddings: false,
            variant: Variant {
                activation: Activation::GeluTanh,
                embedding_norm: true,
                embedding_scale: Some(1.0),
                decoder_cell: DecoderCell::Ssru,
                target_vocab_size: Some(37),
                ..Variant::default()
            },
            ..config()
        },
    ]
}

#[test]
fn packed_activations_are_burns() {
    use canopy_kernels::packed::Activation as Packed;
    let x: Vec<f32> = (-40_i16..40).map(|x| f32::from(x) / 4.0).collect();
    for (burns, packed) in [
        (Activation::Relu, Packed::Relu),
        (Activation::Swish, Packed::Swish),
        (Activation::Gelu, Packed::Gelu),
        (Activation::GeluTanh, Packed::GeluTanh),
        (Activation::GeluSigmoid, Packed::GeluSigmoid),
        (Activation::Tanh, Packed::Tanh),
        (Activation::Sigmoid, Packed::Sigmoid),
    ] {
        let tensor = Tensor::<1>::from_floats(x.as_slice(), &Device::flex()).unsqueeze::<2>();
        let mut found = x.clone();
        packed.apply(&mut found);
        let expected: Vec<f32> = burns.apply(tensor).into_data().iter::<f32>().collect();
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 2e-6,
                "{burns:?}: {found} {expected}"
            );
        }
    }
}

pub(super) fn model(config: &ModelConfig) -> Model {
    Model::seeded(config, 7, &Device::flex()).expect("a model")
}

pub(super) fn network(model: &Model) -> &Transformer {
    match &model.network {
        Network::Transformer(network) => network,
        Network::RnnSearch(_) => unreachable!("a Transformer"),
    }
}

pub(super) fn packed(model: &Model) -> PackedTransformer {
    PackedTransformer::new(network(model), None, Quantization::None, None)
        .expect("it can be packed")
}

pub(super) fn source() -> PackedBatch {
    let mut rows = PackedBatch::default();
    rows.push(&[9, 8, 7, 6, 5, 3], (0, 0));
    rows.push(&[11, 3], (1, 0));
    rows.push(&[30, 31, 32, 3], (0, 3));
    rows
}

fn assert_close(found: &[f32], expected: Tensor<2>, what: &str) {
    let expected: Vec<f32> = expected.into_data().iter::<f32>().collect();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 2e-4,
            "{what}: {found} is not {expected}"
        );
    }
}

#[test]
fn packed_models_encode_and_decode_as_burn_does() {
    for config in configs() {
        let model = model(&config);
        let (packed, none) = (packed(&model), DropoutSource::none());
        let network = network(&model);
        let rows = source();
        let encoded = network.encode(&rows, None, &none);
        let found = packed.encode(&rows, Scratch::default()).expect("sentences");
        assert_close(&found.states, encoded.states.clone(), "encoder");
        let target = [[2, 20, 21].as_slice(), &[2, 22], &[2], &[2, 23, 24, 25]];
        let target = PackedBatch::new(target);
        let translated = [0, 0, 1, 2];
        let expected = network.decode(&target, &encoded.select(&translated), &none);
        let found = packed.decode(&target, &found, &translated, Scratch::default());
        assert_close(&found.states, expected.states, "decoder");
        assert_close(&found.fed_forward, expected.fed_forward, "fed forward");
    }
}

#[test]
fn what_is_attended_to_is_what_burn_records() {
    // More sentences than one core takes at once, some without a translation.
    let long: Vec<u32> = (5..16).collect();
    let sentences = [[9, 8, 7, 6, 5, 3].as_slice(), &[11, 3], &long, &[30, 31, 3]];
    let translations = [[2, 20, 21].as_slice(), &[], &[2, 22], &[2, 23, 24, 25]];
    let source = PackedBatch::new(sentences.into_iter().cycle().take(150));
    let target = PackedBatch::new(translations.into_iter().cycle().take(150));
    for config in configs() {
        assert_recorded_alike(&model(&config), &source, &target);
    }
}

#[test]
fn packed_steps_are_burns_through_every_selection() {
    for config in configs() {
        let model = model(&config);
        let (packed, none) = (packed(&model), DropoutSource::none());
        let (rows, network) = (source(), network(&model));
        let encoded = network.encode(&rows, None, &none);
        let mut expected = network.start(&encoded, network.decoder.prepare(&encoded));
        let encoded = packed.encode(&rows, Scratch::default()).expect("sentences");
        let source = packed.source(&encoded, &mut Scratch::default());
        let mut state = packed.start(source, &[0, 1, 2], Scratch::default());
        let mut last = vec![Vocabulary::BOS; 3];
        let selections: [&[usize]; 10] = [
            &[0, 0, 1, 2, 2],
            &[4, 3, 0, 0],
            &[1, 1, 2],
            &[2, 0],
            &[0, 1, 1],
            &[2, 0, 2],
            &[1, 0, 0, 2],
            &[3, 0],
            &[1, 0],
            &[1],
        ];
        for (word, selection) in (20..).zip(selections) {
            let mut scores = Vec::new();
            let mut output = PackedDecoderOutput::default();
            packed.step(&mut state, &last, &mut scores, Some(&mut output));
            let words = network.next_words(&mut expected, &last);
            assert_close(&output.fed_forward, words.fed_forward, "fed forward");
            assert_close(&output.states, words.states.clone(), "states");
            assert_close(&scores, network.vocabulary_scores(words.states), "scores");
            expected.select(selection);
            state.select(selection);
            last = (word..).take(selection.len()).collect();
            assert_eq!(state.num_hypotheses(), selection.len());
        }
    }
}

#[test]
fn bytes_come_near() {
    let model = model(&config());
    let [exact, bytes] = [Quantization::None, Quantization::Int8].map(|quantization| {
        let packed = PackedTransformer::new(network(&model), None, quantization, None)
            .expect("it can be packed");
        let encoded = packed.encode(&source(), Scratch::default());
        encoded.expect("sentences").states
    });
    let far = exact.iter().zip(&bytes).map(|(a, b)| (a - b).abs());
    let farthest = far.fold(0.0_f32, f32::max);
    assert!(farthest > 0.0 && farthest < 0.1, "{farthest}");
}

#[test]
fn what_reads_more_is_left_to_burn() {
    let recurrent = ModelConfig {
        architecture: Architecture::RnnSearch,
        ..config()
    };
    let kind = |model: &Model| model.executor().kind();
    let recurrent = model(&recurrent).packed_as(Quantization::None);
    assert_eq!(kind(&recurrent), ExecutorKind::Burn);
    let previous = ModelConfig {
        context: Some(Context::Concatenation { previous: 1 }),
        ..config()
    };
    let previous = model(&previous).packed_as(Quantization::None);
    assert_eq!(
        kind(&previous),
        ExecutorKind::Cpu,
        "its decoder reads a sentence"
    );
    let packed = PackedTransformer::new(
        network(&previous),
        previous.context,
        Quantization::None,
        None,
    );
    let packed = packed.expect("it can be packed");
    assert!(!packed.encodes(), "others are read before a sentence");
    let learning = Model::seeded(&config(), 7, &Device::flex().autodiff()).expect("a model");
    let learning = learning.packed_as(Quantization::None);
    assert_eq!(kind(&learning), ExecutorKind::Burn);
}
