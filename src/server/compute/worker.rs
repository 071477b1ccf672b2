//! The thread that owns models and device.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use tempfile::NamedTempFile;

use super::jobs::Job;
use super::store::Store;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::{caught, find};
use canopy_explain::trace;
use canopy_models::weights::RerankerFolder;
use canopy_nn::search::SourceText;
use canopy_train::DeviceLock;
use canopy_translate::error::is_of_device;
use canopy_translate::inference::{DeviceChoice, SearchOptions, TraceRequest, Translator};
use canopy_translate::remote::{Found, ModelReference};

/// A task of a client.
pub(super) enum Work {
    Search(Box<Search>),
    Trace(Box<TraceRequest>),
}

/// A search for translations.
pub(super) struct Search {
    pub model: ModelReference,
    pub text: SourceText,
    pub options: SearchOptions,
}

/// Work, and the job that waits for it.
pub(super) type Order = (Arc<Job>, Work);

/// Models that are open, the one used last at the end.
pub(super) struct Worker {
    pub store: Arc<Store>,
    pub device: DeviceChoice,
    pub most: usize,
    pub device_lock: DeviceLock,
    pub open: Vec<(ModelReference, Translator)>,
}

impl Worker {
    /// Works until all senders are gone.
    pub(super) fn run(mut self, inbox: &Receiver<Order>) {
        while let Ok((job, work)) = inbox.recv() {
            if job.is_abandoned() {
                continue;
            }
            let lock = self.device_lock.clone();
            let mut turn = lock.take();
            let mut pass = || turn.pass();
            match caught(|| self.work(&job, work, &mut pass)) {
                Ok(last) => job.end(last),
                Err(error) => {
                    if matches!(find(&error), Some(BaseError::Panicked { .. }))
                        || is_of_device(&error)
                    {
                        // Tensors may be half written.
                        self.open.clear();
                    }
                    job.fail(&error);
                }
            }
        }
    }

    fn work(&mut self, job: &Job, work: Work, pass: &mut dyn FnMut()) -> Result<Found> {
        match work {
            Work::Search(search) => {
                let Search {
                    model,
                    text,
                    options,
                } = *search;
                let translator = self.translator(&model)?;
                let searched = translator.loaded().search(&text, &options, &mut |event| {
                    job.push(Found::from_event(event));
                    pass();
                    if job.is_abandoned() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })?;
                Ok(searched.err().map_or(Found::Done, Found::invalid))
            }
            Work::Trace(request) => {
                let translator = self.translator(&request.model)?;
                let trace = request.run(translator)?;
                let file = NamedTempFile::with_suffix(".trace");
                let file = file.map_err(Error::write(std::env::temp_dir()))?;
                trace::save(&trace, file.path(), true)?;
                job.put_result(file);
                Ok(Found::Done)
            }
        }
    }

    fn translator(&mut self, model: &ModelReference) -> Result<&Translator> {
        if let Some(place) = self.open.iter().position(|(own, _)| own == model) {
            let used = self.open.remove(place);
            self.open.push(used);
        } else {
            let translator = self.opened(model)?;
            if self.open.len() >= self.most {
                self.open.remove(0);
            }
            self.open.push((model.clone(), translator));
        }
        let last = self.open.len() - 1;
        Ok(&self.open[last].1)
    }

    fn opened(&self, model: &ModelReference) -> Result<Translator> {
        let place = |files| -> Result<PathBuf> {
            self.store.place(files).map_err(|refusal| {
                Error::Base(BaseError::Model {
                    reason: refusal.message,
                    path: PathBuf::from(&files.root),
                })
            })
        };
        let reranker = model.reranker.as_ref().map(|reranker| {
            Ok::<_, Error>(RerankerFolder {
                folder: place(&reranker.files)?,
                weight: f32::from_bits(reranker.weight),
            })
        });
        let folder = place(&model.files)?;
        Ok(Translator::open_for_job(
            &folder,
            self.device,
            &model.languages,
            model.int8,
            reranker.transpose()?,
        )?)
    }
}
