//! Commands and events of the open project.

use std::path::{Path, PathBuf};

use super::{ProjectCommand, Projects, Taking};
use crate::ask::Ask;
use crate::command::Page;
use crate::error::Result;
use crate::jobs::{FileRequest, Head, JobId, ProjectRequest, ProjectStatus, TakenWork};
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::shared::Shared;
use crate::state::AppState;

impl AppState {
    pub(crate) fn apply_project(&mut self, command: ProjectCommand) {
        match command {
            ProjectCommand::Choose => self.shared.asks.push(Ask::ProjectFolder),
            ProjectCommand::Open(path) => self.open_project(path, true),
            ProjectCommand::New => self.ask_for_project(),
            ProjectCommand::Create(folder) => self.create_project(folder),
            ProjectCommand::ChooseDocument => self.shared.asks.push(Ask::ProjectDocument {
                folder: self.document.document_folder(&self.shared),
            }),
            ProjectCommand::Add(documents) => {
                let work = self.work_to_take_along();
                self.projects
                    .request_project(&mut self.shared, |job, folder| ProjectRequest::Add {
                        job,
                        folder,
                        documents,
                        work,
                    });
            }
            ProjectCommand::Remove(document) => {
                self.projects
                    .request_project(&mut self.shared, |job, folder| ProjectRequest::Remove {
                        job,
                        folder,
                        document,
                    });
            }
            ProjectCommand::Move(document, by) => {
                self.projects
                    .request_project(&mut self.shared, |job, folder| ProjectRequest::Move {
                        job,
                        folder,
                        document,
                        by,
                    });
            }
            ProjectCommand::Settings(command) => self.change_project_settings(command),
            ProjectCommand::TranslateAll => self.translate_project(),
            ProjectCommand::CountWords => {
                let open = self.projects.open.as_ref();
                let name = open.map(|status| format!("{}-words.csv", status.project.head.name));
                self.shared
                    .asks
                    .extend(name.map(|name| Ask::WordCount { name }));
            }
            ProjectCommand::CountWordsTo(path) => self.write_word_count(path),
            ProjectCommand::UseMemory(memory) => {
                self.projects.use_project_memory(&mut self.shared, memory);
            }
            ProjectCommand::Export => {
                self.document.keep_edit_if_valid(&self.shared);
                self.document.save_project(&mut self.shared);
                self.projects
                    .request_project(&mut self.shared, |job, folder| ProjectRequest::Export {
                        job,
                        folder,
                    });
            }
            ProjectCommand::Close => self.close_project(),
        }
    }

    fn open_project(&mut self, folder: PathBuf, shows_page: bool) {
        let job = self.shared.next_job();
        self.projects.opening = Some((job, shows_page));
        self.projects
            .requests
            .push(ProjectRequest::Look { job, folder });
    }

    fn ask_for_project(&mut self) {
        if self.document.languages(&self.models).is_none() {
            let detail = "Open a model first: it sets the languages.";
            return self
                .shared
                .notify(NoticeKind::Error, "No project was created", detail);
        }
        let name = self
            .document
            .open
            .as_ref()
            .and_then(|open| open.path.file_stem());
        let name = name.map_or("project".into(), |name| name.to_string_lossy().into_owned());
        self.shared.asks.push(Ask::NewProject { name });
    }

    fn create_project(&mut self, folder: PathBuf) {
        let Some((source, target)) = self.document.languages(&self.models) else {
            return;
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut head = Head::new(name.into_owned(), source, target);
        head.model = match &self.models.current {
            ModelState::Open { info, .. } if self.document.model_fits(&self.models) => {
                Some(info.name.clone())
            }
            _ => None,
        };
        let work = self.work_to_take_along();
        let job = self.shared.next_job();
        self.projects.opening = Some((job, true));
        let document = self.document.open.as_ref().map(|open| open.path.clone());
        self.projects.requests.push(ProjectRequest::Create {
            job,
            folder,
            head: Box::new(head),
            documents: document.into_iter().collect(),
            work,
            memory: self.shared.settings.memory.clone(),
            terms: self.document.terms.paths.clone(),
        });
    }

    /// The work on documents that are added to a project: on the open one as it is now, on others as it was kept.
    fn work_to_take_along(&mut self) -> TakenWork {
        self.document.keep_edit_if_valid(&self.shared);
        self.document.save_project(&mut self.shared);
        let open = self.document.open.as_ref();
        TakenWork {
            open: open.map(|open| Box::new(open.project())),
            data_folder: self.shared.data_folder().map(Path::to_owned),
        }
    }

    /// Writes the numbers of the page as a table.
    fn write_word_count(&mut self, path: PathBuf) {
        let Some(status) = &self.projects.open else {
            return;
        };
        let bytes = status.csv().into_bytes();
        let job = self.shared.next_job();
        self.shared
            .file_requests
            .push(FileRequest::Export { job, path, bytes });
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
            self.use_project_model();
            return;
        }
        match self.projects.taking.take() {
            Some(Taking::Settings) => self.use_project_settings(),
            Some(Taking::Memory) => {
                self.models
                    .open_again(&mut self.shared, &mut self.document, &self.projects);
            }
            None => {}
        }
    }

    /// Opens the project's model, with the project as its memory.
    pub(super) fn use_project_model(&mut self) {
        let Some(status) = &self.projects.open else {
            return;
        };
        let head = status.project.head.clone();
        let folder = status.project.model_folder();
        self.shared
            .set(|settings| settings.target_language = Some(head.target_language.clone()));
        let named = head.model.as_ref().and_then(|name| {
            let mut models = self.models.all.iter();
            models
                .find(|model| model.is_called(name))
                .map(|model| model.folder.clone())
        });
        let is_open = match &self.models.current {
            ModelState::Open { info, .. } => Some(&info.name) == head.model.as_ref(),
            ModelState::None | ModelState::Opening { .. } => false,
        };
        match folder.or(named) {
            Some(folder) if !is_open => self.models.open_named_model(
                &mut self.shared,
                &mut self.document,
                &self.projects,
                folder,
            ),
            None if !is_open && head.model.is_some() && !self.models.is_listed() => {
                self.projects.waits_for_models = true;
            }
            None if head.model.is_some() && !is_open => {
                let name = head.model.unwrap_or_default();
                let title = format!("The project's model {name} is not installed");
                self.shared.notify(
                    NoticeKind::Hint,
                    title,
                    "Another model is used until it is.",
                );
                self.models
                    .open_again(&mut self.shared, &mut self.document, &self.projects);
            }
            _ => self
                .models
                .open_again(&mut self.shared, &mut self.document, &self.projects),
        }
    }

    /// Once it is known which models are installed.
    pub(crate) fn models_known_to_project(&mut self) {
        if std::mem::take(&mut self.projects.waits_for_models) {
            self.use_project_model();
        }
    }

    /// After a document was opened: those of the project translate with what was confirmed in the others, one that lies
    /// elsewhere ends it.
    pub(crate) fn document_of_project(&mut self, path: &Path) {
        let Some(status) = &self.projects.open else {
            return;
        };
        if !status.project.has(path) {
            return self.close_project();
        }
        if std::mem::take(&mut self.projects.is_memory_old) {
            self.models
                .open_again(&mut self.shared, &mut self.document, &self.projects);
        }
    }

    /// A document that was opened belongs to this project.
    pub(crate) fn found_in_project(&mut self, path: &Path, folder: PathBuf) {
        let is_here = self
            .document
            .open
            .as_ref()
            .is_some_and(|open| open.path == path);
        if is_here
            && self.projects.folder() != Some(folder.as_path())
            && self.projects.opening.is_none()
        {
            self.open_project(folder, false);
        }
    }

    /// Before a document closes: what was confirmed in it is for the others.
    pub(crate) fn note_confirmed(&mut self) {
        let document = self.document.open.as_ref();
        let is_new = document.is_some_and(|open| open.total_revision() > 0);
        self.projects.is_memory_old |= is_new && self.projects.open.is_some();
    }

    fn close_project(&mut self) {
        self.projects.looking = None;
        self.projects.settings = None;
        if self.projects.open.take().is_some() {
            if self.shared.page == Page::Project {
                self.shared.page = Page::Document;
            }
            self.models
                .open_again(&mut self.shared, &mut self.document, &self.projects);
        }
    }

    /// Shows the page of the project, as it is now.
    pub(crate) fn show_project(&mut self) {
        if self.projects.open.is_none() {
            return;
        }
        self.shared.page = Page::Project;
        self.document.keep_edit_if_valid(&self.shared);
        self.document.save_project(&mut self.shared);
        self.projects
            .request_project(&mut self.shared, |job, folder| ProjectRequest::Look {
                job,
                folder,
            });
    }

    /// A line about the sentences of the project that stand in the source language; nothing if there are none.
    fn untranslated_of_project(&self) -> String {
        let total = self.projects.open.as_ref().map(ProjectStatus::total);
        let total = total.filter(|total| total.untranslated > 0);
        total.map_or(String::new(), |total| {
            format!(
                "\n{} of {} sentences are not translated: they are left in the source language.",
                total.untranslated,
                total.segments()
            )
        })
    }

    pub(crate) fn project_exported(&mut self, job: JobId, files: Result<Vec<PathBuf>>) {
        self.projects.looking.take_if(|looking| *looking == job);
        match files {
            Ok(files) => {
                let folder = files.first().and_then(|file| file.parent());
                let detail = folder.map_or(String::new(), |folder| folder.display().to_string());
                let title = match files.len() {
                    1 => "1 file written".to_owned(),
                    count => format!("{count} files written"),
                };
                self.shared.notify(
                    NoticeKind::Done,
                    title,
                    detail + &self.untranslated_of_project(),
                );
            }
            Err(error) => self
                .shared
                .show_error("The translations could not be written", &error),
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
