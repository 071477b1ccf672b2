//! Requests to the threads: closing, saving, translating.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ask::Ask;
use super::command::{Page, Scope};
use super::language;
use super::models::ModelState;
use super::notices::NoticeKind;
use super::open_document::OpenDocument;
use super::progress::{Progress, Running};
use super::state::AppState;
use super::training::ImportState;
use crate::document::DocumentPage;
use crate::jobs::{FileRequest, JobControl, Overwrite, Request};
use crate::models::Models;
use crate::shared::Shared;
use canopy_base::file::{canonicalize, is_same_file};
use canopy_document::document::{Document, SubtitleLayout};
use canopy_document::export::{ExportFormat, Languages};
use canopy_translate::inference::Reads;

impl AppState {
    pub(super) fn close_document(&mut self) {
        self.document.cancel();
        self.explorer.cancel_pending();
        self.document.running = None;
        self.document.keep_edit_for_good(&self.shared);
        self.projects.note_confirmed(&self.document);
        self.document.note_document(&mut self.shared, &self.models);
        self.document.save_project(&mut self.shared);
        if let Some(document) = self.document.open.take() {
            let (job, path) = (self.shared.next_job(), document.path);
            // Opened again, it is still this window's.
            if !self.document.is_opening(&path) {
                self.shared
                    .file_requests
                    .push(FileRequest::CloseDocument { job, path });
            }
        }
        self.document.last_progress = None;
        // They were about it.
        self.shared
            .notices
            .retain(|notice| notice.kind == NoticeKind::Error);
        self.document.suggestions.forget();
    }

    pub(super) fn translate(&mut self, scope: Scope) {
        self.document.keep_edit_if_valid(&self.shared);
        if self.document.running.is_some() || self.document.open.is_none() {
            return;
        }
        match &self.models.current {
            ModelState::Open { .. } if self.document.without_model(&self.models).is_some() => {
                self.document.show_no_model(&mut self.shared, &self.models);
            }
            ModelState::Open { .. } => self.start_translation(scope),
            ModelState::Opening { .. } => self.document.waiting_scope = Some(scope),
            ModelState::None => {
                self.shared.notify(
                    NoticeKind::Error,
                    "No model is open",
                    "Choose one in the Model menu, then translate again.",
                );
            }
        }
    }

    pub(super) fn start_translation(&mut self, scope: Scope) {
        self.explorer.stop_comparing_sentences();
        self.document.adopt_target(&mut self.shared, &self.models);
        if self.document.without_model(&self.models).is_some() {
            return self.document.show_no_model(&mut self.shared, &self.models);
        }
        self.document.note_model(&self.models);
        let Some(document) = &self.document.open else {
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
            self.shared
                .notify(NoticeKind::Hint, "Nothing to translate", detail);
            return;
        }
        self.document
            .request_translation(&mut self.shared, &self.models, sentences, false);
    }

    /// Work that would be lost if the window closed now. Runs are not: they go on from a checkpoint.
    pub fn lost_by_closing(&self) -> Option<&'static str> {
        let corpus = self.training.corpus_form.as_ref();
        let is_made =
            corpus.is_some_and(|form| matches!(form.import_state, ImportState::Running(..)));
        if self.evaluate.running.is_some() {
            Some("An evaluation is under way")
        } else if is_made {
            Some("A corpus is being made")
        } else if self.models.adding.is_some() {
            Some("A model is being added")
        } else {
            let has_unsaved = self.evaluate.has_unsaved();
            has_unsaved.then_some("The scores of an evaluation are not saved")
        }
    }
}

impl DocumentPage {
    /// Whether the document at `path`, without links, is being opened.
    pub(super) fn is_opening(&self, path: &Path) -> bool {
        let opening = self.opening.as_ref();
        opening.is_some_and(|(_, opening)| {
            let place = canonicalize(opening);
            place.as_ref().unwrap_or(opening) == path
        })
    }

    pub(super) fn ask_where_to_save(&mut self, shared: &mut Shared, models: &Models) {
        if !self.keep_edit(shared) {
            // Without it the file would not be what stands in the window; the editor says what is wrong.
            shared.page = Page::Document;
            return;
        }
        let Some(document) = &self.open else {
            return;
        };
        let language = self.languages(models).map(|(_, target)| target);
        let language = language.as_deref().unwrap_or("translated");
        let stem = document
            .path
            .file_stem()
            .map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
        let format = document.document.format;
        let extension = document.path.extension();
        let extension = if format.written_extension() == format.extension() {
            extension.map_or_else(String::new, |ext| format!(".{}", ext.to_string_lossy()))
        } else {
            format!(".{}", format.written_extension())
        };
        let name = format!("{stem}.{language}{extension}");
        shared.asks.push(Ask::SaveTranslation {
            document: document.path.clone(),
            folder: self.document_folder(shared),
            name,
        });
    }

    pub(super) fn ask_where_to_export(&mut self, shared: &mut Shared, format: ExportFormat) {
        if !self.keep_edit(shared) {
            shared.page = Page::Document;
            return;
        }
        let Some(document) = &self.open else {
            return;
        };
        let name = document.path.file_name().unwrap_or_default();
        shared.asks.push(Ask::ExportTranslation {
            document: document.path.clone(),
            folder: self.document_folder(shared),
            name: format!("{}.{}", name.to_string_lossy(), format.extension()),
            format,
        });
    }

    pub(super) fn export_translation(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        document: &Path,
        path: PathBuf,
        format: ExportFormat,
        overwrite: bool,
    ) {
        if let Some(reason) = self.why_not_saved(document, &path) {
            shared.notify(NoticeKind::Error, "Nothing was exported", reason);
            return;
        }
        self.keep_edit_if_valid(shared);
        let job = shared.next_job();
        let Some(open) = &self.open else {
            return;
        };
        let (document, targets) = (
            laid_out(open, shared.settings.subtitles),
            open.target_texts(),
        );
        let provenances = open.target_provenances();
        let unknown = || ("und".to_owned(), "und".to_owned());
        let (source, target) = self.languages(models).unwrap_or_else(unknown);
        let languages = Languages { source, target };
        shared.file_requests.push(FileRequest::ExportDocument {
            job,
            path,
            overwrite,
            document,
            targets,
            provenances,
            format,
            languages,
        });
    }

    /// Writes the translation where it was written last; asks where there was no such place, or it is that of another
    /// language.
    pub(super) fn save_again(&mut self, shared: &mut Shared, models: &Models) {
        let open = self.open.as_ref().filter(|_| self.saving.is_none());
        let Some(open) = open else { return };
        let language = self.languages(models).map(|(_, target)| target);
        let written = open.written.as_ref();
        let written = written.filter(|written| written.language == language);
        let Some(written) = written.cloned() else {
            return self.ask_where_to_save(shared, models);
        };
        if !self.keep_edit(shared) {
            shared.page = Page::Document;
            return;
        }
        let document = self.open.as_ref().map(|open| open.path.clone());
        self.write_translation(
            shared,
            models,
            &document.unwrap_or_default(),
            written.path,
            Overwrite::Own(written.digest),
        );
    }

    pub(super) fn save_translation(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        document: &Path,
        path: PathBuf,
        overwrite: bool,
    ) {
        let overwrite = if overwrite {
            Overwrite::Any
        } else {
            Overwrite::Nothing
        };
        self.write_translation(shared, models, document, path, overwrite);
    }

    fn write_translation(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        document: &Path,
        path: PathBuf,
        overwrite: Overwrite,
    ) {
        // The window goes on while the dialog is open.
        if let Some(reason) = self.why_not_saved(document, &path) {
            shared.notify(NoticeKind::Error, "The translation was not saved", reason);
            return;
        }
        self.keep_edit_if_valid(shared);
        let job = shared.next_job();
        let Some(open) = &self.open else {
            return;
        };
        let (document, targets) = (
            laid_out(open, shared.settings.subtitles),
            open.target_texts(),
        );
        if let Err(error) = document.format.check_written_name(&path) {
            shared.notify(
                NoticeKind::Error,
                "The translation was not saved",
                error.to_string(),
            );
            return;
        }
        let left = open.left_in_declared_language();
        if left > 0 {
            let [_, declared] = open.declared_languages();
            let declared = language::name(declared.unwrap_or_default());
            let detail = format!(
                "{left} sentences are not translated yet, and the file has {declared} for them. Translate them first."
            );
            return shared.notify(NoticeKind::Error, "The translation was not saved", detail);
        }
        let language = self.languages(models).map(|(_, target)| target);
        self.saving = Some(job);
        shared.file_requests.push(FileRequest::SaveDocument {
            job,
            path,
            overwrite,
            document,
            targets,
            language,
        });
    }

    fn why_not_saved(&self, document: &Path, path: &Path) -> Option<&'static str> {
        let open = self.open.as_ref().map(|open| open.path.as_path());
        let is_source = path == document || is_same_file(path, document);
        if open != Some(document) {
            Some("Another document is open now. Open its document again, then save.")
        } else if is_source {
            Some("That is the source document itself. Give the translation another name.")
        } else {
            None
        }
    }

    /// Translates the drafts again with what was edited or confirmed as their context.
    pub(super) fn update_rest(&mut self, shared: &mut Shared, models: &Models) {
        self.keep_edit_if_valid(shared);
        if self.why_no_update(models).is_some() {
            return;
        }
        if let Some(document) = &self.open {
            self.request_translation(shared, models, document.drafts(), true);
        }
    }

    /// Why drafts would come out as they are.
    pub(super) fn why_no_update(&self, models: &Models) -> Option<&'static str> {
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
    pub(super) fn finish_update(&mut self, shared: &mut Shared, running: &Running) {
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

    fn request_translation(
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

    pub(super) fn first_visible(&self) -> usize {
        self.open
            .as_ref()
            .map_or(0, |document| document.first_visible)
    }

    pub(super) fn set_visible(&mut self, sentences: &Range<usize>) {
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
    pub(super) fn page_of_sentences(&self) -> isize {
        let visible = self.open.as_ref().map_or(0, |open| open.num_visible);
        isize::try_from(visible.saturating_sub(1)).map_or(1, |page| page.max(1))
    }

    pub(super) fn cancel(&mut self) {
        if self.waiting_scope.take().is_some() {
            self.stop_translating_project();
        }
        if let Some(running) = &self.running {
            running.control.cancel();
        }
    }

    /// Notes the model that translates the document, for the next time that it is opened.
    fn note_model(&mut self, models: &Models) {
        let folder = match (&models.current, models.requested()) {
            (ModelState::Open { info, .. }, [_]) => Some(info.folder.clone()),
            _ => None,
        };
        self.with_document(|open| open.model = folder);
    }
}

/// The document with as much room for subtitles as this.
fn laid_out(open: &OpenDocument, subtitles: SubtitleLayout) -> Arc<Document> {
    let mut document = open.document.clone();
    if document.format.is_subtitles() && document.subtitle_layout != subtitles {
        Arc::make_mut(&mut document).subtitle_layout = subtitles;
    }
    document
}
