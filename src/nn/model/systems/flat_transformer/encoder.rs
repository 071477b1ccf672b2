//! One encoder for the previous sentences and the own one, whose top sees only the own one.
//!
//! Ma, Zhang & Zhou, "A Simple and Effective Unified Encoder for Document-Level Machine Translation" (Flat-Transformer),
//! ACL 2020, §3: tokens of context and sentence are embedded with a segment in addition to place and token; the bottom
//! blocks attend to all of them, the top blocks to the tokens of the sentence alone.

use std::ops::Range;
use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};

use crate::model::config::ModelConfig;
use crate::model::encoder::{Encoder, EncoderOutput};
use crate::model::encoder_sublayer::EncoderSublayer;
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::query_spans::QuerySpan;
use crate::model::recorder::{AttentionKind, AttentionRecorder};
use crate::model::rows::select_rows;
use crate::model::systems::BertFusion;
use canopy_kernels::{DropoutSource, Segment};

/// The parameters of a flat encoder other than its layers.
#[derive(Module, Debug)]
pub struct FlatSegments {
    /// Vectors of context and sentence, `[2, d_model]`.
    pub segments: Param<Tensor<2>>,
    /// How many self-attentions, the last ones, see the sentence alone.
    pub top: usize,
}

impl FlatSegments {
    /// None if the model has another context.
    pub(in crate::model) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let top = config.context?.mechanism().num_own_attentions()?;
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (config.d_model as f64).powf(-0.5);
        let distribution = Distribution::Normal(0.0, deviation);
        let segments = Tensor::random([2, config.d_model], distribution, device);
        Some(Self {
            segments: Param::from_tensor(segments),
            top,
        })
    }

    /// Begins as vectors of zeros, which change no token.
    pub(in crate::model) fn zero_init(&mut self) {
        self.segments = Param::from_tensor(self.segments.val().zeros_like());
    }

    /// The embedded tokens with their segments.
    ///
    /// # Shapes
    /// - x, output: `[rows, d_model]`
    pub fn add(&self, x: Tensor<2>, own: &[Range<usize>]) -> Tensor<2> {
        let [rows, _] = x.dims();
        let mut segments = vec![0; rows];
        for rows in own {
            segments[rows.clone()].fill(1);
        }
        x + select_rows(self.segments.val(), &segments)
    }
}

impl Encoder {
    /// Reads sentences behind those before them, up to the last `top` self-attentions; with BERT's states of each sentence
    /// of `source`, every token of its run reads these.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`, the embedded tokens of `joined`, in which the sentences of `source` are at `own`
    pub(in crate::model) fn flat(
        &self,
        mut x: Tensor<2>,
        (joined, own): (&PackedBatch, &[Range<usize>]),
        source: &PackedBatch,
        (top, bert): (usize, Option<Memory>),
        drop: &DropoutSource,
        recorder: &mut AttentionRecorder,
    ) -> EncoderOutput {
        let attentions = self.sublayers.iter().enumerate();
        let attentions = attentions.filter(|(_, sublayer)| sublayer.attention.is_some());
        let attentions: Vec<usize> = attentions.map(|(number, _)| number).collect();
        let top = &attentions[attentions.len().saturating_sub(top)..];
        let cut = top.first().copied().unwrap_or(self.sublayers.len());
        let (segments, spans) = (joined.own_segments(), joined.layout().query_spans());
        let mut fusions = self.fusions.iter();
        for sublayer in &self.sublayers[..cut] {
            let fusion = fused(sublayer, &mut fusions, bert.as_ref());
            x = self.sublayer(sublayer, x, (&segments, &spans), fusion, drop);
        }
        let rows: Vec<usize> = own.iter().cloned().flatten().collect();
        x = select_rows(x, &rows);
        let (segments, spans) = (source.own_segments(), source.layout().query_spans());
        let last = attentions.last().copied();
        for (number, sublayer) in self.sublayers.iter().enumerate().skip(cut) {
            if let (Some(attention), true) = (&sublayer.attention, Some(number) == last) {
                recorder.add(AttentionKind::EncoderSelf, attentions.len() - 1, |keep| {
                    attention.attention_weights(x.clone(), x.clone(), &segments, keep)
                });
            }
            let fusion = fused(sublayer, &mut fusions, bert.as_ref());
            x = self.sublayer(sublayer, x, (&segments, &spans), fusion, drop);
        }
        let states = match &self.final_norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        EncoderOutput {
            bert,
            ..EncoderOutput::new(states, source)
        }
    }

    fn sublayer(
        &self,
        sublayer: &EncoderSublayer,
        x: Tensor<2>,
        (segments, spans): (&Arc<[Segment]>, &[QuerySpan]),
        fusion: Option<Fused<'_>>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let norm = &sublayer.norm;
        if let (Some(attention), Some((fusion, bert))) = (&sublayer.attention, fusion) {
            let own = attention.forward(x.clone(), x.clone(), segments, drop.attention());
            let read = fusion
                .prepare(bert)
                .attend(x.clone(), spans, drop.attention());
            return fusion.join(norm, x, own, read, drop);
        }
        norm.residual(self.norm_position, x, drop, |x| {
            sublayer.branch(x, segments, drop)
        })
    }
}

/// The attention to BERT of a layer, and what it reads.
type Fused<'m> = (&'m BertFusion, &'m Memory);

/// That of the next self-attention, if `sublayer` is one and BERT is read.
fn fused<'m>(
    sublayer: &EncoderSublayer,
    fusions: &mut std::slice::Iter<'m, BertFusion>,
    bert: Option<&'m Memory>,
) -> Option<Fused<'m>> {
    sublayer.attention.as_ref()?;
    fusions.next().zip(bert)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::loops::{fed_forward, normed, read, sum, values};
    use crate::model::{
        Architecture, BertConfig, BertReading, BertSequence, Context, Fusion, MemorySource,
        NormPosition, Pooling, Positions, SpecialTokens, Transformer, Variant,
    };

    fn config() -> ModelConfig {
        ModelConfig {
            vocab_size: 12,
            d_model: 4,
            d_ff: 6,
            num_heads: 1,
            encoder: "sf-sf".parse().expect("a layout"),
            num_decoder_layers: 1,
            dropout: 0.0,
            positions: Positions::Sinusoidal,
            norm: NormPosition::Post,
            tied_embeddings: true,
            max_tokens: 8,
            architecture: Architecture::Transformer,
            context: Some(Context::FlatTransformer {
                previous: 1,
                top: 1,
            }),
            memory: MemorySource::Live,
            warm_gate: false,
            memory_use: None,
            previous_translations: 0,
            reads_formality: false,
            variant: Variant::default(),
            tokens: SpecialTokens::default(),
            bert: None,
        }
    }

    /// `norm(x + sublayer(x))` of one block, where every token of `x` reads all of them.
    fn block(encoder: &Encoder, number: usize, x: &[Vec<f32>]) -> Vec<Vec<f32>> {
        let [attention, feed_forward] = [2 * number, 2 * number + 1];
        let attention = encoder.sublayers[attention].attention.as_ref();
        let feed_forward = encoder.sublayers[feed_forward].feed_forward.as_ref();
        let (attention, feed_forward) = attention.zip(feed_forward).expect("a block");
        let recorder = x
            .iter()
            .map(|word| normed(&sum(word, &read(attention, word, x))));
        let fed = recorder.map(|word| normed(&sum(&word, &fed_forward(feed_forward, &word))));
        fed.collect()
    }

    /// A BERT of the width of the model.
    fn bert() -> BertReading {
        BertReading {
            max_tokens: 8,
            trained: true,
            pooling: Pooling::Mean,
            normalised: true,
            sizes: BertConfig {
                vocab_size: 9,
                d_model: 4,
                num_layers: 1,
                num_heads: 2,
                d_ff: 6,
                max_tokens: 8,
                num_types: 2,
                norm_epsilon: 1e-12,
            },
        }
    }

    /// With BERT, what each token reads is the mean of its own attention and that to BERT's states of the sentence of its run.
    #[test]
    fn two_blocks_that_read_bert_are_what_loops_compute() {
        let device = Device::flex();
        device.seed(5);
        let config = ModelConfig {
            context: Some(Context::FlatTransformerBert {
                previous: 1,
                top: 1,
                fusion: Fusion::Average,
            }),
            bert: Some(bert()),
            ..config()
        };
        config.validate().expect("it can be built");
        let mut model = Transformer::new(&config, &device);
        let drawn = Distribution::Normal(0.0, 1.0);
        let words = &mut model.bert.as_mut().expect("a BERT").bert.words;
        *words = Param::from_tensor(words.val().random_like(drawn));
        let mut source = PackedBatch::default();
        for (number, (ids, pieces)) in [([5, 6, 3], [2, 4, 3]), ([7, 8, 3], [2, 6, 5])]
            .into_iter()
            .enumerate()
        {
            source.push(&ids, (number, 0));
            source.push_pieces(&BertSequence {
                ids: pieces.to_vec(),
                of_first: 3,
            });
        }
        let none = DropoutSource::none();
        let output = model.encode(&source, None, &none);
        let states = output
            .bert
            .as_ref()
            .expect("BERT's states, for the decoder");
        let of_second = &values(&states.values)[3..];
        let got = values(&output.states);

        let joined: &[u32] = &[5, 6, 3, 2, 7, 8, 3];
        let embedded = values(&model.embedding.forward(&PackedBatch::new([joined]), &none));
        let segments = values(&model.flat.as_ref().expect("segments").segments.val());
        let words = embedded.iter().enumerate();
        let words: Vec<Vec<f32>> = words
            .map(|(position, word)| sum(word, &segments[usize::from(position >= 4)]))
            .collect();
        let encoder = &model.encoder;
        let block = |number: usize, x: &[Vec<f32>]| -> Vec<Vec<f32>> {
            let attention = encoder.sublayers[2 * number].attention.as_ref();
            let feed_forward = encoder.sublayers[2 * number + 1].feed_forward.as_ref();
            let (attention, feed_forward) = attention.zip(feed_forward).expect("a block");
            let fusion = &encoder.fusions[number].attention;
            let mean = |word: &Vec<f32>| -> Vec<f32> {
                let (own, bert) = (read(attention, word, x), read(fusion, word, of_second));
                own.iter()
                    .zip(bert)
                    .map(|(own, bert)| (own + bert) / 2.0)
                    .collect()
            };
            let read = x.iter().map(|word| normed(&sum(word, &mean(word))));
            read.map(|word| normed(&sum(&word, &fed_forward(feed_forward, &word))))
                .collect()
        };
        let want = block(1, &block(0, &words)[4..]);
        for (got, want) in got[3..].iter().flatten().zip(want.iter().flatten()) {
            assert!((got - want).abs() < 1e-4, "{got} and {want}");
        }
    }

    #[test]
    fn two_blocks_are_what_loops_compute() {
        let device = Device::flex();
        device.seed(4);
        let model = Transformer::new(&config(), &device);
        let mut source = PackedBatch::default();
        source.push(&[5, 6, 3], (0, 0));
        source.push(&[7, 8, 9, 3], (1, 0));
        let none = DropoutSource::none();
        let got = values(&model.encode(&source, None, &none).states);
        assert_eq!(got.len(), 7);

        // The second sentence is after the first and a break.
        let joined: &[u32] = &[5, 6, 3, 2, 7, 8, 9, 3];
        let embedded = values(&model.embedding.forward(&PackedBatch::new([joined]), &none));
        let flat = model.flat.as_ref().expect("a flat encoder");
        let segments = values(&flat.segments.val());
        let words = embedded.iter().enumerate();
        let words: Vec<Vec<f32>> = words
            .map(|(position, word)| sum(word, &segments[usize::from(position >= 4)]))
            .collect();
        let below = block(&model.encoder, 0, &words);
        let want = block(&model.encoder, 1, &below[4..]);
        for (got, want) in got[3..].iter().flatten().zip(want.iter().flatten()) {
            assert!((got - want).abs() < 1e-4, "{got} and {want}");
        }
    }
}
