//! Names of T5's parts in folders of Hugging Face.

use crate::error::Result;

use crate::network::EMBEDDING;
use crate::parts::OUTPUT;
use crate::weights::Weights;

/// Names of the embedding in folders.
pub(super) const TABLES: [&str; 3] = [
    "shared.weight",
    "encoder.embed_tokens.weight",
    "decoder.embed_tokens.weight",
];

/// The biases of the decoder's attention to the encoder, which files may have and nothing uses.
const UNUSED: &str = "layer.1.EncDecAttention.relative_attention_bias.weight";

/// Parts of layers: the name in GGUF files, and that in folders behind `layer.N.`, with the number N in an encoder and in a
/// decoder.
const PARTS: [(&str, &str, [Option<usize>; 2]); 14] = [
    ("attn_norm", "layer_norm", [Some(0), Some(0)]),
    ("attn_q", "SelfAttention.q", [Some(0), Some(0)]),
    ("attn_k", "SelfAttention.k", [Some(0), Some(0)]),
    ("attn_v", "SelfAttention.v", [Some(0), Some(0)]),
    ("attn_o", "SelfAttention.o", [Some(0), Some(0)]),
    (
        "attn_rel_b",
        "SelfAttention.relative_attention_bias",
        [Some(0), Some(0)],
    ),
    ("cross_attn_norm", "layer_norm", [None, Some(1)]),
    ("cross_attn_q", "EncDecAttention.q", [None, Some(1)]),
    ("cross_attn_k", "EncDecAttention.k", [None, Some(1)]),
    ("cross_attn_v", "EncDecAttention.v", [None, Some(1)]),
    ("cross_attn_o", "EncDecAttention.o", [None, Some(1)]),
    ("ffn_norm", "layer_norm", [Some(1), Some(2)]),
    ("ffn_gate", "DenseReluDense.wi_0", [Some(1), Some(2)]),
    ("ffn_down", "DenseReluDense.wo", [Some(1), Some(2)]),
];

/// A half of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Encoder,
    Decoder,
}

impl Half {
    /// Its name in front of those of its parts, in files and in folders.
    pub(crate) fn names(self) -> [&'static str; 2] {
        match self {
            Self::Encoder => ["enc.", "encoder."],
            Self::Decoder => ["dec.", "decoder."],
        }
    }
}

/// The name in a folder of a part of a layer.
fn layer_part(part: &str, half: Half, is_gated: bool) -> Option<String> {
    if part == "ffn_up" {
        let number = match half {
            Half::Encoder => 1,
            Half::Decoder => 2,
        };
        let up = if is_gated { "wi_1" } else { "wi" };
        return Some(format!("layer.{number}.DenseReluDense.{up}"));
    }
    if part == "ffn_gate" && !is_gated {
        return None;
    }
    let (_, name, numbers) = PARTS.iter().find(|(own, ..)| *own == part)?;
    let number = numbers[half as usize]?;
    Some(format!("layer.{number}.{name}"))
}

/// The name in a folder of a part of GGUF, such as `enc.blk.0.attn_q.weight`; none if there is no such part.
pub(super) fn name(own: &str, table: &str, is_gated: bool) -> Option<String> {
    match own {
        EMBEDDING => return Some(table.to_owned()),
        OUTPUT => return Some("lm_head.weight".to_owned()),
        _ => {}
    }
    let mut halves = [Half::Encoder, Half::Decoder].into_iter();
    let found = halves.find_map(|half| Some((half, own.strip_prefix(half.names()[0])?)));
    let (half, rest) = found?;
    let [_, half_name] = half.names();
    if rest == "output_norm.weight" {
        return Some(format!("{half_name}final_layer_norm.weight"));
    }
    let (number, rest) = rest.strip_prefix("blk.")?.split_once('.')?;
    let (part, kind) = rest.rsplit_once('.')?;
    let part = layer_part(part, half, is_gated)?;
    Some(format!("{half_name}block.{number}.{part}.{kind}"))
}

/// Refuses a folder whose layers have a part that is not known here.
pub(super) fn check_names(weights: &Weights, is_gated: bool, layers: [usize; 2]) -> Result<()> {
    let parts = PARTS.iter().map(|(own, ..)| *own).chain(["ffn_up"]);
    let parts: Vec<&str> = parts.collect();
    for (half, num_layers) in [Half::Encoder, Half::Decoder].into_iter().zip(layers) {
        let blocks = format!("{}block.", half.names()[1]);
        for name in weights.tensors().keys() {
            let rest = name.strip_prefix(&blocks);
            let Some((number, rest)) = rest.and_then(|rest| rest.split_once('.')) else {
                continue;
            };
            let is_there = number
                .parse()
                .is_ok_and(|number: usize| number < num_layers);
            let stem = rest.strip_suffix(".weight");
            let is = |part: &&str| layer_part(part, half, is_gated).as_deref() == stem;
            let is_known = stem.is_some() && parts.iter().any(is) || rest == UNUSED;
            if !(is_there && is_known) {
                return Err(weights.problem(name, "t5 has no such part here"));
            }
        }
    }
    Ok(())
}
