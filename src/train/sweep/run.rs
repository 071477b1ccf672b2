//! One run of a sweep: its settings, its folder and whose weights it has.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::config::TrainingConfig;
use crate::control::Control;
use crate::data::memory_of;
use crate::error::{BaseError, Error, Result};
use crate::event::TrainingEvent;
use crate::run_folder::{RunFolder, SETTINGS};
use crate::run_state::{RunState, run_state};
use crate::trainer::train;
use canopy_base::device_failure::{DeviceFailure, in_short};
use canopy_base::error::panic_message;
use canopy_corpus::Corpus;
use canopy_models::weights::{ModelFolder, RerankerFolder};
use canopy_nn::model::{MemoryUse, ModelConfig};
use canopy_translate::inference::ComputeDevice;

/// A run of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRun {
    /// The settings of the run.
    pub config: TrainingConfig,
    /// Its run folder, in the sweep's.
    pub folder: PathBuf,
    /// Name of the run whose weights it has, if it does not train itself.
    pub(super) weights: Option<PathBuf>,
    /// The model that chooses among its translations, if there is one.
    pub(super) reranker: Option<PathBuf>,
}

/// Whether two runs come to the same weights, whatever is done with a memory afterwards.
pub(super) fn trains_alike(one: &TrainingConfig, other: &TrainingConfig) -> Result<bool> {
    let [first, second] = [one.system()?, other.system()?];
    let reads = [&first, &second].map(|preset| preset.memory_use == Some(MemoryUse::FuzzyMatch));
    let sizes = [first, second].map(|preset| ModelConfig {
        memory_use: None,
        ..preset.config(one.vocab_size)
    });
    let settings = TrainingConfig {
        preset: other.preset.clone(),
        memory: other.memory.clone(),
        ..one.clone()
    };
    Ok(reads == [false, false] && sizes[0] == sizes[1] && settings == *other)
}

impl SweepRun {
    /// The run folder, in the sweep's, of the training that made its weights.
    pub fn trained(&self) -> &Path {
        self.weights.as_deref().unwrap_or(&self.folder)
    }

    /// Lets a model of [`Self::trained`] translate as this run's settings say: with its channel, and with what it does
    /// with a memory; it was trained on `corpus`.
    ///
    /// # Errors
    /// If the memory cannot be read.
    pub fn describe(&self, model: &mut ModelFolder, corpus: &Corpus) -> Result<()> {
        if let Some(reranker) = &self.reranker {
            let folder = std::path::absolute(reranker).map_err(Error::read(reranker))?;
            model.reranker = Some(RerankerFolder::new(folder));
        }
        if self.weights.is_none() {
            return Ok(());
        }
        let (config, preset) = (&self.config, self.config.system()?);
        model.model.memory_use = preset.memory_use;
        model.training.preset.clone_from(&config.preset);
        model.memory = memory_of(&preset, corpus, config)?;
        Ok(())
    }

    /// Whether it has ended with the settings it has now.
    pub(super) fn is_finished(&self, folder: &Path) -> Result<bool> {
        let run = folder.join(&self.folder);
        let ended = match run_state(&run)? {
            RunState::Finished(reason) => !reason.is_order(),
            _ => false,
        };
        let kept = |path: &Path| TrainingConfig::open(path).ok()?.with_absolute_paths().ok();
        let now = self.config.clone().with_absolute_paths()?;
        Ok(ended && kept(&run.join(SETTINGS)) == Some(now))
    }

    /// Refuses to continue with weights that other settings have made. When a run ends and what is written down may change,
    /// and so may the folders of files.
    pub(super) fn check_settings(&self, folder: &Path) -> Result<()> {
        let run = folder.join(&self.folder);
        if !run.join("checkpoints/last").exists() {
            return Ok(());
        }
        let path = run.join(SETTINGS);
        let name = |path: &Path| path.file_name().map(PathBuf::from).unwrap_or_default();
        let lasting = |config: TrainingConfig| TrainingConfig {
            // Its digest is compared when it continues.
            corpus: PathBuf::new(),
            from: name(&config.from),
            bert: name(&config.bert),
            contexts: name(&config.contexts),
            context_encoder: name(&config.context_encoder),
            memory: name(&config.memory),
            steps: 0,
            target_tokens: 0,
            minutes: 0.0,
            patience: 0,
            validate_every: 0,
            validation_segments: 0,
            checkpoint_every: 1,
            keep_checkpoints: 0,
            ..config
        };
        let kept = TrainingConfig::open(&path).ok();
        if kept.is_none_or(|kept| lasting(kept) == lasting(self.config.clone())) {
            return Ok(());
        }
        Err(Error::Base(BaseError::Settings {
            reason: "the run began with other ones; delete its folder, or rename the row"
                .to_owned(),
            path,
        }))
    }

    /// A failure becomes the last event of the run.
    pub(super) fn train(
        &self,
        folder: &Path,
        compute: &ComputeDevice,
        control: &Control,
        observe: &mut dyn FnMut(&TrainingEvent),
    ) {
        let run = folder.join(&self.folder);
        let resume = !matches!(run_state(&run), Ok(RunState::NeverBegun));
        let mut has_failed = false;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            train(
                &self.config,
                &run,
                resume,
                &compute.device,
                &compute.name,
                control,
                &mut |event| {
                    has_failed |= matches!(event, TrainingEvent::Failed { .. });
                    observe(event);
                },
            )
        }));
        let message = match ended {
            Ok(Ok(_)) => return,
            Ok(Err(_)) if has_failed => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => {
                let message = panic_message(panic.as_ref());
                match DeviceFailure::from_message(&message) {
                    Some(_) => in_short(&message),
                    None => BaseError::panicked(message).to_string(),
                }
            }
        };
        let event = TrainingEvent::Failed { message };
        observe(&event);
        if let Ok(mut folder) = RunFolder::open(&run, true) {
            // The observer knows it in any case.
            let _ = folder.record(&event);
        }
    }
}
