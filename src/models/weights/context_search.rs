//! How the contexts of sentences were found that a BERT read in training.

use serde::{Deserialize, Serialize};

use canopy_metrics::similarity::Range;

/// The search for the similar sentences that stood beside each one in training, so that it is repeated when the model
/// translates: Choi et al. 2022 (CATSBY), §5.5.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSearch {
    /// Where sentences were looked for.
    pub range: Range,
    /// Name of the encoder whose vectors were compared.
    pub encoder: String,
    /// Whether that is the model's own BERT; else it is kept beside the model, see
    /// [`ModelFolder::context_encoder`](super::ModelFolder::context_encoder).
    pub own_encoder: bool,
    /// Word pieces of a sentence that the own BERT reads for its vector at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Corpus whose training documents were candidates, too; the model does not have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
}
