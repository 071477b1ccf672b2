//! Removes files that no longer exist from the lists of recent things.

use std::path::PathBuf;

use super::state::AppState;
use crate::jobs::FileRequest;

impl AppState {
    /// Has the lane of files look which of the paths in lists of what was used lately are gone.
    pub fn look_for_missing(&mut self) {
        let mut paths = self.shared.settings.recent_paths();
        let page = &self.evaluate;
        paths.extend(page.models.iter().chain(&page.added).cloned());
        paths.extend(self.training.corpora.known.iter().cloned());
        paths.sort();
        paths.dedup();
        if !paths.is_empty() {
            let job = self.shared.next_job();
            self.shared
                .file_requests
                .push(FileRequest::FindMissing { job, paths });
        }
    }

    /// Takes paths that are gone out of all lists.
    pub(super) fn forget_missing(&mut self, missing: &[PathBuf]) {
        self.shared.set(|settings| settings.forget(missing));
        let is_there = |path: &PathBuf| !missing.contains(path);
        self.evaluate.models.retain(is_there);
        self.evaluate.added.retain(is_there);
        self.evaluate.corpus.take_if(|path| !is_there(path));
        self.training.corpora.known.retain(is_there);
    }
}
