//! SentencePiece's merging by score, with bytes for characters that have no piece: Gemma, Llama 2, Mistral.
//!
//! Kudo & Richardson, "SentencePiece", EMNLP 2018; the BPE of its `bpe_model.cc`.

use crate::error::Result;

use super::lookup::Lookup;
use super::merging::merge;
use crate::gguf::Gguf;

/// The character that stands for a space.
pub(super) const SPACE: char = '\u{2581}';

pub(super) struct SentencePieces {
    /// Score of each id, as an integer rank.
    scores: Vec<i32>,
    /// The id of each byte.
    bytes: Vec<u32>,
    /// Whether a text begins with a space.
    adds_space: bool,
}

/// An integer with the order of floats.
fn ordered(score: f32) -> i32 {
    let bits = score.to_bits().cast_signed();
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

impl SentencePieces {
    pub(crate) fn read(file: &Gguf, tokens: &Lookup, unknown: u32) -> Result<Self> {
        const SCORES: &str = "tokenizer.ggml.scores";
        let scores = file.needed(SCORES, file.floats(SCORES)?)?;
        let adds_space = file.bool("tokenizer.ggml.add_space_prefix")?;
        let id = |byte: u8| tokens.find(&format!("<0x{byte:02X}>"));
        Ok(Self {
            scores: scores.iter().map(|score| ordered(*score)).collect(),
            bytes: (0..=u8::MAX).map(|it| id(it).unwrap_or(unknown)).collect(),
            adds_space: adds_space.unwrap_or(true),
        })
    }

    /// Number of scores.
    pub(crate) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Calls `add` with the id of each piece; `begins` says whether the text stands at a beginning.
    pub(crate) fn encode(
        &self,
        text: &str,
        begins: bool,
        tokens: &Lookup,
        add: &mut impl FnMut(u32),
    ) {
        let space = if self.adds_space && begins { " " } else { "" };
        let text = format!("{space}{text}").replace(' ', SPACE.encode_utf8(&mut [0; 4]));
        let score = |pair: &str, _: usize| tokens.find(pair).map(|id| self.scores[id as usize]);
        for piece in merge(&text, score) {
            let piece = &text[piece];
            match tokens.find(piece) {
                Some(id) => add(id),
                None => piece
                    .bytes()
                    .for_each(|byte| add(self.bytes[usize::from(byte)])),
            }
        }
    }
}

/// The byte of a piece such as `<0x0A>`.
pub(super) fn byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_scores_is_that_of_floats() {
        let scores = [-1000.0, -2.5, -0.5, 0.0, 1.0, 7.0];
        assert!(scores.map(ordered).is_sorted());
        assert_eq!(byte("<0x0A>"), Some(10));
        assert_eq!(byte("<0x0"), None);
    }
}
