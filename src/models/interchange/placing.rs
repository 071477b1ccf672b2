//! Puts down another program's weights by the names that they have here.

use std::collections::BTreeMap;

use super::floats::Floats;
use canopy_nn::model::{DecoderCell, ModelConfig, NormPosition, Positions, Sublayer};

/// Shapes and numbers by the names that they have here, as [`NamedTensors`](crate::weights::NamedTensors).
pub type ForeignTensors = BTreeMap<String, (Vec<usize>, Floats)>;

/// Weights that are being put down.
#[derive(Default)]
pub(super) struct Placing {
    weights: ForeignTensors,
}

/// A linear map.
pub(super) struct Map {
    pub from: usize,
    pub to: usize,
    /// `[from, to]`, the last axis fastest.
    pub weight: Floats,
    pub bias: Option<Floats>,
}

impl Map {
    /// Linear layer of a weight `[to, from]`, as PyTorch and CTranslate2 have it.
    pub(super) fn turned((from, to): (usize, usize), weight: Floats, bias: Option<Floats>) -> Self {
        Self {
            from,
            to,
            weight: weight.turned(to),
            bias,
        }
    }
}

impl Placing {
    pub(super) fn matrix(&mut self, name: &str, shape: [usize; 2], numbers: Floats) {
        self.weights
            .insert(name.to_owned(), (shape.to_vec(), numbers));
    }

    pub(super) fn vector(&mut self, name: &str, numbers: Floats) {
        self.weights
            .insert(name.to_owned(), (vec![numbers.len()], numbers));
    }

    pub(super) fn map(&mut self, name: &str, map: Map) {
        let Map {
            from,
            to,
            weight,
            bias,
        } = map;
        self.matrix(&format!("{name}.weight"), [from, to], weight);
        if let Some(bias) = bias {
            self.vector(&format!("{name}.bias"), bias);
        }
    }

    /// γ and β.
    pub(super) fn norm(&mut self, name: &str, (gamma, beta): (Floats, Floats)) {
        self.vector(&format!("{name}.gamma"), gamma);
        self.vector(&format!("{name}.beta"), beta);
    }

    pub(super) fn finish(self) -> ForeignTensors {
        self.weights
    }

    /// Whether these are the weights of the model that `config` describes.
    pub(super) fn check(weights: &ForeignTensors, config: &ModelConfig) -> Result<(), String> {
        let mut expected = shapes(config);
        for (name, (shape, _)) in weights {
            match expected.remove(name) {
                Some(known) if known == *shape => {}
                Some(known) => {
                    return Err(format!(
                        "{name} has shape {shape:?}, its configuration says {known:?}"
                    ));
                }
                None => return Err(format!("{name} is not part of the model it describes")),
            }
        }
        match expected.into_keys().next() {
            Some(name) => Err(format!("{name} is missing")),
            None => Ok(()),
        }
    }
}

/// The names of encoder layers here, each of attention and feed-forward layer.
pub(super) fn encoder_layer(number: usize) -> [String; 2] {
    [2 * number, 2 * number + 1].map(|sublayer| format!("encoder.sublayers.{sublayer}"))
}

/// An encoder of a number of layers, each with attention and a feed-forward layer.
pub(super) fn encoder_layout(layers: usize) -> String {
    vec!["sf"; layers].join("-")
}

/// Every parameter of a sentence-level Transformer with its shape.
fn shapes(config: &ModelConfig) -> BTreeMap<String, Vec<usize>> {
    let (d, d_ff, variant) = (config.d_model, config.d_ff, &config.variant);
    let (source, target) = (config.vocab_size, config.target_vocab_size());
    let mut shapes = BTreeMap::new();
    let mut put = |name: String, shape: &[usize]| {
        shapes.insert(name, shape.to_vec());
    };
    let map = |put: &mut dyn FnMut(String, &[usize]), name: String, sizes: [usize; 2], bias| {
        put(format!("{name}.weight"), &sizes);
        if bias {
            put(format!("{name}.bias"), &sizes[1..]);
        }
    };
    let norm = |put: &mut dyn FnMut(String, &[usize]), name: String| {
        put(format!("{name}.gamma"), &[d]);
        put(format!("{name}.beta"), &[d]);
    };
    let attention = |put: &mut dyn FnMut(String, &[usize]), name: &str| {
        for part in ["query", "key", "value", "output"] {
            map(
                put,
                format!("{name}.{part}"),
                [d, d],
                variant.attention_bias,
            );
        }
    };
    let feed_forward = |put: &mut dyn FnMut(String, &[usize]), name: &str| {
        map(put, format!("{name}.inner"), [d, d_ff], true);
        map(put, format!("{name}.outer"), [d_ff, d], true);
    };
    put("embedding.words".into(), &[source, d]);
    if config.has_target_table() {
        put("target_embedding.words".into(), &[target, d]);
    }
    if config.has_output_table() {
        put("logits".into(), &[target, d]);
    }
    if variant.output_bias {
        put("output_bias".into(), &[target]);
    }
    for name in input_layers(config) {
        if let Positions::Learned { size } = config.positions {
            put(format!("{name}.positions"), &[size, d]);
        }
        if variant.embedding_norm {
            norm(&mut put, format!("{name}.norm"));
        }
    }
    for (number, kind) in config.encoder.sublayers().enumerate() {
        let name = format!("encoder.sublayers.{number}");
        match kind {
            Sublayer::SelfAttention => attention(&mut put, &format!("{name}.attention")),
            Sublayer::FeedForward => feed_forward(&mut put, &format!("{name}.feed_forward")),
        }
        norm(&mut put, format!("{name}.norm"));
    }
    for number in 0..config.num_decoder_layers {
        let name = format!("decoder.layers.{number}");
        match variant.decoder_cell {
            DecoderCell::SelfAttention => attention(&mut put, &format!("{name}.self_attention")),
            DecoderCell::Ssru => {
                map(&mut put, format!("{name}.ssru.input"), [d, d], false);
                map(&mut put, format!("{name}.ssru.forget"), [d, d], true);
            }
        }
        attention(&mut put, &format!("{name}.cross_attention"));
        feed_forward(&mut put, &format!("{name}.feed_forward"));
        for part in ["norm_self", "norm_cross", "norm_ff"] {
            norm(&mut put, format!("{name}.{part}"));
        }
    }
    if config.norm == NormPosition::Pre {
        norm(&mut put, "encoder.final_norm".into());
        norm(&mut put, "decoder.final_norm".into());
    }
    shapes
}

/// Names of what precedes the first layers of encoder and decoder.
pub(super) fn input_layers(config: &ModelConfig) -> [&'static str; 2] {
    let target = if config.has_target_table() {
        "target_embedding.input"
    } else {
        "target_input"
    };
    ["embedding.input", target]
}
