//! Passes of packed weights over whole sentences, part by part on all cores; with what they attend to.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::super::SentenceStates;
use crate::model::decoder::DecoderOutput;
use crate::model::documents::Documents;
use crate::model::encoder::EncoderOutput;
use crate::model::packed::{PackedEncoderOutput, PackedTransformer, TranslationStates};
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::recorder::AttentionRecorder;
use canopy_kernels::packed::Scratch;

/// Sentences that a core computes at once, at most.
const SENTENCES: usize = 64;

/// Encoded sentences; none if the weights do not encode.
pub(super) fn encode(
    weights: &PackedTransformer,
    source: &PackedBatch,
    recorder: &mut AttentionRecorder,
) -> Option<EncoderOutput> {
    let states = states(source, recorder, |rows, own| {
        let encoded = weights.encode_recorded(rows, Scratch::default(), own)?;
        Some(encoded.states)
    });
    Some(EncoderOutput::new(states?, source))
}

/// States of sentences after the last sublayer, before they are joined with those of others; none if the weights do not encode
/// up to there.
///
/// # Shapes
/// - output: `[rows, d_model]`
pub(super) fn states_below_context(
    weights: &PackedTransformer,
    source: &PackedBatch,
    recorder: &mut AttentionRecorder,
) -> Option<Tensor<2>> {
    states(source, recorder, |rows, own| {
        weights.encode_below_context(rows, Scratch::default(), own)
    })
}

/// [`states_below_context`] of sentences of which some are known.
pub(super) fn states_below_context_again(
    weights: &PackedTransformer,
    source: &PackedBatch,
    kept: &mut SentenceStates,
) -> Option<Tensor<2>> {
    if !weights.encodes_below_context() {
        return None;
    }
    let states = kept.complete(source, |missing| {
        let parts = parts(missing.len()).into_par_iter().map(|part| {
            let part = source.part(missing[part].iter().copied());
            let off = &mut AttentionRecorder::off();
            let states = weights.encode_below_context(&part, Scratch::default(), off)?;
            let d_model = weights.d_model();
            let sentences = part.sentences.iter();
            let own = |rows: &Range<usize>| states[rows.start * d_model..rows.end * d_model].into();
            Some(sentences.map(own).collect::<Vec<Arc<[f32]>>>())
        });
        let parts: Option<Vec<_>> = parts.collect();
        Some(parts?.concat())
    })?;
    Some(rows(states.iter().map(AsRef::as_ref), source.ids.len()))
}

/// Calls `encode` for some sentences at a time, part by part on all cores; none if it returns none.
fn states(
    source: &PackedBatch,
    recorder: &mut AttentionRecorder,
    encode: impl Fn(&PackedBatch, &mut AttentionRecorder) -> Option<Vec<f32>> + Sync,
) -> Option<Tensor<2>> {
    let parts = parts(source.sentences.len()).into_par_iter().map(|part| {
        let mut own = recorder.empty_copy();
        let states = encode(&source.part(part.clone()), &mut own)?;
        own.rename(&source.sentences[part]);
        Some((states, own))
    });
    let parts: Option<Vec<_>> = parts.collect();
    let (states, own): (Vec<_>, Vec<_>) = parts?.into_iter().unzip();
    recorder.extend(own);
    Some(rows(states.iter().map(Vec::as_slice), source.ids.len()))
}

/// States of the translations `target` of the sentences of `encoded`; none if the weights do not decode all layers.
pub(super) fn decode(
    weights: &PackedTransformer,
    target: &PackedBatch,
    encoded: &EncoderOutput,
    recorder: &mut AttentionRecorder,
) -> Option<DecoderOutput> {
    if !weights.decodes_translations() {
        return None;
    }
    let parts = parts(target.sentences.len()).into_par_iter().map(|part| {
        let mut own = recorder.empty_copy();
        let read = encoded.select(&encoded.numbers[part.clone()]);
        let translated: Vec<usize> = (0..part.len()).collect();
        let decoded = weights.decode_recorded(
            (
                &target.part(part),
                &PackedEncoderOutput::from_encoder(&read, None),
            ),
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
        states: rows(parts.iter().map(|part| part.states.as_slice()), count),
        fed_forward: rows(parts.iter().map(|part| part.fed_forward.as_slice()), count),
    })
}

/// The translations `target` of the sentences of `source` as other sentences read them; what is `known` of some of them is not
/// computed again. They read `encoded`, or what the weights encode themselves.
pub(super) fn translations(
    weights: &PackedTransformer,
    (source, documents): (&PackedBatch, &[Range<usize>]),
    encoded: Option<&EncoderOutput>,
    (target, mut known): (&PackedBatch, HashMap<usize, TranslationStates>),
) -> Memory {
    let d_model = weights.d_model();
    known.retain(|&number, states| states.states.len() == target.sentences[number].len() * d_model);
    let all = 0..target.sentences.len();
    let unknown: Vec<usize> = all.filter(|number| !known.contains_key(number)).collect();
    let parts = parts(unknown.len());
    let parts = parts.into_par_iter().flat_map_iter(|part| {
        let numbers = &unknown[part];
        let read = if let Some(encoded) = encoded {
            PackedEncoderOutput::from_encoder(&encoded.select(numbers), None)
        } else {
            let part = source.part(numbers.iter().copied());
            let encoded = weights.encode(&part, Scratch::default());
            encoded.expect("an encoder of sentences")
        };
        let all: Vec<usize> = (0..numbers.len()).collect();
        let part = target.part(numbers.iter().copied());
        let found = weights.decode(&part, &read, &all, Scratch::default());
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
        documents: documents.to_vec(),
    };
    let keys = rows(
        sentences
            .clone()
            .map(|states| states.fed_forward.as_slice()),
        count,
    );
    let states = rows(sentences.map(|states| states.states.as_slice()), count);
    Memory::from_translations(keys, states, documents)
}

/// A number of sentences, spread over the cores.
fn parts(sentences: usize) -> Vec<Range<usize>> {
    let each = sentences.div_ceil(rayon::current_num_threads().max(1));
    let each = each.clamp(1, SENTENCES);
    let starts = (0..sentences).step_by(each);
    starts
        .map(|start| start..(start + each).min(sentences))
        .collect()
}

/// A number of rows, distributed over parts.
fn rows<'p>(parts: impl Iterator<Item = &'p [f32]>, count: usize) -> Tensor<2> {
    let numbers = parts.collect::<Vec<_>>().concat();
    let shape = [count, numbers.len() / count.max(1)];
    Tensor::from_data(TensorData::new(numbers, shape), &Device::flex())
}
