//! The languages that are translated between, and the model that they choose.
//!
//! A document chooses by its text: a model from its language to the one that was translated to before, if there is one,
//! alone or with another after it. A person chooses in the menus above the document.

use std::path::{Path, PathBuf};

use super::{Models, Reach};
use crate::jobs::Request;
use crate::language;
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::settings::Settings;
use crate::state::AppState;
use canopy_corpus::is_same_language;
use canopy_translate::inference::{DeviceChoice, Leg, pair_key, reachable, route};

impl Models {
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

    /// The language between two models in a row that are open.
    pub fn pivot(&self) -> Option<&str> {
        match self.opened.as_slice() {
            [first, _] => first.target.as_deref(),
            _ => None,
        }
    }
}

impl AppState {
    /// Has the open document choose its model, once models and their languages are known.
    pub(crate) fn choose_for_document(&mut self) {
        let is_opening = matches!(self.models.current, ModelState::Opening { .. });
        if self.models.is_undecided && !is_opening && self.models.is_listed {
            self.models.is_undecided = false;
            self.document.know_kept_work(&mut self.shared, &self.models);
            self.choose_model();
        }
        if !self.models.is_undecided {
            self.document.adopt_target(&mut self.shared, &self.models);
        }
        self.read_memory_without_model();
    }

    fn choose_model(&mut self) {
        let Some(open) = self.document.open.as_ref() else {
            return self.open_said();
        };
        if self.models.is_named || self.document.running.is_some() {
            return;
        }
        let (source, current) = (open.source(), self.document.languages(&self.models));
        if let Some(target) = open.target_language.clone() {
            let remembered = open.model.clone();
            let source = source.or(current.map(|(from, _)| from)).unwrap_or_default();
            return self.choose_for_pair(&source, &target, remembered);
        }
        let Some(source) = source else { return };
        let wanted = self.shared.settings.target_language.clone();
        if let Some((from, to)) = &current
            && is_same_language(from, &source)
        {
            self.take_default(from, to);
            return;
        }
        let wanted = wanted.or(current.map(|(_, target)| target));
        let wanted = wanted.filter(|target| !is_same_language(target, &source));
        if wanted.is_none_or(|target| !self.open_between(&source, Some(&target))) {
            self.open_between(&source, None);
        }
    }

    /// Opens a model for the languages that the program was started with.
    fn open_said(&mut self) {
        let [from, to] = self.models.said.clone();
        let current = self
            .document
            .languages(&self.models)
            .map(|(source, _)| source);
        if let (Some(source), false) = (from.or(current), to.is_none() || self.models.is_named) {
            self.open_between(&source, to.as_deref());
        }
    }

    /// Opens the model that a document was translated with last, or one of its pair; without one it keeps the pair.
    fn choose_for_pair(&mut self, source: &str, target: &str, remembered: Option<PathBuf>) {
        let model = remembered.as_ref().and_then(|it| self.models.get(it));
        let fitting = model.filter(|model| {
            model.translates_from(source) && model.target(source, Some(target)).is_some()
        });
        if let Some(model) = fitting {
            let leg = Leg {
                folder: model.folder.clone(),
                source: Some(source.to_owned()),
                target: Some(target.to_owned()),
            };
            let [opened] = self.models.opened.as_slice() else {
                return self.open_legs(vec![leg]);
            };
            if opened.folder != leg.folder || !self.document.model_fits(&self.models) {
                self.open_legs(vec![leg]);
            }
            return;
        }
        if self.document.model_fits(&self.models) {
            self.take_default(source, target);
        } else {
            self.open_between(source, Some(target));
        }
    }

    /// Opens the default of a pair in place of a model that was not chosen by the user.
    fn take_default(&mut self, source: &str, target: &str) {
        let key = pair_key(source, target);
        let has = self.shared.settings.default_models.contains_key(&key);
        if has && !self.models.is_by_hand {
            self.open_between(source, Some(target));
        }
    }

    /// Opens the models that translate between two languages, unless they are open; whether there are any.
    pub(super) fn open_between(&mut self, source: &str, target: Option<&str>) -> bool {
        let defaults = &self.shared.settings.default_models;
        let Some(found) = route(&self.models.all, defaults, source, target) else {
            return false;
        };
        let legs = found.legs(Some(source));
        let folders =
            |legs: &[Leg]| -> Vec<PathBuf> { legs.iter().map(|leg| leg.folder.clone()).collect() };
        let reached = legs.last().and_then(|leg| leg.target.as_deref());
        let is_open = folders(&legs) == folders(&self.models.opened)
            && self
                .document
                .languages(&self.models)
                .is_some_and(|(from, to)| {
                    is_same_language(&from, source) && Some(to.as_str()) == reached
                });
        if !is_open {
            // A translation that was requested earlier is made with this model.
            let waiting = self.document.waiting_scope.take();
            self.open_legs(legs);
            self.document.waiting_scope = waiting;
        }
        self.models.is_by_hand = false;
        true
    }

    pub(super) fn translate_from(&mut self, source: &str) {
        self.models.is_named = false;
        let current = self.document.languages(&self.models);
        let target = current.map(|(_, target)| target);
        let target = target.filter(|target| !is_same_language(target, source));
        if self.document.open.is_some() {
            self.document
                .with_document(|open| open.source_language = Some(source.to_owned()));
            self.document.touch(&self.shared);
        }
        let is_open = target.is_some_and(|target| {
            self.stay_with_model(source, &target) || self.open_between(source, Some(&target))
        });
        // Work that is there stays in its language, and so does a file that declares its target.
        let is_bound = self
            .document
            .open
            .as_ref()
            .is_some_and(|open| open.has_work() || open.declared_languages()[1].is_some());
        let other = || {
            route(
                &self.models.all,
                &self.shared.settings.default_models,
                source,
                None,
            )
        };
        if is_open {
            return;
        }
        match other().filter(|_| !is_bound) {
            Some(way) => {
                self.document
                    .switch_target(&mut self.shared, &self.models, way.target());
                self.open_between(source, Some(way.target()));
            }
            None => self.no_way(source, None),
        }
        self.read_memory_without_model();
    }

    pub(super) fn translate_to(&mut self, target: &str) {
        self.models.is_named = false;
        self.shared
            .set(|settings| settings.target_language = Some(target.to_owned()));
        let Some((source, _)) = self.document.languages(&self.models) else {
            return;
        };
        self.document
            .switch_target(&mut self.shared, &self.models, target);
        self.document
            .with_document(|open| open.name_variant(target));
        if self.document.open.is_some() {
            self.document.touch(&self.shared);
        }
        if !self.stay_with_model(&source, target) && !self.open_between(&source, Some(target)) {
            self.no_way(&source, Some(target));
            self.read_memory_without_model();
        }
    }

    /// Opens the model of several languages that is open between others, if it knows them.
    fn stay_with_model(&mut self, source: &str, target: &str) -> bool {
        let [leg] = self.models.opened.as_slice() else {
            return false;
        };
        let folder = leg.folder.clone();
        let several = self.models.get(&folder).filter(|model| {
            model.sources.len().max(model.targets.len()) > 1 && model.translates_from(source)
        });
        let Some(target) = several.and_then(|model| model.target(source, Some(target))) else {
            return false;
        };
        let leg = Leg {
            folder,
            source: Some(source.to_owned()),
            target: Some(target.to_owned()),
        };
        self.open_legs(vec![leg]);
        true
    }

    fn no_way(&mut self, source: &str, target: Option<&str>) {
        let source = language::name(source);
        let to = target.map_or(String::new(), |target| {
            format!(" to {}", language::name(target))
        });
        let title = format!("No installed model translates from {source}{to}");
        let detail = "Models → Get models… lists models to download.";
        self.shared.notify(NoticeKind::Hint, title, detail);
    }

    /// Opens a model that a person has chosen.
    pub(crate) fn open_model(&mut self, folder: PathBuf) {
        // Or the lists of models would have the same folder under two names.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        self.models.is_by_hand = true;
        let leg = self.leg_of(folder);
        self.open_legs(vec![leg]);
    }

    /// Opens the model of a project: no text chooses another.
    pub(crate) fn open_named_model(&mut self, folder: PathBuf) {
        self.open_model(folder);
        self.models.is_named = true;
    }

    /// A model, between the languages in use if it has them among several.
    fn leg_of(&self, folder: PathBuf) -> Leg {
        let current = self.document.languages(&self.models);
        let detected = self
            .document
            .open
            .as_ref()
            .and_then(|open| open.language.as_ref());
        let detected = detected.filter(|found| found.is_reliable);
        let (from, to) = current.unzip();
        let sources = detected
            .map(|found| found.code.clone())
            .into_iter()
            .chain(from);
        let wanted = self
            .shared
            .settings
            .target_language
            .clone()
            .into_iter()
            .chain(to);
        let Some(model) = self.models.get(&folder) else {
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

    /// Opens models in a row.
    pub(super) fn open_legs(&mut self, legs: Vec<Leg>) {
        let Some((first, others)) = legs.split_first() else {
            return;
        };
        let (first, second) = (first.clone(), others.first().cloned());
        let job = self.shared.next_job();
        self.document.cancel();
        let opening = ModelState::Opening {
            job,
            folder: first.folder.clone(),
        };
        let before = std::mem::replace(&mut self.models.current, opening);
        if matches!(before, ModelState::Open { .. }) {
            self.models.previous = Some(before);
        }
        let device: DeviceChoice = self.shared.settings.device.into();
        if let Some(key) = self.models.pair_of(&legs) {
            self.take_memory_of(&key);
        }
        let memory = self
            .models
            .user_memory(&self.shared, &self.document, &self.projects);
        self.models.requested = legs;
        self.shared.requests.push(Request::OpenModel {
            job,
            folder: first.folder,
            languages: [first.source, first.target],
            second,
            device,
            memory,
        });
    }

    /// Opens the same models with other settings.
    pub(crate) fn open_again(&mut self) {
        if self.models.requested.is_empty() {
            return self.open_first_model(None);
        }
        self.open_legs(self.models.requested.clone());
    }

    /// Notes that the open document is to choose its model.
    pub(crate) fn document_chooses(&mut self) {
        self.models.is_undecided = true;
        self.choose_for_document();
    }

    /// Opens the model named on the command line, else the one chosen as default, else the last one used, else the one that
    /// came with the program.
    pub fn open_first_model(&mut self, named: Option<PathBuf>) {
        let settings = &self.shared.settings;
        let mut last = settings.default_model.iter().chain(&settings.recent_models);
        let is_named = named.is_some();
        let is_there = |folder: &&PathBuf| Path::exists(folder);
        let folder = named
            .or_else(|| last.find(is_there).cloned())
            .or_else(|| self.shared.shipped.models.first().cloned());
        if let Some(folder) = folder {
            self.open_model(folder);
            self.models.is_undecided |= self.models.said.iter().any(Option::is_some);
            (self.models.is_by_hand, self.models.is_named) = (is_named, is_named);
        }
    }
}

impl Models {
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
}
