//! Hierarchical encoding and conditional attention: Trankova et al. 2024.

mod conditional;
mod document_attention;
mod encoding;
mod hierarchical_conditional;
mod recording;
mod top_t;
mod traversal;
mod tree;

use burn::tensor::Device;

use super::x_transformer::X_BASE;
use crate::model::config::{ModelConfig, Positions};
use crate::model::context_config::{Context, ContextReach, FlatLevel, MergeKind, Placement};
use crate::model::counting::Counting;
use crate::model::mechanism::{ContextWeights, Mechanism};
use crate::model::parts::{AttentionPart, Cost, Widths, sentences};
use crate::model::preset::{BASE, Preset, TINY};
use crate::model::systems::ContextAttention;

pub use conditional::{
    ConditionalAttention, ConditionalAttentionConfig, ConditionalHeads, ConditionalHeadsConfig,
};
pub use encoding::SentenceAttention;
pub use hierarchical_conditional::{
    HierarchicalConditionalAttention, HierarchicalConditionalAttentionConfig, TreeChoice, TreeHeads,
};
pub use top_t::{keep_top_t, top_t};
pub use traversal::{Traversal, TraversalRule, TreeKeys, TreeSearch, Visit};
pub use tree::{
    ContentTree, DocumentTree, Merge, MergeConfig, MultiDimSource2Token,
    MultiDimSource2TokenConfig, TreeMemory, path_sums,
};

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

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let attention = SentenceAttention::new(config.d_model, config.num_heads, device);
        Some(ContextAttention::Sentences(attention))
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
    /// T: how many sentences a token reads in each head.
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

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let (d, heads) = (config.d_model, config.num_heads);
        let attention = ConditionalAttentionConfig::new(d, heads, self.top_t);
        Some(ContextAttention::Conditional(attention.init(device)))
    }

    fn top_t(&self) -> Option<usize> {
        Some(self.top_t)
    }

    fn with_top_t(&self, top_t: usize) -> Option<Context> {
        Some(Context::Conditional {
            top_t,
            placement: self.placement,
        })
    }

    fn set_like(&self, base: Context) -> Option<Context> {
        match base {
            Context::Conditional { top_t, .. } => self.with_top_t(top_t),
            _ => None,
        }
    }

    fn attention_part(&self, _: &ModelConfig, w: &Widths) -> Option<AttentionPart> {
        Some(self.part(w))
    }
}

/// Conditional attention to the sentences found in the content tree, §3.3.
pub(super) struct TreeOfContents {
    pub chosen: Conditional,
    pub merge: MergeKind,
    pub rule: TraversalRule,
}

impl Mechanism for TreeOfContents {
    fn reach(&self) -> ContextReach {
        self.chosen.reach()
    }

    fn placement(&self) -> Option<Placement> {
        self.chosen.placement()
    }

    fn attention(&self, config: &ModelConfig, device: &Device) -> Option<ContextAttention> {
        let (d, heads) = (config.d_model, config.num_heads);
        let tree = HierarchicalConditionalAttentionConfig::new(d, heads, self.chosen.top_t)
            .with_merge(self.merge)
            .with_rule(self.rule);
        Some(ContextAttention::Tree(tree.init(device)))
    }

    fn top_t(&self) -> Option<usize> {
        self.chosen.top_t()
    }

    fn with_top_t(&self, top_t: usize) -> Option<Context> {
        Some(Context::HierarchicalConditional {
            top_t,
            merge: self.merge,
            rule: self.rule,
            placement: self.chosen.placement,
        })
    }

    fn set_like(&self, base: Context) -> Option<Context> {
        match base {
            Context::HierarchicalConditional {
                top_t, merge, rule, ..
            } => Some(Context::HierarchicalConditional {
                top_t,
                merge,
                rule,
                placement: self.chosen.placement,
            }),
            _ => None,
        }
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
