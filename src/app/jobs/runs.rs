//! Run folders: they are followed, whichever process trains there, renamed, exported and deleted.

mod follower;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::follower::Follower;
use super::pool::Pool;
use super::{JobControl, JobId};
use crate::error::Result;
use canopy_chart::charts::Chart;
use canopy_corpus::document_folders::FolderImport;
use canopy_corpus::survey::Material;
use canopy_corpus::synthetic::TaleImport;
use canopy_corpus::tmx::TmxImport;
use canopy_corpus::tsv::TsvImport;
use canopy_train::{Curves, Order, RunState, RunSummary, TrainingConfig, best_model, run_state};
use canopy_translate::inference::DeviceChoice;

/// Between two looks at the folders.
const LOOK: Duration = Duration::from_millis(200);

/// A run as its folder shows it.
#[derive(Debug, Clone)]
pub struct RunSnapshot {
    /// Folder of the run.
    pub folder: PathBuf,
    /// Whether it trains, waits or has ended.
    pub state: RunState,
    /// Its settings, if they can be read.
    pub config: Option<TrainingConfig>,
    /// The run in a few numbers.
    pub summary: RunSummary,
    /// Changes with every event.
    pub revision: u64,
    /// Whether there is a model to translate with.
    pub has_model: bool,
    curves: Arc<Mutex<Curves>>,
}

impl RunSnapshot {
    /// The folder's.
    pub fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or(self.folder.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// The model to translate or continue with, if there is one.
    pub fn model(&self) -> Option<PathBuf> {
        best_model(&self.folder)
    }

    /// The curves, locked; hold them only while they are drawn.
    pub fn curves(&self) -> MutexGuard<'_, Curves> {
        self.curves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The source of a corpus.
#[derive(Debug, Clone)]
pub enum CorpusImport {
    /// Folders of documents.
    Folders(FolderImport),
    /// A TMX file.
    Memory(TmxImport),
    /// A table of pairs.
    Table(TsvImport),
    /// The corpus of the sample run, below a folder of corpora.
    Tales {
        /// The folder of corpora.
        corpora: PathBuf,
    },
}

/// Work on run folders and corpora.
#[derive(Debug)]
pub enum RunRequest {
    /// Also look at this folder, which is not in the data folder.
    Follow(PathBuf),
    /// An order to the program that trains there.
    Order {
        /// Number of the job.
        job: JobId,
        /// Folder of the run.
        folder: PathBuf,
        /// The order.
        order: Order,
    },
    /// Gives a run another name.
    Rename {
        /// Number of the job.
        job: JobId,
        /// Folder of the run.
        folder: PathBuf,
        /// The other name.
        name: String,
    },
    /// Moves the run to the trash next to the runs.
    Trash {
        /// Number of the job.
        job: JobId,
        /// Folder of the run.
        folder: PathBuf,
    },
    /// Back from there.
    Restore {
        /// Number of the job.
        job: JobId,
        /// Where it is in the trash.
        from: PathBuf,
        /// Where it was.
        folder: PathBuf,
    },
    /// Writes the best model, called `name`, to a folder of its own.
    Export {
        /// Number of the job.
        job: JobId,
        /// Folder of the run.
        folder: PathBuf,
        /// The folder to write.
        to: PathBuf,
        /// Name of the model.
        name: String,
    },
    /// Export as an installed model, in place of an earlier one of this run; next to `to` if that path has another run's model.
    Promote {
        /// Number of the job.
        job: JobId,
        /// Folder of the run.
        folder: PathBuf,
        /// The folder to write.
        to: PathBuf,
    },
    /// Writes curves to a file.
    SaveChart {
        /// Number of the job.
        job: JobId,
        /// The curves.
        chart: Box<Chart>,
        /// The file; its ending names the format.
        path: PathBuf,
    },
    /// Reads what is to become a corpus, and reports its content; a break in `control` ends that.
    Survey {
        /// Number of the job.
        job: JobId,
        /// Files and folders that are read.
        material: Material,
        /// Codes of the source and the target language; `None` until they are known.
        languages: Option<(String, String)>,
        /// The handle that cancels the job.
        control: JobControl,
    },
    /// Reads documents and writes them as a corpus; a break in `control` ends it without one.
    MakeCorpus {
        /// Number of the job.
        job: JobId,
        /// Files that are imported, and the folder of the corpus.
        import: Box<CorpusImport>,
        /// The handle that cancels the job.
        control: JobControl,
    },
    /// Reads the description of a corpus.
    LookAtCorpus(PathBuf),
    /// Measures memory and time of these settings.
    Probe {
        /// Number of the job.
        job: JobId,
        /// The settings.
        config: Box<TrainingConfig>,
        /// The device to compute on.
        device: DeviceChoice,
    },
}

impl RunRequest {
    fn job(&self) -> Option<JobId> {
        match self {
            Self::Follow(_) | Self::LookAtCorpus(_) => None,
            Self::Order { job, .. }
            | Self::Rename { job, .. }
            | Self::Trash { job, .. }
            | Self::Restore { job, .. }
            | Self::Export { job, .. }
            | Self::Promote { job, .. }
            | Self::SaveChart { job, .. }
            | Self::Survey { job, .. }
            | Self::MakeCorpus { job, .. }
            | Self::Probe { job, .. } => Some(*job),
        }
    }
}

/// The window's end of what follows run folders.
#[derive(Debug)]
pub struct RunFolders {
    /// None once it is to end.
    requests: Option<Sender<RunRequest>>,
    /// Disconnected when it has ended.
    ended: Receiver<()>,
}

impl RunFolders {
    /// Follows all runs below `home/runs` and known ones in other folders, and lists the corpora below `home/corpora`. It is a job
    /// of the pool for as long as the window is open, and no lane, since it looks at the folders by the clock.
    pub fn follow(pool: &Pool, home: Option<PathBuf>) -> Self {
        let (requests, inbox) = channel();
        let (is_running, ended) = channel::<()>();
        let own = pool.clone();
        pool.run(move |_| {
            Follower {
                home,
                external: Vec::new(),
                followed: BTreeMap::new(),
                pool: own,
            }
            .run(&inbox);
            drop(is_running);
        });
        Self {
            requests: Some(requests),
            ended,
        }
    }

    /// Queues a request.
    pub fn send(&self, request: RunRequest) {
        if let Some(requests) = &self.requests {
            // Fails only after a panic, which has been reported.
            let _ = requests.send(request);
        }
    }

    /// Waits until everything queued is done, but for corpora and estimates; what is sent afterwards is not done.
    pub fn finish(&mut self) {
        self.requests = None;
        let _ = self.ended.recv();
    }
}

impl CorpusImport {
    /// The folder of the corpus and its sentence pairs; `None` if `progress` broke it off.
    #[expect(clippy::cast_precision_loss, reason = "a share of a bar")]
    fn made(
        &self,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Option<(PathBuf, usize)>> {
        let mut of = |done: usize, num: usize| progress(done as f64 / num.max(1) as f64);
        Ok(match self {
            Self::Folders(import) => import
                .run(of)?
                .map(|(_, report)| (import.output.clone(), report.pairs)),
            Self::Memory(import) => import
                .run(|done, num| progress(done as f64 / num.max(1) as f64))?
                .map(|(_, report)| (import.output.clone(), report.pairs)),
            Self::Table(import) => import
                .run(of)?
                .map(|(_, report)| (import.output.clone(), report.pairs)),
            Self::Tales { corpora } => {
                let import = TaleImport::below(corpora);
                let corpus = import.run(&mut of)?;
                corpus.map(|corpus| (import.output, corpus.statistics().train.new_units()))
            }
        })
    }
}

impl RunSnapshot {
    /// Whether anything is new.
    fn look(&mut self) -> bool {
        let mut curves = self.curves.lock().unwrap_or_else(PoisonError::into_inner);
        let has_changed = curves.poll().unwrap_or(false);
        if has_changed {
            self.summary = curves.history.summary.clone();
            self.revision = curves.revision;
        }
        drop(curves);
        let mut changed = has_changed;
        // A run that is not training changes only by new events; one under way can also be killed.
        let may_change = !matches!(
            self.state,
            RunState::Interrupted | RunState::Failed { .. } | RunState::Finished(_)
        );
        if has_changed || may_change {
            let state = run_state(&self.folder).unwrap_or(RunState::NeverBegun);
            changed |= state != self.state;
            self.state = state;
        }
        // A run that is resumed may have other settings.
        if has_changed || self.config.is_none() {
            let config = TrainingConfig::open(&self.folder.join("config.toml")).ok();
            changed |= config.is_some() && config != self.config;
            self.config = config.or(self.config.take());
        }
        if !self.has_model {
            self.has_model = self.model().is_some();
            changed |= self.has_model;
        }
        changed
    }
}
