//! Commands and events of the forms for a new run and a new corpus.

use std::path::PathBuf;

use super::commands::name_of;
use super::{ImportState, NewRun, Probe, Problem, Training};
use crate::jobs::JobId;
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_corpus::synthetic::TaleImport;

impl Training {
    pub(super) fn new_run(&mut self, shared: &mut Shared, models: &Models) {
        // That of the sample is for the sample.
        let mut corpora = self.corpora.known.iter();
        let corpus = corpora.find(|corpus| !TaleImport::is_place(corpus));
        let corpus = corpus.cloned().unwrap_or_default();
        let form = NewRun::new(corpus.clone(), shared.settings.device);
        self.show_form(shared, form);
        self.runs.shows_table = false;
        self.corpora.look_at(shared, &corpus);
        if self.corpora.facts.contains_key(&corpus) {
            self.prefer_model_of_pair(shared, models);
        }
    }

    /// A run that is named by its preset gets a name that no other has.
    pub(super) fn show_form(&mut self, shared: &mut Shared, mut form: NewRun) {
        if form.named_by_preset && form.name == form.config.preset {
            form.name = self.runs.free_name(shared, &form.name);
        }
        self.corpora.look_at(shared, &form.config.corpus);
        self.form = Some(form);
        self.form_changed(shared);
    }

    /// Why the run of the form cannot begin.
    pub fn run_problem(&self, shared: &Shared) -> Option<Problem> {
        let form = self.form.as_ref()?;
        let runs = shared.runs_folder();
        if form.resumed.is_none() && self.runs.is_queued(&runs.join(form.name.trim())) {
            return Some(Problem {
                field: "name",
                message: "A run of this name is queued".to_owned(),
            });
        }
        form.problem(&runs)
    }

    pub(super) fn fill(&mut self, shared: &Shared, change: impl FnOnce(&mut NewRun)) {
        if let Some(form) = &mut self.form {
            change(form);
            form.probe = Probe::None;
        }
        self.form_changed(shared);
    }

    pub(super) fn use_corpus(&mut self, shared: &mut Shared, corpus: PathBuf) {
        self.corpora.put_first(corpus.clone());
        if let Some(form) = &mut self.form {
            form.config.corpus.clone_from(&corpus);
            form.probe = Probe::None;
        }
        self.form_changed(shared);
        self.corpora.look_at(shared, &corpus);
        shared.set(|settings| settings.remember_corpus(&corpus));
    }

    /// Cancels what is being read.
    pub(super) fn close_corpus(&mut self) {
        let Some(form) = &mut self.corpus_form else {
            return;
        };
        form.stop_survey();
        match &form.import_state {
            ImportState::Running(_, control, _) => control.cancel(),
            ImportState::Editing | ImportState::Failed(_) => self.corpus_form = None,
        }
    }

    pub(crate) fn corpus_made(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        job: JobId,
        folder: PathBuf,
        pairs: usize,
    ) {
        let sample = self.sample.as_mut();
        if sample.is_some_and(|it| it.corpus_made(shared, &mut self.runs, job, &folder)) {
            return;
        }
        let form = self.corpus_form.as_ref();
        if !form.is_some_and(|form| form.is_imported_by(job)) {
            return;
        }
        self.corpus_form = None;
        let title = format!("{} is ready", name_of(&folder));
        let detail = format!("{pairs} sentence pairs for training.");
        shared.notify(NoticeKind::Done, title, detail);
        self.use_corpus(shared, folder);
        self.form_for_new_corpus(shared, models);
    }

    pub(super) fn probe(&mut self, shared: &mut Shared) {
        if self.run_problem(shared).is_some() {
            return;
        }
        if let Some(form) = &mut self.form {
            form.measure(shared);
        }
    }

    pub(super) fn start_run(&mut self, shared: &mut Shared) {
        if self.run_problem(shared).is_some() {
            return;
        }
        let Some(form) = self.form.take() else {
            return;
        };
        let corpus = form.config.corpus.clone();
        shared.set(|settings| settings.remember_corpus(&corpus));
        let resume = form.resumed.is_some();
        let run = form
            .resumed
            .unwrap_or_else(|| shared.runs_folder().join(form.name.trim()));
        self.enqueue(shared, run, form.config, resume, form.device);
    }
}
