//! The languages between which a document is translated: those of the options, else those that the file declares, else the
//! one that its text is written in.

use std::path::PathBuf;

use super::arguments::TranslateArguments;
use crate::error::{BaseError, Error, Result};
use crate::library;
use crate::options::wrong_usage;
use crate::terminal::warn;
use canopy_corpus::is_same_language;
use canopy_document::document::Document;
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::{Translator, detected_language};

/// Source and target, as far as anything says them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    from: Option<String>,
    to: Option<String>,
    /// Whether an option or the file says the source, not the text.
    is_said: bool,
    /// The document whose file declares the target.
    declared_by: Option<String>,
}

impl Pair {
    fn is_between(&self, other: &Self) -> bool {
        self.from == other.from && self.to == other.to
    }
}

/// The translator of the pair that was translated last; another pair opens another one.
#[derive(Debug)]
pub(super) struct Translators {
    open: Option<(Pair, Translator)>,
    /// The language of the text of the documents, where no file declares it.
    detected: Option<String>,
}

impl Translators {
    pub(super) fn new(arguments: &TranslateArguments, documents: &[Document]) -> Self {
        let undeclared = |document: &&Document| document.declared_languages()[0].is_none();
        let is_needed = arguments.from.is_none() && documents.iter().any(|it| undeclared(&it));
        let undeclared = documents.iter().filter(undeclared);
        Self {
            open: None,
            detected: is_needed.then(|| arguments.detected(undeclared)).flatten(),
        }
    }

    /// The translator for the languages of a document.
    pub(super) fn for_document(
        &mut self,
        arguments: &TranslateArguments,
        document: &Document,
    ) -> Result<&mut Translator> {
        let pair = arguments.pair_of(document, self.detected.as_deref());
        let is_open = self.open.as_ref().is_some_and(|it| it.0.is_between(&pair));
        if !is_open {
            let translator = arguments.translator_between(&pair)?;
            self.open = Some((pair, translator));
        }
        let open = self.open.as_mut();
        open.map(|(_, translator)| translator)
            .ok_or(Error::Base(BaseError::NoModel))
    }

    /// The one that is open.
    pub(super) fn current(&self) -> Option<&Translator> {
        self.open.as_ref().map(|(_, translator)| translator)
    }
}

impl TranslateArguments {
    /// The installed model that is the one between the languages of a document, if no model is named.
    pub(super) fn installed_for(&self, document: &Document) -> Option<PathBuf> {
        let pair = self.pair_of(document, None);
        let detected = || detected_language(document).map(|found| found.code);
        let from = pair.from.or_else(detected)?;
        library::model_between(&from, pair.to.as_deref()?)
    }

    /// Source and target of a document for a model of any languages; ends the program where they are not given.
    pub(super) fn languages_of(&self, document: &Document) -> [String; 2] {
        let detected = || detected_language(document).map(|found| found.code);
        let pair = self.pair_of(document, None);
        match (pair.from.or_else(detected), pair.to) {
            (Some(from), Some(to)) => [from, to],
            (None, _) => wrong_usage(
                "translate",
                format!(
                    "{}: its language is not known; give it with --from",
                    document.name
                ),
            ),
            (_, None) => wrong_usage(
                "translate",
                "a language model translates into any language; give one with --to",
            ),
        }
    }

    fn pair_of(&self, document: &Document, detected: Option<&str>) -> Pair {
        let [source, target] = document.declared_languages();
        let from = self.from.as_deref().or(source).or(detected);
        // A file that declares no source may have the source's own language in the place of the target.
        let is_source = |target: &&str| {
            source.is_none() && from.is_some_and(|from| is_same_language(from, target))
        };
        let declared = target.filter(|target| self.to.is_none() && !is_source(target));
        Pair {
            from: from.map(str::to_owned),
            to: self.to.as_deref().or(declared).map(str::to_owned),
            is_said: self.from.is_some() || source.is_some(),
            declared_by: declared.map(|_| document.name.clone()),
        }
    }

    /// Opens the model that the options name, or an installed one between these languages.
    fn translator_between(&self, pair: &Pair) -> Result<Translator> {
        let (from, to) = (pair.from.as_deref(), pair.to.as_deref());
        let undeclared = |reason: Option<String>| {
            let (Some(document), Some(target)) = (&pair.declared_by, &pair.to) else {
                return Ok(());
            };
            let Some(reason) = reason else { return Ok(()) };
            Err(Error::DeclaredTarget {
                document: document.clone(),
                target: target.clone(),
                reason,
            })
        };
        if self.model.model.is_none() && !library::translates_between(from, to) {
            let from = from.map_or(String::new(), |from| format!(" from {from}"));
            undeclared(Some(format!("no installed model translates{from} to it")))?;
        }
        let translator = self.translator(from, to)?;
        let info = translator.info();
        let has = &info.target_language;
        let is_other = to.is_some_and(|to| !is_same_language(to, has));
        undeclared(is_other.then(|| format!("{} translates to {has}", info.name)))?;
        self.check_languages(pair, &translator);
        Ok(translator)
    }

    /// Ends the program if the model does not translate between the requested languages.
    fn check_languages(&self, pair: &Pair, translator: &Translator) {
        let info = translator.info();
        let is_other = |wanted: Option<&str>, has: &str| {
            wanted.is_some_and(|wanted| !is_same_language(has, wanted))
        };
        // A detected language only chooses.
        let from = pair.from.as_deref().filter(|_| pair.is_said);
        if is_other(from, &info.source_language)
            || is_other(self.to.as_deref(), &info.target_language)
        {
            let named = |from: &str, to: &str| format!("{from} to {to}");
            let to = self.to.as_deref().unwrap_or(&info.target_language);
            let problem = Error::from(TranslateError::Languages {
                requested: named(from.unwrap_or(&info.source_language), to),
                has: named(&info.source_language, &info.target_language),
            });
            wrong_usage("translate", crate::advice::advised(&problem));
        }
    }

    /// Has a file that declares another target than --to take that one, in place of the translations it has.
    pub(super) fn retarget(&self, document: &mut Document) {
        let Some(to) = &self.to else { return };
        let [_, declared] = document.declared_languages();
        let Some(declared) = declared.filter(|declared| !is_same_language(declared, to)) else {
            return;
        };
        let has_some = document.sentences.iter().any(|it| it.known.is_some());
        if has_some {
            warn(&format!(
                "{}: its translations to {declared} are replaced by those to {to}",
                document.name
            ));
        }
        document.retarget(to);
    }

    /// The language of the documents by their text, where that decides which model is taken.
    fn detected<'d>(&self, mut documents: impl Iterator<Item = &'d Document>) -> Option<String> {
        if self.model.model.is_some() {
            return None;
        }
        let found = documents.find_map(detected_language)?;
        if !found.is_reliable {
            return None;
        }
        if !library::translates_from(&found.code, self.to.as_deref()) {
            let code = &found.code;
            let target = self.to.as_deref();
            let target = target.map_or(String::new(), |to| format!(" to {to}"));
            warn(&format!(
                "the text seems to be in another language ({code}) than installed models translate{target}; add one with canopy model import, or give --from"
            ));
            return None;
        }
        Some(found.code)
    }
}
