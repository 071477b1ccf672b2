//! Work on one document in several target languages: the project file holds that in one of them as its targets, the others
//! after it, each under its language.

use serde::{Deserialize, Serialize};

use super::project::{Project, SavedTarget};
use canopy_corpus::is_same_language;

/// The work on a document in a target language that is not in front.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LanguageWork {
    /// The code of the language.
    pub language: String,
    /// The targets of the sentences that have one.
    pub targets: Vec<SavedTarget>,
    /// The paths of the termbases for it.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "crate::one_or_several"
    )]
    pub terms: Vec<String>,
    /// The path of the model that translated last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl LanguageWork {
    /// Returns whether this is the work in a language; `pt` and `pt-BR` may be the same.
    pub fn is_in(&self, language: &str) -> bool {
        is_same_language(&self.language, language)
    }
}

impl Project {
    /// Whether there is work in any language.
    pub fn has_work(&self) -> bool {
        !self.targets.is_empty() || !self.other_languages.is_empty()
    }

    /// Puts the work in this language in front. Work in an unknown language is assumed to be in it.
    #[must_use]
    pub fn in_language(mut self, language: &str) -> Self {
        let Some(current) = self.target_language.take() else {
            self.target_language = Some(language.to_owned());
            return self;
        };
        if is_same_language(&current, language) {
            self.target_language = Some(current);
            return self;
        }
        let left = LanguageWork {
            language: current,
            targets: std::mem::take(&mut self.targets),
            terms: std::mem::take(&mut self.terms),
            model: self.model.take(),
        };
        let mut others = self.other_languages.iter();
        let found = others.position(|other| other.is_in(language));
        let found = found.map(|place| self.other_languages.remove(place));
        let found = found.unwrap_or_else(|| LanguageWork {
            language: language.to_owned(),
            ..LanguageWork::default()
        });
        if !left.targets.is_empty() {
            self.other_languages.push(left);
        }
        self.targets = found.targets;
        self.terms = found.terms;
        self.model = found.model;
        self.target_language = Some(found.language);
        self
    }

    /// Puts the target language of another project of the document first.
    #[must_use]
    pub(super) fn in_language_of(self, other: &Self) -> Self {
        match &other.target_language {
            Some(language) => self.in_language(language),
            None => self,
        }
    }

    /// The work in another language than that in front.
    pub(super) fn other(&self, language: &str) -> Option<&LanguageWork> {
        let mut others = self.other_languages.iter();
        others.find(|other| other.is_in(language))
    }

    /// The languages of the work that is not in front, here or in another project of the document.
    pub(super) fn languages_with(&self, theirs: &Self) -> Vec<String> {
        let mut languages: Vec<String> = Vec::new();
        for other in self.other_languages.iter().chain(&theirs.other_languages) {
            if !languages.iter().any(|known| other.is_in(known)) {
                languages.push(other.language.clone());
            }
        }
        languages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State;

    fn target(text: &str) -> SavedTarget {
        SavedTarget::by_hand(0, "source".to_owned(), text, State::Edited)
    }

    fn text(project: &Project) -> (Option<&str>, Vec<&str>) {
        let texts = project.targets.iter().map(|it| it.text.as_str());
        (project.target_language.as_deref(), texts.collect())
    }

    #[test]
    fn each_language_keeps_its_work_and_comes_back_with_it() {
        let mut project = Project::new("a.html".into(), String::new(), vec![target("Olá")]);
        project = project.in_language("pt");
        assert_eq!(text(&project), (Some("pt"), vec!["Olá"]), "of old files");
        project.terms = vec!["terms-pt.csv".to_owned()];
        project = project.in_language("de");
        assert_eq!(text(&project), (Some("de"), vec![]));
        assert!(project.terms.is_empty());
        project.targets.push(target("Hallo"));
        project = project.in_language("pt-BR");
        assert_eq!(text(&project), (Some("pt"), vec!["Olá"]));
        assert_eq!(project.terms, ["terms-pt.csv"]);
        assert_eq!(project.other_languages[0].targets, [target("Hallo")]);
    }
}
