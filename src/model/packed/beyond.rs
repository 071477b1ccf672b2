//! What a packed decoder reads beyond its own sentence: burn's layers compute it, between steps that are packed.

use burn::tensor::{Device, Tensor, TensorData};

use crate::kernels::DropoutSource;
use crate::model::bert_fusion::BertFusion;
use crate::model::config::NormPosition;
use crate::model::context_attention::{ContextSublayer, GatedContext};
use crate::model::decoder::{Decoder, DecoderLayer, DecoderMemory};
use crate::model::norm::Norm;
use crate::model::query_spans::QuerySpan;

/// The layers that read beyond the sentence, as burn has them.
#[derive(Debug, Clone)]
pub(super) struct LayersBeyond {
    layers: Vec<LayerBeyond>,
    gated: Option<GatedContext>,
    norm_position: NormPosition,
}

/// What one decoder layer reads so.
#[derive(Debug, Clone)]
enum LayerBeyond {
    Nothing,
    /// Other source sentences, behind the own one.
    Context(Box<ContextSublayer>),
    /// BERT's states, beside the own sentence; with the norm of what is read there.
    Bert(Box<(BertFusion, Norm)>),
}

/// The memory of the documents of some encoded sentences.
#[derive(Debug, Clone)]
pub(super) struct MemoryBeyond {
    pub memory: DecoderMemory,
    /// The number of each encoded sentence in their documents.
    pub numbers: Vec<usize>,
}

/// What hypotheses read at one step.
pub(super) struct Reading<'a> {
    pub memory: &'a DecoderMemory,
    /// A row for each hypothesis.
    pub spans: Vec<QuerySpan>,
}

impl MemoryBeyond {
    /// Hypotheses of these of the encoded sentences.
    pub fn read_by(&self, sentences: &[usize]) -> Reading<'_> {
        let spans = sentences
            .iter()
            .enumerate()
            .map(|(row, &sentence)| QuerySpan {
                rows: row..row + 1,
                sentence: self.numbers[sentence],
            });
        Reading {
            memory: &self.memory,
            spans: spans.collect(),
        }
    }
}

impl LayersBeyond {
    /// None if the decoder reads its own sentence alone.
    pub fn of(decoder: &Decoder) -> Option<Self> {
        let layer = |layer: &DecoderLayer| match (&layer.context, &layer.fusion) {
            (Some(context), _) => LayerBeyond::Context(Box::new(context.clone())),
            (None, Some(fusion)) => {
                LayerBeyond::Bert(Box::new((fusion.clone(), layer.norm_cross.clone())))
            }
            (None, None) => LayerBeyond::Nothing,
        };
        let layers: Vec<LayerBeyond> = decoder.layers.iter().map(layer).collect();
        let reads = |layer: &LayerBeyond| !matches!(layer, LayerBeyond::Nothing);
        (decoder.gated.is_some() || layers.iter().any(reads)).then(|| Self {
            layers,
            gated: decoder.gated.clone(),
            norm_position: decoder.norm_position,
        })
    }

    /// Whether the result of the last layer's attention to the source asks for translations of other sentences.
    pub fn asks_with_attended(&self) -> bool {
        self.gated.is_some()
    }

    /// Whether a layer reads BERT's states beside its own sentence.
    pub fn reads_bert(&self, layer: usize, reading: &Reading<'_>) -> bool {
        let reads = matches!(self.layers[layer], LayerBeyond::Bert(_));
        reads && reading.memory.layers[layer].is_some()
    }

    /// `y` joined with `own`, what it has read of its sentence, and with BERT's states, if this layer reads them.
    ///
    /// # Shapes
    /// - y, own: `[hypotheses, d_model]`
    pub fn join_bert(&self, layer: usize, y: &mut Vec<f32>, own: &[f32], reading: &Reading<'_>) {
        let (LayerBeyond::Bert(bert), Some(states)) =
            (&self.layers[layer], &reading.memory.layers[layer])
        else {
            return;
        };
        let (fusion, norm) = bert.as_ref();
        let (x, own) = (tensor(y, reading), tensor(own, reading));
        let read = fusion.attend(x.clone(), &reading.spans, states);
        *y = numbers(fusion.join(norm, x, own, read, &DropoutSource::none()));
    }

    /// `y` joined with what it reads of other source sentences, if this layer does.
    ///
    /// # Shapes
    /// - y: `[hypotheses, d_model]`
    pub fn join_context(&self, layer: usize, y: &mut Vec<f32>, reading: &Reading<'_>) {
        let (LayerBeyond::Context(context), Some(memory)) =
            (&self.layers[layer], &reading.memory.layers[layer])
        else {
            return;
        };
        let none = DropoutSource::none();
        let joined = context.join(self.norm_position, tensor(y, reading), &none, |y| {
            context.attention.attend(y.clone(), &reading.spans, memory)
        });
        *y = numbers(joined);
    }

    /// The states of the last layer, joined with what is read of translations where there are some.
    ///
    /// # Shapes
    /// - states, attended: `[hypotheses, d_model]`
    pub fn join_translations(
        &self,
        states: Vec<f32>,
        attended: &[f32],
        reading: &Reading<'_>,
    ) -> Vec<f32> {
        let (Some(gated), Some(memory)) = (&self.gated, &reading.memory.translations) else {
            return states;
        };
        let (own, queries) = (tensor(&states, reading), tensor(attended, reading));
        let none = DropoutSource::none();
        numbers(gated.attend(own, queries, &reading.spans, memory, &none))
    }
}

/// A row for each hypothesis.
fn tensor(rows: &[f32], reading: &Reading<'_>) -> Tensor<2> {
    let count = reading.spans.len();
    let shape = [count, rows.len() / count.max(1)];
    Tensor::from_data(TensorData::new(rows.to_vec(), shape), &Device::flex())
}

fn numbers(rows: Tensor<2>) -> Vec<f32> {
    let numbers = rows.into_data().try_into_vec();
    numbers.expect("states are 32-bit floats")
}
