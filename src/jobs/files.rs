//! The file thread: opens and saves documents, projects and settings, one after the other, away from the window.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::project_lock::ProjectLock;
use super::{Event, JobId, Project};
use crate::error::{Error, Result, caught};
use crate::text::document::Document;
use crate::text::file::write_atomically;

/// Work for the file thread.
#[derive(Debug)]
pub enum FileRequest {
    /// Reads a document, and its project if there is one below `data_folder`.
    OpenDocument {
        job: JobId,
        path: PathBuf,
        data_folder: Option<PathBuf>,
    },
    /// Writes the translated document; sentences without a translation stay as they are.
    SaveDocument {
        job: JobId,
        path: PathBuf,
        overwrite: bool,
        document: Arc<Document>,
        targets: Vec<Option<String>>,
    },
    /// Lets another window write the document's project.
    CloseDocument { job: JobId },
    SaveProject {
        job: JobId,
        path: PathBuf,
        project: Project,
    },
    /// Writes a small file of our own, such as the settings.
    Write {
        job: JobId,
        path: PathBuf,
        bytes: Vec<u8>,
    },
    /// Writes a file where a person wants it, and tells when it is there; the dialog has asked.
    Export {
        job: JobId,
        path: PathBuf,
        bytes: Vec<u8>,
    },
    /// Tells when all that was asked for before is done.
    Flush { job: JobId },
}

impl FileRequest {
    fn job(&self) -> JobId {
        match self {
            Self::OpenDocument { job, .. }
            | Self::SaveDocument { job, .. }
            | Self::CloseDocument { job }
            | Self::Flush { job }
            | Self::SaveProject { job, .. }
            | Self::Write { job, .. }
            | Self::Export { job, .. } => *job,
        }
    }

    fn done(self, lock: &mut Option<ProjectLock>) -> Result<Option<Event>> {
        match self {
            Self::OpenDocument {
                job,
                path,
                data_folder,
            } => open(job, path, data_folder.as_deref(), lock).map(Some),
            Self::SaveDocument {
                job,
                path,
                overwrite,
                document,
                targets,
            } => {
                write_atomically(&path, document.translated(&targets).as_bytes(), overwrite)?;
                Ok(Some(Event::DocumentSaved { job, path }))
            }
            Self::CloseDocument { .. } => {
                *lock = None;
                Ok(None)
            }
            Self::SaveProject { path, project, .. } => {
                if let Some(lock) = lock {
                    lock.check(&path)?;
                }
                write_ours(&path, &project.to_bytes(&path)?)?;
                Ok(None)
            }
            Self::Write { path, bytes, .. } => {
                write_ours(&path, &bytes)?;
                Ok(None)
            }
            Self::Export { job, path, bytes } => {
                write_atomically(&path, &bytes, true)?;
                Ok(Some(Event::DocumentSaved { job, path }))
            }
            Self::Flush { job } => Ok(Some(Event::Flushed { job })),
        }
    }
}

fn open(
    job: JobId,
    path: PathBuf,
    data_folder: Option<&Path>,
    lock: &mut Option<ProjectLock>,
) -> Result<Event> {
    // The same file under another name has the same project; what does not exist is reported by `Document::open`.
    let path = path.canonicalize().unwrap_or(path);
    let document = Arc::new(Document::open(&path, None)?);
    let Some(folder) = data_folder else {
        return Ok(Event::DocumentOpened {
            job,
            path,
            document,
            project: None,
            project_error: None,
        });
    };
    let project_path = Project::path(folder, &path);
    let before = lock.take();
    let taken = lock.insert(ProjectLock::take_instead(
        before,
        &path,
        project_path.clone(),
    ));
    let busy = taken.check(&project_path).err();
    let (project, project_error) = match Project::read(&project_path) {
        Ok(project) => (project, busy),
        Err(error) => {
            // Kept under another name, or the next autosave would replace what somebody may still repair.
            if busy.is_none() {
                let kept = project_path.with_extension("json.unreadable");
                let _ = std::fs::rename(&project_path, kept);
            }
            (None, Some(error))
        }
    };
    Ok(Event::DocumentOpened {
        job,
        path,
        document,
        project,
        project_error,
    })
}

fn write_ours(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
    }
    write_atomically(path, bytes, true)
}

/// The window's end of the file thread.
#[derive(Debug)]
pub struct FileThread {
    requests: Sender<FileRequest>,
    thread: JoinHandle<()>,
}

impl FileThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let (requests, inbox) = channel::<FileRequest>();
        let thread = std::thread::Builder::new()
            .name("canopy-files".to_owned())
            .spawn(move || {
                let mut lock = None;
                while let Ok(request) = inbox.recv() {
                    let job = request.job();
                    let done = caught(|| request.done(&mut lock));
                    let event = done.unwrap_or_else(|error| Some(Event::Failed { job, error }));
                    let Some(event) = event else { continue };
                    // The window may already be gone; then nobody needs the event.
                    let _ = events.send(event);
                    wake();
                }
            })
            .map_err(|cause| Error::Thread { cause })?;
        Ok(Self { requests, thread })
    }

    /// Queues a request; `false` if the thread has ended.
    pub fn send(&self, request: FileRequest) -> bool {
        self.requests.send(request).is_ok()
    }

    /// Waits until everything queued is written.
    pub fn finish(self) {
        drop(self.requests);
        // A panic in it has been reported already.
        let _ = self.thread.join();
    }
}
