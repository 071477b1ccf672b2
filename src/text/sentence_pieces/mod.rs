//! Subwords of SentencePiece's unigram models: the most probable way to cut a text into pieces of a vocabulary.
//!
//! Kudo, "Subword Regularization", ACL 2018, §3.2, by the Viterbi algorithm; Kudo & Richardson, "SentencePiece", EMNLP
//! 2018, for the file and the normalisation before. Ids are those of the `sentencepiece` library.

mod message;
mod normaliser;

use std::collections::HashMap;
use std::path::Path;

use message::{Message, fields};
use normaliser::Normaliser;

use super::file::write_atomically;
use crate::error::Result;

/// What a piece is, as numbered in the file.
const UNKNOWN: u64 = 2;
const CONTROL: u64 = 3;
const UNUSED: u64 = 5;
const BYTE: u64 = 6;
/// The kind of model that is read, as numbered in the file.
const UNIGRAM: u64 = 1;

/// How much less probable than any piece a character without one is.
const UNKNOWN_PENALTY: f32 = 10.0;

/// The pieces of an encoder: texts to ids.
#[derive(Debug, Clone)]
pub struct SentencePieces {
    /// Id and log-probability.
    pieces: HashMap<String, (u32, f32)>,
    normaliser: Normaliser,
    /// Bytes of the longest piece.
    longest: usize,
    len: usize,
    unknown: u32,
    unknown_score: f32,
    begin: u32,
    end: u32,
    /// The file as it was.
    file: Vec<u8>,
}

impl SentencePieces {
    /// Reads the bytes of a `.model` file.
    ///
    /// # Errors
    /// If it is damaged, its model is not unigram, or it lacks a special piece; the text says which.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let model = fields(bytes).ok_or("it is no SentencePiece model, or damaged")?;
        let trainer = model.message(2).unwrap_or_default();
        if trainer.number(3).unwrap_or(UNIGRAM) != UNIGRAM {
            return Err("its model is not unigram".to_owned());
        }
        let normaliser = Normaliser::new(&model.message(3).unwrap_or_default())
            .ok_or("its normalisation table is damaged")?;
        let mut read = Self {
            pieces: HashMap::new(),
            normaliser,
            longest: 0,
            len: 0,
            unknown: 0,
            unknown_score: 0.0,
            begin: 0,
            end: 0,
            file: bytes.to_vec(),
        };
        let (mut unknown, mut begin, mut end) = (None, None, None);
        for piece in model.all(1) {
            let piece = fields(piece).ok_or("a piece is damaged")?;
            let id = u32::try_from(read.len)
                .ok()
                .ok_or("it has too many pieces")?;
            read.len += 1;
            let text = piece.text(1).ok_or("a piece has no text")?;
            let score = piece.float(2).unwrap_or(0.0);
            match piece.number(3).unwrap_or(1) {
                UNKNOWN => unknown = Some(id),
                CONTROL if text == "<s>" => begin = Some(id),
                CONTROL if text == "</s>" => end = Some(id),
                CONTROL | UNUSED | BYTE => {}
                _ => {
                    read.longest = read.longest.max(text.len());
                    read.unknown_score = read.unknown_score.min(score);
                    read.pieces.insert(text.to_owned(), (id, score));
                }
            }
        }
        read.unknown_score -= UNKNOWN_PENALTY;
        read.unknown = unknown.ok_or("it has no piece for the unknown")?;
        read.begin = begin.ok_or("it has no piece <s>")?;
        read.end = end.ok_or("it has no piece </s>")?;
        Ok(read)
    }

    /// Writes the `.model` file: completely, or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_atomically(path, &self.file, true)
    }

    /// How many ids there are.
    #[expect(clippy::len_without_is_empty, reason = "it always has the special ids")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// `<s> text </s>`.
    pub fn sentence(&self, text: &str) -> Vec<u32> {
        let mut ids = self.encode(text);
        ids.insert(0, self.begin);
        ids.push(self.end);
        ids
    }

    /// The ids of a text alone. A run of characters that no piece has is one unknown.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let text = self.normaliser.normalised(text);
        let ends = text.char_indices().map(|(start, _)| start).skip(1);
        let ends: Vec<usize> = ends.chain([text.len()]).filter(|&end| end > 0).collect();
        let worst = Cut {
            score: f32::NEG_INFINITY,
            start: 0,
            id: self.unknown,
        };
        // best[place]: the best way to cut what is before it, by its last piece.
        let mut best = vec![worst; text.len() + 1];
        best[0].score = 0.0;
        let mut start = 0;
        for (place, &after) in ends.iter().enumerate() {
            let before = best[start].score;
            let mut has_own = false;
            for &end in ends[place..]
                .iter()
                .take_while(|&&end| end - start <= self.longest)
            {
                if let Some(&(id, score)) = self.pieces.get(&text[start..end]) {
                    let score = before + score;
                    best[end].improve(Cut { score, start, id });
                    has_own |= end == after;
                }
            }
            if !has_own {
                best[after].improve(Cut {
                    score: before + self.unknown_score,
                    start,
                    id: self.unknown,
                });
            }
            start = after;
        }
        let mut ids = Vec::new();
        let mut place = text.len();
        while place > 0 {
            let Cut { start, id, .. } = best[place];
            ids.push(id);
            place = start;
        }
        ids.reverse();
        ids.dedup_by(|this, before| *this == self.unknown && *before == self.unknown);
        ids
    }
}

/// The last piece of a way to cut the beginning of a text.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Log-probability of all of it.
    score: f32,
    start: usize,
    id: u32,
}

impl Cut {
    /// Of equal ones stays the one that was found first, whose last piece is longer.
    fn improve(&mut self, other: Self) {
        if other.score > self.score {
            *self = other;
        }
    }
}

#[cfg(test)]
mod tests;
