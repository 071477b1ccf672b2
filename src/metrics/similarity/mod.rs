//! Which sentences resemble each other: vectors in, neighbours out.
//!
//! The context of a sentence as CATSBY chooses it (2022, "similarity-selected context", equations 2–6, 11 and 12): the
//! sentence whose embedding is nearest by a [`Measure`], looked for within a [`Range`]. Where the embeddings come from is
//! not known here, and no text either.
//!
//! All pairs are compared, but never held at once: blocks of sentences meet blocks of sentences, and of each pair only
//! what belongs to the nearest few stays. Memory is that of the embeddings, the neighbours, and a block for each thread.

mod context;
mod embeddings;
mod matrix;
mod measure;
mod nearest;
mod products;
mod selection;
mod tasks;

pub use context::ContextKind;
pub use embeddings::{Embeddings, Sentences};
pub use matrix::SimilarityMatrix;
pub use measure::Measure;
pub use selection::{Neighbour, Neighbours, Range, Selection};

/// Numbers of sentences that are side by side.
type Rows = std::ops::Range<usize>;
