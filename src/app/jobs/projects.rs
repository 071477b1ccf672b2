//! The thread that looks at project folders: it counts their documents, takes others in, writes translations.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use super::project_folder::{Head, ProjectFolder, ProjectStatus};
use super::{Event, JobId, RequestThread};
use crate::error::Result;
use canopy_base::error::caught;

/// Work for the thread.
#[derive(Debug)]
pub enum ProjectRequest {
    /// Tells how far a project is.
    Look { job: JobId, folder: PathBuf },
    /// Begins one with these documents, memory and termbase.
    Create {
        job: JobId,
        folder: PathBuf,
        head: Box<Head>,
        documents: Vec<PathBuf>,
        memory: Option<PathBuf>,
        terms: Option<PathBuf>,
    },
    /// Takes documents in.
    Add {
        job: JobId,
        folder: PathBuf,
        documents: Vec<PathBuf>,
    },
    /// Takes a memory in, in place of the one it has.
    UseMemory {
        job: JobId,
        folder: PathBuf,
        memory: PathBuf,
    },
    /// Writes all translations.
    Export { job: JobId, folder: PathBuf },
}

/// The thread of [`ProjectRequest`]s.
pub type ProjectsThread = RequestThread<ProjectRequest>;

impl ProjectsThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start("canopy-projects", events, wake, answer)
    }
}

fn answer(inbox: &Receiver<ProjectRequest>, emit: &dyn Fn(Event)) {
    while let Ok(request) = inbox.recv() {
        emit(match request {
            ProjectRequest::Export { job, folder } => Event::ProjectExported {
                job,
                files: caught(|| {
                    let project = ProjectFolder::open(&folder)?;
                    Ok(project.export(&project.translated(), None, true)?)
                }),
            },
            request => {
                let job = request.job();
                let status = caught(|| Ok(Box::new(ProjectStatus::of(request.project()?)?)));
                Event::ProjectSeen { job, status }
            }
        });
    }
}

impl ProjectRequest {
    fn job(&self) -> JobId {
        match self {
            Self::Look { job, .. }
            | Self::Create { job, .. }
            | Self::Add { job, .. }
            | Self::UseMemory { job, .. }
            | Self::Export { job, .. } => *job,
        }
    }

    /// The project once that is done.
    fn project(self) -> Result<ProjectFolder> {
        match self {
            Self::Look { folder, .. } | Self::Export { folder, .. } => {
                Ok(ProjectFolder::open(&folder)?)
            }
            Self::Create {
                folder,
                head,
                documents,
                memory,
                terms,
                ..
            } => {
                let mut project = ProjectFolder::create(&folder, *head)?;
                if let Some(memory) = memory {
                    project.use_memory(&memory)?;
                }
                if let Some(terms) = terms {
                    project.use_terms(&terms)?;
                }
                project.add(&documents)?;
                Ok(project)
            }
            Self::UseMemory { folder, memory, .. } => {
                let mut project = ProjectFolder::open(&folder)?;
                project.use_memory(&memory)?;
                Ok(project)
            }
            Self::Add {
                folder, documents, ..
            } => {
                let mut project = ProjectFolder::open(&folder)?;
                project.add(&documents)?;
                Ok(project)
            }
        }
    }
}
