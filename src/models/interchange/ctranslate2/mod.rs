//! CTranslate2's folders, and Argos Translate's packages around them: `model.bin`, `config.json`, vocabularies.
//!
//! After `src/models/transformer.cc` and `src/layers/transformer.cc` of CTranslate2 4.8.

mod file;
mod vocabulary;

use serde::Deserialize;

use super::archive::Archive;
use super::floats::Floats;
use super::foreign::{ForeignFormat, ForeignModel, Licence, SearchDefaults};
use super::placing::{ForeignTensors, Map, Placing, encoder_layer, encoder_layout, input_layers};
use super::stated::Stated;
use crate::error::Result;
use canopy_nn::model::{
    Activation, Architecture, MemorySource, ModelConfig, NormPosition, Positions, SineColumns,
    SineFrequencies, Sinusoids, SpecialTokens, Sublayer, Variant,
};
use file::ModelFile;
use vocabulary::Vocabularies;

const MODEL: &str = "model.bin";

/// Heads of models that name none.
const HEADS: f32 = 8.0;

/// No published model has more.
const MOST_LAYERS: usize = 1_000;

/// Source words that are read where no table of places bounds them.
const MOST_TOKENS: usize = 512;

/// The contents of `config.json`; of older files, of `model.bin` itself.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Config {
    unk_token: Option<String>,
    bos_token: Option<String>,
    eos_token: Option<String>,
    #[serde(default)]
    add_source_bos: bool,
    #[serde(default)]
    add_source_eos: bool,
    decoder_start_token: Option<String>,
    layer_norm_epsilon: Option<f32>,
    #[serde(default)]
    multi_query_attention: bool,
}

impl Config {
    fn read(archive: &mut Archive, folder: &str, file: &ModelFile) -> Result<Self> {
        let name = format!("{folder}config.json");
        let mut config = Self::default();
        if archive.find(&name).is_some() {
            let text = archive.text(&name)?;
            let read = serde_json::from_str(&text);
            config = read.map_err(|cause| archive.refuse(format!("{name}: {cause}")))?;
        }
        if file.version < 6 {
            config.fill_from_older(file);
        }
        Ok(config)
    }

    fn fill_from_older(&mut self, file: &ModelFile) {
        let token = |name: &str, other: &str| Some(file.text(name).unwrap_or(other.to_owned()));
        self.unk_token = token("unk_token", "<unk>");
        self.bos_token = token("bos_token", "<s>");
        self.eos_token = token("eos_token", "</s>");
        self.add_source_bos = file.flag("with_source_bos").unwrap_or(false);
        self.add_source_eos = file.flag("with_source_eos").unwrap_or(false);
        self.decoder_start_token = match (
            file.flag("user_decoder_start_tokens").unwrap_or(false),
            file.flag("with_target_bos").unwrap_or(true),
        ) {
            (true, _) => None,
            (false, true) => self.bos_token.clone(),
            (false, false) => self.eos_token.clone(),
        };
    }
}

pub(super) fn read(archive: &mut Archive) -> Result<ForeignModel> {
    let name = archive.find(MODEL).unwrap_or(MODEL).to_owned();
    let folder = name.strip_suffix(MODEL).unwrap_or_default().to_owned();
    let bytes = archive.large(&name)?;
    let in_file = |problem: String| format!("{name}: {problem}");
    let read = ModelFile::read(&bytes).map_err(in_file);
    let mut file = read.map_err(|problem| archive.refuse(problem))?;
    let named = file.specification.as_str();
    if !["", "TransformerBase", "TransformerBig", "TransformerSpec"].contains(&named) {
        return Err(archive.refuse(format!(
            "{name}: it is a {named}; of CTranslate2's models, TransformerSpec is read"
        )));
    }
    let config = Config::read(archive, &folder, &file)?;
    let made_by = format!(
        "CTranslate2, model.bin version {}, {}",
        file.version,
        if named.is_empty() {
            "OpenNMT-tf"
        } else {
            named
        }
    );
    let reading = Reading::new(&mut file, &config);
    let (mut model, weights, alignment) = reading
        .and_then(Reading::all)
        .map_err(|problem| archive.refuse(in_file(problem)))?;
    if let Some(left) = file.left().next() {
        return Err(archive.refuse(format!(
            "{name}: variable {left} belongs to an architecture that is not known here"
        )));
    }
    let argos = vocabulary::argos(archive)?;
    let vocabularies = Vocabularies::read(archive, &folder, &config, &mut model, argos.as_ref())?;
    let (mut licence, mut format) = (Licence::default(), ForeignFormat::CTranslate2);
    let mut languages = vocabularies.languages;
    if let Some(argos) = argos {
        format = ForeignFormat::Argos;
        licence.name = argos.license;
        languages.source = argos.from_code;
        languages.target = argos.to_code;
    }
    Ok(ForeignModel {
        format,
        made_by,
        config: model,
        weights,
        source: vocabularies.source,
        target: vocabularies.target,
        languages,
        licence,
        stated: Stated::default(),
        search: SearchDefaults {
            beam_size: 2,
            length_penalty: 1.0,
        },
        shortlist: None,
        alignment,
    })
}

type Problem = String;

/// A model, its weights, and the layer and head that align.
type Read = (ModelConfig, ForeignTensors, Option<(usize, usize)>);

struct Reading<'a> {
    file: &'a mut ModelFile,
    placing: Placing,
    model: ModelConfig,
    alignment: Option<(usize, usize)>,
}

impl<'a> Reading<'a> {
    fn new(file: &'a mut ModelFile, config: &Config) -> Result<Self, Problem> {
        if config.multi_query_attention {
            return Err("its attention has one key for several queries, which is not read".into());
        }
        if file.revision < 5 {
            for side in ["encoder", "decoder"] {
                for setting in ["num_heads", "pre_norm", "activation"] {
                    file.alias(&format!("{side}/{setting}"), setting);
                }
            }
            file.alias("decoder/alignment_layer", "alignment_layer");
            file.alias("decoder/alignment_heads", "alignment_heads");
        }
        // The number may be left out for models of one source.
        file.rename("encoder/embeddings_0/weight", "encoder/embeddings/weight");
        let model = model_config(file, config)?;
        let alignment = alignment(file, model.num_decoder_layers);
        Ok(Self {
            file,
            placing: Placing::default(),
            model,
            alignment,
        })
    }

    fn all(mut self) -> Result<Read, Problem> {
        self.tables()?;
        self.input_layers()?;
        let layers = self.model.encoder.count(Sublayer::SelfAttention);
        for number in 0..layers {
            let theirs = format!("encoder/layer_{number}");
            let [first, second] = encoder_layer(number);
            self.attention(
                &format!("{first}.attention"),
                &format!("{theirs}/self_attention"),
                true,
            )?;
            self.norm(
                &format!("{first}.norm"),
                &format!("{theirs}/self_attention/layer_norm"),
            )?;
            self.feed_forward(&format!("{second}.feed_forward"), &theirs)?;
            self.norm(
                &format!("{second}.norm"),
                &format!("{theirs}/ffn/layer_norm"),
            )?;
        }
        for number in 0..self.model.num_decoder_layers {
            let theirs = format!("decoder/layer_{number}");
            let ours = format!("decoder.layers.{number}");
            for (part, name, norm, fused) in [
                ("self_attention", "self_attention", "norm_self", true),
                ("cross_attention", "attention", "norm_cross", false),
            ] {
                let theirs = format!("{theirs}/{name}");
                self.attention(&format!("{ours}.{part}"), &theirs, fused)?;
                self.norm(&format!("{ours}.{norm}"), &format!("{theirs}/layer_norm"))?;
            }
            self.feed_forward(&format!("{ours}.feed_forward"), &theirs)?;
            self.norm(
                &format!("{ours}.norm_ff"),
                &format!("{theirs}/ffn/layer_norm"),
            )?;
        }
        if self.model.norm == NormPosition::Pre {
            for side in ["encoder", "decoder"] {
                self.norm(&format!("{side}.final_norm"), &format!("{side}/layer_norm"))?;
            }
        }
        Ok((self.model, self.placing.finish(), self.alignment))
    }

    fn tables(&mut self) -> Result<(), Problem> {
        let d = self.model.d_model;
        let (source, target) = (self.model.vocab_size, self.model.target_vocab_size());
        let words = self.file.take("encoder/embeddings/weight", &[source, d])?;
        let target_words = self.file.take("decoder/embeddings/weight", &[target, d])?;
        let logits = self.file.take("decoder/projection/weight", &[target, d])?;
        let equal = |one: &Floats, other: &Floats| one.equals(other).map_err(|it| it.to_string());
        let tied_words = equal(&words, &target_words)?;
        let tied_output = equal(&logits, &target_words)?;
        self.model.tied_embeddings = tied_words && tied_output;
        self.model.variant.tied_words = tied_words && !tied_output;
        self.model.variant.tied_output = tied_output && !tied_words;
        if self.model.has_target_table() {
            let name = "target_embedding.words";
            self.placing.matrix(name, [target, d], target_words);
        }
        if self.model.has_output_table() {
            self.placing.matrix("logits", [target, d], logits);
        }
        self.placing.matrix("embedding.words", [source, d], words);
        self.model.variant.output_bias = self.file.contains("decoder/projection/bias");
        if self.model.variant.output_bias {
            let bias = self.file.take("decoder/projection/bias", &[target])?;
            self.placing.vector("output_bias", bias);
        }
        Ok(())
    }

    fn input_layers(&mut self) -> Result<(), Problem> {
        let names = input_layers(&self.model);
        let d = self.model.d_model;
        for (side, ours) in ["encoder", "decoder"].into_iter().zip(names) {
            if let Positions::Learned { size } = self.model.positions {
                let theirs = format!("{side}/position_encodings/encodings");
                let table = self.file.take(&theirs, &[size, d])?;
                self.placing
                    .matrix(&format!("{ours}.positions"), [size, d], table);
            }
            if self.model.variant.embedding_norm {
                self.norm(
                    &format!("{ours}.norm"),
                    &format!("{side}/layernorm_embedding"),
                )?;
            }
        }
        Ok(())
    }

    /// Queries, keys and values are one map, or queries alone and the other two.
    fn attention(&mut self, ours: &str, theirs: &str, fused: bool) -> Result<(), Problem> {
        let parts: &[&[&str]] = if fused {
            &[&["query", "key", "value"], &["output"]]
        } else {
            &[&["query"], &["key", "value"], &["output"]]
        };
        let d = self.model.d_model;
        for (number, parts) in parts.iter().enumerate() {
            let rows = parts.len() * d;
            let theirs = format!("{theirs}/linear_{number}");
            let weight = self.file.take(&format!("{theirs}/weight"), &[rows, d])?;
            let bias = self.bias(&theirs, rows)?;
            for (place, part) in parts.iter().enumerate() {
                let weight = weight.part(place * d * d..(place + 1) * d * d);
                let bias = bias.as_ref();
                let bias = bias.map(|bias| bias.part(place * d..(place + 1) * d));
                self.placing
                    .map(&format!("{ours}.{part}"), Map::turned((d, d), weight, bias));
            }
        }
        Ok(())
    }

    fn bias(&mut self, theirs: &str, size: usize) -> Result<Option<Floats>, Problem> {
        if !self.model.variant.attention_bias {
            return Ok(None);
        }
        self.file.take(&format!("{theirs}/bias"), &[size]).map(Some)
    }

    fn feed_forward(&mut self, ours: &str, theirs: &str) -> Result<(), Problem> {
        let (d, d_ff) = (self.model.d_model, self.model.d_ff);
        for (part, name, (from, to)) in [
            ("inner", "linear_0", (d, d_ff)),
            ("outer", "linear_1", (d_ff, d)),
        ] {
            let theirs = format!("{theirs}/ffn/{name}");
            let weight = self.file.take(&format!("{theirs}/weight"), &[to, from])?;
            let bias = self.file.take(&format!("{theirs}/bias"), &[to])?;
            let map = Map::turned((from, to), weight, Some(bias));
            self.placing.map(&format!("{ours}.{part}"), map);
        }
        Ok(())
    }

    fn norm(&mut self, ours: &str, theirs: &str) -> Result<(), Problem> {
        let d = self.model.d_model;
        let gamma = self.file.take(&format!("{theirs}/gamma"), &[d])?;
        let beta = self.file.take(&format!("{theirs}/beta"), &[d])?;
        self.placing.norm(ours, (gamma, beta));
        Ok(())
    }
}

/// The architecture by the variables, special tokens aside.
fn model_config(file: &ModelFile, config: &Config) -> Result<ModelConfig, Problem> {
    let matrix = |name: &str| match file.shape(name)? {
        &[rows, columns] => Ok((rows, columns)),
        other => Err(format!(
            "variable {name} has shape {other:?}, expected is a matrix"
        )),
    };
    let (source, d_model) = matrix("encoder/embeddings/weight")?;
    let (target, _) = matrix("decoder/embeddings/weight")?;
    let (d_ff, _) = matrix("encoder/layer_0/ffn/linear_0/weight")?;
    let positions = if file.contains("encoder/position_encodings/encodings") {
        let (size, _) = matrix("encoder/position_encodings/encodings")?;
        Positions::Learned { size }
    } else {
        Positions::Sinusoids(Sinusoids {
            columns: SineColumns::Halves,
            frequencies: SineFrequencies::Tensor2tensor,
            first: 1,
        })
    };
    let num_heads = setting(file, "num_heads")?.unwrap_or(HEADS);
    let pre_norm = setting(file, "pre_norm")?.is_none_or(|setting| setting != 0.0);
    let layers = |side: &str| {
        let exists =
            |number: &usize| file.contains(&format!("{side}/layer_{number}/ffn/linear_0/weight"));
        (0..MOST_LAYERS).take_while(exists).count()
    };
    if layers("decoder") == 0 {
        return Err("it has no decoder layers".to_owned());
    }
    let zero_start = file.flag("decoder/start_from_zero_embedding");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of heads"
    )]
    let num_heads = num_heads.max(0.0) as usize;
    Ok(ModelConfig {
        vocab_size: source,
        d_model,
        d_ff,
        num_heads,
        encoder: encoder_layout(layers("encoder"))
            .parse()
            .map_err(|cause: canopy_nn::error::Error| cause.to_string())?,
        num_decoder_layers: layers("decoder"),
        dropout: 0.1,
        max_tokens: match positions {
            Positions::Learned { size } => size,
            _ => MOST_TOKENS,
        },
        positions,
        norm: if pre_norm {
            NormPosition::Pre
        } else {
            NormPosition::Post
        },
        tied_embeddings: false,
        architecture: Architecture::Transformer,
        context: None,
        memory: MemorySource::Live,
        warm_gate: false,
        bert: None,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant {
            attention_bias: file.contains("decoder/layer_0/attention/linear_0/bias"),
            activation: activation(setting(file, "activation")?.unwrap_or(0.0))?,
            embedding_scale: embedding_scale(file)?,
            embedding_norm: file.contains("encoder/layernorm_embedding/gamma"),
            norm_epsilon: config.layer_norm_epsilon.unwrap_or(1e-5),
            output_bias: true,
            target_vocab_size: (target != source).then_some(target),
            ..Variant::default()
        },
        tokens: SpecialTokens {
            zero_start: zero_start.unwrap_or(false),
            ..SpecialTokens::default()
        },
    })
}

/// A setting that encoder and decoder must have in common.
fn setting(file: &ModelFile, name: &str) -> Result<Option<f32>, Problem> {
    let [encoder, decoder] =
        ["encoder", "decoder"].map(|side| file.setting(&format!("{side}/{name}")));
    if encoder == decoder {
        Ok(encoder)
    } else {
        Err(format!(
            "{name} is {encoder:?} in the encoder and {decoder:?} in the decoder; only equal ones are read"
        ))
    }
}

/// By the number of `ActivationType`.
fn activation(number: f32) -> Result<Activation, Problem> {
    const KNOWN: [Activation; 7] = [
        Activation::Relu,
        Activation::GeluTanh,
        Activation::Swish,
        Activation::Gelu,
        Activation::GeluSigmoid,
        Activation::Tanh,
        Activation::Sigmoid,
    ];
    let mut known = KNOWN.into_iter().zip(0_u8..);
    known
        .find(|&(_, known)| (f32::from(known) - number).abs() < 0.5)
        .map(|(activation, _)| activation)
        .ok_or_else(|| format!("its activation has the unknown number {number}"))
}

/// None for √d_model; a flag or the number itself.
fn embedding_scale(file: &ModelFile) -> Result<Option<f32>, Problem> {
    let [encoder, decoder] = ["encoder", "decoder"].map(|side| {
        let names = ["scale_embeddings", "embeddings/multiply_by_sqrt_depth"];
        let name = names.map(|name| format!("{side}/{name}"));
        let name = name.into_iter().find(|name| file.contains(name))?;
        match file.flag(&name) {
            Some(true) => None,
            Some(false) => Some(1.0),
            None => file.setting(&name),
        }
    });
    if encoder == decoder {
        Ok(encoder)
    } else {
        Err("encoder and decoder scale their words differently, which is not read".to_owned())
    }
}

/// The layer that aligns and its first head, from 0; none where several heads are averaged or none is named.
fn alignment(file: &ModelFile, layers: usize) -> Option<(usize, usize)> {
    let heads = file.setting("decoder/alignment_heads").unwrap_or(1.0);
    let layer = file.setting("decoder/alignment_layer")?;
    if (heads - 1.0).abs() > 0.5 {
        return None;
    }
    // Below 0, layers are counted from the last.
    #[expect(clippy::cast_possible_truncation, reason = "a number of a layer")]
    let layer = layer as isize;
    let layer = match usize::try_from(layer) {
        Ok(layer) => layer,
        Err(_) => layers.saturating_sub(layer.unsigned_abs()),
    };
    Some((layer.min(layers - 1), 0))
}
