//! The architecture as `special:model.yml` describes it.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::interchange::placing::encoder_layout;
use crate::interchange::tensors::Tensors;
use crate::interchange::yaml::{Yaml, read_settings};
use canopy_nn::model::{
    Activation, Architecture, DecoderCell, MemorySource, ModelConfig, NormPosition, Positions,
    SineColumns, SineFrequencies, Sinusoids, SpecialTokens, Variant,
};

/// Source words that are read at once.
const MOST_TOKENS: usize = 512;

/// No published model has more.
const MOST_LAYERS: usize = 1_000;

/// Options as far as they matter, checked.
#[expect(clippy::struct_excessive_bools, reason = "they are those of the file")]
pub(super) struct Options {
    pub version: String,
    pub encoder_layers: usize,
    pub decoder_layers: usize,
    pub d_model: usize,
    d_ff: usize,
    num_heads: usize,
    activation: Activation,
    norm: NormPosition,
    pub embedding_norm: bool,
    pub decoder_cell: DecoderCell,
    tied_all: bool,
    tied_source: bool,
    tied_output: bool,
    no_positions: bool,
    /// The layer whose first head is trained to align, if one is.
    pub alignment_layer: usize,
}

impl Options {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let settings = Settings(read_settings(text)?);
        settings.refuse_others()?;
        let (norm, embedding_norm) = settings.norms()?;
        let decoder_cell = match settings.text("transformer-decoder-autoreg", "self-attention") {
            "self-attention" => DecoderCell::SelfAttention,
            "rnn" => settings.recurrent()?,
            other => {
                return Err(format!(
                    "transformer-decoder-autoreg is {other}; self-attention, and rnn with dec-cell ssru, are read"
                ));
            }
        };
        let decoder_layers = settings.number("dec-depth", None)?;
        let layer = settings.text("transformer-guided-alignment-layer", "last");
        let alignment_layer = match layer {
            "last" => decoder_layers,
            number => number
                .parse()
                .ok()
                .ok_or_else(|| format!("transformer-guided-alignment-layer is {number}"))?,
        };
        if !(1..=decoder_layers).contains(&alignment_layer) {
            return Err(format!(
                "transformer-guided-alignment-layer is {layer}, but dec-depth {decoder_layers}"
            ));
        }
        let d_ff = settings.number("transformer-dim-ffn", Some(2048))?;
        let decoder_d_ff = settings.number("transformer-decoder-dim-ffn", Some(0))?;
        if decoder_d_ff != 0 && decoder_d_ff != d_ff {
            return Err(format!(
                "transformer-decoder-dim-ffn is {decoder_d_ff}; only that of the encoder, {d_ff}, is read"
            ));
        }
        Ok(Self {
            version: settings.text("version", "?").to_owned(),
            encoder_layers: settings.number("enc-depth", None)?,
            decoder_layers,
            d_model: settings.number("dim-emb", None)?,
            d_ff,
            num_heads: settings.number("transformer-heads", Some(8))?,
            activation: settings.activation()?,
            norm,
            embedding_norm,
            decoder_cell,
            tied_all: settings.flag("tied-embeddings-all"),
            tied_source: settings.flag("tied-embeddings-src"),
            tied_output: settings.flag("tied-embeddings"),
            no_positions: settings.flag("transformer-disable-position-embeddings"),
            alignment_layer: alignment_layer - 1,
        })
    }

    /// The table of a side's words in the file.
    pub(super) fn words(&self, side: &str) -> String {
        if self.tied_all || self.tied_source {
            "Wemb".to_owned()
        } else {
            format!("{side}_Wemb")
        }
    }

    /// Whether the scores come from the target's table of words.
    pub(super) fn ties_output(&self) -> bool {
        self.tied_all || self.tied_output
    }

    /// The model, its special tokens aside.
    ///
    /// # Errors
    /// If a tensor that determines a size is missing.
    pub(super) fn config(&self, tensors: &Tensors) -> Result<ModelConfig> {
        let rows = |name: &str| match tensors.shape(name)? {
            &[rows, _] => Ok(rows),
            other => Err(tensors.refuse(format!(
                "tensor {name} has shape {other:?}, expected is a matrix"
            ))),
        };
        let source = rows(&self.words("encoder"))?;
        let target = rows(&self.words("decoder"))?;
        let learned = tensors.contains("Wpos") && !self.no_positions;
        let positions = if self.no_positions {
            Positions::Unknown
        } else if learned {
            let size = rows("Wpos")?;
            Positions::Learned { size }
        } else {
            Positions::Sinusoids(Sinusoids {
                columns: SineColumns::Halves,
                frequencies: SineFrequencies::Tensor2tensor,
                first: 0,
            })
        };
        if !(1..=MOST_LAYERS).contains(&self.encoder_layers) {
            let found = self.encoder_layers;
            return Err(tensors.refuse(format!(
                "enc-depth is {found}; 1 up to {MOST_LAYERS} layers are read"
            )));
        }
        let one_table = self.words("encoder") == self.words("decoder");
        Ok(ModelConfig {
            vocab_size: source,
            d_model: self.d_model,
            d_ff: self.d_ff,
            num_heads: self.num_heads,
            encoder: encoder_layout(self.encoder_layers).parse()?,
            num_decoder_layers: self.decoder_layers,
            dropout: 0.1,
            positions,
            norm: self.norm,
            tied_embeddings: one_table && self.ties_output(),
            max_tokens: MOST_TOKENS,
            architecture: Architecture::Transformer,
            context: None,
            memory: MemorySource::Live,
            warm_gate: false,
            bert: None,
            memory_use: None,
            previous_translations: 0,
            reads_formality: false,
            variant: Variant {
                attention_bias: true,
                activation: self.activation,
                // With sines only, there.
                embedding_scale: (learned || self.no_positions).then_some(1.0),
                embedding_norm: self.embedding_norm,
                norm_epsilon: 1e-6,
                output_bias: tensors.contains("decoder_ff_logit_out_b"),
                decoder_cell: self.decoder_cell,
                target_vocab_size: (source != target).then_some(target),
                tied_words: one_table && !self.ties_output(),
                tied_output: !one_table && self.ties_output(),
            },
            tokens: SpecialTokens::default(),
        })
    }
}

struct Settings(BTreeMap<String, Yaml>);

impl Settings {
    fn text<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.0.get(key).and_then(Yaml::text).unwrap_or(default)
    }

    fn flag(&self, key: &str) -> bool {
        ["true", "on", "yes", "1"].contains(&self.text(key, "false"))
    }

    fn number(&self, key: &str, default: Option<usize>) -> Result<usize, String> {
        match (self.0.get(key), default) {
            (Some(value), _) => {
                let text = value.text().unwrap_or("a list");
                let number = text.parse();
                number
                    .ok()
                    .ok_or_else(|| format!("{key} is {text}, expected is a whole number"))
            }
            (None, Some(default)) => Ok(default),
            (None, None) => Err(format!("{key} is missing")),
        }
    }

    fn activation(&self) -> Result<Activation, String> {
        match self.text("transformer-ffn-activation", "swish") {
            "relu" => Ok(Activation::Relu),
            "swish" => Ok(Activation::Swish),
            "gelu" => Ok(Activation::GeluSigmoid),
            "tanh" => Ok(Activation::Tanh),
            "sigmoid" => Ok(Activation::Sigmoid),
            other => Err(format!(
                "transformer-ffn-activation is {other}; relu, swish, gelu, tanh and sigmoid are read"
            )),
        }
    }

    /// Where layers are normalised, and whether what enters the first one is.
    fn norms(&self) -> Result<(NormPosition, bool), String> {
        let steps = |key: &str, default| self.text(key, default).replace('d', "");
        let before = steps("transformer-preprocess", "");
        let after = steps("transformer-postprocess", "dan");
        let top = steps("transformer-postprocess-top", "");
        let norm = match [before.as_str(), after.as_str(), top.as_str()] {
            ["", "an", ""] => NormPosition::Post,
            ["n", "a", "n"] => NormPosition::Pre,
            _ => {
                return Err(format!(
                    "transformer-preprocess, -postprocess and -postprocess-top are {before:?}, {after:?} and {top:?} \
                     without dropout; read are \"\", \"an\" and \"\", or \"n\", \"a\" and \"n\""
                ));
            }
        };
        match steps("transformer-postprocess-emb", "d").as_str() {
            "" => Ok((norm, false)),
            "n" => Ok((norm, true)),
            other => Err(format!(
                "transformer-postprocess-emb is {other:?} without dropout; read are \"\" and \"n\""
            )),
        }
    }

    fn recurrent(&self) -> Result<DecoderCell, String> {
        let cell = self.text("dec-cell", "gru");
        if cell != "ssru" {
            return Err(format!("dec-cell is {cell}; ssru is read"));
        }
        for option in ["layer-normalization", "transformer-rnn-projection"] {
            if self.flag(option) {
                return Err(format!("{option} is true, which is not read"));
            }
        }
        Ok(DecoderCell::Ssru)
    }

    fn refuse_others(&self) -> Result<(), String> {
        let kind = self.text("type", "?");
        if kind != "transformer" {
            return Err(format!("type is {kind}; transformer is read"));
        }
        for option in [
            "transformer-no-projection",
            "transformer-no-bias",
            "transformer-no-affine",
            "transformer-pool",
            "right-left",
            "ulr",
        ] {
            if self.flag(option) {
                return Err(format!("{option} is true, which is not read"));
            }
        }
        for (option, known) in [
            ("transformer-attention-mask", "default"),
            ("factors-combine", "sum"),
        ] {
            let found = self.text(option, known);
            if found != known {
                return Err(format!("{option} is {found}; {known} is read"));
            }
        }
        for (option, default, known) in [
            ("transformer-ffn-depth", 2, 2),
            ("factors-dim-emb", 0, 0),
            ("lemma-dim-emb", 0, 0),
        ] {
            let found = self.number(option, Some(default))?;
            if found != known {
                return Err(format!("{option} is {found}; {known} is read"));
            }
        }
        let depth = self.number("transformer-decoder-ffn-depth", Some(0))?;
        if ![0, 2].contains(&depth) {
            return Err(format!(
                "transformer-decoder-ffn-depth is {depth}; 2 is read"
            ));
        }
        let tied = self.0.get("transformer-tied-layers").map(Yaml::texts);
        if tied.is_some_and(|layers| layers.iter().any(|layer| !layer.is_empty())) {
            return Err("transformer-tied-layers names layers, which is not read".to_owned());
        }
        Ok(())
    }
}
