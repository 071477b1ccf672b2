//! Sentences of a document against each other, by a sentence encoder.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Event, JobControl, JobId};
use crate::ExploreEvent;
use crate::error::Result;
use canopy_explain::SimilarityView;
use canopy_metrics::similarity::{Embeddings, Measure};
use canopy_train::DeviceLock;
use canopy_translate::inference::{DeviceChoice, SentenceEncoder};

/// Which sentences, and how they are to be compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Title of the document.
    pub title: String,
    /// Sentences without markup.
    pub texts: Vec<String>,
    /// Folder of a sentence encoder.
    pub encoder: PathBuf,
    /// The device to compute on.
    pub device: DeviceChoice,
    /// How two sentences are compared.
    pub measure: Measure,
    /// The handle that cancels the job.
    pub control: JobControl,
}

/// Vectors of the sentences that were compared last: another measure needs no encoder.
#[derive(Debug)]
pub(super) struct Encoded {
    encoder: PathBuf,
    /// The encoder's name.
    name: String,
    texts: Vec<String>,
    embeddings: Embeddings,
}

impl Encoded {
    /// Compares all sentences; `emit` hears how many are encoded. Others get their turn between batches.
    ///
    /// # Errors
    /// If the encoder cannot be opened or returns non-finite numbers.
    pub(super) fn compare(
        known: &mut Option<Self>,
        job: JobId,
        comparison: Comparison,
        device_lock: &DeviceLock,
        emit: &impl Fn(Event),
    ) -> Result<Event> {
        let is_same =
            |known: &Self| known.encoder == comparison.encoder && known.texts == comparison.texts;
        if !known.as_ref().is_some_and(is_same) {
            *known = Self::new(job, &comparison, device_lock, emit)?;
        }
        let Some(known) = known
            .as_ref()
            .filter(|_| !comparison.control.is_cancelled())
        else {
            return Ok(Event::Cancelled { job });
        };
        let view = SimilarityView::new(
            &comparison.title,
            &known.name,
            comparison.texts,
            known.embeddings.clone(),
            comparison.measure,
        );
        Ok(Event::Explore(ExploreEvent::Compared {
            job,
            view: Arc::new(view),
        }))
    }

    /// `None` if it was cancelled.
    fn new(
        job: JobId,
        comparison: &Comparison,
        device_lock: &DeviceLock,
        emit: &impl Fn(Event),
    ) -> Result<Option<Self>> {
        let encoder = SentenceEncoder::open(&comparison.encoder, comparison.device)?;
        let mut device_lock = device_lock.take();
        let found = encoder.encode(&comparison.texts, |done, num| {
            emit(Event::Explore(ExploreEvent::Comparing { job, done, num }));
            device_lock.pass();
            if comparison.control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(found.map(|embeddings| Self {
            encoder: comparison.encoder.clone(),
            name: encoder.description().name.clone(),
            texts: comparison.texts.clone(),
            embeddings,
        }))
    }
}
