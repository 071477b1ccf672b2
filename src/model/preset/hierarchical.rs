//! Hierarchical encoding and conditional attention: Trankova et al. 2024.

use super::x_transformer::X_BASE;
use super::{BASE, Preset, TINY};
use crate::model::config::Positions;
use crate::model::context_config::{Context, MergeKind, Placement};
use crate::model::counting::Counting;
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
            counting: Counting::Restarting,
        },
        context: Some(tree(Placement::Sublayer)),
        ..X_BASE
    },
];
