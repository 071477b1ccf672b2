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
        let form = self.corpus_form.as_ref();
        if shared.page != Page::Training || form.is_some_and(NewCorpus::is_importing) {
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
            ([one, other], None) => self.look_at(shared, &Material::from_folders(one, other)),
            ([folder], None) if !canopy_train::is_run(folder) => self.take_folder(shared, folder),
            ([], Some(_)) => {
                let all: Vec<&PathBuf> = files.collect();
                let Some(material) = all.iter().find_map(|file| Material::from_path(file)) else {
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
        form.survey_if_new(shared);
    }

    fn look_at(&mut self, shared: &mut Shared, material: &Material) {
        let form = NewCorpus::from_material(material);
        self.corpus_form.insert(form).survey_if_new(shared);
    }

    /// The form of a run, if none is open yet.
    pub(super) fn form_for_new_corpus(&mut self, shared: &mut Shared, models: &Models) {
        if self.form.is_none() {
            self.new_run(shared, models);
        }
    }
}

impl NewCorpus {
    /// Looks at what is named, unless that was done or something is missing.
    pub(super) fn survey_if_new(&mut self, shared: &mut Shared) {
        let material = self.material();
        if material == self.surveyed {
            return;
        }
        if material.is_none() {
            self.stop_survey();
            self.surveyed = None;
            return;
        }
        // Those of something else say nothing of this.
        if self.surveyed.is_some() {
            self.source_language.clear();
            self.target_language.clear();
        }
        self.survey_again(shared);
    }

    /// Looks at what is named, in the languages that are filled in.
    pub(super) fn survey_again(&mut self, shared: &mut Shared) {
        let job = shared.next_job();
        self.stop_survey();
        let Some(material) = self.material() else {
            return;
        };
        if self.name.trim().is_empty() {
            let corpora = shared.home().join("corpora");
            self.name = free_name(&corpora, &material.name());
        }
        let control = JobControl::default();
        self.survey = SurveyState::Running(job, control.clone(), 0.0);
        self.surveyed = Some(material.clone());
        let languages = self.languages();
        shared.run_requests.push(RunRequest::Survey {
            job,
            material,
            languages,
            control,
        });
    }

    pub(super) fn stop_survey(&mut self) {
        if let SurveyState::Running(_, control, _) = &self.survey {
            control.cancel();
        }
        self.survey = SurveyState::None;
    }

    fn is_surveyed_by(&self, job: JobId) -> bool {
        matches!(self.survey, SurveyState::Running(running, ..) if running == job)
    }

    pub(crate) fn surveyed(&mut self, job: JobId, survey: Box<Survey>) {
        if !self.is_surveyed_by(job) {
            return;
        }
        for (field, found) in [
            (&mut self.source_language, &survey.source_language),
            (&mut self.target_language, &survey.target_language),
        ] {
            if field.trim().is_empty() {
                field.clone_from(found);
            }
        }
        self.survey = SurveyState::Found(survey);
    }

    /// Makes the corpus, unless something is missing.
    pub(super) fn make(&mut self, shared: &mut Shared) {
        let job = shared.next_job();
        if self.problem().is_some() {
            return;
        }
        let control = JobControl::default();
        let import = self.import(&shared.home().join("corpora"));
        self.import_state = ImportState::Running(job, control.clone(), 0.0);
        shared.run_requests.push(RunRequest::MakeCorpus {
            job,
            import: Box::new(import),
            control,
        });
    }

    /// Whether the corpus is being made.
    pub(crate) fn is_importing(&self) -> bool {
        matches!(self.import_state, ImportState::Running(..))
    }

    pub(super) fn is_imported_by(&self, job: JobId) -> bool {
        matches!(self.import_state, ImportState::Running(running, ..) if running == job)
    }

    /// Takes note of the share that a survey or an import has read.
    pub(crate) fn progressed(&mut self, job: JobId, done: f64) {
        match (&mut self.survey, &mut self.import_state) {
            (SurveyState::Running(running, _, share), _)
            | (_, ImportState::Running(running, _, share))
                if *running == job =>
            {
                *share = done;
            }
            _ => {}
        }
    }

    /// A survey or an import has ended, by an error or by request; returns whether the job was one.
    pub(super) fn ended(&mut self, job: JobId, error: Option<&Error>) -> bool {
        let reason = error.map(ToString::to_string);
        if self.is_surveyed_by(job) {
            self.survey = reason.map_or(SurveyState::None, SurveyState::Failed);
        } else if self.is_imported_by(job) {
            self.import_state = reason.map_or(ImportState::Editing, ImportState::Failed);
        } else {
            return false;
        }
        true
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::BaseError;

    #[test]
    fn shares_and_ends_go_to_the_survey_or_the_import_whose_job_it_is() {
        let [survey, import] = [JobId(1), JobId(2)];
        let mut form = NewCorpus {
            survey: SurveyState::Running(survey, JobControl::default(), 0.0),
            import_state: ImportState::Running(import, JobControl::default(), 0.0),
            ..NewCorpus::default()
        };
        form.progressed(import, 0.5);
        form.progressed(survey, 0.25);
        form.progressed(JobId(3), 0.75);
        assert!(matches!(form.survey, SurveyState::Running(_, _, share) if share < 0.3));
        assert!(matches!(form.import_state, ImportState::Running(_, _, share) if share > 0.4));
        assert!(!form.ended(JobId(3), None));
        assert!(form.ended(survey, None));
        assert_eq!(form.survey, SurveyState::None);
        assert!(form.is_importing());
        let error = Error::Base(BaseError::NoModel);
        assert!(form.ended(import, Some(&error)));
        assert_eq!(form.import_state, ImportState::Failed(error.to_string()));
        assert!(!form.ended(import, None), "it has ended already");
    }
}
