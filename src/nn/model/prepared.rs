//! Memories: the tokens of some documents, and their projections, which are made once for all tokens that read
//! them, since a search reads the same ones at every token.

use std::fmt::Debug;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::attention::MultiHeadAttention;
use super::documents::Documents;
use super::query_spans::{QuerySpan, Visible};
use super::recorder::{AttentionWeights, Recording, visible_weights};
use super::source2token::Source2Token;
use canopy_kernels::{Dropout, Projected, Segment};

/// The tokens of some documents, as they are read.
#[derive(Debug, Clone)]
pub struct Memory {
    /// Tokens are found by these, `[rows, d_model]`.
    pub keys: Tensor<2>,
    /// These are read, `[rows, d_model]`; the same in an encoder.
    pub values: Tensor<2>,
    /// Which rows belong to which sentence and document.
    pub documents: Documents,
    /// Encodings of the sentences, `[sentences, d_model]`, where they are known; else they are made from the tokens.
    pub encodings: Option<Tensor<2>>,
}

impl Memory {
    /// Tokens that are found by what is read of them.
    pub fn from_states(words: Tensor<2>, documents: Documents) -> Self {
        Self {
            keys: words.clone(),
            values: words,
            documents,
            encodings: None,
        }
    }

    /// Translations of documents, `bos` before each, as other sentences read them: a word is found by what the last layer
    /// knew when it was about to write it, after the attention to the source with residual and norm, and what is read is
    /// the state that has read it. Maruf et al. 2019, §3.2; neither `bos` nor the end of a sentence is read, as in the
    /// authors' program. A word has the row before its own, which is the one that it was found with.
    ///
    /// # Shapes
    /// - keys, states: `[rows, d_model]`, of all rows
    pub(super) fn from_translations(
        keys: Tensor<2>,
        states: Tensor<2>,
        mut documents: Documents,
    ) -> Self {
        let [rows, _] = states.dims();
        for sentence in &mut documents.sentences {
            sentence.end = sentence.start.max(sentence.end.saturating_sub(1));
        }
        let values = if rows > 1 {
            let (first, others) = (0..1, 1..rows);
            // The last row is no word's.
            Tensor::cat(vec![states.clone().slice(others), states.slice(first)], 0)
        } else {
            states
        };
        Self {
            keys,
            values,
            documents,
            encodings: None,
        }
    }

    /// Encodings of the sentences: those that are known, else those that `encoder` makes of the tokens.
    ///
    /// # Shapes
    /// - output: `[sentences, d_model]`
    pub(super) fn encoded_by(&self, encoder: &Source2Token) -> Tensor<2> {
        let known = self.encodings.clone();
        known.unwrap_or_else(|| encoder.forward(self.values.clone(), &self.documents.sentences))
    }
}

/// Attention of tokens to a memory that it has projected.
pub(super) trait Attend: Clone + Debug + Send + Sync + 'static {
    /// Keys and values, which do not depend on who reads.
    type Projected: Debug + Send + Sync + 'static;

    fn project_memory(&self, memory: &Memory) -> Self::Projected;

    /// # Shapes
    /// - output: `[query rows, d_model]`
    fn attend_memory(&self, query: MemoryQuery<'_, Self::Projected>) -> Tensor<2>;

    /// [`Self::attend_memory`] with its weights; rows and sentences have their numbers in the memory.
    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, Self::Projected>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights);
}

/// Prepares a memory for an attention, whichever it is.
pub(super) trait PrepareMemory {
    fn prepared(&self, memory: &Memory) -> PreparedMemory;
}

impl<A: Attend> PrepareMemory for A {
    fn prepared(&self, memory: &Memory) -> PreparedMemory {
        PreparedMemory::new(self, memory)
    }
}

/// Rows that attend to a projected memory.
///
/// # Shapes
/// - rows: `[query rows, d_model]`
#[derive(Clone)]
pub(super) struct MemoryQuery<'a, M> {
    pub rows: Tensor<2>,
    pub spans: &'a [QuerySpan],
    pub memory: &'a M,
    pub documents: &'a Documents,
    /// Drops weights, in training alone.
    pub dropout: Option<Dropout>,
}

impl MemoryQuery<'_, VisibleMemory> {
    /// The values that an attention reads by the visible keys.
    pub(super) fn read_by(self, attention: &MultiHeadAttention) -> Tensor<2> {
        self.memory
            .read_by(attention, self.rows, self.spans, self.dropout)
    }

    /// [`Self::read_by`] with its weights.
    pub(super) fn read_with_weights(
        self,
        attention: &MultiHeadAttention,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let read = self.clone().read_by(attention);
        let weights = visible_weights(attention, self.rows, self.spans, self.memory, keep);
        (read, weights)
    }
}

/// A memory as one attention to the document reads it, with that attention.
#[derive(Debug, Clone)]
pub struct PreparedMemory(Arc<dyn Prepared>);

trait Prepared: Debug + Send + Sync {
    fn attend(&self, rows: Tensor<2>, spans: &[QuerySpan], dropout: Option<Dropout>) -> Tensor<2>;

    fn attend_with_weights(
        &self,
        rows: Tensor<2>,
        spans: &[QuerySpan],
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights);
}

#[derive(Debug)]
struct PreparedFor<A: Attend> {
    attention: A,
    memory: A::Projected,
    documents: Documents,
}

impl<A: Attend> PreparedFor<A> {
    fn query<'a>(
        &'a self,
        rows: Tensor<2>,
        spans: &'a [QuerySpan],
    ) -> MemoryQuery<'a, A::Projected> {
        MemoryQuery {
            rows,
            spans,
            memory: &self.memory,
            documents: &self.documents,
            dropout: None,
        }
    }
}

impl<A: Attend> Prepared for PreparedFor<A> {
    fn attend(&self, rows: Tensor<2>, spans: &[QuerySpan], dropout: Option<Dropout>) -> Tensor<2> {
        let query = self.query(rows, spans);
        let query = MemoryQuery { dropout, ..query };
        self.attention.attend_memory(query)
    }

    fn attend_with_weights(
        &self,
        rows: Tensor<2>,
        spans: &[QuerySpan],
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let query = self.query(rows, spans);
        self.attention.attend_with_weights(query, keep)
    }
}

impl PreparedMemory {
    pub(super) fn new<A: Attend>(attention: &A, memory: &Memory) -> Self {
        Self(Arc::new(PreparedFor {
            attention: attention.clone(),
            memory: attention.project_memory(memory),
            documents: memory.documents.clone(),
        }))
    }

    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn attend(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        self.0.attend(queries, query_spans, dropout)
    }

    /// [`Self::attend`] with its weights; rows and sentences have their numbers in the memory.
    ///
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn attend_with_weights(
        &self,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        self.0.attend_with_weights(queries, query_spans, keep)
    }
}

/// Keys and values of sentences or tokens, and which of them a sentence sees.
#[derive(Debug, Clone)]
pub struct VisibleMemory {
    /// Each `[keys, d_model]`.
    pub keys: Tensor<2>,
    /// Values, `[keys, d_model]`.
    pub values: Tensor<2>,
    /// The keys that each sentence sees.
    pub visible: Visible,
}

impl VisibleMemory {
    /// # Shapes
    /// - queries, output: `[query rows, d_model]`
    pub fn read_by(
        &self,
        attention: &MultiHeadAttention,
        queries: Tensor<2>,
        query_spans: &[QuerySpan],
        dropout: Option<Dropout>,
    ) -> Tensor<2> {
        let projected = (self.keys.clone(), self.values.clone());
        let segments = self.visible.segments(query_spans);
        attention.attend(queries, projected, &segments, dropout)
    }
}

/// Keys of sentences, keys and values of their tokens.
#[derive(Debug, Clone)]
pub struct SelectedMemory {
    /// `[sentences, d_k]`
    pub sentence_keys: Tensor<2>,
    /// `[rows, d_k]`
    pub word_keys: Tensor<2>,
    /// `[rows, d_v]`
    pub values: Tensor<2>,
}

/// Keys and values of tokens, each `[rows, d_model]`.
#[derive(Debug, Clone)]
pub struct WordMemory {
    /// Projected keys.
    pub keys: Tensor<2>,
    /// Projected values.
    pub values: Tensor<2>,
}

impl SelectedMemory {
    /// The memory and the projected queries that read it.
    pub fn read_by(&self, word_queries: Tensor<2>, sentence_queries: Tensor<2>) -> Projected {
        Projected {
            word_queries,
            word_keys: self.word_keys.clone(),
            values: self.values.clone(),
            sentence_queries,
            sentence_keys: self.sentence_keys.clone(),
        }
    }
}

/// Plain attention to the tokens that the memory gives as the own sentence's.
impl Attend for MultiHeadAttention {
    type Projected = WordMemory;

    fn project_memory(&self, memory: &Memory) -> WordMemory {
        let (keys, values) = self.project(memory.values.clone());
        WordMemory { keys, values }
    }

    fn attend_memory(&self, query: MemoryQuery<'_, WordMemory>) -> Tensor<2> {
        let WordMemory { keys, values } = query.memory.clone();
        let segments = own_segments(&query);
        self.attend(query.rows, (keys, values), &segments, query.dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, WordMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let read = self.attend_memory(query.clone());
        let segments = own_segments(&query);
        let keys = &query.memory.keys;
        (read, self.weights_of(query.rows, keys, &segments, keep))
    }
}

fn own_segments(query: &MemoryQuery<'_, WordMemory>) -> Arc<[Segment]> {
    let segments = query.spans.iter().map(|span| Segment {
        queries: span.rows.clone(),
        keys: query.documents.sentences[span.sentence].clone(),
    });
    segments.collect()
}
