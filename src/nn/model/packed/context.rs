//! Layers with which a packed decoder reads beyond its own sentence: translations by packed weights where there are some,
//! and the rest by burn's layers between steps that are packed.

use std::fmt::Debug;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::layers::{Buffers, Packing};
use super::translations::SharedTranslations;
use crate::model::config::NormPosition;
use crate::model::context_attention::ContextSublayer;
use crate::model::decoder::{Decoder, DecoderLayer, DecoderMemory};
use crate::model::norm::Norm;
use crate::model::prepared::Memory;
use crate::model::query_spans::QuerySpan;
use crate::model::systems::{BertFusion, GatedContext};
use canopy_kernels::DropoutSource;

/// The form on the CPU of a layer that reads translations of other sentences after the last layer of a decoder.
pub(in crate::model) trait PackedContext: Debug + Send + Sync {
    /// Whether the input of the last feed-forward sublayer queries translations; else the states after it do.
    fn reads_fed_forward(&self) -> bool;

    /// The translations of some documents, prepared once for all hypotheses.
    fn prepare(&self, translations: &Memory) -> SharedTranslations;

    /// The states `own`, joined with what they read of other sentences.
    ///
    /// # Shapes
    /// - own, fed_forward: `[hypotheses, d_model]`, a row for each of `spans`
    fn join(
        &self,
        own_and_fed_forward: (&mut [f32], &[f32]),
        translations: &SharedTranslations,
        spans: &[QuerySpan],
        buffers: &mut Buffers,
    );
}

/// Packs a layer: makes its form on the CPU.
pub(in crate::model) type Pack<'a> = Box<dyn FnOnce(Packing<'_>) -> Arc<dyn PackedContext> + 'a>;

/// The layers that read beyond the sentence.
#[derive(Debug, Clone)]
pub(super) struct ContextLayers {
    layers: Vec<LayerContext>,
    gated: Option<Gated>,
    norm_position: NormPosition,
}

/// The layer that reads translations after the last layer.
#[derive(Debug, Clone)]
enum Gated {
    /// Layers of burn, which the prepared translations hold.
    Burn,
    Packed(Arc<dyn PackedContext>),
}

/// The attention of one decoder layer beyond its own sentence.
#[derive(Debug, Clone)]
enum LayerContext {
    Nothing,
    /// Other source sentences, before or after the own one.
    Context(Box<ContextSublayer>),
    /// BERT's states, in addition to the own sentence; with the norm of what is read there.
    Bert(Box<(BertFusion, Norm)>),
}

/// The memory of the documents of some encoded sentences.
#[derive(Debug, Clone)]
pub(super) struct ContextMemory {
    pub memory: DecoderMemory,
    /// The number of each encoded sentence in their documents.
    pub numbers: Vec<usize>,
    /// Translations where packed weights read them.
    translations: Option<Arc<SharedTranslations>>,
}

/// The memory that hypotheses read at one step.
pub(super) struct Reading<'a> {
    pub memory: &'a DecoderMemory,
    /// Translations of [`ContextMemory`].
    translations: Option<&'a SharedTranslations>,
    /// A row for each hypothesis.
    pub spans: Vec<QuerySpan>,
}

impl ContextMemory {
    /// The memory that some encoded sentences, by their numbers in their documents, read beyond them.
    pub(super) fn new(
        memory: &DecoderMemory,
        numbers: Vec<usize>,
        translations: Option<Arc<SharedTranslations>>,
    ) -> Self {
        Self {
            memory: memory.clone(),
            numbers,
            translations,
        }
    }

    /// Whether packed weights read translations.
    pub(super) fn has_translations(&self) -> bool {
        self.translations.is_some()
    }

    /// Hypotheses of these of the encoded sentences.
    pub(super) fn read_by(&self, sentences: &[usize]) -> Reading<'_> {
        let spans = sentences
            .iter()
            .enumerate()
            .map(|(row, &sentence)| QuerySpan {
                rows: row..row + 1,
                sentence: self.numbers[sentence],
            });
        Reading {
            memory: &self.memory,
            translations: self.translations.as_deref(),
            spans: spans.collect(),
        }
    }
}

impl ContextLayers {
    /// Whether packed weights compute all that a decoder reads beyond its own sentence, after its last layer.
    pub(super) fn are_packed_behind(decoder: &Decoder) -> bool {
        let mut layers = decoder.layers.iter();
        let is_plain = layers.all(|layer| layer.context.is_none() && layer.fusion.is_none());
        let gated = decoder.gated.as_ref();
        is_plain && gated.is_none_or(|gated| gated.pack().is_some())
    }

    /// None if the decoder reads its own sentence alone.
    pub(super) fn from_decoder(decoder: &Decoder, packing: Packing<'_>) -> Option<Self> {
        let layer = |layer: &DecoderLayer| match (&layer.context, &layer.fusion) {
            (Some(context), _) => LayerContext::Context(Box::new(context.clone())),
            (None, Some(fusion)) => {
                LayerContext::Bert(Box::new((fusion.clone(), layer.norm_cross.clone())))
            }
            (None, None) => LayerContext::Nothing,
        };
        let gated = |gated: &GatedContext| match gated.pack() {
            Some(pack) => Gated::Packed(pack(packing)),
            None => Gated::Burn,
        };
        decoder.reads_beyond_sentence().then(|| Self {
            layers: decoder.layers.iter().map(layer).collect(),
            gated: decoder.gated.as_ref().map(gated),
            norm_position: decoder.norm_position,
        })
    }

    /// Translations prepared for the attention that reads them; None if packed weights do not.
    pub(super) fn prepare(&self, translations: &Memory) -> Option<SharedTranslations> {
        match &self.gated {
            Some(Gated::Packed(layer)) => Some(layer.prepare(translations)),
            _ => None,
        }
    }

    /// Whether layers read nothing, and something is read after the last one alone.
    pub(super) fn is_behind_layers(&self) -> bool {
        let mut layers = self.layers.iter();
        layers.all(|layer| matches!(layer, LayerContext::Nothing))
    }

    /// Whether the input of the last feed-forward sublayer queries translations of other sentences.
    pub(super) fn reads_fed_forward(&self) -> bool {
        match &self.gated {
            Some(Gated::Packed(layer)) => layer.reads_fed_forward(),
            Some(Gated::Burn) => true,
            None => false,
        }
    }

    /// Whether a layer reads BERT's states in addition to its own sentence.
    pub(super) fn reads_bert(&self, layer: usize, reading: &Reading<'_>) -> bool {
        let reads = matches!(self.layers[layer], LayerContext::Bert(_));
        reads && reading.memory.layers[layer].is_some()
    }

    /// `y` joined with `own`, what it has read of its sentence, and with BERT's states, if this layer reads them.
    ///
    /// # Shapes
    /// - y, own: `[hypotheses, d_model]`
    pub(super) fn join_bert(
        &self,
        layer: usize,
        y: &mut Vec<f32>,
        own: &[f32],
        reading: &Reading<'_>,
    ) {
        let (LayerContext::Bert(bert), Some(states)) =
            (&self.layers[layer], &reading.memory.layers[layer])
        else {
            return;
        };
        let (fusion, norm) = bert.as_ref();
        let (x, own) = (tensor(y, reading), tensor(own, reading));
        let read = states.attend(x.clone(), &reading.spans, None);
        *y = numbers(fusion.join(norm, x, own, read, &DropoutSource::none()));
    }

    /// `y` joined with what it reads of other source sentences, if this layer does, before or after it reads its own.
    ///
    /// # Shapes
    /// - y: `[hypotheses, d_model]`
    pub(super) fn join_context(
        &self,
        (layer, before_source): (usize, bool),
        y: &mut Vec<f32>,
        reading: &Reading<'_>,
    ) {
        let (LayerContext::Context(context), Some(memory)) =
            (&self.layers[layer], &reading.memory.layers[layer])
        else {
            return;
        };
        if context.before_source != before_source {
            return;
        }
        let none = DropoutSource::none();
        let joined = context.join(self.norm_position, tensor(y, reading), &none, |y| {
            memory.attend(y.clone(), &reading.spans, None)
        });
        *y = numbers(joined);
    }

    /// [`Self::join_translations`] of the hypotheses of these sentences, on all cores.
    ///
    /// # Shapes
    /// - states, fed_forward: `[hypotheses, d_model]`
    pub(super) fn join_on_cores(
        &self,
        states: &[f32],
        fed_forward: &[f32],
        (memory, sentences): (&ContextMemory, &[usize]),
    ) -> Vec<f32> {
        let each = sentences
            .len()
            .div_ceil(rayon::current_num_threads())
            .max(1);
        let width = each * states.len() / sentences.len().max(1);
        let parts = {
            states
                .par_chunks(width.max(1))
                .zip(fed_forward.par_chunks(width.max(1)))
        }
        .zip(sentences.par_chunks(each));
        let joined = parts.map(|((states, fed_forward), sentences)| {
            let reading = memory.read_by(sentences);
            let buffers = &mut Buffers::default();
            self.join_translations(states.to_vec(), fed_forward, &reading, buffers)
        });
        joined.collect::<Vec<_>>().concat()
    }

    /// The states of the last layer, joined with what is read of translations where there are some.
    ///
    /// # Shapes
    /// - states, fed_forward: `[hypotheses, d_model]`
    pub(super) fn join_translations(
        &self,
        mut states: Vec<f32>,
        fed_forward: &[f32],
        reading: &Reading<'_>,
        buffers: &mut Buffers,
    ) -> Vec<f32> {
        match &self.gated {
            Some(Gated::Packed(layer)) => {
                if let Some(translations) = reading.translations {
                    let rows = (states.as_mut_slice(), fed_forward);
                    layer.join(rows, translations, &reading.spans, buffers);
                }
                states
            }
            Some(Gated::Burn) => {
                let Some(memory) = &reading.memory.translations else {
                    return states;
                };
                let (own, queries) = (tensor(&states, reading), tensor(fed_forward, reading));
                let none = DropoutSource::none();
                numbers(memory.attend(own, queries, &reading.spans, &none))
            }
            None => states,
        }
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
