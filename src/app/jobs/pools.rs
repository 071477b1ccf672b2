//! The threads of the window in three pools: what computes on the device, what must be on disk in the end, and what only
//! answers questions.

use std::path::PathBuf;
use std::sync::mpsc::Sender;

use super::{
    AlignThread, CatalogueThreads, CheckThread, Evaluations, Event, ExplainThread, FileThread,
    ModelsThread, ProjectsThread, RunsThread, ServerThread, SuggestionThread, TrainingRequest,
    Trainings, Worker,
};
use crate::error::{Error, Result};
use crate::state::AppState;
use canopy_train::{DeviceLock, Order};

/// All threads that a window's state sends requests to.
#[derive(Debug)]
pub struct Pools {
    device: DevicePool,
    /// `None` only after [`finish`](Self::finish).
    disk: Option<DiskPool>,
    questions: QuestionPool,
}

/// Models that translate, learn and are scored, one at a time.
#[derive(Debug)]
struct DevicePool {
    worker: Worker,
    trainings: Trainings,
    evaluations: Evaluations,
}

/// Documents, runs and models, which finish before the window closes, and projects.
#[derive(Debug)]
struct DiskPool {
    files: FileThread,
    runs: RunsThread,
    models: ModelsThread,
    projects: ProjectsThread,
}

/// Checks, traces, alignments, catalogues and servers. Nothing is lost if a window closes over an open question.
#[derive(Debug)]
struct QuestionPool {
    checks: CheckThread,
    explain: ExplainThread,
    align: AlignThread,
    suggestions: SuggestionThread,
    servers: ServerThread,
    catalogues: CatalogueThreads,
}

/// Folders of a window.
#[derive(Debug, Clone, Default)]
pub struct PoolFolders {
    /// The user's data, with runs and corpora.
    pub data: Option<PathBuf>,
    /// Installed models.
    pub library: Option<PathBuf>,
    /// Models that came with the program.
    pub shipped: Vec<PathBuf>,
}

impl Pools {
    /// Starts all threads; `wake` is called after every event, `wake_for_run` after those of running trainings.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        folders: PoolFolders,
        events: Sender<Event>,
        wake: impl Fn() + Clone + Send + Sync + 'static,
        wake_for_run: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let lock = DeviceLock::default();
        let PoolFolders {
            data,
            library,
            shipped,
        } = folders;
        let to = || events.clone();
        let trainings = Trainings::spawn(lock.clone(), to(), wake.clone());
        Ok(Self {
            device: DevicePool {
                worker: Worker::spawn(lock.clone(), to(), wake.clone())?,
                trainings: trainings.map_err(Error::from)?,
                evaluations: Evaluations::spawn(lock, to(), wake.clone())?,
            },
            disk: Some(DiskPool {
                files: FileThread::spawn(to(), wake.clone())?,
                runs: RunsThread::spawn(data, to(), wake_for_run)?,
                models: ModelsThread::spawn(library.clone(), shipped, to(), wake.clone())?,
                projects: ProjectsThread::spawn(to(), wake.clone())?,
            }),
            questions: QuestionPool {
                checks: CheckThread::spawn(to(), wake.clone())?,
                explain: ExplainThread::spawn(to(), wake.clone())?,
                align: AlignThread::spawn(to(), wake.clone())?,
                suggestions: SuggestionThread::spawn(to(), wake.clone())?,
                servers: ServerThread::spawn(to(), wake.clone())?,
                catalogues: CatalogueThreads::spawn(library, events, wake)?,
            },
        })
    }

    /// Sends all requests of a state, and empties its queues.
    pub fn send(&self, state: &mut AppState) {
        let device = &self.device;
        for request in state.shared.requests.drain(..) {
            device.worker.send(request);
        }
        for request in state.training.runs.requests.drain(..) {
            device.trainings.send(request);
        }
        for request in state.evaluate.requests.drain(..) {
            device.evaluations.send(request);
        }
        if let Some(disk) = &self.disk {
            for request in state.shared.file_requests.drain(..) {
                disk.files.send(request);
            }
            for request in state.shared.run_requests.drain(..) {
                disk.runs.send(request);
            }
            for request in state.models.installing.requests.drain(..) {
                disk.models.send(request);
            }
            for request in state.projects.requests.drain(..) {
                disk.projects.send(request);
            }
        }
        let questions = &self.questions;
        for request in state.document.checking.requests.drain(..) {
            questions.checks.send(request);
        }
        for request in state.explorer.requests.drain(..) {
            questions.explain.send(request);
        }
        for request in state.aligning.requests.drain(..) {
            questions.align.send(request);
        }
        for request in state.document.suggestions.requests.drain(..) {
            questions.suggestions.send(request);
        }
        for request in state.document.suggestions.server_requests.drain(..) {
            questions.servers.send(request);
        }
        for request in state.models.getting.requests.drain(..) {
            questions.catalogues.send(request);
        }
    }

    /// Gives all trainings of a state an order: waiting ones first, so that none of them begins.
    pub fn order_all(&self, state: &AppState, order: Order) {
        for queued in state.training.runs.queue.iter().rev() {
            let job = queued.job;
            let request = TrainingRequest::Order { job, order };
            self.device.trainings.send(request);
        }
    }

    /// Waits until everything that is queued for the disk is done.
    pub fn finish(&mut self) {
        if let Some(disk) = self.disk.take() {
            disk.files.finish();
            // A copy leaves no half behind, and a run may be exporting its model.
            disk.models.finish();
            disk.runs.finish();
        }
    }
}
