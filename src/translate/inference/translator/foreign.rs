//! Models of other programs: opened as they are, without becoming a folder of ours.

use std::path::Path;
use std::sync::Arc;

use burn::tensor::Device;

use super::LoadedModel;
use crate::error::{BaseError, Error, Result};
use crate::inference::device::{ComputeDevice, DeviceChoice};
use crate::inference::installed_models::StatedModel;
use crate::inference::language_model::{described_language_model, is_language_model};
use canopy_corpus::is_same_language;
use canopy_models::interchange::{
    self, Archive, ForeignModel, LanguageTokens as TokenPlace, Stated, TokenizerFiles,
};
use canopy_models::weights::{Languages, ModelFolder, SearchPreference};
use canopy_nn::model::{Model, ModelConfig};
use canopy_nn::search::SearchOptions;
use canopy_nn::shortlist::Vocabularies;
use canopy_tokenize::{
    LanguageTokens, ModelTokenizer, SideTokens, SpecialIds, Tokenizer, TwoSidedTokenizer,
    language_code, matching_language, pair_in_name, pair_of_letters, two_letters,
};

/// A language that is not known, in BCP 47.
const UNKNOWN: &str = "und";

/// The self-description of a model of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignDescription {
    /// A name for people.
    pub name: String,
    /// Language codes as we write them; several if they can be chosen.
    pub sources: Vec<String>,
    /// Codes of the languages that it translates to, likewise.
    pub targets: Vec<String>,
    /// Numbers of its weights.
    pub num_parameters: u64,
    /// As its files name it; empty if they do not.
    pub licence: String,
    /// The text of a file with its licence.
    pub licence_text: Option<String>,
    /// The program that wrote its files.
    pub made_by: String,
    /// Its name and its version, as its files have them.
    pub stated: Stated,
}

/// Reads a model of another program, and returns its description.
///
/// # Errors
/// If it is not a known one, or a file of it is missing or damaged.
pub(crate) fn foreign_description(path: &Path) -> Result<ForeignDescription> {
    if is_language_model(path) {
        return described_language_model(path);
    }
    foreign_parts(path).map(|(description, _)| description)
}

/// Description and configuration of a model of another program.
///
/// # Errors
/// If there is no such model, a file of it is damaged, or it does not translate.
pub fn foreign_parts(path: &Path) -> Result<(ForeignDescription, ModelConfig)> {
    check_translates(path)?;
    let foreign = interchange::open(&mut Archive::open(path)?)?;
    let refuse = |reason| {
        Error::Base(BaseError::Model {
            reason,
            path: path.to_owned(),
        })
    };
    tokenizer(&foreign).map_err(refuse)?;
    let languages = languages(&foreign, path);
    let choices = short_codes(foreign.languages.tokens.iter().map(|(code, _)| code));
    let own_sources = || {
        let more = foreign.languages.more_sources.iter();
        let more = more.map(|code| language_code(code));
        std::iter::once(languages.source.clone())
            .chain(more)
            .collect()
    };
    let (sources, targets) = match foreign.languages.token_place {
        _ if choices.is_empty() => (own_sources(), vec![languages.target]),
        TokenPlace::OnBothSides => (choices.clone(), choices),
        TokenPlace::TargetBeforeSource | TokenPlace::Nowhere => (own_sources(), choices),
    };
    let description = ForeignDescription {
        name: name_of(path),
        sources,
        targets,
        num_parameters: foreign.config.num_parameters() as u64,
        licence: foreign.licence.name.unwrap_or_default(),
        licence_text: foreign.licence.text,
        made_by: foreign.made_by,
        stated: foreign.stated,
    };
    Ok((description, foreign.config))
}

/// # Errors
/// If it is a language model, which has no encoder and no decoder of its own.
fn check_translates(path: &Path) -> Result<()> {
    if is_language_model(path) {
        return Err(canopy_models::error::Error::LanguageModel {
            found: String::new(),
            path: path.to_owned(),
        }
        .into());
    }
    Ok(())
}

/// A model of another program as a model folder of ours would hold it.
#[derive(Debug)]
pub struct ImportedModel {
    /// The contents of its `model.toml`.
    pub description: ModelFolder,
    /// The network.
    pub model: Model,
    /// Makes ids of texts, and texts of ids.
    pub tokenizer: ModelTokenizer,
}

/// Reads a folder or zip file of another program's translation model, between these languages if it has a choice.
///
/// # Errors
/// If it is not a known one, a file of it is missing or damaged, or it does not know a language.
pub fn import_model(
    path: &Path,
    between: (Option<&str>, Option<&str>),
    device: &Device,
) -> Result<ImportedModel> {
    import_stated(path, between, None, (device, false))
}

/// Imports with the name and languages of `stated`, if its files have no others or a person states them. Weights may
/// stay unread, see [`ForeignModel::load_unread`].
fn import_stated(
    path: &Path,
    between: (Option<&str>, Option<&str>),
    stated: Option<StatedModel>,
    (device, unread): (&Device, bool),
) -> Result<ImportedModel> {
    let mut foreign = interchange::open(&mut Archive::open(path)?)?;
    let refuse = |reason| {
        Error::Base(BaseError::Model {
            reason,
            path: path.to_owned(),
        })
    };
    let mut tokenizer = tokenizer(&foreign).map_err(refuse)?;
    let stated = stated.unwrap_or_else(|| StatedModel {
        name: name_of(path),
        languages: [None, None],
        is_stated: false,
    });
    let mut languages = languages(&foreign, path);
    let [source, target] = [&mut languages.source, &mut languages.target];
    for (code, known) in [source, target].into_iter().zip(&stated.languages) {
        if let Some(known) = known
            && (stated.is_stated || code == UNKNOWN)
        {
            code.clone_from(known);
        }
    }
    let stated_code = |side: usize| {
        stated.languages[side]
            .as_deref()
            .filter(|_| stated.is_stated)
    };
    let (from, to) = (between.0.or(stated_code(0)), between.1.or(stated_code(1)));
    let mut more_sources = foreign.languages.more_sources.iter();
    let requested = more_sources.find(|code| from.is_some_and(|from| is_same_language(code, from)));
    if let Some(requested) = requested {
        languages.source = language_code(requested);
    }
    // A user knows more about a model without languages.
    for (code, requested) in [(&mut languages.source, from), (&mut languages.target, to)] {
        if let (UNKNOWN, Some(requested)) = (code.as_str(), requested) {
            *code = language_code(requested);
        }
    }
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
    let mut description = ModelFolder::new(stated.name, licence, languages, foreign.config.clone());
    description.alignment = foreign.alignment.map(|(layer, head)| [layer, head]);
    description.search = Some(SearchPreference {
        length_penalty: foreign.search.length_penalty,
        // A wider beam than the usual one costs more than it gives.
        beam_size: Some(foreign.search.beam_size).filter(|&it| it < SearchOptions::USUAL_BEAM),
    });
    let model = if unread {
        let shortlist = foreign.shortlist.take();
        let mut model = foreign.load_unread(path, device)?;
        let vocabularies = || Vocabularies::from_tokenizer(&tokenizer, model.network.vocab_size());
        let shortlist = shortlist.map(|shortlist| shortlist.fitted(vocabularies()));
        let shortlist = shortlist
            .transpose()
            .map_err(|problem| refuse(format!("its shortlist is another model's: {problem}")))?;
        model.shortlist = shortlist.map(Arc::new);
        model
    } else {
        foreign.load(path, device)?
    };
    Ok(ImportedModel {
        description,
        model,
        tokenizer: ModelTokenizer::Imported(Arc::new(tokenizer)),
    })
}

impl LoadedModel {
    /// Opens a folder or zip file of another program's translation model, between these languages if it has a choice.
    /// Name and languages are those that are `stated`, if its files have no others or a person states them.
    ///
    /// # Errors
    /// As those of [`import_model`].
    pub(super) fn open_foreign(
        path: &Path,
        device: DeviceChoice,
        between: (Option<&str>, Option<&str>),
        stated: Option<StatedModel>,
    ) -> Result<Self> {
        check_translates(path)?;
        let device = ComputeDevice::open(device)?;
        let opened = import_stated(path, between, stated, (&device.device, true))?;
        Ok(Self::new(opened, path, device))
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

/// Endings of packed models, which are no part of the model's name.
const PACKED: [&str; 7] = [
    ".tar.gz",
    ".tar.zst",
    ".tgz",
    ".tar",
    ".zip",
    ".whl",
    ".argosmodel",
];

/// Endings of files of weights, which have their names of the program that wrote them.
const WEIGHTS: [&str; 3] = [".bin", ".npz", ".safetensors"];

/// The name of a model: that of its folder or file, or of the repository where Hugging Face's cache has it.
pub(in crate::inference) fn name_of(path: &Path) -> String {
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    if path.is_file() {
        return name_of_file(path, &name(path));
    }
    let parent = path.parent();
    let snapshots = parent.filter(|parent| parent.ends_with("snapshots"));
    let cached = snapshots.and_then(Path::parent).map(name);
    let cached = cached.and_then(|cached| {
        let (_, repository) = cached.strip_prefix("models--")?.split_once("--")?;
        Some(repository.to_owned())
    });
    cached.unwrap_or_else(|| name(path))
}

/// The name of an archive without its ending; of a file of weights that of its folder, or the languages in its own name where
/// that of the folder has none.
fn name_of_file(path: &Path, name: &str) -> String {
    let without = |ending: &&str| {
        let at = name.len().checked_sub(ending.len())?;
        let is_it = name.get(at..)?.eq_ignore_ascii_case(ending);
        (is_it && at > 0).then(|| name[..at].to_owned())
    };
    if let Some(stem) = PACKED.iter().find_map(&without) {
        return stem;
    }
    let bare = [".gz", ".zst"].iter().find_map(&without);
    let bare = bare.as_deref().unwrap_or(name);
    let stem = Path::new(name).file_stem().unwrap_or_default();
    if !WEIGHTS.iter().any(|ending| bare.ends_with(ending)) {
        return stem.to_string_lossy().into_owned();
    }
    let folder = path.parent().filter(|parent| parent.file_name().is_some());
    let folder = folder.map(name_of);
    let pair = bare.split('.').find_map(pair_of_letters);
    match (folder, pair) {
        (Some(folder), None) => folder,
        (Some(folder), _) if pair_in_name(&folder).is_some() => folder,
        (_, Some(pair)) => pair.join("-"),
        (None, None) => stem.to_string_lossy().into_owned(),
    }
}

/// Codes as we write them, each once: with script and region only where there are several of a language.
fn short_codes<'a>(codes: impl Iterator<Item = &'a String>) -> Vec<String> {
    let codes: Vec<&String> = codes.collect();
    let short: Vec<String> = codes.iter().map(|code| two_letters(code)).collect();
    let whole = codes.iter().zip(&short).map(|(code, two)| {
        let is_only = short.iter().filter(|other| *other == two).count() == 1;
        let parts = code.split(['-', '_', '@']).skip(1);
        let parts = parts.map(|part| match part.len() {
            2 => format!("-{}", part.to_uppercase()),
            _ => format!("-{part}"),
        });
        let rest: String = parts.filter(|_| !is_only).collect();
        format!("{two}{rest}")
    });
    let mut unique = Vec::new();
    for code in whole {
        if !unique.contains(&code) {
            unique.push(code);
        }
    }
    unique
}

/// Its languages as its files say, else as its name does, such as `opus-mt-en-de`; else they are not known.
fn languages(foreign: &ForeignModel, path: &Path) -> Languages {
    let named = pair_in_name(&name_of(path));
    let code_of = |code: &Option<String>, side: usize| {
        let code = code.as_ref().filter(|code| !code.is_empty());
        let code = code.map(|code| language_code(code));
        let named = || named.as_ref().map(|pair| pair[side].clone());
        code.or_else(named).unwrap_or_else(|| UNKNOWN.to_owned())
    };
    Languages {
        source: code_of(&foreign.languages.source, 0),
        target: code_of(&foreign.languages.target, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_in_the_cache_has_the_name_of_its_repository() {
        let cached = "hub/models--Helsinki-NLP--opus-mt-en-de/snapshots/6183067f769a";
        assert_eq!(name_of(Path::new(cached)), "opus-mt-en-de");
        assert_eq!(name_of(Path::new("models/opus-mt-en-de")), "opus-mt-en-de");
    }

    #[test]
    fn packed_models_and_files_of_weights_have_names_without_endings() {
        for (path, expected) in [
            ("ende.student.tiny11.tar.gz", "ende.student.tiny11"),
            ("translate-en_pt-1_0.argosmodel", "translate-en_pt-1_0"),
            ("enpt.ZIP", "enpt"),
            (
                "firefox-en-pt/model.enpt.intgemm.alphas.bin",
                "firefox-en-pt",
            ),
            ("Downloads/model.enpt.intgemm.alphas.bin.gz", "en-pt"),
            ("opus/model.npz", "opus"),
        ] {
            let path = Path::new(path);
            let name = path.file_name().expect("a name").to_string_lossy();
            assert_eq!(name_of_file(path, &name), expected);
        }
    }

    #[test]
    fn scripts_are_named_where_a_language_has_several() {
        let codes = ["zho_Hans", "zho_Hant", "deu_Latn", "pt", "pt_br", "deu"].map(str::to_owned);
        let short = ["zh-Hans", "zh-Hant", "de-Latn", "pt", "pt-BR", "de"];
        assert_eq!(short_codes(codes.iter()), short);
        let codes = ["deu_Latn", "fra_Latn", "fra_Latn"].map(str::to_owned);
        assert_eq!(short_codes(codes[..2].iter()), ["de", "fr"]);
        assert_eq!(short_codes(codes[1..].iter()), ["fr-Latn"]);
    }
}
