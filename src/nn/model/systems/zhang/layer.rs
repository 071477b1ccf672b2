//! The encoder of the previous sentences.
//!
//! Zhang et al., "Improving the Transformer Translation Model with Document-Level Context", EMNLP 2018, §3.2.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::model::config::ModelConfig;
use crate::model::documents::Documents;
use crate::model::embedding::Embedding;
use crate::model::encoder_sublayer::{EncoderSublayer, one_layer};
use crate::model::packed_batch::PackedBatch;
use crate::model::prepared::Memory;
use crate::model::rows::select_rows;
use canopy_kernels::{DropoutSource, Segment};

/// An encoder layer over the tokens of the previous sentences.
#[derive(Module, Debug)]
pub struct PreviousEncoder {
    /// Attention and feed-forward layer.
    pub sublayers: Vec<EncoderSublayer>,
    /// How many sentences are read.
    pub context_size: usize,
}

impl PreviousEncoder {
    /// An encoder of `context_size` sentences before each one.
    pub(in crate::model) fn new(
        context_size: usize,
        config: &ModelConfig,
        device: &Device,
    ) -> Self {
        Self {
            sublayers: one_layer(config, device),
            context_size,
        }
    }

    /// The context of every sentence, as a memory in the sentence's place. Its tokens are counted from
    /// the first previous sentence on, as the one sequence that they are: otherwise nothing would show which tokens belong
    /// together.
    pub fn memory(
        &self,
        embedding: &Embedding,
        source: &PackedBatch,
        drop: &DropoutSource,
    ) -> Memory {
        let (rows, contexts) = self.rows(&source.layout());
        let mut joined = PackedBatch::default();
        for (context, place) in contexts.into_iter().zip(&source.positions) {
            let ids: Vec<u32> = rows[context].iter().map(|&row| source.ids[row]).collect();
            joined.push_at(&ids, place);
        }
        if rows.is_empty() {
            // No sentence has one before it: these tokens are not read.
            return self.forward(&embedding.forward(source, drop), &source.layout(), drop);
        }
        joined.documents.clone_from(&source.documents);
        let words = embedding.forward(&joined, drop);
        Memory::from_states(self.encode(words, &joined.sentences, drop), joined.layout())
    }

    /// The memory of embedded tokens, each with the place in its own sentence.
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
        Memory::from_states(encoded, documents)
    }

    /// The row of every token that the memory holds, and the memory's rows for every sentence.
    pub(in crate::model) fn rows(&self, documents: &Documents) -> (Vec<usize>, Vec<Range<usize>>) {
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
