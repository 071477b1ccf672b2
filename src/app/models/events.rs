//! Events of the thread that installs and describes models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{LanguageNote, Models, ModelsCommand};
use crate::command::Command;
use crate::error::{BaseError, Error, Result};
use crate::jobs::{JobId, ModelRequest};
use crate::language;
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::state::AppState;
use canopy_base::error::{find, is_of_device};
use canopy_corpus::synthetic::TARGET_LANGUAGE;
use canopy_translate::inference::{InstalledModel, ModelInfo, pair_key};

/// The last part of a path, for people.
pub(super) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

impl AppState {
    pub(crate) fn models_listed(&mut self, listed: Vec<InstalledModel>) {
        self.models.list(listed);
        self.models_known_to_project();
        self.choose_for_document();
    }

    pub(crate) fn model_inspected(
        &mut self,
        job: JobId,
        path: &Path,
        model: Result<Box<InstalledModel>>,
    ) {
        if self.models.describing.take_if(|it| *it == job).is_some() {
            if let Ok(model) = model {
                self.models.note_external(*model);
            }
            return;
        }
        let found = self.models.found.as_mut();
        let Some(found) = found.filter(|found| found.job == job) else {
            return;
        };
        match model {
            Ok(model) if found.is_wanted && !model.lacks_languages() => {
                self.add_model(path.to_owned(), None);
            }
            Ok(model) => found.model = Some(*model),
            Err(error) => {
                self.models.found = None;
                let title = format!("{} is not a readable model", name_of(path));
                self.shared.show_error(&title, &error);
            }
        }
    }

    pub(crate) fn model_copied(&mut self, job: JobId, done: u64, total: u64) {
        let adding = self.models.adding.as_mut();
        if let Some(adding) = adding.filter(|adding| adding.job == job) {
            (adding.done, adding.total) = (done, total);
        }
    }

    pub(crate) fn model_added(&mut self, job: JobId, model: &InstalledModel) {
        self.models.adding.take_if(|adding| adding.job == job);
        self.models.failed.remove(&model.folder);
        self.models.selected = Some(model.folder.clone());
        let detail = match (model.sources.as_slice(), model.targets.as_slice()) {
            ([source], [target]) => format!(
                "It translates from {} to {}.",
                language::name(source),
                language::name(target)
            ),
            ([], _) | (_, []) if model.is_language_model() => {
                "A language model: it translates between any languages, slowly.".to_owned()
            }
            ([], _) | (_, []) => {
                "The languages of this model are not stated. Choose them here.".to_owned()
            }
            (_, targets) => format!("It translates to {} languages.", targets.len()),
        };
        self.shared
            .notify(NoticeKind::Done, format!("{} is added", model.name), detail);
        // A document that no model fitted may have one now.
        let fits = matches!(
            self.document.language_note(&self.shared, &self.models),
            Some(LanguageNote::Detected | LanguageNote::Unlike { .. })
        );
        self.models.is_undecided |= !fits;
        self.choose_for_document();
    }

    /// A person has stated the languages of a model; documents may have one now.
    pub(crate) fn model_stated(&mut self, folder: &Path) {
        let is_used = self.models.in_use().any(|used| used == folder);
        if is_used {
            self.models.is_by_hand = true;
            let leg = canopy_translate::inference::Leg::alone(folder.to_owned());
            self.open_legs(vec![leg]);
        } else {
            self.models.is_undecided |= self.document.without_model(&self.models).is_some();
        }
        self.choose_for_document();
    }

    pub(crate) fn model_removed(&mut self, folder: &PathBuf) {
        self.models.selected.take_if(|selected| selected == folder);
        self.models.failed.remove(folder);
        self.forget_model(folder);
        let is_open = self.models.in_use().any(|used| used == folder);
        let name = name_of(folder);
        self.shared
            .notify(NoticeKind::Done, format!("{name} is removed"), "");
        if is_open {
            self.open_first_model(None);
        }
    }

    /// Takes a failure in, if it is one of these jobs.
    pub(crate) fn model_failed(&mut self, job: JobId, error: &Error) -> bool {
        let Some(adding) = self.models.adding.take_if(|adding| adding.job == job) else {
            return false;
        };
        let name = name_of(&adding.path);
        if let Error::Base(BaseError::Exists { path }) = error {
            let detail = format!(
                "{} exists. Remove that one first, or give the new one another name.",
                path.display()
            );
            let title = format!("A model called {name} is installed already");
            self.shared.notify(NoticeKind::Error, title, detail);
        } else {
            self.shared
                .show_error(&format!("{name} could not be added"), error);
        }
        true
    }

    /// Whether the job was the copying of a model, which was cancelled.
    pub(crate) fn adding_cancelled(&mut self, job: JobId) -> bool {
        let ended = self.models.adding.take_if(|adding| adding.job == job);
        ended.is_some()
    }

    /// The requested model is open.
    pub(crate) fn model_in_use(&mut self) {
        let ModelState::Open { info, .. } = &self.models.current else {
            return;
        };
        let info = info.clone();
        let models = &mut self.models;
        models.failed.remove(&info.folder);
        models.opened.clone_from(&models.requested);
        let is_alone = models.requested.len() < 2;
        if models.promoted.take_if(|it| *it == info.folder).is_some() {
            // It lies in the library now.
            self.models.requests.push(ModelRequest::List);
            self.ask_about_default(&info);
        } else if is_alone && self.models.get(&info.folder).is_none() {
            self.know_external(&info);
        }
        self.follow_chosen_model();
        self.choose_for_document();
        self.document.read_terms(&mut self.shared, &self.models);
        self.trace_with_next_model();
    }

    /// Asks whether the model of a run becomes the default of its languages, and says which one it replaces.
    fn ask_about_default(&mut self, info: &ModelInfo) {
        let (source, target) = (info.source_language.clone(), info.target_language.clone());
        if [&source, &target].iter().any(|code| *code == "und") {
            return self
                .shared
                .notify(NoticeKind::Done, "The model is ready to translate", "");
        }
        let [from, to] = [&source, &target].map(|code| language::name(code));
        let defaults = &self.shared.settings.default_models;
        let replaced = defaults.get(&pair_key(&source, &target));
        let replaced = replaced.map(|folder| match self.models.get(folder) {
            Some(model) => model.name.clone(),
            None => name_of(folder),
        });
        let detail = match replaced {
            Some(replaced) => format!(
                "{} is open. As the default it replaces {replaced}.",
                info.name
            ),
            None => format!("{} is open. These languages have no default.", info.name),
        };
        let title = format!("Make it the default for {from} → {to}?");
        self.shared.notify(NoticeKind::Done, title, detail);
        let folder = info.folder.clone();
        let command = Command::Models(ModelsCommand::MakeDefault {
            folder,
            source,
            target,
        });
        self.shared.with_button("Make default", command);
        if let Some(notice) = self.shared.notices.last_mut() {
            notice.until_secs = None;
        }
    }

    /// Notes a model that is not installed; one of another program is read once more for all its languages.
    fn know_external(&mut self, info: &ModelInfo) {
        if info.target_language == TARGET_LANGUAGE {
            return;
        }
        let known = |code: &String| (code != "und").then(|| code.clone());
        let is_ours = info.folder.join("model.toml").is_file();
        self.models.note_external(InstalledModel {
            folder: info.folder.clone(),
            name: info.name.clone(),
            sources: known(&info.source_language).into_iter().collect(),
            targets: known(&info.target_language).into_iter().collect(),
            format: if is_ours { "Canopy" } else { "" }.to_owned(),
            num_parameters: Some(info.num_parameters as u64),
            origin: info.folder.display().to_string(),
            ..InstalledModel::default()
        });
        if !is_ours {
            let job = self.shared.next_job();
            self.models.describing = Some(job);
            let path = info.folder.clone();
            let request = ModelRequest::Inspect { job, path };
            self.models.requests.push(request);
        }
    }

    /// The requested model could not be opened.
    pub(crate) fn model_not_in_use(&mut self, error: &Error) {
        let models = &mut self.models;
        // It is not known which of two chained models failed.
        if let [leg] = models.requested.as_slice()
            && !is_of_device(error)
            && !matches!(find(error), Some(BaseError::NoGpu))
        {
            models.failed.insert(leg.folder.clone(), error.to_string());
        }
        models.requested.clone_from(&models.opened);
        models.is_undecided = false;
        models.promoted = None;
    }
}

impl Models {
    fn list(&mut self, listed: Vec<InstalledModel>) {
        self.is_listed = true;
        let is_listed = |model: &InstalledModel| listed.iter().any(|it| it.folder == model.folder);
        self.external.retain(|model| !is_listed(model));
        let all = listed.into_iter().chain(self.external.iter().cloned());
        self.all = Arc::new(all.collect());
    }

    /// Adds a model that has just been installed, or its new release.
    pub(super) fn add_listed(&mut self, model: InstalledModel) {
        let others = self.all.iter().filter(|other| other.folder != model.folder);
        let all = others.cloned().chain([model.clone()]).collect();
        self.all = Arc::new(all);
    }

    fn note_external(&mut self, model: InstalledModel) {
        let is_other = |other: &InstalledModel| other.folder != model.folder;
        let before = self.all.iter().filter(|other| is_other(other)).cloned();
        let all = before.chain([model.clone()]).collect();
        self.all = Arc::new(all);
        self.external.retain(is_other);
        self.external.push(model);
    }
}
