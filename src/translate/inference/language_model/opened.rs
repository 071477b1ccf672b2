//! A model of this program that translates documents.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::error::{BaseError, Error, Result};
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_explain::trace::Trace;
use canopy_kernels::gpu::Gpu;
use canopy_llm::{LanguageModel, Session};

use super::packed::{LanguageModelFiles, PackedLanguageModel};
use super::probe::{HeadScore, keep_scores, kept_scores, probe};
use super::sentences::prefix;
use super::tracing::{kinds, traced};
use super::{DocumentChat, Effort, Languages, LocalChat, Resources};
use crate::inference::device::{ComputeDevice, DeviceChoice};
use crate::inference::installed_models::{foreign_files, licence_text};
use crate::inference::pipeline::{
    DocumentModel, KnownTranslations, OnEvent, Step, TranslationEvent, TranslationRequest,
};
use crate::inference::tracing::TraceCost;
use crate::inference::translation::Translation;
use crate::inference::translator::{ForeignDescription, ModelInfo, Reads, TermUse, name_of};
use canopy_models::interchange::Stated;

/// The formats of language models, for people: a file, and a folder of Hugging Face.
pub(in crate::inference) const LANGUAGE_MODELS: [&str; 2] = ["GGUF", "safetensors"];

/// A language model with the user's memory and terms.
#[derive(Debug, Clone)]
pub struct LanguageModelTranslator {
    info: ModelInfo,
    device: ComputeDevice,
    model: Arc<LanguageModel>,
    languages: Languages,
    /// Text in front of each sentence, for a model that reads sentences alone.
    prefix: Option<String>,
    /// The user's translation memory, of which prompts show similar sentences.
    pub memory: Option<Arc<TranslationMemory>>,
    /// The user's terms, which prompts state.
    pub terms: Option<Arc<TermUse>>,
    /// Tokens of the document that are read at once, at most.
    pub budget: Option<usize>,
    /// The prompt that was read last: the next one computes only what differs.
    session: Arc<Mutex<Option<Session>>>,
    probe: Arc<OnceLock<Vec<HeadScore>>>,
    /// Those that were unpacked are there as long as the model, whose weights are in them.
    _files: Arc<LanguageModelFiles>,
}

impl LanguageModelTranslator {
    /// The file, folder or zip file of a language model: the path itself, or the one that was installed there.
    pub fn file_of(path: &Path) -> Option<PathBuf> {
        let file = foreign_files(path);
        is_language_model(&file).then_some(file)
    }

    /// Opens a GGUF file, a folder of Hugging Face or a zip file with one of them, or an installed one. A GPU computes decoders that it has room for; all
    /// else, and what another machine would compute, is left to the CPU.
    ///
    /// # Errors
    /// If it cannot be read, or is no language model that is known here; [`Error::NoGpu`] if a GPU is requested and there is
    /// none.
    pub fn open(path: &Path, languages: Languages, choice: DeviceChoice) -> Result<Self> {
        let _entered = ::tracing::info_span!("open language model", ?path).entered();
        let files = LanguageModelFiles::unpack(&foreign_files(path))?;
        let mut model = LanguageModel::open(files.path())?;
        let device = place_language_model(&mut model, choice)?;
        ::tracing::info!(
            context = model.network.context(),
            vocab = model.tokenizer.vocab(),
            has_template = model.template.is_some(),
            "opened a language model"
        );
        let network = &model.network;
        let prefix = prefix(&model, &languages)?;
        let has_context = prefix.is_none();
        let info = ModelInfo {
            name: name_of(path),
            folder: path.to_owned(),
            source_language: languages.source.clone(),
            target_language: languages.target.clone(),
            num_parameters: usize::try_from(model.about().num_parameters).unwrap_or(usize::MAX),
            reads: if has_context {
                Reads::Translations
            } else {
                Reads::Nothing
            },
            trace_cost: TraceCost {
                rows_a_token: kinds(has_context).len() * network.num_layers() * network.num_heads(),
            },
        };
        Ok(Self {
            info,
            device,
            model: Arc::new(model),
            languages,
            prefix,
            memory: None,
            terms: None,
            budget: None,
            session: Arc::default(),
            probe: Arc::default(),
            _files: Arc::new(files),
        })
    }

    /// Facts about the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Whether it reads each sentence by itself: its words alone, without instructions, context, terms and similar sentences.
    pub fn reads_sentences_alone(&self) -> bool {
        self.prefix.is_some()
    }

    /// Where it computes.
    pub fn device(&self) -> &ComputeDevice {
        &self.device
    }

    /// This model with its resources, computed by the CPU.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn on_cpu(&self) -> Result<Self> {
        let (folder, languages) = (&self.info.folder, self.languages.clone());
        Ok(Self {
            memory: self.memory.clone(),
            terms: self.terms.clone(),
            budget: self.budget,
            ..Self::open(folder, languages, DeviceChoice::Cpu)?
        })
    }

    /// Does `work` on its device.
    ///
    /// # Errors
    /// Those of `work`; [`BaseError::DeviceLost`].
    pub(super) fn attempt<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let lost = |message| Error::Base(BaseError::DeviceLost { message });
        self.device.attempt(work).map_err(lost)?
    }

    /// The languages that it translates between.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// The language model.
    pub fn model(&self) -> &Arc<LanguageModel> {
        &self.model
    }

    /// Every head with how well it finds the antecedent on a probe, the surest first; computed anew. An installed model
    /// keeps them. None, if the model reads sentences alone.
    ///
    /// # Errors
    /// If the model refuses a prompt.
    pub fn probe(&self) -> Result<Vec<HeadScore>> {
        if self.prefix.is_some() {
            return Ok(Vec::new());
        }
        let _entered = ::tracing::info_span!("probe heads").entered();
        let scores = self.attempt(|| probe(&self.model))?;
        keep_scores(&self.info.folder, &scores);
        Ok(scores)
    }

    /// Layer and head of those that find the antecedent on a probe, which is computed once; none if there are none.
    pub fn probed_heads(&self) -> Vec<(usize, usize)> {
        let scores = self.probe.get_or_init(|| {
            let kept = kept_scores(&self.info.folder, &self.model);
            kept.map_or_else(|| self.probe(), Ok)
                .unwrap_or_else(|error| {
                    ::tracing::warn!(%error, "the heads of a language model were not probed");
                    Vec::new()
                })
        });
        HeadScore::surest(scores)
    }

    /// A document under translation.
    pub fn chat<'d>(&'d self, document: &'d Document) -> DocumentChat<'d, LocalChat> {
        self.chat_by(document, LocalChat::new(Arc::clone(&self.model)))
    }

    /// A conversation with another way to compute prompts.
    pub fn chat_by<'d>(
        &'d self,
        document: &'d Document,
        chat: LocalChat,
    ) -> DocumentChat<'d, LocalChat> {
        let resources = Resources {
            memory: self.memory.as_deref(),
            terms: self.terms.as_deref(),
            budget: self.budget,
        };
        let chat = chat.behind(self.prefix.as_deref());
        DocumentChat::new(document, &self.languages, resources, chat)
    }

    /// Traces the model over a document and its translations, one for each sentence or none: the attention of each word of the
    /// translation, by layer and head, to its source sentence and to the sentences before, if it reads any.
    ///
    /// # Errors
    /// If the model refuses a prompt.
    pub fn trace(
        &self,
        document: &Document,
        translations: &[Option<Translation>],
    ) -> Result<Trace> {
        let texts = translations
            .iter()
            .map(|it| Some(it.as_ref()?.text.clone()));
        let texts: Vec<Option<String>> = texts.collect();
        let name = (self.info.name.as_str(), self.probed_heads());
        self.attempt(|| traced(self.chat(document), name, &texts))
    }

    /// Translates the named sentences in the order of the document; all before the last of them are read with their
    /// `known` translations, if they have any, to which those that are found here are added. `step` hears of each token and
    /// of each translation; where it breaks, the rest is not translated.
    ///
    /// # Errors
    /// If the model refuses a prompt.
    pub fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        known: &mut KnownTranslations,
        step: &mut dyn FnMut(Effort, Option<(usize, Translation)>) -> ControlFlow<()>,
    ) -> Result<Effort> {
        let request = (document, sentences, known);
        self.translate_with_alternatives(request, 0, &mut |effort, step_done| {
            let found = match step_done {
                Step::Translated { index, translation } => Some((index, translation)),
                _ => None,
            };
            step(effort, found)
        })
    }

    /// Translates as [`Self::translate`] does, the named sentences of a document with its known translations; before each
    /// translation `on_step` hears up to `alternatives` other ones.
    ///
    /// # Errors
    /// If the model refuses a prompt.
    pub fn translate_with_alternatives(
        &self,
        (document, sentences, known): (&Document, &[usize], &mut KnownTranslations),
        alternatives: usize,
        on_step: &mut OnWork<'_>,
    ) -> Result<Effort> {
        // Behind what was read last, as far as that is the same.
        let mut chat = self
            .continued_chat(document)
            .with_alternatives(alternatives);
        let done = self.attempt(|| translate_by(&mut chat, sentences, known, on_step));
        let effort = chat.effort();
        // What a device was lost in is not gone on with.
        if done.is_ok() {
            self.keep_session(chat);
        }
        done.map(|()| effort)
    }

    /// A document under translation or question, by the session that has read the last one.
    pub(super) fn continued_chat<'d>(
        &'d self,
        document: &'d Document,
    ) -> DocumentChat<'d, LocalChat> {
        let kept = self.kept_session().take();
        let session = kept.unwrap_or_else(|| Session::new(Arc::clone(&self.model)));
        self.chat_by(document, LocalChat::continuing(session))
    }

    /// Keeps what a conversation has read for the next one.
    pub(super) fn keep_session(&self, chat: DocumentChat<'_, LocalChat>) {
        *self.kept_session() = Some(chat.into_chat().into_session());
    }

    fn kept_session(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies a language model to the GPU of a choice, if there is one that takes it; gives the device that computes it. Another
/// machine computes none.
///
/// # Errors
/// [`Error::NoGpu`] if a GPU is requested and there is none.
pub fn place_language_model(
    model: &mut LanguageModel,
    choice: DeviceChoice,
) -> Result<ComputeDevice> {
    let device = match choice {
        DeviceChoice::Remote(_) => ComputeDevice::open(DeviceChoice::Cpu)?,
        choice => ComputeDevice::open(choice)?,
    };
    let Some(gpu) = Gpu::from_device(&device.device) else {
        return Ok(device);
    };
    let moved = device.attempt(|| model.network.move_to(&gpu));
    match moved.and_then(|moved| moved) {
        Ok(()) => Ok(device),
        Err(reason) => {
            ::tracing::warn!(
                device = device.name,
                reason,
                "a language model stays on the CPU"
            );
            ComputeDevice::open(DeviceChoice::Cpu)
        }
    }
}

/// Hears of each token, and of each translation and what else it might be; may break off the rest.
pub(crate) type OnWork<'a> = dyn FnMut(Effort, Step) -> ControlFlow<()> + 'a;

/// Translates the named sentences behind those that are known.
fn translate_by(
    chat: &mut DocumentChat<'_, LocalChat>,
    sentences: &[usize],
    known: &mut KnownTranslations,
    on_step: &mut OnWork<'_>,
) -> Result<()> {
    let last = sentences.iter().max().map_or(0, |last| last + 1);
    for index in 0..last {
        if !sentences.contains(&index) {
            let target = known.fixed.get(&index);
            if let Some(target) = target.or_else(|| known.read.get(&index)) {
                chat.read(index, target);
            }
            continue;
        }
        let mut on_token = |effort| on_step(effort, Step::Waiting);
        let Some(translation) = chat.translate(index, &mut on_token)? else {
            break;
        };
        if chat.has_read(index) {
            known.read.insert(index, translation.text.clone());
        }
        let translations = chat.other_translations(&translation.text);
        if !translations.is_empty() {
            let step = Step::Alternatives {
                index,
                translations,
            };
            if on_step(chat.effort(), step).is_break() {
                break;
            }
        }
        if on_step(chat.effort(), Step::Translated { index, translation }).is_break() {
            break;
        }
    }
    Ok(())
}

impl DocumentModel for LanguageModelTranslator {
    /// Each document in its order, greedily; other translations are drawn at random. A form of address is not known here.
    fn run(&self, request: TranslationRequest<'_>, on_event: &mut OnEvent<'_>) -> Result<()> {
        let alternatives = request.search.alternatives;
        for (document, one) in request.documents.into_iter().enumerate() {
            let mut is_broken_off = false;
            let mut on_step = |_: Effort, step| {
                let flow = on_event(TranslationEvent { document, step });
                is_broken_off |= flow.is_break();
                flow
            };
            let request = (one.document, one.sentences, one.known);
            self.translate_with_alternatives(request, alternatives, &mut on_step)?;
            if is_broken_off {
                break;
            }
        }
        Ok(())
    }
}

/// Whether a file, folder or zip file is a language model.
pub(in crate::inference) fn is_language_model(path: &Path) -> bool {
    LanguageModel::is_one(path) || PackedLanguageModel::find(path).is_some()
}

/// Description of a language model that can be opened.
///
/// # Errors
/// As [`LanguageModelTranslator::open`].
pub(in crate::inference) fn described_language_model(file: &Path) -> Result<ForeignDescription> {
    let files = LanguageModelFiles::unpack(file)?;
    let about = LanguageModel::open(files.path())?.about().clone();
    let [of_file, of_folder] = LANGUAGE_MODELS;
    let is_folder = files.path().is_dir();
    let format = if is_folder { of_folder } else { of_file };
    Ok(ForeignDescription {
        name: name_of(file),
        sources: Vec::new(),
        targets: Vec::new(),
        num_parameters: about.num_parameters,
        licence: about.licence.unwrap_or_default(),
        licence_text: licence_text(files.path()),
        made_by: format!("{format} ({})", about.architecture),
        stated: Stated {
            title: about.title,
            version: about.version,
        },
    })
}
