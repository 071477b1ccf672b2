//! Models of other programs: opened as they are, without becoming a folder of ours.

use std::path::Path;
use std::sync::Arc;

use burn::module::Module;

use super::markup::AlignmentHeads;
use super::{ModelInfo, Translator, reads};
use crate::error::{Error, Result};
use crate::inference::device::{ComputeDevice, DeviceChoice};
use crate::inference::tracing::TraceCost;
use crate::interchange::{
    self, Archive, ForeignModel, LanguageTokens as TokenPlace, TokenizerFiles,
};
use crate::kernels::packed::Quantization;
use crate::tokenizers::{
    Cutter, LanguageTokens, SentencePieces, SideTokens, SpecialIds, TokenList, Tokenizer,
    TwoSidedTokenizer, WordMerges, matching_language, two_letters,
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

impl Translator {
    /// Opens a folder or zip file of another program's translation model, between these languages if it has a choice.
    ///
    /// # Errors
    /// If it is none that is known, a file of it is missing or damaged, or it does not know a language.
    pub(super) fn open_foreign(
        path: &Path,
        device: DeviceChoice,
        (from, to): (Option<&str>, Option<&str>),
    ) -> Result<Self> {
        let mut foreign = interchange::open(&mut Archive::open(path)?)?;
        let refuse = |reason| Error::Model {
            reason,
            path: path.to_owned(),
        };
        let own = tokenizer(&foreign).map_err(refuse)?;
        let mut languages = languages(&foreign, path);
        let codes: Vec<&str> = foreign
            .languages
            .tokens
            .iter()
            .map(|(code, _)| code.as_str())
            .collect();
        let mut tokenizer: Arc<dyn Tokenizer> = Arc::new(own);
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
            tokenizer = tokenizer.between(is_both.then_some(source.as_str()), &target)?;
            foreign.config.tokens.forced_first = tokenizer.special().target_prefix.first().copied();
            languages.target = two_letters(&target);
            if is_both {
                languages.source = two_letters(&source);
            }
        }
        let device = ComputeDevice::open(device)?;
        let heads = foreign
            .alignment
            .map(|(layer, head)| AlignmentHeads::Head { layer, head });
        let licence = foreign.licence.name.clone().unwrap_or_default();
        let description = ModelFolder::new(name(path), licence, languages, foreign.config.clone());
        let model = foreign.load(path, &device.device)?;
        let model = model.packed_as(Quantization::None);
        Ok(Self {
            info: ModelInfo {
                name: description.name.clone(),
                folder: path.to_owned(),
                source_language: description.languages.source.clone(),
                target_language: description.languages.target.clone(),
                num_parameters: model.num_params(),
                reads: reads(&model, &description),
                trace_cost: TraceCost::of(&description.model),
            },
            device,
            model,
            tokenizer,
            vocabulary: None,
            description,
            strips_markup: true,
            alignment_heads: heads.unwrap_or_default(),
            memory: None,
            terms: None,
            second: None,
        })
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
    let (source, target) = (side(&foreign.source)?, side(&foreign.target)?);
    Ok(TwoSidedTokenizer::new(source, target, special, languages))
}

fn side(files: &TokenizerFiles) -> Result<SideTokens, String> {
    let list = Arc::new(TokenList::new(files.tokens.clone()));
    let cutter = match (&files.sentencepiece, &files.bpe_codes) {
        (Some(bytes), _) => {
            let pieces = SentencePieces::from_bytes(bytes);
            let pieces = pieces.map_err(|problem| format!("SentencePiece model: {problem}"))?;
            Cutter::SentencePieces(Arc::new(pieces))
        }
        (None, Some(codes)) => Cutter::Merges(Arc::new(WordMerges::new(codes)?)),
        (None, None) => Cutter::fitting(&list),
    };
    Ok(SideTokens::new(cutter, list))
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
