//! The machine that searches and traces in place of this one.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{LoadedModel, Translator};
use crate::error::{BaseError, Error, Result};
use crate::inference::device::DeviceChoice;
use crate::inference::translation::{Flag, Translation};
use crate::remote::{ModelReference, RemoteModel, Traffic};
use canopy_document::document::{Document, Format, Paragraph, ParagraphKind, Section, Sentence};
use canopy_explain::trace::{self, Trace};
use canopy_kernels::packed::Quantization;
use canopy_models::weights::RerankerFolder;
use canopy_nn::model::MemoryUse;

/// A trace of a document on another machine.
#[derive(Debug, Serialize, Deserialize)]
pub struct TraceRequest {
    /// The model that has translated.
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

impl LoadedModel {
    /// Names the model for the other machine, if it is one that computes.
    pub(super) fn connect_remote(&mut self) -> Result<()> {
        if let Some(client) = &self.device.remote {
            self.remote = Some(RemoteModel::new(client, &self.folder)?);
        }
        Ok(())
    }

    /// The model on the machine that computes in place of this one.
    pub(in crate::inference) fn remote(&self) -> Option<&RemoteModel> {
        self.remote.as_ref()
    }

    /// Languages of the model, and whether its weights are 8-bit integers.
    pub(in crate::inference) fn remote_model(&self) -> ([String; 2], bool) {
        let languages = &self.description.languages;
        let codes = [&languages.source, &languages.target].map(Clone::clone);
        (codes, self.quantization() == Quantization::Int8)
    }
}

impl Translator {
    /// Bytes sent and received between this machine and the one that searches.
    pub fn traffic(&self) -> Option<Traffic> {
        let own = self
            .loaded
            .remote
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
    /// As [`Self::open_between`] and [`LoadedModel::choose_by`].
    pub fn open_for_job(
        folder: &Path,
        device: DeviceChoice,
        [source, target]: &[String; 2],
        int8: bool,
        reranker: Option<RerankerFolder>,
    ) -> Result<Self> {
        let mut loaded = LoadedModel::open(folder, device, (Some(source), Some(target)))?;
        if int8 {
            loaded.quantize(Quantization::Int8);
        }
        if let Some(reranker) = reranker {
            loaded.choose_by(reranker)?;
        }
        Ok(loaded.into())
    }
}

impl TraceRequest {
    /// A trace by the other machine, which does not have what this translator remembers.
    pub(in crate::inference) fn answered_by(
        (there, translator): (&RemoteModel, &Translator),
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
        let request = |model| Self {
            model,
            document: document.clone(),
            translations: sent.clone(),
            part: part.clone(),
            top_t,
        };
        there.file_of("/traces", translator.loaded.remote_model(), request, &path)?;
        let mut trace = trace::open(&path)?.trace()?.into_owned();
        trace.overview.model.looks_up =
            translator.description().model.memory_use == Some(MemoryUse::KnnMt);
        Ok(trace)
    }

    /// The trace that another machine requests.
    ///
    /// # Errors
    /// If its numbers do not fit each other; as [`Translator::trace`].
    pub fn run(self, translator: &Translator) -> Result<Trace> {
        let document = self.document.document();
        let fits = document.as_ref().is_some_and(|document| {
            let num = document.sentences.len();
            let part = self.part.as_ref();
            self.translations.len() == num
                && part.is_none_or(|part| part.start < part.end && part.end <= num)
        });
        let Some(document) = document.filter(|_| fits) else {
            let message = "the document that was sent does not fit itself";
            return Err(Error::Base(BaseError::panicked(message.to_owned())));
        };
        let translations = self.translations.into_iter();
        let translations: Vec<Option<Translation>> = translations
            .map(|sent| sent.map(Translation::from))
            .collect();
        translator.trace_with(&document, &translations, self.part, self.top_t)
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
