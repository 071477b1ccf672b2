//! Hierarchical encoding and conditional attention: Trankova et al. 2024.

use burn::tensor::Tensor;

use super::x_transformer::X_BASE;
use crate::model::conditional::ConditionalAttention;
use crate::model::config::{ModelConfig, Positions};
use crate::model::context_config::{Context, ContextReach, FlatLevel, MergeKind, Placement};
use crate::model::counting::Counting;
use crate::model::hierarchical::SentenceAttention;
use crate::model::hierarchical_conditional::HierarchicalConditionalAttention;
use crate::model::identity_init::set_to_identity;
use crate::model::linear::Linear;
use crate::model::mechanism::{ContextWeights, DocumentAttention, Mechanism};
use crate::model::parts::{AttentionPart, Cost, Widths, sentences};
use crate::model::prepared::{
    Attend, Memory, MemoryQuery, SelectedMemory, TreeMemory, VisibleMemory,
};
use crate::model::preset::{BASE, Preset, TINY};
use crate::model::recorder::{AttentionWeights, Recording};
use crate::model::source2token::Source2Token;
use crate::model::traversal::TraversalRule;

const HIERARCHICAL: &str =
    "Trankova et al. 2024, Hierarchical Encoding and Conditional Attention in NMT";

const fn tree(placement: Placement) -> Context {
    Context::HierarchicalConditional {
        top_t: 4,
        merge: MergeKind::Source2Token,
        rule: TraversalRule::ByNode,
        placement,
    }
}

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "hierarchical-encoding-small",
        paper: HIERARCHICAL,
        equations: "§2, Eq. 1-2, Fig. 1",
        description: "Every encoder layer also reads an encoding of each sentence of the document",
        context: Some(Context::HierarchicalEncoding {
            placement: Placement::Sublayer,
            decoder: false,
        }),
        ..BASE
    },
    Preset {
        name: "conditional-small",
        paper: HIERARCHICAL,
        equations: "§3.2, Eq. 3-7",
        description: "Every word reads the words of the four sentences that matter most to it",
        context: Some(Context::Conditional {
            top_t: 4,
            placement: Placement::Gate,
        }),
        ..BASE
    },
    Preset {
        name: "hierarchical-conditional-small",
        paper: HIERARCHICAL,
        equations: "§3.3, Fig. 3, last equation",
        description: "The same, with the four sentences found by going down a tree of the document: fast for long ones",
        context: Some(tree(Placement::Gate)),
        ..BASE
    },
    Preset {
        name: "hierarchical-conditional-tiny",
        paper: HIERARCHICAL,
        equations: "§3.3, Fig. 3, last equation",
        description: "The same with one layer on either side: the tree of the sample run",
        size: TINY,
        encoder: "sf",
        num_decoder_layers: 1,
        context: Some(tree(Placement::Gate)),
        ..BASE
    },
    Preset {
        name: "hierarchical-conditional",
        paper: HIERARCHICAL,
        equations: "§1.2, §2, §3.3",
        description: "Content tree in every encoder layer and positions of word, sentence and paragraph",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        positions: Positions::MultiLevel {
            words: 256,
            sentences: 64,
            paragraphs: 512,
            headings: 0,
            counting: Counting::Restarting,
        },
        context: Some(tree(Placement::Sublayer)),
        ..X_BASE
    },
    Preset {
        name: "hierarchical-conditional-absolute-small",
        paper: HIERARCHICAL,
        equations: "§1.2, §3.3",
        description: "The tree, with places of word, sentence, paragraph and the sections under three levels of headings, counted through the text",
        positions: THROUGH_THE_TEXT,
        context: Some(tree(Placement::Gate)),
        ..BASE
    },
    Preset {
        name: "hierarchical-conditional-absolute",
        paper: HIERARCHICAL,
        equations: "§1.2, §2, §3.3",
        description: "Content tree in every encoder layer and places counted through the text, of the sections under headings too",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        positions: THROUGH_THE_TEXT,
        context: Some(tree(Placement::Sublayer)),
        ..X_BASE
    },
];

/// §1.2: "PE_{135,4,2}", the 135th word of the text, in its fourth sentence and second paragraph; the levels above are those of
/// the document's headings. What does not fit is read in windows.
const THROUGH_THE_TEXT: Positions = Positions::MultiLevel {
    words: 2048,
    sentences: 256,
    paragraphs: 256,
    headings: 64,
    counting: Counting::Absolute,
};

/// Attention to the encodings of all sentences, §2.
pub(super) struct SentenceEncoding {
    pub placement: Placement,
    pub decoder: bool,
}

impl Mechanism for SentenceEncoding {
    fn reach(&self) -> ContextReach {
        ContextReach::Document
    }

    fn placement(&self) -> Option<Placement> {
        Some(self.placement)
    }

    fn decoder_placement(&self) -> Option<Placement> {
        self.decoder.then_some(Placement::Sublayer)
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let (d, square) = w.numbers();
        Some(AttentionPart {
            name: "attention to sentence encodings",
            parameters: w.source2token() + 4 * w.square(),
            reads: "an encoding of every sentence of the document".to_owned(),
            source: "Trankova et al. 2024, §2, Eq. 1-2, Fig. 1",
            cost: Cost {
                words: 4 * square,
                words_and_sentences: 2 * d,
                sentences: 3 * square,
                floats_per_word: 5 * d,
                ..Cost::default()
            },
        })
    }

    fn weights(&self) -> ContextWeights {
        ContextWeights {
            keys: FlatLevel::Sentence,
            ..ContextWeights::default()
        }
    }
}

/// Attention to the tokens of the most relevant sentences, §3.2.
pub(super) struct Conditional {
    pub top_t: usize,
    pub placement: Placement,
}

impl Conditional {
    fn part(&self, w: &Widths) -> AttentionPart {
        let (d, square) = w.numbers();
        AttentionPart {
            name: "conditional attention",
            parameters: w.source2token() + 6 * w.square(),
            reads: format!(
                "words of the {} that matter most to it",
                sentences(self.top_t)
            ),
            source: "Trankova et al. 2024, §3.2, Eq. 3-7",
            cost: Cost {
                words: 8 * square,
                words_in_sentence: 2 * d * self.top_t as u64,
                words_and_sentences: d,
                sentences: 2 * square,
                floats_per_word: 8 * d,
                ..Cost::default()
            },
        }
    }
}

impl Mechanism for Conditional {
    fn reach(&self) -> ContextReach {
        ContextReach::Document
    }

    fn placement(&self) -> Option<Placement> {
        Some(self.placement)
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        Some(self.part(w))
    }
}

/// Conditional attention to the sentences found in the content tree, §3.3.
pub(super) struct ContentTree {
    pub chosen: Conditional,
    pub merge: MergeKind,
}

impl Mechanism for ContentTree {
    fn reach(&self) -> ContextReach {
        self.chosen.reach()
    }

    fn placement(&self) -> Option<Placement> {
        self.chosen.placement()
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        let (d, square) = w.numbers();
        let top_t = self.chosen.top_t;
        let merging = match self.merge {
            MergeKind::Source2Token => w.source2token(),
            MergeKind::Average => 0,
            MergeKind::MultiDim => 2 * w.square() + 2 * w.d,
        };
        let chosen = self.chosen.part(w);
        Some(AttentionPart {
            name: "hierarchical conditional attention",
            parameters: chosen.parameters + merging,
            reads: format!(
                "words of the {} found in the content tree",
                sentences(top_t)
            ),
            source: "Trankova et al. 2024, §3.3, Fig. 3",
            cost: Cost {
                words_and_sentences: 0,
                words_and_levels: 2 * d * top_t as u64,
                sentences: 6 * square,
                ..chosen.cost
            },
        })
    }
}

impl Attend for SentenceAttention {
    type Projected = VisibleMemory;

    fn project_memory(&self, memory: &Memory) -> VisibleMemory {
        let encodings = memory.encoded_by(&self.source2token);
        self.prepare(encodings, &memory.documents)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, VisibleMemory>) -> Tensor<2> {
        self.attend(query.rows, query.spans, query.memory, query.dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, VisibleMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let read = self.attend_memory(query.clone());
        (read, query.weights(&self.attention, keep))
    }
}

impl DocumentAttention for SentenceAttention {
    fn source2token(&self) -> Option<&Source2Token> {
        Some(&self.source2token)
    }

    fn reads_tokens(&self) -> bool {
        false
    }

    /// The encodings of §2 are made of the states that enter the layer.
    fn reads_entering_states(&self) -> bool {
        true
    }

    fn init_near_identity(&mut self) {
        self.source2token.average();
        self.attention.init_identity();
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.attention.output
    }
}

impl Attend for ConditionalAttention {
    type Projected = SelectedMemory;

    fn project_memory(&self, memory: &Memory) -> SelectedMemory {
        let encodings = memory.encoded_by(&self.source2token);
        self.heads.prepare(memory.values.clone(), encodings)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, SelectedMemory>) -> Tensor<2> {
        let MemoryQuery {
            memory, dropout, ..
        } = query;
        self.attend(query.rows, query.spans, memory, query.documents, dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, SelectedMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let (read, weights) = self.heads.attention_weights(query, keep);
        (self.output.forward(read), weights)
    }
}

impl DocumentAttention for ConditionalAttention {
    fn source2token(&self) -> Option<&Source2Token> {
        Some(&self.source2token)
    }

    fn set_top_t(&mut self, top_t: usize) {
        self.heads.top_t = top_t;
    }

    fn init_near_identity(&mut self) {
        self.source2token.average();
        self.heads.init_identity();
        set_to_identity(&mut self.output);
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.output
    }
}

impl Attend for HierarchicalConditionalAttention {
    type Projected = TreeMemory;

    fn project_memory(&self, memory: &Memory) -> TreeMemory {
        let encodings = memory.encoded_by(&self.source2token);
        let words = memory.values.clone();
        self.tree.prepare(words, encodings, &memory.documents)
    }

    fn attend_memory(&self, query: MemoryQuery<'_, TreeMemory>) -> Tensor<2> {
        let MemoryQuery {
            memory, dropout, ..
        } = query;
        self.attend(query.rows, query.spans, memory, query.documents, dropout)
    }

    fn attend_with_weights(
        &self,
        query: MemoryQuery<'_, TreeMemory>,
        keep: &Recording,
    ) -> (Tensor<2>, AttentionWeights) {
        let (read, weights) = self.tree.attention_weights(query, keep);
        (self.output.forward(read), weights)
    }
}

impl DocumentAttention for HierarchicalConditionalAttention {
    fn source2token(&self) -> Option<&Source2Token> {
        Some(&self.source2token)
    }

    fn has_trees(&self) -> bool {
        true
    }

    fn set_top_t(&mut self, top_t: usize) {
        self.tree.heads.top_t = top_t;
    }

    fn init_near_identity(&mut self) {
        self.source2token.average();
        self.tree.heads.init_identity();
        self.tree.merge.average();
        set_to_identity(&mut self.output);
    }

    fn output_mut(&mut self) -> &mut Linear {
        &mut self.output
    }
}
