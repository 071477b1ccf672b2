//! A model, its tokenizer and the device it computes on.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use burn::module::Module;
use burn::tensor::Device;

use super::{ImportedModel, ModelInfo, Reads};
use crate::error::{BaseError, Error, Result};
use crate::inference::device::{ComputeDevice, DeviceChoice};
use crate::inference::installed_models::{foreign_files, is_own, place_of, stated_model};
use crate::inference::sentence_encoder::SentenceEncoder;
use crate::inference::tracing::TraceCost;
use crate::remote::RemoteModel;
use canopy_kernels::packed::Quantization;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{Architecture, Model};
use canopy_nn::search::{
    EncodingCache, InvalidScores, SearchEvent, SearchOptions, SourceText, search_documents,
};
use canopy_tokenize::vocabulary::Vocabulary;
use canopy_tokenize::{ModelTokenizer, Tokenizer, two_letters};

/// A model, its tokenizer and the device it computes on.
#[derive(Debug, Clone)]
pub struct LoadedModel {
    pub(super) folder: PathBuf,
    pub(in crate::inference) device: ComputeDevice,
    pub(super) model: Model,
    pub(super) tokenizer: Arc<dyn Tokenizer>,
    /// The tokenizer, if it is a vocabulary of Canopy's.
    pub(super) vocabulary: Option<Arc<Vocabulary>>,
    pub(super) description: ModelFolder,
    /// The encoder that finds its contexts, if that is not its own BERT, once it has found some.
    context_encoder: OnceLock<Arc<SentenceEncoder>>,
    /// The model on the machine that searches and traces in place of this one.
    pub(super) remote: Option<RemoteModel>,
}

impl LoadedModel {
    /// A model that was read from `folder`.
    pub fn new(opened: ImportedModel, folder: &Path, device: ComputeDevice) -> Self {
        let ImportedModel {
            description,
            model,
            tokenizer,
        } = opened;
        let packing = model.packing().unwrap_or_default();
        let mut model = model.packed_as(packing);
        model.length_penalty = description.search.map(|search| search.length_penalty);
        model.beam_size = description.search.and_then(|search| search.beam_size);
        Self {
            folder: folder.to_owned(),
            device,
            model,
            vocabulary: tokenizer.own().cloned(),
            tokenizer: tokenizer.shared(),
            description,
            context_encoder: OnceLock::new(),
            remote: None,
        }
    }

    /// Opens a model without the one that reranks its translations.
    ///
    /// # Errors
    /// As [`Translator::open_between`](super::Translator::open_between).
    pub(super) fn open(
        folder: &Path,
        device: DeviceChoice,
        languages: (Option<&str>, Option<&str>),
    ) -> Result<Self> {
        let folder = place_of(folder);
        let _entered = tracing::info_span!("open model", ?folder).entered();
        let opened = if is_own(folder) {
            let device = ComputeDevice::open(device)?;
            let opened = open_own(folder, languages, &device.device)?;
            let mut opened = Self::new(opened, folder, device);
            if let Some(shortlist) = ModelFolder::shortlist_path(folder) {
                opened.open_shortlist(&shortlist)?;
            }
            opened
        } else {
            let (files, stated) = (foreign_files(folder), stated_model(folder));
            let mut opened = Self::open_foreign(&files, device, languages, stated)?;
            folder.clone_into(&mut opened.folder);
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
            reads,
            ..
        } = self.info();
        tracing::info!(
            name,
            from,
            to,
            parameters,
            ?reads,
            weights = ?self.model.packing(),
            beam = self.model.beam_size,
            "opened a model"
        );
    }

    pub(super) fn info(&self) -> ModelInfo {
        let description = &self.description;
        let is_transformer = description.model.architecture == Architecture::Transformer;
        let reads = match reads(&self.model, description) {
            Reads::Nothing if self.is_imported() && is_transformer => Reads::Confirmed,
            reads => reads,
        };
        ModelInfo {
            name: description.name.clone(),
            folder: self.folder.clone(),
            source_language: description.languages.source.clone(),
            target_language: description.languages.target.clone(),
            num_parameters: self.model.num_params(),
            reads,
            trace_cost: TraceCost::from_config(&description.model),
        }
    }

    /// Whether another program made it.
    pub(super) fn is_imported(&self) -> bool {
        self.vocabulary.is_none()
    }

    /// The tokenizer, shared.
    pub fn tokenizer(&self) -> Arc<dyn Tokenizer> {
        Arc::clone(&self.tokenizer)
    }

    /// The encoder that finds its contexts; none if its own BERT does. It is read from its files when it is first asked for,
    /// and computes on the CPU.
    ///
    /// # Errors
    /// As [`SentenceEncoder::open`].
    pub(in crate::inference) fn context_encoder(&self) -> Result<Option<&SentenceEncoder>> {
        let Some(place) = &self.description.context_encoder else {
            return Ok(None);
        };
        if let Some(encoder) = self.context_encoder.get() {
            return Ok(Some(encoder));
        }
        let encoder = SentenceEncoder::open_at(place, &self.folder, DeviceChoice::Cpu)?;
        Ok(Some(self.context_encoder.get_or_init(|| Arc::new(encoder))))
    }

    pub(super) fn quantization(&self) -> Quantization {
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

    /// This model with other weights, or with another datastore.
    pub(super) fn with_model(&self, model: Model) -> Self {
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

    /// Sets another T; returns whether the system has one.
    pub(in crate::inference) fn set_top_t(&mut self, top_t: usize) -> bool {
        self.model.network.set_top_t(top_t);
        self.description.model.set_top_t(top_t)
    }

    /// Whether it computes on the CPU of this machine.
    pub fn is_on_cpu(&self) -> bool {
        self.device.is_cpu() && self.remote.is_none()
    }

    /// Where it computes.
    pub fn device(&self) -> &ComputeDevice {
        &self.device
    }

    /// Searches translations of a text in the ids of this model.
    ///
    /// # Errors
    /// If the device fails.
    pub fn search(
        &self,
        text: &SourceText,
        options: &SearchOptions,
        found: &mut dyn FnMut(SearchEvent) -> ControlFlow<()>,
    ) -> Result<Result<(), InvalidScores>> {
        let (model, vocabulary) = (&self.model, &*self.tokenizer);
        model.read_packed()?;
        let mut kept = EncodingCache::default();
        let search = || search_documents(model, vocabulary, text, options, &mut kept, found);
        self.device
            .attempt(search)
            .map_err(|message| Error::Base(BaseError::DeviceLost { message }))
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
