//! The choice among translations by a model of the opposite direction.

use std::path::Path;
use std::sync::Arc;

use super::LoadedModel;
use crate::error::{BaseError, Error, Result};
use crate::inference::device::DeviceChoice;
use crate::inference::installed_models::{foreign_files, is_own, place_of, stated_model};
use canopy_corpus::is_same_language;
use canopy_models::weights::{ModelFolder, RerankerFolder};
use canopy_nn::model::{MemoryUse, Model, Reranker};
use canopy_tokenize::Tokenizer;
use canopy_tokenize::vocabulary::Vocabulary;

impl LoadedModel {
    /// From now on, of the translations that a search finds for a sentence, the one is taken from which the model in
    /// `reranker` recovers the source best, see [`Reranker`].
    ///
    /// That model may be one of another program, and have other subwords: it reads texts then, not ids.
    ///
    /// # Errors
    /// If that model cannot be read, does not translate back, or reads more than a sentence.
    pub fn choose_by(&mut self, reranker: RerankerFolder) -> Result<()> {
        let refuse = |reason| {
            Error::Base(BaseError::Model {
                reason,
                path: reranker.folder.clone(),
            })
        };
        let back = Back::open(&reranker.folder, self)?;
        let (own, languages) = (&self.description.languages, &back.description.languages);
        let translates_back = is_same_language(&own.source, &languages.target)
            && is_same_language(&own.target, &languages.source);
        if !translates_back {
            return Err(refuse(format!(
                "it translates {} to {}; what chooses among the translations must translate {} to {}",
                languages.source, languages.target, own.target, own.source
            )));
        }
        let config = &back.description.model;
        if config.context.is_some() || config.memory_use == Some(MemoryUse::FuzzyMatch) {
            return Err(refuse(
                "it reads more than a sentence; what chooses among the translations of sentences must not".to_owned(),
            ));
        }
        self.model.reranker = Some(Reranker {
            max_tokens: config.max_tokens,
            tokenizer: back.tokenizer,
            model: Box::new(back.model.packed_as(self.quantization())),
            weight: reranker.weight,
        });
        if let Some(remote) = &mut self.remote {
            remote.choose_by(&reranker.folder, reranker.weight)?;
        }
        self.description.reranker = Some(reranker);
        Ok(())
    }
}

/// A model of the opposite direction.
struct Back {
    description: ModelFolder,
    model: Model,
    /// None if its ids are those of the model whose translations it ranks.
    tokenizer: Option<Arc<dyn Tokenizer>>,
}

impl Back {
    /// The model in `folder`, from the target's language of `ranked` to its source's where it has a choice.
    fn open(folder: &Path, ranked: &LoadedModel) -> Result<Self> {
        let folder = place_of(folder);
        if !is_own(folder) {
            let own = &ranked.description.languages;
            let between = (Some(own.target.as_str()), Some(own.source.as_str()));
            let device = if ranked.device.is_cpu() {
                DeviceChoice::Cpu
            } else {
                DeviceChoice::Gpu
            };
            let opened = LoadedModel::open_foreign(
                &foreign_files(folder),
                device,
                between,
                stated_model(folder),
            )?;
            return Ok(Self {
                description: opened.description,
                model: opened.model,
                tokenizer: Some(opened.tokenizer),
            });
        }
        // Not as a translator: two models may choose for each other.
        let description = ModelFolder::alone(folder)?;
        let (model, tokenizer) = description.load_unread(folder, &ranked.device.device)?;
        let own = ranked.vocabulary.as_deref().map(Vocabulary::tokens);
        let back = tokenizer.own();
        let has_same_ids = own.is_some() && own == back.map(|back| back.tokens());
        Ok(Self {
            description,
            model,
            tokenizer: (!has_same_ids).then(|| tokenizer.shared()),
        })
    }
}
