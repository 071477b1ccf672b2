//! Weights of attentions to a document that several systems share, computed in addition to them.

use burn::tensor::Tensor;

use super::super::attention::MultiHeadAttention;
use super::super::prepared::VisibleMemory;
use super::super::query_spans::QuerySpan;
use super::weights::{AttentionWeights, HeadWeights, Recording, SentenceWeights, number};
use canopy_kernels::{Projected, SelectedAttention, SelectedWeights, each_selected};

/// Keys are tokens or sentences, as the memory names them.
pub(in super::super) fn visible_weights(
    attention: &MultiHeadAttention,
    queries: Tensor<2>,
    query_spans: &[QuerySpan],
    memory: &VisibleMemory,
    keep: &Recording,
) -> AttentionWeights {
    let segments = memory.visible.segments(query_spans);
    let mut attention_weights = attention.weights_of(queries, &memory.keys, &segments, keep);
    attention_weights.rename(|key| Some(number(memory.visible.keys[key])));
    for reading in &mut attention_weights.rows {
        // All but a sentence's own are one run that may begin after it.
        reading.keys.sort_unstable_by_key(|&(key, _)| key);
    }
    attention_weights
}

/// Weights of the tokens of chosen sentences, with those of the sentences; those below `least` are dropped.
pub(in super::super) fn selected(
    projected: &Projected,
    spec: &SelectedAttention,
    least: f32,
) -> AttentionWeights {
    let rows = each_selected(projected, spec, |list, weights| {
        let SelectedWeights { sentences, words } = weights;
        let chosen = &spec.chosen[list];
        let rows = chosen
            .iter()
            .flat_map(|&sentence| spec.sentences[sentence].clone());
        let sentences = chosen.iter().zip(sentences);
        let sentences = sentences.map(|(&sentence, weight)| SentenceWeights {
            sentence,
            weight,
            relevance: None,
            cumulative: None,
        });
        HeadWeights {
            sentences: sentences.collect(),
            ..HeadWeights::new(rows.zip(words), least)
        }
    });
    AttentionWeights {
        num_heads: spec.num_heads,
        rows,
    }
}
