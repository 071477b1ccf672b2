//! The weights that a run begins with: random ones, a trained model, or its own last checkpoint.

use std::sync::Arc;

use burn::tensor::Device;

use super::bert::BertBase;
use super::checkpoint::{Checkpoint, Progress};
use super::config::TrainingConfig;
use super::data::TrainingData;
use super::optimizer::Adam;
use crate::error::{Error, Result};
use crate::model::{Model, ModelConfig, Preset};
use crate::text::vocabulary::Vocabulary;
use crate::weights::{Languages, ModelFolder, TrainingRecord};

/// A trained model that a run begins with.
pub(super) struct Base {
    pub model: Model,
    pub vocabulary: Vocabulary,
    pub description: ModelFolder,
    /// Of the new model.
    pub config: ModelConfig,
}

impl Base {
    /// None if the run begins with random weights or goes on.
    pub fn open(
        config: &TrainingConfig,
        preset: &Preset,
        resumed: bool,
        device: &Device,
    ) -> Result<Option<Self>> {
        if resumed || config.from.as_os_str().is_empty() {
            return Ok(None);
        }
        let description = ModelFolder::open(&config.from)?;
        let sizes = preset
            .config(description.model.vocab_size)
            .warm_started_from(&description.model)?;
        let (model, vocabulary) = description.load(&config.from, device)?;
        Ok(Some(Self {
            model,
            vocabulary,
            description,
            config: sizes,
        }))
    }
}

/// A model on its way.
pub(super) struct Start {
    pub description: ModelFolder,
    pub model: Model,
    pub optimizer: Adam,
    pub progress: Progress,
}

impl Start {
    pub fn new(
        config: &TrainingConfig,
        preset: &Preset,
        data: &TrainingData,
        device: &Device,
        saved: Option<Checkpoint>,
        (base, bert): (Option<Base>, Option<BertBase>),
    ) -> Result<Self> {
        if let Some(saved) = saved {
            return Ok(Self {
                description: saved.description,
                model: saved.weights,
                optimizer: saved.optimizer,
                progress: saved.progress,
            });
        }
        let mut sizes = base.as_ref().map_or_else(
            || preset.config(data.vocabulary.len()),
            |base| base.config.clone(),
        );
        sizes.dropout = config.dropout;
        if config.top_t > 0 && !sizes.set_top_t(config.top_t) {
            return Err(Error::Config {
                field: "top_t",
                found: config.top_t.to_string(),
                allowed: format!("0: {} does not choose sentences", preset.name),
            });
        }
        if let (Some(bert), Some(texts)) = (&bert, &data.bert) {
            sizes = bert.under(sizes, texts);
        }
        let mut model = match base {
            Some(base) => Model::warm_start(base.model, &sizes, config.seed, device)?,
            None => Model::seeded(&sizes, config.seed, device)?,
        };
        if let Some(BertBase { bert, reading, .. }) = bert {
            model.set_bert(*bert, &reading);
        }
        Ok(Self {
            description: describe(config, preset, data, sizes),
            model,
            optimizer: Adam::default(),
            progress: Progress::default(),
        })
    }
}

/// The description of a new model, before its first step.
fn describe(
    config: &TrainingConfig,
    preset: &Preset,
    data: &TrainingData,
    sizes: ModelConfig,
) -> ModelFolder {
    let info = data.corpus.info();
    let languages = Languages {
        source: info.source_language.clone(),
        target: info.target_language.clone(),
    };
    let name = format!("{} {}-{}", preset.name, languages.source, languages.target);
    let mut description = ModelFolder::new(name, info.licence.clone(), languages, sizes);
    description.training = TrainingRecord {
        corpus: info.name.clone(),
        corpus_licence: info.licence.clone(),
        preset: preset.name.to_owned(),
        seed: config.seed,
        ..TrainingRecord::default()
    };
    description.memory.clone_from(&data.memory);
    description.pieces = data.bert.as_ref().map(|bert| Arc::clone(&bert.pieces));
    description
}
