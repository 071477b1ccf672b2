//! The documents that systems are tested on.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::ChoiceTest;
use super::exchanged::{Exchanged, exchanged};
use super::expected::ExpectedTest;
use super::oracle_history::{OracleHistory, confirmed};
use crate::error::Result;
use canopy_corpus::{
    ContextTexts, ContextsInfo, Corpus, CorpusInfo, DocumentUnits, Expected, Segment, Split,
    WordCounts, document_units, expected_forms, segments,
};
use canopy_metrics::comparison::{ComparedSegment, ComparedSystem, ComparedTest};
use canopy_nn::model::{ContextSentence, MemoryUse};
use canopy_train::for_sentences;
use canopy_translate::inference::{
    FormalityOption, SearchOptions, SegmentRequest, Translator, contexts_among,
};

/// Documents with everything that is known of their segments.
#[derive(Debug)]
pub struct TestSet {
    /// The documents as models read them.
    pub units: Vec<DocumentUnits>,
    /// All segments, document by document.
    pub segments: Vec<Segment>,
    documents: Vec<String>,
    counts: WordCounts,
    split: Split,
    contexts: Option<ContextTexts>,
    reference_context: Option<ReferenceContext>,
    formality: Option<FormalityOption>,
    info: CorpusInfo,
    /// Expected translation of each segment.
    expected: Vec<Option<Expected>>,
}

/// The sentences that are confirmed while a translator goes through a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceContext {
    /// The human translations of the sentences before.
    Document,
    /// These, and in the memory of a model that retrieves those of all documents before, as in a project.
    Project,
    /// All that a sentence reads is another document's, sources and human translations: what such a context gains does not come from the
    /// document's merit.
    OtherDocument,
}

/// A system's translations of all segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Translated {
    /// With placeholders, unit by unit.
    pub units: Vec<Vec<String>>,
    /// Visible texts.
    pub hypotheses: Vec<String>,
    /// Words of the hypotheses in a second of translating.
    pub words_per_second: f64,
}

impl TestSet {
    /// # Errors
    /// If the corpus cannot be read.
    pub fn open(corpus: &Corpus, split: Split) -> Result<Self> {
        let documents = corpus.documents(split)?;
        let documents = documents.map(|document| Ok(document?.id));
        let segments = segments(corpus, split)?;
        Ok(Self {
            units: document_units(corpus, split)?,
            expected: expected_forms(corpus, split, &segments)?,
            segments,
            documents: documents.collect::<Result<_>>()?,
            counts: WordCounts::from_training(corpus)?,
            split,
            contexts: None,
            reference_context: None,
            formality: None,
            info: corpus.info().clone(),
        })
    }

    /// With the contexts of a file, for models that read BERT; else these are chosen in each document.
    #[must_use]
    pub fn with_contexts(self, contexts: ContextTexts) -> Self {
        Self {
            contexts: Some(contexts),
            ..self
        }
    }

    /// The contexts that were set and those that the model was trained with, where they were chosen in different ways.
    pub fn other_contexts(&self, translator: &Translator) -> Option<[String; 2]> {
        let (set, (_, sentence)) = (self.contexts.as_ref()?, translator.model().bert()?);
        let known = translator.description().contexts.as_ref();
        let trained = ContextsInfo {
            context: match sentence {
                ContextSentence::Similar(_) => "similarity",
                ContextSentence::Previous => "previous",
                ContextSentence::Same => "same",
            }
            .to_owned(),
            measure: match sentence {
                ContextSentence::Similar(measure) => Some(measure.name().to_owned()),
                ContextSentence::Previous | ContextSentence::Same => None,
            },
            range: known.map(|known| known.range.to_string()),
            encoder: known.map(|known| known.encoder.clone()),
            ..ContextsInfo::default()
        };
        let set = match known {
            // Nothing more is known of a model that an older program trained.
            None => ContextsInfo {
                range: None,
                encoder: None,
                ..set.info().clone()
            },
            Some(_) => set.info().clone(),
        };
        let choices = [set.choice(), trained.choice()];
        (choices[0] != choices[1]).then_some(choices)
    }

    /// As a translator works who goes through a document: the human translations of all sentences before the current one
    /// are known, to models that read translations and to those that retrieve from what was confirmed. Else systems read
    /// their own translations.
    #[must_use]
    pub fn with_reference_context(self, context: ReferenceContext) -> Self {
        Self {
            reference_context: Some(context),
            ..self
        }
    }

    /// Sets the form of address of German translations from English.
    #[must_use]
    pub fn with_formality(self, formality: Option<FormalityOption>) -> Self {
        Self { formality, ..self }
    }

    /// How many sentences or parts of sentences a system translates.
    pub fn num_units(&self) -> usize {
        let units = self.segments.iter().map(|segment| segment.units.len());
        units.sum()
    }

    /// Translates all segments in their documents; `go_on` is called after every sentence. None if it breaks off.
    ///
    /// # Errors
    /// If BERT returns non-finite numbers, or the model non-finite scores.
    pub fn translate(
        &self,
        translator: &Translator,
        options: &SearchOptions,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Translated>> {
        let (begun, mut waited) = (Instant::now(), Duration::ZERO);
        // Others may compute in between.
        let go_on = &mut || {
            let paused = Instant::now();
            let flow = go_on();
            waited += paused.elapsed();
            flow
        };
        let mut documents = self.units.clone();
        // All documents are searched for contexts where the model was trained so.
        let among = if self.contexts.is_none() {
            let shown = documents.iter().map(|document| document.shown.as_slice());
            contexts_among(translator, &shown.collect::<Vec<_>>())?
        } else {
            None
        };
        for (number, (document, id)) in documents.iter_mut().zip(&self.documents).enumerate() {
            let contexts = self.contexts.as_ref();
            let contexts = contexts.and_then(|contexts| contexts.get(self.split, id));
            let contexts =
                contexts.or_else(|| among.as_ref().map(|among| among[number].as_slice()));
            translator
                .reader()
                .add_auxiliary_inputs(document, contexts)?;
        }
        let config = &translator.description().model;
        let exchanging = config.context.zip(self.exchanged(translator));
        let units = match (exchanging, config.memory_use) {
            (Some(exchanging), _) => {
                let (mut documents, segments) = exchanged(&self.units, &self.segments, exchanging);
                for document in &mut documents {
                    translator.reader().add_auxiliary_inputs(document, None)?;
                }
                let request = self.request(&documents, &segments, options);
                translator.translate_segments(request, go_on)?
            }
            (None, _) if self.reference_context.is_some() => {
                let wrong = self.reference_context == Some(ReferenceContext::OtherDocument);
                let walk = OracleHistory {
                    confirmed: &confirmed(&documents, wrong),
                    translator,
                    documents: &documents,
                    segments: &self.segments,
                    options,
                    formality: self.formality,
                    is_project: self.reference_context == Some(ReferenceContext::Project),
                };
                walk.translate(go_on)?
            }
            (None, Some(MemoryUse::FineTune | MemoryUse::KnnMt)) => {
                self.translate_each(translator, &documents, options, go_on)?
            }
            _ => {
                let request = self.request(&documents, &self.segments, options);
                translator.translate_segments(request, go_on)?
            }
        };
        let Some(units) = units else { return Ok(None) };
        let secs = begun.elapsed().saturating_sub(waited).as_secs_f64();
        let shown = self.segments.iter().zip(&units);
        let shown = shown.map(|(segment, units)| segment.visible(units));
        let hypotheses: Vec<String> = shown.collect();
        let words = hypotheses
            .iter()
            .map(|text| text.split_whitespace().count());
        let words_per_second = words.sum::<usize>() as f64 / secs;
        Ok(Some(Translated {
            units,
            hypotheses,
            words_per_second,
        }))
    }

    /// The parts that a translator reads of a document other than its sentences'; none where it reads their own.
    pub fn exchanged(&self, translator: &Translator) -> Option<Exchanged> {
        let is_other = self.reference_context == Some(ReferenceContext::OtherDocument);
        is_other.then(|| {
            let keeps_form = translator.resources().kept_forms().is_some();
            Exchanged::from_config(&translator.description().model, keeps_form)
        })
    }

    fn request<'a>(
        &self,
        documents: &'a [DocumentUnits],
        segments: &'a [Segment],
        search: &'a SearchOptions,
    ) -> SegmentRequest<'a> {
        SegmentRequest {
            documents,
            segments,
            search,
            formality: self.formality,
        }
    }

    /// Every document with a translator that is made for it.
    fn translate_each(
        &self,
        translator: &Translator,
        documents: &[DocumentUnits],
        options: &SearchOptions,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let mut units = Vec::with_capacity(self.segments.len());
        for own in self
            .segments
            .chunk_by(|left, right| left.document == right.document)
        {
            let document = &documents[own[0].document];
            let alone = |segment: &Segment| Segment {
                document: 0,
                ..segment.clone()
            };
            let own: Vec<Segment> = own.iter().map(alone).collect();
            let mut learn_on = |_, _| ControlFlow::Continue(());
            let made = for_sentences(
                translator,
                &translator.reader().sentences_of_units(document),
                &mut learn_on,
            );
            let translator = made.as_ref().unwrap_or(translator);
            let document = std::slice::from_ref(document);
            let request = self.request(document, &own, options);
            match translator.translate_segments(request, go_on)? {
                Some(own) => units.extend(own),
                None => return Ok(None),
            }
        }
        Ok(Some(units))
    }

    /// Segments in which only the document decides, by what is decided; none of most languages.
    pub fn choices(&self) -> Vec<ChoiceTest> {
        ChoiceTest::all(&self.info, &self.segments)
    }

    /// The words that the sentences before decide; none where a corpus says none.
    pub fn expected(&self) -> Option<ExpectedTest<'_>> {
        ExpectedTest::new(&self.expected)
    }

    /// All that comparing systems needs.
    pub fn compared(&self, systems: Vec<ComparedSystem>) -> ComparedTest {
        let mut places = vec![0; self.documents.len()];
        let segment = |segment: &Segment| {
            let place = &mut places[segment.document];
            *place += 1;
            ComparedSegment {
                source: segment.source.clone(),
                reference: segment.reference.clone(),
                document: segment.document,
                position: *place - 1,
                rarest: self.counts.rarest(&segment.source),
            }
        };
        ComparedTest {
            segments: self.segments.iter().map(segment).collect(),
            documents: self.documents.clone(),
            systems,
        }
    }
}
