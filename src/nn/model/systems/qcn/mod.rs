//! The query-guided capsule network: Yang et al. 2019. Its place and the encoding of the previous sentences are those of
//! Zhang et al. 2018; in between, their tokens are clustered into capsules.

mod layer;
mod recording;

use burn::tensor::{Device, Tensor};

use super::zhang::Zhang;
use crate::error::{BaseError, Error, Result};
use crate::model::config::ModelConfig;
use crate::model::context_config::{Context, ContextReach, Placement, Side};
use crate::model::linear::Linear;
use crate::model::mechanism::{ContextWeights, DocumentAttention, Mechanism};
use crate::model::parts::{AttentionPart, Cost, Part, Widths, sentences};
use crate::model::prepared::{Attend, Memory, MemoryQuery};
use crate::model::preset::{BASE, Preset};
use crate::model::recorder::{AttentionWeights, Recording};
use crate::model::systems::{ContextAttention, MemoryEncoder};

pub use layer::{Capsules, QueryCapsules, QueryCapsulesConfig, RoutedCapsules};

pub(super) const PRESETS: &[Preset] = &[Preset {
    name: "qcn-small",
    paper: "Yang et al. 2019, Enhancing Context Modeling with a Query-Guided Capsule Network for Document-level Translation",
    equations: "query-guided dynamic routing, after Geng et al. 2020, Algorithm 1",
    description: "Every encoder layer reads four capsules into which the sentence itself clusters the two before it",
    context: Some(Context::QueryCapsules {
        previous: 2,
        capsules: 4,
    }),
    ..BASE
}];

pub(super) struct Qcn {
    pub previous: usize,
    pub capsules: usize,
}

impl Qcn {
    fn encoded(&self) -> Zhang {
        Zhang {
            previous: self.previous,
            side: Side::Encoder,
        }
    }
}

impl Mechanism for Qcn {
    fn reach(&self) -> ContextReach {
        self.encoded().reach()
    }

    fn placement(&self) -> Option<Placement> {
        self.encoded().placement()
    }

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let (d, heads) = (config.d_model, config.num_heads);
        let capsules = QueryCapsulesConfig::new(d, heads, self.capsules);
        Some(ContextAttention::Capsules(capsules.init(device)))
    }

    fn memory_encoder(&self, config: &ModelConfig, device: &Device) -> Option<MemoryEncoder> {
        self.encoded().memory_encoder(config, device)
    }

    fn has_gated_sublayers(&self) -> bool {
        true
    }

    fn needs_post_norm(&self) -> bool {
        true
    }

    fn validate(&self, _: &ModelConfig) -> Result<()> {
        if self.capsules > 0 {
            return Ok(());
        }
        Err(Error::Base(BaseError::Config {
            field: "context.capsules",
            found: self.capsules.to_string(),
            allowed: "at least 1".to_owned(),
        }))
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let ((d, square), k, j) = (w.numbers(), self.previous as u64, self.capsules as u64);
        let turns = 3;
        Some(AttentionPart {
            name: "query-guided capsules, attention to them, gate",
            parameters: (4 + self.capsules) * w.square() + w.norm + w.gate,
            reads: format!("words of the {} before", sentences(self.previous)),
            source: "Yang et al. 2019",
            cost: Cost {
                words: 2 * square + k * j * (square + 4 * turns * d) + 2 * j * d,
                sentences: 3 * j * square,
                floats_per_word: (2 + 3 * k * j) * d,
                ..Cost::default()
            },
        })
    }

    fn auxiliary_part(&self, config: &ModelConfig, w: &Widths) -> Option<Part> {
        self.encoded().auxiliary_part(config, w)
    }

    fn weights(&self) -> ContextWeights {
        self.encoded().weights()
    }
}

/// The votes of the tokens of a memory, `[rows, num_capsules · d_model]`.
#[derive(Debug, Clone)]
pub(in crate::model) struct CapsuleVotes(Tensor<2>);

impl Attend for QueryCapsules {
    type Projected = CapsuleVotes;

    fn project_memory(&self, memory: &Memory) -> CapsuleVotes {
        CapsuleVotes(self.votes.forward(memory.keys.clone()))
    }

    fn attend_memory(&self, query: MemoryQuery<'_, CapsuleVotes>) -> Tensor<2> {
        let sentences = &query.documents.sentences;
        let CapsuleVotes(votes) = query.memory;
        let dropout = query.dropout;
        self.attend(query.rows, query.spans, votes, sentences, dropout)
            .0
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, CapsuleVotes>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let sentences = &query.documents.sentences;
        let CapsuleVotes(votes) = query.memory;
        let rows = query.rows.clone();
        let (read, capsules) = self.attend(rows, query.spans, votes, sentences, None);
        (read, self.weights_of_tokens(query.rows, &capsules, keep))
    }
}

impl DocumentAttention for QueryCapsules {
    fn init_near_identity(&mut self) {
        self.init_votes();
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.attention.output
    }
}
