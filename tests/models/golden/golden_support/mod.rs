//! Support of the golden tests: reading a file, running a mechanism, comparing.

mod baselines;
mod cardinality;
mod case;
mod conditional;
mod encoding;
mod file;
mod layers;
mod normalisers;
mod recurrent;
mod selective;
mod similarity;
mod transformer;
mod tree;
mod x_transformer;

pub use case::Case;
pub use file::Golden;

/// Computes the outputs of a file with our layers, and their gradients.
pub type Mechanism = fn(&Case);

/// The function for a mechanism by its name in the files.
pub fn mechanism(name: &str) -> Option<Mechanism> {
    MECHANISMS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, mechanism)| mechanism)
}

const MECHANISMS: &[(&str, Mechanism)] = &[
    ("bahdanau_attention", recurrent::bahdanau_attention),
    (
        "bidirectional_gru_encoder",
        recurrent::bidirectional_gru_encoder,
    ),
    ("binary_tree_average", tree::binary_tree),
    ("binary_tree_multi_dim", tree::binary_tree),
    ("binary_tree_source2token", tree::binary_tree),
    (
        "cardinality_decoder_layer",
        cardinality::cardinality_decoder_layer,
    ),
    (
        "cardinality_encoder_layer",
        cardinality::cardinality_encoder_layer,
    ),
    (
        "causal_multi_head_attention",
        transformer::causal_multi_head_attention,
    ),
    (
        "conditional_attention_head",
        conditional::conditional_attention_head,
    ),
    (
        "conditional_attention_multi_head",
        conditional::conditional_attention_multi_head,
    ),
    ("context_gate", selective::context_gate),
    ("context_layer", selective::context_layer),
    ("flat_attention_sentence_offline", selective::flat_attention),
    ("flat_attention_sentence_online", selective::flat_attention),
    ("flat_attention_word_offline", selective::flat_attention),
    ("flat_attention_word_online", selective::flat_attention),
    ("gru_cell", recurrent::gru_cell),
    ("han_context", baselines::han_context),
    (
        "hierarchical_conditional_attention_head",
        conditional::hierarchical_conditional_attention_head,
    ),
    (
        "hierarchical_conditional_attention_multi_head",
        conditional::hierarchical_conditional_attention_multi_head,
    ),
    (
        "hierarchical_encoding_layer",
        encoding::hierarchical_encoding_layer,
    ),
    ("keep_top_t", normalisers::keep_top_t),
    (
        "label_smoothed_cross_entropy",
        x_transformer::label_smoothed_cross_entropy,
    ),
    ("multi_head_attention", transformer::multi_head_attention),
    (
        "multilevel_positional_encoding",
        encoding::multilevel_positional_encoding,
    ),
    (
        "selective_h_attention_offline_sparse_soft",
        selective::selective_h_attention,
    ),
    (
        "selective_h_attention_offline_sparse_sparse",
        selective::selective_h_attention,
    ),
    (
        "selective_h_attention_online_sparse_soft",
        selective::selective_h_attention,
    ),
    (
        "selective_h_attention_online_sparse_sparse",
        selective::selective_h_attention,
    ),
    ("similarity_selection", similarity::similarity_selection),
    ("source2token", encoding::source2token),
    ("sparsemax", normalisers::sparsemax),
    (
        "transformer_decoder_layer",
        transformer::transformer_decoder_layer,
    ),
    (
        "transformer_encoder_layer",
        transformer::transformer_encoder_layer,
    ),
    ("traverse_tree", tree::traverse_tree),
    (
        "x_transformer_encoder",
        x_transformer::x_transformer_encoder,
    ),
    (
        "x_transformer_layouts",
        x_transformer::x_transformer_layouts,
    ),
    ("zhang_encoder_layer", baselines::zhang_encoder_layer),
];
