use std::sync::mpsc::{Receiver, channel};

use crate::DocumentEvent;

use super::*;

struct Window {
    files: FileLane,
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
            files: FileLane::new(&Pool::new("test", sender, || ()).expect("a thread")),
            events,
            data: folder.join("data"),
            document: document.canonicalize().expect("it exists"),
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
            Ok(Event::Document(DocumentEvent::Opened { project_error, .. })) => project_error,
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
        assert!(matches!(
            error,
            Some(Error::Project(
                canopy_project::error::Error::ProjectBusy { .. }
            ))
        ));
    }
    first.close();
    assert!(first.saves());
    assert!(!second.saves(), "it has not read what the first one wrote");
    assert!(third.open().is_none());
    assert!(third.saves());
}
