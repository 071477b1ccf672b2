//! BERT as Hugging Face's `transformers` saves it: `config.json`, safetensors, `tokenizer.json` or `vocab.txt`.

use serde::Deserialize;

use super::archive::Archive;
use super::encoder::Encoder;
use super::floats::Floats;
use super::tensors::Tensors;
use crate::error::Result;
use crate::weights::{EncoderKind, EncoderVocabulary, NamedTensors};
use canopy_nn::model::BertConfig;
use canopy_tokenize::WordPieces;

const CONFIG: &str = "config.json";

/// Vocabularies are padded to a multiple of at most this many pieces; no text has those after the last one.
const MOST_PADDING: usize = 1_024;

/// The fields of `config.json` that matter here.
#[derive(Debug, Deserialize)]
struct Config {
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    #[serde(default = "smallest")]
    layer_norm_eps: f32,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn two() -> usize {
    2
}

fn smallest() -> f32 {
    1e-12
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// The fields of `tokenizer_config.json`, for a vocabulary that is a list only.
#[derive(Debug, Deserialize)]
struct TokenizerConfig {
    #[serde(default = "yes")]
    do_lower_case: bool,
}

fn yes() -> bool {
    true
}

impl Encoder {
    /// Reads a BERT; other parts than the encoder, such as its pooler, are left.
    ///
    /// # Errors
    /// If a file is missing or damaged, the model is of another kind, a tensor is missing or has another shape, or the
    /// vocabulary has another size, padding aside.
    pub fn bert(archive: &mut Archive) -> Result<Self> {
        let mut sizes = sizes(archive)?;
        check_length(archive, "max_position_embeddings", sizes.max_tokens)?;
        let pieces = word_pieces(archive)?;
        let (found, expected) = (pieces.len(), sizes.vocab_size);
        if !(found..found + MOST_PADDING).contains(&expected) {
            return Err(archive.refuse(format!(
                "its vocabulary has {found} pieces, {CONFIG} says {expected}"
            )));
        }
        let mut tensors = archive.tensors()?;
        let mut weights = Reading::new(&mut tensors, &sizes).all()?;
        if let Some((shape, numbers)) = weights.get_mut("words") {
            shape[0] = found;
            numbers.truncate(found * sizes.d_model);
        }
        sizes.vocab_size = found;
        Ok(Self {
            kind: EncoderKind::Bert {
                max_tokens: sizes.max_tokens,
                pooling: None,
                normalised: false,
                sizes,
            },
            weights,
            vocabulary: EncoderVocabulary::Words(pieces),
        })
    }
}

/// # Errors
/// If the longest sequence that may be read has no room for a piece.
pub(super) fn check_length(archive: &Archive, field: &str, found: usize) -> Result<()> {
    let least = EncoderKind::LEAST_TOKENS;
    if found >= least {
        return Ok(());
    }
    Err(archive.refuse(format!("{field} is {found}; it has to be {least} or more")))
}

fn sizes(archive: &mut Archive) -> Result<BertConfig> {
    let text = archive.text(CONFIG)?;
    let config: Config = serde_json::from_str(&text)
        .map_err(|cause| archive.refuse(format!("{CONFIG}: {cause}")))?;
    for (field, found, known) in [
        ("model_type", &config.model_type, "bert"),
        ("hidden_act", &config.hidden_act, "gelu"),
        (
            "position_embedding_type",
            &config.position_embedding_type,
            "absolute",
        ),
    ] {
        if found != known {
            let reason = format!("{field} in {CONFIG} is {found}; only {known} is read");
            return Err(archive.refuse(reason));
        }
    }
    let sizes = BertConfig {
        vocab_size: config.vocab_size,
        d_model: config.hidden_size,
        num_layers: config.num_hidden_layers,
        num_heads: config.num_attention_heads,
        d_ff: config.intermediate_size,
        max_tokens: config.max_position_embeddings,
        num_types: config.type_vocab_size,
        norm_epsilon: config.layer_norm_eps,
    };
    let checked = sizes.validate();
    checked.map_err(|cause| archive.refuse(format!("{CONFIG}: {cause}")))?;
    Ok(sizes)
}

fn word_pieces(archive: &mut Archive) -> Result<WordPieces> {
    if archive.find("tokenizer.json").is_some() {
        let json = archive.bytes("tokenizer.json")?;
        return WordPieces::from_json(&json)
            .map_err(|problem| archive.refuse(format!("tokenizer.json: {problem}")));
    }
    let lines = archive.text("vocab.txt")?;
    let mut lowercase = true;
    if archive.find("tokenizer_config.json").is_some() {
        let text = archive.text("tokenizer_config.json")?;
        let config: TokenizerConfig = serde_json::from_str(&text)
            .map_err(|cause| archive.refuse(format!("tokenizer_config.json: {cause}")))?;
        lowercase = config.do_lower_case;
    }
    let pieces = WordPieces::from_lines(&lines, lowercase);
    pieces.map_err(|problem| archive.refuse(format!("vocab.txt: {problem}")))
}

/// Takes tensors out by their names there, and puts them down by their names here.
struct Reading<'a> {
    tensors: &'a mut Tensors,
    sizes: &'a BertConfig,
    /// `bert.` where the encoder is a part of a larger model.
    prefix: &'static str,
    weights: NamedTensors,
}

impl<'a> Reading<'a> {
    fn new(tensors: &'a mut Tensors, sizes: &'a BertConfig) -> Self {
        let is_part = tensors.contains("bert.embeddings.word_embeddings.weight");
        Self {
            tensors,
            sizes,
            prefix: if is_part { "bert." } else { "" },
            weights: NamedTensors::new(),
        }
    }

    fn all(mut self) -> Result<NamedTensors> {
        let sizes = self.sizes;
        for (ours, theirs, rows) in [
            ("words", "word_embeddings", sizes.vocab_size),
            ("positions", "position_embeddings", sizes.max_tokens),
            ("types", "token_type_embeddings", sizes.num_types),
        ] {
            let shape = [rows, sizes.d_model];
            let numbers = self.take(&format!("embeddings.{theirs}.weight"), &shape)?;
            self.weights
                .insert(ours.to_owned(), (shape.to_vec(), numbers));
        }
        self.norm("norm", "embeddings.LayerNorm")?;
        for layer in 0..sizes.num_layers {
            self.layer(layer)?;
        }
        Ok(self.weights)
    }

    fn layer(&mut self, layer: usize) -> Result<()> {
        let (d_model, d_ff) = (self.sizes.d_model, self.sizes.d_ff);
        let (ours, theirs) = (format!("layers.{layer}"), format!("encoder.layer.{layer}"));
        for (name, place, from, to) in [
            ("attention.query", "attention.self.query", d_model, d_model),
            ("attention.key", "attention.self.key", d_model, d_model),
            ("attention.value", "attention.self.value", d_model, d_model),
            (
                "attention.output",
                "attention.output.dense",
                d_model,
                d_model,
            ),
            ("inner", "intermediate.dense", d_model, d_ff),
            ("outer", "output.dense", d_ff, d_model),
        ] {
            let (name, place) = (format!("{ours}.{name}"), format!("{theirs}.{place}"));
            self.linear(&name, &place, from, to)?;
        }
        self.norm(
            &format!("{ours}.norm_attention"),
            &format!("{theirs}.attention.output.LayerNorm"),
        )?;
        self.norm(
            &format!("{ours}.norm_ff"),
            &format!("{theirs}.output.LayerNorm"),
        )
    }

    /// Theirs is `[out, in]`, ours `[in, out]`.
    fn linear(&mut self, ours: &str, theirs: &str, from: usize, to: usize) -> Result<()> {
        let weight = self.take_unread(&format!("{theirs}.weight"), &[to, from])?;
        let weight = (vec![from, to], weight.turned(to).values()?);
        let bias = (vec![to], self.take(&format!("{theirs}.bias"), &[to])?);
        self.weights.insert(format!("{ours}.weight"), weight);
        self.weights.insert(format!("{ours}.bias"), bias);
        Ok(())
    }

    fn norm(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let size = self.sizes.d_model;
        // The first models call them as the paper does.
        let is_old = self
            .tensors
            .contains(&format!("{}{theirs}.gamma", self.prefix));
        let names = if is_old {
            ["gamma", "beta"]
        } else {
            ["weight", "bias"]
        };
        for (name, place) in ["gamma", "beta"].into_iter().zip(names) {
            let numbers = self.take(&format!("{theirs}.{place}"), &[size])?;
            self.weights
                .insert(format!("{ours}.{name}"), (vec![size], numbers));
        }
        Ok(())
    }

    fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        self.take_unread(name, shape)?.values()
    }

    fn take_unread(&mut self, name: &str, shape: &[usize]) -> Result<Floats> {
        self.tensors
            .take_unread(&format!("{}{name}", self.prefix), shape)
    }
}
