//! The pair of languages of the open document, and whether the open model translates between them.
//!
//! A document has its pair: its file declares it, an earlier session has kept it, or the first model that was there for it has
//! given it. A model that a person chooses for other languages takes the document along, but for a file that declares its
//! target.

use super::memories::take_memory_of;
use super::own_memory::{OwnMemory, pair_name};
use super::{LanguageNote, Models};
use crate::document::DocumentPage;
use crate::error::Result;
use crate::jobs::{JobId, ModelRequest};
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::project::Projects;
use crate::shared::Shared;
use crate::{OpenDocument, language};
use canopy_corpus::is_same_language;
use canopy_corpus::memory::TranslationMemory;
use canopy_translate::inference::{InstalledModel, pair_key, route};
use std::sync::Arc;

/// A language that is not known, in BCP 47.
const UNKNOWN: &str = "und";

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
        let is_decided = models.is_listed && !models.is_undecided;
        (has_pair && is_decided && !is_opening && !self.model_fits(models))
            .then(|| self.languages(models))
            .flatten()
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
    pub(super) fn switch_target(&mut self, shared: &mut Shared, models: &Models, target: &str) {
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
    fn terms_of_pair(&mut self, shared: &mut Shared, models: &Models) {
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
    pub(super) fn know_kept_work(&mut self, shared: &mut Shared, models: &Models) {
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
        let is_sure = found.is_reliable && models.is_listed && !is_declared;
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
    fn no_model(&self, shared: &Shared, models: &Models, source: &str) -> Option<LanguageNote> {
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
    fn unreached(&self, shared: &Shared, models: &Models, source: &str) -> Option<LanguageNote> {
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
    fn wanted_target(
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

impl Models {
    /// Languages of the open model.
    pub(crate) fn model_languages(&self) -> Option<(String, String)> {
        match &self.current {
            ModelState::Open { info, .. } => {
                Some((info.source_language.clone(), info.target_language.clone()))
            }
            ModelState::None | ModelState::Opening { .. } => None,
        }
    }

    /// The only target of the installed model of this name.
    fn only_target(&self, name: &str) -> Option<&str> {
        let mut models = self.all.iter();
        let model: &InstalledModel = models.find(|model| model.name == name)?;
        match model.targets.as_slice() {
            [target] => Some(target),
            _ => None,
        }
    }

    /// The memory of a pair without a model.
    pub(crate) fn memory_without_model(&self) -> Option<&Arc<TranslationMemory>> {
        self.own_memory.read.as_ref()
    }
}

impl Models {
    /// Has the document follow a model that a person has chosen for other languages.
    pub(super) fn follow_chosen_model(&mut self, shared: &mut Shared, document: &mut DocumentPage) {
        let is_chosen = self.is_by_hand && !self.is_undecided;
        let Some((source, target)) = self.model_languages().filter(|_| is_chosen) else {
            return;
        };
        let open = document.open.as_mut();
        let Some(open) = open.filter(|open| open.target_language.is_some()) else {
            return;
        };
        let [declared_source, declared_target] = open.declared_languages().map(|it| it.is_some());
        let is_other = open
            .source_language
            .as_ref()
            .is_some_and(|it| *it != source);
        if !declared_source && source != UNKNOWN && is_other {
            open.source_language = None;
        }
        if !declared_target && target != UNKNOWN {
            document.switch_target(shared, self, &target);
        }
    }

    /// Reads the memory for the pair of a document that no model translates; a model brings its own.
    pub(crate) fn read_memory_without_model(
        &mut self,
        shared: &mut Shared,
        document: &DocumentPage,
        projects: &Projects,
    ) {
        let pair = document.without_model(self);
        let Some((source, target)) = pair else {
            self.own_memory = OwnMemory::default();
            return;
        };
        let key = pair_key(&source, &target);
        take_memory_of(shared, projects, &key);
        let place = self
            .user_memory(shared, document, projects)
            .map(|memory| (memory, key));
        if self.own_memory.place == place {
            return;
        }
        self.own_memory = OwnMemory {
            place: place.clone(),
            ..OwnMemory::default()
        };
        self.memory_pairs = None;
        if let Some((memory, _)) = place {
            let job = shared.next_job();
            self.own_memory.job = Some(job);
            self.requests.push(ModelRequest::ReadMemory {
                job,
                memory,
                languages: [source, target],
            });
        }
    }

    pub(crate) fn memory_read(
        &mut self,
        shared: &mut Shared,
        document: &DocumentPage,
        projects: &Projects,
        job: JobId,
        memory: Result<Arc<TranslationMemory>>,
    ) {
        let own = &mut self.own_memory;
        if own.job.take_if(|it| *it == job).is_none() {
            return;
        }
        let pairs = memory.map(|memory| {
            let pairs = memory.len();
            own.read = Some(memory);
            pairs
        });
        self.memory_opened(shared, document, projects, pairs);
    }
}

/// Whether a model's language is that of a document, as far as it is known.
fn is_one(model: &str, document: &str) -> bool {
    model == UNKNOWN || is_same_language(model, document)
}
