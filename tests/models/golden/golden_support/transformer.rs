//! The Transformer's attention and layers.

use std::sync::Arc;

use canopy::kernels::{DropoutSource, Segment};
use canopy::model::{Decoder, EncoderOutput};

use super::Case;

pub fn multi_head_attention(case: &Case) {
    let attention = case.attention("", false);
    let (query, key, value) = (case.rows("query"), case.rows("key"), case.rows("value"));
    let tgt = case.shape("query")[1];
    let keys = case.sentences("key_mask").into_iter().enumerate();
    let segments: Arc<[Segment]> = keys
        .map(|(item, keys)| Segment {
            queries: item * tgt..(item + 1) * tgt,
            keys,
        })
        .collect();
    case.output_padded(
        "weights",
        attention.weights(query.clone(), key.clone(), &segments),
    );
    let memory = (attention.key.forward(key), attention.value.forward(value));
    let output = attention.attend(query, memory, &segments, None);
    case.output("output", output.clone());
    case.differentiate("output", output);
}

pub fn causal_multi_head_attention(case: &Case) {
    let (words, batch) = (case.rows("words"), case.batch("mask"));
    let output =
        case.attention("", true)
            .forward(words.clone(), words, &batch.own_segments(), None);
    case.output_rows("output", output.clone(), &batch.sentences);
    case.differentiate("output", output);
}

pub fn transformer_encoder_layer(case: &Case) {
    let batch = case.batch("mask");
    let encoded =
        case.encoder_layer("")
            .forward(case.rows("words"), &batch, None, &DropoutSource::none());
    case.output_rows("output", encoded.states.clone(), &batch.sentences);
    case.differentiate("output", encoded.states);
}

pub fn transformer_decoder_layer(case: &Case) {
    let mut decoder = Decoder::new(&case.model_config("sf"), case.device());
    let layer = &mut decoder.layers[0];
    layer.self_attention = Some(case.attention("self_attention.", true));
    layer.norm_self = case.norm("norm_self.");
    layer.cross_attention = case.attention("cross_attention.", false);
    layer.norm_cross = case.norm("norm_cross.");
    layer.feed_forward = case.feed_forward("feed_forward.");
    layer.norm_ff = case.norm("norm_ff.");
    let (batch, source) = (case.batch("mask"), case.batch("source_mask"));
    let encoded = EncoderOutput {
        states: case.rows("memory"),
        documents: source.layout(),
        numbers: (0..source.sentences.len()).collect(),
        sentences: source.sentences,
        positions: source.positions,
        bert: None,
        previous: None,
        stage_one: None,
    };
    let output = decoder.forward(
        case.rows("targets"),
        &batch,
        &encoded,
        &DropoutSource::none(),
    );
    case.output_rows("output", output.states.clone(), &batch.sentences);
    case.differentiate("output", output.states);
}
