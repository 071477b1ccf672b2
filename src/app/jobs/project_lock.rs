//! One window at a time writes the project of a document.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::project_store::lock_path;
use canopy_base::error::{Error, Result};
use canopy_base::file::lock_file;

/// The right to write the project of a document.
#[derive(Debug)]
pub(super) struct ProjectLock {
    document: PathBuf,
    is_ours: bool,
    /// Locked as long as it is open.
    _file: Option<File>,
}

impl ProjectLock {
    /// Takes the project of a document for this window, unless another one has it. Where no file can be locked, writing
    /// it will fail too, or nobody can know.
    pub fn take(data_folder: &Path, document: &Path) -> Self {
        let path = lock_path(data_folder, document);
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let file = lock_file(&path).ok();
        let locked = file.as_ref().map(File::try_lock);
        Self {
            document: document.to_owned(),
            is_ours: !matches!(locked, Some(Err(TryLockError::WouldBlock))),
            _file: file,
        }
    }

    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// # Errors
    /// [`Error::ProjectBusy`] if another window has it.
    pub fn check(&self) -> Result<()> {
        if self.is_ours {
            return Ok(());
        }
        Err(Error::ProjectBusy {
            path: self.document.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::jobs::{Event, FileRequest, FileThread, JobId, Project};

    struct Window {
        files: FileThread,
        events: Receiver<Event>,
        data: PathBuf,
        document: PathBuf,
    }

    impl Window {
        fn new(folder: &Path) -> Self {
            let (sender, events) = channel();
            let document = folder.join("page.txt");
            std::fs::write(&document, "Print the page.\n").expect("writes");
            Self {
                files: FileThread::spawn(sender, || ()).expect("a thread"),
                events,
                data: folder.join("data"),
                document: document.canonicalize().expect("it is there"),
            }
        }

        /// The reason why the saved work cannot be used.
        fn open(&self) -> Option<Error> {
            self.files.send(FileRequest::OpenDocument {
                job: JobId(1),
                path: self.document.clone(),
                data_folder: Some(self.data.clone()),
                reading: None,
            });
            match self.events.recv() {
                Ok(Event::DocumentOpened { project_error, .. }) => project_error,
                other => panic!("{other:?}"),
            }
        }

        fn close(&self) {
            self.files.send(FileRequest::CloseDocument {
                job: JobId(2),
                path: self.document.clone(),
            });
        }

        /// Whether the project is written.
        fn saves(self) -> bool {
            self.files.send(FileRequest::SaveProject {
                job: JobId(3),
                data_folder: self.data.clone(),
                project: Project::new(self.document.clone(), String::new(), Vec::new()),
            });
            self.files.finish();
            self.events.try_recv().is_err()
        }
    }

    #[test]
    fn one_window_at_a_time_writes_a_project() {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, second, third] = [(); 3].map(|()| Window::new(folder.path()));
        assert!(first.open().is_none());
        assert!(first.open().is_none(), "it is its own");
        for other in [&second, &third] {
            let error = other.open();
            assert!(matches!(error, Some(Error::ProjectBusy { .. })));
        }
        first.close();
        assert!(first.saves());
        assert!(!second.saves(), "it has not read what the first one wrote");
        assert!(third.open().is_none());
        assert!(third.saves());
    }
}
