//! Saving and exporting the translation of the document.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::WindowCommand;
use crate::ask::DialogRequest;
use crate::command::{Command, Page};
use crate::document::DocumentPage;
use crate::document::editing::Editing;
use crate::document::languages::UNKNOWN;
use crate::jobs::{FileRequest, JobId, Overwrite};
use crate::language;
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_base::file::is_same_file;
use canopy_document::document::{Document, SubtitleLayout};
use canopy_document::export::{ExportFormat, Languages};
use canopy_project::Written;

/// The form in which a translation is written, and what it may replace.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// The format of the document.
    Document(Overwrite),
    /// A format of exchange with other programs; whether it replaces a file.
    Export(ExportFormat, bool),
}

impl Form {
    /// The title of the message that nothing was written.
    fn failure(&self) -> &'static str {
        match self {
            Self::Document(_) => "The translation was not saved",
            Self::Export(..) => "Nothing was exported",
        }
    }
}

/// A command that writes the translation, or asks where.
#[derive(Debug, Clone, PartialEq)]
pub enum SaveCommand {
    /// Writes the translation where it was written last, or asks where.
    Save,
    /// Asks where.
    SaveAs,
    /// Writes the translation of a document, if that is still open.
    SaveTo {
        /// Path of the document.
        document: PathBuf,
        /// The file to write.
        path: PathBuf,
        /// Whether an existing file may be replaced; the dialog has asked.
        overwrite: bool,
    },
    /// Asks where sentences with their translations shall go.
    Export(ExportFormat),
    /// Writes them there.
    ExportTo {
        /// Path of the document.
        document: PathBuf,
        /// The file to write.
        path: PathBuf,
        /// The format of the file.
        format: ExportFormat,
        /// Whether an existing file may be replaced.
        overwrite: bool,
    },
}

/// The translation that is being written.
#[derive(Debug, Default)]
pub struct Saving {
    job: Option<JobId>,
}

impl Saving {
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        models: &Models,
        command: SaveCommand,
    ) {
        match command {
            SaveCommand::Save => self.save_again(shared, editing, models),
            SaveCommand::SaveAs => ask_where(shared, editing, models),
            SaveCommand::SaveTo {
                document,
                path,
                overwrite,
            } => {
                let overwrite = if overwrite {
                    Overwrite::Any
                } else {
                    Overwrite::Nothing
                };
                let form = Form::Document(overwrite);
                self.write(shared, editing, models, &document, path, form);
            }
            SaveCommand::Export(format) => ask_where_to_export(shared, editing, format),
            SaveCommand::ExportTo {
                document,
                path,
                format,
                overwrite,
            } => {
                let form = Form::Export(format, overwrite);
                self.write(shared, editing, models, &document, path, form);
            }
        }
    }

    /// Whether the translation is being written.
    pub fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// Ends the writing if this is its job; whether it is.
    pub(crate) fn ended(&mut self, job: JobId) -> bool {
        self.job.take_if(|saving| *saving == job).is_some()
    }

    /// Writes the translation where it was written last; asks where there was no such place, or it is that of another
    /// language.
    pub(crate) fn save_again(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        models: &Models,
    ) {
        let open = editing.open.as_ref().filter(|_| !self.is_running());
        let Some(open) = open else { return };
        let language = editing.pair(models).codes().map(|(_, target)| target);
        let written = open.written.as_ref();
        let written = written.filter(|written| written.language == language);
        let Some(written) = written.cloned() else {
            return ask_where(shared, editing, models);
        };
        if !editing.keep_edit(shared) {
            shared.page = Page::Document;
            return;
        }
        let document = editing.open.as_ref().map(|open| open.path.clone());
        self.write(
            shared,
            editing,
            models,
            &document.unwrap_or_default(),
            written.path,
            Form::Document(Overwrite::Own(written.digest)),
        );
    }

    /// Writes the translation of a document, if that is still the open one.
    fn write(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        models: &Models,
        document: &Path,
        path: PathBuf,
        form: Form,
    ) {
        // The window keeps working while the dialog is open.
        if let Some(reason) = why_not_saved(editing, document, &path) {
            return shared.notify(NoticeKind::Error, form.failure(), reason);
        }
        editing.keep_edit_if_valid(shared);
        let Some(open) = &editing.open else {
            return;
        };
        if let Form::Document(_) = form
            && let Some(reason) = why_not_written(open, &path)
        {
            return shared.notify(NoticeKind::Error, form.failure(), reason);
        }
        let job = shared.next_job();
        let document = laid_out(open, shared.settings.subtitles);
        let targets = open.targets.texts();
        let languages = editing.pair(models).codes();
        shared.file_requests.push(match form {
            Form::Document(overwrite) => {
                self.job = Some(job);
                FileRequest::SaveDocument {
                    job,
                    path,
                    overwrite,
                    document,
                    targets,
                    language: languages.map(|(_, target)| target),
                }
            }
            Form::Export(format, overwrite) => {
                let unknown = || (UNKNOWN.to_owned(), UNKNOWN.to_owned());
                let (source, target) = languages.unwrap_or_else(unknown);
                FileRequest::ExportDocument {
                    job,
                    path,
                    overwrite,
                    document,
                    targets,
                    provenances: open.targets.provenances(),
                    format,
                    languages: Languages { source, target },
                }
            }
        });
    }
}

impl DocumentPage {
    pub(crate) fn translation_saved(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        written: Written,
    ) {
        let path = written.path.clone();
        self.editing
            .with_document(|open| open.written = Some(written));
        self.note_document(shared, models);
        let sentences = |number: usize| match number {
            1 => "1 sentence".to_owned(),
            _ => format!("{number} sentences"),
        };
        let open = self.editing.open.as_ref();
        let counts = open.map(|open| open.progress.counts());
        let [untranslated, drafts] =
            counts.map_or([0, 0], |counts| [counts.untranslated, counts.draft]);
        let is_checked = shared.settings.shows_checks && !self.checking.is_running();
        let found = self.checking.findings.len();
        let remarks = [
            (untranslated > 0).then(|| {
                let number = sentences(untranslated);
                format!("Not translated, in the source language: {number}.")
            }),
            (drafts > 0).then(|| {
                let number = sentences(drafts);
                format!("Drafts that nobody has confirmed: {number}.")
            }),
            (is_checked && found > 0).then(|| format!("Findings of the checks: {found}.")),
        ];
        let place = path.display().to_string();
        let lines: Vec<String> = std::iter::once(place)
            .chain(remarks.into_iter().flatten())
            .collect();
        let detail = lines.join("\n");
        shared.notify(NoticeKind::Done, "Translation saved", detail);
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        if let Some(folder) = folder {
            shared.with_button(
                "Show in folder",
                Command::Window(WindowCommand::ShowFolder(folder.to_owned())),
            );
        }
    }
}

/// Asks where the translation is to be written.
pub(crate) fn ask_where(shared: &mut Shared, editing: &mut Editing, models: &Models) {
    if !editing.keep_edit(shared) {
        // Without the edit the file would differ from what the window shows; the editor says what is wrong.
        shared.page = Page::Document;
        return;
    }
    let Some(document) = &editing.open else {
        return;
    };
    let language = editing.pair(models).codes().map(|(_, target)| target);
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
    shared.asks.push(DialogRequest::SaveTranslation {
        document: document.path.clone(),
        folder: editing.document_folder(shared),
        name,
    });
}

/// Asks where the translation is to be exported.
fn ask_where_to_export(shared: &mut Shared, editing: &mut Editing, format: ExportFormat) {
    if !editing.keep_edit(shared) {
        shared.page = Page::Document;
        return;
    }
    let Some(document) = &editing.open else {
        return;
    };
    let name = document.path.file_name().unwrap_or_default();
    shared.asks.push(DialogRequest::ExportTranslation {
        document: document.path.clone(),
        folder: editing.document_folder(shared),
        name: format!("{}.{}", name.to_string_lossy(), format.extension()),
        format,
    });
}

/// Why the translation of a document is not written to a path.
fn why_not_saved(editing: &Editing, document: &Path, path: &Path) -> Option<&'static str> {
    let open = editing.open.as_ref().map(|open| open.path.as_path());
    let is_source = path == document || is_same_file(path, document);
    if open != Some(document) {
        Some("Another document is open now. Open its document again, then save.")
    } else if is_source {
        Some("That is the source document itself. Give the translation another name.")
    } else {
        None
    }
}

/// Why a document cannot be written in its own format to a path.
fn why_not_written(open: &OpenDocument, path: &Path) -> Option<String> {
    if let Err(error) = open.document.format.check_written_name(path) {
        return Some(error.to_string());
    }
    let left = open.left_in_declared_language();
    let [_, declared] = open.declared_languages();
    let declared = language::name(declared.unwrap_or_default());
    (left > 0).then(|| {
        format!(
            "{left} sentences are not translated yet, and the file has {declared} for them. Translate them first."
        )
    })
}

/// The document with as much room for subtitles as this.
fn laid_out(open: &OpenDocument, subtitles: SubtitleLayout) -> Arc<Document> {
    let mut document = open.document.clone();
    if document.format.is_subtitles() && document.subtitle_layout != subtitles {
        Arc::make_mut(&mut document).subtitle_layout = subtitles;
    }
    document
}
