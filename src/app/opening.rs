//! Opening what is chosen or dropped: documents, traces, memories, models and runs; closing the document.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::command::Page;
use super::explorer::ExploreCommand;
use super::models::ModelsCommand;
use super::notices::NoticeKind;
use super::project::ProjectCommand;
use super::settings::is_memory;
use super::state::AppState;
use super::training::TrainingCommand;
use crate::jobs::{FileRequest, ProjectFolder};
use canopy_corpus::Corpus;
use canopy_corpus::gettext::is_catalogue;
use canopy_explain::trace::TraceFormat;
use canopy_qa::terms::Termbase;
use canopy_train::is_run;
use canopy_translate::inference::may_be_model;

/// The kind of a path: a file by its name, a folder by its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Document,
    Trace,
    Memory,
    Terms,
    Model,
    /// A model of another program.
    ForeignModel,
    Run,
    /// Several documents with all that belongs to them.
    Project,
    /// A folder of something else.
    Folder,
}

impl Kind {
    fn from_path(path: &Path) -> Self {
        if ProjectFolder::is_one(path) {
            return Self::Project;
        }
        if path.is_dir() {
            return Self::from_folder(path);
        }
        if TraceFormat::from_path(path).is_ok() && !is_other_json(path) {
            Self::Trace
        } else if is_memory(path) {
            Self::Memory
        } else if Termbase::is_one(path) {
            Self::Terms
        } else if may_be_model(path) {
            Self::ForeignModel
        } else {
            Self::Document
        }
    }

    fn from_folder(folder: &Path) -> Self {
        if folder.join("model.toml").is_file() {
            Self::Model
        } else if is_run(folder) {
            Self::Run
        } else if may_be_model(folder) {
            Self::ForeignModel
        } else if Corpus::is_one(folder) || has_catalogues(folder) {
            Self::Memory
        } else {
            Self::Folder
        }
    }
}

/// Whether a file of JSON holds something else than a trace, such as the strings of a program.
fn is_other_json(path: &Path) -> bool {
    const HEAD: usize = 64;
    let mut head = [0; HEAD];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut head));
    let is_json = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    is_json
        && read.is_ok_and(|read| !String::from_utf8_lossy(&head[..read]).contains("canopy trace"))
}

fn has_catalogues(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| is_catalogue(&entry.path()))
}

impl AppState {
    pub(super) fn close_document(&mut self) {
        self.document.translations.cancel();
        self.explorer.cancel_pending();
        self.document.translations.running = None;
        self.document.editing.commit_edit(&self.shared);
        self.projects.note_confirmed(&self.document);
        self.document.note_document(&mut self.shared, &self.models);
        self.document.editing.save_project(&mut self.shared);
        if let Some(document) = self.document.editing.open.take() {
            let (job, path) = (self.shared.next_job(), document.path);
            // Opened again, it is still this window's.
            if !self.document.is_opening(&path) {
                self.shared
                    .file_requests
                    .push(FileRequest::CloseDocument { job, path });
            }
        }
        self.document.translations.last_progress = None;
        // They were about it.
        self.shared
            .notices
            .retain(|notice| notice.kind == NoticeKind::Error);
        self.document.suggestions.forget();
    }

    pub(super) fn open(&mut self, path: PathBuf) {
        match Kind::from_path(&path) {
            Kind::Document => self.document.open_document(&mut self.shared, path, None),
            Kind::Trace => self.with_explorer(|explorer, models, work| {
                explorer.execute(work, models, ExploreCommand::OpenTrace(path));
            }),
            Kind::Memory => {
                self.with_models(|models, work| models.use_memory(work, Some(path)));
            }
            // There it is not to be used at once, but to be kept.
            Kind::Model if self.shared.page != Page::Models => {
                self.with_models(|models, work| models.open_model(work, path));
            }
            Kind::Model | Kind::ForeignModel => {
                self.with_models(|models, work| models.execute(work, ModelsCommand::Inspect(path)));
            }
            Kind::Terms => self.document.terms.use_files(
                &mut self.shared,
                &mut self.document.editing,
                &self.models,
                vec![path],
            ),
            Kind::Project => self.projects.execute(
                &mut self.shared,
                &mut self.document,
                &mut self.models,
                ProjectCommand::Open(path),
            ),
            Kind::Run => {
                self.shared.page = Page::Training;
                self.training.execute(
                    &mut self.shared,
                    &self.models,
                    &mut self.evaluate,
                    TrainingCommand::Follow(path),
                );
            }
            Kind::Folder => {
                let detail = "It contains no project, model, run, corpus, PO or MO files. Choose the document itself.";
                self.shared
                    .notify(NoticeKind::Error, "This folder cannot be opened", detail);
            }
        }
    }

    /// Takes dropped documents into the project whose page is shown; whether it did.
    fn add_dropped(&mut self, paths: &[PathBuf]) -> bool {
        let adds = self.shared.page == Page::Project
            && self.projects.open.is_some()
            && !paths.is_empty()
            && paths
                .iter()
                .all(|path| Kind::from_path(path) == Kind::Document);
        if adds {
            self.projects.execute(
                &mut self.shared,
                &mut self.document,
                &mut self.models,
                ProjectCommand::Add(paths.to_vec()),
            );
        }
        adds
    }

    /// Opens what was dropped together, of each kind the first one.
    pub(super) fn open_dropped(&mut self, paths: Vec<PathBuf>) {
        if self.shared.page == Page::Align
            && paths
                .iter()
                .all(|path| Kind::from_path(path) == Kind::Document)
        {
            return self
                .aligning
                .align_dropped(&mut self.shared, &self.document, &paths);
        }
        if self
            .training
            .train_on_dropped(&mut self.shared, &self.models, &paths)
            || self.add_dropped(&paths)
        {
            return;
        }
        let mut opened = Vec::new();
        let mut left = Vec::new();
        for path in paths {
            let kind = Kind::from_path(&path);
            if opened.contains(&kind) {
                let name = path.file_name().unwrap_or(path.as_os_str());
                left.push(name.to_string_lossy().into_owned());
            } else {
                opened.push(kind);
                self.open(path);
            }
        }
        if !left.is_empty() {
            let detail = format!("Not opened: {}", left.join(", "));
            self.shared
                .notify(NoticeKind::Error, "One document at a time", detail);
        }
    }
}
