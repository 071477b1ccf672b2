//! Loss and BLEU on documents the model does not learn from.

use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::batch::ExampleSet;
use super::event::Sample;
use crate::error::Result;
use canopy_corpus::{Corpus, DocumentUnits, Segment, Split, document_units, segments};
use canopy_kernels::DropoutSource;
use canopy_metrics::corpus_bleu;
use canopy_nn::model::{Model, RecordedVisits, Recording};
use canopy_nn::search::SearchOptions;
use canopy_tokenize::Tokenizer;
use canopy_translate::inference::{SegmentRequest, translate_segments};

/// Tokens of the documents whose gates are looked at.
const GATE_TOKENS: usize = 2_000;

/// Sentences shown after every validation.
const NUM_SAMPLES: usize = 3;

/// Scores of one validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// Label-smoothed like the training loss, nats a target token.
    pub loss: f32,
    /// BLEU of the segments.
    pub bleu: f64,
    /// Visible texts, for each segment of the set.
    pub hypotheses: Vec<String>,
}

/// Whole documents prepared for validation.
#[derive(Debug, Clone)]
pub struct ValidationSet {
    examples: ExampleSet,
    documents: Vec<DocumentUnits>,
    segments: Vec<Segment>,
}

impl ValidationSet {
    /// All of `split`, whose examples are `examples`.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn new(corpus: &Corpus, split: Split, examples: ExampleSet) -> Result<Self> {
        let mut documents = document_units(corpus, split)?;
        for (document, own) in documents.iter_mut().zip(&examples.documents) {
            let source_suffix = examples.examples[own.clone()].iter();
            document.source_suffix = source_suffix
                .map(|example| example.source_suffix(&examples.special).to_vec())
                .collect();
            let pieces = examples.pieces.get(own.clone()).unwrap_or_default();
            let pieces = pieces.iter().cloned();
            document.pieces = pieces.map(|it| (it.ids, it.of_first)).collect();
        }
        Ok(Self {
            examples,
            documents,
            segments: segments(corpus, split)?,
        })
    }

    /// Documents with at least `num_segments` segments in all, the same ones for every run; none if these are all there
    /// are, or if 0 are requested.
    pub fn sampled(&self, num_segments: usize) -> Option<Self> {
        if num_segments == 0 {
            return None;
        }
        let mut sizes = vec![0; self.documents.len()];
        for segment in &self.segments {
            sizes[segment.document] += 1;
        }
        let mut order: Vec<usize> = (0..sizes.len()).filter(|&d| sizes[d] > 0).collect();
        let scored = order.len();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
        let mut sum = 0;
        order.retain(|&document| {
            let wanted = sum < num_segments;
            sum += sizes[document];
            wanted
        });
        order.sort_unstable();
        (order.len() < scored).then(|| self.subset(&order))
    }

    fn subset(&self, chosen: &[usize]) -> Self {
        let mut examples = ExampleSet {
            special: self.examples.special.clone(),
            ..ExampleSet::default()
        };
        for &document in chosen {
            let start = examples.examples.len();
            let own = self.examples.documents[document].clone();
            let pieces = self.examples.pieces.get(own.clone()).unwrap_or_default();
            examples.pieces.extend_from_slice(pieces);
            examples
                .examples
                .extend_from_slice(&self.examples.examples[own]);
            examples.documents.push(start..examples.examples.len());
        }
        let renumbered = self.segments.iter().filter_map(|segment| {
            let document = chosen.binary_search(&segment.document).ok()?;
            Some(Segment {
                document,
                ..segment.clone()
            })
        });
        Self {
            segments: renumbered.collect(),
            documents: chosen.iter().map(|&d| self.documents[d].clone()).collect(),
            examples,
        }
    }

    /// Whether there is nothing to score.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Returns the number of segments that are scored.
    pub fn num_segments(&self) -> usize {
        self.segments.len()
    }

    /// Documents of which something is scored.
    pub fn num_documents(&self) -> usize {
        let mut documents: Vec<usize> = self.segments.iter().map(|s| s.document).collect();
        documents.dedup();
        documents.len()
    }

    /// Scores a model that does not track gradients, greedily; `go_on` is called regularly, and the result is `None` if
    /// it breaks off.
    ///
    /// # Errors
    /// If the model returns non-finite scores.
    pub fn run(
        &self,
        model: &Model,
        tokenizer: &dyn Tokenizer,
        label_smoothing: f32,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Validation>> {
        let options = SearchOptions {
            beam_size: 1,
            ..SearchOptions::default()
        };
        let segments = &self.segments;
        let request = SegmentRequest {
            documents: &self.documents,
            segments,
            search: &options,
            formality: None,
        };
        let Some(translations) = translate_segments(model, tokenizer, request, go_on)? else {
            return Ok(None);
        };
        let shown = segments.iter().zip(&translations);
        let shown = shown.map(|(segment, units)| segment.visible(units));
        let hypotheses: Vec<String> = shown.collect();
        let references = segments.iter().map(|segment| segment.reference.as_str());
        let references: Vec<&str> = references.collect();
        let loss = self.loss(model, label_smoothing, go_on);
        Ok(loss.map(|loss| Validation {
            loss,
            bleu: corpus_bleu(&hypotheses, &references).score,
            hypotheses,
        }))
    }

    /// How much the gates of a model let in from beyond the sentence: the mean of 1 − gate over the words of the first documents,
    /// read with their human translations; none if the model has no gate.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub fn gate_opening(&self, model: &Model) -> Option<f64> {
        let documents = self.examples.document_batches(GATE_TOKENS, 0, 0);
        let batch = self.examples.batch(documents.first()?);
        let nothing_else = Recording {
            least: 1.0,
            visits: RecordedVisits::None,
            encoder_from: usize::MAX,
            decoder_from: usize::MAX,
        };
        let recorder = model.record(&batch.source, &batch.references, nothing_else);
        let gates = recorder.gates.iter().flat_map(|gate| &gate.mean);
        let (sum, count) = gates.fold((0.0, 0_usize), |(sum, count), gate| {
            (sum + f64::from(1.0 - gate), count + 1)
        });
        (count > 0).then(|| sum / count as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "token counts become f32")]
    fn loss(
        &self,
        model: &Model,
        label_smoothing: f32,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Option<f32> {
        let none = DropoutSource::none();
        let (mut sum, mut tokens) = (0.0, 0.0);
        let batches = if model.encodes_documents() {
            self.examples.document_batches(2_000, 0, 0)
        } else {
            self.examples.sentence_batches(2_000, 0, 0)
        };
        for runs in batches {
            let batch = self.examples.batch(&runs);
            let count = batch.labels.len() as f32;
            let loss = model.loss(&batch, label_smoothing, &none);
            sum += loss.into_scalar::<f32>() * count;
            tokens += count;
            if go_on().is_break() {
                return None;
            }
        }
        Some(sum / f32::max(tokens, 1.0))
    }

    /// A few segments of middling length from different documents, with the model's translations.
    pub fn samples(&self, validation: &Validation) -> Vec<Sample> {
        let mut lengths: Vec<usize> = self.segments.iter().map(|s| s.source.len()).collect();
        lengths.sort_unstable();
        let middle = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
        let mut nearest: Vec<(usize, usize)> = Vec::new();
        let numbered = self.segments.iter().enumerate();
        for (number, segment) in numbered.filter(|(_, segment)| !segment.repeated) {
            let distance = segment.source.len().abs_diff(middle);
            match nearest.last_mut() {
                Some(last) if self.segments[last.1].document == segment.document => {
                    *last = (*last).min((distance, number));
                }
                _ => nearest.push((distance, number)),
            }
        }
        nearest.sort_unstable();
        nearest.truncate(NUM_SAMPLES);
        let sample = |(_, number): (usize, usize)| Sample {
            source: self.segments[number].source.clone(),
            reference: self.segments[number].reference.clone(),
            translation: validation.hypotheses[number].clone(),
        };
        nearest.into_iter().map(sample).collect()
    }
}
