//! Subwords: one byte-level BPE vocabulary for both languages, reversible to the exact text.
//!
//! Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", ACL 2016, over bytes instead of
//! characters, so that no text is unknown. Ids: `pad`, `unk`, `bos`, `eos`, then the placeholders in the order of
//! [`placeholder::all`], then the 256 bytes, then the merges. On disk it is a `tokenizer.json` of the `tokenizers`
//! crate.

use std::path::Path;

use serde::Deserialize;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, ModelWrapper, Tokenizer};

use crate::bpe_dropout::Merges;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;
use canopy_base::file::write_atomically;
use canopy_document::placeholder::{self, MAX_PLACEHOLDERS, Placeholder};

/// Default number of ids.
pub const DEFAULT_SIZE: usize = 8000;

const SPECIAL: [&str; 4] = ["<pad>", "<unk>", "<bos>", "<eos>"];
const FIRST_PLACEHOLDER: u32 = 4;

/// The subwords of a corpus: texts to ids and back.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    tokenizer: Tokenizer,
    /// `placeholders[id - FIRST_PLACEHOLDER]`.
    placeholders: Vec<char>,
}

/// How the space before a word is written in tokens.
const SPACE: char = 'Ġ';

/// The merges of a `tokenizer.json`.
#[derive(Deserialize)]
struct WithMerges {
    model: ModelMerges,
}

#[derive(Deserialize)]
struct ModelMerges {
    merges: Vec<[String; 2]>,
}

/// A text cut at its placeholders.
enum Piece<'t> {
    Text(&'t str),
    Placeholder(u32),
}

/// Reads a `tokenizer.json`; the library panics at some that are damaged.
pub(super) fn tokenizer_of(json: &[u8]) -> Result<Tokenizer, String> {
    let read = || Ok(Tokenizer::from_bytes(json).map_err(|cause| cause.to_string()));
    caught(read).unwrap_or_else(|panic: Error| Err(panic.to_string()))
}

impl Vocabulary {
    /// Fills the short sentences of a batch.
    pub const PAD: u32 = 0;
    /// Never produced by [`encode`](Self::encode), since every byte has a token.
    pub const UNK: u32 = 1;
    /// Starts a target sentence.
    pub const BOS: u32 = 2;
    /// Ends a sentence.
    pub const EOS: u32 = 3;

    /// Learns a vocabulary of `size` ids; the same texts in the same order give the same one.
    ///
    /// It has fewer ids if the texts are too few for that many merges that occur twice.
    ///
    /// # Errors
    /// [`BaseError::Config`] if `size` has no room for the special ids and the bytes.
    pub fn train(texts: impl Iterator<Item = String>, size: usize) -> Result<Self> {
        let smallest = SPECIAL.len() + placeholder::all().count() + 256;
        if size < smallest {
            return Err(Error::Base(BaseError::Config {
                field: "vocabulary size",
                found: size.to_string(),
                allowed: format!("{smallest} or more"),
            }));
        }
        let mut pieces = Vec::new();
        for text in texts {
            let ordinary = text.split(|c| Placeholder::from_char(c).is_some());
            pieces.extend(
                ordinary
                    .filter(|piece| !piece.is_empty())
                    .map(str::to_owned),
            );
        }
        Ok(Self::learn(pieces, size))
    }

    fn learn(pieces: Vec<String>, size: usize) -> Self {
        let special = SPECIAL.iter().map(ToString::to_string);
        let special = special.chain(placeholder::all().map(String::from));
        let trainer = BpeTrainer::builder()
            .vocab_size(size)
            .min_frequency(2)
            .show_progress(false)
            .special_tokens(special.map(|token| AddedToken::from(token, true)).collect())
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .build();
        let byte_level = ByteLevel::new(false, true, true);
        let mut tokenizer = Tokenizer::new(BPE::default());
        tokenizer
            .with_pre_tokenizer(Some(byte_level))
            .with_decoder(Some(byte_level));
        tokenizer
            .train(&mut TrainerWrapper::from(trainer), pieces.into_iter())
            .expect("texts in memory can be split and counted");
        Self::around(tokenizer)
    }

    fn around(mut tokenizer: Tokenizer) -> Self {
        // Else "<pad>" written in a document would become the padding id.
        tokenizer.set_encode_special_tokens(true);
        Self {
            tokenizer,
            placeholders: placeholder::all().collect(),
        }
    }

    /// Reads a vocabulary that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not such a vocabulary.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(Error::read(path))?;
        let wrong = |problem: String| Error::Vocabulary {
            problem,
            path: path.to_owned(),
        };
        let tokenizer = tokenizer_of(&bytes).map_err(wrong)?;
        if !matches!(tokenizer.get_model(), ModelWrapper::BPE(_)) {
            return Err(wrong("its model is not BPE".to_owned()));
        }
        let special = SPECIAL.iter().map(ToString::to_string);
        let expected = special
            .chain(placeholder::all().map(String::from))
            .enumerate();
        for (id, token) in expected {
            let found = tokenizer.token_to_id(&token);
            if found.is_none_or(|found| found as usize != id) {
                return Err(wrong(format!("token {token:?} has not the id {id}")));
            }
        }
        for byte in ByteLevel::alphabet() {
            if tokenizer.token_to_id(&byte.to_string()).is_none() {
                return Err(wrong(format!(
                    "it has no token for the byte written {byte:?}"
                )));
            }
        }
        Ok(Self::around(tokenizer))
    }

    /// Writes the vocabulary as `tokenizer.json`: completely, or not at all.
    ///
    /// # Errors
    /// If the file cannot be written; an existing one then is as it was.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let json = self
            .tokenizer
            .to_string(false)
            .expect("a vocabulary in memory is valid JSON");
        Ok(write_atomically(path, json.as_bytes(), true)?)
    }

    /// How many ids there are: `vocab` of a model's shapes.
    #[expect(clippy::len_without_is_empty, reason = "it always has the special ids")]
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The ids of a text, without [`BOS`](Self::BOS) and [`EOS`](Self::EOS).
    ///
    /// Placeholders numbered [`MAX_PLACEHOLDERS`] or higher have no token; they are left out, and the closing one of
    /// such a pair with them.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 3 + 2);
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => {
                    let encoding = self.tokenizer.encode_fast(text, false);
                    ids.extend_from_slice(encoding.expect("every byte has a token").get_ids());
                }
                Piece::Placeholder(id) => ids.push(id),
            }
        }
        ids
    }

    /// The text of `ids`: placeholders are kept, the four special ids and ids outside the vocabulary left out. Bytes that
    /// are not UTF-8, which only a model can produce, become U+FFFD.
    pub fn decode(&self, ids: &[u32]) -> String {
        let mut text = String::new();
        // Piece by piece: the byte-level decoder would join bytes across a placeholder otherwise.
        for run in
            ids.chunk_by(|&a, &b| self.placeholder(a).is_none() && self.placeholder(b).is_none())
        {
            if let Some(character) = self.placeholder_character(run[0]) {
                text.push(character);
                continue;
            }
            let ordinary: Vec<u32> = run
                .iter()
                .copied()
                .filter(|&id| id >= FIRST_PLACEHOLDER)
                .collect();
            text += &self
                .tokenizer
                .decode(&ordinary, false)
                .expect("the byte-level decoder accepts every token");
        }
        text
    }

    /// The token behind an id as in the file (bytes as visible characters, `Ġ` for the space before a word):
    /// for showing pieces, not for joining them to a text.
    pub fn token(&self, id: u32) -> Option<String> {
        self.tokenizer.id_to_token(id)
    }

    /// The id of a token as in the file.
    pub fn token_id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// A token for display: `▁` for a space, `<0>`, `</>` and `<0/>` for markup. Where it is a part of a character, the
    /// bytes are visible characters as in [`Self::token`].
    pub fn piece(&self, id: u32) -> String {
        match self.placeholder(id) {
            Some(Placeholder::Open(number)) => return format!("<{number}>"),
            Some(Placeholder::Point(number)) => return format!("<{number}/>"),
            Some(Placeholder::Close) => return "</>".to_owned(),
            None => {}
        }
        let text = self.decode(&[id]);
        if text.is_empty() || text.contains(char::REPLACEMENT_CHARACTER) {
            return self.token(id).unwrap_or_default();
        }
        text.replace(' ', "▁")
    }

    /// The pairs that its subwords are merged from.
    pub fn merges(&self) -> Merges {
        let json = self.tokenizer.to_string(false);
        let read = json.map(|json| serde_json::from_str::<WithMerges>(&json));
        let Ok(Ok(read)) = read else {
            unreachable!("a vocabulary in memory is valid JSON");
        };
        let merges = read.model.merges.iter().filter_map(|[left, right]| {
            let pair = [self.token_id(left)?, self.token_id(right)?];
            Some((pair, self.token_id(&format!("{left}{right}"))?))
        });
        let begins = self
            .tokens()
            .iter()
            .map(|it| it.starts_with(SPACE))
            .collect();
        Merges::new(merges, begins)
    }

    /// All tokens in the order of their ids.
    pub fn tokens(&self) -> Vec<String> {
        let ids = 0..u32::try_from(self.len()).expect("ids fit 32 bits");
        ids.filter_map(|id| self.token(id)).collect()
    }

    /// The placeholder of an id, if it is one.
    pub fn placeholder(&self, id: u32) -> Option<Placeholder> {
        self.placeholder_character(id)
            .and_then(Placeholder::from_char)
    }

    fn placeholder_character(&self, id: u32) -> Option<char> {
        let index = id.checked_sub(FIRST_PLACEHOLDER)?;
        self.placeholders.get(index as usize).copied()
    }

    /// The ids of all placeholders.
    pub fn placeholder_ids(&self) -> std::ops::Range<u32> {
        let count = u32::try_from(self.placeholders.len()).expect("a handful");
        FIRST_PLACEHOLDER..FIRST_PLACEHOLDER + count
    }

    /// The id of a placeholder character; `None` for ordinary characters and for numbers over the limit.
    pub fn placeholder_id(&self, character: char) -> Option<u32> {
        placeholder_id(character)
    }
}

/// The order of [`placeholder::all`]: openings, points, the closing one.
fn placeholder_id(character: char) -> Option<u32> {
    let index = match Placeholder::from_char(character)? {
        Placeholder::Open(number) if number < MAX_PLACEHOLDERS => number,
        Placeholder::Point(number) if number < MAX_PLACEHOLDERS => MAX_PLACEHOLDERS + number,
        Placeholder::Close => 2 * MAX_PLACEHOLDERS,
        _ => return None,
    };
    u32::try_from(index)
        .ok()
        .map(|index| FIRST_PLACEHOLDER + index)
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut open = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let Some(placeholder) = Placeholder::from_char(character) else {
            continue;
        };
        if start < at {
            pieces.push(Piece::Text(&text[start..at]));
        }
        start = at + character.len_utf8();
        let id = placeholder_id(character);
        let kept = match placeholder {
            Placeholder::Open(_) => {
                open.push(id.is_some());
                true
            }
            Placeholder::Close => open.pop().unwrap_or(true),
            Placeholder::Point(_) => true,
        };
        pieces.extend(id.filter(|_| kept).map(Piece::Placeholder));
    }
    if start < text.len() {
        pieces.push(Piece::Text(&text[start..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let texts = (0..400)
            .map(|n| format!("click \u{E000}OK\u{E200} to print page {n} of the draft document."));
        Vocabulary::train(texts, 340).expect("trains")
    }

    #[test]
    fn every_text_comes_back_exactly() {
        let vocabulary = vocabulary();
        for text in [
            "click \u{E000}OK\u{E200}.",
            "\u{E000} a \u{E101} \u{E102}b\u{E001}c \u{E200}\u{E200}  two  spaces ",
            "Größe „x“ – 日本語 🙂 \t\n<pad> <eos> don't",
            "",
            " ",
        ] {
            let ids = vocabulary.encode(text);
            assert_eq!(vocabulary.decode(&ids), text, "{ids:?}");
        }
    }

    #[test]
    fn ids_stand_where_models_expect_them() {
        let vocabulary = vocabulary();
        assert_eq!(vocabulary.len(), 340);
        for (id, name) in [
            (Vocabulary::PAD, "<pad>"),
            (Vocabulary::UNK, "<unk>"),
            (Vocabulary::BOS, "<bos>"),
            (Vocabulary::EOS, "<eos>"),
        ] {
            assert_eq!(vocabulary.token(id).as_deref(), Some(name));
            assert_eq!(vocabulary.placeholder(id), None);
        }
        for (index, character) in placeholder::all().enumerate() {
            let id = vocabulary.placeholder_id(character).expect("a token");
            assert_eq!(id as usize, 4 + index);
            assert_eq!(
                vocabulary.placeholder(id),
                Placeholder::from_char(character)
            );
            assert_eq!(vocabulary.encode(&character.to_string()), [id]);
        }
        assert!(!vocabulary.encode("<pad>").contains(&Vocabulary::PAD));
    }

    #[test]
    fn special_and_unknown_ids_vanish_and_broken_bytes_do_not_panic() {
        let vocabulary = vocabulary();
        let mut ids = vec![Vocabulary::BOS, Vocabulary::UNK, Vocabulary::PAD, 1_000_000];
        ids.extend(vocabulary.encode("draft"));
        ids.push(Vocabulary::EOS);
        assert_eq!(vocabulary.decode(&ids), "draft");
        let half = vocabulary.encode("ö")[0];
        assert_eq!(vocabulary.decode(&[half]), "\u{FFFD}");
    }

    #[test]
    fn pieces_are_for_reading() {
        let vocabulary = vocabulary();
        let piece = |text: &str| vocabulary.piece(vocabulary.encode(text)[0]);
        assert_eq!(piece(" draft"), "▁draft");
        assert_eq!(
            ["\u{E001}", "\u{E100}", "\u{E200}"].map(piece),
            ["<1>", "<0/>", "</>"]
        );
        assert_eq!(vocabulary.piece(Vocabulary::EOS), "<eos>");
        assert_eq!(piece("ö"), "Ã", "half a character");
    }

    #[test]
    fn pairs_without_a_token_vanish_with_their_closing_one() {
        let vocabulary = vocabulary();
        let ids = vocabulary.encode("a \u{E000}b \u{E0FF}c\u{E200}\u{E1FF} d\u{E200}");
        assert_eq!(vocabulary.decode(&ids), "a \u{E000}b c d\u{E200}");
    }

    #[test]
    fn training_is_deterministic_and_files_come_back() {
        let [one, other] = [vocabulary(), vocabulary()];
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vocabulary.json");
        one.save(&path).expect("saves");
        let json = std::fs::read_to_string(&path).expect("reads");
        assert_eq!(json, other.tokenizer.to_string(false).expect("json"));
        let text = "print \u{E000}ä\u{E200} draft <pad>";
        assert_eq!(
            Vocabulary::open(&path).expect("opens").encode(text),
            one.encode(text)
        );
    }

    #[test]
    fn wrong_files_and_sizes_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vocabulary.json");
        std::fs::write(&path, "{}").expect("writes");
        assert!(matches!(
            Vocabulary::open(&path),
            Err(Error::Vocabulary { .. })
        ));
        assert!(matches!(
            Vocabulary::open(folder.path().join("no.json")),
            Err(Error::Base(BaseError::Read { .. }))
        ));
        assert!(matches!(
            Vocabulary::train(std::iter::empty(), 100),
            Err(Error::Base(BaseError::Config { .. }))
        ));
    }
}
