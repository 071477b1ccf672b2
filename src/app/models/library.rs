//! Models that are known: installed ones, and those that were opened from another folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Reach;
use crate::language;
use crate::open_document::OpenDocument;
use crate::settings::Settings;
use crate::shared::Shared;
use canopy_corpus::is_same_language;
use canopy_translate::inference::{InstalledModel, Leg, pair_key, reachable, route};

/// Models by their folders, with their languages and what is wrong with them.
#[derive(Debug, Default)]
pub struct Library {
    /// Models that came with the program, were added, or were opened from another folder in this session.
    pub all: Arc<Vec<InstalledModel>>,
    /// Whether it is known which are installed.
    is_listed: bool,
    /// Why a model could not be opened, by its folder.
    failed: BTreeMap<PathBuf, String>,
    /// Models of `all` that are not installed.
    external: Vec<InstalledModel>,
}

impl Library {
    /// The only target of the installed model of this name.
    pub(crate) fn only_target(&self, name: &str) -> Option<&str> {
        let mut models = self.all.iter();
        let model: &InstalledModel = models.find(|model| model.name == name)?;
        match model.targets.as_slice() {
            [target] => Some(target),
            _ => None,
        }
    }

    /// Whether it is known which are installed.
    pub fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// The model in this folder.
    pub fn get(&self, folder: &Path) -> Option<&InstalledModel> {
        self.all.iter().find(|model| model.folder == folder)
    }

    /// Why a model cannot be opened.
    pub fn problem<'a>(&'a self, model: &'a InstalledModel) -> Option<&'a str> {
        let failed = self.failed.get(&model.folder).map(String::as_str);
        model.problem.as_deref().or(failed)
    }

    /// Whether it is outside the library.
    pub fn is_external(&self, model: &InstalledModel) -> bool {
        let mut external = self.external.iter();
        external.any(|other| other.folder == model.folder)
    }

    /// Models that a run can begin with.
    pub fn known_models(&self, shared: &Shared) -> Vec<PathBuf> {
        let mut models = shared.shipped.models.clone();
        let installed = self.all.iter();
        let installed = installed.filter(|model| self.problem(model).is_none());
        let installed = installed.map(|model| &model.folder);
        for model in shared.settings.recent_models.iter().chain(installed) {
            if !models.contains(model) {
                models.push(model.clone());
            }
        }
        models
    }

    /// Languages of which any model translates, by their names.
    pub fn sources(&self) -> Vec<(String, String)> {
        let usable = self
            .all
            .iter()
            .filter(|model| self.problem(model).is_none());
        let mut named: Vec<(String, String)> = Vec::new();
        for code in usable.flat_map(|model| &model.sources) {
            if !named.iter().any(|(known, _)| known == code) {
                named.push((code.clone(), language::name(code)));
            }
        }
        named.sort_by(|a, b| a.1.cmp(&b.1));
        named
    }

    /// Languages that `source` can be translated to: directly reached ones first, by their names.
    pub fn targets(&self, settings: &Settings, source: &str) -> Vec<Reach> {
        let through = |target: &str| {
            let way = route(&self.all, &settings.default_models, source, Some(target))?;
            way.pivot().map(language::name)
        };
        let codes = reachable(&self.all, source).into_iter();
        let mut found: Vec<Reach> = codes
            .map(|code| Reach {
                name: language::name(&code),
                through: through(&code),
                code,
            })
            .collect();
        found.sort_by(|a, b| {
            let near = |reach: &Reach| reach.through.is_some();
            near(a).cmp(&near(b)).then_with(|| a.name.cmp(&b.name))
        });
        found
    }

    /// The pair that chained models translate between, as a key; none where it is unknown.
    pub(crate) fn pair_of(&self, legs: &[Leg]) -> Option<String> {
        let (first, last) = (legs.first()?, legs.last()?);
        let of = |leg: &Leg| self.get(&leg.folder).cloned().unwrap_or_default();
        let source = first.source.clone();
        let source = source.or_else(|| of(first).sources.first().cloned())?;
        let target = last.target.clone();
        let target = target.or_else(|| of(last).targets.first().cloned())?;
        Some(pair_key(&source, &target))
    }

    /// A model, between the languages in use if it has them among several.
    pub(super) fn leg(
        &self,
        shared: &Shared,
        open: Option<&OpenDocument>,
        current: Option<(String, String)>,
        folder: PathBuf,
    ) -> Leg {
        let detected = open.and_then(|open| open.language.as_ref());
        let detected = detected.filter(|found| found.is_reliable);
        let (from, to) = current.unzip();
        let sources = detected
            .map(|found| found.code.clone())
            .into_iter()
            .chain(from);
        let wanted = shared
            .settings
            .target_language
            .clone()
            .into_iter()
            .chain(to);
        let Some(model) = self.get(&folder) else {
            return Leg::alone(folder);
        };
        if model.is_language_model() {
            let source: Option<String> = sources.into_iter().next();
            let is_other = |code: &String| source.as_ref() != Some(code);
            return Leg {
                target: wanted.into_iter().find(is_other),
                folder,
                source,
            };
        }
        let source = sources
            .filter(|_| model.sources.len() > 1)
            .find(|code| model.translates_from(code));
        let source_code = source.as_deref().unwrap_or_default();
        let target = wanted
            .filter(|_| model.targets.len() > 1)
            .filter(|code| !is_same_language(code, source_code))
            .find_map(|code| model.target(source_code, Some(&code)).map(str::to_owned));
        Leg {
            folder,
            source,
            target,
        }
    }

    pub(super) fn list(&mut self, listed: Vec<InstalledModel>) {
        self.is_listed = true;
        let is_listed = |model: &InstalledModel| listed.iter().any(|it| it.folder == model.folder);
        self.external.retain(|model| !is_listed(model));
        let all = listed.into_iter().chain(self.external.iter().cloned());
        self.all = Arc::new(all.collect());
    }

    /// Adds a model that has just been installed, or its new release.
    pub(super) fn add(&mut self, model: InstalledModel) {
        let others = self.all.iter().filter(|other| other.folder != model.folder);
        let all = others.cloned().chain([model.clone()]).collect();
        self.all = Arc::new(all);
    }

    pub(super) fn note_external(&mut self, model: InstalledModel) {
        let is_other = |other: &InstalledModel| other.folder != model.folder;
        let before = self.all.iter().filter(|other| is_other(other)).cloned();
        let all = before.chain([model.clone()]).collect();
        self.all = Arc::new(all);
        self.external.retain(is_other);
        self.external.push(model);
    }

    /// Notes why a model could not be opened.
    pub(super) fn note_failure(&mut self, folder: PathBuf, reason: String) {
        self.failed.insert(folder, reason);
    }

    /// Forgets that a model could not be opened.
    pub(super) fn forget_failure(&mut self, folder: &Path) {
        self.failed.remove(folder);
    }
}
