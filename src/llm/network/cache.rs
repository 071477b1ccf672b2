//! Keys and values of the positions read so far.

use crate::blocks::f32_to_f16;

/// Keys and values of a head, as half floats `[positions, d_head]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    pub keys: Vec<u16>,
    pub values: Vec<u16>,
}

/// Keys and values of all layers. It grows with what is read; a prefix can be kept for another continuation.
#[derive(Debug, Clone)]
pub struct Cache {
    pub(super) layers: Vec<Vec<Head>>,
    d_head: usize,
    pub(super) length: usize,
}

impl Cache {
    pub(super) fn new(num_layers: usize, kv_heads: usize, d_head: usize) -> Self {
        Self {
            layers: vec![vec![Head::default(); kv_heads]; num_layers],
            d_head,
            length: 0,
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Forgets all positions but the first `length`.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
        let numbers = self.length * self.d_head;
        for head in self.layers.iter_mut().flatten() {
            head.keys.truncate(numbers);
            head.values.truncate(numbers);
        }
    }

    /// Adds keys and values `[positions, heads, d_head]` of a layer.
    pub(super) fn push(&mut self, layer: usize, keys: &[f32], values: &[f32]) {
        let (d_head, heads) = (self.d_head, &mut self.layers[layer]);
        let width = heads.len() * d_head;
        let add =
            |to: &mut Vec<u16>, from: &[f32]| to.extend(from.iter().map(|it| f32_to_f16(*it)));
        for (keys, values) in keys.chunks_exact(width).zip(values.chunks_exact(width)) {
            let parts = keys.chunks_exact(d_head).zip(values.chunks_exact(d_head));
            for (head, (keys, values)) in heads.iter_mut().zip(parts) {
                add(&mut head.keys, keys);
                add(&mut head.values, values);
            }
        }
    }
}
