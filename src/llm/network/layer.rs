//! Matrices and norms of a layer, by their names in the file.

use canopy_base::error::Result;

use super::sizes::Sizes;
use crate::gguf::{Gguf, Tensor};

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

/// A vector of `length` numbers, if the file has it.
pub(super) fn vector(file: &Gguf, name: &str, length: usize) -> Result<Option<Vec<f32>>> {
    let Some(tensor) = file.tensors().get(name) else {
        return Ok(None);
    };
    if tensor.rows != 1 || tensor.columns != length {
        let problem = format!("[{}, {}], not [{length}]", tensor.rows, tensor.columns);
        return Err(file.problem(name, problem));
    }
    let mut numbers = vec![0.0; length];
    tensor.kind.dequantise(file.bytes(tensor), &mut numbers);
    Ok(Some(numbers))
}

/// A matrix of `outputs` rows, if the file has it.
pub(super) fn matrix(
    file: &Gguf,
    name: &str,
    inputs: usize,
    outputs: Option<usize>,
) -> Result<Option<Tensor>> {
    let Some(tensor) = file.tensors().get(name) else {
        return Ok(None);
    };
    if tensor.columns != inputs || outputs.is_some_and(|outputs| outputs != tensor.rows) {
        let outputs = outputs.map_or("any".to_owned(), |outputs| outputs.to_string());
        let problem = format!(
            "[{}, {}], not [{outputs}, {inputs}]",
            tensor.rows, tensor.columns
        );
        return Err(file.problem(name, problem));
    }
    Ok(Some(tensor.clone()))
}

impl Layer {
    pub fn read(file: &Gguf, sizes: &Sizes, number: usize) -> Result<Self> {
        let name = |rest: &str| format!("blk.{number}.{rest}");
        let linear = |rest: &str, inputs: usize, outputs: Option<usize>| -> Result<Linear> {
            let weights = name(&format!("{rest}.weight"));
            let weights = file.needed(&weights, matrix(file, &weights, inputs, outputs)?)?;
            let bias = vector(file, &name(&format!("{rest}.bias")), weights.rows)?;
            Ok(Linear { weights, bias })
        };
        let (d_model, d_head) = (sizes.d_model, sizes.attention.d_head);
        let norm = |rest: &str, length: usize| vector(file, &name(rest), length);
        let needed = |rest: &str| file.needed(&name(rest), norm(rest, d_model)?);
        let queries = sizes.heads * d_head;
        let kv = Some(sizes.kv_heads * d_head);
        let gate = linear("ffn_gate", d_model, None)?;
        let d_hidden = gate.weights.rows;
        Ok(Self {
            attention_norm: needed("attn_norm.weight")?,
            queries: linear("attn_q", d_model, Some(queries))?,
            keys: linear("attn_k", d_model, kv)?,
            values: linear("attn_v", d_model, kv)?,
            query_norm: norm("attn_q_norm.weight", d_head)?,
            key_norm: norm("attn_k_norm.weight", d_head)?,
            attention_output: linear("attn_output", queries, Some(d_model))?,
            attention_post_norm: norm("post_attention_norm.weight", d_model)?,
            feed_forward_norm: needed("ffn_norm.weight")?,
            up: linear("ffn_up", d_model, Some(d_hidden))?,
            down: linear("ffn_down", d_hidden, Some(d_model))?,
            gate,
            feed_forward_post_norm: norm("post_ffw_norm.weight", d_model)?,
        })
    }
}
