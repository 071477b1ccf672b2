//! In what families of networks differ.

use crate::product::Gate;

/// Which numbers of a head are rotated together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Neighbours: 0 and 1, 2 and 3.
    Neighbours,
    /// Numbers of both halves: 0 and d/2, 1 and d/2 + 1.
    Halves,
}

/// Layers that see a window alone: all of each `period` but the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sliding {
    pub period: usize,
    /// Base of their rotations, if it is another than that of the rest, which alone are scaled then.
    pub base: Option<f32>,
}

/// Decoder alone, or encoder and decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Decoder,
    /// An encoder reads the source, to which the decoder attends.
    EncoderDecoder,
}

/// A part of a network: its name in GGUF files, of layers behind `blk.N.`, and that in folders of Hugging Face.
type Part = (&'static str, &'static str);

/// A family of networks. What its files say of themselves (biases, norms of queries and keys, tied outputs, scalings of
/// rotations) is read from each file.
#[derive(Debug)]
pub(super) struct Family {
    /// `general.architecture` of GGUF.
    pub name: &'static str,
    /// `model_type` of Hugging Face.
    pub model_types: &'static [&'static str],
    /// In GGUF files; folders of Hugging Face have halves.
    pub pairs: Pairs,
    /// Unless a folder says otherwise.
    pub gate: Gate,
    /// Whether embeddings are multiplied by `√d_model`.
    pub scales_embeddings: bool,
    pub sliding: Option<Sliding>,
    /// The number of layers of the one size whose scores are divided by `√(d_model / heads)`, not `√d_head`.
    pub scaled_by_width: Option<usize>,
    /// Whether queries and keys are rotated before their norms.
    pub rotates_first: bool,
    /// Whether folders hold what has to be added to 1 for the weights of norms.
    pub norms_from_one: bool,
    pub shape: Shape,
    /// Its parts in addition to [`PARTS`].
    parts: &'static [Part],
    /// Parts of a layer that folders of this family always have, although others have none.
    pub needs: &'static [&'static str],
    /// Fields that `config.json` leaves out where they are so.
    pub defaults: &'static [(&'static str, f64)],
}

/// Parts of all families.
const PARTS: &[Part] = &[
    ("token_embd", "embed_tokens"),
    ("output_norm", "norm"),
    ("attn_norm", "input_layernorm"),
    ("attn_q", "self_attn.q_proj"),
    ("attn_k", "self_attn.k_proj"),
    ("attn_v", "self_attn.v_proj"),
    ("attn_output", "self_attn.o_proj"),
    ("ffn_gate", "mlp.gate_proj"),
    ("ffn_up", "mlp.up_proj"),
    ("ffn_down", "mlp.down_proj"),
];

const FEED_FORWARD_NORM: Part = ("ffn_norm", "post_attention_layernorm");
const QUERY_NORM: Part = ("attn_q_norm", "self_attn.q_norm");
const KEY_NORM: Part = ("attn_k_norm", "self_attn.k_norm");

/// Norms behind attention and feed-forward layer, too.
const NORMS_AROUND: [Part; 3] = [
    ("post_attention_norm", "post_attention_layernorm"),
    ("ffn_norm", "pre_feedforward_layernorm"),
    ("post_ffw_norm", "post_feedforward_layernorm"),
];

/// Llama 1 to 3, SmolLM, TinyLlama, EuroLLM
const LLAMA: Family = Family {
    name: "llama",
    model_types: &["llama"],
    pairs: Pairs::Neighbours,
    gate: Gate::Silu,
    scales_embeddings: false,
    sliding: None,
    scaled_by_width: None,
    rotates_first: false,
    norms_from_one: false,
    shape: Shape::Decoder,
    parts: &[FEED_FORWARD_NORM],
    needs: &[],
    defaults: &[("rms_norm_eps", 1e-6), ("max_position_embeddings", 2_048.0)],
};

const GEMMA_2: Family = Family {
    name: "gemma2",
    model_types: &["gemma2"],
    pairs: Pairs::Halves,
    gate: Gate::RoundedGelu,
    scales_embeddings: true,
    sliding: Some(Sliding {
        period: 2,
        base: None,
    }),
    scaled_by_width: Some(46),
    norms_from_one: true,
    parts: &NORMS_AROUND,
    needs: &["post_attention_norm.weight", "post_ffw_norm.weight"],
    defaults: &[
        ("num_attention_heads", 8.0),
        ("num_key_value_heads", 4.0),
        ("head_dim", 256.0),
        ("query_pre_attn_scalar", 256.0),
        ("rms_norm_eps", 1e-6),
        ("max_position_embeddings", 8_192.0),
        ("sliding_window", 4_096.0),
        ("attn_logit_softcapping", 50.0),
        ("final_logit_softcapping", 30.0),
    ],
    ..LLAMA
};

/// Sources: the reports of each family; for names and layouts in files, llama.cpp's `llama-model.cpp` and the
/// configurations and models of transformers 5.24.
const FAMILIES: [Family; 8] = [
    LLAMA,
    // In GGUF it is a Llama.
    Family {
        name: "mistral",
        model_types: &["mistral"],
        defaults: &[
            ("num_key_value_heads", 8.0),
            ("rms_norm_eps", 1e-6),
            ("max_position_embeddings", 131_072.0),
            ("sliding_window", 4_096.0),
        ],
        ..LLAMA
    },
    Family {
        name: "qwen2",
        model_types: &["qwen2"],
        pairs: Pairs::Halves,
        needs: &["attn_q.bias", "attn_k.bias", "attn_v.bias"],
        defaults: &[
            ("rms_norm_eps", 1e-6),
            ("max_position_embeddings", 32_768.0),
        ],
        ..LLAMA
    },
    Family {
        name: "qwen3",
        model_types: &["qwen3"],
        pairs: Pairs::Halves,
        parts: &[FEED_FORWARD_NORM, QUERY_NORM, KEY_NORM],
        needs: &["attn_q_norm.weight", "attn_k_norm.weight"],
        defaults: &[
            ("head_dim", 128.0),
            ("rms_norm_eps", 1e-6),
            ("max_position_embeddings", 32_768.0),
        ],
        ..LLAMA
    },
    GEMMA_2,
    Family {
        name: "gemma3",
        // The second one sees pictures, too; its text model is meant.
        model_types: &["gemma3_text", "gemma3"],
        sliding: Some(Sliding {
            period: 6,
            base: Some(10_000.0),
        }),
        scaled_by_width: Some(62),
        parts: &[
            NORMS_AROUND[0],
            NORMS_AROUND[1],
            NORMS_AROUND[2],
            QUERY_NORM,
            KEY_NORM,
        ],
        needs: &[
            "post_attention_norm.weight",
            "post_ffw_norm.weight",
            "attn_q_norm.weight",
            "attn_k_norm.weight",
        ],
        defaults: &[
            ("num_attention_heads", 8.0),
            ("num_key_value_heads", 4.0),
            ("head_dim", 256.0),
            ("query_pre_attn_scalar", 256.0),
            ("rms_norm_eps", 1e-6),
            ("max_position_embeddings", 131_072.0),
            ("sliding_window", 4_096.0),
            ("rope_theta", 1_000_000.0),
        ],
        ..GEMMA_2
    },
    // Hunyuan-MT and HY-MT
    Family {
        name: "hunyuan-dense",
        model_types: &["hunyuan_v1_dense"],
        pairs: Pairs::Halves,
        rotates_first: true,
        parts: &[
            FEED_FORWARD_NORM,
            ("attn_q_norm", "self_attn.query_layernorm"),
            ("attn_k_norm", "self_attn.key_layernorm"),
        ],
        needs: &["attn_q_norm.weight", "attn_k_norm.weight"],
        defaults: &[("rms_norm_eps", 1e-5), ("max_position_embeddings", 2_048.0)],
        ..LLAMA
    },
    // MADLAD-400; its parts have names of their own (`encoder_decoder.rs`).
    Family {
        name: "t5",
        model_types: &["t5"],
        gate: Gate::Gelu,
        shape: Shape::EncoderDecoder,
        defaults: &[
            ("num_layers", 6.0),
            ("num_heads", 8.0),
            ("d_kv", 64.0),
            ("n_positions", 512.0),
            ("relative_attention_num_buckets", 32.0),
            ("relative_attention_max_distance", 128.0),
            ("layer_norm_epsilon", 1e-6),
        ],
        ..LLAMA
    },
];

impl Family {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|it| it.name == name)
    }

    /// The family of a `model_type`.
    pub(crate) fn from_model_type(model_type: &str) -> Option<&'static Self> {
        let mut families = FAMILIES.iter();
        families.find(|it| it.model_types.contains(&model_type))
    }

    /// The names of all, for a message.
    pub(crate) fn names() -> String {
        FAMILIES.map(|it| it.name).join(", ")
    }

    /// The types of all, for a message.
    pub(crate) fn model_types() -> String {
        let types: Vec<&str> = FAMILIES
            .iter()
            .flat_map(|it| it.model_types)
            .copied()
            .collect();
        types.join(", ")
    }

    /// The name in folders of a part of GGUF, if the family has it.
    pub(crate) fn name_in_folders(&self, part: &str) -> Option<&'static str> {
        let mut parts = PARTS.iter().chain(self.parts);
        parts.find(|(own, _)| *own == part).map(|(_, name)| *name)
    }

    /// Whether a layer has a part that folders name so.
    pub(crate) fn has_in_folders(&self, name: &str) -> bool {
        PARTS.iter().chain(self.parts).any(|(_, it)| *it == name)
    }
}
