//! The models that the server may use, and the ways between languages that they make.

use std::path::PathBuf;

use axum::http::StatusCode;

use super::refusal::Refusal;
use canopy_corpus::is_same_language;
use canopy_document::document::Document;
use canopy_project::language;
use canopy_translate::inference::{
    DefaultModels, DetectedLanguage, InstalledModel, Route, any_to_any_pairs, detected_among,
    detected_language, reachable, route,
};

/// Installed models, and which of them is preferred for which languages.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The installed models.
    pub models: Vec<InstalledModel>,
    /// The models that are preferred for pairs of languages.
    pub defaults: DefaultModels,
    /// The language model that translates wherever no other model does.
    pub any_to_any: Option<PathBuf>,
}

/// A language that can be translated from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLanguage {
    pub code: String,
    pub name: String,
    pub targets: Vec<String>,
}

impl Library {
    /// The languages that can be translated from, each once, in the order of their codes.
    pub(super) fn languages(&self) -> Vec<SourceLanguage> {
        let mut codes = self.sources();
        codes.sort();
        let language = |code: String| SourceLanguage {
            name: name_of(&code),
            targets: self.targets(&code),
            code,
        };
        codes.into_iter().map(language).collect()
    }

    fn sources(&self) -> Vec<String> {
        let mut codes: Vec<String> = Vec::new();
        let own = self.models.iter().flat_map(|model| model.sources.clone());
        let pairs = any_to_any_pairs(&self.models, &self.defaults).into_iter();
        let of_pairs = pairs.map(|(source, _)| source.to_owned());
        for source in own.chain(of_pairs).chain(self.common()) {
            if !codes.contains(&source) {
                codes.push(source);
            }
        }
        codes
    }

    /// The languages that can be reached from one.
    fn targets(&self, source: &str) -> Vec<String> {
        let mut targets = reachable(&self.models, source);
        let pairs = any_to_any_pairs(&self.models, &self.defaults).into_iter();
        let of_pairs = pairs.filter(|(from, _)| is_same_language(from, source));
        let of_pairs = of_pairs.map(|(_, target)| target.to_owned());
        for target in of_pairs.chain(self.common()) {
            let is_new = !targets.contains(&target) && !is_same_language(&target, source);
            if is_new {
                targets.push(target);
            }
        }
        targets
    }

    /// Languages in common use, if a language model translates between any.
    fn common(&self) -> impl Iterator<Item = String> {
        let common = self.any_to_any.iter().flat_map(|_| language::like(""));
        common.map(|(code, _)| code)
    }

    /// Whether some model translates from or to a language.
    fn knows(&self, code: &str) -> bool {
        let by_models = self.models.iter().any(|model| {
            let mut codes = model.sources.iter().chain(&model.targets);
            codes.any(|known| is_same_language(known, code))
        });
        let of_pairs = || {
            let pairs = any_to_any_pairs(&self.models, &self.defaults).into_iter();
            let mut codes = pairs.flat_map(|(source, target)| [source, target]);
            codes.any(|known| is_same_language(known, code))
        };
        by_models || of_pairs() || self.any_to_any.is_some() && is_language(code)
    }

    /// The way by the language model that translates wherever no other model does.
    fn any_route(&self, source: &str, target: &str) -> Option<Route> {
        let folder = self.any_to_any.clone()?;
        let target = target.to_owned();
        let is_known = is_language(source) && is_language(&target);
        is_known.then_some(Route::Direct { folder, target })
    }

    /// The way between two languages, if there is one.
    fn found(&self, source: &str, target: &str) -> Option<Route> {
        let found = route(&self.models, &self.defaults, source, Some(target));
        found.or_else(|| self.any_route(source, target))
    }

    /// The way between two languages.
    pub(super) fn route(&self, source: &str, target: &str) -> Result<Route, Refusal> {
        self.found(source, target).ok_or_else(|| {
            let unknown = [source, target].into_iter().find(|code| !self.knows(code));
            if let Some(code) = unknown {
                return Refusal::wrong(format!("{code} is not supported"));
            }
            let [from, to] = [source, target].map(name_of);
            Refusal::wrong(format!(
                "{to} ({target}) is not available as a target language from {from} ({source})"
            ))
        })
    }

    /// Refuses a target that no model translates to.
    pub(super) fn route_to(&self, target: &str) -> Result<(), Refusal> {
        if self.knows(target) {
            Ok(())
        } else {
            Err(Refusal::wrong(format!("{target} is not supported")))
        }
    }

    /// The way that a model of this name or folder name offers.
    pub(super) fn route_by(
        &self,
        name: &str,
        source: &str,
        target: &str,
    ) -> Result<Route, Refusal> {
        let named = self.named(name);
        let fitting = named.iter().find_map(|model| {
            if model.is_any_to_any() && is_language(source) && is_language(target) {
                return Some(Route::Direct {
                    folder: model.folder.clone(),
                    target: target.to_owned(),
                });
            }
            let alone = std::slice::from_ref(*model);
            route(alone, &DefaultModels::new(), source, Some(target))
        });
        fitting.ok_or_else(|| match named.as_slice() {
            [] => Refusal::new(
                StatusCode::NOT_FOUND,
                format!("there is no model {name:?}; GET /v1/models lists those there are"),
            ),
            _ => Refusal::wrong(format!(
                "the model {name:?} does not translate from {source} to {target}"
            )),
        })
    }

    fn named(&self, name: &str) -> Vec<&InstalledModel> {
        let is_it = |model: &&InstalledModel| {
            let folder = model.folder.file_name();
            model.name == name || folder.is_some_and(|folder| folder == name)
        };
        self.models.iter().filter(is_it).collect()
    }

    /// The language of a text among those from which `target` can be reached, else the one it seems to be in.
    pub(super) fn detected(&self, document: &Document, target: &str) -> Option<DetectedLanguage> {
        let sources = self.sources().into_iter();
        let able: Vec<String> = sources
            .filter(|source| self.found(source, target).is_some())
            .collect();
        let found = detected_language(document);
        let is_able = |found: &DetectedLanguage| {
            found.is_reliable || able.iter().any(|code| is_same_language(code, &found.code))
        };
        if found.as_ref().is_some_and(is_able) {
            return found;
        }
        // Where the text is too short to detect its language, a language that can be translated is a better guess than one
        // that cannot.
        match able.as_slice() {
            [only] => Some(DetectedLanguage {
                code: only.clone(),
                confidence: 0.0,
                is_reliable: false,
            }),
            _ => detected_among(document, &able).or(found),
        }
    }
}

/// Whether a code is that of a language.
fn is_language(code: &str) -> bool {
    name_of(code) != code.to_lowercase()
}

/// The English name of a language, its code where that is not known.
pub(super) fn name_of(code: &str) -> String {
    language::name(&code.to_lowercase())
}
