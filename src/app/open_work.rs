//! The work that models are chosen for and the explorer traces.

use std::path::PathBuf;

use crate::document::DocumentPage;
use crate::explorer::Explorer;
use crate::models::Models;
use crate::project::Projects;
use crate::shared::Shared;
use crate::state::AppState;

/// The open document and the open project, with what pages share.
#[derive(Debug)]
pub(crate) struct OpenWork<'a> {
    pub(crate) shared: &'a mut Shared,
    pub(crate) document: &'a mut DocumentPage,
    pub(crate) projects: &'a mut Projects,
}

impl<'a> OpenWork<'a> {
    pub(crate) fn new(
        shared: &'a mut Shared,
        document: &'a mut DocumentPage,
        projects: &'a mut Projects,
    ) -> Self {
        Self {
            shared,
            document,
            projects,
        }
    }
}

impl AppState {
    /// Opens the model named on the command line, else the one chosen as default, else the last one used, else the one that
    /// came with the program.
    pub fn open_first_model(&mut self, named: Option<PathBuf>) {
        self.with_models(|models, work| models.open_first_model(work, named));
    }

    /// Has the page of models act on the open work.
    pub(crate) fn with_models<R>(
        &mut self,
        act: impl FnOnce(&mut Models, &mut OpenWork<'_>) -> R,
    ) -> R {
        let work = &mut OpenWork::new(&mut self.shared, &mut self.document, &mut self.projects);
        act(&mut self.models, work)
    }

    /// Has the explorer act on the open work and its model.
    pub(crate) fn with_explorer<R>(
        &mut self,
        act: impl FnOnce(&mut Explorer, &mut Models, &mut OpenWork<'_>) -> R,
    ) -> R {
        let work = &mut OpenWork::new(&mut self.shared, &mut self.document, &mut self.projects);
        act(&mut self.explorer, &mut self.models, work)
    }
}
