//! Tokenizers that the `tokenizers` crate computes: those of folders.

use crate::error::Result;
use serde_json::Value;

use super::TokenType;
use super::sentence_pieces::byte;
use crate::folder::Folder;
use crate::texts::Texts;

const FILE: &str = "tokenizer.json";

/// A tokenizer of `tokenizer.json`.
pub(super) struct Library {
    tokenizer: tokenizers::Tokenizer,
    /// For texts behind others, where the tokenizer puts a space before a text.
    continuing: Option<Box<tokenizers::Tokenizer>>,
    /// Whether its tokens are spelt in letters that stand for bytes.
    pub has_letters: bool,
    /// Ids below this one have embeddings.
    vocab: usize,
}

/// The tokens of a folder: texts, types and special ones.
pub(super) struct Tokens {
    pub texts: Texts,
    pub types: Vec<TokenType>,
}

impl Library {
    /// Reads the tokenizer of a folder whose network has embeddings of `vocab` tokens; tokens beyond them are left out.
    pub(crate) fn read(folder: &Folder, vocab: usize) -> Result<(Self, Tokens)> {
        let refuse = |problem: String| folder.problem(FILE, problem);
        let bytes = folder.tokenizer()?;
        let mut settings: Value =
            serde_json::from_slice(&bytes).map_err(|error| refuse(error.to_string()))?;
        let open = |bytes: &[u8]| -> Result<tokenizers::Tokenizer> {
            let mut tokenizer = tokenizers::Tokenizer::from_bytes(bytes)
                .map_err(|error| refuse(error.to_string()))?;
            tokenizer.with_padding(None);
            let whole = tokenizer.with_truncation(None);
            whole.map_err(|error| refuse(error.to_string()))?;
            Ok(tokenizer)
        };
        let tokenizer = open(&bytes)?;
        let has_letters = has_letters(&settings);
        let tokens = tokens(&tokenizer, &settings, vocab);
        if tokens.texts.is_empty() {
            return Err(refuse("it has no tokens".to_owned()));
        }
        let continuing = without_space(&mut settings)
            .then(|| open(settings.to_string().as_bytes()).map(Box::new));
        let library = Self {
            tokenizer,
            continuing: continuing.transpose()?,
            has_letters,
            vocab,
        };
        Ok((library, tokens))
    }

    /// The id of a token.
    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        let id = self.tokenizer.token_to_id(token);
        id.filter(|id| (*id as usize) < self.vocab)
    }

    /// The ids of a text; `begins` says whether it stands at the beginning. Nothing, if the tokenizer fails.
    pub(crate) fn encode(&self, text: &str, begins: bool) -> Vec<u32> {
        let continuing = self.continuing.as_deref().filter(|_| !begins);
        self.encoded_by(continuing.unwrap_or(&self.tokenizer), text, false)
    }

    /// The ids that stand before those of a text, and those behind it.
    pub(crate) fn around(&self) -> [Vec<u32>; 2] {
        const TEXT: &str = "a";
        let text = self.encoded_by(&self.tokenizer, TEXT, false);
        let all = self.encoded_by(&self.tokenizer, TEXT, true);
        let place = all.windows(text.len().max(1)).position(|it| it == text);
        let place = place.unwrap_or_default();
        let (before, rest) = all.split_at(place);
        let behind = rest.get(text.len()..).unwrap_or_default();
        [before.to_owned(), behind.to_owned()]
    }

    fn encoded_by(
        &self,
        tokenizer: &tokenizers::Tokenizer,
        text: &str,
        with_special: bool,
    ) -> Vec<u32> {
        let encoded = tokenizer.encode_fast(text, with_special);
        let ids = encoded.map(|it| it.get_ids().to_owned());
        let mut ids = ids.unwrap_or_else(|error| {
            ::tracing::warn!(%error, "a tokenizer failed");
            Vec::new()
        });
        ids.retain(|id| (*id as usize) < self.vocab);
        ids
    }
}

/// Texts and types of all tokens up to the last one with an embedding.
fn tokens(tokenizer: &tokenizers::Tokenizer, settings: &Value, vocab: usize) -> Tokens {
    let ids = tokenizer.get_vocab(true);
    let ids = ids.into_iter().filter(|(_, id)| (*id as usize) < vocab);
    let mut texts: Vec<Box<str>> = Vec::new();
    for (text, id) in ids {
        let id = id as usize;
        if texts.len() <= id {
            texts.resize(id + 1, Box::default());
        }
        texts[id] = text.into();
    }
    let model = &settings["model"];
    let has_bytes = model["byte_fallback"] == true;
    let unknown = model["unk_token"].as_str();
    let unknown_id = model["unk_id"].as_u64();
    let added = tokenizer.get_added_tokens_decoder();
    let token_type = |(id, text): (usize, &str)| {
        let added = u32::try_from(id).ok().and_then(|id| added.get(&id));
        if unknown == Some(text) || unknown_id == Some(id as u64) {
            return TokenType::Unknown;
        }
        match added {
            Some(token) if token.special => TokenType::Control,
            Some(_) => TokenType::UserDefined,
            None if text.is_empty() => TokenType::Unused,
            None if has_bytes && byte(text).is_some() => TokenType::Byte,
            None => TokenType::Normal,
        }
    };
    Tokens {
        types: texts
            .iter()
            .map(AsRef::as_ref)
            .enumerate()
            .map(token_type)
            .collect(),
        texts: texts.into_iter().collect(),
    }
}

/// The parts of a tokenizer's normalizer, pre-tokenizer or decoder, which may be a sequence of several.
fn each_part<'v>(part: &'v Value, found: &mut Vec<&'v Value>) {
    found.push(part);
    for list in ["pretokenizers", "normalizers", "decoders"] {
        for part in part[list].as_array().into_iter().flatten() {
            each_part(part, found);
        }
    }
}

/// Whether tokens are spelt in letters that stand for bytes.
fn has_letters(settings: &Value) -> bool {
    let mut parts = Vec::new();
    each_part(&settings["decoder"], &mut parts);
    each_part(&settings["pre_tokenizer"], &mut parts);
    parts.iter().any(|part| part["type"] == "ByteLevel")
}

/// Has no space put before a text; gives whether one was.
fn without_space(settings: &mut Value) -> bool {
    fn change(part: &mut Value) -> bool {
        let mut changed = false;
        match part["type"].as_str() {
            Some("Metaspace") if part["prepend_scheme"] != "never" => {
                part["prepend_scheme"] = Value::from("never");
                if part.get("add_prefix_space").is_some() {
                    part["add_prefix_space"] = Value::from(false);
                }
                changed = true;
            }
            Some("ByteLevel") if part["add_prefix_space"] == true => {
                part["add_prefix_space"] = Value::from(false);
                changed = true;
            }
            Some("Prepend") => {
                *part = serde_json::json!({"type": "Sequence", "normalizers": []});
                changed = true;
            }
            _ => {}
        }
        for list in ["pretokenizers", "normalizers"] {
            if let Some(parts) = part.get_mut(list).and_then(Value::as_array_mut) {
                changed |= parts
                    .iter_mut()
                    .map(change)
                    .fold(false, |one, other| one | other);
            }
        }
        changed
    }
    let mut changed = false;
    for key in ["normalizer", "pre_tokenizer"] {
        if let Some(part) = settings.get_mut(key).filter(|part| part.is_object()) {
            changed |= change(part);
        }
    }
    changed
}
