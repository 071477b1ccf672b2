//! Commands and events of the training page.

use std::path::{Path, PathBuf};

use super::{ImportState, NewCorpus, NewRun, Probe, Queued, TrainingCommand};
use crate::ask::Ask;
use crate::error::Error;
use crate::jobs::{JobId, RunRequest, RunSnapshot, TrainingJob, TrainingRequest};
use crate::notices::NoticeKind;
use crate::settings::Device;
use crate::state::AppState;
use canopy_train::sweep::is_sweep;
use canopy_train::{EndReason, Order, RunState, TrainingConfig};

impl AppState {
    #[expect(clippy::too_many_lines, reason = "a table: an arm for each command")]
    pub(crate) fn apply_training(&mut self, command: TrainingCommand) {
        use TrainingCommand as C;
        let training = &mut self.training;
        match command {
            C::NewRun => self.new_run(),
            C::Fill(form) => self.show_form(*form),
            C::Improve(model) => self.improve(model),
            C::CloseForm => training.form = None,
            C::Probe => self.probe(),
            C::Start => self.start_run(),
            C::NewCorpus => training.corpus_form = Some(NewCorpus::default()),
            C::FillCorpus(form) => {
                training.corpus_form = Some(*form);
                self.survey_if_new();
            }
            C::LookAgain => self.survey_again(),
            C::StopLooking => self.stop_survey(),
            C::SwapSides => self.swap_sides(),
            C::TrySample => self.try_sample(),
            C::StopSample => self.stop_sample(),
            C::CompareSample => self.compare_sample(),
            C::ShowSample => self.show_sample(),
            C::CloseSample => training.sample = None,
            C::CloseCorpus => self.close_corpus(),
            C::ChooseSide(side) => self.shared.asks.push(Ask::CorpusSide(side)),
            C::UseSide(side, path) => {
                if let Some(form) = &mut training.corpus_form {
                    form.set(side, path);
                    self.survey_if_new();
                }
            }
            C::MakeCorpus => self.make_corpus(),
            C::ChooseCorpus => self.shared.asks.push(Ask::Corpus),
            C::UseCorpus(corpus) => self.use_corpus(corpus),
            C::ChooseBert => self.shared.asks.push(Ask::Bert),
            C::UseBert(folder) => self.fill(|form| form.config.bert = folder),
            C::ChooseContexts => self.shared.asks.push(Ask::Contexts),
            C::UseContexts(file) => self.fill(|form| form.config.contexts = file),
            C::ChooseMemory => self.shared.asks.push(Ask::RunMemory),
            C::UseMemory(path) => self.fill(|form| form.config.memory = path),
            C::ChooseContrastiveSet => self.shared.asks.push(Ask::RunContrastiveSet),
            C::UseContrastiveSet(path) => self.fill(|form| form.config.contrastive_set = path),
            C::ChooseRun => self.shared.asks.push(Ask::RunFolder),
            C::Follow(folder) => {
                training.selected = Some(folder.clone());
                training.form = None;
                training.run_requests.push(RunRequest::Follow(folder));
            }
            C::Select(folder) => {
                training.selected = Some(folder);
                (training.form, training.shows_table) = (None, false);
            }
            C::Compare(folder, true) => {
                training.compared.insert(folder);
            }
            C::Compare(folder, false) => {
                training.compared.remove(&folder);
            }
            C::Order(folder, order) => self.order(folder, order),
            C::GoOn(folder) => self.go_on(&folder),
            C::Continue(folder) => self.continue_model(&folder),
            C::Rename(folder, name) => self.rename_run(folder, name),
            C::AskTrash(folder) => self.ask_trash(folder),
            C::KeepRun => training.trashing = None,
            C::Trash(folder) => {
                training.trashing = None;
                let job = self.shared.next_job();
                self.run_request(RunRequest::Trash { job, folder });
            }
            C::Restore => {
                let job = self.shared.next_job();
                if let Some((folder, from)) = self.training.trashed.pop() {
                    self.run_request(RunRequest::Restore { job, from, folder });
                }
            }
            C::Export(folder) => self.shared.asks.push(Ask::Export {
                name: model_name(&folder),
                run: folder,
            }),
            C::ExportTo(folder, to) => {
                let (job, name) = (self.shared.next_job(), model_name(&folder));
                self.run_request(RunRequest::Export {
                    job,
                    folder,
                    to,
                    name,
                });
            }
            C::Promote(folder) => {
                let job = self.shared.next_job();
                let to = self.shared.home().join("models").join(model_name(&folder));
                self.run_request(RunRequest::Promote { job, folder, to });
            }
            C::ShowTable(shows) => {
                training.shows_table = shows;
                training.form = None;
            }
            C::SetAxis(axis) => training.x = axis,
            C::SetSmoothing(smoothing) => training.smoothing = smoothing.clamp(0.0, 0.99),
            C::AskSaveChart(extension) => {
                if let Some(run) = training.selected() {
                    let name = format!("{}.{extension}", run.name());
                    self.shared.asks.push(Ask::Chart { name });
                }
            }
            C::SaveChart(path) => self.save_chart(path),
        }
    }

    pub(super) fn run_request(&mut self, request: RunRequest) {
        self.training.run_requests.push(request);
    }

    pub(super) fn enqueue(
        &mut self,
        folder: PathBuf,
        config: TrainingConfig,
        resume: bool,
        device: Device,
    ) -> JobId {
        let job = self.shared.next_job();
        if self.training.is_busy() && !self.is_sample(&folder) {
            let detail = "It starts when the runs before it have ended.";
            let title = format!("{} waits", name_of(&folder));
            self.shared.notify(NoticeKind::Hint, title, detail);
        }
        let training = &mut self.training;
        training.selected = Some(folder.clone());
        training.shows_table = false;
        training.queue.push(Queued {
            job,
            folder: folder.clone(),
        });
        training
            .run_requests
            .push(RunRequest::Follow(folder.clone()));
        training
            .requests
            .push(TrainingRequest::Start(Box::new(TrainingJob {
                job,
                config,
                run: folder,
                resume,
                device: device.into(),
            })));
        job
    }

    /// The job of a run of this window that computes or waits.
    fn queued(&self, folder: &Path) -> Option<JobId> {
        let mut queue = self.training.queue.iter();
        let found = queue.find(|queued| queued.folder == folder);
        found.map(|queued| queued.job)
    }

    /// Whether this window trains a run in this folder, or will.
    pub(super) fn is_queued(&self, folder: &Path) -> bool {
        self.queued(folder).is_some()
    }

    fn order(&mut self, folder: PathBuf, order: Order) {
        if let Some(job) = self.queued(&folder) {
            let request = TrainingRequest::Order { job, order };
            self.training.requests.push(request);
        } else {
            // Another program's.
            let job = self.shared.next_job();
            self.run_request(RunRequest::Order { job, folder, order });
        }
    }

    fn go_on(&mut self, folder: &Path) {
        if self.is_queued(folder) {
            return;
        }
        let Some(run) = self.training.run(folder) else {
            return;
        };
        let Some(config) = run.config.clone() else {
            return;
        };
        let at_its_limit = matches!(
            run.state,
            RunState::Finished(EndReason::Steps | EndReason::TargetTokens | EndReason::Patience)
        );
        let (folder, name, device) = (folder.to_owned(), run.name(), self.shared.settings.device);
        if at_its_limit {
            // Its limits must be raised first.
            let form = NewRun::resuming(folder, name, config, device);
            self.training.form = Some(form);
        } else {
            self.enqueue(folder, config, true, device);
        }
    }

    fn continue_model(&mut self, folder: &Path) {
        let Some(run) = self.training.run(folder) else {
            return;
        };
        let preset = run
            .config
            .as_ref()
            .map_or_else(String::new, |config| config.preset.clone());
        let corpus = self.training.corpora.first().cloned().unwrap_or_default();
        let model = run.model().unwrap_or_default();
        let mut form = NewRun::from_model(model, &preset, corpus, self.shared.settings.device);
        form.name = format!("{} continued", run.name());
        form.named_by_preset = false;
        self.training.form = Some(form);
    }

    fn rename_run(&mut self, folder: PathBuf, name: String) {
        if self.is_queued(&folder) {
            let title = format!("{} keeps its name", name_of(&folder));
            let detail = "It is being trained or queued; rename it afterwards.";
            self.shared.notify(NoticeKind::Hint, title, detail);
            return;
        }
        let job = self.shared.next_job();
        self.run_request(RunRequest::Rename { job, folder, name });
    }

    /// Keeps the run that is shown selected under its new name.
    pub(crate) fn run_renamed(&mut self, folder: &Path, to: PathBuf) {
        let training = &mut self.training;
        if training.compared.remove(folder) {
            training.compared.insert(to.clone());
        }
        if training.selected.as_deref() == Some(folder) {
            training.selected = Some(to);
        }
    }

    /// A run that waits only leaves the queue.
    fn ask_trash(&mut self, folder: PathBuf) {
        if self.queued(&folder).is_some() {
            self.order(folder, Order::Abandon);
        } else {
            self.training.trashing = Some(folder);
        }
    }

    fn save_chart(&mut self, path: PathBuf) {
        let Some(run) = self.training.selected() else {
            return;
        };
        let chart = self.training.chart(run);
        let job = self.shared.next_job();
        self.run_request(RunRequest::SaveChart {
            job,
            chart: Box::new(chart),
            path,
        });
    }

    /// Takes over the runs and corpora that the threads found.
    pub(crate) fn runs_seen(&mut self, runs: Vec<RunSnapshot>, corpora: Vec<PathBuf>) {
        let training = &mut self.training;
        training.runs = runs;
        for corpus in corpora {
            if !training.corpora.contains(&corpus) {
                training.corpora.push(corpus);
            }
        }
        let gone = |folder: &PathBuf| !training.runs.iter().any(|run| run.folder == *folder);
        let waits = |folder: &PathBuf| training.queue.iter().any(|queued| queued.folder == *folder);
        if training
            .selected
            .as_ref()
            .is_none_or(|folder| gone(folder) && !waits(folder))
        {
            let running = training
                .runs
                .iter()
                .find(|run| run.state == RunState::Running);
            let first = running.or(training.runs.first());
            training.selected = first.map(|run| run.folder.clone());
        }
    }

    pub(crate) fn exported(&mut self, to: PathBuf, promote: bool) {
        if promote {
            // Models are known by absolute paths.
            let to = std::path::absolute(&to).unwrap_or(to);
            self.models.promote(&to);
            self.models.selected = Some(to.clone());
            // Once it is open its languages are known, and a dialog asks whether it becomes their default.
            self.open_model(to);
        } else {
            let detail = to.display().to_string();
            self.shared
                .notify(NoticeKind::Done, "Model exported", detail);
        }
    }

    /// Takes a run of this window out of the queue; its name, if the job was one.
    fn leave_queue(&mut self, job: JobId) -> Option<String> {
        let queue = &mut self.training.queue;
        let at = queue.iter().position(|queued| queued.job == job)?;
        Some(name_of(&queue.remove(at).folder))
    }

    /// A run of this window has ended; returns whether the job was one.
    pub(crate) fn run_ended(&mut self, job: JobId) -> bool {
        let ended = self.leave_queue(job);
        let found = ended.is_some();
        let is_sample = self.sample_run_ended(job, true);
        if let Some(name) = ended.filter(|_| !is_sample) {
            self.shared
                .notify(NoticeKind::Done, format!("{name} is finished"), "");
        }
        found
    }

    /// Returns whether the job was a run that waited, an estimate or the import of a corpus.
    pub(crate) fn training_cancelled(&mut self, job: JobId) -> bool {
        if self.survey_ended(job, None) || self.sample_corpus_ended(job) {
            return true;
        }
        if let Some(form) = self.importing_form(job) {
            form.import_state = ImportState::Editing;
            return true;
        }
        if let Some(form) = self.probing(job) {
            form.probe = Probe::None;
            return true;
        }
        let ended = self.leave_queue(job).is_some();
        self.sample_run_ended(job, false);
        ended
    }

    /// Takes note of a run that ended with an error.
    pub(crate) fn run_failed(&mut self, job: JobId, error: &Error) -> bool {
        if self.survey_ended(job, Some(error)) {
            return true;
        }
        if self.sample_corpus_ended(job) {
            self.shared
                .show_error("The sample run could not begin", error);
            return true;
        }
        if let Some(form) = self.probing(job) {
            form.probe = Probe::Failed(error.to_string());
            return true;
        }
        if let Some(form) = self.importing_form(job) {
            form.import_state = ImportState::Failed(error.to_string());
            return true;
        }
        let Some(name) = self.leave_queue(job) else {
            return false;
        };
        self.sample_run_ended(job, false);
        self.shared.show_error(&format!("{name} stopped"), error);
        true
    }
}

/// The last part of a path.
pub(super) fn name_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The name of a run's model: in a sweep also its row, since the runs of all rows have the same names.
fn model_name(run: &Path) -> String {
    let row = run.parent();
    match row.filter(|row| row.parent().is_some_and(is_sweep)) {
        Some(row) => format!("{} {}", name_of(row), name_of(run)),
        None => name_of(run),
    }
}
