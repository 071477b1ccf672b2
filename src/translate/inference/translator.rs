//! A loaded model that translates documents.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use burn::tensor::Device;

use super::device::{ComputeDevice, DeviceChoice};
use super::installed_models::{foreign_files, is_own, place_of, told_of};
use super::markup_projection::StrippedSource;
use super::preparation::Preparation;
use super::tracing::TraceCost;
use super::translation::{Flag, Translation};
use crate::remote::RemoteModel;
pub use address::{AddressChoice, AddressForms};
use canopy_base::error::{Error, Result};
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_document::placeholder;
use canopy_kernels::packed::Quantization;
use canopy_metrics::discourse::FormOfAddress;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{BertSequence, Model};
use canopy_nn::search::{Encodings, Hypothesis, SearchOptions, SourceFrame, SourceText};
use canopy_tokenize::vocabulary::Vocabulary;
use canopy_tokenize::{ModelTokenizer, Side, Tokenizer, two_letters};
pub use elsewhere::TraceRequest;
pub(in crate::inference) use foreign::name_of;
pub use foreign::{
    ForeignDescription, ImportedModel, foreign_description, foreign_parts, import_model,
};
pub use markup::{AlignmentHeads, AlignmentStep};
pub use scoring::MeanLogProbs;
pub use several::DocumentRequest;
pub use terms::{TermMode, TermUse};

mod address;
mod elsewhere;
mod foreign;
mod markup;
mod memory;
mod pivot;
mod reading;
mod reranking;
mod scoring;
mod second_look;
mod sequential;
mod several;
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
    /// Nothing, but what somebody has edited or confirmed is looked up, token by token.
    Confirmed,
    /// Their source.
    Source,
    /// Their source or not, and their translations.
    Translations,
}

/// Translations that others read while a document is translated: those somebody has edited or confirmed, and drafts.
///
/// Drafts, and what is read of the whole document, stay from one call of [`Translator::translate_with`] to the next, for
/// the same document and model.
#[derive(Debug, Clone, Default)]
pub struct KnownTranslations {
    /// By their sentences, with placeholders.
    fixed: BTreeMap<usize, String>,
    /// The tokens of each part of a sentence.
    drafts: HashMap<(usize, usize), Vec<u32>>,
    /// BERT's sequence of each sentence.
    contexts: Option<Vec<BertSequence>>,
    encodings: Encodings,
    /// The form of address that is asked for where nobody has fixed one before.
    address: Option<FormOfAddress>,
    /// Texts in which the terms of sentences are looked up, where these are translations themselves.
    term_sources: HashMap<usize, String>,
}

impl KnownTranslations {
    /// What somebody has edited or confirmed, by the index of the sentence.
    pub fn fixed_targets(&self) -> &BTreeMap<usize, String> {
        &self.fixed
    }

    /// Targets that somebody has edited or confirmed, by the index of the sentence.
    pub fn fixed(fixed: BTreeMap<usize, String>) -> Self {
        Self {
            fixed,
            ..Self::default()
        }
    }

    /// Those of a document's sentences: what the search has found as it found it, the others as fixed.
    pub(super) fn of(translations: &[Option<Translation>]) -> Self {
        let mut known = Self::default();
        for (sentence, translation) in translations.iter().enumerate() {
            let Some(Translation { text, parts, .. }) = translation else {
                continue;
            };
            if parts.is_empty() {
                known.fixed.insert(sentence, text.clone());
            }
            let parts = parts.iter().cloned().enumerate();
            known
                .drafts
                .extend(parts.map(|(part, ids)| ((sentence, part), ids)));
        }
        known
    }
}

/// Progress of a translation.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Drafts that others read, which come first: so many are done and to be done now.
    Drafted { done: usize, num: usize },
    /// Nothing new from the machine that translates; whoever waits may end it.
    Waiting,
    /// Other translations of a sentence, which comes next, if they were asked for; the likelier ones first.
    Alternatives { index: usize, texts: Vec<String> },
    Translated {
        /// Of the sentence in its document.
        index: usize,
        translation: Translation,
    },
}

/// A model, its vocabulary and the device it computes on.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a way of reading of its own"
)]
pub struct Translator {
    info: ModelInfo,
    device: ComputeDevice,
    model: Model,
    tokenizer: Arc<dyn Tokenizer>,
    /// The same, if it is our own.
    vocabulary: Option<Arc<Vocabulary>>,
    description: ModelFolder,
    /// Whether markup is put into translations by alignment, though the vocabulary has placeholders.
    strips_markup: bool,
    /// Whether units that it is scored on are cut into sentences.
    cuts_units: bool,
    /// How many tokens a part of a sentence has at most, if fewer than the model reads.
    longest_part: Option<usize>,
    /// Whether it reads no names of files.
    hides_names: bool,
    /// Whether translations that are broken are searched again.
    looks_again: bool,
    alignment_heads: AlignmentHeads,
    alignment_step: AlignmentStep,
    /// The user's translation memory.
    memory: Option<Arc<TranslationMemory>>,
    /// The user's terms.
    terms: Option<Arc<TermUse>>,
    /// The forms of address that are kept where documents are evaluated.
    address: Option<Arc<AddressForms>>,
    chosen_address: Option<AddressChoice>,
    german_forms: OnceLock<AddressForms>,
    /// Translates the translations of this one further.
    second: Option<Box<Translator>>,
    /// The same model on the machine that searches and traces in place of this one.
    elsewhere: Option<RemoteModel>,
}

/// A sentence under translation: its parts, and what came of them.
#[derive(Default)]
struct Pending {
    /// The sentence without the markup that the model does not read.
    stripped: Option<StrippedSource>,
    preparation: Preparation,
    parts: Vec<(String, Option<Hypothesis>)>,
    /// Whether a part does without one of its terms.
    lacks_terms: bool,
}

impl Translator {
    /// Loads a model folder, or a folder or zip file of another program's translation model.
    ///
    /// # Errors
    /// If a file of the folder is missing, truncated or does not fit the others, or if the device is not there.
    pub fn open(folder: &Path, device: DeviceChoice) -> Result<Self> {
        Self::open_between(folder, device, None, None)
    }

    /// The same; a model of several languages translates between these.
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
        translator.find_elsewhere()?;
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

    /// The same without the model that its folder says chooses among the translations.
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
            Self::around(opened, folder, device)
        } else {
            let (files, told) = (foreign_files(folder), told_of(folder));
            let mut opened = Self::open_foreign(&files, device, languages, told)?;
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

    /// No sentences yet, but what stands around each of them.
    pub(in crate::inference) fn source_text(&self) -> SourceText {
        SourceText {
            frame: SourceFrame::of(self.tokenizer.special()),
            ..SourceText::default()
        }
    }

    /// Our own vocabulary; none for models of other programs.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_deref()
    }

    /// The tokenizer of the model.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.tokenizer
    }

    /// The same, to be kept.
    pub fn tokenizer_shared(&self) -> Arc<dyn Tokenizer> {
        Arc::clone(&self.tokenizer)
    }

    /// The description in the model's folder.
    pub fn description(&self) -> &ModelFolder {
        &self.description
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

    /// The same with other weights, or with what they look up.
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
            elsewhere: None,
            ..self.clone()
        }
    }

    /// The same with another T; none where there is no such choice.
    pub(super) fn with_top_t(&self, top_t: usize) -> Option<Self> {
        let mut other = self.clone();
        other.model.set_top_t(top_t);
        let has_choice = other.description.model.set_top_t(top_t);
        has_choice.then_some(other)
    }

    /// The same on the CPU, read again from its folder: what a device held that failed is lost. A model that was made for a
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
        other.chosen_address = self.chosen_address;
        other.strips_markup = self.strips_markup;
        other.cuts_units = self.cuts_units;
        other.alignment_heads = self.alignment_heads;
        other.alignment_step = self.alignment_step;
        Ok(other)
    }

    /// Whether it computes on the CPU of this machine.
    pub fn is_on_cpu(&self) -> bool {
        self.device.is_cpu() && self.elsewhere.is_none()
    }

    /// The device, for a status bar.
    pub fn device_name(&self) -> &str {
        &self.device.name
    }

    /// Whether the device is a software adapter, many times slower than the CPU itself.
    pub fn on_software_gpu(&self) -> bool {
        self.device.software
    }

    /// Translates the named sentences of a document, the most urgent first in `sentences`.
    ///
    /// `finished` gets each sentence's index in the document and its translation as soon as it is there; `Break`
    /// cancels the rest, after the batch under way.
    ///
    /// # Errors
    /// As [`Self::translate_with`].
    pub fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        options: &SearchOptions,
        finished: &mut dyn FnMut(usize, Translation) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut known = KnownTranslations::default();
        let mut step = |step| match step {
            Step::Waiting | Step::Drafted { .. } | Step::Alternatives { .. } => {
                ControlFlow::Continue(())
            }
            Step::Translated { index, translation } => finished(index, translation),
        };
        self.translate_with(document, sentences, &mut known, options, &mut step)
    }

    /// As [`Self::translate`], where a bilingual model reads the `known` translations of other sentences; drafts of those
    /// it misses are made first and kept there. `Break` cancels the drafts too.
    ///
    /// The fixed translation of a sentence that is too long for the model is not read: nobody knows where to cut it.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] and [`Error::InvalidScores`], which name the sentence; [`Self::on_cpu`] may go on with it.
    pub fn translate_with(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        if let Some((choice, _)) = self.asked_choice() {
            let wanted = (document, sentences);
            return self.translate_in_form(choice, wanted, known, options, step);
        }
        self.translate_once(document, sentences, known, options, step)
    }

    /// [`Self::translate_with`] in the form of address that stands in `known`.
    fn translate_once(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        options: &SearchOptions,
        step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<()> {
        if let Some(second) = &self.second {
            return self.translate_through(second, document, sentences, options, step);
        }
        if self.description.model.translations_before() > 0 {
            return self.translate_sequentially(document, sentences, known, options, step);
        }
        self.translate_after(&[], document, sentences, known, options, step)
    }

    /// The whole translation once all parts are there.
    fn joined(&self, pending: &Pending) -> Option<Translation> {
        let mut joined = Translation {
            text: String::new(),
            log_prob: 0.0,
            num_tokens: 0,
            flags: Vec::new(),
            parts: Vec::new(),
        };
        for (source, hypothesis) in &pending.parts {
            let hypothesis = hypothesis.as_ref()?;
            let lead = source.len() - source.trim_start().len();
            joined.text += &source[..lead];
            joined.text += &self.tokenizer.decode(Side::Target, &hypothesis.ids);
            joined.text += &source[source.trim_end().len().max(lead)..];
            joined.log_prob += hypothesis.log_prob;
            joined.num_tokens += hypothesis.ids.len() + 1;
            joined.parts.push(hypothesis.ids.clone());
            // Our own vocabulary can write everything.
            let unknown = self.tokenizer.special().unk;
            let unknown = unknown.filter(|_| self.vocabulary.is_none());
            let has_unknown = unknown.is_some_and(|unknown| hypothesis.ids.contains(&unknown));
            if has_unknown && !joined.flags.contains(&Flag::Unwritten) {
                joined.flags.push(Flag::Unwritten);
            }
            if hypothesis.cut_off && !joined.flags.contains(&Flag::CutOff) {
                joined.flags.push(Flag::CutOff);
            }
        }
        if pending.parts.len() > 1 {
            joined.flags.push(Flag::Split);
        }
        if pending.lacks_terms {
            joined.flags.push(Flag::Terms);
        }
        if let Some(stripped) = &pending.stripped {
            let parts = pending.parts.iter().map(|(source, hypothesis)| {
                let ids = hypothesis
                    .as_ref()
                    .map(|hypothesis| hypothesis.ids.as_slice());
                (source.as_str(), ids.unwrap_or_default())
            });
            let parts: Vec<_> = parts.collect();
            joined = self.with_markup_put_back(joined, stripped, &parts);
            // Pieces that are a space each, in front of one that begins with a space.
            while joined.text.contains("  ") {
                joined.text = joined.text.replace("  ", " ");
            }
        }
        joined.text = pending.preparation.restored(joined.text);
        Some(joined)
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
        model.force_first(first);
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
