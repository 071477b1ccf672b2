//! Vocabularies of CTranslate2's folders, and the files with them.

use serde::Deserialize;

use super::Config;
use crate::error::Result;
use crate::interchange::archive::Archive;
use crate::interchange::foreign::{ForeignLanguages, LanguageTokens, TokenizerFiles};
use canopy_nn::model::{ModelConfig, SearchRule, SpecialTokens};

/// `max_decoding_length` there.
const MOST_DECODED: usize = 256;

/// Both sides' vocabularies and languages.
pub(super) struct Vocabularies {
    pub source: TokenizerFiles,
    pub target: TokenizerFiles,
    pub languages: ForeignLanguages,
}

/// The contents of an Argos package's `metadata.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Argos {
    pub from_code: Option<String>,
    pub to_code: Option<String>,
    pub license: Option<String>,
}

/// None if it is no Argos package.
pub(super) fn argos(archive: &mut Archive) -> Result<Option<Argos>> {
    const NAME: &str = "metadata.json";
    if archive.find(NAME).is_none() {
        return Ok(None);
    }
    let text = archive.text(NAME)?;
    let read: Argos =
        serde_json::from_str(&text).map_err(|cause| archive.refuse(format!("{NAME}: {cause}")))?;
    Ok(Some(read).filter(|argos| argos.from_code.is_some()))
}

impl Vocabularies {
    /// Reads them, and sets the special tokens of `model`.
    pub(super) fn read(
        archive: &mut Archive,
        folder: &str,
        config: &Config,
        model: &mut ModelConfig,
        argos: Option<&Argos>,
    ) -> Result<Self> {
        let unknown = config.unk_token.as_deref().unwrap_or("<unk>");
        let end = config.eos_token.as_deref().unwrap_or("</s>");
        let shared = tokens(archive, folder, "shared_vocabulary", unknown)?;
        let (source, target) = if let Some(shared) = shared {
            (shared.clone(), shared)
        } else {
            let mut side = |name: &str| {
                let found = tokens(archive, folder, name, unknown)?;
                found.ok_or_else(|| {
                    archive.refuse(format!("there is no {folder}{name}.json and no .txt in it"))
                })
            };
            (side("source_vocabulary")?, side("target_vocabulary")?)
        };
        let source = padded(archive, source, model.vocab_size)?;
        let target = padded(archive, target, model.target_vocab_size())?;
        let id = |tokens: &TokenizerFiles, token: &str, what: &str| {
            let found = tokens.id(token);
            found.ok_or_else(|| {
                archive.refuse(format!("its {what} {token:?} is not in its vocabulary"))
            })
        };
        let (mut source, mut target) = (source, target);
        let languages = languages(&target);
        let zero_start = model.tokens.zero_start;
        let start = config.decoder_start_token.as_deref().unwrap_or(end);
        // Marian's tokenizer of transformers ends sentences itself, as those of several languages do.
        let ends_itself = zero_start && config.decoder_start_token.as_deref() == Some(end);
        let has_end = config.add_source_eos
            || ends_itself
            || languages.token_place == LanguageTokens::OnBothSides;
        if config.add_source_bos {
            let bos = config.bos_token.as_deref().unwrap_or("<s>");
            source.prefix.push(id(&source, bos, "bos_token")?);
        }
        if has_end {
            source.suffix.push(id(&source, end, "eos_token")?);
        }
        model.tokens = SpecialTokens {
            start: id(&target, start, "decoder_start_token")?,
            zero_start,
            end: id(&target, end, "eos_token")?,
            source_end: source.suffix.last().copied(),
            unknown: id(&target, unknown, "unk_token")?,
            most: Some(MOST_DECODED),
            search: SearchRule::CTranslate2,
            ..SpecialTokens::default()
        };
        for (side, names) in [
            (&mut source, ["source.spm", "sentencepiece.model"]),
            (&mut target, ["target.spm", "sentencepiece.model"]),
        ] {
            let names = names
                .iter()
                .chain(&["sentencepiece.bpe.model", "spm.model"]);
            let name = names.copied().find(|name| archive.find(name).is_some());
            side.sentencepiece = name.map(|name| archive.bytes(name)).transpose()?;
            if side.sentencepiece.is_none()
                && argos.is_some()
                && archive.find("bpe.model").is_some()
            {
                side.bpe_codes = Some(archive.text("bpe.model")?);
            }
        }
        Ok(Self {
            source,
            target,
            languages,
        })
    }
}

/// The tokens of a vocabulary by id; none if there is no such file.
fn tokens(
    archive: &mut Archive,
    folder: &str,
    name: &str,
    unknown: &str,
) -> Result<Option<Vec<String>>> {
    let (json, text) = (
        format!("{folder}{name}.json"),
        format!("{folder}{name}.txt"),
    );
    let mut tokens: Vec<String> = if archive.find(&json).is_some() {
        let read = archive.text(&json)?;
        serde_json::from_str(&read).map_err(|cause| archive.refuse(format!("{json}: {cause}")))?
    } else if archive.find(&text).is_some() {
        lines(&archive.text(&text)?)
    } else {
        return Ok(None);
    };
    if !tokens.iter().any(|token| token == unknown) {
        tokens.push(unknown.to_owned());
    }
    Ok(Some(tokens))
}

/// A line is a token, whatever is in it; a carriage return belongs to it unless every line has one.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    if lines.iter().all(|line| line.ends_with('\r')) {
        for line in &mut lines {
            *line = &line[..line.len() - 1];
        }
    }
    lines.into_iter().map(str::to_owned).collect()
}

/// A table may have a few rows more than there are tokens, which no text has.
fn padded(archive: &Archive, mut tokens: Vec<String>, rows: usize) -> Result<TokenizerFiles> {
    const MOST_PADDING: usize = 1_024;
    let found = tokens.len();
    if found > rows || found + MOST_PADDING < rows {
        return Err(archive.refuse(format!(
            "its vocabulary has {found} tokens, its table of words {rows} rows"
        )));
    }
    tokens.resize(rows, String::new());
    Ok(TokenizerFiles {
        tokens,
        ..TokenizerFiles::default()
    })
}

/// `>>deu<<` of Marian, `__de__` of M2M-100, `deu_Latn` of NLLB.
fn languages(tokens: &TokenizerFiles) -> ForeignLanguages {
    let with = |code: fn(&str) -> Option<&str>| -> Vec<(String, u32)> {
        let tokens = tokens.tokens.iter().zip(0..);
        tokens
            .filter_map(|(token, id)| Some((code(token)?.to_owned(), id)))
            .collect()
    };
    let marian = ForeignLanguages::from_marian(tokens);
    if !marian.tokens.is_empty() {
        return marian;
    }
    let m2m = with(|token| {
        let code = token.strip_prefix("__")?.strip_suffix("__")?;
        let is_code =
            (2..=3).contains(&code.len()) && code.bytes().all(|it| it.is_ascii_lowercase());
        is_code.then_some(code)
    });
    let nllb = with(|token| {
        let (language, script) = token.split_once('_')?;
        let is_code = language.len() == 3
            && language.bytes().all(|it| it.is_ascii_lowercase())
            && script.len() == 4
            && script.starts_with(|it: char| it.is_ascii_uppercase());
        is_code.then_some(token)
    });
    // A word or two may look like one.
    let found = if m2m.len() > nllb.len() { m2m } else { nllb };
    if found.len() < 5 {
        return ForeignLanguages::default();
    }
    ForeignLanguages {
        tokens: found,
        token_place: LanguageTokens::OnBothSides,
        ..ForeignLanguages::default()
    }
}
