//! A translation model as it comes out of an archive, whichever program made it.

use std::path::{Path, PathBuf};

use burn::tensor::Device;

use super::archive::Archive;
use super::kind::{Kind, kind};
use super::placing::{ForeignTensors, Placing};
use super::stated::{self, Stated};
use super::{ctranslate2, hugging_face, marian};
use crate::error::Result;
use crate::weights::{KeptTensors, load_from, load_unread};
use canopy_kernels::packed::{Kept, Quantization};
use canopy_nn::model::{Model, ModelConfig, PackedTransformer};
use canopy_nn::shortlist::Shortlist;
pub use canopy_tokenize::TokenizerFiles;

/// A translation model that others made, its tensors named and laid out as ours.
#[derive(Debug)]
pub struct ForeignModel {
    /// The program whose files these are.
    pub format: ForeignFormat,
    /// Which program wrote it, as far as its files say.
    pub made_by: String,
    /// Architecture and sizes.
    pub config: ModelConfig,
    /// The weights by our names.
    pub weights: ForeignTensors,
    /// Files of the source side's tokenizer.
    pub source: TokenizerFiles,
    /// Files of the target side's tokenizer.
    pub target: TokenizerFiles,
    /// The languages by its files.
    pub languages: ForeignLanguages,
    /// Name and version by its files.
    pub stated: Stated,
    /// The licence by its files.
    pub licence: Licence,
    /// How its own program searches.
    pub search: SearchDefaults,
    /// The words that its own program scores for each source word; none if it scores all.
    pub shortlist: Option<Shortlist>,
    /// Layer and head of the cross-attention that was trained to align words, counted from 0; none if it is not known.
    pub alignment: Option<(usize, usize)>,
}

impl ForeignModel {
    /// Builds the model around its weights, and leaves none here; `path` is where they came from.
    ///
    /// # Errors
    /// If they do not fit the configuration, or cannot be read any more.
    pub fn load(&mut self, path: &Path, device: &Device) -> Result<Model> {
        let weights = self.take_weights(path);
        load_from(Model::uninitialised(&self.config, device)?, &weights)
    }

    /// Opens the model for translating: weights that a search packs stay where they are stored until they are packed, or
    /// until burn's layers compute with them. See [`Model::check_read`]. Integers that its own program computes with are
    /// packed as they are.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_unread(&mut self, path: &Path, device: &Device) -> Result<Model> {
        if !PackedTransformer::packs_whole(&self.config, device) {
            return self.load(path, device);
        }
        let weights = self.take_weights(path);
        let in_8_bits = weights.tensors.values().any(|(_, it)| it.are_integers());
        let (model, unread) = load_unread(Model::uninitialised(&self.config, device)?, weights)?;
        let model = model.with_unread(unread);
        Ok(if in_8_bits {
            model.packed_as(Quantization::Int8)
        } else {
            model
        })
    }

    fn take_weights(&mut self, path: &Path) -> ForeignWeights {
        ForeignWeights {
            path: path.to_owned(),
            tensors: std::mem::take(&mut self.weights),
        }
    }
}

/// The weights of a model where its files have them; all are known to be finite.
#[derive(Debug)]
struct ForeignWeights {
    path: PathBuf,
    tensors: ForeignTensors,
}

impl KeptTensors for ForeignWeights {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|(shape, _)| shape.as_slice())
    }

    fn values(&self, name: &str) -> Result<Vec<f32>> {
        self.tensors[name].1.values()
    }

    fn kept(&self, name: &str) -> Result<Kept> {
        self.tensors[name].1.kept()
    }

    fn check_finite(&self, _: &str) -> Result<()> {
        Ok(())
    }
}

/// In which program's files a model came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFormat {
    /// Hugging Face's transformers: Marian, M2M-100 and NLLB, mBART.
    HuggingFace,
    /// Marian itself.
    Marian,
    /// CTranslate2.
    CTranslate2,
    /// A package of Argos Translate, around a model of CTranslate2.
    Argos,
}

/// The languages by its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignLanguages {
    /// Codes as the file has them, such as `de` or `deu`.
    pub source: Option<String>,
    /// Further languages that it translates from, unless they are selected by tokens.
    pub more_sources: Vec<String>,
    /// Code of the target language, as the file has it.
    pub target: Option<String>,
    /// The language's code and the id of its token, for models of several.
    pub tokens: Vec<(String, u32)>,
    /// Where the model expects these tokens.
    pub token_place: LanguageTokens,
}

impl ForeignLanguages {
    /// Marian's tokens such as `>>deu<<` among those of the source.
    pub(super) fn from_marian(source: &TokenizerFiles) -> Self {
        let tokens = source.tokens.iter().zip(0..).filter_map(|(token, id)| {
            let code = token.strip_prefix(">>")?.strip_suffix("<<")?;
            (!code.is_empty()).then(|| (code.to_owned(), id))
        });
        let tokens: Vec<(String, u32)> = tokens.collect();
        Self {
            token_place: if tokens.is_empty() {
                LanguageTokens::Nowhere
            } else {
                LanguageTokens::TargetBeforeSource
            },
            tokens,
            ..Self::default()
        }
    }
}

/// Where a model of several languages expects their tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LanguageTokens {
    /// It expects none.
    #[default]
    Nowhere,
    /// The target's before the source sentence, as in `>>deu<< Good morning.`
    TargetBeforeSource,
    /// The source's before the source sentence, and the target's as the first word of the translation.
    OnBothSides,
}

/// Under which licence it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Licence {
    /// As its description names it.
    pub name: Option<String>,
    /// The text of a file of it.
    pub text: Option<String>,
}

/// How its own program searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchDefaults {
    /// Number of hypotheses that are kept.
    pub beam_size: usize,
    /// Exponent of the number of tokens by which log-probabilities are divided.
    pub length_penalty: f32,
}

impl Default for SearchDefaults {
    fn default() -> Self {
        Self {
            beam_size: 4,
            length_penalty: 1.0,
        }
    }
}

/// Reads a model of another program, from its folder or zip file; its files show what it is.
///
/// # Errors
/// If it is not a known one, a file is missing or damaged, it is built in a way that is not known here, or its
/// tensors do not fit what it says of itself.
pub fn open(archive: &mut Archive) -> Result<ForeignModel> {
    let kind = kind(archive)?;
    tracing::info!(path = ?archive.path(), ?kind, "the files are a model of another program");
    let mut model = match kind {
        Kind::CTranslate2 => ctranslate2::read(archive)?,
        Kind::Marian => marian::read(archive)?,
        Kind::HuggingFace => hugging_face::read(archive)?,
    };
    stated::complete(archive, &mut model)?;
    let beside = licence(archive)?;
    model.licence.name = model.licence.name.or(beside.name);
    model.licence.text = model.licence.text.or(beside.text);
    let checked = model.config.validate();
    checked.map_err(|cause| archive.refuse(cause.to_string()))?;
    Placing::check(&model.weights, &model.config).map_err(|problem| archive.refuse(problem))?;
    Ok(model)
}

/// The licence in a file next to the model.
fn licence(archive: &mut Archive) -> Result<Licence> {
    const FILES: [&str; 6] = [
        "LICENSE",
        "LICENSE.txt",
        "LICENSE.md",
        "LICENCE",
        "LICENCE.txt",
        "COPYING",
    ];
    let file = FILES.into_iter().find(|&name| archive.find(name).is_some());
    let text = file.map(|name| archive.text(name)).transpose()?;
    let mut name = None;
    if archive.find("README.md").is_some() {
        let readme = archive.text("README.md")?;
        name = front_matter(&readme).and_then(|lines| {
            let mut lines = lines.lines();
            let value = lines.find_map(|line| line.strip_prefix("license:"))?;
            Some(value.trim().trim_matches(['"', '\'']).to_owned())
        });
    }
    let name = name.filter(|name| !name.is_empty());
    Ok(Licence { name, text })
}

/// The front matter between the first two lines of `---`, as in Hugging Face's model cards.
fn front_matter(readme: &str) -> Option<&str> {
    let (_, rest) = readme.trim_start().split_once("---\n")?;
    rest.split_once("\n---").map(|(lines, _)| lines)
}
