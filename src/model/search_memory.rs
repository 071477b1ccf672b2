//! What the search of a document prepares before its first word: encoded sentences, and the translations that others read; by
//! packed weights where they compute that.

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::encoder::EncoderOutput;
use super::packed::{PackedEncoderOutput, PackedTransformer};
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::system::{Encoded, Model, Network, SearchMemory};
use crate::kernels::DropoutSource;
use crate::kernels::packed::Scratch;

/// Sentences that a core computes at once, at most.
const SENTENCES: usize = 64;

impl Model {
    /// [`Self::encode`] for a search.
    pub fn encode_to_search(&self, source: &PackedBatch) -> Encoded {
        let encoded = self.packed().and_then(|packed| encoded(packed, source));
        encoded.map_or_else(
            || self.encode(source, &DropoutSource::none()),
            Encoded::Transformer,
        )
    }

    /// The memory of hypotheses beyond their sentence, with the translations `target` of all sentences of `source`, each of
    /// which begins with `bos`; they mean something to bilingual models only.
    pub fn prepare_with(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        encoded: &Encoded,
    ) -> SearchMemory {
        let (Network::Transformer(network), Encoded::Transformer(encoded)) =
            (&self.network, encoded)
        else {
            return SearchMemory(None);
        };
        let translations = self
            .packed_translations(source, target, encoded)
            .or_else(|| self.translations(source, target, encoded, &DropoutSource::none()));
        SearchMemory(Some(
            network.decoder.prepare(encoded, translations.as_ref()),
        ))
    }

    /// [`Self::translations`] by packed weights; None if these do not compute them.
    fn packed_translations(
        &self,
        source: &PackedBatch,
        target: &PackedBatch,
        own: &EncoderOutput,
    ) -> Option<Memory> {
        let packed = match &self.stage_one {
            Some(_) => self.packed_stage_one(),
            None => self.packed(),
        };
        let packed = packed.filter(|it| self.is_bilingual() && it.decodes_translations())?;
        let of_stage_one;
        let read = match (&self.stage_one, &own.stage_one) {
            (None, _) => own,
            (Some(_), Some(known)) => known,
            (Some(_), None) => {
                of_stage_one = encoded(packed, source)?;
                &of_stage_one
            }
        };
        let parts = parts(target.sentences.len());
        let parts = parts.into_par_iter().map(|part| {
            let numbers: Vec<usize> = part.clone().collect();
            let read = PackedEncoderOutput::of(&read.select(&numbers), None);
            let all: Vec<usize> = (0..numbers.len()).collect();
            packed.decode(&target.part(part), &read, &all, Scratch::default())
        });
        let parts: Vec<_> = parts.collect();
        let count = target.ids.len();
        let mut documents = read.documents.clone();
        documents.sentences.clone_from(&target.sentences);
        Some(Memory {
            keys: rows(parts.iter().map(|part| part.attended.as_slice()), count),
            values: rows(parts.iter().map(|part| part.states.as_slice()), count),
            documents,
            encodings: None,
        })
    }
}

/// Sentences as packed weights encode them; None if the encoder reads more.
fn encoded(packed: &PackedTransformer, source: &PackedBatch) -> Option<EncoderOutput> {
    let parts = parts(source.sentences.len());
    let parts = parts.into_par_iter().map(|part| {
        let found = packed.encode(&source.part(part), Scratch::default())?;
        Some(found.states)
    });
    let parts: Vec<Vec<f32>> = parts.collect::<Option<_>>()?;
    let states = rows(parts.iter().map(Vec::as_slice), source.ids.len());
    Some(EncoderOutput::of(states, source))
}

/// So many sentences, spread over the cores.
fn parts(sentences: usize) -> Vec<Range<usize>> {
    let each = sentences.div_ceil(rayon::current_num_threads().max(1));
    let each = each.clamp(1, SENTENCES);
    let starts = (0..sentences).step_by(each);
    starts
        .map(|start| start..(start + each).min(sentences))
        .collect()
}

/// So many rows, of which the parts hold some each.
fn rows<'p>(parts: impl Iterator<Item = &'p [f32]>, count: usize) -> Tensor<2> {
    let numbers = parts.collect::<Vec<_>>().concat();
    let shape = [count, numbers.len() / count.max(1)];
    Tensor::from_data(TensorData::new(numbers, shape), &Device::flex())
}
