//! Which sentences each head of each row reads.

use burn::tensor::{Bool, Tensor, TensorData};
use rayon::prelude::*;

use super::documents::Documents;
use super::query_spans::QuerySpan;
use super::rows::select_rows;

/// Sentences that one head of one query reads, ascending, each with the score by which it was chosen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectedSentences {
    /// Numbers of the sentences.
    pub sentences: Vec<usize>,
    /// Their scores.
    pub scores: Vec<f32>,
}

/// Scores compared at once: bounds the memory of a choice, not its result.
const BLOCK: usize = 1 << 22;

/// Relevance of sentences to tokens, Trankova et al. 2024, Eq. 3: `q kᵀ / √d_head` for every head.
///
/// # Shapes
/// - queries: `[rows, d_k]`; keys: `[sentences, d_k]`
/// - output: `[heads, rows, sentences]`
pub fn relevance(queries: Tensor<2>, keys: Tensor<2>, num_heads: usize) -> Tensor<3> {
    let ([rows, d_k], [sentences, _]) = (queries.dims(), keys.dims());
    let d_head = d_k / num_heads;
    #[expect(clippy::cast_precision_loss, reason = "head sizes are small")]
    let scale = 1.0 / (d_head as f32).sqrt();
    let queries = queries.reshape([rows, num_heads, d_head]).swap_dims(0, 1);
    let keys = keys.reshape([sentences, num_heads, d_head]).swap_dims(0, 1);
    queries.matmul(keys.transpose()) * scale
}

/// A choice among the sentences of a reader's document.
pub(super) struct SentenceSelector<V, P> {
    /// Number of attention heads.
    pub num_heads: usize,
    /// Whether readers of the first sentence may read the second one, which has tokens.
    pub visible: V,
    /// Makes of a row's scores of the sentences, `-inf` where one may not be read, what is compared.
    pub normalise: fn(&mut [f32]),
    /// Places of the chosen ones.
    pub pick: P,
}

impl<V: Fn(usize, usize) -> bool, P: Fn(&[f32]) -> Vec<usize>> SentenceSelector<V, P> {
    /// Chooses for every query and head, row `r`, head `h` standing at `r · num_heads + h`; has no gradient.
    ///
    /// Rows of no reader choose nothing. Scores are computed for a block of rows at a time.
    ///
    /// # Shapes
    /// - queries: `[query rows, d_k]`; keys: `[sentences, d_k]`
    pub(super) fn choose(
        &self,
        queries: &Tensor<2>,
        keys: &Tensor<2>,
        query_spans: &[QuerySpan],
        documents: &Documents,
    ) -> Vec<SelectedSentences> {
        let (queries, keys) = (queries.clone().detach(), keys.clone().detach());
        let mut choice = vec![SelectedSentences::default(); queries.dims()[0] * self.num_heads];
        let rows = documents.rows_of_spans(query_spans);
        let read = documents.documents.iter().zip(&rows);
        for (document, rows) in read.filter(|(_, rows)| !rows.is_empty()) {
            let keys = keys.clone().narrow(0, document.start, document.len());
            for block in rows.chunks((BLOCK / (document.len() * self.num_heads)).max(1)) {
                let numbers: Vec<usize> = block.iter().map(|&(row, _)| row).collect();
                let scores = relevance(
                    select_rows(queries.clone(), &numbers),
                    keys.clone(),
                    self.num_heads,
                );
                let hidden = block.iter().flat_map(|&(_, own)| {
                    let empty = |other: usize| documents.sentences[other].is_empty();
                    document
                        .clone()
                        .map(move |other| empty(other) || !(self.visible)(own, other))
                });
                let hidden: Vec<bool> = hidden.collect();
                let hidden = TensorData::new(hidden, [1, block.len(), document.len()]);
                let hidden = Tensor::<3, Bool>::from_data(hidden, &keys.device())
                    .repeat_dim(0, self.num_heads);
                let scores = scores.mask_fill(hidden, f32::NEG_INFINITY);
                let mut scores: Vec<f32> = scores.into_data().iter().collect();
                let rows = scores.par_chunks_exact_mut(document.len());
                rows.for_each(self.normalise);
                for (index, scores) in scores.chunks_exact(document.len()).enumerate() {
                    let (head, row) = (index / block.len(), numbers[index % block.len()]);
                    let positions = (self.pick)(scores);
                    choice[row * self.num_heads + head] = SelectedSentences {
                        sentences: positions
                            .iter()
                            .map(|position| document.start + position)
                            .collect(),
                        scores: positions.iter().map(|&position| scores[position]).collect(),
                    };
                }
            }
        }
        choice
    }
}

/// The lists of sentences alone, as the kernel reads them.
pub(super) fn lists(choice: &[SelectedSentences]) -> std::sync::Arc<[Vec<usize>]> {
    choice.iter().map(|kept| kept.sentences.clone()).collect()
}
