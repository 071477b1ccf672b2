//! Packed weights find what burn's layers find.

use burn::tensor::Device;
use canopy::kernels::packed::Quantization;
use canopy::model::{Context, Model};

use crate::models::sources;
use crate::{hypotheses, tiny};

#[test]
fn packed_weights_find_the_same_translations() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 40);
    for seed in 0..3 {
        let model = tiny::talkative_model(seed);
        let packed = model.clone().packed_as(Quantization::None);
        assert!(packed.packed().is_some() && model.packed().is_none());
        for beam in [1, 4] {
            let expected = hypotheses(&model, &vocabulary, &sources, beam);
            let found = hypotheses(&packed, &vocabulary, &sources, beam);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.ids, expected.ids);
                assert_eq!(found.cut_off, expected.cut_off);
                let difference = (found.log_prob - expected.log_prob).abs();
                assert!(difference < 1e-3 * expected.log_prob.abs().max(1.0));
            }
        }
    }
}

#[test]
fn packed_decoders_read_what_another_encoder_makes() {
    let vocabulary = tiny::vocabulary();
    let sources = sources(&vocabulary, 9);
    let config = canopy::model::ModelConfig {
        context: Some(Context::Concatenation { previous: 1 }),
        ..tiny::config()
    };
    let model = Model::seeded(&config, 3, &Device::flex()).expect("a model");
    let packed = model.clone().packed_as(Quantization::None);
    assert!(packed.packed().is_some_and(|packed| !packed.encodes()));
    let expected = hypotheses(&model, &vocabulary, &sources, 3);
    let found = hypotheses(&packed, &vocabulary, &sources, 3);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.ids, expected.ids);
    }
}
