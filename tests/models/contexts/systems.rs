//! The systems that are tested, at tiny sizes.

use canopy::kernels::WordNormaliser;
use canopy::model::{
    Architecture, Context, FlatLevel, MemorySource, MergeKind, ModelConfig, NormPosition,
    Placement, Reach, Side, TraversalRule,
};

use crate::contexts::tiny;

const PLACEMENTS: [Placement; 3] = [Placement::Sublayer, Placement::Heads, Placement::Gate];
const SIDES: [Side; 3] = [Side::Encoder, Side::Decoder, Side::Both];
const REACHES: [Reach; 2] = [Reach::Offline, Reach::Online];

/// Every kind of context wherever it can stand.
pub fn contexts() -> Vec<Context> {
    let mut contexts = vec![
        Context::Concatenation { previous: 1 },
        Context::Concatenation { previous: 2 },
        Context::QueryCapsules {
            previous: 2,
            capsules: 3,
        },
        Context::FlatTransformer {
            previous: 2,
            top: 1,
        },
    ];
    for placement in PLACEMENTS {
        for decoder in [false, true] {
            contexts.push(Context::HierarchicalEncoding { placement, decoder });
        }
        contexts.push(Context::Conditional {
            top_t: 2,
            placement,
        });
        for (merge, rule) in [
            (MergeKind::Source2Token, TraversalRule::ByNode),
            (MergeKind::Average, TraversalRule::ByCumulative),
            (MergeKind::MultiDim, TraversalRule::ByNode),
        ] {
            contexts.push(Context::HierarchicalConditional {
                top_t: 2,
                merge,
                rule,
                placement,
            });
        }
    }
    for side in SIDES {
        contexts.push(Context::Han { previous: 2, side });
        contexts.push(Context::Zhang { previous: 2, side });
        for reach in REACHES {
            for words in [WordNormaliser::Softmax, WordNormaliser::Sparsemax] {
                contexts.push(Context::Selective { words, reach, side });
            }
            for level in [FlatLevel::Sentence, FlatLevel::Word] {
                contexts.push(Context::Flat { level, reach, side });
            }
        }
    }
    contexts
}

/// Every kind of context in every model it can be built into: both places of the norms, both memories.
pub fn configs() -> Vec<ModelConfig> {
    let mut configs = Vec::new();
    for context in contexts() {
        for norm in [NormPosition::Post, NormPosition::Pre] {
            for memory in [MemorySource::Live, MemorySource::StageOne] {
                let config = ModelConfig {
                    context: Some(context),
                    memory,
                    norm,
                    tied_embeddings: norm == NormPosition::Pre,
                    ..tiny::config()
                };
                let zhang = matches!(
                    context,
                    Context::Zhang { .. } | Context::QueryCapsules { .. }
                );
                let buildable = (memory == MemorySource::Live || context.is_gated())
                    && !(zhang && norm == NormPosition::Pre);
                assert_eq!(config.validate().is_ok(), buildable, "{config:?}");
                if buildable {
                    configs.push(config);
                }
            }
        }
    }
    configs
}

/// Systems without a context.
pub fn sentence_level() -> [ModelConfig; 2] {
    let recurrent = ModelConfig {
        architecture: Architecture::RnnSearch,
        ..tiny::config()
    };
    [tiny::config(), recurrent]
}

/// Whether a sentence reads only what stands before it.
pub fn looks_back_only(context: &Context) -> bool {
    match context {
        Context::Concatenation { .. }
        | Context::Han { .. }
        | Context::Zhang { .. }
        | Context::QueryCapsules { .. }
        | Context::FlatTransformer { .. } => true,
        Context::Selective { reach, .. } | Context::Flat { reach, .. } => *reach == Reach::Online,
        _ => false,
    }
}
