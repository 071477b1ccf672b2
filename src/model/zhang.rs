//! The encoded previous sentences, for an encoder that attends to them.
//!
//! Zhang et al., "Improving the Transformer Translation Model with Document-Level Context", EMNLP 2018, §3.2: a layer of
//! its own encodes the embedded words of the previous sentences, one after the other. The gate of §3.3 stands in place of
//! the residual; the norm after it is that of the authors' program, the equation shows the gate only.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::config::ModelConfig;
use super::context_config::Context;
use super::documents::Documents;
use super::embedding::Embedding;
use super::encoder_sublayer::{EncoderSublayer, one_layer};
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::rows::select_rows;
use crate::kernels::{DropoutSource, Segment};

/// An encoder layer over the words of the previous sentences.
#[derive(Module, Debug)]
pub struct PreviousEncoder {
    pub sublayers: Vec<EncoderSublayer>,
    /// How many sentences are read.
    pub context_size: usize,
}

impl PreviousEncoder {
    /// None if the model has another context.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let Some(Context::Zhang { previous }) = config.context else {
            return None;
        };
        Some(Self {
            sublayers: one_layer(config, device),
            context_size: previous,
        })
    }

    /// The context of every sentence, as a memory in which it stands in the sentence's place. Its words are counted from
    /// the first previous sentence on, as the one sequence that they are: else nothing would tell which words belong
    /// together.
    pub fn of(&self, embedding: &Embedding, source: &PackedBatch, drop: &DropoutSource) -> Memory {
        let (rows, contexts) = self.rows(&source.layout());
        let mut joined = PackedBatch::default();
        for (context, &[_, sentence, paragraph]) in contexts.into_iter().zip(&source.positions) {
            let ids: Vec<u32> = rows[context].iter().map(|&row| source.ids[row]).collect();
            joined.push(&ids, (sentence, paragraph));
        }
        if rows.is_empty() {
            // No sentence has one before it: nobody reads these words.
            return self.forward(&embedding.forward(source, drop), &source.layout(), drop);
        }
        joined.documents.clone_from(&source.documents);
        let words = embedding.forward(&joined, drop);
        Memory::of(self.encode(words, &joined.sentences, drop), joined.layout())
    }

    /// The same of words that are embedded, each with the place in its own sentence.
    ///
    /// # Shapes
    /// - x: `[rows, d_model]`
    pub fn forward(&self, x: &Tensor<2>, documents: &Documents, drop: &DropoutSource) -> Memory {
        let (rows, contexts) = self.rows(documents);
        let encoded = if rows.is_empty() {
            x.clone()
        } else {
            self.encode(select_rows(x.clone(), &rows), &contexts, drop)
        };
        let documents = Documents {
            sentences: contexts,
            documents: documents.documents.clone(),
        };
        Memory::of(encoded, documents)
    }

    /// The row of every word that the memory holds, and the memory's rows for every sentence.
    pub(super) fn rows(&self, documents: &Documents) -> (Vec<usize>, Vec<Range<usize>>) {
        let (mut rows, mut contexts) = (Vec::new(), vec![0..0; documents.sentences.len()]);
        for document in &documents.documents {
            for sentence in document.clone() {
                let first = document
                    .start
                    .max(sentence.saturating_sub(self.context_size));
                let start = rows.len();
                let before = documents.sentences[first..sentence].iter();
                rows.extend(before.flat_map(Range::clone));
                contexts[sentence] = start..rows.len();
            }
        }
        (rows, contexts)
    }

    /// # Shapes
    /// - words, output: `[rows, d_model]`
    pub fn encode(
        &self,
        words: Tensor<2>,
        contexts: &[Range<usize>],
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let segments = Segment::own(contexts);
        let layers = self.sublayers.iter();
        layers.fold(words, |x, sublayer| sublayer.forward(x, &segments, drop))
    }
}
