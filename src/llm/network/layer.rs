//! Matrices and norms of a layer, by their names in the file.

use canopy_base::error::Result;

use super::sizes::Sizes;
use crate::parts::Parts;
use crate::weights::Tensor;

/// A matrix `[outputs, inputs]` and its bias.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    pub weights: Tensor,
    pub bias: Option<Vec<f32>>,
}

#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub attention_norm: Vec<f32>,
    pub queries: Linear,
    pub keys: Linear,
    pub values: Linear,
    pub query_norm: Option<Vec<f32>>,
    pub key_norm: Option<Vec<f32>>,
    pub attention_output: Linear,
    pub attention_post_norm: Option<Vec<f32>>,
    pub feed_forward_norm: Vec<f32>,
    pub gate: Linear,
    pub up: Linear,
    pub down: Linear,
    pub feed_forward_post_norm: Option<Vec<f32>>,
}

impl Layer {
    pub fn read(parts: &Parts<'_>, sizes: &Sizes, number: usize) -> Result<Self> {
        let name = |rest: &str| format!("blk.{number}.{rest}");
        let needs = |rest: &str| parts.is_folder() && sizes.family.needs.contains(&rest);
        let vector = |rest: &str, length: usize| -> Result<Option<Vec<f32>>> {
            let vector = parts.vector(&name(rest), length)?;
            if needs(rest) {
                return parts.needed(&name(rest), vector).map(Some);
            }
            Ok(vector)
        };
        let linear = |rest: &str, inputs: usize, outputs: Option<usize>| -> Result<Linear> {
            let weights = name(&format!("{rest}.weight"));
            let weights = parts.needed(&weights, parts.matrix(&weights, inputs, outputs)?)?;
            let bias = vector(&format!("{rest}.bias"), weights.rows)?;
            Ok(Linear { weights, bias })
        };
        let (d_model, d_head) = (sizes.d_model, sizes.attention.d_head);
        let needed = |rest: &str| parts.needed(&name(rest), vector(rest, d_model)?);
        let queries = sizes.heads * d_head;
        let kv = Some(sizes.kv_heads * d_head);
        let gate = linear("ffn_gate", d_model, None)?;
        let d_hidden = gate.weights.rows;
        Ok(Self {
            attention_norm: needed("attn_norm.weight")?,
            queries: linear("attn_q", d_model, Some(queries))?,
            keys: linear("attn_k", d_model, kv)?,
            values: linear("attn_v", d_model, kv)?,
            query_norm: vector("attn_q_norm.weight", d_head)?,
            key_norm: vector("attn_k_norm.weight", d_head)?,
            attention_output: linear("attn_output", queries, Some(d_model))?,
            attention_post_norm: vector("post_attention_norm.weight", d_model)?,
            feed_forward_norm: needed("ffn_norm.weight")?,
            up: linear("ffn_up", d_model, Some(d_hidden))?,
            down: linear("ffn_down", d_hidden, Some(d_model))?,
            gate,
            feed_forward_post_norm: vector("post_ffw_norm.weight", d_model)?,
        })
    }
}
