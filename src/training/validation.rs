//! Loss and BLEU on documents the model does not learn from.

use crate::corpus::{Corpus, DocumentUnits, Segment, Split, document_units, segments};
use crate::error::Result;
use crate::inference::translate_segments;
use crate::kernels::DropoutSource;
use crate::metrics::corpus_bleu;
use crate::model::Model;
use crate::search::SearchOptions;
use crate::text::vocabulary::Vocabulary;

use super::batch::ExampleSet;

/// Scores of one validation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Validation {
    /// Label-smoothed like the training loss, nats a target token.
    pub loss: f32,
    pub bleu: f64,
}

/// A split prepared for validation.
#[derive(Debug)]
pub struct Validator {
    examples: ExampleSet,
    documents: Vec<DocumentUnits>,
    segments: Vec<Segment>,
}

impl Validator {
    /// Prepares `split` of a corpus.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn new(corpus: &Corpus, split: Split, examples: ExampleSet) -> Result<Self> {
        Ok(Self {
            examples,
            documents: document_units(corpus, split)?,
            segments: segments(corpus, split)?,
        })
    }

    /// Whether there is nothing to score.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Scores a model that does not track gradients.
    pub fn run(&self, model: &Model, vocabulary: &Vocabulary, label_smoothing: f32) -> Validation {
        let options = SearchOptions {
            beam_size: 1,
            ..SearchOptions::default()
        };
        let translations =
            translate_segments(model, vocabulary, &self.documents, &self.segments, &options);
        let shown = self
            .segments
            .iter()
            .zip(&translations)
            .map(|(segment, units)| segment.visible(units));
        let hypotheses: Vec<String> = shown.collect();
        let references: Vec<&str> = self
            .segments
            .iter()
            .map(|segment| segment.reference.as_str())
            .collect();
        Validation {
            loss: self.loss(model, label_smoothing),
            bleu: corpus_bleu(&hypotheses, &references).score,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "token counts become f32")]
    fn loss(&self, model: &Model, label_smoothing: f32) -> f32 {
        let none = DropoutSource::none();
        let (mut sum, mut tokens) = (0.0, 0.0);
        let batches = if model.reads_documents() {
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
        }
        sum / f32::max(tokens, 1.0)
    }
}
