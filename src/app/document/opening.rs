//! Opening the document, and reading it in another way.

use std::path::{Path, PathBuf};

use crate::document::DocumentPage;
use crate::jobs::FileRequest;
use crate::shared::Shared;
use canopy_base::file::canonicalize;
use canopy_document::document::ReadingOptions;

impl DocumentPage {
    /// Whether the document at `path`, without links, is being opened.
    pub(crate) fn is_opening(&self, path: &Path) -> bool {
        let opening = self.opening.as_ref();
        opening.is_some_and(|(_, opening)| {
            let place = canonicalize(opening);
            place.as_ref().unwrap_or(opening) == path
        })
    }

    /// A document was opened that is no longer wanted: another window may have it.
    pub(crate) fn overtaken(&mut self, shared: &mut Shared, path: PathBuf) {
        let is_open = self.editing.open.as_ref().is_some_and(|it| it.path == path);
        if !is_open && !self.is_opening(&path) {
            let job = shared.next_job();
            shared
                .file_requests
                .push(FileRequest::CloseDocument { job, path });
        }
    }

    /// Reads the open document once more in another way; what was done on it stays.
    pub(crate) fn read_as(&mut self, shared: &mut Shared, reading: ReadingOptions) {
        let open = self.editing.open.as_ref();
        let open = open.filter(|open| open.document.reading != reading);
        if let Some(path) = open.map(|open| open.path.clone()) {
            self.open_document(shared, path, Some(reading));
        }
    }

    pub(crate) fn open_document(
        &mut self,
        shared: &mut Shared,
        path: PathBuf,
        reading: Option<ReadingOptions>,
    ) {
        self.trace.forget();
        let job = shared.next_job();
        self.opening = Some((job, path.clone()));
        // What is not saved yet must be on disk before the same document may be read again.
        self.editing.keep_edit_if_valid(shared);
        self.editing.save_project(shared);
        shared.file_requests.push(FileRequest::OpenDocument {
            job,
            path,
            data_folder: shared.folders.data.clone(),
            reading,
        });
    }
}
