//! Commands and events of the training page.

use std::path::{Path, PathBuf};

use super::{ImportState, NewCorpus, NewRun, Probe, Queued, Training, TrainingCommand};
use crate::ask::Ask;
use crate::error::Error;
use crate::evaluating::Evaluate;
use crate::jobs::{JobId, RunRequest, RunSnapshot, TrainingJob, TrainingRequest};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::settings::Device;
use crate::shared::Shared;
use canopy_train::sweep::is_sweep;
use canopy_train::{EndReason, Order, RunState, TrainingConfig};

impl Training {
    #[expect(clippy::too_many_lines, reason = "a table: an arm for each command")]
    pub(crate) fn apply(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        evaluate: &mut Evaluate,
        command: TrainingCommand,
    ) {
        use TrainingCommand as C;
        match command {
            C::NewRun => self.new_run(shared, models),
            C::Fill(form) => self.show_form(shared, *form),
            C::Improve(model) => self.improve(shared, models, model),
            C::CloseForm => self.form = None,
            C::Probe => self.probe(shared),
            C::Start => self.start_run(shared),
            C::NewCorpus => self.corpus_form = Some(NewCorpus::default()),
            C::FillCorpus(form) => {
                self.corpus_form = Some(*form);
                self.survey_if_new(shared);
            }
            C::LookAgain => self.survey_again(shared),
            C::StopLooking => self.stop_survey(),
            C::SwapSides => self.swap_sides(shared),
            C::TrySample => self.try_sample(shared),
            C::StopSample => self.stop_sample(evaluate),
            C::CompareSample => self.compare_sample(shared, evaluate),
            C::ShowSample => self.show_sample(shared, evaluate),
            C::CloseSample => self.sample = None,
            C::CloseCorpus => self.close_corpus(),
            C::ChooseSide(side) => shared.asks.push(Ask::CorpusSide(side)),
            C::UseSide(side, path) => {
                if let Some(form) = &mut self.corpus_form {
                    form.set(side, path);
                    self.survey_if_new(shared);
                }
            }
            C::MakeCorpus => self.make_corpus(shared),
            C::ChooseCorpus => shared.asks.push(Ask::Corpus),
            C::UseCorpus(corpus) => self.use_corpus(shared, corpus),
            C::ChooseBert => shared.asks.push(Ask::Bert),
            C::UseBert(folder) => self.fill(shared, |form| form.config.bert = folder),
            C::ChooseContexts => shared.asks.push(Ask::Contexts),
            C::UseContexts(file) => self.fill(shared, |form| form.config.contexts = file),
            C::ChooseMemory => shared.asks.push(Ask::RunMemory),
            C::UseMemory(path) => self.fill(shared, |form| form.config.memory = path),
            C::ChooseContrastiveSet => shared.asks.push(Ask::RunContrastiveSet),
            C::UseContrastiveSet(path) => {
                self.fill(shared, |form| form.config.contrastive_set = path);
            }
            C::ChooseRun => shared.asks.push(Ask::RunFolder),
            C::Follow(folder) => {
                self.selected = Some(folder.clone());
                self.form = None;
                self.run_requests.push(RunRequest::Follow(folder));
            }
            C::Select(folder) => {
                self.selected = Some(folder);
                (self.form, self.shows_table) = (None, false);
            }
            C::Compare(folder, true) => {
                self.compared.insert(folder);
            }
            C::Compare(folder, false) => {
                self.compared.remove(&folder);
            }
            C::Order(folder, order) => self.order(shared, folder, order),
            C::GoOn(folder) => self.go_on(shared, &folder),
            C::Continue(folder) => self.continue_model(shared, &folder),
            C::Rename(folder, name) => self.rename_run(shared, folder, name),
            C::AskTrash(folder) => self.ask_trash(shared, folder),
            C::KeepRun => self.trashing = None,
            C::Trash(folder) => {
                self.trashing = None;
                let job = shared.next_job();
                self.run_request(RunRequest::Trash { job, folder });
            }
            C::Restore => {
                let job = shared.next_job();
                if let Some((folder, from)) = self.trashed.pop() {
                    self.run_request(RunRequest::Restore { job, from, folder });
                }
            }
            C::Export(folder) => shared.asks.push(Ask::Export {
                name: model_name(&folder),
                run: folder,
            }),
            C::ExportTo(folder, to) => {
                let (job, name) = (shared.next_job(), model_name(&folder));
                self.run_request(RunRequest::Export {
                    job,
                    folder,
                    to,
                    name,
                });
            }
            C::Promote(folder) => {
                let job = shared.next_job();
                let to = shared.home().join("models").join(model_name(&folder));
                self.run_request(RunRequest::Promote { job, folder, to });
            }
            C::ShowTable(shows) => {
                self.shows_table = shows;
                self.form = None;
            }
            C::SetAxis(axis) => self.x = axis,
            C::SetSmoothing(smoothing) => self.smoothing = smoothing.clamp(0.0, 0.99),
            C::AskSaveChart(extension) => {
                if let Some(run) = self.selected() {
                    let name = format!("{}.{extension}", run.name());
                    shared.asks.push(Ask::Chart { name });
                }
            }
            C::SaveChart(path) => self.save_chart(shared, path),
        }
    }

    pub(super) fn run_request(&mut self, request: RunRequest) {
        self.run_requests.push(request);
    }

    pub(super) fn enqueue(
        &mut self,
        shared: &mut Shared,
        folder: PathBuf,
        config: TrainingConfig,
        resume: bool,
        device: Device,
    ) -> JobId {
        let job = shared.next_job();
        if self.is_busy() && !self.is_sample(&folder) {
            let detail = "It starts when the runs before it have ended.";
            let title = format!("{} waits", name_of(&folder));
            shared.notify(NoticeKind::Hint, title, detail);
        }
        self.selected = Some(folder.clone());
        self.shows_table = false;
        self.queue.push(Queued {
            job,
            folder: folder.clone(),
        });
        self.run_requests.push(RunRequest::Follow(folder.clone()));
        self.requests
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
        let mut queue = self.queue.iter();
        let found = queue.find(|queued| queued.folder == folder);
        found.map(|queued| queued.job)
    }

    /// Whether this window trains a run in this folder, or will.
    pub(super) fn is_queued(&self, folder: &Path) -> bool {
        self.queued(folder).is_some()
    }

    fn order(&mut self, shared: &mut Shared, folder: PathBuf, order: Order) {
        if let Some(job) = self.queued(&folder) {
            let request = TrainingRequest::Order { job, order };
            self.requests.push(request);
        } else {
            // Another program's.
            let job = shared.next_job();
            self.run_request(RunRequest::Order { job, folder, order });
        }
    }

    fn go_on(&mut self, shared: &mut Shared, folder: &Path) {
        if self.is_queued(folder) {
            return;
        }
        let Some(run) = self.run(folder) else {
            return;
        };
        let Some(config) = run.config.clone() else {
            return;
        };
        let at_its_limit = matches!(
            run.state,
            RunState::Finished(EndReason::Steps | EndReason::TargetTokens | EndReason::Patience)
        );
        let (folder, name, device) = (folder.to_owned(), run.name(), shared.settings.device);
        if at_its_limit {
            // Its limits must be raised first.
            let form = NewRun::resuming(folder, name, config, device);
            self.form = Some(form);
        } else {
            self.enqueue(shared, folder, config, true, device);
        }
    }

    fn continue_model(&mut self, shared: &Shared, folder: &Path) {
        let Some(run) = self.run(folder) else {
            return;
        };
        let preset = run
            .config
            .as_ref()
            .map_or_else(String::new, |config| config.preset.clone());
        let corpus = self.corpora.first().cloned().unwrap_or_default();
        let model = run.model().unwrap_or_default();
        let mut form = NewRun::from_model(model, &preset, corpus, shared.settings.device);
        form.name = format!("{} continued", run.name());
        form.named_by_preset = false;
        self.form = Some(form);
    }

    fn rename_run(&mut self, shared: &mut Shared, folder: PathBuf, name: String) {
        if self.is_queued(&folder) {
            let title = format!("{} keeps its name", name_of(&folder));
            let detail = "It is being trained or queued; rename it afterwards.";
            shared.notify(NoticeKind::Hint, title, detail);
            return;
        }
        let job = shared.next_job();
        self.run_request(RunRequest::Rename { job, folder, name });
    }

    /// Keeps the run that is shown selected under its new name.
    pub(crate) fn run_renamed(&mut self, folder: &Path, to: PathBuf) {
        if self.compared.remove(folder) {
            self.compared.insert(to.clone());
        }
        if self.selected.as_deref() == Some(folder) {
            self.selected = Some(to);
        }
    }

    /// A run that waits only leaves the queue.
    fn ask_trash(&mut self, shared: &mut Shared, folder: PathBuf) {
        if self.queued(&folder).is_some() {
            self.order(shared, folder, Order::Abandon);
        } else {
            self.trashing = Some(folder);
        }
    }

    fn save_chart(&mut self, shared: &mut Shared, path: PathBuf) {
        let Some(run) = self.selected() else {
            return;
        };
        let chart = self.chart(run);
        let job = shared.next_job();
        self.run_request(RunRequest::SaveChart {
            job,
            chart: Box::new(chart),
            path,
        });
    }

    /// Takes over the runs and corpora that the threads found.
    pub(crate) fn runs_seen(&mut self, runs: Vec<RunSnapshot>, corpora: Vec<PathBuf>) {
        self.runs = runs;
        for corpus in corpora {
            if !self.corpora.contains(&corpus) {
                self.corpora.push(corpus);
            }
        }
        let gone = |folder: &PathBuf| !self.runs.iter().any(|run| run.folder == *folder);
        let waits = |folder: &PathBuf| self.queue.iter().any(|queued| queued.folder == *folder);
        if self
            .selected
            .as_ref()
            .is_none_or(|folder| gone(folder) && !waits(folder))
        {
            let running = self.runs.iter().find(|run| run.state == RunState::Running);
            let first = running.or(self.runs.first());
            self.selected = first.map(|run| run.folder.clone());
        }
    }

    /// Takes a run of this window out of the queue; its name, if the job was one.
    fn leave_queue(&mut self, job: JobId) -> Option<String> {
        let queue = &mut self.queue;
        let at = queue.iter().position(|queued| queued.job == job)?;
        Some(name_of(&queue.remove(at).folder))
    }

    /// A run of this window has ended; returns whether the job was one.
    pub(crate) fn run_ended(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
    ) -> bool {
        let ended = self.leave_queue(job);
        let found = ended.is_some();
        let is_sample = self.sample_run_ended(shared, evaluate, job, true);
        if let Some(name) = ended.filter(|_| !is_sample) {
            shared.notify(NoticeKind::Done, format!("{name} is finished"), "");
        }
        found
    }

    /// Returns whether the job was a run that waited, an estimate or the import of a corpus.
    pub(crate) fn cancelled(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
    ) -> bool {
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
        self.sample_run_ended(shared, evaluate, job, false);
        ended
    }

    /// Takes note of a run that ended with an error.
    pub(crate) fn failed(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
        error: &Error,
    ) -> bool {
        if self.survey_ended(job, Some(error)) {
            return true;
        }
        if self.sample_corpus_ended(job) {
            shared.show_error("The sample run could not begin", error);
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
        self.sample_run_ended(shared, evaluate, job, false);
        shared.show_error(&format!("{name} stopped"), error);
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
