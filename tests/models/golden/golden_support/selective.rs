//! Selective and flat attention, the gate and the layer around them.

use canopy::kernels::{DropoutSource, WordNormaliser};
use canopy::model::{ContextLayer, Documents, FlatAttention, FlatLevel, Reach, SelectiveAttention};

use super::Case;

fn reach(case: &Case) -> Reach {
    match case.text("mode") {
        "offline" => Reach::Offline,
        "online" => Reach::Online,
        other => panic!("mode {other}"),
    }
}

pub fn selective_h_attention(case: &Case) {
    let heads = case.size("heads");
    let attention = SelectiveAttention {
        query_sentence: case.linear("w_q_s"),
        key_sentence: case.linear("w_k_s"),
        query_word: case.linear("w_q_w"),
        key_word: case.linear("w_k_w"),
        value: case.linear("w_v"),
        output: case.linear("w_o"),
        num_heads: heads,
        reach: reach(case),
        words: match case.text("word_attention") {
            "softmax" => WordNormaliser::Softmax,
            "sparsemax" => WordNormaliser::Sparsemax,
            other => panic!("word attention {other}"),
        },
    };
    let documents = Documents::one(case.sentences("mask"));
    let query_spans = documents.query_spans();
    let (queries, keys, values) = (
        case.rows("queries"),
        case.rows("word_keys"),
        case.rows("word_values"),
    );
    let projected = attention.project(queries.clone(), keys.clone(), values.clone(), &documents);
    let choice = attention.choose(&projected, &query_spans, &documents);
    let weights = attention.weights(&projected, &documents.sentences, &choice);

    let ([rows, _], sentences) = (queries.dims(), documents.sentences.len());
    let mut of_sentences = vec![0.0; heads * rows * sentences];
    let mut of_words = vec![0.0; heads * rows * rows];
    for (list, (kept, weights)) in choice.iter().zip(&weights).enumerate() {
        let query = list % heads * rows + list / heads;
        for (sentence, weight) in kept.sentences.iter().zip(&weights.sentences) {
            of_sentences[query * sentences + sentence] = f64::from(*weight);
        }
        let keys = kept
            .sentences
            .iter()
            .flat_map(|&sentence| documents.sentences[sentence].clone());
        for (key, weight) in keys.zip(&weights.words) {
            of_words[query * rows + key] = f64::from(*weight);
        }
    }
    case.output_numbers("sentence_weights", of_sentences);
    case.output_numbers("hierarchical_weights", of_words);
    let context = attention.forward(queries, &query_spans, keys, values, &documents);
    case.output("context", context.clone());
    case.differentiate("context", context);
}

pub fn flat_attention(case: &Case) {
    let attention = FlatAttention {
        attention: case.attention("", false),
        level: match case.text("level") {
            "sentence" => FlatLevel::Sentence,
            "word" => FlatLevel::Word,
            other => panic!("level {other}"),
        },
        reach: reach(case),
    };
    let documents = Documents::one(case.sentences("mask"));
    let context = attention.forward(
        case.rows("queries"),
        &documents.query_spans(),
        case.rows("word_keys"),
        case.rows("word_values"),
        &documents,
    );
    case.output("context", context.clone());
    case.differentiate("context", context);
}

pub fn context_gate(case: &Case) {
    let gate = case.gate("w_r", "w_d");
    let (own, context) = (case.input::<2>("r"), case.input::<2>("d"));
    case.output("gate", gate.gate(own.clone(), context.clone()));
    let output = gate.forward(own, context);
    case.output("output", output.clone());
    case.differentiate("output", output);
}

pub fn context_layer(case: &Case) {
    let layer = ContextLayer {
        norm_attention: case.norm("norm_attention."),
        feed_forward: case.feed_forward("feed_forward."),
        norm_ff: case.norm("norm_ff."),
        gate: case.gate("gate.w_r", "gate.w_d"),
    };
    let (attended, own) = (case.input::<2>("attended"), case.input::<2>("r"));
    let none = DropoutSource::none();
    let context = layer.context(attended.clone(), &none);
    case.output("gate", layer.gate.gate(own.clone(), context.clone()));
    case.output("context", context);
    let output = layer.forward(attended, own, &none);
    case.output("output", output.clone());
    case.differentiate("output", output);
}
