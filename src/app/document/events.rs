//! Events of the page of the document.

use std::path::PathBuf;
use std::sync::Arc;

use super::checking::CheckCommand;
use super::progress::Preparation;
use super::saving::ask_where;
use crate::command::Command;
use crate::ended::show_project_error;
use crate::error::{Error, Result};
use crate::jobs::{JobId, MergedWork, Project};
use crate::notices::NoticeKind;
use crate::state::AppState;
use canopy_document::document::Document;
use canopy_project::Written;
use canopy_qa::checks::Finding;
use canopy_qa::llm::Suggestion;
use canopy_qa::terms::TermIndex;
use canopy_translate::inference::Translation;

/// A report to the page of the document, or to one of its panels.
#[derive(Debug)]
pub enum DocumentEvent {
    /// Drafts of what other sentences read, before sentences are translated: numbers done and to be done.
    Drafted {
        /// Number of the job.
        job: JobId,
        /// Drafts that are done.
        done: usize,
        /// Drafts to be done.
        num: usize,
    },
    /// A sentence is translated.
    SentenceTranslated {
        /// Number of the job.
        job: JobId,
        /// Index of the sentence.
        index: usize,
        /// Its translation.
        translation: Translation,
    },
    /// Other translations of a sentence, whose own comes next; the likeliest first.
    OthersFound {
        /// Number of the job.
        job: JobId,
        /// The translations.
        translations: Vec<Translation>,
    },
    /// Tokens that a language model has read and written in search of other translations.
    TokensComputed {
        /// Number of the job.
        job: JobId,
        /// Number of tokens.
        tokens: usize,
    },
    /// There is no dictionary for the check of spelling.
    NotSpelled {
        /// Number of the job.
        job: JobId,
        /// Why spelling is not checked.
        reason: String,
    },
    /// Findings of the quality checks, in the order of the sentences.
    Checked {
        /// Number of the job.
        job: JobId,
        /// The findings.
        findings: Vec<Finding>,
    },
    /// A suggestion of a large language model.
    Suggested {
        /// Number of the job.
        job: JobId,
        /// The suggestion, or why there is none.
        suggestion: Result<Box<Suggestion>>,
    },
    /// The mean log-probability of a token of the translation of a sentence, and of the suggestion for it.
    Ranked {
        /// Number of the job.
        job: JobId,
        /// Of the translation and the suggestion; `None` if the model scores none.
        mean_log_probs: Option<[f32; 2]>,
    },
    /// `project_error` says why saved work could not be used.
    Opened {
        /// Number of the job.
        job: JobId,
        /// Where the document is.
        path: PathBuf,
        /// The document as it is read.
        document: Arc<Document>,
        /// The saved work on it, if there is any.
        project: Option<Box<Project>>,
        /// Why saved work could not be used.
        project_error: Option<Error>,
    },
    /// The document that was just opened was worked on at another path, perhaps before it was renamed.
    MovedWork {
        /// Where the document is now.
        path: PathBuf,
        /// The work at the other path.
        project: Box<Project>,
    },
    /// A file for the exchange of translations, or why it cannot be read.
    ExchangeRead {
        /// Number of the job.
        job: JobId,
        /// The file, or why it cannot be read.
        file: Result<Arc<Document>>,
    },
    /// Another person had changed the work on a document; the saved file has both versions.
    WorkMerged {
        /// Where the document is.
        path: PathBuf,
        /// The work with both versions.
        merged: Box<MergedWork>,
    },
    /// A document with other sentences in one place, or why it stays as it is.
    Recut {
        /// Number of the job.
        job: JobId,
        /// The document, or why it stays as it is.
        document: Result<Arc<Document>>,
    },
    /// A termbase that was requested, or to which a term was added.
    TermsRead {
        /// Number of the job.
        job: JobId,
        /// The terms, or why they cannot be read.
        index: Result<Arc<TermIndex>>,
    },
    /// A translation is in its file.
    TranslationSaved {
        /// Number of the job.
        job: JobId,
        /// The file that is written.
        path: PathBuf,
        /// Names the bytes of the file.
        digest: String,
        /// Language of the translation, where it is known.
        language: Option<String>,
    },
    /// The language models of a server.
    ServerModels {
        /// Number of the job.
        job: JobId,
        /// Their names, or why the server gives none.
        models: Result<Vec<String>>,
    },
    /// Another program has written into the file of the translation: it stays as it is.
    TranslationChanged {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
    },
}

impl AppState {
    pub(crate) fn handle_document(&mut self, event: DocumentEvent) {
        use DocumentEvent as E;
        let Self {
            shared,
            document,
            models,
            ..
        } = self;
        let editing = &mut document.editing;
        match event {
            E::Opened {
                job,
                path,
                document: opened,
                project,
                project_error,
            } => {
                if document.opening.as_ref().is_some_and(|it| it.0 == job) {
                    self.document_opened(path, opened, project.as_deref());
                    if let Some(error) = project_error {
                        show_project_error(&mut self.shared, &error);
                    }
                } else {
                    document.overtaken(shared, path);
                }
            }
            E::MovedWork { path, project } => {
                let open = editing.open.as_mut();
                if let Some(open) = open.filter(|open| open.path == path) {
                    open.found_moved_work(*project);
                }
            }
            E::WorkMerged { path, merged } => editing.work_merged(shared, &path, &merged),
            E::ExchangeRead { job, file } => document.merges.was_read(shared, editing, job, file),
            E::Recut { job, document: cut } => document.recut_done(shared, job, cut),
            E::TermsRead { job, index } => document.terms.was_read(shared, job, index),
            E::TranslationSaved {
                job,
                path,
                digest,
                language,
            } => {
                if document.saving.ended(job) {
                    let written = Written {
                        path,
                        digest,
                        language,
                    };
                    document.translation_saved(shared, models, written);
                }
            }
            E::TranslationChanged { job, path } => {
                if document.saving.ended(job) {
                    let detail = format!("{}\nChoose a name for this one.", path.display());
                    let title = "Another program has changed the translated file";
                    shared.notify(NoticeKind::Hint, title, detail);
                    ask_where(shared, editing, models);
                }
            }
            E::Drafted { job, done, num } => {
                document.prepared(shared, job, (Preparation::Drafting, done, num));
            }
            E::SentenceTranslated {
                job,
                index,
                translation,
            } => document.translated(shared, job, index, translation),
            E::OthersFound { job, translations } => {
                document.alternatives.others_found(job, translations);
            }
            E::TokensComputed { job, tokens } => document.alternatives.computed(job, tokens),
            E::Suggested { job, suggestion } => {
                document
                    .suggestions
                    .suggested(shared, editing, models, job, suggestion);
            }
            E::Ranked {
                job,
                mean_log_probs,
            } => document.suggestions.was_ranked(job, mean_log_probs),
            E::ServerModels {
                job,
                models: listed,
            } => {
                document.suggestions.server_tested(job, listed);
            }
            E::Checked { job, findings } => document.checking.checked(editing, job, findings),
            E::NotSpelled { reason, .. } => {
                shared.notify(NoticeKind::Hint, "Spelling is not checked", reason);
                let choose = Command::from(CheckCommand::ChooseDictionaries);
                shared.with_button("Choose a folder…", choose);
            }
        }
    }
}
