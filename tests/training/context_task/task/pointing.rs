//! Which sentences a word attended to, by what a trace holds.
//!
//! In the row where the form is chosen the decoder reads words of its source sentence, and translations of other sentences
//! where a system reads these. Each source word has read the document in turn, and this counts by the decoder's
//! cross-attention to the word. Behind a gate it counts by the share `1 - γ` that the gate let in (Maruf et al. 2019, Eq. 9),
//! the mean over features. The weight of a sentence is the sum over heads and words. The own sentence is left out: it never
//! decides.
//!
//! Concatenated sentences meet in every self-attention. As in a trace the last one counts: the first one gives a name its
//! title, so that what it reads in other places means nothing yet.

use std::collections::BTreeMap;

use canopy::model::{
    AttentionKind, AttentionRecorder, Batch, Context, FlatLevel, HeadWeights, Model, PackedBatch,
    RecordedLayer, Recording,
};

use super::documents::Mention;

/// Weights of a pass over documents and their reference translations.
pub struct Pointing<'a> {
    recorder: AttentionRecorder,
    batch: &'a Batch,
    /// Whether the words read encodings of sentences, not words.
    reads_encodings: bool,
}

impl<'a> Pointing<'a> {
    pub fn record(model: &Model, context: Context, batch: &'a Batch) -> Self {
        Self {
            recorder: model.record(&batch.source, &batch.references, Recording::all()),
            batch,
            reads_encodings: match context {
                Context::HierarchicalEncoding { .. } => true,
                Context::Flat { level, .. } => level == FlatLevel::Sentence,
                _ => false,
            },
        }
    }

    /// The other sentence that a mention's noun and form read most of.
    pub fn largest(&self, mention: &Mention) -> Option<usize> {
        let Batch {
            source, references, ..
        } = self.batch;
        let form = references.sentences[mention.sentence].start + Mention::PLACE;
        let mut weights = BTreeMap::new();
        self.add(
            AttentionKind::DecoderContext,
            (form, 1.0),
            references,
            &mut weights,
        );
        for cross in self.attention_weights(AttentionKind::Cross, form) {
            for &(word, share) in &cross.keys {
                for kind in [AttentionKind::Context, AttentionKind::EncoderSelf] {
                    self.add(kind, (word as usize, share), source, &mut weights);
                }
            }
        }
        weights.remove(&mention.sentence);
        let read = weights.into_iter().filter(|&(_, weight)| weight > 0.0);
        let largest = read.max_by(|one, other| one.1.total_cmp(&other.1));
        largest.map(|(sentence, _)| sentence)
    }

    /// Adds what a row read of each sentence, by the row's share.
    fn add(
        &self,
        kind: AttentionKind,
        (row, share): (usize, f32),
        keys: &PackedBatch,
        weights: &mut BTreeMap<usize, f32>,
    ) {
        let gate = self.recorder.gates.iter().find(|gate| gate.kind == kind);
        let share = share * gate.map_or(1.0, |gate| 1.0 - gate.mean[row]);
        for reading in self.attention_weights(kind, row) {
            let chosen = reading.sentences.iter();
            let chosen = chosen.map(|chosen| (chosen.sentence, chosen.weight));
            let words = reading.keys.iter().map(|&(key, weight)| {
                let key = key as usize;
                if self.reads_encodings && kind == AttentionKind::Context {
                    (key, weight)
                } else {
                    (
                        keys.sentences.partition_point(|rows| rows.end <= key),
                        weight,
                    )
                }
            });
            let words = words.filter(|_| reading.sentences.is_empty());
            for (sentence, weight) in chosen.chain(words) {
                *weights.entry(sentence).or_default() += share * weight;
            }
        }
    }

    /// All heads of a row.
    fn attention_weights(&self, kind: AttentionKind, row: usize) -> &[HeadWeights] {
        let mut layers = self.recorder.layers.iter();
        let Some(RecordedLayer {
            attention_weights, ..
        }) = layers.find(|layer| layer.kind == kind)
        else {
            return &[];
        };
        &attention_weights.rows
            [row * attention_weights.num_heads..(row + 1) * attention_weights.num_heads]
    }
}
