//! The translation of the document: which sentences are requested, how far they are, and updates of drafts.

use std::ops::Range;

use crate::command::Scope;
use crate::document::DocumentPage;
use crate::document::progress::{Preparation, Progress, Running};
use crate::jobs::{JobControl, JobId, Request};
use crate::models::{ModelState, Models, pair_name};
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_translate::inference::{Reads, Translation};

impl DocumentPage {
    /// Translates what is missing in the scope or, where nothing is, its drafts once more.
    pub(crate) fn start_translation(&mut self, shared: &mut Shared, models: &Models, scope: Scope) {
        self.adopt_target(shared, models);
        if self.without_model(models).is_some() {
            return self.show_no_model(shared, models);
        }
        self.note_model(models);
        let Some(document) = &self.open else {
            return;
        };
        let section = |section: usize| document.sections()[section].sentences.clone();
        let sentence = |sentence: usize| sentence..sentence + 1;
        let range = match (scope, document.selected) {
            (Scope::Document, _) => 0..document.num_sentences(),
            (Scope::Section(index), _) => section(index),
            (Scope::SelectedSection, Some(selected)) => section(document.section_of(selected)),
            (Scope::Sentence(index), _) => sentence(index),
            (Scope::SelectedSentence, Some(selected)) => sentence(selected),
            (_, None) => return,
        };
        // First what is missing; only when nothing is, the drafts once more.
        let mut sentences = document.translatable(range.clone(), false);
        if sentences.is_empty() {
            sentences = document.translatable(range, true);
        }
        if sentences.is_empty() {
            let detail = "Edited and confirmed sentences are never overwritten. Clear a translation to have it translated again.";
            shared.notify(NoticeKind::Hint, "Nothing to translate", detail);
            return;
        }
        self.request_translation(shared, models, sentences, false);
    }

    /// Translates the drafts again with what was edited or confirmed as their context.
    pub(crate) fn update_rest(&mut self, shared: &mut Shared, models: &Models) {
        self.keep_edit_if_valid(shared);
        if self.why_no_update(models).is_some() {
            return;
        }
        if let Some(document) = &self.open {
            self.request_translation(shared, models, document.drafts(), true);
        }
    }

    /// Why drafts would come out as they are.
    pub(crate) fn why_no_update(&self, models: &Models) -> Option<&'static str> {
        let Some(document) = &self.open else {
            return Some("No document is open");
        };
        let ModelState::Open { info, .. } = &models.current else {
            return Some("No model is open");
        };
        let counts = document.counts();
        if self.without_model(models).is_some() {
            return Some("No model is open for the languages of the document");
        }
        if self.running.is_some() {
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

    /// Ends an update: its changes are one undo step, and a message reports them.
    pub(crate) fn finish_update(&mut self, shared: &mut Shared, running: &Running) {
        let Some(document) = self.open.as_mut().filter(|_| running.updates) else {
            return;
        };
        let changed = document.finish_update();
        let read = running.progress.done_sentences;
        if read == 0 {
            return;
        }
        let detail = format!("{changed} of {read} drafts have a new translation.");
        shared.notify(NoticeKind::Done, "The drafts are updated", detail);
    }

    pub(crate) fn request_translation(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        sentences: Vec<usize>,
        updates: bool,
    ) {
        let job = shared.next_job();
        let Some(document) = &self.open else {
            return;
        };
        let control = JobControl::default();
        control.set_first_visible(self.first_visible());
        let progress = Progress {
            num_sentences: sentences.len(),
            num_words: sentences
                .iter()
                .map(|&sentence| document.num_words(sentence))
                .sum(),
            started_secs: shared.now_secs,
            latest_secs: shared.now_secs,
            ..Progress::default()
        };
        let (fixed, document) = (document.fixed(), document.document.clone());
        let options = shared.search_options();
        let model = match &models.current {
            ModelState::Open { info, .. } => info.name.clone(),
            _ => String::new(),
        };
        self.running = Some(Running {
            job,
            control: control.clone(),
            progress,
            preparing: None,
            updates,
            model,
        });
        let terms = self.termbase();
        shared.requests.push(Request::Translate {
            job,
            document,
            sentences,
            fixed,
            terms,
            address: shared.settings.address,
            options,
            control,
        });
    }

    pub(crate) fn first_visible(&self) -> usize {
        self.open
            .as_ref()
            .map_or(0, |document| document.first_visible)
    }

    pub(crate) fn set_visible(&mut self, sentences: &Range<usize>) {
        self.with_document(|document| {
            document.first_visible = sentences.start;
            let shown = sentences.clone().filter(|it| document.shows(*it));
            document.num_visible = shown.count();
        });
        if let Some(running) = &self.running {
            running.control.set_first_visible(sentences.start);
        }
    }

    /// How many sentences a page is: one of those in view stays there.
    pub(crate) fn page_of_sentences(&self) -> isize {
        let visible = self.open.as_ref().map_or(0, |open| open.num_visible);
        isize::try_from(visible.saturating_sub(1)).map_or(1, |page| page.max(1))
    }

    pub(crate) fn cancel(&mut self) {
        if self.waiting_scope.take().is_some() {
            self.stop_translating_project();
        }
        if let Some(running) = &self.running {
            running.control.cancel();
        }
    }

    /// Notes the model that translates the document, for the next time that it is opened.
    pub(crate) fn note_model(&mut self, models: &Models) {
        let folder = match (&models.current, models.requested()) {
            (ModelState::Open { info, .. }, [_]) => Some(info.folder.clone()),
            _ => None,
        };
        self.with_document(|open| open.model = folder);
    }

    pub(crate) fn prepared(
        &mut self,
        shared: &Shared,
        job: JobId,
        preparing: (Preparation, usize, usize),
    ) {
        let now_secs = shared.now_secs;
        let Some(running) = self.running.as_mut().filter(|running| running.job == job) else {
            return;
        };
        running.preparing = Some(preparing);
        // Speed and time left are those of the requested sentences.
        if running.progress.done_sentences == 0 {
            running.progress.started_secs = now_secs;
            running.progress.latest_secs = now_secs;
        }
    }

    pub(crate) fn sentence_translated(
        &mut self,
        shared: &Shared,
        job: JobId,
        index: usize,
        translation: Translation,
    ) {
        let now_secs = shared.now_secs;
        let Some(running) = self.running.as_mut().filter(|running| running.job == job) else {
            return;
        };
        let Some(document) = &mut self.open else {
            return;
        };
        running.progress.done_sentences += 1;
        running.progress.done_words += document.num_words(index);
        running.progress.latest_secs = now_secs;
        running.preparing = None;
        let received = if running.updates {
            document.update(index, translation, &running.model)
        } else {
            document.receive(index, translation, &running.model)
        };
        if received {
            self.touch(shared);
        }
    }

    /// Whether there is something to cancel.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.waiting_scope.is_some()
    }

    pub fn is_waiting_for_model(&self) -> bool {
        self.waiting_scope.is_some()
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
}
