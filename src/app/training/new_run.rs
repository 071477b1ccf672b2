//! The form of a new run: settings as they are filled in, and what is wrong with them.

use std::path::{Path, PathBuf};

use super::bert;
use crate::error::{BaseError, Error};
use crate::jobs::{JobId, RunRequest};
use crate::settings::Device;
use crate::shared::Shared;
use canopy_nn::model::Preset;
use canopy_train::{Estimate, TrainingConfig};
use canopy_translate::inference::imported_files;

/// The weights that a run begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Random weights.
    RandomWeights,
    /// A model, from which the preset's context is fine-tuned; without a context its training continues.
    Model,
}

/// Why a run cannot begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// As the settings file has it.
    pub field: &'static str,
    /// Its fault.
    pub message: String,
}

/// How far the probe of memory and time has come.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Probe {
    /// Nothing is known, or the settings have changed since.
    #[default]
    None,
    /// It is under way.
    Running(JobId),
    /// Memory and time.
    Done(Estimate),
    /// The message of the failure.
    Failed(String),
}

/// A run that is being filled in.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what a person has chosen so far, each by itself"
)]
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// Name of the run folder below the folder of all runs.
    pub name: String,
    /// The weights that it begins with.
    pub start: Start,
    /// Its settings.
    pub config: TrainingConfig,
    /// The device that it trains on.
    pub device: Device,
    /// Whether the name follows the preset, until someone types another.
    pub named_by_preset: bool,
    /// Whether the name follows the model that it improves.
    pub is_named_by_model: bool,
    /// Whether the preset is that of the model that it begins with.
    pub is_preset_of_model: bool,
    /// Whether a person has chosen what it begins with.
    pub is_chosen: bool,
    /// The run that is resumed; `None` for a new one. Its system, corpus and seed stay.
    pub resumed: Option<PathBuf>,
    /// Memory and time of its settings.
    pub probe: Probe,
}

impl NewRun {
    /// A run of the default preset on `corpus`.
    pub fn new(corpus: PathBuf, device: Device) -> Self {
        let config = TrainingConfig {
            corpus,
            steps: 3_000,
            ..TrainingConfig::default()
        };
        Self {
            name: config.preset.clone(),
            start: Start::RandomWeights,
            config,
            device,
            named_by_preset: true,
            is_named_by_model: false,
            is_preset_of_model: false,
            is_chosen: false,
            resumed: None,
            probe: Probe::None,
        }
    }

    /// The settings of a run that continues past its limits.
    pub fn resuming(run: PathBuf, name: String, config: TrainingConfig, device: Device) -> Self {
        let start = if config.from.as_os_str().is_empty() {
            Start::RandomWeights
        } else {
            Start::Model
        };
        Self {
            name,
            start,
            config,
            device,
            named_by_preset: false,
            is_named_by_model: false,
            is_preset_of_model: false,
            is_chosen: true,
            resumed: Some(run),
            probe: Probe::None,
        }
    }

    /// A run that continues `model`.
    pub fn from_model(model: PathBuf, preset: &str, corpus: PathBuf, device: Device) -> Self {
        let mut form = Self::new(corpus, device);
        form.is_chosen = true;
        form.begin_with_model(model);
        form.choose_preset(preset);
        form
    }

    /// Chooses the system; a context begins with a trained sentence-level model, as its paper has it.
    pub fn choose_preset(&mut self, preset: &str) {
        self.is_preset_of_model = false;
        preset.clone_into(&mut self.config.preset);
        if self.named_by_preset {
            preset.clone_into(&mut self.name);
        }
        if let Ok(preset) = Preset::named(preset) {
            let none = TrainingConfig::default();
            if preset.memory_use.is_none() {
                self.config.memory = none.memory;
            }
            if !preset.reads_documents() {
                self.config.context_only = none.context_only;
            }
            if !preset.reads_bert() {
                self.config.bert = none.bert;
                self.config.contexts = none.contexts;
                self.config.context_encoder = none.context_encoder;
                self.config.train_bert = none.train_bert;
            }
        }
        self.probe = Probe::None;
    }

    /// Whether a resumed run keeps the original value of this field.
    pub fn is_fixed(&self, field: &str) -> bool {
        let fixed = [
            "preset",
            "corpus",
            "from",
            "name",
            "seed",
            "bert",
            "contexts",
            "memory",
            "general",
            "train_bert",
            "context_only",
            "recipe",
        ];
        self.resumed.is_some() && fixed.contains(&field)
    }

    /// Begins with a trained model; one that reads documents continues with the preset of its context.
    pub fn begin_with_model(&mut self, model: PathBuf) {
        self.start = Start::Model;
        let begun = TrainingConfig::fine_tuning(model);
        let usual = TrainingConfig::default().preset;
        if begun.preset != usual {
            self.choose_preset(&begun.preset);
            self.is_preset_of_model = true;
        } else if self.is_preset_of_model {
            self.choose_preset(&usual);
        }
        self.take_optimisation(begun);
        self.probe = Probe::None;
    }

    /// Has the run begin with random weights; a preset and a name that follow a model become the usual ones.
    pub fn begin_with_random_weights(&mut self) {
        self.start = Start::RandomWeights;
        if self.is_preset_of_model {
            self.choose_preset(&TrainingConfig::default().preset);
        }
        if std::mem::take(&mut self.is_named_by_model) {
            self.name.clone_from(&self.config.preset);
            self.named_by_preset = true;
        }
        self.config.context_only = false;
        self.config.general = PathBuf::new();
        self.take_optimisation(TrainingConfig::default());
    }

    /// Takes the model to begin with, and the settings that depend on it.
    fn take_optimisation(&mut self, begun: TrainingConfig) {
        let config = &mut self.config;
        config.from = begun.from;
        config.schedule = begun.schedule;
        config.learning_rate = begun.learning_rate;
        config.warmup_steps = begun.warmup_steps;
        config.label_smoothing = begun.label_smoothing;
        config.dropout = begun.dropout;
        config.attention_dropout = begun.attention_dropout;
        config.batch_tokens = begun.batch_tokens;
        config.batch_sentences = begun.batch_sentences;
        config.validate_every = begun.validate_every;
        config.checkpoint_every = begun.checkpoint_every;
        config.patience = begun.patience;
        self.probe = Probe::None;
    }

    /// Has the follower of the runs measure memory and time.
    pub(super) fn measure(&mut self, shared: &mut Shared) {
        let job = shared.next_job();
        self.probe = Probe::Running(job);
        shared.run_requests.push(RunRequest::Probe {
            job,
            config: Box::new(self.config.clone()),
            device: self.device.into(),
        });
    }

    pub(crate) fn probed(&mut self, job: JobId, estimate: Estimate) {
        if self.probe == Probe::Running(job) {
            self.probe = Probe::Done(estimate);
        }
    }

    /// The probe has ended by an error or by request; returns whether the job was one.
    pub(super) fn probe_ended(&mut self, job: JobId, error: Option<&Error>) -> bool {
        let is_own = self.probe == Probe::Running(job);
        if is_own {
            self.probe = error.map_or(Probe::None, |error| Probe::Failed(error.to_string()));
        }
        is_own
    }

    /// The first thing that keeps the run from beginning; `runs` is the folder of all runs.
    pub fn problem(&self, runs: &Path) -> Option<Problem> {
        let problem = |field, message: &str| {
            Some(Problem {
                field,
                message: message.to_owned(),
            })
        };
        if self.name.trim().is_empty() {
            return problem("name", "Give the run a name");
        }
        if self.name.contains(['/', '\\', ':']) || self.name.starts_with('.') {
            return problem(
                "name",
                "A name of a folder, without / \\ : or a dot in front",
            );
        }
        if self.resumed.is_none() && runs.join(self.name.trim()).exists() {
            return problem("name", "A run of this name exists");
        }
        if self.config.corpus.as_os_str().is_empty() {
            return problem("corpus", "Choose a corpus, or make one");
        }
        if !self.config.corpus.join("corpus.json").exists() {
            return problem("corpus", "There is no corpus in this folder");
        }
        let begins = self.resumed.is_none() && self.start == Start::Model;
        let from = &self.config.from;
        if begins && !from.join("model.toml").exists() && imported_files(from).is_none() {
            return problem("from", "Choose the model to begin with");
        }
        let valid = self.config.validate().and_then(|()| self.config.system());
        match valid {
            Ok(preset) => {
                let memory = &self.config.memory;
                if !memory.as_os_str().is_empty() && !memory.exists() {
                    return problem("memory", "There is no such file");
                }
                let set = &self.config.contrastive_set;
                if !set.as_os_str().is_empty() && !set.exists() {
                    return problem("contrastive_set", "There is no such file");
                }
                let (field, message) = bert::problem(&self.config, &preset)?;
                problem(field, message)
            }
            Err(canopy_train::error::Error::Base(BaseError::Config { field, allowed, .. })) => {
                Some(Problem {
                    field,
                    message: format!("Allowed: {allowed}"),
                })
            }
            Err(error) => problem("name", &error.to_string()),
        }
    }
}
