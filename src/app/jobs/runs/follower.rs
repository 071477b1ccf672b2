//! The follower of run folders: it looks at them by the clock, and answers requests.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};

use super::{LOOK, RunRequest, RunSnapshot};
use crate::error::{BaseError, Error, Result};
use crate::jobs::pool::Pool;
use crate::jobs::run_files::{export, promote, put, rename, to_trash};
use crate::jobs::{Event, JobControl, JobId};
use crate::training::CorpusFacts;
use crate::{ModelsEvent, RunEvent};
use canopy_base::error::caught;
use canopy_chart::charts::{self, Theme, View};
use canopy_corpus::survey::survey;
use canopy_corpus::{Corpus, Split};
use canopy_train::{
    Control, Curves, RunState, RunSummary, TrainingConfig, give_order, is_run, known_runs, probe,
    remember_run,
};
use canopy_translate::inference::{ComputeDevice, DeviceChoice};

/// All runs that are followed.
pub(super) struct Follower {
    pub(super) home: Option<PathBuf>,
    pub(super) external: Vec<PathBuf>,
    pub(super) followed: BTreeMap<PathBuf, RunSnapshot>,
    /// Does what takes seconds or minutes.
    pub(super) pool: Pool,
}

impl Follower {
    pub(super) fn run(mut self, inbox: &Receiver<RunRequest>) {
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
        self.pool.events().send(event);
    }

    /// Reads what is new, and reports it.
    fn look(&mut self, changed_before: bool) {
        let mut folders = self.below("runs", is_run);
        let known = self.home.as_deref().map(known_runs).unwrap_or_default();
        for folder in self.external.iter().cloned().chain(known) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let before = self.followed.len();
        self.followed.retain(|folder, _| folders.contains(folder));
        let mut changed = changed_before || before != self.followed.len();
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
            self.emit(Event::Training(RunEvent::Seen { runs, corpora }));
        }
    }

    pub(super) fn below(&self, name: &str, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
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
                Some(Event::Training(RunEvent::Renamed { folder, to }))
            }
            RunRequest::Trash { folder, .. } => {
                let to = to_trash(&folder)?;
                self.forget(&folder);
                Some(Event::Training(RunEvent::Trashed { folder, to }))
            }
            RunRequest::Restore { from, folder, .. } => {
                let restored = put(&from, &folder);
                if restored.is_err() && from.exists() {
                    // It can still be brought back.
                    self.emit(Event::Training(RunEvent::Trashed { folder, to: from }));
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
                Some(Event::Models(ModelsEvent::Exported { to, promote: false }))
            }
            RunRequest::Promote { folder, to, .. } => Some(Event::Models(ModelsEvent::Exported {
                to: promote(&folder, &to)?,
                promote: true,
            })),
            RunRequest::SaveChart { job, chart, path } => {
                let (view, size) = (View::default(), (1400, 900));
                charts::write(&chart, &view, &Theme::LIGHT, &path, size, true)?;
                Some(Event::Saved { job, path })
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
                    Ok(found.map(|survey| {
                        Event::Training(RunEvent::Surveyed {
                            job,
                            survey: Box::new(survey),
                        })
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
                    Ok(made.map(|(folder, pairs)| {
                        Event::Training(RunEvent::CorpusMade { job, folder, pairs })
                    }))
                });
                None
            }
        })
    }

    /// Also looks at a folder outside the data folder; without a data folder until the window closes.
    fn follow(&mut self, folder: PathBuf) {
        let own = self.home.as_ref().map(|home| home.join("runs"));
        let is_own = own.is_some_and(|own| folder.parent() == Some(&own));
        if !is_own && !self.external.contains(&folder) {
            if let Some(home) = &self.home {
                let _ = remember_run(home, &folder);
            }
            self.external.push(folder);
        }
    }

    /// The folder has no run any more.
    fn forget(&mut self, folder: &Path) {
        self.external.retain(|known| known != folder);
    }

    /// A job of its own, since it takes minutes: its event, or that it was ended.
    fn with_progress(
        &self,
        job: JobId,
        control: JobControl,
        work: impl FnOnce(&mut dyn FnMut(f64) -> ControlFlow<()>) -> Result<Option<Event>>
        + Send
        + 'static,
    ) {
        self.pool.run(move |events| {
            let mut reported = f64::NEG_INFINITY;
            let mut progress = |share: f64| {
                // A bar has no more steps than these.
                if share - reported > 0.002 {
                    reported = share;
                    events.send(RunEvent::CorpusRead { job, share });
                }
                if control.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            events.send(match caught(|| work(&mut progress)) {
                Ok(Some(event)) => event,
                Ok(None) => Event::Cancelled { job },
                Err(error) => Event::Failed { job, error },
            });
        });
    }

    /// A job of its own, since it takes seconds.
    fn probe(&self, job: JobId, config: TrainingConfig, device: DeviceChoice) {
        self.pool.run(move |events| {
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
            events.send(match probed {
                Ok(Some(estimate)) => Event::Training(RunEvent::Probed { job, estimate }),
                Ok(None) => Event::Cancelled { job },
                Err(error) => Event::Failed { job, error },
            });
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
