//! The thread that looks after run folders: follows them, whoever trains there, and renames, exports or deletes them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::run_files::{export, promote, put, rename, to_trash};
use super::{Event, JobControl, JobId};
use crate::error::{BaseError, Error, Result};
use crate::training::CorpusFacts;
use canopy_base::error::caught;
use canopy_chart::charts::{self, Chart, Theme, View};
use canopy_corpus::document_folders::FolderImport;
use canopy_corpus::survey::{Material, survey};
use canopy_corpus::synthetic::TaleImport;
use canopy_corpus::tmx::TmxImport;
use canopy_corpus::tsv::TsvImport;
use canopy_corpus::{Corpus, Split};
use canopy_train::{
    Control, Curves, Order, RunState, RunSummary, TrainingConfig, best_model, give_order, is_run,
    known_runs, probe, remember_run, run_state,
};
use canopy_translate::inference::{ComputeDevice, DeviceChoice};

/// Between two looks at the folders.
const LOOK: Duration = Duration::from_millis(200);

/// A run as its folder shows it.
#[derive(Debug, Clone)]
pub struct RunSnapshot {
    pub folder: PathBuf,
    pub state: RunState,
    pub config: Option<TrainingConfig>,
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

    /// The model to translate or go on with, if there is one.
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
    Folders(FolderImport),
    Memory(TmxImport),
    Table(TsvImport),
    /// The corpus of the sample run, below a folder of corpora.
    Tales {
        corpora: PathBuf,
    },
}

/// Work for the thread.
#[derive(Debug)]
pub enum RunRequest {
    /// Also look at this folder, which lies elsewhere.
    Follow(PathBuf),
    /// An order to the program that trains there.
    Order {
        job: JobId,
        folder: PathBuf,
        order: Order,
    },
    Rename {
        job: JobId,
        folder: PathBuf,
        name: String,
    },
    /// To the trash beside the runs.
    Trash { job: JobId, folder: PathBuf },
    /// Back from there.
    Restore {
        job: JobId,
        from: PathBuf,
        folder: PathBuf,
    },
    /// Writes the best model, called `name`, to a folder of its own.
    Export {
        job: JobId,
        folder: PathBuf,
        to: PathBuf,
        name: String,
    },
    /// Export as an installed model, in place of an earlier one of this run; beside `to` if another run's is there.
    Promote {
        job: JobId,
        folder: PathBuf,
        to: PathBuf,
    },
    SaveChart {
        job: JobId,
        chart: Box<Chart>,
        path: PathBuf,
    },
    /// Reads what is to become a corpus, and tells what is in it; a break in `control` ends that.
    Survey {
        job: JobId,
        material: Material,
        languages: Option<(String, String)>,
        control: JobControl,
    },
    /// Reads documents and writes them as a corpus; a break in `control` ends it without one.
    MakeCorpus {
        job: JobId,
        import: Box<CorpusImport>,
        control: JobControl,
    },
    /// Tells what a corpus says of itself.
    LookAtCorpus(PathBuf),
    /// Measures memory and time of these settings.
    Probe {
        job: JobId,
        config: Box<TrainingConfig>,
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

/// The window's end of the thread.
#[derive(Debug)]
pub struct RunsThread {
    requests: Sender<RunRequest>,
    thread: JoinHandle<()>,
}

impl RunsThread {
    /// Follows all runs below `home/runs` and those known elsewhere, and tells of the corpora below `home/corpora`; `wake` is
    /// called after events.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        home: Option<PathBuf>,
        events: Sender<Event>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("canopy-runs".to_owned())
            .spawn(move || {
                Loop {
                    home,
                    elsewhere: Vec::new(),
                    followed: BTreeMap::new(),
                    events,
                    wake: Arc::new(wake),
                }
                .run(&inbox);
            })
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self { requests, thread })
    }

    /// Queues a request; `false` if the thread has ended.
    pub fn send(&self, request: RunRequest) -> bool {
        self.requests.send(request).is_ok()
    }

    /// Waits until everything queued is done, but for corpora and estimates.
    pub fn finish(self) {
        drop(self.requests);
        // A panic in it has been reported already.
        let _ = self.thread.join();
    }
}

struct Loop<W> {
    home: Option<PathBuf>,
    elsewhere: Vec<PathBuf>,
    followed: BTreeMap<PathBuf, RunSnapshot>,
    events: Sender<Event>,
    wake: Arc<W>,
}

impl<W: Fn() + Send + Sync + 'static> Loop<W> {
    fn run(mut self, inbox: &Receiver<RunRequest>) {
        self.look(true);
        loop {
            match inbox.recv_timeout(LOOK) {
                Ok(request) => {
                    self.done(request);
                    self.look(true);
                }
                Err(RecvTimeoutError::Timeout) => self.look(false),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn emit(&self, event: Event) {
        // The window may already be gone; then nobody needs the event.
        let _ = self.events.send(event);
        (self.wake)();
    }

    /// Reads what is new, and tells if anything is.
    fn look(&mut self, tell: bool) {
        let mut folders = self.below("runs", is_run);
        let known = self.home.as_deref().map(known_runs).unwrap_or_default();
        for folder in self.elsewhere.iter().cloned().chain(known) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let before = self.followed.len();
        self.followed.retain(|folder, _| folders.contains(folder));
        let mut changed = tell || before != self.followed.len();
        for folder in folders {
            let run = self.followed.entry(folder.clone()).or_insert_with(|| {
                changed = true;
                RunSnapshot {
                    curves: Arc::new(Mutex::new(Curves::follow(&folder))),
                    folder,
                    state: RunState::NeverBegun,
                    config: None,
                    summary: RunSummary::default(),
                    revision: 0,
                    has_model: false,
                }
            });
            changed |= run.look();
        }
        if changed {
            let runs = self.followed.values().cloned().collect();
            let corpora = self.below("corpora", |folder| folder.join("corpus.json").exists());
            self.emit(Event::RunsSeen { runs, corpora });
        }
    }

    fn below(&self, name: &str, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let Some(home) = &self.home else {
            return Vec::new();
        };
        let entries = std::fs::read_dir(home.join(name)).into_iter().flatten();
        let mut folders: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| wanted(path))
            .collect();
        folders.sort();
        folders
    }

    fn done(&mut self, request: RunRequest) {
        let job = request.job();
        match (caught(|| self.answer(request)), job) {
            (Ok(Some(event)), _) => self.emit(event),
            (Err(error), Some(job)) => self.emit(Event::Failed { job, error }),
            (Ok(None), _) | (Err(_), None) => {}
        }
    }

    fn answer(&mut self, request: RunRequest) -> Result<Option<Event>> {
        Ok(match request {
            RunRequest::Follow(folder) => {
                self.follow(folder);
                None
            }
            RunRequest::Order { folder, order, .. } => {
                give_order(&folder, order)?;
                None
            }
            RunRequest::Rename { folder, name, .. } => {
                let to = rename(&folder, &name)?;
                self.forget(&folder);
                self.follow(to.clone());
                Some(Event::Renamed { folder, to })
            }
            RunRequest::Trash { folder, .. } => {
                let to = to_trash(&folder)?;
                self.forget(&folder);
                Some(Event::Trashed { folder, to })
            }
            RunRequest::Restore { from, folder, .. } => {
                let restored = put(&from, &folder);
                if restored.is_err() && from.exists() {
                    // It can still be brought back.
                    self.emit(Event::Trashed { folder, to: from });
                    return restored.map(|()| None);
                }
                restored?;
                self.follow(folder);
                None
            }
            RunRequest::Export {
                folder, to, name, ..
            } => {
                export(&folder, &to, &name)?;
                Some(Event::Exported { to, promote: false })
            }
            RunRequest::Promote { folder, to, .. } => Some(Event::Exported {
                to: promote(&folder, &to)?,
                promote: true,
            }),
            RunRequest::SaveChart { job, chart, path } => {
                let (view, size) = (View::default(), (1400, 900));
                charts::write(&chart, &view, &Theme::LIGHT, &path, size, true)?;
                Some(Event::DocumentSaved { job, path })
            }
            RunRequest::LookAtCorpus(folder) => {
                // What is no corpus, the form says.
                let corpus = Corpus::open(&folder).ok();
                corpus.map(|corpus| Event::CorpusSeen {
                    folder,
                    facts: facts(&corpus),
                })
            }
            RunRequest::Probe {
                job,
                config,
                device,
            } => {
                self.probe(job, *config, device);
                None
            }
            RunRequest::Survey {
                job,
                material,
                languages,
                control,
            } => {
                self.with_progress(job, control, move |progress| {
                    let found = survey(&material, languages.as_ref(), progress)?;
                    Ok(found.map(|survey| Event::Surveyed {
                        job,
                        survey: Box::new(survey),
                    }))
                });
                None
            }
            RunRequest::MakeCorpus {
                job,
                import,
                control,
            } => {
                self.with_progress(job, control, move |progress| {
                    let made = import.made(progress)?;
                    Ok(made.map(|(folder, pairs)| Event::CorpusMade { job, folder, pairs }))
                });
                None
            }
        })
    }

    /// Looks at a folder that lies elsewhere too; without a folder of the user's until the window closes.
    fn follow(&mut self, folder: PathBuf) {
        let own = self.home.as_ref().map(|home| home.join("runs"));
        let is_own = own.is_some_and(|own| folder.parent() == Some(&own));
        if !is_own && !self.elsewhere.contains(&folder) {
            if let Some(home) = &self.home {
                let _ = remember_run(home, &folder);
            }
            self.elsewhere.push(folder);
        }
    }

    /// No run lies there any more.
    fn forget(&mut self, folder: &Path) {
        self.elsewhere.retain(|known| known != folder);
    }

    /// Work on a thread of its own, since it takes minutes: its event, or that it was ended.
    fn with_progress(
        &self,
        job: JobId,
        control: JobControl,
        work: impl FnOnce(&mut dyn FnMut(f64) -> ControlFlow<()>) -> Result<Option<Event>>
        + Send
        + 'static,
    ) {
        let (events, wake) = (self.events.clone(), Arc::clone(&self.wake));
        std::thread::spawn(move || {
            let send = |event| {
                let _ = events.send(event);
                wake();
            };
            let mut told = f64::NEG_INFINITY;
            let mut progress = |share: f64| {
                // A bar has no more steps than these.
                if share - told > 0.002 {
                    told = share;
                    send(Event::CorpusRead { job, share });
                }
                if control.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            send(match caught(|| work(&mut progress)) {
                Ok(Some(event)) => event,
                Ok(None) => Event::Cancelled { job },
                Err(error) => Event::Failed { job, error },
            });
        });
    }

    /// On a thread of its own, since it takes seconds.
    fn probe(&self, job: JobId, config: TrainingConfig, device: DeviceChoice) {
        let (events, wake) = (self.events.clone(), Arc::clone(&self.wake));
        std::thread::spawn(move || {
            // Where there is too little memory, burn panics.
            let probed = caught(|| {
                let device = ComputeDevice::open(device)?;
                if let Some(client) = &device.remote {
                    return Err(Error::Base(BaseError::OnlyHere {
                        what: "an estimate",
                        host: client.host().to_string(),
                    }));
                }
                Ok(probe(&config, &device.device, &Control::default())?)
            });
            let event = match probed {
                Ok(Some(estimate)) => Event::Probed { job, estimate },
                Ok(None) => Event::Cancelled { job },
                Err(error) => Event::Failed { job, error },
            };
            let _ = events.send(event);
            wake();
        });
    }
}

fn facts(corpus: &Corpus) -> CorpusFacts {
    let info = corpus.info();
    CorpusFacts {
        source_language: info.source_language.clone(),
        target_language: info.target_language.clone(),
        pairs: corpus.statistics().get(Split::Train).new_units(),
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
        let told = curves.poll().unwrap_or(false);
        if told {
            self.summary = curves.history.summary.clone();
            self.revision = curves.revision;
        }
        drop(curves);
        let mut changed = told;
        // A run that nobody trains changes only by telling something; one under way can also be killed.
        let may_change = !matches!(
            self.state,
            RunState::Interrupted | RunState::Failed { .. } | RunState::Finished(_)
        );
        if told || may_change {
            let state = run_state(&self.folder).unwrap_or(RunState::NeverBegun);
            changed |= state != self.state;
            self.state = state;
        }
        // A run that goes on may have other settings.
        if told || self.config.is_none() {
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
