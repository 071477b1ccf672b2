//! The work on the open document in a target language that is not shown now.

use std::path::PathBuf;
use std::sync::Arc;

use super::history::History;
use super::target::{Target, saved_targets, text_of, texts_of};
use crate::{LanguageWork, SavedTarget, Version};
use canopy_corpus::is_same_language;
use canopy_document::document::Document;

/// Work in a target language that is not shown now.
#[derive(Debug)]
pub(super) enum OtherLanguage {
    /// As an earlier session kept it.
    Kept(LanguageWork),
    /// As it was left in this session, with what can be undone.
    Left(Box<Left>),
}

/// Work that was left for another language.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) language: String,
    pub(super) document: Arc<Document>,
    pub(super) targets: Vec<Target>,
    pub(super) histories: Vec<Vec<Version>>,
    pub(super) unmatched: Vec<SavedTarget>,
    pub(super) history: History,
    pub(super) terms: Vec<PathBuf>,
    pub(super) model: Option<PathBuf>,
}

impl OtherLanguage {
    pub(super) fn language(&self) -> &str {
        match self {
            Self::Kept(work) => &work.language,
            Self::Left(left) => &left.language,
        }
    }

    /// As the project file has it.
    pub(super) fn work(&self) -> LanguageWork {
        match self {
            Self::Kept(work) => work.clone(),
            Self::Left(left) => LanguageWork {
                language: left.language.clone(),
                targets: saved_targets(&left.document, &left.histories, &left.unmatched, |index| {
                    &left.targets[index]
                }),
                terms: texts_of(&left.terms),
                model: text_of(left.model.as_ref()),
            },
        }
    }
}

/// A file that declares a target, as it is translated into this language.
pub(super) fn retargeted(file: &Arc<Document>, language: Option<&str>) -> Arc<Document> {
    let [_, declared] = file.declared_languages();
    let is_other = |language: &&str| declared.is_some_and(|it| !is_same_language(it, language));
    match language.filter(is_other) {
        None => Arc::clone(file),
        Some(language) => {
            let mut document = Document::clone(file);
            document.retarget(language);
            Arc::new(document)
        }
    }
}
