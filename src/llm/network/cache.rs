//! Keys and values of the positions read so far.

use std::ops::Range;

use super::gpu::GpuCache;
use crate::blocks::f32_to_f16;
use crate::product::Stored;

/// Keys and values of a head: `[positions, d_head]` each.
#[derive(Debug, Clone)]
pub(super) struct Head {
    keys: Numbers,
    values: Numbers,
}

/// Numbers as half floats, or in 32 bits.
#[derive(Debug, Clone)]
enum Numbers {
    Halves(Vec<u16>),
    Floats(Vec<f32>),
}

impl Numbers {
    fn new(in_halves: bool) -> Self {
        if in_halves {
            Self::Halves(Vec::new())
        } else {
            Self::Floats(Vec::new())
        }
    }

    fn push(&mut self, numbers: &[f32]) {
        match self {
            Self::Halves(all) => all.extend(numbers.iter().map(|it| f32_to_f16(*it))),
            Self::Floats(all) => all.extend(numbers),
        }
    }

    fn truncate(&mut self, length: usize) {
        match self {
            Self::Halves(all) => all.truncate(length),
            Self::Floats(all) => all.truncate(length),
        }
    }

    fn part(&self, part: Range<usize>) -> Stored<'_> {
        match self {
            Self::Halves(all) => Stored::Halves(&all[part]),
            Self::Floats(all) => Stored::Floats(&all[part]),
        }
    }
}

impl Head {
    /// All keys and values, as the second of two parts.
    pub(crate) fn whole(&self, numbers: usize) -> HeadPart<'_> {
        let ([no_keys, no_values], [keys, values]) = (self.part(0..0), self.part(0..numbers));
        [[no_keys, keys], [no_values, values]]
    }

    /// Keys and values of some numbers.
    pub(crate) fn part(&self, part: Range<usize>) -> [Stored<'_>; 2] {
        [self.keys.part(part.clone()), self.values.part(part)]
    }
}

/// Keys and values of all layers. It grows with what is read; a prefix can be kept for another continuation.
#[derive(Debug)]
pub struct Cache {
    pub(super) layers: Vec<Vec<Head>>,
    /// Those of an encoder's states; empty where there is no encoder, or it has read nothing.
    pub(super) source: Vec<Vec<Head>>,
    /// Positions of the encoder.
    pub(super) source_length: usize,
    d_head: usize,
    pub(super) length: usize,
    /// Keys and values on a GPU, in place of those of `layers`.
    pub(super) gpu: Option<GpuCache>,
}

impl Cache {
    pub(super) fn new(num_layers: usize, kv_heads: usize, d_head: usize, in_halves: bool) -> Self {
        let head = Head {
            keys: Numbers::new(in_halves),
            values: Numbers::new(in_halves),
        };
        let layers = vec![vec![head; kv_heads]; num_layers];
        Self {
            source: layers.clone(),
            source_length: 0,
            layers,
            d_head,
            length: 0,
            gpu: None,
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing has been read.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Forgets all positions but the first `length`; what an encoder has read stays.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
        truncate(&mut self.layers, self.length * self.d_head);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.truncate(0);
        truncate(&mut self.source, 0);
        self.source_length = 0;
    }

    /// Adds keys and values `[positions, heads, d_head]` of a layer.
    pub(super) fn push(&mut self, layer: usize, keys: &[f32], values: &[f32]) {
        push(&mut self.layers[layer], self.d_head, keys, values);
    }

    /// Sets keys and values `[positions, heads, d_head]` of an encoder's states for a layer.
    pub(super) fn push_source(&mut self, layer: usize, keys: &[f32], values: &[f32]) {
        let heads = &mut self.source[layer];
        self.source_length = keys.len() / (heads.len() * self.d_head);
        push(heads, self.d_head, keys, values);
    }
}

/// Tokens that are read behind those of a cache.
#[derive(Debug)]
pub(super) struct Sequence<'s> {
    /// Positions before those of the cache, shared by several sequences and never changed.
    pub prefix: Option<&'s Cache>,
    pub cache: &'s mut Cache,
    /// Number of the tokens.
    pub tokens: usize,
}

impl Sequence<'_> {
    /// Positions before the tokens.
    pub(super) fn first(&self) -> usize {
        self.prefix_length() + self.cache.length
    }

    fn prefix_length(&self) -> usize {
        self.prefix.map_or(0, |prefix| prefix.length)
    }

    /// Keys, and values, of some positions of a head, those of the prefix and the others.
    pub(super) fn part(&self, layer: usize, head: usize, positions: Range<usize>) -> HeadPart<'_> {
        let (before, d_head) = (self.prefix_length(), self.cache.d_head);
        let numbers = |start: usize, end: usize| start * d_head..end * d_head;
        let (start, end) = (positions.start, positions.end);
        let own = numbers(start.saturating_sub(before), end.saturating_sub(before));
        let shared = numbers(start.min(before), end.min(before));
        let heads = &self.cache.layers[layer];
        let [keys, values] = heads[head].part(own);
        let shared = self.prefix.map(|it| it.layers[layer][head].part(shared));
        let [first_keys, first_values] = shared.unwrap_or_else(|| heads[head].part(0..0));
        [[first_keys, keys], [first_values, values]]
    }

    /// The cache with what an encoder has read.
    pub(super) fn source(&self) -> &Cache {
        self.prefix.unwrap_or(self.cache)
    }
}

/// Keys, and values, in two parts one behind the other.
pub(super) type HeadPart<'h> = [[Stored<'h>; 2]; 2];

fn truncate(layers: &mut [Vec<Head>], numbers: usize) {
    for head in layers.iter_mut().flatten() {
        head.keys.truncate(numbers);
        head.values.truncate(numbers);
    }
}

fn push(heads: &mut [Head], d_head: usize, keys: &[f32], values: &[f32]) {
    let width = heads.len() * d_head;
    for (keys, values) in keys.chunks_exact(width).zip(values.chunks_exact(width)) {
        let parts = keys.chunks_exact(d_head).zip(values.chunks_exact(d_head));
        for (head, (keys, values)) in heads.iter_mut().zip(parts) {
            head.keys.push(keys);
            head.values.push(values);
        }
    }
}
