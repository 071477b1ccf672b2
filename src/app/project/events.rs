//! Events of the open project.

use std::path::PathBuf;

use crate::error::Result;
use crate::jobs::{JobId, ProjectStatus};
use crate::state::AppState;

/// A report to the page of the project.
#[derive(Debug)]
pub enum ProjectEvent {
    /// The document that was just opened belongs to the project in this folder.
    InProject {
        /// Path of the document.
        path: PathBuf,
        /// Folder of the project.
        folder: PathBuf,
    },
    /// How far a project folder is, or why it cannot be opened.
    Seen {
        /// Number of the job.
        job: JobId,
        /// The documents and how far each is.
        status: Result<Box<ProjectStatus>>,
    },
    /// The translations of a project were written to files.
    Exported {
        /// Number of the job.
        job: JobId,
        /// The files.
        files: Result<Vec<PathBuf>>,
    },
}

impl AppState {
    pub(crate) fn handle_project(&mut self, event: ProjectEvent) {
        let (shared, projects) = (&mut self.shared, &mut self.projects);
        match event {
            ProjectEvent::InProject { path, folder } => {
                projects.found_in_project(shared, &self.document, &path, folder);
            }
            ProjectEvent::Seen { job, status } => self.project_seen(job, status),
            ProjectEvent::Exported { job, files } => {
                projects.project_exported(shared, job, files);
            }
        }
    }
}
