//! How the open document comes by its pair of languages.
//!
//! A document has its pair: its file declares it, an earlier session has kept it, or the first model that was there for it has
//! given it. A model that a person chooses for other languages takes the document along, but for a file that declares its
//! target.

use crate::document::DocumentPage;
use crate::document::language_pair::LanguagePair;
use crate::models::Models;
use crate::shared::Shared;
use canopy_translate::inference::pair_key;

/// A language that is not known, in BCP 47.
pub(crate) const UNKNOWN: &str = "und";

impl DocumentPage {
    /// The languages of the open document, with the models that may translate between them.
    pub fn pair<'a>(&'a self, models: &'a Models) -> LanguagePair<'a> {
        self.editing.pair(models)
    }

    /// Codes of the languages that are translated between, as [`LanguagePair::codes`].
    pub fn languages(&self, models: &Models) -> Option<(String, String)> {
        self.pair(models).codes()
    }

    /// Gives a document without a target that of an installed model.
    pub(crate) fn adopt_target(&mut self, shared: &mut Shared, models: &Models) {
        let target = models.in_use.languages().map(|(_, target)| target);
        let target = target.filter(|code| code != UNKNOWN);
        let open = self.editing.open.as_ref();
        let is_open = open.is_some_and(|open| open.target_language.is_none());
        if let Some(target) = target.filter(|_| is_open) {
            self.switch_target(shared, models, &target);
        }
    }

    /// Shows the work on the document in another target language.
    pub(crate) fn switch_target(&mut self, shared: &mut Shared, models: &Models, target: &str) {
        if self.editing.open.is_none() {
            return;
        }
        self.editing.commit_edit(shared);
        let Some(open) = self.editing.open.as_mut() else {
            return;
        };
        let is_known = open.target_language.is_some();
        if !open.switch_target(target) {
            return;
        }
        if is_known {
            // What a model writes now is in the language before.
            self.translations.cancel();
            self.translations.running = None;
            self.trace.forget();
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
        if let Some(open) = self.editing.open.as_mut()
            && open.terms.is_empty()
        {
            open.terms = known.unwrap_or_default();
        }
        self.read_terms(shared, models);
    }

    /// Finds the language of work that an older version has kept: that of the model that wrote it, else none.
    pub(crate) fn know_kept_work(&mut self, shared: &mut Shared, models: &Models) {
        let Some(open) = self.editing.open.as_ref() else {
            return;
        };
        if open.target_language.is_some() || !open.progress.counts().has_work() {
            return;
        }
        let names = (0..open.num_sentences()).filter_map(|it| open.target(it).model.as_deref());
        let mut found = names.filter_map(|name| models.library.only_target(name));
        if let Some(target) = found.next().map(str::to_owned) {
            self.switch_target(shared, models, &target);
        }
    }
}
