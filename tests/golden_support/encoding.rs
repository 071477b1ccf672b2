//! Sentence encodings, positions and the hierarchical encoding layer.

use canopy::kernels::DropoutSource;
use canopy::model::{Counting, Documents, HierarchicalEncodingLayer, PlaceTables};

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
        let places = counting.places(&lengths, &paragraphs);
        for (level, name) in ["word", "sentence", "paragraph"].into_iter().enumerate() {
            case.output_sizes(
                &format!("{prefix}{name}_index"),
                places.iter().map(|place| place[level]),
            );
        }
    }
    let tables = PlaceTables {
        words: case.weight("table_word"),
        sentences: case.weight("table_sentence"),
        paragraphs: case.weight("table_paragraph"),
    };
    let encoding = tables.forward(&Counting::Absolute.places(&lengths, &paragraphs));
    let embedded = case.input::<2>("embeddings") + encoding.clone();
    case.output("encoding", encoding);
    case.output("embedded", embedded.clone());
    case.differentiate("embedded", embedded);
}

pub fn hierarchical_encoding_layer(case: &Case) {
    let layer = HierarchicalEncodingLayer {
        source2token: case.source2token_layer("source2token."),
        self_attention: case.attention("self_attention.", false),
        norm_self: case.norm("norm_self."),
        context_attention: case.attention("context_attention.", false),
        norm_context: case.norm("norm_context."),
        feed_forward: case.feed_forward("feed_forward."),
        norm_ff: case.norm("norm_ff."),
    };
    let documents = Documents::one(case.sentences("mask"));
    let states = layer.forward(case.rows("words"), &documents, &DropoutSource::none());
    case.output("sentence_encodings", states.sentence_encodings);
    case.output_rows(
        "after_self_attention",
        states.after_self_attention,
        &documents.sentences,
    );
    case.output_rows(
        "after_context_attention",
        states.after_context_attention,
        &documents.sentences,
    );
    case.output_rows("output", states.output.clone(), &documents.sentences);
    case.differentiate("output", states.output);
}
