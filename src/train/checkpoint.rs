//! The state of a run: all that is needed to continue as if nothing had happened.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::config::TrainingConfig;
use super::mixed_precision::LossScale;
use super::optimizer::Adam;
use crate::error::{BaseError, Error, Result};
use canopy_base::disk;
use canopy_base::file::write_atomically;
use canopy_models::weights::{ModelFolder, Precision, check_finite, read_tensors, write_tensors};
use canopy_nn::model::Model;
use canopy_tokenize::ModelTokenizer;

const PROGRESS: &str = "progress.json";
const OPTIMIZER: &str = "optimizer.safetensors";

/// Loss and BLEU of the model that a run began with.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Before {
    /// On the development documents of the corpus.
    pub held_out: Option<(f32, f64)>,
    /// On the development documents of the general corpus.
    pub general: Option<(f32, f64)>,
}

/// Counters of a run. The order of the data and every dropout mask follow from them and the seed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Updates so far.
    pub step: usize,
    /// Epoch under way, from 0.
    pub epoch: usize,
    /// Batches of this epoch already seen.
    pub batch: usize,
    /// Target tokens seen, repetitions counted.
    pub target_tokens: u64,
    /// Seconds of training, validation included, pauses not.
    pub elapsed_secs: f64,
    /// Best BLEU of the development documents; none before the first validation.
    pub best_bleu: Option<f64>,
    /// Smallest loss of the development documents; none before the first validation.
    #[serde(default)]
    pub best_loss: Option<f32>,
    /// Validations since the dev loss was smallest.
    #[serde(default)]
    pub stalled: usize,
    /// Validations since dev BLEU was best.
    #[serde(default)]
    pub bleu_stalled: usize,
    /// Update after which the model was last validated.
    #[serde(default)]
    pub validated: usize,
    /// Update after which it was last scored on all development documents.
    #[serde(default)]
    pub scored: usize,
    /// Segments that are scored while training; 0 if unknown.
    #[serde(default)]
    pub segments: usize,
    /// Seconds of the last validation, with its number of segments; 0 if unknown.
    #[serde(default)]
    pub validation_secs: f64,
    /// The unit of `batch`: target tokens in a batch; 0 if unknown.
    #[serde(default)]
    pub batch_tokens: usize,
    /// Sentences in a batch at most; 0 for any number.
    #[serde(default)]
    pub batch_sentences: usize,
    /// Scores of the model that the run began with.
    #[serde(default)]
    pub before: Before,
    /// Whether its first validation was far below the model that the run began with.
    #[serde(default)]
    pub is_worse: bool,
    /// How often the learning rate was halved since numbers were not finite.
    #[serde(default)]
    pub halvings: u32,
    /// For products of 16 bits.
    #[serde(default)]
    pub loss_scale: LossScale,
}

/// Writes a checkpoint: a model folder with the optimiser's memory and the counters.
///
/// The folder is written under another name and then takes the place of the old one, so that there is a whole
/// checkpoint at every moment.
pub(super) fn save(
    folder: &Path,
    description: &ModelFolder,
    weights: &Model,
    tokenizer: &ModelTokenizer,
    optimizer: Option<&Adam>,
    progress: &Progress,
) -> Result<()> {
    let _entered = tracing::info_span!("save checkpoint", ?folder, step = progress.step).entered();
    let write = || -> Result<()> {
        let (new, old) = (folder.with_extension("new"), folder.with_extension("old"));
        for leftover in [&new, &old] {
            if leftover.exists() && folder.exists() {
                std::fs::remove_dir_all(leftover).map_err(Error::write(leftover))?;
            }
        }
        description.save(&new, weights, tokenizer, Precision::Full)?;
        if let Some(optimizer) = optimizer {
            write_tensors(&new.join(OPTIMIZER), &optimizer.state(), Precision::Full)?;
        }
        let path = new.join(PROGRESS);
        let text = serde_json::to_string_pretty(progress).map_err(|cause| {
            Error::Base(BaseError::Model {
                reason: cause.to_string(),
                path: path.clone(),
            })
        })?;
        write_atomically(&path, text.as_bytes(), true)?;
        disk::sync_folder(&new).map_err(Error::write(&new))?;
        if folder.exists() {
            disk::rename(folder, &old).map_err(Error::write(folder))?;
        }
        disk::rename(&new, folder).map_err(Error::write(folder))?;
        let parent = folder.parent().unwrap_or(folder);
        disk::sync_folder(parent).map_err(Error::write(parent))?;
        if old.exists() {
            std::fs::remove_dir_all(&old).map_err(Error::write(&old))?;
        }
        Ok(())
    };
    write().map_err(|cause| Error::Checkpoint {
        step: progress.step,
        cause: Box::new(cause),
    })
}

/// Keeps the model of the checkpoint `last` as `step-N` next to it, and of those only the newest `count`.
///
/// The files are not copied where they can have two names: nothing writes into them again.
pub(super) fn keep(last: &Path, step: usize, count: usize) -> Result<()> {
    let kept = last.with_file_name(format!("step-{step:07}"));
    if count == 0 || kept.exists() {
        return Ok(());
    }
    let Some(whole) = whole(last) else {
        return Ok(());
    };
    let new = last.with_file_name("kept.new");
    if new.exists() {
        std::fs::remove_dir_all(&new).map_err(Error::write(&new))?;
    }
    std::fs::create_dir_all(&new).map_err(Error::write(&new))?;
    for file in ModelFolder::files() {
        let (from, to) = (whole.join(file), new.join(file));
        if !from.exists() {
            continue;
        }
        if std::fs::hard_link(&from, &to).is_err() {
            std::fs::copy(&from, &to).map_err(Error::write(&to))?;
        }
    }
    disk::rename(&new, &kept).map_err(Error::write(&kept))?;
    let folder = last.parent().unwrap_or(last);
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(Error::read(folder))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("step-"))
        })
        .collect();
    models.sort();
    for old in models.iter().rev().skip(count) {
        std::fs::remove_dir_all(old).map_err(Error::write(old))?;
    }
    Ok(())
}

/// A checkpoint as it was saved.
pub(super) struct Checkpoint {
    pub description: ModelFolder,
    pub weights: Model,
    pub tokenizer: ModelTokenizer,
    pub optimizer: Adam,
    pub progress: Progress,
}

/// The checkpoint `folder`, or the one it was about to replace when a run was killed.
fn whole(folder: &Path) -> Option<PathBuf> {
    let mut folders = [folder.to_owned(), folder.with_extension("old")].into_iter();
    folders.find(|folder| folder.join(PROGRESS).exists())
}

/// Reads the checkpoint in `folder`, or the one it was about to replace; `None` if there is none.
pub(super) fn load(
    folder: &Path,
    config: &TrainingConfig,
    device: &Device,
) -> Result<Option<Checkpoint>> {
    let Some(folder) = whole(folder) else {
        return Ok(None);
    };
    let path = folder.join(PROGRESS);
    let text = std::fs::read_to_string(&path).map_err(Error::read(&path))?;
    let progress: Progress = serde_json::from_str(&text).map_err(|cause| {
        Error::Base(BaseError::Model {
            reason: cause.to_string(),
            path: path.clone(),
        })
    })?;
    let description = ModelFolder::open(&folder)?;
    let (mut weights, tokenizer) = description.load(&folder, device)?;
    if config.context_only {
        weights = weights.with_sentences_frozen();
    }
    let step = i32::try_from(progress.step).unwrap_or(i32::MAX);
    // Adam works on plain tensors, below the gradients.
    let path = folder.join(OPTIMIZER);
    let state = read_tensors(&path)?;
    check_finite(&state, &path)?;
    let optimizer = Adam::resumed(state, step, &device.clone().inner());
    let optimizer = optimizer.with_config(config, &weights);
    Ok(Some(Checkpoint {
        description,
        weights,
        tokenizer,
        optimizer,
        progress,
    }))
}
