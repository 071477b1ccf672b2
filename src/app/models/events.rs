//! Events of models that are opened, installed and described.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commands::forget_model;
use super::{LanguageNote, Library, Models, ModelsCommand};
use crate::command::Command;
use crate::error::{Error, Result};
use crate::jobs::{JobId, ModelRequest};
use crate::language;
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::open_work::OpenWork;
use crate::shared::Shared;
use crate::state::AppState;
use canopy_base::error::find;
use canopy_corpus::memory::TranslationMemory;
use canopy_corpus::synthetic::TARGET_LANGUAGE;
use canopy_translate::catalogue::{Look, Progress};
use canopy_translate::error::{Error as TranslateError, is_of_device};
use canopy_translate::inference::{InstalledModel, ModelInfo, pair_key};

/// The last part of a path, for display.
pub(super) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A report to the page of models, or about the models and memories in use.
#[derive(Debug)]
pub enum ModelsEvent {
    /// A model is open.
    Opened {
        /// Number of the job.
        job: JobId,
        /// Description of the model.
        info: ModelInfo,
        /// Name of the device that it computes on.
        device_name: String,
        /// The model's own and the user's pairs.
        memory: Option<Arc<TranslationMemory>>,
    },
    /// A translation memory that cannot be read, while others can; comes before [`Self::MemoryOpened`] or [`Self::MemoryRead`].
    MemoryLeftOut {
        /// Number of the job.
        job: JobId,
        /// Why it cannot be read.
        error: Error,
    },
    /// Number of pairs in the translation memories, before the model that reads them is open; or why they cannot be used.
    MemoryOpened {
        /// Number of the job.
        job: JobId,
        /// The number of pairs.
        pairs: Result<usize>,
    },
    /// The device failed; what is left is translated on `device_name`, the CPU.
    CpuTookOver {
        /// Number of the job.
        job: JobId,
        /// Name of the CPU.
        device_name: String,
        /// Why the device failed.
        error: Error,
    },
    /// The language model that translates reads each sentence by itself, and none of the terms of the document.
    TermsUnread {
        /// Name of the model.
        model: String,
    },
    /// The model of a run is in a folder of its own.
    Exported {
        /// The folder.
        to: PathBuf,
        /// Whether it is an installed model from now on.
        promote: bool,
    },
    /// A translation memory that was requested without a model.
    MemoryRead {
        /// Number of the job.
        job: JobId,
        /// The memory, or why it cannot be read.
        memory: Result<Arc<TranslationMemory>>,
    },
    /// All installed models.
    Listed {
        /// The models.
        models: Vec<InstalledModel>,
    },
    /// A model at a path, or why the path has none.
    Inspected {
        /// Number of the job.
        job: JobId,
        /// The path.
        path: PathBuf,
        /// The model, or why there is none.
        model: Result<Box<InstalledModel>>,
    },
    /// Bytes of a model that are copied, and their total.
    Copied {
        /// Number of the job.
        job: JobId,
        /// Bytes that are copied.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// A model is copied into the library.
    Added {
        /// Number of the job.
        job: JobId,
        /// The model.
        model: Box<InstalledModel>,
    },
    /// A person has stated its languages.
    Stated {
        /// Number of the job.
        job: JobId,
        /// Folder of the model.
        folder: PathBuf,
    },
    /// A model is taken out of the library.
    Removed {
        /// Number of the job.
        job: JobId,
        /// Folder it was in.
        folder: PathBuf,
    },
    /// The models of catalogues; `arrived` are bytes of those whose download was broken off, by catalogue and name.
    CataloguesRead {
        /// Number of the job.
        job: JobId,
        /// The answers of the catalogues.
        look: Box<Look>,
        /// Bytes of downloads that were broken off, by catalogue and name.
        arrived: BTreeMap<(String, String), u64>,
    },
    /// A model of a catalogue is downloaded.
    Downloading {
        /// Number of the job.
        job: JobId,
        /// How far it is.
        progress: Progress,
    },
    /// A model of a catalogue is installed.
    Downloaded {
        /// Number of the job.
        job: JobId,
        /// The model.
        model: Box<InstalledModel>,
    },
    /// Bytes that are kept for the next attempt.
    DownloadCancelled {
        /// Number of the job.
        job: JobId,
        /// The bytes.
        arrived: u64,
    },
}

impl AppState {
    pub(crate) fn handle_models(&mut self, event: ModelsEvent) {
        use ModelsEvent as E;
        let (shared, models) = (&mut self.shared, &mut self.models);
        match event {
            E::Opened {
                job,
                info,
                device_name,
                memory,
            } => self.model_opened(job, info, device_name, memory),
            E::CpuTookOver {
                device_name, error, ..
            } => models.in_use.cpu_took_over(shared, device_name, &error),
            E::TermsUnread { model } => shared.notify(
                NoticeKind::Hint,
                format!("{model} reads no terms"),
                "It translates each sentence by itself. Terms are shown and checked as with any model.",
            ),
            E::MemoryOpened { job, pairs } => {
                if models.in_use.is_opening(job) {
                    self.with_models(|models, work| models.memory_opened(work, pairs));
                }
            }
            E::MemoryLeftOut { job, error } => {
                if models.is_reading_memory(job) {
                    shared.show_error("A translation memory could not be read", &error);
                }
            }
            E::MemoryRead { job, memory } => {
                self.with_models(|models, work| models.memory_read(work, job, memory));
            }
            E::Listed { models } => self.models_listed(models),
            E::Inspected { job, path, model } => {
                models
                    .installing
                    .inspected(shared, &mut models.library, job, &path, model);
            }
            E::Copied { job, done, total } => models.installing.copied(job, done, total),
            E::Added { job, model } => {
                self.with_models(|models, work| models.model_added(work, job, &model));
            }
            E::Stated { folder, .. } => {
                self.with_models(|models, work| models.model_stated(work, &folder));
            }
            E::Removed { folder, .. } => {
                self.with_models(|models, work| models.model_removed(work, &folder));
            }
            E::CataloguesRead { job, look, arrived } => models.getting.read(job, *look, arrived),
            E::Downloading { job, progress } => models.getting.progress(job, progress),
            E::Downloaded { job, model } => {
                self.with_models(|models, work| models.model_downloaded(work, job, &model));
            }
            E::DownloadCancelled { job, arrived } => models.getting.cancelled(job, arrived),
            E::Exported { to, promote } => {
                self.with_models(|models, work| models.exported(work, to, promote));
            }
        }
    }

    fn model_opened(
        &mut self,
        job: JobId,
        info: ModelInfo,
        device_name: String,
        memory: Option<Arc<TranslationMemory>>,
    ) {
        let folder = info.folder.clone();
        let is_made_up = info.target_language == TARGET_LANGUAGE;
        let open = ModelState::Open {
            info,
            device_name,
            memory,
        };
        if !self.models.in_use.is_opening(job) {
            // The worker keeps it until the model requested later is open.
            self.models.in_use.previous = Some(open);
            return;
        }
        // The next session begins with a language that exists.
        if !is_made_up {
            self.shared.settings.remember_model(&folder);
            self.shared.save_settings();
        }
        self.models.in_use.current = open;
        self.model_in_use();
        // The document may have chosen another one, for which the translation waits.
        if let ModelState::Open { .. } = self.models.in_use.current
            && let Some(scope) = self.document.translations.waiting_scope.take()
        {
            self.start_translation(scope);
        }
    }

    pub(crate) fn models_listed(&mut self, listed: Vec<InstalledModel>) {
        self.models.library.list(listed);
        self.projects.models_known_to_project(
            &mut self.shared,
            &mut self.document,
            &mut self.models,
        );
        self.with_models(Models::choose_for_document);
    }

    /// The requested model is open.
    pub(crate) fn model_in_use(&mut self) {
        let ModelState::Open { info, .. } = &self.models.in_use.current else {
            return;
        };
        let info = info.clone();
        let models = &mut self.models;
        models.library.forget_failure(&info.folder);
        models.in_use.opened.clone_from(&models.in_use.requested);
        let is_alone = models.in_use.requested.len() < 2;
        if models
            .in_use
            .promoted
            .take_if(|it| *it == info.folder)
            .is_some()
        {
            // It is in the library now.
            self.models.installing.requests.push(ModelRequest::List);
            ask_about_default(&self.models.library, &mut self.shared, &info);
        } else if is_alone && self.models.library.get(&info.folder).is_none() {
            self.models.know_external(&mut self.shared, &info);
        }
        self.models
            .follow_chosen_model(&mut self.shared, &mut self.document);
        self.with_models(Models::choose_for_document);
        self.document.read_terms(&mut self.shared, &self.models);
        self.with_explorer(|explorer, models, work| explorer.trace_with_next_model(work, models));
    }
}

impl Models {
    /// The requested model could not be opened.
    pub(crate) fn model_not_in_use(&mut self, error: &Error) {
        // It is not known which of two chained models failed.
        if let [leg] = self.in_use.requested.as_slice()
            && !is_of_device(error)
            && !matches!(find(error), Some(TranslateError::NoGpu))
        {
            self.library
                .note_failure(leg.folder.clone(), error.to_string());
        }
        self.in_use.requested.clone_from(&self.in_use.opened);
        self.is_undecided = false;
        self.in_use.promoted = None;
    }

    pub(crate) fn model_added(
        &mut self,
        work: &mut OpenWork<'_>,
        job: JobId,
        model: &InstalledModel,
    ) {
        self.installing.added(job);
        self.library.forget_failure(&model.folder);
        self.selected = Some(model.folder.clone());
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
        work.shared
            .notify(NoticeKind::Done, format!("{} is added", model.name), detail);
        // A document that no model fitted may have one now.
        let fits = matches!(
            work.document.pair(self).note(work.shared),
            Some(LanguageNote::Detected | LanguageNote::Unlike { .. })
        );
        self.is_undecided |= !fits;
        self.choose_for_document(work);
    }

    /// A person has stated the languages of a model; documents may have one now.
    pub(crate) fn model_stated(&mut self, work: &mut OpenWork<'_>, folder: &Path) {
        let is_used = self.in_use.folders().any(|used| used == folder);
        if is_used {
            self.is_by_hand = true;
            let leg = canopy_translate::inference::Leg::alone(folder.to_owned());
            self.open_legs(work, vec![leg]);
        } else {
            self.is_undecided |= work.document.pair(self).without_model().is_some();
        }
        self.choose_for_document(work);
    }

    pub(crate) fn model_removed(&mut self, work: &mut OpenWork<'_>, folder: &PathBuf) {
        self.selected.take_if(|selected| selected == folder);
        self.library.forget_failure(folder);
        forget_model(work.shared, folder);
        let is_open = self.in_use.folders().any(|used| used == folder);
        let name = name_of(folder);
        work.shared
            .notify(NoticeKind::Done, format!("{name} is removed"), "");
        if is_open {
            self.open_first_model(work, None);
        }
    }

    /// Notes a model that is not installed; one of another program is read once more for all its languages.
    fn know_external(&mut self, shared: &mut Shared, info: &ModelInfo) {
        if info.target_language == TARGET_LANGUAGE {
            return;
        }
        let known = |code: &String| (code != "und").then(|| code.clone());
        let is_ours = info.folder.join("model.toml").is_file();
        self.library.note_external(InstalledModel {
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
            self.installing.describe(shared, info.folder.clone());
        }
    }
}

impl Models {
    pub(crate) fn exported(&mut self, work: &mut OpenWork<'_>, to: PathBuf, promote: bool) {
        if promote {
            // Models are known by absolute paths.
            let to = std::path::absolute(&to).unwrap_or(to);
            self.in_use.promote(&to);
            self.selected = Some(to.clone());
            // Once it is open its languages are known, and a dialog asks whether it becomes their default.
            self.open_model(work, to);
        } else {
            let detail = to.display().to_string();
            work.shared
                .notify(NoticeKind::Done, "Model exported", detail);
        }
    }
}

/// Asks whether the model of a run becomes the default of its languages, and says which one it replaces.
fn ask_about_default(library: &Library, shared: &mut Shared, info: &ModelInfo) {
    let (source, target) = (info.source_language.clone(), info.target_language.clone());
    if [&source, &target].iter().any(|code| *code == "und") {
        return shared.notify(NoticeKind::Done, "The model is ready to translate", "");
    }
    let [from, to] = [&source, &target].map(|code| language::name(code));
    let defaults = &shared.settings.default_models;
    let replaced = defaults.get(&pair_key(&source, &target));
    let replaced = replaced.map(|folder| match library.get(folder) {
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
    shared.notify(NoticeKind::Done, title, detail);
    let folder = info.folder.clone();
    let command = Command::Models(ModelsCommand::MakeDefault {
        folder,
        source,
        target,
    });
    shared.with_button("Make default", command);
    if let Some(notice) = shared.notices.last_mut() {
        notice.until_secs = None;
    }
}
