//! The tokenizer files of another program's model, as they are read, and as a model folder keeps them.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::sentence_pieces::SentencePieces;
use super::token_list::TokenList;
use super::tokenizer::SpecialIds;
use super::two_sided::{Cutter, CutterFile, LanguageTokens, SideTokens, TwoSidedTokenizer};
use super::word_merges::WordMerges;
use crate::error::{BaseError, Error, Result};
use canopy_base::file::write_atomically;

const DESCRIPTION: &str = "tokenizer.json";
const PIECES: [&str; 2] = ["source.spm", "target.spm"];
const CODES: [&str; 2] = ["source.codes", "target.codes"];

/// The tokenizer files of one side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenizerFiles {
    /// A SentencePiece model; none if texts are to be split in another way.
    pub sentencepiece: Option<Vec<u8>>,
    /// Merges of a BPE of whole words, as subword-nmt writes them.
    pub bpe_codes: Option<String>,
    /// The string of every id; empty where an id has none.
    pub tokens: Vec<String>,
    /// Ids before the pieces of a sentence, the language of the other side aside.
    pub prefix: Vec<u32>,
    /// Ids after them.
    pub suffix: Vec<u32>,
}

impl TokenizerFiles {
    /// The id of a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        let place = self.tokens.iter().position(|other| other == token)?;
        u32::try_from(place).ok()
    }
}

impl SideTokens {
    /// A side that cuts texts as these files say.
    ///
    /// # Errors
    /// If a file of them is damaged; the text says how.
    pub fn from_files(files: TokenizerFiles) -> Result<Self, String> {
        let list = Arc::new(TokenList::new(files.tokens));
        let (cutter, file) = match (files.sentencepiece, files.bpe_codes) {
            (Some(bytes), _) => {
                let pieces = SentencePieces::from_bytes(&bytes);
                let pieces = pieces.map_err(|problem| format!("SentencePiece model: {problem}"))?;
                let cutter = Cutter::SentencePieces(Arc::new(pieces));
                (cutter, CutterFile::SentencePiece(bytes))
            }
            (None, Some(codes)) => {
                let cutter = Cutter::Merges(Arc::new(WordMerges::new(&codes)?));
                (cutter, CutterFile::Codes(codes))
            }
            (None, None) => (Cutter::fitting(&list), CutterFile::None),
        };
        Ok(Self::new(cutter, list).with_file(file))
    }
}

/// The part of a tokenizer that is no file of its own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    special: SpecialIds,
    languages: LanguageTokens,
    source: Vec<String>,
    /// Absent if both sides have the same tokens and the same file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Vec<String>>,
}

impl TwoSidedTokenizer {
    /// Names of the files in which a folder keeps such a tokenizer; the first is always there.
    pub const FILES: [&'static str; 5] = [DESCRIPTION, PIECES[0], PIECES[1], CODES[0], CODES[1]];

    /// Whether a model folder keeps one.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(DESCRIPTION).is_file()
    }

    /// Writes it into a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let [source, target] = self.sides();
        let is_one = source.is_same(target);
        let sides = [source, target].into_iter().zip(0..);
        for (side, number) in sides.take(if is_one { 1 } else { 2 }) {
            let (name, bytes) = match side.file() {
                CutterFile::None => continue,
                CutterFile::SentencePiece(bytes) => (PIECES[number], bytes.as_slice()),
                CutterFile::Codes(codes) => (CODES[number], codes.as_bytes()),
            };
            write_atomically(folder.join(name), bytes, true)?;
        }
        let description = Description {
            special: self.special_ids().clone(),
            languages: self.languages().clone(),
            source: source.list().tokens().to_vec(),
            target: (!is_one).then(|| target.list().tokens().to_vec()),
        };
        let path = folder.join(DESCRIPTION);
        let text = serde_json::to_string(&description).map_err(|cause| {
            Error::Base(BaseError::Model {
                reason: cause.to_string(),
                path: path.clone(),
            })
        })?;
        Ok(write_atomically(&path, text.as_bytes(), true)?)
    }

    /// Reads what [`Self::save`] has written.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(DESCRIPTION);
        let text = std::fs::read_to_string(&path).map_err(Error::read(&path))?;
        let refuse = |reason: String| {
            Error::Base(BaseError::Model {
                reason,
                path: path.clone(),
            })
        };
        let description: Description =
            serde_json::from_str(&text).map_err(|cause| refuse(cause.to_string()))?;
        let read = |number: usize, tokens: Vec<String>| -> Result<SideTokens> {
            let (pieces, codes) = (folder.join(PIECES[number]), folder.join(CODES[number]));
            let mut files = TokenizerFiles {
                tokens,
                ..TokenizerFiles::default()
            };
            if pieces.is_file() {
                let bytes = std::fs::read(&pieces).map_err(Error::read(&pieces))?;
                files.sentencepiece = Some(bytes);
            } else if codes.is_file() {
                let text = std::fs::read_to_string(&codes).map_err(Error::read(&codes))?;
                files.bpe_codes = Some(text);
            }
            SideTokens::from_files(files).map_err(refuse)
        };
        let source = read(0, description.source)?;
        let target = match description.target {
            Some(tokens) => read(1, tokens)?,
            None => source.clone(),
        };
        let (special, languages) = (description.special, description.languages);
        let own = [special.start, special.eos];
        let own = own.iter().chain(&special.target_prefix);
        if let Some(id) = own.copied().find(|&id| id as usize >= target.list().len()) {
            return Err(refuse(format!("id {id} is outside its target tokens")));
        }
        Ok(Self::new(source, target, special, languages))
    }
}
