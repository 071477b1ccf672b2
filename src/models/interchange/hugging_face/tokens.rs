//! Vocabularies of `MarianTokenizer`: SentencePiece models split, `vocab.json` gives pieces their ids.

use std::collections::BTreeMap;

use super::{CONFIG, Config, json};
use crate::error::Result;
use crate::interchange::archive::Archive;
use crate::interchange::foreign::TokenizerFiles;

const END: &str = "</s>";

/// Vocabularies of source and target, which share a `vocab.json` unless there is a `target_vocab.json`.
pub(super) fn marian_vocabularies(
    archive: &mut Archive,
    config: &Config,
) -> Result<(TokenizerFiles, TokenizerFiles)> {
    let target_size = config.decoder_vocab_size.unwrap_or(config.vocab_size);
    let target_file = if archive.find("target_vocab.json").is_some() {
        "target_vocab.json"
    } else {
        "vocab.json"
    };
    Ok((
        side(archive, ("vocab.json", "source.spm"), config.vocab_size)?,
        side(archive, (target_file, "target.spm"), target_size)?,
    ))
}

fn side(
    archive: &mut Archive,
    (vocabulary, pieces): (&str, &str),
    size: usize,
) -> Result<TokenizerFiles> {
    let ids: BTreeMap<String, u32> = json(archive, vocabulary)?;
    let sentencepiece = Some(archive.bytes(pieces)?);
    let Some(&end) = ids.get(END) else {
        return Err(archive.refuse(format!("{vocabulary} has no {END}")));
    };
    if size > MOST_TOKENS {
        return Err(archive.refuse(format!(
            "vocab_size in {CONFIG} is {size}; at most {MOST_TOKENS} are read"
        )));
    }
    let mut tokens = vec![String::new(); size];
    for (token, id) in ids {
        let Some(place) = tokens.get_mut(id as usize) else {
            return Err(archive.refuse(format!(
                "{vocabulary}: {token:?} has id {id}, but {CONFIG} says {size} tokens"
            )));
        };
        *place = token;
    }
    Ok(TokenizerFiles {
        sentencepiece,
        tokens,
        suffix: vec![end],
        ..TokenizerFiles::default()
    })
}

/// As in our own configurations.
pub(super) const MOST_TOKENS: usize = 1 << 20;
