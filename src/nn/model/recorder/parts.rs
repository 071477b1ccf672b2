//! Recorders of parts of the sentences, joined.

use std::ops::Range;

use super::{AttentionRecorder, weights};

impl AttentionRecorder {
    /// Gives what a part of the sentences attends to the rows that these have in the whole.
    pub(in super::super) fn rename(&mut self, sentences: &[Range<usize>]) {
        let origin: Vec<usize> = sentences.iter().cloned().flatten().collect();
        for layer in &mut self.layers {
            let weights = &mut layer.attention_weights;
            weights.rename(|row| Some(weights::number(origin[row])));
        }
    }

    /// Adds what the next parts of the sentences attend to.
    pub(in super::super) fn extend(&mut self, parts: Vec<Self>) {
        for layer in parts.into_iter().flat_map(|part| part.layers) {
            self.add(layer.kind, layer.layer, |_| layer.attention_weights);
        }
    }
}
