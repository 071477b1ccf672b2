//! Languages and sizes of corpora, and the models that fit them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{NewRun, Probe, Start, Training};
use crate::jobs::RunRequest;
use crate::models::Models;
use crate::settings::Device;
use crate::shared::Shared;
use canopy_corpus::is_same_language;

/// Number of pairs from which a model learns a language pair from scratch.
pub const ENOUGH_PAIRS: usize = 100_000;

/// How long settings stay as they are before they are measured.
const SETTLED_SECS: f64 = 1.5;

/// Languages and sizes of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusFacts {
    /// Code of the source language.
    pub source_language: String,
    /// Code of the target language.
    pub target_language: String,
    /// To train on.
    pub pairs: usize,
}

/// The corpora that a run can learn from.
#[derive(Debug, Default)]
pub struct Corpora {
    /// Folders of the corpora.
    pub known: Vec<PathBuf>,
    /// Languages and sizes, by folders.
    pub facts: BTreeMap<PathBuf, CorpusFacts>,
}

impl Corpora {
    /// Adds those that were found.
    pub(crate) fn add(&mut self, corpora: Vec<PathBuf>) {
        for corpus in corpora {
            if !self.known.contains(&corpus) {
                self.known.push(corpus);
            }
        }
    }

    /// Puts the corpus that a person chose before all others.
    pub(super) fn put_first(&mut self, corpus: PathBuf) {
        self.known.retain(|known| *known != corpus);
        self.known.insert(0, corpus);
    }

    /// Has the follower of the runs look at a corpus that was not looked at.
    pub(crate) fn look_at(&self, shared: &mut Shared, folder: &Path) {
        if !folder.as_os_str().is_empty() && !self.facts.contains_key(folder) {
            let request = RunRequest::LookAtCorpus(folder.to_owned());
            shared.run_requests.push(request);
        }
    }

    /// Whether a model translates between the languages of a corpus, if both say theirs.
    pub fn fits(&self, models: &Models, model: &Path, corpus: &Path) -> Option<bool> {
        let facts = self.facts.get(corpus)?;
        let model = models.library.get(model)?;
        if model.sources.is_empty() || model.targets.is_empty() {
            return None;
        }
        let has = |codes: &[String], code: &str| {
            let mut codes = codes.iter();
            codes.any(|known| is_same_language(known, code))
        };
        let is_read = has(&model.sources, &facts.source_language);
        Some(is_read && has(&model.targets, &facts.target_language))
    }

    /// The models that a run on a corpus can improve: those of its languages, the default of the pair first.
    pub fn models_to_improve(
        &self,
        shared: &Shared,
        models: &Models,
        corpus: &Path,
    ) -> Vec<PathBuf> {
        let known = models.library.known_models(shared).into_iter();
        let mut fitting: Vec<PathBuf> = known
            .filter(|model| self.fits(models, model, corpus) == Some(true))
            .collect();
        let defaults = &shared.settings.default_models;
        let is_default = |model: &PathBuf| defaults.values().any(|it| it == model);
        fitting.sort_by_key(|model| !is_default(model));
        fitting
    }
}

impl Training {
    pub(crate) fn corpus_seen(
        &mut self,
        shared: &Shared,
        models: &Models,
        folder: PathBuf,
        facts: CorpusFacts,
    ) {
        self.corpora.facts.insert(folder.clone(), facts);
        let is_of_form = |form: &NewRun| form.config.corpus == folder;
        if self.form.as_ref().is_some_and(is_of_form) {
            self.prefer_model_of_pair(shared, models);
        }
    }

    /// An untouched form begins with the model of the corpus's languages.
    pub(super) fn prefer_model_of_pair(&mut self, shared: &Shared, models: &Models) {
        let Some(form) = &self.form else {
            return;
        };
        let is_fresh =
            form.named_by_preset && form.start == Start::RandomWeights && !form.is_chosen;
        let model = self
            .corpora
            .models_to_improve(shared, models, &form.config.corpus)
            .into_iter()
            .next();
        if let Some(model) = model.filter(|_| is_fresh && form.resumed.is_none()) {
            self.improve(shared, models, model);
        }
    }

    /// The run of the form improves this model, and is called after it.
    pub(super) fn improve(&mut self, shared: &Shared, models: &Models, model: PathBuf) {
        let known = models.library.get(&model).map(|known| known.name.clone());
        let name = known.unwrap_or_else(|| super::commands::name_of(&model));
        let name = self.runs.free_name(shared, &format!("{name} tuned"));
        if let Some(form) = &mut self.form {
            let is_own = !form.named_by_preset && !form.is_named_by_model;
            form.begin_with_model(model);
            if !is_own {
                (form.name, form.is_named_by_model) = (name, true);
                form.named_by_preset = false;
            }
        }
        self.form_changed(shared);
    }

    pub(super) fn form_changed(&mut self, shared: &Shared) {
        self.form_changed_secs = shared.now_secs;
    }

    /// Measures how long the run of the form takes, once its settings have been the same for a while; returns when that will
    /// be.
    pub(crate) fn tick(&mut self, shared: &mut Shared) -> Option<f64> {
        let form = self.form.as_ref()?;
        let is_known = self.corpora.facts.contains_key(&form.config.corpus);
        let is_here = !matches!(form.device, Device::Remote(_));
        if form.probe != Probe::None || !is_known || !is_here || self.runs.is_busy() {
            return None;
        }
        let due = self.form_changed_secs + SETTLED_SECS;
        if due > shared.now_secs {
            return Some(due);
        }
        // Not again before the next change.
        self.form_changed_secs = f64::INFINITY;
        self.probe(shared);
        None
    }
}
