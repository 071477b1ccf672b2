//! Which sentences of the document are to be translated, and updates of drafts.

use std::ops::Range;

use crate::command::Scope;
use crate::document::DocumentPage;
use crate::models::{ModelState, Models, pair_name};
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_translate::inference::Reads;

impl DocumentPage {
    /// Translates what is missing in the scope or, where nothing is, its drafts once more.
    pub(crate) fn start_translation(&mut self, shared: &mut Shared, models: &Models, scope: Scope) {
        self.alternatives.stop();
        self.adopt_target(shared, models);
        if self.pair(models).without_model().is_some() {
            return self.show_no_model(shared, models);
        }
        self.note_model(models);
        let Some(document) = &self.editing.open else {
            return;
        };
        let section = |section: usize| document.progress.sections()[section].sentences.clone();
        let sentence = |sentence: usize| sentence..sentence + 1;
        let range = match (scope, document.selected) {
            (Scope::Document, _) => 0..document.num_sentences(),
            (Scope::Section(index), _) => section(index),
            (Scope::SelectedSection, Some(selected)) => {
                section(document.progress.section_of(selected))
            }
            (Scope::Sentence(index), _) => sentence(index),
            (Scope::SelectedSentence, Some(selected)) => sentence(selected),
            (_, None) => return,
        };
        // First what is missing; only when nothing is, the drafts once more.
        let mut sentences = document.targets.translatable(range.clone(), false);
        if sentences.is_empty() {
            sentences = document.targets.translatable(range, true);
        }
        if sentences.is_empty() {
            let detail = "Edited and confirmed sentences are never overwritten. Clear a translation to have it translated again.";
            shared.notify(NoticeKind::Hint, "Nothing to translate", detail);
            return;
        }
        self.translations
            .request(shared, &self.editing, &self.terms, models, sentences, false);
    }

    /// Translates the drafts again with what was edited or confirmed as their context.
    pub(crate) fn update_rest(&mut self, shared: &mut Shared, models: &Models) {
        self.editing.keep_edit_if_valid(shared);
        if self.why_no_update(models).is_some() {
            return;
        }
        self.alternatives.stop();
        if let Some(document) = &self.editing.open {
            let drafts = document.targets.drafts();
            self.translations
                .request(shared, &self.editing, &self.terms, models, drafts, true);
        }
    }

    /// Why drafts would come out as they are.
    pub(crate) fn why_no_update(&self, models: &Models) -> Option<&'static str> {
        let Some(document) = &self.editing.open else {
            return Some("No document is open");
        };
        let ModelState::Open { info, .. } = &models.in_use.current else {
            return Some("No model is open");
        };
        let counts = document.progress.counts();
        if self.pair(models).without_model().is_some() {
            return Some("No model is open for the languages of the document");
        }
        if self.translations.running.is_some() {
            Some("A translation is running")
        } else if info.reads == Reads::Nothing {
            Some("This model translates every sentence by itself")
        } else if info.reads == Reads::Source {
            Some("This model reads the source of other sentences, not their translations")
        } else if counts.edited + counts.confirmed == 0 {
            Some("No sentence is edited or confirmed yet")
        } else if counts.draft == 0 {
            Some("There are no drafts left")
        } else {
            None
        }
    }

    pub(crate) fn set_visible(&mut self, sentences: &Range<usize>) {
        self.editing.with_document(|document| {
            document.first_visible = sentences.start;
            let shown = sentences.clone().filter(|it| document.shows(*it));
            document.num_visible = shown.count();
        });
        if let Some(running) = &self.translations.running {
            running.control.set_first_visible(sentences.start);
        }
    }

    /// Notes the model that translates the document, for the next time that it is opened.
    pub(crate) fn note_model(&mut self, models: &Models) {
        let folder = match (&models.in_use.current, models.in_use.requested()) {
            (ModelState::Open { info, .. }, [_]) => Some(info.folder.clone()),
            _ => None,
        };
        self.editing.with_document(|open| open.model = folder);
    }

    /// Says that there is no model for the pair of the document.
    pub(crate) fn show_no_model(&mut self, shared: &mut Shared, models: &Models) {
        let Some((source, target)) = self.languages(models) else {
            return;
        };
        let title = format!("No model for {}", pair_name(&source, &target));
        let detail = "Models → Get models… lists models to download. Until then you can edit, match and check.";
        shared.notify(NoticeKind::Hint, title, detail);
    }

    /// Puts the translation of a similar sentence into the editor, the most similar being 0.
    pub(crate) fn use_match(&mut self, shared: &mut Shared, models: &Models, place: usize) {
        let sentence = self.editing.open.as_ref().zip(self.editing.selected());
        let source = sentence.map(|(open, at)| open.document.sentences[at].plain_text());
        let Some((memory, source)) = self.pair(models).memory().zip(source) else {
            return;
        };
        let mut found = memory.to_show(source.trim()).into_iter();
        match found.nth(place).map(|found| found.target.to_owned()) {
            Some(target) => self.editing.edit_with(shared, &target),
            None => shared.notify(NoticeKind::Hint, "There is no such match", ""),
        }
    }
}
