//! Vocabularies of M2M-100, NLLB and mBART-50: SentencePiece models, their ids, and tokens of languages after them.
//!
//! After `tokenization_m2m_100.py`, `tokenization_nllb.py` and `tokenization_mbart50.py` of transformers 5.23.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::tokens::MOST_TOKENS;
use super::{CONFIG, Config, Family, TOKENIZER, json};
use crate::error::Result;
use crate::interchange::archive::Archive;
use crate::interchange::foreign::{ForeignLanguages, LanguageTokens, TokenizerFiles};
use crate::interchange::sentencepiece;

/// The first ids of fairseq's dictionaries, which precede the pieces, except the model's own special ones.
const FAIRSEQ: [&str; 4] = ["<s>", "<pad>", "</s>", "<unk>"];

/// Special pieces at the beginning of a SentencePiece model.
const OWN: usize = 3;

/// Languages of M2M-100 in the order of their tokens, for folders that list none.
const M2M100: &str = "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi \
    hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro \
    ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";

/// Files that list tokens in addition to the vocabulary.
#[derive(Debug, Default, Deserialize)]
struct Lists {
    #[serde(default)]
    additional_special_tokens: Vec<Value>,
    #[serde(default)]
    extra_special_tokens: Value,
    #[serde(default)]
    added_tokens_decoder: BTreeMap<String, Value>,
}

/// The tokens that `tokenizer.json` has in addition to those of its model.
#[derive(Debug, Default, Deserialize)]
struct Added {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
}

#[derive(Debug, Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

/// Both sides, which are the same, and the languages.
pub(super) fn multilingual_vocabulary(
    archive: &mut Archive,
    config: &Config,
    family: Family,
) -> Result<(TokenizerFiles, ForeignLanguages)> {
    const NAMES: [&str; 3] = [
        "sentencepiece.bpe.model",
        "spm.model",
        "sentencepiece.model",
    ];
    let name = NAMES.into_iter().find(|name| archive.find(name).is_some());
    let name = name.unwrap_or(NAMES[0]);
    let bytes = archive.bytes(name)?;
    let mut tokens = if archive.find("vocab.json").is_some() {
        let ids: BTreeMap<String, u32> = json(archive, "vocab.json")?;
        by_id(archive, ids, config.vocab_size)?
    } else {
        let pieces = sentencepiece::pieces(&bytes)
            .ok_or_else(|| archive.refuse(format!("{name} is not a SentencePiece model")))?;
        let own = FAIRSEQ.into_iter().map(str::to_owned);
        own.chain(pieces.into_iter().skip(OWN)).collect()
    };
    let (mut languages, added) = lists(archive)?;
    if languages.is_empty() && family == Family::M2m100 {
        languages = M2M100
            .split(' ')
            .map(|code| format!("__{code}__"))
            .collect();
    }
    if config.vocab_size > MOST_TOKENS || tokens.len() > config.vocab_size {
        return Err(archive.refuse(format!(
            "its vocabulary has {} tokens, {CONFIG} says {}",
            tokens.len(),
            config.vocab_size
        )));
    }
    let mut next = tokens.len();
    tokens.resize(config.vocab_size, String::new());
    for (token, id) in added {
        if let Some(place) = tokens.get_mut(id as usize)
            && place.is_empty()
        {
            *place = token;
        }
    }
    for language in &languages {
        if tokens.contains(language) {
            continue;
        }
        let Some(place) = tokens.get_mut(next) else {
            return Err(archive.refuse(format!(
                "vocab_size in {CONFIG} is {}, which has no room for the token {language} of a language",
                config.vocab_size
            )));
        };
        language.clone_into(place);
        next += 1;
    }
    let mut side = TokenizerFiles {
        sentencepiece: Some(bytes),
        tokens,
        ..TokenizerFiles::default()
    };
    let end = side.id("</s>");
    let end = end.ok_or_else(|| archive.refuse("its vocabulary has no </s>".to_owned()))?;
    side.suffix.push(end);
    let codes = languages.iter().filter_map(|language| {
        let code = language.trim_matches('_').to_owned();
        Some((code, side.id(language)?))
    });
    let languages = ForeignLanguages {
        tokens: codes.collect(),
        token_place: LanguageTokens::OnBothSides,
        ..ForeignLanguages::default()
    };
    if languages.tokens.is_empty() {
        return Err(archive.refuse(format!(
            "{TOKENIZER} and special_tokens_map.json list no tokens of languages"
        )));
    }
    Ok((side, languages))
}

fn by_id(archive: &Archive, ids: BTreeMap<String, u32>, size: usize) -> Result<Vec<String>> {
    let count = ids.len();
    let mut tokens = vec![String::new(); count];
    for (token, id) in ids {
        let Some(place) = tokens.get_mut(id as usize) else {
            return Err(archive.refuse(format!(
                "vocab.json: {token:?} has id {id}, but there are {count} tokens, and {CONFIG} says {size}"
            )));
        };
        *place = token;
    }
    Ok(tokens)
}

/// Tokens of languages in their order, and added tokens with their ids.
type TokenLists = (Vec<String>, Vec<(String, u32)>);

fn lists(archive: &mut Archive) -> Result<TokenLists> {
    let (mut languages, mut added) = (Vec::new(), Vec::new());
    if archive.find("tokenizer.json").is_some() {
        let read: Added = json(archive, "tokenizer.json")?;
        added.extend(read.added_tokens.into_iter().map(|it| (it.content, it.id)));
    }
    if archive.find("added_tokens.json").is_some() {
        let read: BTreeMap<String, u32> = json(archive, "added_tokens.json")?;
        added.extend(read);
    }
    for name in [TOKENIZER, "special_tokens_map.json"] {
        if archive.find(name).is_none() {
            continue;
        }
        let read: Lists = json(archive, name)?;
        for (id, token) in &read.added_tokens_decoder {
            if let (Ok(id), Some(token)) = (id.parse(), text(token)) {
                added.push((token, id));
            }
        }
        let extra = read.extra_special_tokens.as_array();
        let listed = read
            .additional_special_tokens
            .iter()
            .chain(extra.into_iter().flatten());
        for token in listed.filter_map(text).filter(|token| is_language(token)) {
            if !languages.contains(&token) {
                languages.push(token);
            }
        }
    }
    if languages.is_empty() {
        added.sort_by_key(|&(_, id)| id);
        let tokens = added.iter().map(|(token, _)| token);
        languages = tokens.filter(|token| is_language(token)).cloned().collect();
        languages.dedup();
    }
    Ok((languages, added))
}

/// A token is a text, or has its text under `content`.
fn text(token: &Value) -> Option<String> {
    let text = token.as_str().or_else(|| token.get("content")?.as_str())?;
    Some(text.to_owned())
}

/// `__de__`, `deu_Latn` or `de_DE`.
fn is_language(token: &str) -> bool {
    let lower = |code: &str| {
        (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    if let Some(code) = token.strip_prefix("__") {
        return code.strip_suffix("__").is_some_and(lower);
    }
    token.split_once('_').is_some_and(|(language, rest)| {
        let is_place =
            [2, 4].contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_alphabetic());
        lower(language) && is_place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_languages_are_distinguished_from_others() {
        for token in ["__de__", "__ceb__", "deu_Latn", "ace_Arab", "de_DE"] {
            assert!(is_language(token), "{token}");
        }
        for token in ["<mask>", "__", "____", "▁de", "de", "madeupword0000", "_DE"] {
            assert!(!is_language(token), "{token}");
        }
        assert_eq!(M2M100.split(' ').count(), 100);
    }
}
