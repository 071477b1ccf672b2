//! Starts translations.

use super::command::Scope;
use super::models::ModelState;
use super::notices::NoticeKind;
use super::state::AppState;

impl AppState {
    pub(super) fn translate(&mut self, scope: Scope) {
        self.document.editing.keep_edit_if_valid(&self.shared);
        if self.document.translations.running.is_some() || self.document.editing.open.is_none() {
            return;
        }
        match &self.models.in_use.current {
            ModelState::Open { .. }
                if self.document.pair(&self.models).without_model().is_some() =>
            {
                self.document.show_no_model(&mut self.shared, &self.models);
            }
            ModelState::Open { .. } => self.start_translation(scope),
            ModelState::Opening { .. } => self.document.translations.waiting_scope = Some(scope),
            ModelState::None => {
                self.shared.notify(
                    NoticeKind::Error,
                    "No model is open",
                    "Choose one in the Model menu, then translate again.",
                );
            }
        }
    }

    /// Translates with the model that is open; the explorer's comparison of sentences makes room for it.
    pub(super) fn start_translation(&mut self, scope: Scope) {
        self.explorer.similarity.stop();
        self.document
            .start_translation(&mut self.shared, &self.models, scope);
    }
}
