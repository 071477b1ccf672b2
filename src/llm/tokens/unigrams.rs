//! The likeliest pieces of a text: T5's tokenizer in GGUF files.

use crate::error::Result;
use canopy_tokenize::SentencePieces;

use super::lookup::Lookup;
use super::{SCORES, TOKENS, TokenType};
use crate::gguf::Gguf;

/// Fields of SentencePiece's `ModelProto`, and of the messages in it (`sentencepiece_model.proto`).
const PIECE: u64 = 1;
const TRAINER: u64 = 2;
const NORMALIZER: u64 = 3;
const PIECE_TEXT: u64 = 1;
const PIECE_SCORE: u64 = 2;
const PIECE_TYPE: u64 = 3;
const FALLS_BACK_TO_BYTES: u64 = 35;
const TABLE: u64 = 2;
const ADDS_SPACE: u64 = 3;
const REMOVES_SPACES: u64 = 4;

/// A message of protocol buffers in the making.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn key(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    fn number(mut self, field: u64, number: u64) -> Self {
        self.key(field, 0);
        self.varint(number);
        self
    }

    fn float(mut self, field: u64, float: f32) -> Self {
        self.key(field, 5);
        self.0.extend(float.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }
}

/// The tokens of a file as the SentencePiece model that they are of, which cuts texts into the likeliest ones: Kudo, "Subword
/// Regularization", ACL 2018, Section 3.2.
///
/// # Errors
/// [`LanguageModel`](crate::error::Error::LanguageModel) with the key, if the lists of the file do not fit together.
pub(super) fn unigrams(
    file: &Gguf,
    tokens: &Lookup,
    types: &[TokenType],
) -> Result<SentencePieces> {
    const MAP: &str = "tokenizer.ggml.precompiled_charsmap";
    let scores = file.needed(SCORES, file.floats(SCORES)?)?;
    if scores.len() != tokens.len() {
        let problem = format!("{} scores for {} tokens", scores.len(), tokens.len());
        return Err(file.problem(SCORES, problem));
    }
    let mut model = Message::default();
    for ((text, token_type), score) in tokens.texts().iter().zip(types).zip(scores) {
        let piece = Message::default()
            .bytes(PIECE_TEXT, text.as_bytes())
            .float(PIECE_SCORE, *score)
            .number(PIECE_TYPE, token_type.code());
        model = model.bytes(PIECE, &piece.0);
    }
    let has_bytes = types.contains(&TokenType::Byte);
    let trainer = Message::default().number(FALLS_BACK_TO_BYTES, u64::from(has_bytes));
    let flag = |key: &str| -> Result<u64> { Ok(u64::from(file.bool(key)?.unwrap_or(true))) };
    let normalizer = Message::default()
        .bytes(TABLE, &file.byte_list(MAP)?.unwrap_or_default())
        .number(ADDS_SPACE, flag("tokenizer.ggml.add_space_prefix")?)
        .number(
            REMOVES_SPACES,
            flag("tokenizer.ggml.remove_extra_whitespaces")?,
        );
    let model = model
        .bytes(TRAINER, &trainer.0)
        .bytes(NORMALIZER, &normalizer.0);
    let pieces = SentencePieces::from_bytes(&model.0);
    pieces.map_err(|problem| file.problem(TOKENS, problem))
}
