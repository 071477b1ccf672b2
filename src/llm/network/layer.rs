//! Matrices and norms of a layer, by their names in the file.

use crate::error::Result;

use super::sizes::Sizes;
use crate::parts::Parts;
use crate::weights::Tensor;

/// A matrix `[outputs, inputs]` and its bias.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    pub weights: Tensor,
    pub bias: Option<Vec<f32>>,
}

/// Attention to the states of an encoder.
#[derive(Debug, Clone)]
pub(super) struct Cross {
    pub norm: Vec<f32>,
    pub queries: Linear,
    pub keys: Linear,
    pub values: Linear,
    pub output: Linear,
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
    pub cross: Option<Cross>,
    pub feed_forward_norm: Vec<f32>,
    /// None: the layer is one of ReLU.
    pub gate: Option<Linear>,
    pub up: Linear,
    pub down: Linear,
    pub feed_forward_post_norm: Option<Vec<f32>>,
}

/// The parts of a layer, whose names begin alike.
pub(super) struct LayerParts<'p, 'w> {
    pub parts: &'p Parts<'w>,
    /// Such as `blk.0.`.
    pub prefix: String,
    /// Parts without which the layer is none.
    pub needs: &'static [&'static str],
}

impl LayerParts<'_, '_> {
    fn name(&self, rest: &str) -> String {
        format!("{}{rest}", self.prefix)
    }

    /// A vector, if there is one.
    pub(crate) fn vector(&self, rest: &str, length: usize) -> Result<Option<Vec<f32>>> {
        let vector = self.parts.vector(&self.name(rest), length)?;
        if self.needs.contains(&rest) {
            return self.parts.needed(&self.name(rest), vector).map(Some);
        }
        Ok(vector)
    }

    /// The weights of a norm.
    pub(crate) fn norm(&self, part: &str, length: usize) -> Result<Vec<f32>> {
        let rest = format!("{part}.weight");
        let found = self.vector(&rest, length)?;
        self.parts.needed(&self.name(&rest), found)
    }

    /// A matrix and its bias.
    pub(crate) fn linear(
        &self,
        part: &str,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<Linear> {
        let found = self.linear_if_there(part, inputs, outputs)?;
        let name = self.name(&format!("{part}.weight"));
        self.parts.needed(&name, found)
    }

    pub(crate) fn linear_if_there(
        &self,
        part: &str,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<Option<Linear>> {
        let name = self.name(&format!("{part}.weight"));
        let Some(weights) = self.parts.matrix(&name, inputs, outputs)? else {
            return Ok(None);
        };
        let bias = self.vector(&format!("{part}.bias"), weights.rows)?;
        Ok(Some(Linear { weights, bias }))
    }
}

impl Layer {
    /// A layer of a network that is a decoder alone.
    pub(crate) fn read(parts: &Parts<'_>, sizes: &Sizes, number: usize) -> Result<Self> {
        let needs: &[&str] = if parts.is_folder() {
            sizes.family.needs
        } else {
            &[]
        };
        let layer = LayerParts {
            parts,
            prefix: format!("blk.{number}."),
            needs,
        };
        let (d_model, d_head) = (sizes.d_model, sizes.attention.d_head);
        let queries = sizes.heads * d_head;
        let kv = Some(sizes.kv_heads * d_head);
        let gate = layer.linear("ffn_gate", d_model, None)?;
        let d_hidden = gate.weights.rows;
        Ok(Self {
            attention_norm: layer.norm("attn_norm", d_model)?,
            queries: layer.linear("attn_q", d_model, Some(queries))?,
            keys: layer.linear("attn_k", d_model, kv)?,
            values: layer.linear("attn_v", d_model, kv)?,
            query_norm: layer.vector("attn_q_norm.weight", d_head)?,
            key_norm: layer.vector("attn_k_norm.weight", d_head)?,
            attention_output: layer.linear("attn_output", queries, Some(d_model))?,
            attention_post_norm: layer.vector("post_attention_norm.weight", d_model)?,
            cross: None,
            feed_forward_norm: layer.norm("ffn_norm", d_model)?,
            up: layer.linear("ffn_up", d_model, Some(d_hidden))?,
            down: layer.linear("ffn_down", d_hidden, Some(d_model))?,
            gate: Some(gate),
            feed_forward_post_norm: layer.vector("post_ffw_norm.weight", d_model)?,
        })
    }
}
