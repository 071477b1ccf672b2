//! How a network knows where its tokens stand: by rotations, or by biases of relative positions.

use std::ops::Range;

use super::relative::{Biases, Relative};
use super::rotation::{Angles, Rotation};

#[derive(Debug, Clone)]
pub(super) enum Positions {
    Rotated {
        rotation: Rotation,
        /// Rotation of layers with a window.
        sliding: Rotation,
    },
    Relative(Relative),
}

/// Rotations or biases for the positions of some tokens.
pub(super) enum Placed<'p> {
    Rotated {
        rotation: (&'p Rotation, Angles),
        sliding: (&'p Rotation, Angles),
    },
    /// Biases of the layers; where there are fewer than layers, those of the first are shared by the rest.
    Relative(Vec<Biases>),
}

impl Positions {
    /// The positions of `tokens` from the one numbered `first` on, all tokens before which are seen.
    pub(crate) fn placed(&self, first: usize, tokens: usize) -> Placed<'_> {
        match self {
            Self::Rotated { rotation, sliding } => Placed::Rotated {
                rotation: (rotation, rotation.angles(first, tokens)),
                sliding: (sliding, sliding.angles(first, tokens)),
            },
            Self::Relative(relative) => Placed::Relative(relative.biases(first, tokens)),
        }
    }
}

impl Placed<'_> {
    /// Rotates the heads of a layer, which sees a window alone or not.
    ///
    /// # Shapes
    /// - heads: `[tokens, any, d_head]`
    pub(crate) fn rotate(&self, slides: bool, heads: &mut [f32], tokens: usize, d_head: usize) {
        let Self::Rotated { rotation, sliding } = self else {
            return;
        };
        let (rotation, angles) = if slides { sliding } else { rotation };
        let width = heads.len() / tokens;
        for (index, heads) in heads.chunks_exact_mut(width).enumerate() {
            rotation.rotate(angles, index, heads, d_head);
        }
    }

    /// Biases of the scores of a head's query at `position`, one for each `visible` key; empty where there are none.
    pub(crate) fn biases(
        &self,
        layer: usize,
        head: usize,
        position: usize,
        visible: Range<usize>,
    ) -> &[f32] {
        match self {
            Self::Rotated { .. } => &[],
            Self::Relative(layers) => {
                let biases = layers.get(layer).or(layers.first());
                biases.map_or(&[], |it| it.row(head, position, visible))
            }
        }
    }
}
