//! Sentence encodings, positions and the hierarchical encoding layer.

use canopy::kernels::DropoutSource;
use canopy::model::{
    ContextAttention, ContextSublayer, Counting, PositionTables, SentenceAttention,
};

use super::Case;

pub fn source2token(case: &Case) {
    let (words, sentences) = (case.rows("words"), case.sentences("mask"));
    let layer = case.source2token_layer("");
    let encodings = layer.forward(words.clone(), &sentences);
    case.output_padded("word_weights", layer.weights(words, &sentences));
    case.output("encodings", encodings.clone());
    case.differentiate("encodings", encodings);
}

pub fn multilevel_positional_encoding(case: &Case) {
    let (lengths, paragraphs) = (
        case.sizes("sentence_lengths"),
        case.sizes("sentences_per_paragraph"),
    );
    for (counting, prefix) in [
        (Counting::Absolute, ""),
        (Counting::Restarting, "restarting_"),
    ] {
        let places = counting.positions(&lengths, &paragraphs);
        for (level, name) in ["word", "sentence", "paragraph"].into_iter().enumerate() {
            case.output_sizes(
                &format!("{prefix}{name}_index"),
                places.iter().map(|place| place[level]),
            );
        }
    }
    let tables = PositionTables {
        words: case.weight("table_word"),
        sentences: case.weight("table_sentence"),
        paragraphs: case.weight("table_paragraph"),
        headings: Vec::new(),
    };
    let encoding = tables.forward(&Counting::Absolute.positions(&lengths, &paragraphs));
    let embedded = case.input::<2>("embeddings") + encoding.clone();
    case.output("encoding", encoding);
    case.output("embedded", embedded.clone());
    case.differentiate("embedded", embedded);
}

pub fn hierarchical_encoding_layer(case: &Case) {
    let mut encoder = case.encoder_layer("");
    let attention = SentenceAttention {
        source2token: case.source2token_layer("source2token."),
        attention: case.attention("context_attention.", false),
    };
    let norm = case.norm("norm_context.");
    encoder.contexts = vec![ContextSublayer {
        attention: ContextAttention::Sentences(attention.clone()),
        gate: None,
        norm: Some(norm.clone()),
        before_source: false,
    }];
    let (words, none) = (case.rows("words"), DropoutSource::none());
    let sentences = case.sentences("mask");
    let rows = Case::document(&sentences);
    let documents = rows.layout();
    let query_spans = documents.query_spans();
    let encodings = attention
        .source2token
        .forward(words.clone(), &documents.sentences);
    case.output("sentence_encodings", encodings);
    let states = encoder.sublayers[0].forward(words.clone(), &rows.own_segments(), &none);
    case.output_rows("after_self_attention", states.clone(), &sentences);
    let read = attention.forward(states.clone(), &query_spans, words.clone(), &documents);
    let states = norm.add(states, read, None);
    case.output_rows("after_context_attention", states, &sentences);
    let output = encoder.forward(words, &rows, None, &none).states;
    case.output_rows("output", output.clone(), &sentences);
    case.differentiate("output", output);
}
