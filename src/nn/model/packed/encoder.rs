//! The packed encoder: sentences by themselves.

use std::ops::Range;

use super::layers::{Buffers, PackedAttention, PackedFeedForward, PackedNorm, Packing};
use crate::model::encoder::Encoder;
use crate::model::encoder_sublayer::{EncoderSublayer, SublayerKind};
use crate::model::recorder::{AttentionKind, AttentionRecorder};
use canopy_kernels::packed::{RowNorm, Scratch};

/// The sublayers of an [`Encoder`].
#[derive(Debug, Clone)]
pub(super) struct PackedEncoder {
    sublayers: Vec<Sublayer>,
    final_norm: Option<RowNorm>,
    /// Number of the last self-attention.
    last_attention: usize,
}

#[derive(Debug, Clone)]
struct Sublayer {
    kind: Kind,
    norm: PackedNorm,
}

#[derive(Debug, Clone)]
enum Kind {
    Attention(PackedAttention),
    FeedForward(PackedFeedForward),
}

impl PackedEncoder {
    pub(super) fn new(encoder: &Encoder, packing: Packing<'_>) -> Self {
        let sublayer = |sublayer: &EncoderSublayer| Sublayer {
            kind: match sublayer.kind() {
                SublayerKind::Attention(attention) => {
                    Kind::Attention(PackedAttention::new(attention, packing))
                }
                SublayerKind::FeedForward(feed_forward) => {
                    Kind::FeedForward(PackedFeedForward::new(feed_forward, packing))
                }
            },
            norm: PackedNorm::new(&sublayer.norm, encoder.norm_position, packing),
        };
        Self {
            sublayers: encoder.sublayers.iter().map(sublayer).collect(),
            final_norm: encoder.final_norm.as_ref().map(|norm| packing.norm(norm)),
            last_attention: encoder.last_attention(),
        }
    }

    /// States of the embedded rows `x` `[rows, d_model]`, each sentence by itself, with what burn's encoder reports of its
    /// attention.
    pub(super) fn forward(
        &self,
        mut x: Vec<f32>,
        sentences: &[Range<usize>],
        scratch: Scratch,
        recorder: &mut AttentionRecorder,
    ) -> Vec<f32> {
        let (mut buffers, mut layers) = (Buffers::new(scratch), 0..);
        for Sublayer { kind, norm } in &self.sublayers {
            norm.residual(&mut x, &mut buffers, |x, buffers| match kind {
                Kind::Attention(attention) => {
                    attention.forward(x, sentences.iter().cloned(), false, buffers);
                    let last = self.last_attention;
                    if layers.next() == Some(last) {
                        recorder.add(AttentionKind::EncoderSelf, last, |keep| {
                            attention.weights(sentences, buffers, keep)
                        });
                    }
                }
                Kind::FeedForward(feed_forward) => feed_forward.forward(x, buffers),
            });
        }
        if let Some(norm) = &self.final_norm {
            norm.apply(&mut x);
        }
        x
    }
}
