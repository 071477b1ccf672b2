//! The weights of selective attention, computed in addition to it.

use burn::tensor::Tensor;

use super::layer::SelectiveAttention;
use crate::model::prepared::{MemoryQuery, SelectedMemory};
use crate::model::recorder::{AttentionWeights, Recording, selected};
use canopy_kernels::{WordNormaliser, selected_attention};

impl SelectiveAttention {
    /// Exact zeros are not there, and no weight of a sparsemax is dropped.
    ///
    /// # Shapes
    /// - output: before its projection, `[query rows, d_v]`
    pub(super) fn attention_weights(
        &self,
        query: MemoryQuery<'_, SelectedMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let documents = query.documents;
        let projected = self.project_queries(query.rows, query.memory);
        let choice = self.choose(&projected, query.spans, documents);
        let least = match self.words {
            WordNormaliser::Softmax => keep.least,
            WordNormaliser::Sparsemax => 0.0,
        };
        let spec = self.spec(&documents.sentences, &choice);
        let attention_weights = selected(&projected, &spec, least);
        (selected_attention(projected, &spec), attention_weights)
    }
}
