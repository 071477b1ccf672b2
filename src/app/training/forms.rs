//! Commands and events of the forms for a new run and a new corpus.

use std::path::PathBuf;

use super::commands::name_of;
use super::{ImportState, NewCorpus, NewRun, Probe, Problem, Training};
use crate::jobs::{JobControl, JobId, RunRequest};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_corpus::synthetic::TaleImport;
use canopy_train::Estimate;

impl Training {
    pub(super) fn new_run(&mut self, shared: &Shared, models: &Models) {
        // That of the sample is for the sample.
        let mut corpora = self.corpora.iter();
        let corpus = corpora.find(|corpus| !TaleImport::is_place(corpus));
        let corpus = corpus.cloned().unwrap_or_default();
        self.show_form(shared, NewRun::new(corpus.clone(), shared.settings.device));
        self.shows_table = false;
        self.look_at_corpus(&corpus);
        if self.facts.contains_key(&corpus) {
            self.prefer_model_of_pair(shared, models);
        }
    }

    /// A run that is named by its preset gets a name that no other has.
    pub(super) fn show_form(&mut self, shared: &Shared, mut form: NewRun) {
        if form.named_by_preset && form.name == form.config.preset {
            form.name = self.free_run_name(shared, &form.name);
        }
        self.look_at_corpus(&form.config.corpus.clone());
        self.form = Some(form);
        self.form_changed(shared);
    }

    /// A name that no other run has.
    pub(super) fn free_run_name(&self, shared: &Shared, name: &str) -> String {
        let runs = shared.runs_folder();
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let is_free = |name: &String| {
            let folder = runs.join(name);
            !folder.exists() && !self.is_queued(&folder)
        };
        names.find(is_free).expect("there is no end of numbers")
    }

    /// Why the run of the form cannot begin.
    pub fn run_problem(&self, shared: &Shared) -> Option<Problem> {
        let form = self.form.as_ref()?;
        let runs = shared.runs_folder();
        if form.resumed.is_none() && self.is_queued(&runs.join(form.name.trim())) {
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
        self.corpora.retain(|known| *known != corpus);
        self.corpora.insert(0, corpus.clone());
        if let Some(form) = &mut self.form {
            form.config.corpus.clone_from(&corpus);
            form.probe = Probe::None;
        }
        self.form_changed(shared);
        self.look_at_corpus(&corpus);
        shared.set(|settings| settings.remember_corpus(&corpus));
    }

    pub(super) fn make_corpus(&mut self, shared: &mut Shared) {
        let job = shared.next_job();
        let output = shared.home().join("corpora");
        let Some(form) = &mut self.corpus_form else {
            return;
        };
        if form.problem().is_some() {
            return;
        }
        let control = JobControl::default();
        let import = form.import(&output);
        form.import_state = ImportState::Running(job, control.clone(), 0.0);
        self.run_request(RunRequest::MakeCorpus {
            job,
            import: Box::new(import),
            control,
        });
    }

    /// Cancels what is being read.
    pub(super) fn close_corpus(&mut self) {
        self.stop_survey();
        match &self.corpus_form {
            Some(NewCorpus {
                import_state: ImportState::Running(_, control, _),
                ..
            }) => control.cancel(),
            _ => self.corpus_form = None,
        }
    }

    pub(super) fn importing_form(&mut self, job: JobId) -> Option<&mut NewCorpus> {
        let form = self.corpus_form.as_mut()?;
        matches!(form.import_state, ImportState::Running(running, ..) if running == job)
            .then_some(form)
    }

    pub(crate) fn corpus_read(&mut self, job: JobId, done: f64) {
        if self.survey_progressed(job, done) {
            return;
        }
        if let Some(NewCorpus {
            import_state: ImportState::Running(_, _, share),
            ..
        }) = self.importing_form(job)
        {
            *share = done;
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
        if self.sample_corpus_made(shared, job, &folder) || self.importing_form(job).is_none() {
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
        let job = shared.next_job();
        let Some(form) = &mut self.form else {
            return;
        };
        form.probe = Probe::Running(job);
        let request = RunRequest::Probe {
            job,
            config: Box::new(form.config.clone()),
            device: form.device.into(),
        };
        self.run_request(request);
    }

    pub(crate) fn probed(&mut self, job: JobId, estimate: Estimate) {
        if let Some(form) = self.probing(job) {
            form.probe = Probe::Done(estimate);
        }
    }

    pub(super) fn probing(&mut self, job: JobId) -> Option<&mut NewRun> {
        let form = self.form.as_mut()?;
        (form.probe == Probe::Running(job)).then_some(form)
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
