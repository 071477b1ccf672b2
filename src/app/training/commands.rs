//! Commands and events of the training page.

use std::path::{Path, PathBuf};

use super::{NewCorpus, NewRun, Training, TrainingCommand};
use crate::ask::DialogRequest;
use crate::error::Error;
use crate::evaluating::Evaluate;
use crate::jobs::{JobId, RunRequest};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::settings::Device;
use crate::shared::Shared;
use canopy_train::sweep::is_sweep;
use canopy_train::{EndReason, RunState, TrainingConfig};

impl Training {
    #[expect(clippy::too_many_lines, reason = "a table: an arm for each command")]
    pub(crate) fn execute(
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
            C::FillCorpus(form) => self.corpus_form.insert(*form).survey_if_new(shared),
            C::LookAgain => {
                if let Some(form) = &mut self.corpus_form {
                    form.survey_again(shared);
                }
            }
            C::StopLooking => {
                if let Some(form) = &mut self.corpus_form {
                    form.stop_survey();
                }
            }
            C::SwapSides => {
                if let Some(form) = &mut self.corpus_form {
                    form.swap();
                    form.survey_again(shared);
                }
            }
            C::TrySample => self.try_sample(shared),
            C::StopSample => {
                if let Some(sample) = &mut self.sample {
                    sample.stop(&mut self.runs, evaluate);
                }
            }
            C::CompareSample => {
                if let Some(sample) = &mut self.sample {
                    sample.compare(shared, evaluate);
                }
            }
            C::ShowSample => {
                if let Some(sample) = &self.sample {
                    sample.show(shared, evaluate);
                }
            }
            C::CloseSample => self.sample = None,
            C::CloseCorpus => self.close_corpus(),
            C::ChooseSide(side) => shared.asks.push(DialogRequest::CorpusSide(side)),
            C::UseSide(side, path) => {
                if let Some(form) = &mut self.corpus_form {
                    form.set(side, path);
                    form.survey_if_new(shared);
                }
            }
            C::MakeCorpus => {
                if let Some(form) = &mut self.corpus_form {
                    form.make(shared);
                }
            }
            C::ChooseCorpus => shared.asks.push(DialogRequest::Corpus),
            C::UseCorpus(corpus) => self.use_corpus(shared, corpus),
            C::ChooseBert => shared.asks.push(DialogRequest::Bert),
            C::UseBert(folder) => self.fill(shared, |form| form.config.bert = folder),
            C::ChooseContexts => shared.asks.push(DialogRequest::Contexts),
            C::UseContexts(file) => self.fill(shared, |form| form.config.contexts = file),
            C::ChooseMemory => shared.asks.push(DialogRequest::RunMemory),
            C::UseMemory(path) => self.fill(shared, |form| form.config.memory = path),
            C::ChooseContrastiveSet => shared.asks.push(DialogRequest::RunContrastiveSet),
            C::UseContrastiveSet(path) => {
                self.fill(shared, |form| form.config.contrastive_set = path);
            }
            C::ChooseRun => shared.asks.push(DialogRequest::RunFolder),
            C::Follow(folder) => {
                self.runs.selected = Some(folder.clone());
                self.form = None;
                shared.run_requests.push(RunRequest::Follow(folder));
            }
            C::Select(folder) => {
                self.runs.selected = Some(folder);
                (self.form, self.runs.shows_table) = (None, false);
            }
            C::Compare(folder, true) => {
                self.runs.compared.insert(folder);
            }
            C::Compare(folder, false) => {
                self.runs.compared.remove(&folder);
            }
            C::Order(folder, order) => self.runs.order(shared, folder, order),
            C::OrderAll(order) => self.runs.order_all(order),
            C::GoOn(folder) => self.go_on(shared, &folder),
            C::Continue(folder) => self.continue_model(shared, &folder),
            C::Rename(folder, name) => self.runs.rename(shared, folder, name),
            C::AskTrash(folder) => self.runs.ask_trash(shared, folder),
            C::KeepRun => self.runs.trashing = None,
            C::Trash(folder) => {
                self.runs.trashing = None;
                let job = shared.next_job();
                shared.run_requests.push(RunRequest::Trash { job, folder });
            }
            C::Restore => {
                let job = shared.next_job();
                if let Some((folder, from)) = self.runs.trashed.pop() {
                    shared
                        .run_requests
                        .push(RunRequest::Restore { job, from, folder });
                }
            }
            C::Export(folder) => shared.asks.push(DialogRequest::Export {
                name: model_name(&folder),
                run: folder,
            }),
            C::ExportTo(folder, to) => {
                let (job, name) = (shared.next_job(), model_name(&folder));
                shared.run_requests.push(RunRequest::Export {
                    job,
                    folder,
                    to,
                    name,
                });
            }
            C::Promote(folder) => {
                let job = shared.next_job();
                let to = shared.home().join("models").join(model_name(&folder));
                shared
                    .run_requests
                    .push(RunRequest::Promote { job, folder, to });
            }
            C::ShowTable(shows) => {
                self.runs.shows_table = shows;
                self.form = None;
            }
            C::SetAxis(axis) => self.runs.x = axis,
            C::SetSmoothing(smoothing) => self.runs.smoothing = smoothing.clamp(0.0, 0.99),
            C::AskSaveChart(extension) => {
                if let Some(run) = self.runs.selected() {
                    let name = format!("{}.{extension}", run.name());
                    shared.asks.push(DialogRequest::Chart { name });
                }
            }
            C::SaveChart(path) => self.runs.save_chart(shared, path),
        }
    }

    /// Puts a run behind those that wait, and says so where others do.
    pub(super) fn enqueue(
        &mut self,
        shared: &mut Shared,
        folder: PathBuf,
        config: TrainingConfig,
        resume: bool,
        device: Device,
    ) {
        let sample = self.sample.as_ref();
        let is_sample = sample.is_some_and(|sample| sample.has_run(&folder));
        if self.runs.is_busy() && !is_sample {
            let detail = "It starts when the runs before it have ended.";
            let title = format!("{} waits", name_of(&folder));
            shared.notify(NoticeKind::Hint, title, detail);
        }
        self.runs.enqueue(shared, folder, config, resume, device);
    }

    fn go_on(&mut self, shared: &mut Shared, folder: &Path) {
        if self.runs.is_queued(folder) {
            return;
        }
        let Some(run) = self.runs.get(folder) else {
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
        let Some(run) = self.runs.get(folder) else {
            return;
        };
        let preset = run
            .config
            .as_ref()
            .map_or_else(String::new, |config| config.preset.clone());
        let corpus = self.corpora.known.first().cloned().unwrap_or_default();
        let model = run.model().unwrap_or_default();
        let mut form = NewRun::from_model(model, &preset, corpus, shared.settings.device);
        form.name = format!("{} continued", run.name());
        form.named_by_preset = false;
        self.form = Some(form);
    }

    /// A run of this window has ended; returns whether the job was one.
    pub(crate) fn run_ended(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
    ) -> bool {
        let ended = self.runs.leave_queue(job);
        let found = ended.is_some();
        let is_sample = self.sample_run_ended(shared, evaluate, job, true);
        if let Some(name) = ended.filter(|_| !is_sample) {
            shared.notify(NoticeKind::Done, format!("{name} is finished"), "");
        }
        found
    }

    /// A survey, an import or an estimate of one of the forms has ended, by an error or by request; returns whether the job
    /// was one.
    fn form_ended(&mut self, job: JobId, error: Option<&Error>) -> bool {
        let (corpus, run) = (self.corpus_form.as_mut(), self.form.as_mut());
        corpus.is_some_and(|form| form.ended(job, error))
            || run.is_some_and(|form| form.probe_ended(job, error))
    }

    fn sample_corpus_ended(&mut self, job: JobId) -> bool {
        let sample = self.sample.as_mut();
        sample.is_some_and(|sample| sample.corpus_ended(job))
    }

    /// Returns whether the job was a run that waited, an estimate or the import of a corpus.
    pub(crate) fn cancelled(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
    ) -> bool {
        if self.form_ended(job, None) || self.sample_corpus_ended(job) {
            return true;
        }
        let ended = self.runs.leave_queue(job).is_some();
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
        if self.form_ended(job, Some(error)) {
            return true;
        }
        if self.sample_corpus_ended(job) {
            shared.show_error("The sample run could not begin", error);
            return true;
        }
        let Some(name) = self.runs.leave_queue(job) else {
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
