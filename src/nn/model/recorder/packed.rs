//! The passes of packed weights, part by part of the sentences on all cores; whether somebody looks or not.

use std::ops::Range;

use rayon::prelude::*;

use super::super::decoder::DecoderOutput;
use super::super::encoder::EncoderOutput;
use super::super::packed::PackedEncoderOutput;
use super::super::packed_batch::PackedBatch;
use super::super::search_memory::{parts, rows};
use super::super::system::Model;
use super::{AttentionRecorder, weights};
use canopy_kernels::packed::Scratch;

impl Model {
    /// Encoded sentences, with what is attended to; None if there are no packed weights that encode.
    pub(in super::super) fn encode_packed(
        &self,
        source: &PackedBatch,
        recorder: &mut AttentionRecorder,
    ) -> Option<EncoderOutput> {
        let packed = self.packed()?;
        let parts = parts(source.sentences.len()).into_par_iter().map(|part| {
            let mut own = recorder.beside();
            let rows = source.part(part.clone());
            let encoded = packed.encode_recorded(&rows, Scratch::default(), &mut own)?;
            own.rename(&source.sentences[part]);
            Some((encoded.states, own))
        });
        let parts: Option<Vec<_>> = parts.collect();
        let (states, own): (Vec<_>, Vec<_>) = parts?.into_iter().unzip();
        recorder.extend(own);
        let states = rows(states.iter().map(Vec::as_slice), source.ids.len());
        Some(EncoderOutput::of(states, source))
    }

    /// States of the translations `target` of the sentences of `encoded`, with what is attended to of these; None if there are no
    /// packed weights that decode all layers.
    pub(super) fn decode_packed(
        &self,
        target: &PackedBatch,
        encoded: &EncoderOutput,
        recorder: &mut AttentionRecorder,
    ) -> Option<DecoderOutput> {
        let packed = self.packed().filter(|it| it.decodes_translations())?;
        let parts = parts(target.sentences.len()).into_par_iter().map(|part| {
            let mut own = recorder.beside();
            let read = encoded.select(&encoded.numbers[part.clone()]);
            let translated: Vec<usize> = (0..part.len()).collect();
            let decoded = packed.decode_recorded(
                (&target.part(part), &PackedEncoderOutput::of(&read, None)),
                &translated,
                Scratch::default(),
                &mut own,
            );
            own.rename(&read.sentences);
            (decoded, own)
        });
        let (parts, own): (Vec<_>, Vec<_>) = parts.collect::<Vec<_>>().into_iter().unzip();
        recorder.extend(own);
        let count = target.ids.len();
        Some(DecoderOutput {
            states: rows(parts.iter().map(|it| it.states.as_slice()), count),
            fed_forward: rows(parts.iter().map(|it| it.fed_forward.as_slice()), count),
        })
    }
}

impl AttentionRecorder {
    /// Gives what a part of the sentences attends to the rows that these have in the whole.
    fn rename(&mut self, sentences: &[Range<usize>]) {
        let origin: Vec<usize> = sentences.iter().cloned().flatten().collect();
        for layer in &mut self.layers {
            let weights = &mut layer.attention_weights;
            weights.rename(|row| Some(weights::number(origin[row])));
        }
    }

    /// Adds what the next parts of the sentences attend to.
    fn extend(&mut self, parts: Vec<Self>) {
        for layer in parts.into_iter().flat_map(|part| part.layers) {
            self.add(layer.kind, layer.layer, |_| layer.attention_weights);
        }
    }
}
