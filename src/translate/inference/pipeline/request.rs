//! The request of a translation, and the events that it reports.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use super::FormalityOption;
use crate::inference::translation::Translation;
use canopy_document::document::Document;
use canopy_nn::model::BertSequence;
use canopy_nn::search::{EncodingCache, SearchOptions};

/// Sentences that are to be translated, and how.
#[derive(Debug)]
pub struct TranslationRequest<'a> {
    /// None of them is read for another.
    pub documents: Vec<DocumentRequest<'a>>,
    /// The beam, and how many other translations of each sentence are reported.
    pub search: SearchOptions,
    /// The form of address of German translations from English; none leaves it to the model.
    pub formality: Option<FormalityOption>,
}

/// A document of which some sentences are to be translated.
#[derive(Debug)]
pub struct DocumentRequest<'a> {
    /// The document.
    pub document: &'a Document,
    /// The most urgent first.
    pub sentences: &'a [usize],
    /// Translations that a model may read. Drafts of those it misses are made first, and kept there.
    pub known: &'a mut KnownTranslations,
}

impl<'a> TranslationRequest<'a> {
    /// Sentences of one document; the form of address is left to the model.
    pub fn new(
        document: &'a Document,
        sentences: &'a [usize],
        known: &'a mut KnownTranslations,
        search: &SearchOptions,
    ) -> Self {
        Self {
            documents: vec![DocumentRequest {
                document,
                sentences,
                known,
            }],
            search: *search,
            formality: None,
        }
    }

    /// Sets the form of address of German translations from English.
    #[must_use]
    pub fn with_formality(self, formality: Option<FormalityOption>) -> Self {
        Self { formality, ..self }
    }
}

/// Translations that others read while a document is translated: edited or confirmed ones, and drafts.
///
/// Drafts, and what is read of the whole document, stay from one request to the next, for the same document and model.
#[derive(Debug, Clone, Default)]
pub struct KnownTranslations {
    /// By their sentences, with placeholders.
    pub(in crate::inference) fixed: BTreeMap<usize, String>,
    /// The tokens of each part of a sentence.
    pub(in crate::inference) drafts: HashMap<(usize, usize), Vec<u32>>,
    /// Translations by a language model, which reads them with the sentences behind.
    pub(in crate::inference) read: BTreeMap<usize, String>,
    /// BERT's sequence of each sentence.
    pub(super) contexts: Option<Vec<BertSequence>>,
    pub(super) encodings: EncodingCache,
}

impl KnownTranslations {
    /// Edited and confirmed translations, by the index of the sentence.
    pub fn fixed_targets(&self) -> &BTreeMap<usize, String> {
        &self.fixed
    }

    /// Edited or confirmed targets, by the index of the sentence.
    pub fn fixed(fixed: BTreeMap<usize, String>) -> Self {
        Self {
            fixed,
            ..Self::default()
        }
    }

    /// Translations of a document's sentences: those that the search has found as it found them, the others as fixed.
    pub(in crate::inference) fn from_translations(translations: &[Option<Translation>]) -> Self {
        let mut known = Self::default();
        for (sentence, translation) in translations.iter().enumerate() {
            let Some(Translation { text, parts, .. }) = translation else {
                continue;
            };
            if parts.is_empty() {
                known.fixed.insert(sentence, text.clone());
            }
            let parts = parts.iter().cloned().enumerate();
            known
                .drafts
                .extend(parts.map(|(part, ids)| ((sentence, part), ids)));
        }
        known
    }
}

/// Progress of a translation.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslationEvent {
    /// Number of the document in the request.
    pub document: usize,
    /// A step of its translation.
    pub step: Step,
}

/// Progress of the translation of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Drafts that others read, which come first.
    Drafted {
        /// Number of drafts that are made.
        done: usize,
        /// Number of all drafts.
        num: usize,
    },
    /// Nothing new from the machine that translates; the caller may end it.
    Waiting,
    /// Other translations of a sentence, which comes next, if they were requested; the more probable ones first.
    Alternatives {
        /// Index of the sentence in its document.
        index: usize,
        /// Each of them whole, with its markup.
        translations: Vec<Translation>,
    },
    /// The translation of a sentence.
    Translated {
        /// Index of the sentence in its document.
        index: usize,
        /// Whole, with its markup.
        translation: Translation,
    },
}

/// Receives the events of a translation; `Break` cancels the rest, drafts too, after the batch under way.
pub type OnEvent<'a> = dyn FnMut(TranslationEvent) -> ControlFlow<()> + 'a;

/// Receives those of one document.
pub(super) type OnStep<'a> = dyn FnMut(Step) -> ControlFlow<()> + 'a;
