//! The languages that the open document is translated between, and whether a model translates between them.

use std::sync::Arc;

use crate::document::languages::UNKNOWN;
use crate::models::{LanguageNote, ModelState, Models};
use crate::shared::Shared;
use crate::{OpenDocument, language};
use canopy_corpus::is_same_language;
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::route;

/// Where neither the file nor its text nor a model says the source.
const USUAL_SOURCE: &str = "en";

/// The languages of the open document, with the models that may translate between them.
#[derive(Debug, Clone, Copy)]
pub struct LanguagePair<'a> {
    open: Option<&'a OpenDocument>,
    models: &'a Models,
}

impl<'a> LanguagePair<'a> {
    pub(crate) fn new(open: Option<&'a OpenDocument>, models: &'a Models) -> Self {
        Self { open, models }
    }

    /// Codes of the languages that are translated between: those of the open document, else those of the model.
    pub fn codes(self) -> Option<(String, String)> {
        let model = self.models.in_use.languages();
        let Some(open) = self.open else {
            return model;
        };
        let Some(target) = open.target_language.clone() else {
            return model;
        };
        let (model_source, model_target) = model.unzip();
        let fits = model_target.is_some_and(|code| is_one(&code, &target));
        let by_model = model_source.filter(|code| code != UNKNOWN);
        let detected = open.language.as_ref();
        let sure = detected.filter(|found| found.is_reliable);
        let source = open.source_language.clone();
        let source = source.or_else(|| by_model.clone().filter(|_| fits));
        let source = source.or_else(|| sure.or(detected).map(|found| found.code.clone()));
        let source = source.filter(|code| open.source_language.is_some() || *code != target);
        let source = source.or(by_model.filter(|code| *code != target));
        Some((source.unwrap_or_else(|| USUAL_SOURCE.to_owned()), target))
    }

    /// Whether the open model translates between the languages of the document.
    pub fn model_fits(self) -> bool {
        let model = self.models.in_use.languages();
        model
            .zip(self.codes())
            .is_some_and(|((from, to), (source, target))| {
                is_one(&from, &source) && is_one(&to, &target)
            })
    }

    /// The languages of the document, if no model that is open or being opened translates between them.
    pub fn without_model(self) -> Option<(String, String)> {
        let is_opening = matches!(self.models.in_use.current, ModelState::Opening { .. });
        let has_pair = self.open?.target_language.is_some();
        let is_decided = self.models.library.is_listed() && !self.models.is_undecided;
        (has_pair && is_decided && !is_opening && !self.model_fits())
            .then(|| self.codes())
            .flatten()
    }

    /// The note about the language of the open document.
    pub fn note(self, shared: &Shared) -> Option<LanguageNote> {
        if let Some((source, target)) = self.without_model() {
            return Some(LanguageNote::NoPair { source, target });
        }
        let document = self.open?;
        let unlike = document.progress.unlike();
        let unlike = unlike.map(|percent| LanguageNote::Unlike { percent });
        let Some(found) = document.language.as_ref() else {
            return unlike;
        };
        let is_declared = document.declared_languages()[0].is_some();
        let is_sure = found.is_reliable && self.models.library.is_listed() && !is_declared;
        let Some((source, _)) = self.codes() else {
            return is_sure
                .then(|| self.no_model(shared, &found.code))
                .flatten();
        };
        if is_same_language(&source, &found.code) {
            return unlike
                .or_else(|| self.unreached(shared, &source).filter(|_| is_sure))
                .or((!is_declared).then_some(LanguageNote::Detected));
        }
        if !is_sure {
            return None;
        }
        let (code, name) = (found.code.clone(), language::name(&found.code));
        self.no_model(shared, &code)
            .or(Some(LanguageNote::Other { code, name }))
    }

    /// Says that no installed model translates from a language.
    fn no_model(self, shared: &Shared, source: &str) -> Option<LanguageNote> {
        let mut all = self.models.library.all.iter();
        let is_known = all.any(|model| model.translates_from(source));
        (!is_known).then(|| LanguageNote::NoModel {
            code: source.to_owned(),
            name: language::name(source),
            target: self.wanted_target(shared, source),
        })
    }

    /// Says that no installed models lead to the language that was translated to last, where nothing is translated yet; a
    /// person who has chosen the model knows.
    fn unreached(self, shared: &Shared, source: &str) -> Option<LanguageNote> {
        let has_work = self
            .open
            .is_some_and(|open| open.progress.counts().has_work());
        if has_work || self.models.is_by_hand || self.models.is_named {
            return None;
        }
        let target = shared.settings.target_language.as_deref()?;
        let defaults = &shared.settings.default_models;
        let is_missing = !is_same_language(target, source)
            && route(&self.models.library.all, defaults, source, Some(target)).is_none();
        is_missing.then(|| LanguageNote::NoModel {
            code: source.to_owned(),
            name: language::name(source),
            target: Some((target.to_owned(), language::name(target))),
        })
    }

    /// The language that a document of this one is to be translated to, and its name.
    fn wanted_target(self, shared: &Shared, source: &str) -> Option<(String, String)> {
        let current = self.codes().map(|(_, target)| target);
        let wanted = shared.settings.target_language.clone();
        let mut wanted = wanted.into_iter().chain(current);
        let target = wanted.find(|target| !is_same_language(target, source))?;
        let name = language::name(&target);
        Some((target, name))
    }

    /// The translation memory, whichever way the model uses it.
    pub fn memory(self) -> Option<&'a Arc<TranslationMemory>> {
        match &self.models.in_use.current {
            ModelState::Open { memory, .. } if self.without_model().is_none() => memory.as_ref(),
            _ => self.models.memory_without_model(),
        }
    }
}

/// Whether a model's language is that of a document, as far as it is known.
fn is_one(model: &str, document: &str) -> bool {
    model == UNKNOWN || is_same_language(model, document)
}
