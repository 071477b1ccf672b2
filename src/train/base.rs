//! The weights that a run begins with: random ones, a trained model, or its own last checkpoint.

use std::path::Path;
use std::sync::Arc;

use burn::tensor::Device;

use super::bert::BertBase;
use super::checkpoint::{Checkpoint, Progress};
use super::config::TrainingConfig;
use super::data::TrainingData;
use super::optimizer::Adam;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::Corpus;
use canopy_models::weights::{Languages, ModelFolder, TrainingRecord};
use canopy_nn::model::{MemoryUse, Model, ModelConfig, Positions, Preset};
use canopy_tokenize::{ModelTokenizer, Side};
use canopy_translate::inference::{ImportedModel, import_model, imported_files};

/// A trained model that a run begins with.
pub(super) struct Base {
    pub model: Model,
    pub tokenizer: ModelTokenizer,
    pub description: ModelFolder,
    /// Configuration of the new model.
    pub config: ModelConfig,
}

impl Base {
    /// None if the run begins with random weights or continues.
    pub(crate) fn open(
        config: &TrainingConfig,
        preset: &Preset,
        (resumed, corpus): (bool, &Corpus),
        device: &Device,
    ) -> Result<Option<Self>> {
        if resumed || config.from.as_os_str().is_empty() {
            return Ok(None);
        }
        let (description, model, tokenizer) = Self::read(&config.from, corpus, device)?;
        let own = preset.config(description.model.vocab_size);
        let sizes = own.warm_started_from(&description.model)?;
        if matches!(own.positions, Positions::MultiLevel { .. }) && own.positions != sizes.positions
        {
            tracing::warn!(
                preset = preset.name,
                "positions of word, sentence and paragraph are left out: the model to begin with has others"
            );
        }
        let reads_target =
            sizes.memory_use == Some(MemoryUse::FuzzyMatch) || sizes.previous_translations > 0;
        if reads_target && !has_one_vocabulary(&tokenizer) {
            return Err(Error::Base(BaseError::Config {
                field: "preset",
                found: preset.name.to_owned(),
                allowed: format!(
                    "a system whose encoder reads no translations, since {} has a vocabulary for each language",
                    description.name
                ),
            }));
        }
        Ok(Some(Self {
            model,
            tokenizer,
            description,
            config: sizes,
        }))
    }

    /// A model folder, or a model of another program between the languages of the corpus.
    pub(crate) fn read(
        from: &Path,
        corpus: &Corpus,
        device: &Device,
    ) -> Result<(ModelFolder, Model, ModelTokenizer)> {
        let is_own = from.join("model.toml").is_file();
        let files = imported_files(from).or_else(|| (!is_own).then(|| from.to_owned()));
        if let Some(files) = files {
            let info = corpus.info();
            let (source, target) = (&info.source_language, &info.target_language);
            let between = (Some(source.as_str()), Some(target.as_str()));
            let ImportedModel {
                description,
                model,
                tokenizer,
            } = import_model(&files, between, device)?;
            return Ok((description, model, tokenizer));
        }
        let description = ModelFolder::open(from)?;
        let (model, tokenizer) = description.load(from, device)?;
        Ok((description, model, tokenizer))
    }
}

/// Refuses to keep a sentence-level network that there is not.
///
/// # Errors
/// With the setting.
pub(super) fn check_context_only(config: &TrainingConfig, preset: &Preset) -> Result<()> {
    let is_second = preset.reads_documents() && !config.from.as_os_str().is_empty();
    if is_second || !config.context_only {
        return Ok(());
    }
    Err(Error::Base(BaseError::Config {
        field: "context_only",
        found: config.context_only.to_string(),
        allowed:
            "false, unless a system that reads documents begins with a sentence-level model (from)"
                .to_owned(),
    }))
}

/// Refuses to train a choice that could not be learnt.
fn check_top_t(model: &ModelConfig) -> Result<()> {
    if model.top_t() != Some(1) {
        return Ok(());
    }
    Err(Error::Base(BaseError::Config {
        field: "top_t",
        found: "1".to_owned(),
        allowed: "2 or more: the relevance of a single sentence is added to the scores of all words that are read, which changes \
                  none of their weights, so that no gradient comes to it (Trankova et al. 2024, §3.2)"
            .to_owned(),
    }))
}

/// Whether both sides have the same tokens under the same ids.
fn has_one_vocabulary(tokenizer: &ModelTokenizer) -> bool {
    let len = tokenizer.len(Side::Source);
    let ids = 0..u32::try_from(len).unwrap_or(u32::MAX);
    len == tokenizer.len(Side::Target)
        && ids
            .into_iter()
            .all(|id| tokenizer.token(Side::Source, id) == tokenizer.token(Side::Target, id))
}

/// A model on its way.
pub(super) struct Start {
    pub description: ModelFolder,
    pub model: Model,
    pub optimizer: Adam,
    pub progress: Progress,
}

impl Start {
    /// Initialises, loads or continues the weights that a configuration asks for.
    pub(crate) fn new(
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
            || preset.config(data.tokenizer.len(Side::Source)),
            |base| base.config.clone(),
        );
        sizes.dropout = config.dropout;
        if config.top_t > 0 && !sizes.set_top_t(config.top_t) {
            return Err(Error::Base(BaseError::Config {
                field: "top_t",
                found: config.top_t.to_string(),
                allowed: format!("0: {} does not choose sentences", preset.name),
            }));
        }
        check_top_t(&sizes)?;
        if let (Some(bert), Some(texts)) = (&bert, &data.bert) {
            sizes = bert.under(sizes, texts);
        }
        let known = base.as_ref().map(|base| base.description.clone());
        let mut model = match base {
            Some(base) => Model::warm_start(base.model, &sizes, config.seed, device)?,
            None => Model::seeded(&sizes, config.seed, device)?,
        };
        if let Some(BertBase { bert, reading, .. }) = bert {
            model.network.set_bert(*bert, &reading);
        }
        if config.context_only {
            model = model.with_sentences_frozen();
        }
        let is_new = known.as_ref().is_none_or(|it| it.model.context.is_none());
        if config.gate_opening_steps > 0 && !(is_new && model.has_warm_gate()) {
            return Err(Error::Base(BaseError::Config {
                field: "gate_opening_steps",
                found: config.gate_opening_steps.to_string(),
                allowed: format!(
                    "0, unless {} has a gate and begins with a sentence-level model (from)",
                    preset.name
                ),
            }));
        }
        Ok(Self {
            description: describe(config, preset, data, sizes, known.as_ref()),
            optimizer: Adam::default().with_config(config, &model),
            model,
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
    base: Option<&ModelFolder>,
) -> ModelFolder {
    let info = data.corpus.info();
    let languages = Languages {
        source: info.source_language.clone(),
        target: info.target_language.clone(),
    };
    let imported = base.filter(|_| matches!(data.tokenizer, ModelTokenizer::Imported(_)));
    let name = match imported {
        Some(base) if preset.reads_documents() => format!("{}, {}", base.name, preset.name),
        Some(base) => format!("{}, fine-tuned", base.name),
        None => format!("{} {}-{}", preset.name, languages.source, languages.target),
    };
    let mut licence = info.licence.clone();
    // Ours say of which corpora they come; those of others have terms of their own.
    let terms = imported.map(|base| base.licence.as_str());
    if let Some(terms) = terms.filter(|terms| !terms.is_empty() && *terms != licence) {
        licence = format!("{terms} AND {licence}");
    }
    let mut description = ModelFolder::new(name, licence, languages, sizes);
    description.alignment = base.and_then(|base| base.alignment);
    description.search = base.and_then(|base| base.search);
    description.training = TrainingRecord {
        corpus: info.name.clone(),
        corpus_licence: info.licence.clone(),
        preset: preset.name.to_owned(),
        seed: config.seed,
        ..TrainingRecord::default()
    };
    description.memory.clone_from(&data.memory);
    if let Some(bert) = &data.bert {
        description.pieces = Some(Arc::clone(&bert.pieces));
        description.contexts.clone_from(&bert.search);
        description.context_encoder.clone_from(&bert.encoder);
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_one_sentence_cannot_be_learnt() {
        let preset = Preset::named("conditional-small").expect("there");
        let mut model = preset.config(50);
        assert!(check_top_t(&model).is_ok());
        model.set_top_t(1);
        let refused = check_top_t(&model).expect_err("no gradient").to_string();
        assert!(refused.contains("top_t") && refused.contains("gradient"));
        let others = Preset::named("selective-small").expect("there");
        assert!(check_top_t(&others.config(50)).is_ok());
    }
}
