//! A loaded model that translates documents.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use burn::tensor::Device;

use super::device::{ComputeDevice, DeviceChoice};
use super::installed_models::{foreign_files, is_own, place_of, stated_model};
use super::pipeline::AddressForms;
use super::reading::ReadingOptions;
use super::sentence_encoder::SentenceEncoder;
use super::tracing::TraceCost;
use crate::remote::RemoteModel;
use canopy_base::error::{Error, Result};
use canopy_corpus::memory::TranslationMemory;
use canopy_document::placeholder;
use canopy_kernels::packed::Quantization;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::Model;
use canopy_tokenize::vocabulary::Vocabulary;
use canopy_tokenize::{ModelTokenizer, Tokenizer, two_letters};
pub(in crate::inference) use foreign::name_of;
pub use foreign::{
    ForeignDescription, ImportedModel, foreign_description, foreign_parts, import_model,
};
pub use markup::AlignmentHeads;
pub use remote::TraceRequest;
pub use scoring::MeanLogProbs;
pub(in crate::inference) use terms::{SOFT_BONUS, TermWishes, spelt};
pub use terms::{TermMode, TermUse};

mod foreign;
mod legs;
mod markup;
mod memory;
mod remote;
mod reranking;
mod scoring;
mod shortlist;
mod terms;
#[cfg(test)]
mod tests;

/// Facts about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    pub name: String,
    pub folder: PathBuf,
    /// Language codes such as `en`.
    pub source_language: String,
    pub target_language: String,
    pub num_parameters: usize,
    pub reads: Reads,
    /// The size of its traces.
    pub trace_cost: TraceCost,
}

/// The other sentences of a document that a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reads {
    #[default]
    Nothing,
    /// Nothing, but edited or confirmed translations are looked up, token by token.
    Confirmed,
    /// Their source.
    Source,
    /// Their source or not, and their translations.
    Translations,
}

/// A model, its vocabulary and the device it computes on.
#[derive(Debug, Clone)]
pub struct Translator {
    info: ModelInfo,
    pub(super) device: ComputeDevice,
    model: Model,
    tokenizer: Arc<dyn Tokenizer>,
    /// The tokenizer, if it is a vocabulary of Canopy's.
    vocabulary: Option<Arc<Vocabulary>>,
    description: ModelFolder,
    /// The encoder that finds its contexts, if that is not its own BERT, once it has found some.
    context_encoder: OnceLock<Arc<SentenceEncoder>>,
    pub(super) reading: ReadingOptions,
    /// Whether translations that are broken are searched again.
    pub(super) looks_again: bool,
    alignment_heads: AlignmentHeads,
    /// The user's translation memory.
    memory: Option<Arc<TranslationMemory>>,
    /// The user's terms.
    terms: Option<Arc<TermUse>>,
    /// The forms of address that are kept where documents are evaluated.
    pub(super) address: Option<Arc<AddressForms>>,
    pub(super) german_forms: OnceLock<AddressForms>,
    /// Translates the translations of this one further.
    second: Option<Box<Translator>>,
    /// The model on the machine that searches and traces in place of this one.
    remote: Option<RemoteModel>,
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
        let mut translator = Self::open_alone(folder, device, (source, target))?;
        translator.connect_remote()?;
        if let Some(mut reranker) = translator.description.reranker.clone() {
            reranker.folder = folder.join(reranker.folder);
            translator.choose_by(reranker).map_err(|cause| Error::Model {
                reason: format!(
                    "it chooses by a model that translates back, but {cause}; put that one there, or delete [reranker] ([channel] in older folders)"
                ),
                path: folder.join("model.toml"),
            })?;
        }
        Ok(translator)
    }

    /// Opens a model without the one that reranks its translations.
    pub(super) fn open_alone(
        folder: &Path,
        device: DeviceChoice,
        languages: (Option<&str>, Option<&str>),
    ) -> Result<Self> {
        let folder = place_of(folder);
        let _entered = tracing::info_span!("open model", ?folder).entered();
        let opened = if is_own(folder) {
            let device = ComputeDevice::open(device)?;
            let opened = open_own(folder, languages, &device.device)?;
            let mut opened = Self::around(opened, folder, device);
            if let Some(shortlist) = ModelFolder::shortlist_path(folder) {
                opened.open_shortlist(&shortlist)?;
            }
            opened
        } else {
            let (files, stated) = (foreign_files(folder), stated_model(folder));
            let mut opened = Self::open_foreign(&files, device, languages, stated)?;
            folder.clone_into(&mut opened.info.folder);
            opened
        };
        opened.log();
        Ok(opened)
    }

    /// Writes to the log which model this is.
    fn log(&self) {
        let ModelInfo {
            name,
            source_language: from,
            target_language: to,
            num_parameters: parameters,
            ..
        } = &self.info;
        tracing::info!(
            name,
            from,
            to,
            parameters,
            reads = ?self.info.reads,
            weights = ?self.model.packing(),
            beam = self.model.beam_size,
            "opened a model"
        );
    }

    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Our own vocabulary; none for models of other programs.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_deref()
    }

    /// The tokenizer of the model.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.tokenizer
    }

    /// The tokenizer, shared.
    pub fn tokenizer_shared(&self) -> Arc<dyn Tokenizer> {
        Arc::clone(&self.tokenizer)
    }

    /// The description in the model's folder.
    pub fn description(&self) -> &ModelFolder {
        &self.description
    }

    /// The encoder that finds its contexts; none if its own BERT does. It is read from its files when it is first asked for,
    /// and computes on the CPU.
    ///
    /// # Errors
    /// As [`SentenceEncoder::open`].
    pub(super) fn context_encoder(&self) -> Result<Option<&SentenceEncoder>> {
        let Some(place) = &self.description.context_encoder else {
            return Ok(None);
        };
        if let Some(encoder) = self.context_encoder.get() {
            return Ok(Some(encoder));
        }
        let encoder = SentenceEncoder::open_at(place, &self.info.folder, DeviceChoice::Cpu)?;
        Ok(Some(self.context_encoder.get_or_init(|| Arc::new(encoder))))
    }

    fn quantization(&self) -> Quantization {
        self.model.packing().unwrap_or_default()
    }

    /// Keeps the weights of searches so from now on, those of its re-ranker too; where burn's layers search, nothing changes.
    pub fn quantize(&mut self, quantization: Quantization) {
        let packed_as = |model: &Model| model.clone().packed_as(quantization);
        self.model = packed_as(&self.model);
        if let Some(reranker) = &mut self.model.reranker {
            *reranker.model = packed_as(&reranker.model);
        }
    }

    /// This translator with other weights, or with another datastore.
    #[must_use]
    pub fn with_model(&self, model: Model) -> Self {
        let mut model = match model.packing() {
            Some(_) => model,
            None => model.packed_as(self.quantization()),
        };
        model.shortlist.clone_from(&self.model.shortlist);
        model.length_penalty = self.model.length_penalty;
        model.beam_size = self.model.beam_size;
        Self {
            model,
            device: self.device.here(),
            // Nobody else has these weights.
            remote: None,
            ..self.clone()
        }
    }

    /// This translator with another T; none where its system has no T.
    pub(super) fn with_top_t(&self, top_t: usize) -> Option<Self> {
        let mut other = self.clone();
        other.model.network.set_top_t(top_t);
        let has_choice = other.description.model.set_top_t(top_t);
        has_choice.then_some(other)
    }

    /// This translator on the CPU, read again from its folder: the state of a failed device is lost. A model that was made for a
    /// document is to be made again.
    ///
    /// # Errors
    /// If the folder cannot be read any more.
    pub fn on_cpu(&self) -> Result<Self> {
        let languages = &self.description.languages;
        let (from, to) = (
            Some(languages.source.as_str()),
            Some(languages.target.as_str()),
        );
        let mut other = Self::open_between(&self.info.folder, DeviceChoice::Cpu, from, to)?;
        if let Some(second) = &self.second {
            other = other.followed_by(second.on_cpu()?)?;
        }
        if let Some(reranker) = self.description.reranker.clone() {
            other.choose_by(reranker)?;
        }
        other.description = self.description.clone();
        if let Some(quantization) = self.model.packing() {
            other.quantize(quantization);
        }
        other.model.shortlist.clone_from(&self.model.shortlist);
        other.memory.clone_from(&self.memory);
        other.terms.clone_from(&self.terms);
        other.address.clone_from(&self.address);
        other.reading = self.reading;
        other.alignment_heads = self.alignment_heads;
        Ok(other)
    }

    /// Whether it computes on the CPU of this machine.
    pub fn is_on_cpu(&self) -> bool {
        self.device.is_cpu() && self.remote.is_none()
    }

    /// The device, for a status bar.
    pub fn device_name(&self) -> &str {
        &self.device.name
    }

    /// Whether the device is a software adapter, many times slower than the CPU itself.
    pub fn on_software_gpu(&self) -> bool {
        self.device.software
    }
}

/// Reads a model folder; one that was made from a model of several languages translates between these.
fn open_own(
    folder: &Path,
    (source, target): (Option<&str>, Option<&str>),
    device: &Device,
) -> Result<ImportedModel> {
    let mut description = ModelFolder::open(folder)?;
    let (mut model, mut tokenizer) = description.load_unread(folder, device)?;
    let languages = &mut description.languages;
    let (from, to) = (
        source.unwrap_or(&languages.source).to_owned(),
        target.unwrap_or(&languages.target).to_owned(),
    );
    let is_other = from != languages.source || to != languages.target;
    if let ModelTokenizer::Imported(own) = &tokenizer
        && is_other
        && !own.target_languages().is_empty()
    {
        let other = own.between_languages(Some(&from), &to)?;
        let first = other.special().target_prefix.first().copied();
        description.model.tokens.forced_first = first;
        model.network.force_first(first);
        (languages.source, languages.target) = (two_letters(&from), two_letters(&to));
        tokenizer = ModelTokenizer::Imported(Arc::new(other));
    }
    Ok(ImportedModel {
        description,
        model,
        tokenizer,
    })
}

fn reads(model: &Model, description: &ModelFolder) -> Reads {
    let reads_previous = description.model.translations_before() > 0;
    match (
        model.reads_documents(),
        model.is_bilingual() || reads_previous,
    ) {
        (_, true) => Reads::Translations,
        (true, false) => Reads::Source,
        (false, false) => Reads::Nothing,
    }
}

/// Whether there is a word in it; what has none is copied.
pub fn is_translatable(text: &str) -> bool {
    placeholder::stripped(text).chars().any(char::is_alphabetic)
}
