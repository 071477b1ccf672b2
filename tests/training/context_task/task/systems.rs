//! The systems, each with the documents it can solve and how it learns.

use canopy::kernels::WordNormaliser::{self, Softmax, Sparsemax};
use canopy::model::{
    Architecture, Context, FlatLevel, MemorySource, MergeKind, ModelConfig, NormPosition,
    Placement, Positions, Reach, Side, SpecialTokens, TraversalRule, Variant,
};

use super::documents::{Evidence, FILLERS, NEAR, Order, Task, VOCAB};

#[derive(Debug, Clone, Copy)]
pub struct System {
    pub name: &'static str,
    pub context: Option<Context>,
    pub encoder: &'static str,
    pub task: Task,
    pub learning_rate: f64,
    /// Documents in an update.
    pub batch: usize,
    /// Maximum number of updates.
    pub max_steps: usize,
    /// Whether a word reads all sentences at first. T goes down when the development set is solved, to that of the context.
    pub lowers_t: bool,
}

impl System {
    pub fn config(&self) -> ModelConfig {
        ModelConfig {
            vocab_size: VOCAB,
            d_model: 48,
            d_ff: 96,
            num_heads: 2,
            encoder: self.encoder.parse().expect("a layout"),
            num_decoder_layers: 1,
            dropout: 0.0,
            positions: Positions::Sinusoidal,
            norm: NormPosition::Post,
            tied_embeddings: true,
            max_tokens: 16,
            architecture: Architecture::Transformer,
            context: self.context,
            memory: MemorySource::Live,
            warm_gate: false,
            memory_use: None,
            previous_translations: 0,
            reads_formality: false,
            variant: Variant::default(),
            tokens: SpecialTokens::default(),
            bert: None,
        }
    }

    /// T in the end, if there is a choice.
    pub fn top_t(&self) -> Option<usize> {
        match self.context? {
            Context::Conditional { top_t, .. } | Context::HierarchicalConditional { top_t, .. } => {
                Some(top_t)
            }
            _ => None,
        }
    }
}

/// # Panics
/// If no system has this name.
pub fn named(name: &str) -> &'static System {
    let found = SYSTEMS.iter().find(|system| system.name == name);
    found.unwrap_or_else(|| panic!("no system {name}"))
}

const fn task(evidence: Evidence, order: Order) -> Task {
    Task {
        evidence,
        order,
        cast: 4,
        mentions: 1,
        fillers: FILLERS,
    }
}

const SENTENCE: System = System {
    name: "sentence-level",
    context: None,
    encoder: "sf",
    task: task(Evidence::Source, Order::Anywhere),
    learning_rate: 2e-3,
    batch: 48,
    max_steps: 300,
    lowers_t: false,
};

/// Reads the source of the whole document.
const GLOBAL: System = System {
    max_steps: 2_500,
    ..SENTENCE
};

const WINDOWED: System = System {
    task: task(Evidence::Source, Order::Near),
    ..GLOBAL
};

const fn selective(words: WordNormaliser, reach: Reach, side: Side) -> Context {
    Context::Selective { words, reach, side }
}

const fn flat(level: FlatLevel, side: Side) -> Context {
    Context::Flat {
        level,
        reach: Reach::Offline,
        side,
    }
}

const fn han(side: Side) -> Context {
    Context::Han {
        previous: NEAR,
        side,
    }
}

const fn tree(merge: MergeKind) -> System {
    System {
        name: "",
        context: Some(Context::HierarchicalConditional {
            top_t: 4,
            merge,
            rule: TraversalRule::ByNode,
            placement: Placement::Gate,
        }),
        batch: 32,
        lowers_t: true,
        ..GLOBAL
    }
}

pub const SYSTEMS: &[System] = &[
    SENTENCE,
    System {
        name: "concatenation",
        context: Some(Context::Concatenation { previous: NEAR }),
        encoder: "s-sf",
        learning_rate: 3e-3,
        batch: 24,
        ..WINDOWED
    },
    System {
        name: "zhang",
        context: Some(Context::Zhang {
            previous: NEAR,
            side: Side::Encoder,
        }),
        ..WINDOWED
    },
    System {
        name: "qcn",
        context: Some(Context::QueryCapsules {
            previous: NEAR,
            capsules: 4,
        }),
        ..WINDOWED
    },
    System {
        name: "han-encoder",
        context: Some(han(Side::Encoder)),
        ..WINDOWED
    },
    System {
        name: "han-decoder",
        context: Some(han(Side::Decoder)),
        task: task(Evidence::Target, Order::Near),
        ..WINDOWED
    },
    System {
        name: "han-both",
        context: Some(han(Side::Both)),
        task: task(Evidence::Either, Order::Near),
        ..WINDOWED
    },
    System {
        name: "flat-sentence",
        context: Some(flat(FlatLevel::Sentence, Side::Encoder)),
        ..GLOBAL
    },
    System {
        name: "flat-word",
        context: Some(flat(FlatLevel::Word, Side::Encoder)),
        ..GLOBAL
    },
    System {
        name: "flat-word-decoder",
        context: Some(flat(FlatLevel::Word, Side::Decoder)),
        task: task(Evidence::Target, Order::Anywhere),
        ..GLOBAL
    },
    System {
        name: "selective",
        context: Some(selective(Sparsemax, Reach::Offline, Side::Encoder)),
        ..GLOBAL
    },
    System {
        name: "selective-online",
        context: Some(selective(Sparsemax, Reach::Online, Side::Encoder)),
        task: task(Evidence::Source, Order::Before),
        ..GLOBAL
    },
    System {
        name: "selective-soft",
        context: Some(selective(Softmax, Reach::Offline, Side::Encoder)),
        ..GLOBAL
    },
    System {
        name: "selective-decoder",
        context: Some(selective(Sparsemax, Reach::Offline, Side::Decoder)),
        task: task(Evidence::Target, Order::Anywhere),
        ..GLOBAL
    },
    System {
        name: "selective-soft-decoder",
        context: Some(selective(Softmax, Reach::Offline, Side::Decoder)),
        task: task(Evidence::Target, Order::Anywhere),
        ..GLOBAL
    },
    System {
        name: "hierarchical-encoding",
        context: Some(Context::HierarchicalEncoding {
            placement: Placement::Sublayer,
            decoder: false,
        }),
        ..GLOBAL
    },
    System {
        name: "hierarchical-encoding-heads",
        context: Some(Context::HierarchicalEncoding {
            placement: Placement::Heads,
            decoder: false,
        }),
        ..GLOBAL
    },
    System {
        name: "conditional",
        context: Some(Context::Conditional {
            top_t: 4,
            placement: Placement::Gate,
        }),
        batch: 32,
        lowers_t: true,
        ..GLOBAL
    },
    System {
        name: "hierarchical-conditional",
        ..tree(MergeKind::Source2Token)
    },
    System {
        name: "hierarchical-conditional-average",
        ..tree(MergeKind::Average)
    },
    System {
        name: "hierarchical-conditional-multi-dim",
        ..tree(MergeKind::MultiDim)
    },
];
