//! Translations of a test set as a translator gets them who goes through its documents sentence by sentence: the human
//! translations of all sentences before the current one are confirmed.

use std::ops::ControlFlow;

use crate::error::Result;
use canopy_corpus::memory::TranslationMemory;
use canopy_corpus::{DocumentUnits, Segment};
use canopy_metrics::formality::{EarlierForms, Formality};
use canopy_nn::model::{Context, ContextReach, MemoryUse};
use canopy_train::KnnRetrieval;
use canopy_translate::inference::{FormalityOption, SearchOptions, SegmentRequest, Translator};

/// Confirmed sentences that are retrieved from: the last ones.
const CONFIRMED: usize = 64;

/// A unit whose translation is confirmed.
#[derive(Debug, Clone)]
pub(super) struct Confirmed {
    /// As a reader sees it.
    source: String,
    /// With placeholders.
    target: String,
    shown_target: String,
}

impl Confirmed {
    /// Source and target as a reader sees them.
    fn pair(&self) -> (String, String) {
        (self.source.clone(), self.shown_target.clone())
    }
}

/// The confirmed translations of each document, unit by unit: the human ones, or else those of `wrong` documents, which
/// are as many farther on in the test set as make half of it, from their beginning.
pub(super) fn confirmed(documents: &[DocumentUnits], wrong: bool) -> Vec<Vec<Confirmed>> {
    let all = documents.iter().map(|document| {
        let units = 0..document.references.len();
        let unit = |unit: usize| Confirmed {
            source: document.shown[unit].clone(),
            target: document.references[unit].clone(),
            shown_target: document.shown_reference(unit),
        };
        units.map(unit).collect()
    });
    let all: Vec<Vec<Confirmed>> = all.collect();
    if !wrong {
        return all;
    }
    let half = all.len().div_ceil(2);
    let other = |(at, own): (usize, &Vec<Confirmed>)| {
        let others = all.iter().cycle().skip(at + half).take(all.len() - 1);
        let others = others.flatten().cycle().take(own.len());
        others.cloned().collect()
    };
    all.iter().enumerate().map(other).collect()
}

/// A walk through all documents.
pub(super) struct OracleHistory<'a> {
    pub translator: &'a Translator,
    pub documents: &'a [DocumentUnits],
    /// Confirmed translations of each document, unit by unit.
    pub confirmed: &'a [Vec<Confirmed>],
    pub segments: &'a [Segment],
    pub options: &'a SearchOptions,
    pub formality: Option<FormalityOption>,
    /// Whether what is confirmed in a document is in the memory of the next ones, for models that retrieve.
    pub is_project: bool,
}

impl OracleHistory<'_> {
    /// Translates all segments; a model that reads no translations and retrieves nothing translates as ever, and one that
    /// is fine-tuned for each document as without its memory: it would have to learn before each sentence.
    pub(super) fn translate(
        &self,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let config = &self.translator.description().model;
        let context = config.context.filter(|context| context.is_bilingual());
        let reads_later = context.is_some_and(|context| context.reach() == ContextReach::Document);
        if reads_later {
            return self.between(go_on);
        }
        // Nobody reads translations of later sentences, so all may be known at once.
        let known = |(document, confirmed): (&DocumentUnits, &Vec<Confirmed>)| DocumentUnits {
            known: confirmed.iter().map(|it| it.target.clone()).collect(),
            ..document.clone()
        };
        let documents = self.documents.iter().zip(self.confirmed);
        let documents: Vec<DocumentUnits> = documents.map(known).collect();
        if config.memory_use == Some(MemoryUse::KnnMt) {
            let walk = OracleHistory {
                documents: &documents,
                ..*self
            };
            return walk.retrieving(go_on);
        }
        Ok(self
            .translator
            .translate_segments(self.request(&documents, self.segments), go_on)?)
    }

    fn request<'a>(
        &'a self,
        documents: &'a [DocumentUnits],
        segments: &'a [Segment],
    ) -> SegmentRequest<'a> {
        SegmentRequest {
            documents,
            segments,
            search: self.options,
            formality: self.formality,
        }
    }

    /// Each sentence with a datastore of its own.
    fn retrieving(
        &self,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let retrieval = KnnRetrieval::default();
        let mut translated = Vec::with_capacity(self.segments.len());
        for segments in self
            .segments
            .chunk_by(|left, right| left.document == right.document)
        {
            let number = segments[0].document;
            let remembering = self.is_project.then(|| self.remembering(number));
            let translator = remembering.as_ref().unwrap_or(self.translator);
            let memory = retrieval.memory(translator, &self.documents[number].shown);
            let walk = OracleHistory { segments, ..*self };
            let found = walk.each(go_on, &mut |(document, confirmed), unit, segment, go_on| {
                let first = unit.saturating_sub(CONFIRMED);
                let confirmed = confirmed[first..unit].iter().map(Confirmed::pair);
                let confirmed: Vec<(String, String)> = confirmed.collect();
                let shown = &document.shown[unit];
                let made = retrieval.for_next_sentence(translator, memory, shown, &confirmed);
                let one = std::slice::from_ref(document);
                let request = self.request(one, std::slice::from_ref(segment));
                let translator = made.as_ref().unwrap_or(translator);
                Ok(translator.translate_segments(request, go_on)?)
            })?;
            match found {
                Some(found) => translated.extend(found),
                None => return Ok(None),
            }
        }
        Ok(Some(translated))
    }

    /// The translator of a document, whose memory has what is confirmed in the documents before.
    fn remembering(&self, document: usize) -> Translator {
        // Among equal sentences the one confirmed last counts.
        let before = self.confirmed[..document].iter().flatten().rev();
        let mut translator = self.translator.clone();
        let mut forms = EarlierForms::default();
        let documents = self.documents.iter().zip(self.confirmed).take(document);
        for (document, confirmed) in documents {
            for (confirmed, note) in confirmed.iter().zip(&document.notes) {
                let form = Formality::from_pair(&confirmed.source, &confirmed.shown_target);
                if let Some(form) = form {
                    forms.add(note.as_deref(), form);
                }
            }
        }
        let memory = TranslationMemory::new(before.map(Confirmed::pair));
        translator.set_memory(memory.with_forms(forms));
        translator
    }

    /// Each sentence between the human translations before it and the model's own after it.
    fn between(
        &self,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let own = self
            .translator
            .translate_segments(self.request(self.documents, self.segments), &mut || {
                ControlFlow::Continue(())
            })?;
        // What is not scored is the same in both languages, or surely known.
        let mut later: Vec<Vec<String>> = self
            .documents
            .iter()
            .map(|document| document.references.clone())
            .collect();
        for (segment, units) in self.segments.iter().zip(own.into_iter().flatten()) {
            for (unit, translation) in segment.units.iter().zip(units) {
                let document = &self.documents[segment.document];
                if let Some(at) = document.number_of(unit.place) {
                    later[segment.document][at] = translation;
                }
            }
        }
        let mut known: Vec<DocumentUnits> = self.documents.to_vec();
        for (document, later) in known.iter_mut().zip(&later) {
            document.known.clone_from(later);
        }
        let walk = OracleHistory {
            documents: &known,
            ..*self
        };
        walk.each(go_on, &mut |(document, confirmed), unit, segment, go_on| {
            let mut document = document.clone();
            for (known, confirmed) in document.known.iter_mut().zip(&confirmed[..unit]) {
                known.clone_from(&confirmed.target);
            }
            let request = self.request(
                std::slice::from_ref(&document),
                std::slice::from_ref(segment),
            );
            Ok(self.translator.translate_segments(request, go_on)?)
        })
    }

    /// The units of all segments, each translated by `translate`, which gets its document and what is confirmed of it, its
    /// number there, and a segment with nothing but it.
    fn each(
        &self,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
        translate: &mut TranslateUnit<'_>,
    ) -> Result<Option<Vec<Vec<String>>>> {
        let mut translated = Vec::with_capacity(self.segments.len());
        for segment in self.segments {
            let document = &self.documents[segment.document];
            let mut units = Vec::with_capacity(segment.units.len());
            for unit in &segment.units {
                let number = document.number_of(unit.place).unwrap_or_default();
                let alone = Segment {
                    document: 0,
                    units: vec![unit.clone()],
                    ..segment.clone()
                };
                let confirmed = &self.confirmed[segment.document];
                match translate((document, confirmed), number, &alone, go_on)? {
                    Some(found) => units.extend(found.into_iter().flatten()),
                    None => return Ok(None),
                }
            }
            translated.push(units);
        }
        Ok(Some(translated))
    }
}

/// Whether confirmed translations of other sentences make a difference to a model; fine-tuning for each sentence would take
/// too long.
pub fn reads_confirmed(translator: &Translator) -> bool {
    let config = &translator.description().model;
    let is_bilingual = config.context.is_some_and(Context::is_bilingual);
    is_bilingual || config.translations_before() > 0 || config.memory_use == Some(MemoryUse::KnnMt)
}

/// The function that [`OracleHistory::each`] calls for a unit.
type TranslateUnit<'t> = dyn FnMut(
        (&DocumentUnits, &[Confirmed]),
        usize,
        &Segment,
        &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Vec<String>>>>
    + 't;
