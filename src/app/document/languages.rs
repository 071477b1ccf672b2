//! The pair of languages of the open document, and whether the open model translates between them.
//!
//! A document has its pair: its file declares it, an earlier session has kept it, or the first model that was there for it has
//! given it. A model that a person chooses for other languages takes the document along, but for a file that declares its
//! target.

use crate::document::DocumentPage;
use crate::models::{LanguageNote, ModelState, Models};
use crate::shared::Shared;
use crate::{OpenDocument, language};
use canopy_corpus::is_same_language;
use canopy_translate::inference::{pair_key, route};

/// A language that is not known, in BCP 47.
pub(crate) const UNKNOWN: &str = "und";

/// Where neither the file nor its text nor a model says the source.
const USUAL_SOURCE: &str = "en";

impl DocumentPage {
    /// Codes of the languages that are translated between: those of the open document, else those of the model.
    pub fn languages(&self, models: &Models) -> Option<(String, String)> {
        let model = models.model_languages();
        let Some(open) = &self.open else {
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
    pub fn model_fits(&self, models: &Models) -> bool {
        let model = models.model_languages();
        model
            .zip(self.languages(models))
            .is_some_and(|((from, to), (source, target))| {
                is_one(&from, &source) && is_one(&to, &target)
            })
    }

    /// The languages of the document, if no model that is open or being opened translates between them.
    pub fn without_model(&self, models: &Models) -> Option<(String, String)> {
        let is_opening = matches!(models.current, ModelState::Opening { .. });
        let has_pair = self.open.as_ref()?.target_language.is_some();
        let is_decided = models.is_listed() && !models.is_undecided;
        (has_pair && is_decided && !is_opening && !self.model_fits(models))
            .then(|| self.languages(models))
            .flatten()
    }

    /// Gives a document without a target the one of the model that is there for it.
    pub(crate) fn adopt_target(&mut self, shared: &mut Shared, models: &Models) {
        let target = models.model_languages().map(|(_, target)| target);
        let target = target.filter(|code| code != UNKNOWN);
        let open = self.open.as_ref();
        let is_open = open.is_some_and(|open| open.target_language.is_none());
        if let Some(target) = target.filter(|_| is_open) {
            self.switch_target(shared, models, &target);
        }
    }

    /// Shows the work on the document in another target language.
    pub(crate) fn switch_target(&mut self, shared: &mut Shared, models: &Models, target: &str) {
        if self.open.is_none() {
            return;
        }
        self.keep_edit_for_good(shared);
        let Some(open) = self.open.as_mut() else {
            return;
        };
        let is_known = open.target_language.is_some();
        if !open.switch_target(target) {
            return;
        }
        if is_known {
            // What a model writes now is in the language before.
            self.cancel();
            self.running = None;
            self.forget_trace();
            self.sentences_changed(shared);
            self.terms_of_pair(shared, models);
        }
    }

    /// Gives a document that has no termbase in this language those that were used for the pair.
    pub(crate) fn terms_of_pair(&mut self, shared: &mut Shared, models: &Models) {
        let key = self
            .languages(models)
            .map(|(from, to)| pair_key(&from, &to));
        let known = key.and_then(|key| shared.settings.termbases.get(&key).cloned());
        if let Some(open) = self.open.as_mut()
            && open.terms.is_empty()
        {
            open.terms = known.unwrap_or_default();
        }
        self.read_terms(shared, models);
    }

    /// Finds the language of work that an older version has kept: that of the model that wrote it, else none.
    pub(crate) fn know_kept_work(&mut self, shared: &mut Shared, models: &Models) {
        let Some(open) = self.open.as_ref() else {
            return;
        };
        if open.target_language.is_some() || !open.has_work() {
            return;
        }
        let names = (0..open.num_sentences()).filter_map(|it| open.target(it).model.as_deref());
        let mut found = names.filter_map(|name| models.only_target(name));
        if let Some(target) = found.next().map(str::to_owned) {
            self.switch_target(shared, models, &target);
        }
    }

    /// The note about the language of the open document.
    pub fn language_note(&self, shared: &Shared, models: &Models) -> Option<LanguageNote> {
        if let Some((source, target)) = self.without_model(models) {
            return Some(LanguageNote::NoPair { source, target });
        }
        let document = self.open.as_ref()?;
        let unlike = document.unlike();
        let unlike = unlike.map(|percent| LanguageNote::Unlike { percent });
        let Some(found) = document.language.as_ref() else {
            return unlike;
        };
        let is_declared = document.declared_languages()[0].is_some();
        let is_sure = found.is_reliable && models.is_listed() && !is_declared;
        let Some((source, _)) = self.languages(models) else {
            return is_sure
                .then(|| self.no_model(shared, models, &found.code))
                .flatten();
        };
        if is_same_language(&source, &found.code) {
            return unlike
                .or_else(|| self.unreached(shared, models, &source).filter(|_| is_sure))
                .or((!is_declared).then_some(LanguageNote::Detected));
        }
        if !is_sure {
            return None;
        }
        let (code, name) = (found.code.clone(), language::name(&found.code));
        self.no_model(shared, models, &code)
            .or(Some(LanguageNote::Other { code, name }))
    }

    /// Says that no installed model translates from a language.
    pub(crate) fn no_model(
        &self,
        shared: &Shared,
        models: &Models,
        source: &str,
    ) -> Option<LanguageNote> {
        let mut all = models.all.iter();
        let is_known = all.any(|model| model.translates_from(source));
        (!is_known).then(|| LanguageNote::NoModel {
            code: source.to_owned(),
            name: language::name(source),
            target: self.wanted_target(shared, models, source),
        })
    }

    /// Says that no installed models lead to the language that was translated to last, where nothing is translated yet; a
    /// person who has chosen the model knows.
    pub(crate) fn unreached(
        &self,
        shared: &Shared,
        models: &Models,
        source: &str,
    ) -> Option<LanguageNote> {
        let has_work = self.open.as_ref().is_some_and(OpenDocument::has_work);
        if has_work || models.is_by_hand || models.is_named {
            return None;
        }
        let target = shared.settings.target_language.as_deref()?;
        let defaults = &shared.settings.default_models;
        let is_missing = !is_same_language(target, source)
            && route(&models.all, defaults, source, Some(target)).is_none();
        is_missing.then(|| LanguageNote::NoModel {
            code: source.to_owned(),
            name: language::name(source),
            target: Some((target.to_owned(), language::name(target))),
        })
    }

    /// The language that a document of this one is to be translated to, and its name.
    pub(crate) fn wanted_target(
        &self,
        shared: &Shared,
        models: &Models,
        source: &str,
    ) -> Option<(String, String)> {
        let current = self.languages(models).map(|(_, target)| target);
        let wanted = shared.settings.target_language.clone();
        let mut wanted = wanted.into_iter().chain(current);
        let target = wanted.find(|target| !is_same_language(target, source))?;
        let name = language::name(&target);
        Some((target, name))
    }
}

/// Whether a model's language is that of a document, as far as it is known.
fn is_one(model: &str, document: &str) -> bool {
    model == UNKNOWN || is_same_language(model, document)
}
