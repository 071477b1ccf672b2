//! Work on project folders: their documents are counted, others taken in, translations written.

use std::path::{Path, PathBuf};

use super::pool::{Answerer, EventSender, Lane, Pool};
use super::project_folder::{Head, ProjectFolder, ProjectSettings, ProjectStatus};
use super::{DocumentWork, Event, JobId, Project};
use crate::ProjectEvent;
use crate::error::Result;
use canopy_base::error::caught;
use canopy_base::file::canonicalize;

/// Work on a project folder.
#[derive(Debug)]
pub enum ProjectRequest {
    /// Reports the progress of a project.
    Look {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
    },
    /// Begins one with these documents, memory and termbases.
    Create {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
        /// Its name and languages.
        head: Box<Head>,
        /// The documents.
        documents: Vec<PathBuf>,
        /// Work on the documents that is taken along.
        work: TakenWork,
        /// A translation memory.
        memory: Option<PathBuf>,
        /// Termbases.
        terms: Vec<PathBuf>,
    },
    /// Takes documents in.
    Add {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
        /// The documents.
        documents: Vec<PathBuf>,
        /// Work on the documents that is taken along.
        work: TakenWork,
    },
    /// Takes a document out of the list.
    Remove {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
        /// Name of the document in the project.
        document: String,
    },
    /// Moves a document down by a number of places.
    Move {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
        /// Name of the document in the project.
        document: String,
        /// Places down; negative moves it up.
        by: isize,
    },
    /// Takes a memory in, in place of the one it has.
    UseMemory {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
        /// The memory.
        memory: PathBuf,
    },
    /// Takes settings in place of those that it has.
    Configure {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
        /// The settings.
        settings: Box<ProjectSettings>,
    },
    /// Writes all translations.
    Export {
        /// Number of the job.
        job: JobId,
        /// Folder of the project.
        folder: PathBuf,
    },
}

/// The folder of the work on documents that are added to a project.
#[derive(Debug, Default)]
pub struct TakenWork {
    /// Work on the open document, which may not be written yet.
    pub open: Option<Box<Project>>,
    /// Where that on others is kept.
    pub data_folder: Option<PathBuf>,
}

impl TakenWork {
    /// The work on a document before it is added; `None` if nothing is saved or it cannot be read.
    fn on(&self, path: &Path) -> Option<Project> {
        let place = canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(open) = self.open.as_ref().filter(|open| open.document == place) {
            return Some((**open).clone());
        }
        let work = DocumentWork::read(self.data_folder.as_ref()?, path).ok()?;
        work.project
    }

    /// Adds documents with the work on them; the work of the project itself stays.
    fn add_documents(&self, project: &mut ProjectFolder, documents: &[PathBuf]) -> Result<()> {
        for path in documents {
            let work = self.on(path).filter(Project::has_work);
            let place = project.take_document(path)?;
            if let Some(work) = work.filter(|_| !project.work_place(&place).exists()) {
                project.save_work(&place, &work)?;
            }
        }
        Ok(project.save()?)
    }
}

/// The lane of [`ProjectRequest`]s.
pub type ProjectLane = Lane<ProjectRequest>;

impl ProjectLane {
    /// Opens the lane in `pool`.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(ProjectFolders(pool.events().clone()))
    }
}

struct ProjectFolders(EventSender);

impl Answerer for ProjectFolders {
    type Request = ProjectRequest;

    fn answer(&mut self, request: ProjectRequest) {
        self.0.send(match request {
            ProjectRequest::Export { job, folder } => Event::Project(ProjectEvent::Exported {
                job,
                files: caught(|| {
                    let project = ProjectFolder::open(&folder)?;
                    Ok(project.export(&project.translated(), None, true)?)
                }),
            }),
            request => {
                let job = request.job();
                let status =
                    caught(|| Ok(Box::new(ProjectStatus::from_project(request.project()?)?)));
                Event::Project(ProjectEvent::Seen { job, status })
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
            | Self::Remove { job, .. }
            | Self::Move { job, .. }
            | Self::UseMemory { job, .. }
            | Self::Configure { job, .. }
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
                work,
                memory,
                terms,
                ..
            } => {
                let mut project = ProjectFolder::create(&folder, *head)?;
                if let Some(memory) = memory {
                    project.use_memory(&memory)?;
                }
                if !terms.is_empty() {
                    project.use_terms(&terms)?;
                }
                work.add_documents(&mut project, &documents)?;
                Ok(project)
            }
            Self::UseMemory { folder, memory, .. } => {
                let mut project = ProjectFolder::open(&folder)?;
                project.use_memory(&memory)?;
                Ok(project)
            }
            Self::Configure {
                folder, settings, ..
            } => {
                let mut project = ProjectFolder::open(&folder)?;
                project.configure(&settings)?;
                Ok(project)
            }
            Self::Add {
                folder,
                documents,
                work,
                ..
            } => {
                let mut project = ProjectFolder::open(&folder)?;
                work.add_documents(&mut project, &documents)?;
                Ok(project)
            }
            Self::Remove {
                folder, document, ..
            } => {
                let mut project = ProjectFolder::open(&folder)?;
                project.remove(&document)?;
                Ok(project)
            }
            Self::Move {
                folder,
                document,
                by,
                ..
            } => {
                let mut project = ProjectFolder::open(&folder)?;
                project.move_by(&document, by)?;
                Ok(project)
            }
        }
    }
}
