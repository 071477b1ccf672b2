//! The hierarchical attention network and the context encoder of Zhang et al.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use canopy::kernels::{DropoutSource, Segment};
use canopy::model::{ContextAttention, ContextSublayer, Documents, HanContext, PreviousEncoder};

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
    let (query_spans, none) = (documents.query_spans(), DropoutSource::none());
    let summaries = layer.summaries(states.clone(), &query_spans, states.clone(), &documents);
    let [rows, slots, d_model] = summaries.dims();
    let output =
        |name: &str, tensor: Tensor<2>| case.output_rows(name, tensor, &documents.sentences);
    output(
        "sentence_summaries",
        summaries.clone().reshape([rows, slots * d_model]),
    );
    let context = layer.context(states.clone(), summaries, &query_spans, &documents, &none);
    output("gate", layer.gate.gate(states.clone(), context.clone()));
    output("context", context);
    let gated = layer.forward(states.clone(), &query_spans, states, &documents, &none);
    output("output", gated.clone());
    case.differentiate("output", gated);
}

/// The encoder takes the previous sentences from its own documents: here one that holds the context and the sentence.
pub fn zhang_encoder_layer(case: &Case) {
    let attention = case.attention("context_attention.", false);
    let (gate, none) = (case.gate("w_i", "w_s"), DropoutSource::none());
    let mut encoder = case.encoder_layer("");
    encoder.contexts = vec![ContextSublayer {
        attention: ContextAttention::Previous(attention.clone()),
        gate: Some(gate.clone()),
        norm: Some(case.norm("norm_context.")),
        before_source: false,
    }];
    let previous = PreviousEncoder {
        sublayers: case.encoder_layer("context_encoder.").sublayers,
        context_size: 1,
    };
    encoder.previous = Some(previous.clone());

    let (words, context) = (case.input::<3>("words"), case.input::<3>("context"));
    let ([items, m, d_model], [_, l, _]) = (words.dims(), context.dims());
    let flat = |x: Tensor<3>| {
        let [items, words, _] = x.dims();
        x.reshape([items * words, d_model])
    };
    let (sentences, contexts) = (case.sentences("mask"), case.sentences("context_mask"));

    let encoding = previous.encode(flat(context.clone()), &contexts, &none);
    case.output_rows("context_encoding", encoding.clone(), &contexts);
    let states =
        encoder.sublayers[0].forward(flat(words.clone()), &Segment::own(&sentences), &none);
    let pairs = sentences.iter().zip(&contexts);
    let segments: Arc<[Segment]> = pairs
        .map(|(queries, keys)| Segment {
            queries: queries.clone(),
            keys: keys.clone(),
        })
        .collect();
    let read = attention.forward(states.clone(), encoding, &segments, None);
    case.output_rows("context_attention", read.clone(), &sentences);
    case.output_rows("gate", gate.gate(states, read), &sentences);

    let shifted = |runs: &[Range<usize>], item: usize, len: usize, place: usize| {
        let start = item * (l + m) + place + runs[item].start - item * len;
        start..start + runs[item].len()
    };
    let sentences_of = |item| {
        [
            shifted(&contexts, item, l, 0),
            shifted(&sentences, item, m, l),
        ]
    };
    let mut rows = Case::document(&(0..items).flat_map(sentences_of).collect::<Vec<_>>());
    rows.documents = (0..items).map(|item| 2 * item..2 * item + 2).collect();
    let both = flat(Tensor::cat(vec![context, words], 1));
    let states = encoder.forward(both, &rows, None, &none).states;
    let output = flat(states.reshape([items, l + m, d_model]).narrow(1, l, m));
    case.output_rows("output", output.clone(), &sentences);
    case.differentiate("output", output);
}
