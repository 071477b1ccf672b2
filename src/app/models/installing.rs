//! Models that are being added or removed.

use std::path::{Path, PathBuf};

use super::Library;
use super::events::name_of;
use crate::command::Page;
use crate::error::{BaseError, Error, Result};
use crate::jobs::{JobControl, JobId, ModelRequest};
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_translate::inference::InstalledModel;

/// A model that was dropped, and is not added yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    job: JobId,
    /// Whether it is added without a question, if its files say its languages.
    is_wanted: bool,
    /// None while it is read.
    pub model: Option<InstalledModel>,
}

/// A model that is being copied.
#[derive(Debug, Clone)]
pub struct Adding {
    /// Where it is copied from.
    pub path: PathBuf,
    job: JobId,
    /// The handle that cancels the job.
    pub control: JobControl,
    /// Bytes.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

impl Adding {
    /// The share that is copied, in `[0, 1]`.
    #[expect(clippy::cast_precision_loss, reason = "a share of a bar")]
    pub fn share(&self) -> f32 {
        self.done as f32 / self.total.max(1) as f32
    }
}

/// Models that are added or removed, and the requests for that.
#[derive(Debug, Default)]
pub struct Installing {
    /// The model that is not added yet.
    pub found: Option<Found>,
    /// The model that is being copied.
    pub adding: Option<Adding>,
    /// The model whose removal awaits confirmation.
    pub removing: Option<PathBuf>,
    /// For its lane; the window sends and empties it.
    pub requests: Vec<ModelRequest>,
    /// A model outside the library that is being read, to know all its languages.
    describing: Option<JobId>,
}

impl Installing {
    pub(super) fn inspect(&mut self, shared: &mut Shared, path: PathBuf, is_wanted: bool) {
        shared.page = Page::Models;
        let job = shared.next_job();
        self.found = Some(Found {
            path: path.clone(),
            job,
            is_wanted,
            model: None,
        });
        let request = ModelRequest::Inspect { job, path };
        self.requests.push(request);
    }

    pub(super) fn add(
        &mut self,
        shared: &mut Shared,
        path: PathBuf,
        languages: Option<[String; 2]>,
    ) {
        shared.page = Page::Models;
        if let Some(adding) = &self.adding {
            let detail = format!("{} is being added.", name_of(&adding.path));
            shared.notify(NoticeKind::Hint, "One model at a time", detail);
            return;
        }
        let job = shared.next_job();
        let control = JobControl::default();
        self.found = None;
        self.adding = Some(Adding {
            path: path.clone(),
            job,
            control: control.clone(),
            done: 0,
            total: 0,
        });
        self.requests.push(ModelRequest::Add {
            job,
            path,
            languages,
            control,
        });
    }

    pub(crate) fn inspected(
        &mut self,
        shared: &mut Shared,
        library: &mut Library,
        job: JobId,
        path: &Path,
        model: Result<Box<InstalledModel>>,
    ) {
        if self.describing.take_if(|it| *it == job).is_some() {
            if let Ok(model) = model {
                library.note_external(*model);
            }
            return;
        }
        let found = self.found.as_mut();
        let Some(found) = found.filter(|found| found.job == job) else {
            return;
        };
        match model {
            Ok(model) if found.is_wanted && !model.lacks_languages() => {
                self.add(shared, path.to_owned(), None);
            }
            Ok(model) => found.model = Some(*model),
            Err(error) => {
                self.found = None;
                let title = format!("{} is not a readable model", name_of(path));
                shared.show_error(&title, &error);
            }
        }
    }

    pub(crate) fn copied(&mut self, job: JobId, done: u64, total: u64) {
        let adding = self.adding.as_mut();
        if let Some(adding) = adding.filter(|adding| adding.job == job) {
            (adding.done, adding.total) = (done, total);
        }
    }

    /// Takes a failure in, if it is one of these jobs.
    pub(crate) fn failed(&mut self, shared: &mut Shared, job: JobId, error: &Error) -> bool {
        let Some(adding) = self.adding.take_if(|adding| adding.job == job) else {
            return false;
        };
        let name = name_of(&adding.path);
        if let Error::Base(BaseError::Exists { path }) = error {
            let detail = format!(
                "{} exists. Remove that one first, or give the new one another name.",
                path.display()
            );
            let title = format!("A model called {name} is installed already");
            shared.notify(NoticeKind::Error, title, detail);
        } else {
            shared.show_error(&format!("{name} could not be added"), error);
        }
        true
    }

    /// Whether the job was the copying of a model, which was cancelled.
    pub(crate) fn cancelled(&mut self, job: JobId) -> bool {
        let ended = self.adding.take_if(|adding| adding.job == job);
        ended.is_some()
    }

    /// Ends the copying of a model that has been added.
    pub(super) fn added(&mut self, job: JobId) {
        self.adding.take_if(|adding| adding.job == job);
    }

    /// Has a model outside the library read, to know all its languages.
    pub(super) fn describe(&mut self, shared: &mut Shared, path: PathBuf) {
        let job = shared.next_job();
        self.describing = Some(job);
        self.requests.push(ModelRequest::Inspect { job, path });
    }
}
