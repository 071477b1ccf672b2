//! A loaded model that translates documents.

use std::path::{Path, PathBuf};

use super::device::DeviceChoice;
use super::reading::ReadingOptions;
use super::tracing::TraceCost;
use crate::error::{BaseError, Error, Result};
use canopy_document::placeholder;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::Model;
use canopy_tokenize::Tokenizer;
use canopy_tokenize::vocabulary::Vocabulary;
pub(crate) use foreign::foreign_description;
pub(in crate::inference) use foreign::name_of;
pub use foreign::{ForeignDescription, ImportedModel, foreign_parts, import_model};
pub use loaded::LoadedModel;
pub use markup::{AlignmentHeads, WordAligner};
pub use remote::TraceRequest;
pub use resources::LanguageResources;
pub use scoring::MeanLogProbs;
pub(in crate::inference) use terms::{SOFT_BONUS, TermWishes, spelt};
pub use terms::{TermMode, TermUse};

mod foreign;
mod legs;
mod loaded;
mod markup;
mod memory;
mod remote;
mod reranking;
mod resources;
mod scoring;
mod shortlist;
mod terms;
#[cfg(test)]
mod tests;

/// Facts about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// A name for people.
    pub name: String,
    /// The folder or file that it was read from.
    pub folder: PathBuf,
    /// A language code such as `en`.
    pub source_language: String,
    /// A language code such as `de`.
    pub target_language: String,
    /// Numbers of its weights.
    pub num_parameters: usize,
    /// The other sentences of a document that it reads.
    pub reads: Reads,
    /// The size of its traces.
    pub trace_cost: TraceCost,
}

/// The other sentences of a document that a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reads {
    /// None of them.
    #[default]
    Nothing,
    /// Nothing, but edited or confirmed translations are looked up, token by token.
    Confirmed,
    /// Their source.
    Source,
    /// Their source or not, and their translations.
    Translations,
}

/// How a translator reads and writes, where there is a choice.
#[derive(Debug, Clone, Copy)]
pub struct TranslatorOptions {
    pub(in crate::inference) reading: ReadingOptions,
    /// Whether translations that are broken are searched again, as is usual.
    pub looks_again: bool,
    /// The heads that align words.
    pub alignment_heads: AlignmentHeads,
}

impl TranslatorOptions {
    /// The model gets no markup, and what it writes gets it by alignment, as with models whose vocabularies have no
    /// placeholders.
    pub fn strip_markup(&mut self) {
        self.reading.strips_markup = true;
    }

    /// Units that the model is scored on and that hold several sentences are translated sentence by sentence, as those of a
    /// document are.
    pub fn cut_units(&mut self) {
        self.reading.cuts_units = true;
    }
}

/// A model that translates documents, with what it keeps to and how it reads.
#[derive(Debug, Clone)]
pub struct Translator {
    info: ModelInfo,
    loaded: LoadedModel,
    options: TranslatorOptions,
    resources: LanguageResources,
    /// Translates the translations of this one further.
    second: Option<Box<Translator>>,
}

impl From<LoadedModel> for Translator {
    fn from(loaded: LoadedModel) -> Self {
        let description = &loaded.description;
        let heads = description
            .alignment
            .map(|[layer, head]| AlignmentHeads::Head { layer, head });
        Self {
            info: loaded.info(),
            options: TranslatorOptions {
                reading: ReadingOptions {
                    strips_markup: loaded.is_imported(),
                    ..ReadingOptions::default()
                },
                looks_again: true,
                alignment_heads: heads.unwrap_or_default(),
            },
            resources: LanguageResources::new(&loaded.tokenizer, &description.languages),
            second: None,
            loaded,
        }
    }
}

impl Translator {
    /// Loads a model folder, or a folder or zip file of another program's translation model.
    ///
    /// # Errors
    /// If a file of the folder is missing, truncated or does not fit the others, or if the device is not there.
    pub fn open(folder: &Path, device: DeviceChoice) -> Result<Self> {
        Self::open_between(folder, device, None, None)
    }

    /// Opens a model; one of several languages translates between these.
    ///
    /// # Errors
    /// As [`Self::open`], and if such a model does not know a language.
    pub fn open_between(
        folder: &Path,
        device: DeviceChoice,
        source: Option<&str>,
        target: Option<&str>,
    ) -> Result<Self> {
        let mut loaded = LoadedModel::open(folder, device, (source, target))?;
        loaded.connect_remote()?;
        if let Some(mut reranker) = loaded.description.reranker.clone() {
            reranker.folder = folder.join(reranker.folder);
            loaded.choose_by(reranker).map_err(|cause| Error::Base(BaseError::Model {
                reason: format!(
                    "it chooses by a model that translates back, but {cause}; put that one there, or delete [reranker] ([channel] in older folders)"
                ),
                path: folder.join("model.toml"),
            }))?;
        }
        Ok(loaded.into())
    }

    /// Facts about the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// The model on its device.
    pub fn loaded(&self) -> &LoadedModel {
        &self.loaded
    }

    /// The model on its device, to be changed.
    pub fn loaded_mut(&mut self) -> &mut LoadedModel {
        &mut self.loaded
    }

    /// The network.
    pub fn model(&self) -> &Model {
        &self.loaded.model
    }

    /// Our own vocabulary; none for models of other programs.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.loaded.vocabulary.as_deref()
    }

    /// The tokenizer of the model.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.loaded.tokenizer
    }

    /// The description in the model's folder.
    pub fn description(&self) -> &ModelFolder {
        &self.loaded.description
    }

    /// How it reads and writes.
    pub fn options(&self) -> TranslatorOptions {
        self.options
    }

    /// How it reads and writes, to be changed.
    pub fn options_mut(&mut self) -> &mut TranslatorOptions {
        &mut self.options
    }

    /// The user's memory, terms and form of address.
    pub fn resources(&self) -> &LanguageResources {
        &self.resources
    }

    /// The user's memory, terms and form of address, to be changed.
    pub fn resources_mut(&mut self) -> &mut LanguageResources {
        &mut self.resources
    }

    /// Whether it translates from English into German, of which alone a choice of the form of address is heard.
    pub fn has_formality_option(&self) -> bool {
        match self.second() {
            Some(second) => second.has_formality_option(),
            None => self.resources.german_forms().is_some(),
        }
    }

    /// This translator with other weights, or with another datastore.
    #[must_use]
    pub fn with_model(&self, model: Model) -> Self {
        Self {
            loaded: self.loaded.with_model(model),
            ..self.clone()
        }
    }

    /// This translator on the CPU, read again from its folder: the state of a failed device is lost. A model that was made for a
    /// document is to be made again.
    ///
    /// # Errors
    /// If the folder cannot be read any more.
    pub fn on_cpu(&self) -> Result<Self> {
        let own = &self.loaded;
        let languages = &own.description.languages;
        let (from, to) = (
            Some(languages.source.as_str()),
            Some(languages.target.as_str()),
        );
        let mut other = Self::open_between(&self.info.folder, DeviceChoice::Cpu, from, to)?;
        if let Some(second) = &self.second {
            other = other.followed_by(second.on_cpu()?)?;
        }
        if let Some(reranker) = own.description.reranker.clone() {
            other.loaded.choose_by(reranker)?;
        }
        other.loaded.description = own.description.clone();
        if let Some(quantization) = own.model.packing() {
            other.loaded.quantize(quantization);
        }
        other
            .loaded
            .model
            .shortlist
            .clone_from(&own.model.shortlist);
        other.resources = self.resources.clone();
        other.options = self.options;
        Ok(other)
    }
}

/// Whether there is a word in it; what has none is copied.
pub fn is_translatable(text: &str) -> bool {
    placeholder::stripped(text).chars().any(char::is_alphabetic)
}
