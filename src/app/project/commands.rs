//! Commands and events of the open project.

use std::path::{Path, PathBuf};

use super::{ProjectCommand, Projects, Taking};
use crate::ask::DialogRequest;
use crate::command::Page;
use crate::document::DocumentPage;
use crate::error::Result;
use crate::jobs::{FileRequest, Head, JobId, ProjectRequest, ProjectStatus, TakenWork};
use crate::models::{ModelState, Models};
use crate::notices::NoticeKind;
use crate::open_work::OpenWork;
use crate::shared::Shared;
use crate::state::AppState;

impl AppState {
    pub(crate) fn execute_project(&mut self, command: ProjectCommand) {
        match command {
            ProjectCommand::TranslateAll => self.translate_project(),
            command => self.projects.execute(
                &mut self.shared,
                &mut self.document,
                &mut self.models,
                command,
            ),
        }
    }

    pub(crate) fn project_seen(&mut self, job: JobId, status: Result<Box<ProjectStatus>>) {
        let opening = self
            .projects
            .opening
            .take_if(|(opening, _)| *opening == job);
        let looked = self.projects.looking.take_if(|looking| *looking == job);
        if opening.is_none() && looked.is_none() {
            return;
        }
        let status = match status {
            Ok(status) => *status,
            Err(error) => {
                self.projects.taking = None;
                let title = match opening {
                    Some(_) => "The project could not be opened",
                    None => "The project could not be changed",
                };
                return self.shared.show_error(title, &error);
            }
        };
        let folder = status.project.folder.clone();
        self.shared
            .set(|settings| settings.remember_project(&folder));
        self.projects.open = Some(status);
        if let Some((_, shows_page)) = opening {
            if shows_page {
                self.shared.page = Page::Project;
            }
            self.projects.is_memory_old = false;
            self.projects
                .use_project_model(&mut self.shared, &mut self.document, &mut self.models);
            return;
        }
        match self.projects.taking.take() {
            Some(Taking::Settings) => self.use_project_settings(),
            Some(Taking::Memory) => {
                self.with_models(Models::open_again);
            }
            None => {}
        }
    }
}

impl Projects {
    /// Carries a command out, all but [`ProjectCommand::TranslateAll`], which is of all pages.
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        models: &mut Models,
        command: ProjectCommand,
    ) {
        match command {
            ProjectCommand::Choose => shared.asks.push(DialogRequest::ProjectFolder),
            ProjectCommand::Open(path) => self.open_project(shared, path, true),
            ProjectCommand::New => {
                ask_for_project(shared, document, models);
            }
            ProjectCommand::Create(folder) => self.create_project(shared, document, models, folder),
            ProjectCommand::ChooseDocument => shared.asks.push(DialogRequest::ProjectDocument {
                folder: document.editing.document_folder(shared),
            }),
            ProjectCommand::Add(documents) => {
                let work = work_to_take_along(shared, document);
                self.request_project(shared, |job, folder| ProjectRequest::Add {
                    job,
                    folder,
                    documents,
                    work,
                });
            }
            ProjectCommand::Remove(document) => {
                self.request_project(shared, |job, folder| ProjectRequest::Remove {
                    job,
                    folder,
                    document,
                });
            }
            ProjectCommand::Move(document, by) => {
                self.request_project(shared, |job, folder| ProjectRequest::Move {
                    job,
                    folder,
                    document,
                    by,
                });
            }
            ProjectCommand::Settings(command) => {
                self.change_project_settings(shared, document, command);
            }
            ProjectCommand::TranslateAll => {}
            ProjectCommand::CountWords => {
                let open = self.open.as_ref();
                let name = open.map(|status| format!("{}-words.csv", status.project.head.name));
                shared
                    .asks
                    .extend(name.map(|name| DialogRequest::WordCount { name }));
            }
            ProjectCommand::CountWordsTo(path) => {
                self.write_word_count(shared, path);
            }
            ProjectCommand::UseMemory(memory) => {
                self.use_project_memory(shared, memory);
            }
            ProjectCommand::Export => {
                document.editing.keep_edit_if_valid(shared);
                document.editing.save_project(shared);
                self.request_project(shared, |job, folder| ProjectRequest::Export { job, folder });
                self.exporting = self.looking;
            }
            ProjectCommand::Close => {
                self.close_project(shared, document, models);
            }
        }
    }

    fn open_project(&mut self, shared: &mut Shared, folder: PathBuf, shows_page: bool) {
        let job = shared.next_job();
        self.opening = Some((job, shows_page));
        self.requests.push(ProjectRequest::Look { job, folder });
    }

    fn create_project(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        models: &Models,
        folder: PathBuf,
    ) {
        let Some((source, target)) = document.languages(models) else {
            return;
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut head = Head::new(name.into_owned(), source, target);
        head.model = match &models.in_use.current {
            ModelState::Open { info, .. } if document.pair(models).model_fits() => {
                Some(info.name.clone())
            }
            _ => None,
        };
        let work = work_to_take_along(shared, document);
        let job = shared.next_job();
        self.opening = Some((job, true));
        let path = document.editing.open.as_ref().map(|open| open.path.clone());
        self.requests.push(ProjectRequest::Create {
            job,
            folder,
            head: Box::new(head),
            documents: path.into_iter().collect(),
            work,
            memory: shared.settings.memory.clone(),
            terms: document.terms.paths.clone(),
        });
    }

    /// Writes the numbers of the page as a table.
    fn write_word_count(&mut self, shared: &mut Shared, path: PathBuf) {
        let Some(status) = &self.open else {
            return;
        };
        let bytes = status.csv().into_bytes();
        let job = shared.next_job();
        shared
            .file_requests
            .push(FileRequest::Export { job, path, bytes });
    }

    /// Opens the project's model, with the project as its memory.
    pub(super) fn use_project_model(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        models: &mut Models,
    ) {
        let Some(status) = &self.open else {
            return;
        };
        let head = status.project.head.clone();
        let folder = status.project.model_folder();
        shared.set(|settings| settings.target_language = Some(head.target_language.clone()));
        let named = head.model.as_ref().and_then(|name| {
            let mut models = models.library.all.iter();
            models
                .find(|model| model.is_called(name))
                .map(|model| model.folder.clone())
        });
        let is_open = match &models.in_use.current {
            ModelState::Open { info, .. } => Some(&info.name) == head.model.as_ref(),
            ModelState::None | ModelState::Opening { .. } => false,
        };
        match folder.or(named) {
            Some(folder) if !is_open => {
                models.open_named_model(&mut OpenWork::new(shared, document, self), folder);
            }
            None if !is_open && head.model.is_some() && !models.library.is_listed() => {
                self.waits_for_models = true;
            }
            None if head.model.is_some() && !is_open => {
                let name = head.model.unwrap_or_default();
                let title = format!("The project's model {name} is not installed");
                shared.notify(
                    NoticeKind::Hint,
                    title,
                    "Another model is used until it is.",
                );
                models.open_again(&mut OpenWork::new(shared, document, self));
            }
            _ => models.open_again(&mut OpenWork::new(shared, document, self)),
        }
    }

    /// Once it is known which models are installed.
    pub(crate) fn models_known_to_project(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        models: &mut Models,
    ) {
        if std::mem::take(&mut self.waits_for_models) {
            self.use_project_model(shared, document, models);
        }
    }

    /// After a document was opened: those of the project translate with what was confirmed in the others, one that is
    /// elsewhere ends it.
    pub(crate) fn document_of_project(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        models: &mut Models,
        path: &Path,
    ) {
        let Some(status) = &self.open else {
            return;
        };
        if !status.project.has(path) {
            return self.close_project(shared, document, models);
        }
        if std::mem::take(&mut self.is_memory_old) {
            models.open_again(&mut OpenWork::new(shared, document, self));
        }
    }

    /// A document that was opened belongs to this project.
    pub(crate) fn found_in_project(
        &mut self,
        shared: &mut Shared,
        document: &DocumentPage,
        path: &Path,
        folder: PathBuf,
    ) {
        let is_here = document
            .editing
            .open
            .as_ref()
            .is_some_and(|open| open.path == path);
        if is_here && self.folder() != Some(folder.as_path()) && self.opening.is_none() {
            self.open_project(shared, folder, false);
        }
    }

    /// Before a document closes: what was confirmed in it is for the others.
    pub(crate) fn note_confirmed(&mut self, document: &DocumentPage) {
        let document = document.editing.open.as_ref();
        let is_new = document.is_some_and(|open| open.targets.total_revision() > 0);
        self.is_memory_old |= is_new && self.open.is_some();
    }

    fn close_project(
        &mut self,
        shared: &mut Shared,
        document: &mut DocumentPage,
        models: &mut Models,
    ) {
        self.looking = None;
        self.settings = None;
        if self.open.take().is_some() {
            if shared.page == Page::Project {
                shared.page = Page::Document;
            }
            models.open_again(&mut OpenWork::new(shared, document, self));
        }
    }

    /// Shows the page of the project, as it is now.
    pub(crate) fn show_project(&mut self, shared: &mut Shared, document: &mut DocumentPage) {
        if self.open.is_none() {
            return;
        }
        shared.page = Page::Project;
        document.editing.keep_edit_if_valid(shared);
        document.editing.save_project(shared);
        self.request_project(shared, |job, folder| ProjectRequest::Look { job, folder });
    }

    /// A line about the sentences of the project that are in the source language; `None` without such sentences.
    fn untranslated_of_project(&self) -> String {
        let total = self.open.as_ref().map(ProjectStatus::total);
        let total = total.filter(|total| total.untranslated > 0);
        total.map_or(String::new(), |total| {
            format!(
                "\n{} of {} sentences are not translated: they are left in the source language.",
                total.untranslated,
                total.segments()
            )
        })
    }

    pub(crate) fn project_exported(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        files: Result<Vec<PathBuf>>,
    ) {
        self.looking.take_if(|looking| *looking == job);
        match files {
            Ok(files) => {
                let folder = files.first().and_then(|file| file.parent());
                let detail = folder.map_or(String::new(), |folder| folder.display().to_string());
                let title = match files.len() {
                    1 => "1 file written".to_owned(),
                    count => format!("{count} files written"),
                };
                shared.notify(
                    NoticeKind::Done,
                    title,
                    detail + &self.untranslated_of_project(),
                );
            }
            Err(error) => shared.show_error("The translations could not be written", &error),
        }
    }
}

impl Projects {
    /// Has a memory copied into the open project.
    pub(crate) fn use_project_memory(&mut self, shared: &mut Shared, memory: PathBuf) {
        self.taking = Some(Taking::Memory);
        self.request_project(shared, |job, folder| ProjectRequest::UseMemory {
            job,
            folder,
            memory,
        });
    }

    /// Hands a request about the open project on.
    pub(super) fn request_project(
        &mut self,
        shared: &mut Shared,
        request: impl FnOnce(JobId, PathBuf) -> ProjectRequest,
    ) {
        let Some(folder) = self.folder().map(Path::to_owned) else {
            return;
        };
        let job = shared.next_job();
        self.looking = Some(job);
        self.requests.push(request(job, folder));
    }
}

fn ask_for_project(shared: &mut Shared, document: &DocumentPage, models: &Models) {
    if document.languages(models).is_none() {
        let detail = "Open a model first: it sets the languages.";
        return shared.notify(NoticeKind::Error, "No project was created", detail);
    }
    let name = document
        .editing
        .open
        .as_ref()
        .and_then(|open| open.path.file_stem());
    let name = name.map_or("project".into(), |name| name.to_string_lossy().into_owned());
    shared.asks.push(DialogRequest::NewProject { name });
}

/// The work on documents that are added to a project: on the open one as it is now, on others as it was kept.
fn work_to_take_along(shared: &mut Shared, document: &mut DocumentPage) -> TakenWork {
    document.editing.keep_edit_if_valid(shared);
    document.editing.save_project(shared);
    let open = document.editing.open.as_ref();
    TakenWork {
        open: open.map(|open| Box::new(open.project())),
        data_folder: shared.data_folder().map(Path::to_owned),
    }
}
