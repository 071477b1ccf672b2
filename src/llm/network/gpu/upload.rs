//! The weights of a file on their way to a GPU.

use std::sync::Arc;

use canopy_kernels::gpu::{Gpu, GpuBlocks};
use wgpu::Buffer;

use super::super::layer::{Cross, Layer, Linear};
use super::blocks;
use crate::weights::{Tensor, Weights};

#[derive(Debug)]
pub(super) struct GpuLayer {
    pub attention_norm: Buffer,
    pub queries: GpuBlocks,
    pub keys: GpuBlocks,
    pub values: GpuBlocks,
    pub query_norm: Option<Buffer>,
    pub key_norm: Option<Buffer>,
    pub attention_output: GpuBlocks,
    pub attention_post_norm: Option<Buffer>,
    pub cross: Option<GpuCross>,
    pub feed_forward_norm: Buffer,
    /// None: the layer is one of ReLU.
    pub gate: Option<GpuBlocks>,
    pub up: GpuBlocks,
    pub down: GpuBlocks,
    pub feed_forward_post_norm: Option<Buffer>,
}

/// Attention to the states of an encoder.
#[derive(Debug)]
pub(super) struct GpuCross {
    pub norm: Buffer,
    pub queries: GpuBlocks,
    pub keys: GpuBlocks,
    pub values: GpuBlocks,
    pub output: GpuBlocks,
}

pub(super) struct Upload<'w> {
    pub gpu: &'w Arc<Gpu>,
    pub weights: &'w Weights,
}

impl Upload<'_> {
    pub(crate) fn vector(&self, numbers: &[f32]) -> Buffer {
        self.gpu.filled(numbers)
    }

    fn norm(&self, numbers: Option<&Vec<f32>>) -> Option<Buffer> {
        numbers.map(|it| self.vector(it))
    }

    /// A matrix, or why the GPU does not take it.
    pub(crate) fn matrix(
        &self,
        tensor: &Tensor,
        bias: Option<&[f32]>,
    ) -> Result<GpuBlocks, String> {
        let Tensor {
            kind,
            columns,
            rows,
            ..
        } = *tensor;
        if !columns.is_multiple_of(8) {
            return Err(format!("rows of {columns} numbers are computed by the CPU"));
        }
        // Bytes of a number: an integer has one at most.
        let each = (kind.bytes() / kind.numbers()).max(1);
        if !self.gpu.has_room((columns * rows * each) as u64) {
            return Err(format!(
                "the GPU binds less than {columns} × {rows} numbers at once"
            ));
        }
        let numbers = blocks::numbers(kind, self.weights.bytes(tensor));
        Ok(GpuBlocks::new(self.gpu, [columns, rows], &numbers, bias))
    }

    fn linear(&self, part: &Linear) -> Result<GpuBlocks, String> {
        self.matrix(&part.weights, part.bias.as_deref())
    }

    pub(crate) fn layer(&self, layer: &Layer) -> Result<GpuLayer, String> {
        let gate = layer.gate.as_ref().map(|it| self.linear(it));
        let cross = layer.cross.as_ref().map(|it| self.cross(it));
        Ok(GpuLayer {
            attention_norm: self.vector(&layer.attention_norm),
            queries: self.linear(&layer.queries)?,
            keys: self.linear(&layer.keys)?,
            values: self.linear(&layer.values)?,
            query_norm: self.norm(layer.query_norm.as_ref()),
            key_norm: self.norm(layer.key_norm.as_ref()),
            attention_output: self.linear(&layer.attention_output)?,
            attention_post_norm: self.norm(layer.attention_post_norm.as_ref()),
            cross: cross.transpose()?,
            feed_forward_norm: self.vector(&layer.feed_forward_norm),
            gate: gate.transpose()?,
            up: self.linear(&layer.up)?,
            down: self.linear(&layer.down)?,
            feed_forward_post_norm: self.norm(layer.feed_forward_post_norm.as_ref()),
        })
    }

    fn cross(&self, cross: &Cross) -> Result<GpuCross, String> {
        Ok(GpuCross {
            norm: self.vector(&cross.norm),
            queries: self.linear(&cross.queries)?,
            keys: self.linear(&cross.keys)?,
            values: self.linear(&cross.values)?,
            output: self.linear(&cross.output)?,
        })
    }
}
