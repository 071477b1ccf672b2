//! Material that was dropped or chosen for training: it is surveyed before it becomes a corpus.

use std::path::{Path, PathBuf};

use super::{ImportState, NewCorpus, Side, SurveyState, Training};
use crate::command::Page;
use crate::error::Error;
use crate::jobs::{JobControl, JobId, RunRequest};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_corpus::Corpus;
use canopy_corpus::survey::{Material, Survey};
use canopy_translate::inference::may_be_model;

impl Training {
    /// Takes what was dropped on the training page, if it is something to train on; returns whether it was.
    pub(crate) fn train_on_dropped(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        paths: &[PathBuf],
    ) -> bool {
        if shared.page != Page::Training || self.is_importing_corpus() {
            return false;
        }
        if paths.iter().any(|path| may_be_model(path)) {
            return false;
        }
        let is_plain = |path: &&PathBuf| path.is_dir() && !path.join("model.toml").exists();
        let folders: Vec<&PathBuf> = paths.iter().filter(is_plain).collect();
        let files = paths.iter();
        let mut files = files.filter(|path| path.is_file()).peekable();
        match (folders[..].as_ref(), files.peek()) {
            ([corpus], None) if Corpus::is_one(corpus) => {
                self.use_corpus(shared, PathBuf::clone(corpus));
                self.form_for_new_corpus(shared, models);
            }
            ([one, other], None) => self.look_at(shared, &Material::of_folders(one, other)),
            ([folder], None) if !canopy_train::is_run(folder) => self.take_folder(shared, folder),
            ([], Some(_)) => {
                let all: Vec<&PathBuf> = files.collect();
                let Some(material) = all.iter().find_map(|file| Material::of_file(file)) else {
                    return false;
                };
                if all.len() > 1 {
                    let detail =
                        format!("{} is read; drop the others afterwards.", material.name());
                    shared.notify(NoticeKind::Hint, "One file at a time", detail);
                }
                self.look_at(shared, &material);
            }
            _ => return false,
        }
        true
    }

    fn is_importing_corpus(&self) -> bool {
        let form = self.corpus_form.as_ref();
        form.is_some_and(|form| matches!(form.import_state, ImportState::Running(..)))
    }

    /// The first of two folders, or the one that was missing.
    fn take_folder(&mut self, shared: &mut Shared, folder: &Path) {
        let form = self.corpus_form.get_or_insert_default();
        form.from = super::CorpusSource::Folders;
        let is_second = !form.source.as_os_str().is_empty() && form.target.as_os_str().is_empty();
        let side = if is_second {
            Side::Target
        } else {
            Side::Source
        };
        form.set(side, folder.to_owned());
        self.survey_if_new(shared);
    }

    fn look_at(&mut self, shared: &mut Shared, material: &Material) {
        self.corpus_form = Some(NewCorpus::from_material(material));
        self.survey_if_new(shared);
    }

    /// Looks at what the form names, unless that was done or something is missing.
    pub(super) fn survey_if_new(&mut self, shared: &mut Shared) {
        let Some(form) = &mut self.corpus_form else {
            return;
        };
        let material = form.material();
        if material == form.surveyed {
            return;
        }
        if material.is_none() {
            stop(form);
            form.surveyed = None;
            return;
        }
        // Those of something else say nothing of this.
        if form.surveyed.is_some() {
            form.source_language.clear();
            form.target_language.clear();
        }
        self.survey_again(shared);
    }

    /// Looks at what the form names, in the languages that it says.
    pub(super) fn survey_again(&mut self, shared: &mut Shared) {
        let job = shared.next_job();
        let corpora = shared.home().join("corpora");
        let Some(form) = &mut self.corpus_form else {
            return;
        };
        stop(form);
        let Some(material) = form.material() else {
            return;
        };
        if form.name.trim().is_empty() {
            form.name = free_name(&corpora, &material.name());
        }
        let control = JobControl::default();
        form.survey = SurveyState::Running(job, control.clone(), 0.0);
        form.surveyed = Some(material.clone());
        let languages = form.languages();
        self.run_request(RunRequest::Survey {
            job,
            material,
            languages,
            control,
        });
    }

    pub(super) fn swap_sides(&mut self, shared: &mut Shared) {
        if let Some(form) = &mut self.corpus_form {
            form.swap();
            self.survey_again(shared);
        }
    }

    pub(super) fn stop_survey(&mut self) {
        if let Some(form) = &mut self.corpus_form {
            stop(form);
        }
    }

    fn surveyed_form(&mut self, job: JobId) -> Option<&mut NewCorpus> {
        let form = self.corpus_form.as_mut()?;
        matches!(form.survey, SurveyState::Running(running, ..) if running == job).then_some(form)
    }

    pub(crate) fn surveyed(&mut self, job: JobId, survey: Box<Survey>) {
        let Some(form) = self.surveyed_form(job) else {
            return;
        };
        for (field, found) in [
            (&mut form.source_language, &survey.source_language),
            (&mut form.target_language, &survey.target_language),
        ] {
            if field.trim().is_empty() {
                field.clone_from(found);
            }
        }
        form.survey = SurveyState::Found(survey);
    }

    /// Returns whether the job was a survey.
    pub(super) fn survey_progressed(&mut self, job: JobId, done: f64) -> bool {
        let Some(form) = self.surveyed_form(job) else {
            return false;
        };
        if let SurveyState::Running(_, _, share) = &mut form.survey {
            *share = done;
        }
        true
    }

    /// Takes note of the end of a survey, by an error or by request.
    pub(super) fn survey_ended(&mut self, job: JobId, error: Option<&Error>) -> bool {
        let Some(form) = self.surveyed_form(job) else {
            return false;
        };
        form.survey = error.map_or(SurveyState::None, |error| {
            SurveyState::Failed(error.to_string())
        });
        true
    }

    /// The form of a run, where there is none yet.
    pub(super) fn form_for_new_corpus(&mut self, shared: &Shared, models: &Models) {
        if self.form.is_none() {
            self.new_run(shared, models);
        }
    }
}

fn stop(form: &mut NewCorpus) {
    if let SurveyState::Running(_, control, _) = &form.survey {
        control.cancel();
    }
    form.survey = SurveyState::None;
}

/// A name that no corpus has.
fn free_name(corpora: &Path, name: &str) -> String {
    let name: String = name
        .replace(['/', '\\', ':'], " ")
        .trim_start_matches('.')
        .to_owned();
    let folder = canopy_train::free_folder(corpora, &name);
    super::commands::name_of(&folder)
}
