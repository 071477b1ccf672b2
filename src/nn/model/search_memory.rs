//! What the search of a document prepares before its first word: encoded sentences, and the translations that others read; by
//! packed weights where they compute that.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::decoder::DecoderMemory;
use super::documents::Documents;
use super::encoder::EncoderOutput;
use super::packed::{PackedEncoderOutput, SharedTranslations, TranslationStates};
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::recorder::AttentionRecorder;
use super::system::{Encoded, Model, Network};
use super::transformer::Transformer;
use canopy_kernels::DropoutSource;
use canopy_kernels::packed::Scratch;

/// Sentences that a core computes at once, at most.
const SENTENCES: usize = 64;

/// The memory of all hypotheses of some documents beyond their sentence.
#[derive(Debug, Clone)]
pub struct SearchMemory {
    /// Without translations; none of a recurrent model.
    source: Option<DecoderMemory>,
    translations: Option<Memory>,
    /// Both as burn's layers read them, once they do.
    whole: OnceLock<DecoderMemory>,
    /// Translations as packed weights read them, once they do.
    packed: OnceLock<Option<Arc<SharedTranslations>>>,
}

impl SearchMemory {
    fn new(source: Option<DecoderMemory>, translations: Option<Memory>) -> Self {
        Self {
            source,
            translations,
            whole: OnceLock::new(),
            packed: OnceLock::new(),
        }
    }

    /// What burn's layers read.
    pub(super) fn whole(&self, network: &Transformer) -> Option<&DecoderMemory> {
        let Some(translations) = &self.translations else {
            return self.source.as_ref();
        };
        let source = self.source.as_ref()?;
        let whole = || network.decoder.with_translations(source, translations);
        Some(self.whole.get_or_init(whole))
    }

    /// The sentences of `encoded`, of these documents, as a search by packed weights of `model` reads them; none of a recurrent
    /// model's.
    pub fn packed(&self, model: &Model, encoded: &Encoded) -> Option<PackedEncoderOutput> {
        let (Network::Transformer(network), Encoded::Transformer(encoded)) =
            (&model.network, encoded)
        else {
            return None;
        };
        let translations = self.packed.get_or_init(|| {
            let translations = self.translations.as_ref()?;
            let prepared = match model.packed() {
                Some(packed) => packed.prepare(translations)?,
                None => model.on_gpu()?.prepare(translations)?,
            };
            Some(Arc::new(prepared))
        });
        let memory = match translations {
            Some(_) => self.source.as_ref(),
            None => self.whole(network),
        };
        let memory = memory.map(|memory| (memory, translations.clone()));
        Some(PackedEncoderOutput::of(encoded, memory))
    }
}

impl Model {
    /// [`Self::encode`] for a search.
    pub fn encode_to_search(&self, source: &PackedBatch) -> Encoded {
        let encoded = self.encode_packed(source, &mut AttentionRecorder::off());
        encoded.map_or_else(
            || self.encode(source, &DropoutSource::none()),
            Encoded::Transformer,
        )
    }

    /// The memory of hypotheses beyond their sentence, if they read no translations of others.
    pub fn prepare(&self, encoded: &Encoded) -> SearchMemory {
        let source = match (&self.network, encoded) {
            (Network::Transformer(network), Encoded::Transformer(encoded)) => {
                Some(network.decoder.prepare(encoded))
            }
            _ => None,
        };
        SearchMemory::new(source, None)
    }

    /// The memory of hypotheses beyond their sentence, with the translations `target` of all sentences of `source`, each of
    /// which begins with `bos`; they mean something to bilingual models only. What is `known` of some of their words, with `bos`, is
    /// not computed again by packed weights.
    pub fn prepare_with(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &Encoded,
        known: HashMap<usize, TranslationStates>,
    ) -> SearchMemory {
        let (Network::Transformer(network), Encoded::Transformer(encoded)) =
            (&self.network, encoded)
        else {
            return SearchMemory::new(None, None);
        };
        let translations = self
            .packed_translations(source, target, encoded, known)
            .or_else(|| self.translations(source, target, encoded, &DropoutSource::none()));
        SearchMemory::new(Some(network.decoder.prepare(encoded)), translations)
    }

    /// [`Self::translations`] by packed weights; None if these do not compute them.
    pub(super) fn packed_translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        own: &EncoderOutput,
        mut known: HashMap<usize, TranslationStates>,
    ) -> Option<Memory> {
        let packed = match &self.stage_one {
            Some(_) => self.packed_stage_one(),
            None => self.packed(),
        };
        let packed = packed.filter(|it| self.is_bilingual() && it.decodes_translations())?;
        let read = match &self.stage_one {
            None => Some(own),
            Some(_) => own.stage_one.as_deref(),
        };
        if read.is_none() && !packed.encodes() {
            return None;
        }
        let d_model = packed.d_model();
        known.retain(|&number, it| it.states.len() == target.sentences[number].len() * d_model);
        let all = 0..target.sentences.len();
        let unknown: Vec<usize> = all.filter(|number| !known.contains_key(number)).collect();
        let parts = parts(unknown.len());
        let parts = parts.into_par_iter().flat_map_iter(|part| {
            let numbers = &unknown[part];
            let read = if let Some(read) = read {
                PackedEncoderOutput::of(&read.select(numbers), None)
            } else {
                let part = source.part(numbers.iter().copied());
                let encoded = packed.encode(&part, Scratch::default());
                encoded.expect("an encoder of sentences")
            };
            let all: Vec<usize> = (0..numbers.len()).collect();
            let part = target.part(numbers.iter().copied());
            let found = packed.decode(&part, &read, &all, Scratch::default());
            let sentences = part.sentences.into_iter().map(move |rows| {
                let numbers = rows.start * d_model..rows.end * d_model;
                TranslationStates {
                    states: found.states[numbers.clone()].to_vec(),
                    fed_forward: found.fed_forward[numbers].to_vec(),
                }
            });
            numbers.iter().copied().zip(sentences)
        });
        let parts: Vec<_> = parts.collect();
        known.extend(parts);
        let sentences = (0..target.sentences.len()).map(|number| &known[&number]);
        let count = target.ids.len();
        let documents = Documents {
            sentences: target.sentences.clone(),
            documents: own.documents.documents.clone(),
        };
        let keys = rows(sentences.clone().map(|it| it.fed_forward.as_slice()), count);
        let states = rows(sentences.map(|it| it.states.as_slice()), count);
        Some(Memory::of_translations(keys, states, documents))
    }
}

/// So many sentences, spread over the cores.
pub(super) fn parts(sentences: usize) -> Vec<Range<usize>> {
    let each = sentences.div_ceil(rayon::current_num_threads().max(1));
    let each = each.clamp(1, SENTENCES);
    let starts = (0..sentences).step_by(each);
    starts
        .map(|start| start..(start + each).min(sentences))
        .collect()
}

/// So many rows, of which the parts hold some each.
pub(super) fn rows<'p>(parts: impl Iterator<Item = &'p [f32]>, count: usize) -> Tensor<2> {
    let numbers = parts.collect::<Vec<_>>().concat();
    let shape = [count, numbers.len() / count.max(1)];
    Tensor::from_data(TensorData::new(numbers, shape), &Device::flex())
}
