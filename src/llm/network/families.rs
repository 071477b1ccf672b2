//! In what families of decoders differ.

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

/// A family of decoders. What its files say of themselves (biases, norms of queries and keys, tied outputs, scalings of
/// rotations) is read from each file.
#[derive(Debug)]
pub(super) struct Family {
    /// `general.architecture`
    pub name: &'static str,
    pub pairs: Pairs,
    pub gate: Gate,
    /// Whether embeddings are multiplied by `√d_model`.
    pub scales_embeddings: bool,
    pub sliding: Option<Sliding>,
    /// The number of layers of the one size whose scores are divided by `√(d_model / heads)`, not `√d_head`.
    pub scaled_by_width: Option<usize>,
}

/// Sources: the reports of each family; for names and layouts in files, llama.cpp's `llama-model.cpp`.
const FAMILIES: [Family; 5] = [
    // Llama 1 to 3, Mistral, SmolLM, TinyLlama, EuroLLM
    Family {
        name: "llama",
        pairs: Pairs::Neighbours,
        gate: Gate::Silu,
        scales_embeddings: false,
        sliding: None,
        scaled_by_width: None,
    },
    Family {
        name: "qwen2",
        pairs: Pairs::Halves,
        gate: Gate::Silu,
        scales_embeddings: false,
        sliding: None,
        scaled_by_width: None,
    },
    Family {
        name: "qwen3",
        pairs: Pairs::Halves,
        gate: Gate::Silu,
        scales_embeddings: false,
        sliding: None,
        scaled_by_width: None,
    },
    Family {
        name: "gemma2",
        pairs: Pairs::Halves,
        gate: Gate::Gelu,
        scales_embeddings: true,
        sliding: Some(Sliding {
            period: 2,
            base: None,
        }),
        scaled_by_width: Some(46),
    },
    Family {
        name: "gemma3",
        pairs: Pairs::Halves,
        gate: Gate::Gelu,
        scales_embeddings: true,
        sliding: Some(Sliding {
            period: 6,
            base: Some(10_000.0),
        }),
        scaled_by_width: Some(62),
    },
];

impl Family {
    pub fn named(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|it| it.name == name)
    }

    /// The names of all, for a message.
    pub fn names() -> String {
        FAMILIES.map(|it| it.name).join(", ")
    }
}
