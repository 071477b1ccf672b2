//! Sentences in, vectors out.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::device::{ComputeDevice, DeviceChoice};
use crate::error::Result;
use canopy_metrics::similarity::Embeddings;
use canopy_models::weights::{
    EncoderFolder, EncoderKind, EncoderNetwork, EncoderPlace, EncoderVocabulary,
};
use canopy_nn::model::{BertBatch, normalised, pooled};

/// Word pieces that are encoded at once.
const BATCH_TOKENS: usize = 2048;

/// An encoder, its vocabulary and the device it computes on.
#[derive(Debug)]
pub struct SentenceEncoder {
    description: EncoderFolder,
    network: EncoderNetwork,
    vocabulary: EncoderVocabulary,
    device: ComputeDevice,
}

impl SentenceEncoder {
    /// Loads an encoder folder.
    ///
    /// # Errors
    /// If a file of the folder is missing, truncated or does not fit the others, if it encodes words and not sentences,
    /// or if the device is not there.
    pub fn open(folder: &Path, device: DeviceChoice) -> Result<Self> {
        Self::open_at(&EncoderPlace::folder(folder), folder, device)
    }

    /// Loads the encoder of a model.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) fn open_at(
        place: &EncoderPlace,
        folder: &Path,
        device: DeviceChoice,
    ) -> Result<Self> {
        let description = EncoderFolder::open_at(place)?;
        if let EncoderKind::Bert { pooling: None, .. } = description.encoder {
            let reason =
                "it encodes words, not sentences; name an imported sbert or use".to_owned();
            let path = folder.to_owned();
            return Err(canopy_models::error::Error::Encoder { reason, path }.into());
        }
        let device = ComputeDevice::open(device)?;
        let (network, vocabulary) = description.load_at(place, &device.device)?;
        Ok(Self {
            description,
            network,
            vocabulary,
            device,
        })
    }

    /// The description in its folder.
    pub fn description(&self) -> &EncoderFolder {
        &self.description
    }

    /// The device, for a status line.
    pub fn device_name(&self) -> &str {
        &self.device.name
    }

    /// A vector for each text; texts that are the same have the same bits. `progress` hears how many different ones are
    /// done, and of how many; it may stop the work: then there is no result.
    ///
    /// # Errors
    /// If a vector has non-finite numbers; the message names its text, counted from 0.
    pub fn encode(
        &self,
        texts: &[impl AsRef<str> + Sync],
        mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<Embeddings>> {
        let mut first_rows: HashMap<&str, usize> = HashMap::new();
        let (mut different, mut rows) = (Vec::new(), Vec::new());
        for (row, text) in texts.iter().enumerate() {
            first_rows.entry(text.as_ref()).or_insert_with(|| {
                different.push(text.as_ref());
                rows.push(row);
                row
            });
        }
        let sentences: Vec<Vec<u32>> = different.par_iter().map(|text| self.ids(text)).collect();
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by_key(|&number| sentences[number].len());
        let dimensions = self.dimensions();
        let mut values = vec![0.0; texts.len() * dimensions];
        let mut done = 0;
        for batch in batches(&order, &sentences) {
            let members = &order[batch];
            let ids: Vec<Vec<u32>> = members.iter().map(|&it| sentences[it].clone()).collect();
            let found = self.forward(&ids).into_data();
            let found: Vec<f32> = found.try_into_vec().expect("states are 32-bit floats");
            for (&number, vector) in members.iter().zip(found.chunks_exact(dimensions)) {
                values[rows[number] * dimensions..][..dimensions].copy_from_slice(vector);
            }
            done += members.len();
            if progress(done, sentences.len()).is_break() {
                return Ok(None);
            }
        }
        for (row, text) in texts.iter().enumerate() {
            let first = first_rows[text.as_ref()] * dimensions;
            values.copy_within(first..first + dimensions, row * dimensions);
        }
        Ok(Embeddings::new(values, dimensions).map(Some)?)
    }

    fn ids(&self, text: &str) -> Vec<u32> {
        match (&self.vocabulary, &self.description.encoder) {
            (EncoderVocabulary::Words(pieces), EncoderKind::Bert { max_tokens, .. }) => {
                pieces.sentence(text, *max_tokens)
            }
            (EncoderVocabulary::Sentences(pieces), _) => pieces.sentence(text),
            (EncoderVocabulary::Words(_), _) => unreachable!("read as the description says"),
        }
    }

    fn dimensions(&self) -> usize {
        match &self.description.encoder {
            EncoderKind::Bert { sizes, .. } => sizes.d_model,
            EncoderKind::Universal { sizes } => sizes.d_model,
        }
    }

    /// - output: `[sentences, dimensions]`
    fn forward(&self, sentences: &[Vec<u32>]) -> Tensor<2> {
        match (&self.network, &self.description.encoder) {
            (
                EncoderNetwork::Bert(bert),
                EncoderKind::Bert {
                    pooling: Some(pooling),
                    normalised: is_normalised,
                    ..
                },
            ) => {
                let mut batch = BertBatch::default();
                for ids in sentences {
                    batch.push(ids);
                }
                let pooled = pooled(bert.forward(&batch), &batch.sequences, *pooling);
                if *is_normalised {
                    normalised(pooled)
                } else {
                    pooled
                }
            }
            (EncoderNetwork::Universal(universal), _) => universal.forward(sentences),
            (EncoderNetwork::Bert(_), _) => unreachable!("refused when it was opened"),
        }
    }
}

/// Runs of `order` with at most a number of tokens, at least one sentence each.
fn batches(order: &[usize], sentences: &[Vec<u32>]) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (place, &number) in order.iter().enumerate() {
        let length = sentences[number].len();
        match batches.last_mut() {
            Some(batch) if tokens + length <= BATCH_TOKENS => batch.end = place + 1,
            _ => {
                batches.push(place..place + 1);
                tokens = 0;
            }
        }
        tokens += length;
    }
    batches
}
