//! Meanings of the numbers of each system, and how many of them are kept.

use canopy_explain::trace::{MapKind, Normaliser, TracedModel, Units, Visible};
use canopy_kernels::WordNormaliser;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{
    Architecture, AttentionKind, Context, FlatLevel, MemoryUse, ModelConfig, Placement,
    ReadSentences, RecordedVisits, Recording, Sublayer,
};

/// Weights of a softmax below it are dropped.
const LEAST: f32 = 0.001;

/// A trace has about as many rows at most, one for each token, head and layer.
const MOST_ROWS: usize = 1 << 24;

/// A trace has about as many visits to nodes at most.
const MOST_VISITS: usize = 1 << 24;

/// The description of a map of this system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Described {
    pub kind: MapKind,
    pub queries: Units,
    pub keys: Units,
    pub visible: Visible,
    pub normaliser: Normaliser,
    pub sentence_normaliser: Option<Normaliser>,
    /// Whether the same softmax reads the query's own source sentence.
    pub includes_own: bool,
}

impl Described {
    pub(crate) fn new(kind: AttentionKind, config: &ModelConfig) -> Self {
        let plain = |kind, queries, keys| Self {
            kind,
            queries,
            keys,
            visible: Visible::Own,
            normaliser: Normaliser::Softmax,
            sentence_normaliser: None,
            includes_own: false,
        };
        let (source, target) = (Units::SourceWords, Units::TargetWords);
        match kind {
            AttentionKind::EncoderSelf => Self {
                visible: match config.context.map_or(0, Context::in_self_attention) {
                    0 => Visible::Own,
                    previous => Visible::OwnAndPrevious(previous),
                },
                ..plain(MapKind::EncoderSelf, source, source)
            },
            AttentionKind::SentenceEncoding => {
                plain(MapKind::SentenceEncoding, Units::SourceSentences, source)
            }
            AttentionKind::Cross => plain(MapKind::Cross, target, source),
            AttentionKind::Context => Self {
                kind: MapKind::Context,
                queries: source,
                ..Self::for_context(config, [source, Units::SourceSentences])
            },
            AttentionKind::DecoderContext => {
                let keys = if config.context.is_some_and(Context::is_bilingual) {
                    [target, Units::TargetSentences]
                } else {
                    [source, Units::SourceSentences]
                };
                Self::for_context(config, keys)
            }
        }
    }

    /// The part of an attention to the source sentence that reads the translations before, which are after it.
    pub(crate) fn for_translations(kind: AttentionKind, config: &ModelConfig) -> Self {
        let (kind, queries) = match kind {
            AttentionKind::Cross => (MapKind::DecoderContext, Units::TargetWords),
            _ => (MapKind::Context, Units::SourceWords),
        };
        Self {
            kind,
            queries,
            keys: Units::TargetWords,
            visible: Visible::Previous(config.previous_translations),
            normaliser: Normaliser::Softmax,
            sentence_normaliser: None,
            includes_own: true,
        }
    }

    /// As if tokens of the translation read.
    fn for_context(config: &ModelConfig, [words, sentences]: [Units; 2]) -> Self {
        let weights = config.context.map(Context::weights).unwrap_or_default();
        Self {
            kind: MapKind::DecoderContext,
            queries: Units::TargetWords,
            keys: match weights.keys {
                FlatLevel::Word => words,
                FlatLevel::Sentence => sentences,
            },
            visible: match weights.read {
                ReadSentences::All => Visible::All,
                ReadSentences::Others => Visible::Others,
                ReadSentences::Earlier => Visible::Earlier,
                ReadSentences::Previous(count) => Visible::Previous(count),
            },
            normaliser: normaliser(weights.normaliser),
            sentence_normaliser: weights.sentence_normaliser.map(normaliser),
            includes_own: false,
        }
    }

    pub(crate) fn threshold(&self, least: f32) -> f32 {
        match self.normaliser {
            Normaliser::Softmax => least,
            Normaliser::Sparsemax => 0.0,
        }
    }
}

fn normaliser(of: WordNormaliser) -> Normaliser {
    match of {
        WordNormaliser::Softmax => Normaliser::Softmax,
        WordNormaliser::Sparsemax => Normaliser::Sparsemax,
    }
}

/// The name of a system's gates.
pub(super) fn gate_name(config: &ModelConfig) -> &'static str {
    config
        .context
        .map(Context::weights)
        .unwrap_or_default()
        .gate
}

/// The description of a model in a trace.
pub(super) fn model(description: &ModelFolder) -> TracedModel {
    let config = &description.model;
    let recurrent = config.architecture == Architecture::RnnSearch;
    TracedModel {
        name: description.name.clone(),
        system: description.training.preset.clone(),
        num_encoder_layers: if recurrent { 1 } else { encoder_layers(config) },
        num_decoder_layers: config.num_decoder_layers,
        num_heads: if recurrent { 1 } else { config.num_heads },
        top_t: config.top_t(),
        probed_heads: Vec::new(),
        looks_up: config.memory_use == Some(MemoryUse::KnnMt),
    }
}

/// Counted by their self-attention.
pub(super) fn encoder_layers(config: &ModelConfig) -> usize {
    config.encoder.count(Sublayer::SelfAttention)
}

/// How much is kept of a document, so that its trace fits into memory.
pub(super) fn amount(config: &ModelConfig, words: usize, sentences: usize) -> Recording {
    let (encoder, decoder) = (encoder_layers(config), config.num_decoder_layers);
    let by_head = words * config.num_heads;
    // In each layer of either side one attention, in the last ones another, as a rough estimate.
    let only_last = by_head * (encoder + decoder + 2) > MOST_ROWS;
    let kept = |layers: usize| {
        if only_last {
            layers.saturating_sub(1)
        } else {
            0
        }
    };
    let survivors = match config.context {
        Some(Context::HierarchicalConditional {
            top_t, placement, ..
        }) => {
            let once = only_last || placement == Placement::Gate;
            let levels = sentences.max(1).ilog2() as usize + 2;
            by_head * if once { 1 } else { encoder } * levels * top_t.min(sentences)
        }
        _ => 0,
    };
    Recording {
        least: LEAST,
        // Two children of each survivor are visited.
        visits: if 2 * survivors <= MOST_VISITS {
            RecordedVisits::All
        } else if survivors <= MOST_VISITS {
            RecordedVisits::Survivors
        } else {
            RecordedVisits::None
        },
        encoder_from: kept(encoder),
        decoder_from: kept(decoder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_nn::model::Preset;

    #[test]
    fn the_longer_a_document_the_less_is_kept() {
        let preset = Preset::named("hierarchical-conditional-small").expect("there");
        let config = preset.config(8_000);
        let kept = |sentences: usize| amount(&config, 20 * sentences, sentences);
        assert_eq!(kept(100).visits, RecordedVisits::All);
        assert_eq!(kept(20_000).visits, RecordedVisits::None);
        let layers = |keep: Recording| [keep.encoder_from, keep.decoder_from];
        assert_eq!(layers(kept(100)), [0, 0]);
        let last = [encoder_layers(&config) - 1, config.num_decoder_layers - 1];
        assert_eq!(layers(kept(200_000)), last);
    }
}
