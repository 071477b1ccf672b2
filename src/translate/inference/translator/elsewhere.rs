//! The machine that searches and traces in place of this one.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Translator;
use crate::inference::device::DeviceChoice;
use crate::inference::translation::{Flag, Translation};
use crate::remote::{ModelReference, RemoteModel, Traffic};
use canopy_base::error::{Error, Result};
use canopy_document::document::{Document, Format, Paragraph, ParagraphKind, Section, Sentence};
use canopy_explain::trace::{self, Trace};
use canopy_kernels::packed::Quantization;
use canopy_models::weights::RerankerFolder;
use canopy_nn::model::MemoryUse;
use canopy_nn::search::{
    Encodings, InvalidScores, SearchEvent, SearchOptions, SourceText, search_documents,
};

/// A trace of a document on another machine.
#[derive(Debug, Serialize, Deserialize)]
pub struct TraceRequest {
    pub model: ModelReference,
    document: SentDocument,
    translations: Vec<Option<SentTranslation>>,
    part: Option<Range<usize>>,
    top_t: Option<usize>,
}

/// The part of a document that a trace needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SentDocument {
    name: String,
    sections: Vec<Section>,
    /// Section, kind and sentences of each.
    paragraphs: Vec<(usize, ParagraphKind, Range<usize>)>,
    /// Paragraph, text and points of each.
    sentences: Vec<(usize, String, Vec<String>)>,
}

/// The part of a translation that a trace needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SentTranslation {
    text: String,
    log_prob: u32,
    num_tokens: usize,
    flags: Vec<Flag>,
    parts: Vec<Vec<u32>>,
}

impl Translator {
    /// Names the model for the other machine, if it is one that computes.
    pub(super) fn find_elsewhere(&mut self) -> Result<()> {
        if let Some(client) = &self.device.remote {
            self.elsewhere = Some(RemoteModel::new(client, &self.info.folder)?);
        }
        Ok(())
    }

    /// Languages of the model, and whether its weights are 8-bit integers.
    pub(in crate::inference) fn model_elsewhere(&self) -> ([String; 2], bool) {
        let languages = &self.description.languages;
        let codes = [&languages.source, &languages.target].map(Clone::clone);
        (codes, self.quantization() == Quantization::Int8)
    }

    /// Bytes sent and received between this machine and the one that searches.
    pub fn traffic(&self) -> Option<Traffic> {
        let own = self
            .elsewhere
            .as_ref()
            .map(|there| there.client().traffic());
        let second = self.second.as_ref().and_then(|second| second.traffic());
        match (own, second) {
            (Some(own), Some(second)) => Some(Traffic {
                round_trips: own.round_trips + second.round_trips,
                sent: own.sent + second.sent,
                received: own.received + second.received,
            }),
            (own, second) => own.or(second),
        }
    }

    /// Opens the model of a job of another machine; `reranker` chooses among the translations, not what the folder says.
    ///
    /// # Errors
    /// As [`Self::open_between`] and [`Self::choose_by`].
    pub fn open_for_job(
        folder: &Path,
        device: DeviceChoice,
        [source, target]: &[String; 2],
        int8: bool,
        reranker: Option<RerankerFolder>,
    ) -> Result<Self> {
        let mut translator = Self::open_alone(folder, device, (Some(source), Some(target)))?;
        if int8 {
            translator.quantize(Quantization::Int8);
        }
        if let Some(reranker) = reranker {
            translator.choose_by(reranker)?;
        }
        Ok(translator)
    }

    /// Searches translations of a text in the ids of this model.
    ///
    /// # Errors
    /// If the device fails.
    pub fn search_text(
        &self,
        text: &SourceText,
        options: &SearchOptions,
        found: &mut dyn FnMut(SearchEvent) -> ControlFlow<()>,
    ) -> Result<Result<(), InvalidScores>> {
        let (model, vocabulary) = (&self.model, &*self.tokenizer);
        model.read_packed()?;
        let mut kept = Encodings::default();
        let search = || search_documents(model, vocabulary, text, options, &mut kept, found);
        self.device
            .attempt(search)
            .map_err(|message| Error::DeviceLost { message })
    }

    /// The trace of a job of another machine.
    ///
    /// # Errors
    /// If its numbers do not fit each other; as [`Self::trace`].
    pub fn trace_job(&self, request: TraceRequest) -> Result<Trace> {
        let document = request.document.document();
        let fits = document.as_ref().is_some_and(|document| {
            let num = document.sentences.len();
            let part = request.part.as_ref();
            request.translations.len() == num
                && part.is_none_or(|part| part.start < part.end && part.end <= num)
        });
        let Some(document) = document.filter(|_| fits) else {
            let message = "the document that was sent does not fit itself";
            return Err(Error::panicked(message.to_owned()));
        };
        let translations = request.translations.into_iter();
        let translations: Vec<Option<Translation>> = translations
            .map(|sent| sent.map(Translation::from))
            .collect();
        self.trace_with(&document, &translations, request.part, request.top_t)
    }

    /// A trace by the other machine, which does not have what this translator remembers.
    pub(in crate::inference) fn trace_elsewhere(
        &self,
        there: &RemoteModel,
        document: &Document,
        translations: &[Option<Translation>],
        part: Option<Range<usize>>,
        top_t: Option<usize>,
    ) -> Result<Trace> {
        let folder = tempfile::tempdir().map_err(Error::write(std::env::temp_dir()))?;
        let path = folder.path().join("job.trace");
        let sent: Vec<Option<SentTranslation>> = translations
            .iter()
            .map(|translation| translation.as_ref().map(SentTranslation::from))
            .collect();
        let document = SentDocument::from_document(document);
        let request = |model| TraceRequest {
            model,
            document: document.clone(),
            translations: sent.clone(),
            part: part.clone(),
            top_t,
        };
        there.file_of("/traces", self.model_elsewhere(), request, &path)?;
        let mut trace = trace::open(&path)?.trace()?.into_owned();
        trace.overview.model.looks_up =
            self.description().model.memory_use == Some(MemoryUse::KnnMt);
        Ok(trace)
    }

    /// The model on the machine that computes in place of this one.
    pub(in crate::inference) fn elsewhere(&self) -> Option<&RemoteModel> {
        self.elsewhere.as_ref()
    }
}

impl SentDocument {
    fn from_document(document: &Document) -> Self {
        let paragraphs = document.paragraphs.iter();
        let sentences = document.sentences.iter();
        Self {
            name: document.name.clone(),
            sections: document.sections.clone(),
            paragraphs: paragraphs
                .map(|it| (it.section, it.kind, it.sentences.clone()))
                .collect(),
            sentences: sentences
                .map(|it| (it.paragraph, it.text.clone(), it.points.clone()))
                .collect(),
        }
    }

    /// The document, if its numbers fit each other.
    fn document(self) -> Option<Document> {
        let (sections, paragraphs) = (self.sections.len(), self.paragraphs.len());
        let num = self.sentences.len();
        let fits = sections > 0
            && self.sections.iter().enumerate().all(|(number, section)| {
                section.parent.is_none_or(|parent| parent < number)
                    && section.heading.is_none_or(|heading| heading < paragraphs)
            })
            && self.paragraphs.iter().all(|(section, _, own)| {
                *section < sections && own.start <= own.end && own.end <= num
            })
            && self.sentences.iter().enumerate().all(|(number, it)| {
                let paragraph = self.paragraphs.get(it.0);
                paragraph.is_some_and(|(_, _, own)| own.contains(&number))
            });
        if !fits {
            return None;
        }
        let mut document = Document::empty(&self.name, Format::Text);
        document.sections = self.sections;
        let paragraphs = self.paragraphs.into_iter();
        document.paragraphs = paragraphs
            .map(|(section, kind, sentences)| Paragraph {
                section,
                kind,
                id: None,
                note: None,
                max_chars: None,
                part: None,
                range: 0..0,
                sentences,
            })
            .collect();
        let sentences = self.sentences.into_iter();
        document.sentences = sentences
            .map(|(paragraph, text, points)| Sentence {
                paragraph,
                range: 0..0,
                text,
                markup: Vec::new(),
                points,
                known: None,
            })
            .collect();
        Some(document)
    }
}

impl From<&Translation> for SentTranslation {
    fn from(translation: &Translation) -> Self {
        Self {
            text: translation.text.clone(),
            log_prob: translation.log_prob.to_bits(),
            num_tokens: translation.num_tokens,
            flags: translation.flags.clone(),
            parts: translation.parts.clone(),
        }
    }
}

impl From<SentTranslation> for Translation {
    fn from(sent: SentTranslation) -> Self {
        Self {
            text: sent.text,
            log_prob: f32::from_bits(sent.log_prob),
            num_tokens: sent.num_tokens,
            flags: sent.flags,
            parts: sent.parts,
        }
    }
}
