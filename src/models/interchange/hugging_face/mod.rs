//! Translation models as Hugging Face's `transformers` saves them: `config.json`, `generation_config.json`, safetensors
//! or `pytorch_model.bin`, SentencePiece models and vocabularies.
//!
//! MarianMT (OPUS-MT), M2M-100 and NLLB, mBART, after `modeling_marian.py`, `modeling_m2m_100.py` and `modeling_mbart.py` of
//! transformers 5.23.

mod multilingual;
mod tokens;
mod weights;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::archive::Archive;
use super::foreign::{
    ForeignFormat, ForeignLanguages, ForeignModel, Licence, SearchDefaults, TokenizerFiles,
};
use super::placing::encoder_layout;
use super::stated::Stated;
use crate::error::{Error, Result};
use canopy_nn::model::{
    Activation, Architecture, MemorySource, ModelConfig, NormPosition, Positions, SearchRule,
    SineColumns, SineFrequencies, Sinusoids, SpecialTokens, Variant,
};
use multilingual::multilingual_vocabulary;
use tokens::marian_vocabularies;

const CONFIG: &str = "config.json";
const GENERATION: &str = "generation_config.json";
const TOKENIZER: &str = "tokenizer_config.json";
const WEIGHTS: &str = "pytorch_model.bin";

/// The fields of `config.json` that matter here.
#[derive(Debug, Deserialize)]
struct Config {
    model_type: String,
    vocab_size: usize,
    decoder_vocab_size: Option<usize>,
    d_model: usize,
    encoder_layers: usize,
    decoder_layers: usize,
    encoder_attention_heads: usize,
    decoder_attention_heads: usize,
    encoder_ffn_dim: usize,
    decoder_ffn_dim: usize,
    max_position_embeddings: usize,
    activation_function: String,
    #[serde(default)]
    scale_embedding: bool,
    #[serde(default)]
    dropout: f32,
    transformers_version: Option<String>,
    #[serde(flatten)]
    generation: Generation,
}

/// The fields of `generation_config.json`, or of `config.json` in older models.
#[derive(Debug, Default, Deserialize)]
struct Generation {
    decoder_start_token_id: Option<u32>,
    eos_token_id: Option<u32>,
    pad_token_id: Option<u32>,
    bad_words_ids: Option<Vec<Vec<u32>>>,
    renormalize_logits: Option<bool>,
    max_length: Option<usize>,
    num_beams: Option<usize>,
    length_penalty: Option<f32>,
}

/// The fields of `tokenizer_config.json`.
#[derive(Debug, Default, Deserialize)]
struct TokenizerConfig {
    source_lang: Option<String>,
    target_lang: Option<String>,
}

/// Fields of every `config.json` of transformers.
#[derive(Debug, Deserialize)]
struct Named {
    model_type: Option<String>,
    #[serde(default)]
    architectures: Vec<String>,
}

/// Which of the library's models it is, whatever else its settings hold.
fn family(archive: &mut Archive) -> Result<Family> {
    let kind: Named = json(archive, CONFIG)?;
    let found = match kind.model_type.as_deref() {
        Some("marian") => return Ok(Family::Marian),
        Some("m2m_100") => return Ok(Family::M2m100),
        Some("mbart") => return Ok(Family::Mbart),
        None => return Err(super::kind::none(archive)),
        Some(found) => found,
    };
    let architecture = match kind.architectures.first() {
        Some(name) => format!(" ({name})"),
        None => String::new(),
    };
    let found_type = format!("model_type in {CONFIG} is {found}{architecture}");
    if LARGE.iter().any(|known| found.starts_with(known)) {
        return Err(Error::LanguageModel {
            found: format!(": {found_type}"),
            path: archive.path().to_owned(),
        });
    }
    Err(archive.refuse(format!(
        "{found_type}; of translation models, marian (OPUS-MT), m2m_100 (NLLB, too) and mbart are read"
    )))
}

/// Beginnings of the types of large language models.
const LARGE: [&str; 9] = [
    "llama", "mistral", "mixtral", "qwen", "gemma", "phi", "gpt", "falcon", "deepseek",
];

pub(super) fn read(archive: &mut Archive) -> Result<ForeignModel> {
    let family = family(archive)?;
    let config: Config = json(archive, CONFIG)?;
    let generation: Generation = if archive.find(GENERATION).is_some() {
        json(archive, GENERATION)?
    } else {
        Generation::default()
    };
    let tokenizer: TokenizerConfig = if archive.find(TOKENIZER).is_some() {
        json(archive, TOKENIZER)?
    } else {
        TokenizerConfig::default()
    };
    let mut tensors = archive.tensors_or_pickles(WEIGHTS)?;
    let (source, target, languages) = match family {
        Family::Marian => {
            let (source, target) = marian_vocabularies(archive, &config)?;
            let languages = ForeignLanguages::from_marian(&source);
            (source, target, languages)
        }
        Family::M2m100 | Family::Mbart => {
            let (side, languages) = multilingual_vocabulary(archive, &config, family)?;
            (side.clone(), side, languages)
        }
    };
    let mut model = model_config(archive, (&config, family), &generation, (&source, &target))?;
    let weights = weights::read(&mut tensors, &mut model)?;
    let search = SearchDefaults {
        beam_size: generation.num_beams.unwrap_or(4).max(1),
        length_penalty: generation.length_penalty.unwrap_or(1.0),
    };
    let version = config.transformers_version.as_deref().unwrap_or("?");
    Ok(ForeignModel {
        format: ForeignFormat::HuggingFace,
        made_by: format!("Hugging Face transformers {version}, {}", config.model_type),
        languages: ForeignLanguages {
            source: tokenizer.source_lang,
            target: tokenizer.target_lang,
            ..languages
        },
        config: model,
        weights,
        source,
        target,
        licence: Licence::default(),
        stated: Stated::default(),
        search,
        shortlist: None,
        alignment: None,
    })
}

fn json<T: DeserializeOwned>(archive: &mut Archive, name: &str) -> Result<T> {
    let text = archive.text(name)?;
    serde_json::from_str(&text).map_err(|cause| archive.refuse(format!("{name}: {cause}")))
}

/// Which of the library's models it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Marian,
    /// Also NLLB.
    M2m100,
    Mbart,
}

/// Rows of M2M-100's and mBART's places before the first one.
const OFFSET: usize = 2;

impl Family {
    fn positions(self, config: &Config) -> Positions {
        let sines = |frequencies, first| {
            Positions::Sinusoids(Sinusoids {
                columns: SineColumns::Halves,
                frequencies,
                first,
            })
        };
        match self {
            Self::Marian => sines(SineFrequencies::Paper, 0),
            Self::M2m100 => sines(SineFrequencies::Tensor2tensor, OFFSET),
            Self::Mbart => Positions::Learned {
                size: config.max_position_embeddings,
            },
        }
    }
}

fn model_config(
    archive: &Archive,
    (config, family): (&Config, Family),
    generation: &Generation,
    (source, target): (&TokenizerFiles, &TokenizerFiles),
) -> Result<ModelConfig> {
    let same = |field: &str, one: usize, other: usize| {
        if one == other {
            return Ok(one);
        }
        Err(archive.refuse(format!(
            "{field} in {CONFIG} is {one} in the encoder and {other} in the decoder; only equal ones are read"
        )))
    };
    let num_heads = same(
        "attention_heads",
        config.encoder_attention_heads,
        config.decoder_attention_heads,
    )?;
    let d_ff = same("ffn_dim", config.encoder_ffn_dim, config.decoder_ffn_dim)?;
    let too_many = config.encoder_layers.max(config.decoder_layers) > MOST_LAYERS;
    if too_many || config.encoder_layers == 0 {
        let found = config.encoder_layers;
        return Err(archive.refuse(format!(
            "encoder_layers in {CONFIG} is {found}; 1 up to {MOST_LAYERS} are read"
        )));
    }
    let target_size = config.decoder_vocab_size.unwrap_or(config.vocab_size);
    Ok(ModelConfig {
        vocab_size: config.vocab_size,
        d_model: config.d_model,
        d_ff,
        num_heads,
        encoder: encoder_layout(config.encoder_layers).parse()?,
        num_decoder_layers: config.decoder_layers,
        dropout: config.dropout.clamp(0.0, 0.9),
        positions: family.positions(config),
        norm: match family {
            Family::Marian => NormPosition::Post,
            Family::M2m100 | Family::Mbart => NormPosition::Pre,
        },
        tied_embeddings: true,
        max_tokens: config.max_position_embeddings,
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
            activation: activation(archive, &config.activation_function)?,
            embedding_scale: (!config.scale_embedding).then_some(1.0),
            embedding_norm: family == Family::Mbart,
            norm_epsilon: 1e-5,
            output_bias: true,
            target_vocab_size: (target_size != config.vocab_size).then_some(target_size),
            ..Variant::default()
        },
        tokens: special_tokens(archive, config, generation, (source, target))?,
    })
}

/// The id of `<unk>` in fairseq's vocabularies, which M2M-100, NLLB and mBART have.
const UNKNOWN: u32 = 3;

/// No published model has more.
const MOST_LAYERS: usize = 1_000;

fn activation(archive: &Archive, name: &str) -> Result<Activation> {
    Ok(match name {
        "relu" => Activation::Relu,
        "swish" | "silu" => Activation::Swish,
        "gelu" => Activation::Gelu,
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Activation::GeluTanh,
        "quick_gelu" => Activation::GeluSigmoid,
        "tanh" => Activation::Tanh,
        "sigmoid" => Activation::Sigmoid,
        _ => {
            return Err(archive.refuse(format!(
                "activation_function in {CONFIG} is {name}; relu, swish, gelu, gelu_new, quick_gelu, tanh and sigmoid are read"
            )));
        }
    })
}

fn special_tokens(
    archive: &Archive,
    config: &Config,
    generation: &Generation,
    (source, target): (&TokenizerFiles, &TokenizerFiles),
) -> Result<SpecialTokens> {
    let older = &config.generation;
    let missing = |field: &str| archive.refuse(format!("{field} is missing in {CONFIG}"));
    let end = generation.eos_token_id.or(older.eos_token_id);
    let end = end.ok_or_else(|| missing("eos_token_id"))?;
    let pad = generation.pad_token_id.or(older.pad_token_id);
    let start = generation
        .decoder_start_token_id
        .or(older.decoder_start_token_id)
        .or(pad);
    let size = config.decoder_vocab_size.unwrap_or(config.vocab_size);
    let last = u32::try_from(size.saturating_sub(1)).unwrap_or(u32::MAX);
    let most = generation.max_length.or(older.max_length);
    let most = most.unwrap_or(config.max_position_embeddings);
    let bad = generation.bad_words_ids.as_ref();
    let bad = bad.or(older.bad_words_ids.as_ref());
    // Sequences of several are not suppressed; no published model has any.
    let single = bad.into_iter().flatten().filter(|words| words.len() == 1);
    Ok(SpecialTokens {
        start: start.ok_or_else(|| missing("decoder_start_token_id"))?,
        zero_start: false,
        end,
        source_end: source.suffix.last().copied(),
        unknown: target.id("<unk>").unwrap_or(UNKNOWN).min(last),
        forced_first: None,
        suppressed: single.flatten().copied().collect(),
        renormalised: generation
            .renormalize_logits
            .or(older.renormalize_logits)
            .unwrap_or(false),
        // The start is counted there.
        most: Some(most.saturating_sub(1).max(1)),
        most_for_hundred: None,
        search: SearchRule::HuggingFace,
    })
}
