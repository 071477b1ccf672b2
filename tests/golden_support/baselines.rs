//! The hierarchical attention network and the context encoder of Zhang et al.

use burn::tensor::Tensor;
use canopy::kernels::DropoutSource;
use canopy::model::{Documents, HanContext, ZhangEncoderLayer};

use super::Case;

pub fn han_context(case: &Case) {
    let layer = HanContext {
        word_query: case.linear("f_w"),
        sentence_query: case.linear("f_s"),
        word_attention: case.attention("word_attention.", false),
        sentence_attention: case.attention("sentence_attention.", false),
        feed_forward: case.feed_forward("feed_forward."),
        gate: case.gate("w_h", "w_d"),
        context_size: case.size("k"),
    };
    let (states, documents) = (case.rows("states"), Documents::one(case.sentences("mask")));
    let none = DropoutSource::none();
    let summaries = layer.summaries(states.clone(), &documents);
    let [rows, slots, d_model] = summaries.dims();
    let output =
        |name: &str, tensor: Tensor<2>| case.output_rows(name, tensor, &documents.sentences);
    output(
        "sentence_summaries",
        summaries.clone().reshape([rows, slots * d_model]),
    );
    let context = layer.context(states.clone(), summaries, &documents, &none);
    output("gate", layer.gate.gate(states.clone(), context.clone()));
    output("context", context);
    let gated = layer.forward(states, &documents, &none);
    output("output", gated.clone());
    case.differentiate("output", gated);
}

pub fn zhang_encoder_layer(case: &Case) {
    let layer = ZhangEncoderLayer {
        self_attention: case.attention("self_attention.", false),
        norm_self: case.norm("norm_self."),
        context_attention: case.attention("context_attention.", false),
        gate: case.gate("w_i", "w_s"),
        norm_context: case.norm("norm_context."),
        feed_forward: case.feed_forward("feed_forward."),
        norm_ff: case.norm("norm_ff."),
    };
    let none = DropoutSource::none();
    let (sentences, contexts) = (case.sentences("mask"), case.batch("context_mask"));
    let encoded = case
        .encoder_layer("context_encoder.")
        .forward(case.rows("context"), &contexts, &none)
        .states;
    let states = layer.forward(
        case.rows("words"),
        &sentences,
        encoded.clone(),
        &contexts.sentences,
        &none,
    );
    case.output_rows("context_encoding", encoded, &contexts.sentences);
    let gate = layer.gate.gate(
        states.after_self_attention,
        states.context_attention.clone(),
    );
    case.output_rows("context_attention", states.context_attention, &sentences);
    case.output_rows("gate", gate, &sentences);
    case.output_rows("output", states.output.clone(), &sentences);
    case.differentiate("output", states.output);
}
