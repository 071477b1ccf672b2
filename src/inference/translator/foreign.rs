//! Models of other programs: opened as they are, without becoming a folder of ours.

use std::path::Path;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Device;

use super::markup::{AlignmentHeads, AlignmentStep};
use super::{ModelInfo, Reads, Translator, reads};
use crate::error::{Error, Result};
use crate::inference::device::{ComputeDevice, DeviceChoice};
use crate::inference::tracing::TraceCost;
use crate::interchange::{
    self, Archive, ForeignModel, LanguageTokens as TokenPlace, TokenizerFiles,
};
use crate::kernels::packed::Quantization;
use crate::model::{Architecture, Model};
use crate::tokenizers::{
    LanguageTokens, ModelTokenizer, SideTokens, SpecialIds, Tokenizer, TwoSidedTokenizer,
    matching_language, two_letters,
};
use crate::weights::{Languages, ModelFolder};

/// The self-description of a model of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignDescription {
    pub name: String,
    /// Language codes as we write them; several targets if they can be chosen.
    pub source: String,
    pub targets: Vec<String>,
    pub licence: String,
    pub licence_text: Option<String>,
    /// The program that wrote its files.
    pub made_by: String,
}

/// Reads a model of another program, and tells what it is.
///
/// # Errors
/// If it is none that is known, or a file of it is missing or damaged.
pub fn foreign_description(path: &Path) -> Result<ForeignDescription> {
    let foreign = interchange::open(&mut Archive::open(path)?)?;
    let refuse = |reason| Error::Model {
        reason,
        path: path.to_owned(),
    };
    tokenizer(&foreign).map_err(refuse)?;
    let languages = languages(&foreign, path);
    let choices = foreign
        .languages
        .tokens
        .iter()
        .map(|(code, _)| two_letters(code));
    let mut targets: Vec<String> = choices.collect();
    targets.dedup();
    if targets.is_empty() {
        targets.push(languages.target);
    }
    Ok(ForeignDescription {
        name: name(path),
        source: languages.source,
        targets,
        licence: foreign.licence.name.unwrap_or_default(),
        licence_text: foreign.licence.text,
        made_by: foreign.made_by,
    })
}

/// A model of another program as a model folder of ours would hold it.
#[derive(Debug)]
pub struct ImportedModel {
    pub description: ModelFolder,
    pub model: Model,
    pub tokenizer: ModelTokenizer,
}

/// Reads a folder or zip file of another program's translation model, between these languages if it has a choice.
///
/// # Errors
/// If it is none that is known, a file of it is missing or damaged, or it does not know a language.
pub fn import_model(
    path: &Path,
    (from, to): (Option<&str>, Option<&str>),
    device: &Device,
) -> Result<ImportedModel> {
    let mut foreign = interchange::open(&mut Archive::open(path)?)?;
    let refuse = |reason| Error::Model {
        reason,
        path: path.to_owned(),
    };
    let mut tokenizer = tokenizer(&foreign).map_err(refuse)?;
    let mut languages = languages(&foreign, path);
    let codes: Vec<&str> = foreign
        .languages
        .tokens
        .iter()
        .map(|(code, _)| code.as_str())
        .collect();
    if let Some(&first) = codes.first() {
        let is_both = foreign.languages.token_place == TokenPlace::OnBothSides;
        let source = from.map_or_else(
            || {
                matching_language("en", codes.iter().copied())
                    .unwrap_or(first)
                    .to_owned()
            },
            str::to_owned,
        );
        let target = to.map_or_else(
            || {
                codes
                    .iter()
                    .copied()
                    .find(|&code| !is_both || two_letters(code) != two_letters(&source))
                    .unwrap_or(first)
                    .to_owned()
            },
            str::to_owned,
        );
        tokenizer = tokenizer.between_languages(is_both.then_some(source.as_str()), &target)?;
        foreign.config.tokens.forced_first = tokenizer.special().target_prefix.first().copied();
        languages.target = two_letters(&target);
        if is_both {
            languages.source = two_letters(&source);
        }
    }
    let licence = foreign.licence.name.clone().unwrap_or_default();
    let mut description = ModelFolder::new(name(path), licence, languages, foreign.config.clone());
    description.alignment = foreign.alignment.map(|(layer, head)| [layer, head]);
    let model = foreign.load(path, device)?;
    Ok(ImportedModel {
        description,
        model,
        tokenizer: ModelTokenizer::Imported(Arc::new(tokenizer)),
    })
}

impl Translator {
    /// Opens a folder or zip file of another program's translation model, between these languages if it has a choice.
    ///
    /// # Errors
    /// As those of [`import_model`].
    pub(super) fn open_foreign(
        path: &Path,
        device: DeviceChoice,
        between: (Option<&str>, Option<&str>),
    ) -> Result<Self> {
        let device = ComputeDevice::open(device)?;
        let opened = import_model(path, between, &device.device)?;
        Ok(Self::around(opened, path, device))
    }

    /// A translator with the model of `folder`.
    pub(super) fn around(opened: ImportedModel, folder: &Path, device: ComputeDevice) -> Self {
        let ImportedModel {
            description,
            model,
            tokenizer,
        } = opened;
        let model = model.packed_as(Quantization::None);
        let is_imported = tokenizer.own().is_none();
        let is_transformer = description.model.architecture == Architecture::Transformer;
        let reads = match reads(&model, &description) {
            Reads::Nothing if is_imported && is_transformer => Reads::Confirmed,
            reads => reads,
        };
        let heads = description
            .alignment
            .map(|[layer, head]| AlignmentHeads::Head { layer, head });
        Self {
            info: ModelInfo {
                name: description.name.clone(),
                folder: folder.to_owned(),
                source_language: description.languages.source.clone(),
                target_language: description.languages.target.clone(),
                num_parameters: model.num_params(),
                reads,
                trace_cost: TraceCost::of(&description.model),
            },
            device,
            model,
            vocabulary: tokenizer.own().cloned(),
            strips_markup: is_imported,
            tokenizer: tokenizer.shared(),
            description,
            alignment_heads: heads.unwrap_or_default(),
            alignment_step: AlignmentStep::default(),
            memory: None,
            second: None,
        }
    }
}

/// Both sides of its tokenizer.
fn tokenizer(foreign: &ForeignModel) -> Result<TwoSidedTokenizer, String> {
    let tokens = &foreign.config.tokens;
    let special = SpecialIds {
        start: tokens.start,
        eos: tokens.end,
        unk: Some(tokens.unknown),
        pad: None,
        source_prefix: foreign.source.prefix.clone(),
        source_suffix: foreign.source.suffix.clone(),
        target_prefix: tokens.forced_first.into_iter().collect(),
    };
    let codes = foreign.languages.tokens.clone();
    let languages = match foreign.languages.token_place {
        TokenPlace::Nowhere => LanguageTokens::None,
        TokenPlace::TargetBeforeSource => LanguageTokens::BeforeSource(codes),
        TokenPlace::OnBothSides => LanguageTokens::OnBothSides(codes),
    };
    let side = |files: &TokenizerFiles| SideTokens::from_files(files.clone());
    let (source, target) = (side(&foreign.source)?, side(&foreign.target)?);
    Ok(TwoSidedTokenizer::new(source, target, special, languages))
}

/// Its name: that of its folder or file.
fn name(path: &Path) -> String {
    let stem = path.file_stem().filter(|_| path.is_file());
    let name = stem.or(path.file_name()).unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Its languages as its files say, else as its name does, such as `opus-mt-en-de`; else they are not known.
fn languages(foreign: &ForeignModel, path: &Path) -> Languages {
    let name = name(path);
    let parts: Vec<&str> = name.split(['-', '_', '.']).collect();
    let is_code =
        |part: &&str| (2..=3).contains(&part.len()) && part.chars().all(|c| c.is_ascii_lowercase());
    let named = parts
        .windows(2)
        .rev()
        .find(|pair| pair.iter().all(&is_code));
    let named = |side: usize| named.map(|pair| pair[side].to_owned());
    let told = |told: &Option<String>, side: usize| {
        let code = told
            .clone()
            .filter(|code| !code.is_empty())
            .or_else(|| named(side));
        code.map_or_else(|| "und".to_owned(), |code| two_letters(&code))
    };
    Languages {
        source: told(&foreign.languages.source, 0),
        target: told(&foreign.languages.target, 1),
    }
}
