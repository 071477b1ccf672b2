//! The languages that are translated between, and the model that they choose.
//!
//! A document chooses by its text: a model from its language to the one that was translated to before, if there is one,
//! alone or with another after it. A person chooses in the menus above the document.

use std::path::{Path, PathBuf};

use super::Models;
use super::memories::take_memory_of;
use crate::document::DocumentPage;
use crate::document::languages::UNKNOWN;
use crate::jobs::Request;
use crate::language;
use crate::models::ModelState;
use crate::notices::NoticeKind;
use crate::open_work::OpenWork;
use crate::shared::Shared;
use canopy_corpus::is_same_language;
use canopy_translate::inference::{DeviceChoice, Leg, pair_key, route};

impl Models {
    /// Has the open document choose its model, once models and their languages are known.
    pub(crate) fn choose_for_document(&mut self, work: &mut OpenWork<'_>) {
        let is_opening = matches!(self.in_use.current, ModelState::Opening { .. });
        if self.is_undecided && !is_opening && self.library.is_listed() {
            self.is_undecided = false;
            work.document.know_kept_work(work.shared, self);
            self.choose_model(work);
        }
        if !self.is_undecided {
            work.document.adopt_target(work.shared, self);
        }
        self.read_memory_without_model(work);
    }

    fn choose_model(&mut self, work: &mut OpenWork<'_>) {
        let Some(open) = work.document.editing.open.as_ref() else {
            return self.open_said(work);
        };
        if self.is_named || work.document.translations.running.is_some() {
            return;
        }
        let (source, current) = (open.source(), work.document.languages(self));
        if let Some(target) = open.target_language.clone() {
            let remembered = open.model.clone();
            let source = source.or(current.map(|(from, _)| from)).unwrap_or_default();
            return self.choose_for_pair(work, &source, &target, remembered);
        }
        let Some(source) = source else { return };
        let wanted = work.shared.settings.target_language.clone();
        if let Some((from, to)) = &current
            && is_same_language(from, &source)
        {
            self.take_default(work, from, to);
            return;
        }
        let wanted = wanted.or(current.map(|(_, target)| target));
        let wanted = wanted.filter(|target| !is_same_language(target, &source));
        if wanted.is_none_or(|target| !self.open_between(work, &source, Some(&target))) {
            self.open_between(work, &source, None);
        }
    }

    /// Opens a model for the languages that the program was started with.
    fn open_said(&mut self, work: &mut OpenWork<'_>) {
        let [from, to] = self.said.clone();
        let current = work.document.languages(self).map(|(source, _)| source);
        if let (Some(source), false) = (from.or(current), to.is_none() || self.is_named) {
            self.open_between(work, &source, to.as_deref());
        }
    }

    /// Opens the model that a document was translated with last, or one of its pair; without one it keeps the pair.
    fn choose_for_pair(
        &mut self,
        work: &mut OpenWork<'_>,
        source: &str,
        target: &str,
        remembered: Option<PathBuf>,
    ) {
        let model = remembered.as_ref().and_then(|it| self.library.get(it));
        let fitting = model.filter(|model| {
            model.translates_from(source) && model.target(source, Some(target)).is_some()
        });
        if let Some(model) = fitting {
            let leg = Leg {
                folder: model.folder.clone(),
                source: Some(source.to_owned()),
                target: Some(target.to_owned()),
            };
            let opened = self.in_use.opened.as_slice();
            let is_alone = matches!(opened, [opened] if opened.folder == leg.folder);
            if !is_alone || !work.document.pair(self).model_fits() {
                self.open_legs(work, vec![leg]);
            }
            return;
        }
        if work.document.pair(self).model_fits() {
            self.take_default(work, source, target);
        } else {
            self.open_between(work, source, Some(target));
        }
    }

    /// Opens the default of a pair in place of a model that was not chosen by the user.
    fn take_default(&mut self, work: &mut OpenWork<'_>, source: &str, target: &str) {
        let key = pair_key(source, target);
        let has = work.shared.settings.default_models.contains_key(&key);
        if has && !self.is_by_hand {
            self.open_between(work, source, Some(target));
        }
    }

    /// Opens the models that translate between two languages, unless they are open; whether there are any.
    pub(super) fn open_between(
        &mut self,
        work: &mut OpenWork<'_>,
        source: &str,
        target: Option<&str>,
    ) -> bool {
        let defaults = &work.shared.settings.default_models;
        let Some(found) = route(&self.library.all, defaults, source, target) else {
            return false;
        };
        let legs = found.legs(Some(source));
        let folders =
            |legs: &[Leg]| -> Vec<PathBuf> { legs.iter().map(|leg| leg.folder.clone()).collect() };
        let reached = legs.last().and_then(|leg| leg.target.as_deref());
        let is_open = folders(&legs) == folders(&self.in_use.opened)
            && work.document.languages(self).is_some_and(|(from, to)| {
                is_same_language(&from, source) && Some(to.as_str()) == reached
            });
        if !is_open {
            // A translation that was requested earlier is made with this model.
            let waiting = work.document.translations.waiting_scope.take();
            self.open_legs(work, legs);
            work.document.translations.waiting_scope = waiting;
        }
        self.is_by_hand = false;
        true
    }

    pub(super) fn translate_from(&mut self, work: &mut OpenWork<'_>, source: &str) {
        self.is_named = false;
        let current = work.document.languages(self);
        let target = current.map(|(_, target)| target);
        let target = target.filter(|target| !is_same_language(target, source));
        if work.document.editing.open.is_some() {
            work.document
                .editing
                .with_document(|open| open.source_language = Some(source.to_owned()));
            work.document.editing.touch(work.shared);
        }
        let is_open = target.is_some_and(|target| {
            self.stay_with_model(work, source, &target)
                || self.open_between(work, source, Some(&target))
        });
        // Existing work keeps its language, and so does a file that declares its target.
        let is_bound = work.document.editing.open.as_ref().is_some_and(|open| {
            open.progress.counts().has_work() || open.declared_languages()[1].is_some()
        });
        let other = || {
            route(
                &self.library.all,
                &work.shared.settings.default_models,
                source,
                None,
            )
        };
        if is_open {
            return;
        }
        match other().filter(|_| !is_bound) {
            Some(way) => {
                work.document.switch_target(work.shared, self, way.target());
                self.open_between(work, source, Some(way.target()));
            }
            None => show_no_way(work.shared, source, None),
        }
        self.read_memory_without_model(work);
    }

    pub(super) fn translate_to(&mut self, work: &mut OpenWork<'_>, target: &str) {
        self.is_named = false;
        work.shared
            .set(|settings| settings.target_language = Some(target.to_owned()));
        let Some((source, _)) = work.document.languages(self) else {
            return;
        };
        work.document.switch_target(work.shared, self, target);
        work.document
            .editing
            .with_document(|open| open.name_variant(target));
        if work.document.editing.open.is_some() {
            work.document.editing.touch(work.shared);
        }
        if !self.stay_with_model(work, &source, target)
            && !self.open_between(work, &source, Some(target))
        {
            show_no_way(work.shared, &source, Some(target));
            self.read_memory_without_model(work);
        }
    }

    /// Opens the model of several languages that is open between others, if it knows them.
    fn stay_with_model(&mut self, work: &mut OpenWork<'_>, source: &str, target: &str) -> bool {
        let [leg] = self.in_use.opened.as_slice() else {
            return false;
        };
        let folder = leg.folder.clone();
        let several = self.library.get(&folder).filter(|model| {
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
        self.open_legs(work, vec![leg]);
        true
    }

    /// Opens a model that a person has chosen.
    pub(crate) fn open_model(&mut self, work: &mut OpenWork<'_>, folder: PathBuf) {
        // Or the lists of models would have the same folder under two names.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        self.is_by_hand = true;
        let current = work.document.languages(self);
        let open = work.document.editing.open.as_ref();
        let leg = self.library.leg(work.shared, open, current, folder);
        self.open_legs(work, vec![leg]);
    }

    /// Opens the model of a project: no text chooses another.
    pub(crate) fn open_named_model(&mut self, work: &mut OpenWork<'_>, folder: PathBuf) {
        self.open_model(work, folder);
        self.is_named = true;
    }

    /// Opens models in a row.
    pub(super) fn open_legs(&mut self, work: &mut OpenWork<'_>, legs: Vec<Leg>) {
        let Some((first, others)) = legs.split_first() else {
            return;
        };
        let (first, second) = (first.clone(), others.first().cloned());
        let job = work.shared.next_job();
        work.document.translations.cancel();
        let opening = ModelState::Opening {
            job,
            folder: first.folder.clone(),
        };
        let before = std::mem::replace(&mut self.in_use.current, opening);
        if matches!(before, ModelState::Open { .. }) {
            self.in_use.previous = Some(before);
        }
        let device: DeviceChoice = work.shared.settings.device.into();
        if let Some(key) = self.library.pair_of(&legs) {
            take_memory_of(work.shared, work.projects, &key);
        }
        let memory = self.user_memory(work.shared, work.document, work.projects);
        self.in_use.requested = legs;
        work.shared.requests.push(Request::OpenModel {
            job,
            folder: first.folder,
            languages: [first.source, first.target],
            second,
            device,
            memory,
        });
    }

    /// Opens the same models with other settings.
    pub(crate) fn open_again(&mut self, work: &mut OpenWork<'_>) {
        if self.in_use.requested.is_empty() {
            return self.open_first_model(work, None);
        }
        self.open_legs(work, self.in_use.requested.clone());
    }

    /// As [`AppState::open_first_model`](crate::AppState::open_first_model).
    pub(crate) fn open_first_model(&mut self, work: &mut OpenWork<'_>, named: Option<PathBuf>) {
        let settings = &work.shared.settings;
        let mut last = settings.default_model.iter().chain(&settings.recent_models);
        let is_named = named.is_some();
        let is_there = |folder: &&PathBuf| Path::exists(folder);
        let folder = named
            .or_else(|| last.find(is_there).cloned())
            .or_else(|| work.shared.shipped.models.first().cloned());
        if let Some(folder) = folder {
            self.open_model(work, folder);
            self.is_undecided |= self.said.iter().any(Option::is_some);
            (self.is_by_hand, self.is_named) = (is_named, is_named);
        }
    }
}

impl Models {
    /// Has the document follow a model that a person has chosen for other languages.
    pub(crate) fn follow_chosen_model(&mut self, shared: &mut Shared, document: &mut DocumentPage) {
        let is_chosen = self.is_by_hand && !self.is_undecided;
        let Some((source, target)) = self.in_use.languages().filter(|_| is_chosen) else {
            return;
        };
        let open = document.editing.open.as_mut();
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

    pub(crate) fn set_device(&mut self, work: &mut OpenWork<'_>, device: DeviceChoice) {
        work.shared.set(|settings| settings.device = device.into());
        self.open_again(work);
    }
}

fn show_no_way(shared: &mut Shared, source: &str, target: Option<&str>) {
    let source = language::name(source);
    let to = target.map_or(String::new(), |target| {
        format!(" to {}", language::name(target))
    });
    let title = format!("No installed model translates from {source}{to}");
    let detail = "Models → Get models… lists models to download.";
    shared.notify(NoticeKind::Hint, title, detail);
}
