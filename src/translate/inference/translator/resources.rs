//! A user's resources that translations keep to: a translation memory, terms, forms of address.

use std::sync::{Arc, OnceLock};

use super::terms::{TermMode, TermUse};
use crate::inference::pipeline::{FormalityConstraints, KnownTranslations};
use canopy_corpus::is_same_language;
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_metrics::formality::Formality;
use canopy_models::weights::Languages;
use canopy_nn::search::TermConstraints;
use canopy_qa::terms::Termbase;
use canopy_tokenize::Tokenizer;

/// The memory, the terms and the forms of address that translations keep to.
#[derive(Debug, Clone)]
pub struct LanguageResources {
    tokenizer: Arc<dyn Tokenizer>,
    memory: Option<Arc<TranslationMemory>>,
    terms: Option<Arc<TermUse>>,
    /// Whether translations are from English into German, whose forms of address alone are known.
    is_into_german: bool,
    german_forms: OnceLock<FormalityConstraints>,
    /// The forms of address that are kept where documents are evaluated.
    kept_forms: Option<Arc<FormalityConstraints>>,
}

impl LanguageResources {
    /// No resources yet, for a model that writes with this tokenizer.
    pub(in crate::inference) fn new(tokenizer: &Arc<dyn Tokenizer>, languages: &Languages) -> Self {
        let is_into_german =
            is_same_language(&languages.source, "en") && is_same_language(&languages.target, "de");
        Self {
            tokenizer: Arc::clone(tokenizer),
            memory: None,
            terms: None,
            is_into_german,
            german_forms: OnceLock::new(),
            kept_forms: None,
        }
    }

    /// As if the user had given none.
    pub(super) fn emptied(&self) -> Self {
        Self {
            memory: None,
            terms: None,
            kept_forms: None,
            ..self.clone()
        }
    }

    /// These resources with the terms of `others`.
    pub(super) fn with_terms_of(&self, others: &Self) -> Self {
        Self {
            terms: others.terms.clone(),
            ..self.clone()
        }
    }

    /// The user's pairs, which are taken over where they match exactly.
    pub(in crate::inference) fn memory(&self) -> Option<&Arc<TranslationMemory>> {
        self.memory.as_ref()
    }

    pub(super) fn set_memory(&mut self, memory: TranslationMemory) {
        self.memory = Some(Arc::new(memory));
    }

    /// The terms that translations use.
    pub fn terms(&self) -> Option<&Arc<TermUse>> {
        self.terms.as_ref()
    }

    /// Makes translations use terms from now on. Where they go through a third language, the second model does.
    pub fn use_terms(&mut self, terms: TermUse) {
        self.terms = Some(Arc::new(terms));
    }

    /// Sets the terms, with the forms that a memory shows, or none; nothing changes where they are in use.
    pub fn set_terms(&mut self, base: Option<&Arc<Termbase>>, memory: Option<&TranslationMemory>) {
        let in_use = self.terms.as_ref().map(|terms| terms.base());
        match (in_use, base) {
            (Some(own), Some(base)) if Arc::ptr_eq(own, base) => {}
            (_, None) => self.terms = None,
            (_, Some(base)) => {
                let terms = TermUse::new(Arc::clone(base), TermMode::default());
                self.use_terms(match memory {
                    Some(memory) => terms.with_forms_of(memory.pairs().map(|(_, it)| it)),
                    None => terms,
                });
            }
        }
    }

    /// Keeps the form of address where documents are evaluated, too.
    pub fn keep_formality(&mut self, mode: TermMode) {
        self.kept_forms = Some(Arc::new(FormalityConstraints::new(&*self.tokenizer, mode)));
    }

    /// The forms of address that are kept where documents are evaluated, if they are.
    pub fn kept_forms(&self) -> Option<&FormalityConstraints> {
        self.kept_forms.as_deref()
    }

    /// The forms for translations from English into German.
    pub(in crate::inference) fn german_forms(&self) -> Option<&FormalityConstraints> {
        let new = || FormalityConstraints::new(&*self.tokenizer, TermMode::Soft);
        self.is_into_german
            .then(|| self.german_forms.get_or_init(new))
    }

    /// The constraints that request, in a part of a sentence, the form of address last used by a person before it with the
    /// same note, such as who speaks, in this document or in earlier ones; or else for that last used in this document, for
    /// the one that was chosen, or for that last used in earlier ones.
    pub(in crate::inference) fn form_constraints(
        &self,
        document: &Document,
        sentence: usize,
        part: &str,
        known: &KnownTranslations,
        chosen: Option<Formality>,
    ) -> Option<Arc<TermConstraints>> {
        let earlier = self.memory.as_ref().map(|memory| memory.forms());
        let earlier = earlier.filter(|earlier| earlier.last().is_some());
        let has_form = !known.fixed.is_empty() || chosen.is_some() || earlier.is_some();
        if !has_form || !Formality::is_chosen_for(part) {
            return None;
        }
        let forms = self.german_forms()?;
        let note = |sentence: usize| {
            let paragraph = document.sentences[sentence].paragraph;
            document.paragraphs[paragraph].note.as_deref()
        };
        let own = note(sentence);
        let last = |alike: &dyn Fn(usize) -> bool| {
            let before = known.fixed.range(..sentence).rev();
            let mut before = before.filter(|(other, _)| alike(**other));
            before.find_map(|(&other, target)| {
                Formality::kept_by(&document.sentences[other].text, target)
            })
        };
        let form = last(&|other| own.is_some() && note(other) == own);
        let form = form.or_else(|| earlier?.last_with_note(own));
        let form = form.or_else(|| last(&|_| true)).or(chosen);
        forms.constraints(form.or_else(|| earlier?.last())?, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_qa::terms::Term;
    use canopy_tokenize::vocabulary::Vocabulary;

    fn resources(target: &str) -> LanguageResources {
        let texts = ["Open the file.", "Close the page."].map(str::to_owned);
        let vocabulary = Vocabulary::train(texts.into_iter(), 300).expect("large enough");
        let languages = Languages {
            source: "en".to_owned(),
            target: target.to_owned(),
        };
        let tokenizer: Arc<dyn Tokenizer> = Arc::new(vocabulary);
        LanguageResources::new(&tokenizer, &languages)
    }

    fn base() -> Arc<Termbase> {
        let mut base = Termbase::empty("en", "de");
        base.terms = vec![Term::new("file", "Datei")];
        Arc::new(base)
    }

    #[test]
    fn terms_in_use_are_not_read_again() {
        let mut resources = resources("de");
        let base = base();
        resources.set_terms(Some(&base), None);
        let first = Arc::clone(resources.terms().expect("terms"));
        resources.set_terms(Some(&base), None);
        assert!(Arc::ptr_eq(&first, resources.terms().expect("the same")));
        resources.set_terms(Some(&self::base()), None);
        assert!(!Arc::ptr_eq(&first, resources.terms().expect("others")));
        resources.set_terms(None, None);
        assert!(resources.terms().is_none());
    }

    #[test]
    fn a_leg_alone_keeps_to_nothing_but_knows_the_forms_of_its_language() {
        let mut resources = resources("de");
        resources.set_memory(TranslationMemory::default());
        resources.keep_formality(TermMode::Hard);
        resources.set_terms(Some(&base()), None);
        let leg = resources.emptied();
        assert!(leg.memory().is_none() && leg.terms().is_none() && leg.kept_forms().is_none());
        assert!(leg.german_forms().is_some());
        assert!(leg.with_terms_of(&resources).terms().is_some());
        assert!(self::resources("fr").german_forms().is_none());
    }
}
