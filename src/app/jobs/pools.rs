//! The threads of the window in three pools: one computes with the model in use, one works on files, one has runs that last.

use std::path::PathBuf;
use std::sync::mpsc::Sender;

use super::{
    AlignLane, CatalogueLanes, CheckLane, EvaluationLane, Event, ExplainLane, FileLane, FontFinder,
    ModelLane, Pool, ProjectLane, RunFolders, ServerLane, SuggestionLane, Trainings, Worker,
};
use crate::error::{Error, Result};
use crate::state::AppState;
use canopy_train::DeviceLock;

/// The three pools that a window's state sends requests to.
#[derive(Debug)]
pub struct Pools {
    /// The one lane of the pool `canopy-compute`, which owns the model in use: it translates and explains.
    computing: Worker,
    files: Files,
    long: LongRuns,
}

/// The lanes of the pool `canopy-files`: jobs of milliseconds to seconds on documents, traces and folders. Each lane keeps the
/// order of its own requests, such as the saves of a document, and waits for no other.
#[derive(Debug)]
struct Files {
    pool: Pool,
    documents: FileLane,
    projects: ProjectLane,
    models: ModelLane,
    checks: CheckLane,
    explain: ExplainLane,
    align: AlignLane,
}

/// The lanes of the pool `canopy-long`: trainings and evaluations, which take turns with the worker on the device, and answers
/// of other machines.
#[derive(Debug)]
struct LongRuns {
    /// A queue of its own, which servers have as well: orders reach a run that is under way.
    trainings: Trainings,
    /// Follows run folders all the time; what takes minutes are jobs of the pool.
    runs: RunFolders,
    evaluations: EvaluationLane,
    catalogues: CatalogueLanes,
    suggestions: SuggestionLane,
    servers: ServerLane,
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
    /// Starts the pools; `wake` is called after every event, `wake_for_run` after those of run folders.
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
        let files = Pool::new("canopy-files", events.clone(), wake.clone())?;
        let long = Pool::new("canopy-long", events.clone(), wake.clone())?;
        Ok(Self {
            computing: Worker::spawn(lock.clone(), events.clone(), wake.clone())?,
            files: Files {
                documents: FileLane::new(&files),
                projects: ProjectLane::new(&files),
                models: ModelLane::new(&files, library.clone(), shipped),
                checks: CheckLane::new(&files),
                explain: ExplainLane::new(&files),
                align: AlignLane::new(&files),
                pool: files,
            },
            long: LongRuns {
                trainings: Trainings::spawn(lock.clone(), events, wake).map_err(Error::from)?,
                runs: RunFolders::follow(&long.waking(wake_for_run), data),
                evaluations: EvaluationLane::new(&long, lock),
                catalogues: CatalogueLanes::new(&long, library.as_ref()),
                suggestions: SuggestionLane::new(&long),
                servers: ServerLane::new(&long),
            },
        })
    }

    /// A finder of the system's fonts, a lane of the pool of files.
    pub fn font_finder(&self) -> FontFinder {
        FontFinder::new(&self.files.pool)
    }

    /// Sends all requests of a state, and empties its queues.
    pub fn send(&self, state: &mut AppState) {
        for request in state.shared.requests.drain(..) {
            self.computing.send(request);
        }
        let files = &self.files;
        for request in state.shared.file_requests.drain(..) {
            files.documents.send(request);
        }
        for request in state.projects.requests.drain(..) {
            files.projects.send(request);
        }
        for request in state.models.installing.requests.drain(..) {
            files.models.send(request);
        }
        for request in state.document.checking.requests.drain(..) {
            files.checks.send(request);
        }
        for request in state.explorer.requests.drain(..) {
            files.explain.send(request);
        }
        for request in state.aligning.requests.drain(..) {
            files.align.send(request);
        }
        let long = &self.long;
        for request in state.training.runs.requests.drain(..) {
            long.trainings.send(request);
        }
        for request in state.shared.run_requests.drain(..) {
            long.runs.send(request);
        }
        for request in state.evaluate.requests.drain(..) {
            long.evaluations.send(request);
        }
        for request in state.models.getting.requests.drain(..) {
            long.catalogues.send(request);
        }
        for request in state.document.suggestions.requests.drain(..) {
            long.suggestions.send(request);
        }
        for request in state.document.suggestions.server_requests.drain(..) {
            long.servers.send(request);
        }
    }

    /// Waits until everything that is queued for the disk is done. Nothing is lost where a window closes over an open question.
    pub fn finish(&mut self) {
        self.files.documents.finish();
        // A copy leaves no half behind, and a run may be exporting its model.
        self.files.models.finish();
        self.long.runs.finish();
    }
}
