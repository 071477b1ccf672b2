//! The languages that the open document is translated between, and the work on it in each of its target languages.

use std::path::PathBuf;
use std::sync::Arc;

use super::{OpenDocument, Targets};
use crate::history::History;
use crate::other_language::{Left, OtherLanguage, retargeted};
use crate::target::{Restored, Target, restored};
use crate::{LanguageWork, Project, State, Version};
use canopy_corpus::is_same_language;
use canopy_document::document::Document;

impl OpenDocument {
    /// The languages that its file declares.
    pub fn declared_languages(&self) -> [Option<&str>; 2] {
        let declared = self.declared.as_ref().unwrap_or(&self.document);
        declared.declared_languages()
    }

    /// Whether its translations are in another language than those that its file has.
    pub fn is_retargeted(&self) -> bool {
        let [_, declared] = self.declared_languages();
        let target = self.target_language.as_deref();
        declared
            .zip(target)
            .is_some_and(|(declared, target)| !is_same_language(declared, target))
    }

    /// How many translations of the file would be among those of another language if it were written now.
    pub fn left_in_declared_language(&self) -> usize {
        let Some(file) = self.declared.as_ref().filter(|_| self.is_retargeted()) else {
            return 0;
        };
        let sentences = file.sentences.iter().zip(self.targets.iter());
        let is_left = |target: &Target| target.state == State::Untranslated;
        sentences
            .filter(|(sentence, target)| sentence.known.is_some() && is_left(target))
            .count()
    }

    /// Shows the work in another target language, which begins without any; the work here is kept for its own language. Whether
    /// that makes a difference.
    pub fn switch_target(&mut self, language: &str) -> bool {
        let Some(current) = self.target_language.take() else {
            // What is here is in it: the language was unknown.
            self.target_language = Some(language.to_owned());
            return true;
        };
        if is_same_language(&current, language) {
            self.target_language = Some(current);
            return false;
        }
        let of_file = self.document_for(language);
        self.leave(current);
        match self.others.take(language) {
            None => {
                self.target_language = Some(language.to_owned());
                self.restore(of_file, LanguageWork::default());
            }
            Some(OtherLanguage::Left(left)) if left.document.reading == of_file.reading => {
                self.target_language = Some(left.language);
                (self.terms, self.model) = (left.terms, left.model);
                self.rebuild(left.document, left.targets, left.histories);
                (self.unmatched, self.history) = (left.unmatched, left.history);
            }
            Some(other) => {
                self.target_language = Some(other.language().to_owned());
                self.restore(of_file, other.work());
            }
        }
        true
    }

    /// Takes the variant of its target language that a person names, such as `pt-BR` of `pt`; a target that the file
    /// declares stays.
    pub fn name_variant(&mut self, language: &str) {
        let current = self.target_language.as_deref();
        let is_own = current.is_some_and(|it| is_same_language(it, language));
        if is_own && self.declared.is_none() {
            self.target_language = Some(language.to_owned());
        }
    }

    /// The document as it is translated into a language: the translations that a file has are for its own alone.
    fn document_for(&self, language: &str) -> Arc<Document> {
        match &self.declared {
            Some(file) => retargeted(file, Some(language)),
            None => Arc::clone(&self.document),
        }
    }

    fn leave(&mut self, language: String) {
        let (targets, histories) = self.targets.take();
        self.others.keep(Left {
            language,
            document: Arc::clone(&self.document),
            targets,
            histories,
            unmatched: std::mem::take(&mut self.unmatched),
            history: std::mem::take(&mut self.history),
            terms: std::mem::take(&mut self.terms),
            model: self.model.take(),
        });
    }

    fn restore(&mut self, document: Arc<Document>, work: LanguageWork) {
        let project = Project::new(PathBuf::new(), String::new(), work.targets);
        let Restored {
            targets,
            histories,
            unmatched,
        } = restored(&project, &document);
        let terms = work.terms.into_iter().map(Into::into);
        (self.terms, self.model) = (terms.collect(), work.model.map(Into::into));
        self.rebuild(document, targets, histories);
        (self.unmatched, self.history) = (unmatched, History::default());
    }

    /// Takes another document and its targets; what is not of either stays.
    pub(super) fn rebuild(
        &mut self,
        document: Arc<Document>,
        targets: Vec<Target>,
        histories: Vec<Vec<Version>>,
    ) {
        let targets = Targets::after(&self.targets, targets, histories);
        let mut open = Self::with_targets(self.path.clone(), document, targets);
        open.source_language = self.source_language.take();
        open.target_language = self.target_language.take();
        open.declared = self.declared.take();
        open.others = std::mem::take(&mut self.others);
        open.checks = std::mem::take(&mut self.checks);
        open.terms = std::mem::take(&mut self.terms);
        open.model = self.model.take();
        open.unmatched = std::mem::take(&mut self.unmatched);
        open.history = std::mem::take(&mut self.history);
        open.moved_work = self.moved_work.take();
        open.find = std::mem::take(&mut self.find);
        let last = open.num_sentences().saturating_sub(1);
        open.first_visible = self.first_visible.min(last);
        open.selected = self
            .selected
            .filter(|_| open.num_sentences() > 0)
            .map(|it| it.min(last));
        *self = open;
    }
}
