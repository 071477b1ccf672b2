//! The work on the open document in target languages that are not shown now.

use std::path::PathBuf;
use std::sync::Arc;

use super::history::History;
use super::target::{Target, saved_targets, text_of, texts_of};
use crate::{LanguageWork, Project, SavedTarget, Version};
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

/// The work in all target languages that are not shown now.
#[derive(Debug, Default)]
pub struct OtherLanguages(Vec<OtherLanguage>);

impl OtherLanguages {
    /// As an earlier session kept them.
    pub(super) fn from_project(project: &Project) -> Self {
        let others = project.other_languages.iter().cloned();
        Self(others.map(OtherLanguage::Kept).collect())
    }

    /// The languages in which there is work.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(OtherLanguage::language)
    }

    /// As the project file has it.
    pub(super) fn work(&self) -> Vec<LanguageWork> {
        let others = self.0.iter().map(OtherLanguage::work);
        others.filter(|other| !other.targets.is_empty()).collect()
    }

    /// Takes the work in a language out.
    pub(super) fn take(&mut self, language: &str) -> Option<OtherLanguage> {
        let found = self
            .names()
            .position(|name| is_same_language(name, language));
        found.map(|place| self.0.remove(place))
    }

    /// Keeps what is left for another language, unless there is nothing in it.
    pub(super) fn keep(&mut self, left: Left) {
        let is_empty = left.targets.iter().all(|it| *it == Target::default())
            && left.unmatched.is_empty()
            && !left.history.can_undo()
            && !left.history.can_redo();
        if !is_empty {
            self.0.push(OtherLanguage::Left(Box::new(left)));
        }
    }

    /// Adds the work in languages in which there is none here.
    pub(super) fn add_missing(&mut self, works: &[LanguageWork]) {
        for work in works {
            if !self.names().any(|language| work.is_in(language)) {
                self.0.push(OtherLanguage::Kept(work.clone()));
            }
        }
    }

    /// Takes what another window has kept, but for the language that is shown.
    pub(super) fn merge(&mut self, merged: &[LanguageWork], shown: Option<&str>) {
        for work in merged {
            if shown.is_some_and(|shown| work.is_in(shown)) {
                continue;
            }
            let own = self.names().position(|language| work.is_in(language));
            match own {
                Some(place) if self.0[place].work() == *work => {}
                Some(place) => self.0[place] = OtherLanguage::Kept(work.clone()),
                None => self.0.push(OtherLanguage::Kept(work.clone())),
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn work(language: &str, model: &str) -> LanguageWork {
        LanguageWork {
            language: language.to_owned(),
            model: Some(model.to_owned()),
            ..LanguageWork::default()
        }
    }

    #[test]
    fn merged_work_replaces_that_of_its_language_but_not_what_is_shown() {
        let mut others = OtherLanguages::default();
        others.add_missing(&[work("de", "a"), work("fr", "a")]);
        others.add_missing(&[work("de", "b")]);
        others.merge(
            &[work("de", "c"), work("es", "c"), work("it", "c")],
            Some("es"),
        );
        assert_eq!(others.names().collect::<Vec<_>>(), ["de", "fr", "it"]);
        let taken = others.take("de").expect("it is there");
        assert_eq!(taken.work(), work("de", "c"));
        assert!(others.take("de").is_none());
        assert!(others.work().is_empty(), "no targets are in them");
    }
}
