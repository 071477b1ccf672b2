//! Subwords of SentencePiece's models: unigram, BPE, characters and words.
//!
//! Kudo & Richardson, "SentencePiece", EMNLP 2018, for the file and the normalisation. Pieces and ids are exactly those of
//! the `sentencepiece` library: `tests/tokenizers` compares them.

mod bpe;
mod decoding;
mod matcher;
mod message;
mod normalizer;
mod pieces;
mod unigram;

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use message::{Message, fields};
use normalizer::{Normalizer, SPACE};
use pieces::{Kind, Pieces};

use super::token_list::TokenList;
use crate::error::Result;
use canopy_base::file::write_atomically;

/// How a model cuts texts, as numbered in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Unigram,
    Bpe,
    Words,
    Characters,
}

/// A model: texts to pieces and ids, and back.
#[derive(Debug, Clone)]
pub struct SentencePieces {
    pieces: Pieces,
    algorithm: Algorithm,
    normalizer: Normalizer,
    /// Normaliser of decoded text; none if it stays as it is.
    denormalizer: Option<Normalizer>,
    unknown_surface: String,
    /// Pieces that begin and end a sentence, if it has such.
    begin: Option<u32>,
    end: Option<u32>,
    /// The file as it was.
    file: Vec<u8>,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePiece<'a> {
    /// As the model has it, or, if it has none such, the characters themselves.
    pub text: Cow<'a, str>,
    /// Number in the vocabulary.
    pub id: u32,
    /// The bytes of the text that it stands for.
    pub range: Range<usize>,
}

/// A run of the normalised text and its piece.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cut {
    range: Range<usize>,
    id: u32,
}

impl SentencePieces {
    /// Reads the bytes of a `.model` or `.spm` file.
    ///
    /// # Errors
    /// If it is damaged, of an unknown kind, or lacks the piece for the unknown; the text says which.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let model = fields(bytes).ok_or("it is not a SentencePiece model, or damaged")?;
        let part = |field| match model.bytes(field) {
            Some(_) => model.message(field).ok_or("a part of it is damaged"),
            None => Ok(Message::default()),
        };
        let trainer = part(2)?;
        let algorithm = match trainer.number(3).unwrap_or(1) {
            1 => Algorithm::Unigram,
            2 => Algorithm::Bpe,
            3 => Algorithm::Words,
            4 => Algorithm::Characters,
            other => return Err(format!("it cuts texts in the unknown way {other}")),
        };
        let flag = |field| trainer.number(field).is_some_and(|number| number != 0);
        let space_is_suffix = flag(24);
        let normalizer = |field| {
            Normalizer::new(&part(field)?, space_is_suffix)
                .ok_or("its normalisation table is damaged")
        };
        let pieces = Pieces::new(&model, flag(35))?;
        let special = |field, usual| {
            let text = trainer.text(field).filter(|text| !text.is_empty());
            pieces.find(text.unwrap_or(usual))
        };
        Ok(Self {
            begin: special(46, "<s>"),
            end: special(47, "</s>"),
            algorithm,
            normalizer: normalizer(3)?,
            denormalizer: Some(normalizer(5)?).filter(Normalizer::has_table),
            unknown_surface: decoding::unknown_surface(trainer.text(44)),
            pieces,
            file: bytes.to_vec(),
        })
    }

    /// Writes the `.model` file: completely, or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        Ok(write_atomically(path, &self.file, true)?)
    }

    /// How many ids there are.
    #[expect(
        clippy::len_without_is_empty,
        reason = "it always has the piece for the unknown"
    )]
    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.list.len()
    }

    /// The piece of an id.
    pub fn piece(&self, id: u32) -> Option<&str> {
        Some(&self.pieces.list.get(id as usize)?.text)
    }

    /// The id of a piece.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.pieces.find(piece)
    }

    /// Ids of the pieces that begin and end a sentence, if it has such.
    pub fn ends(&self) -> [Option<u32>; 2] {
        [self.begin, self.end]
    }

    /// All pieces in the order of their ids.
    pub fn token_list(&self) -> TokenList {
        let pieces = self.pieces.list.iter().map(|piece| piece.text.clone());
        TokenList::new(pieces.collect())
    }

    /// The id that unknown characters get.
    pub fn unknown(&self) -> u32 {
        self.pieces.unknown
    }

    /// `<s> text </s>`, each where the model has it.
    pub fn sentence(&self, text: &str) -> Vec<u32> {
        let mut ids: Vec<u32> = self.begin.into_iter().collect();
        ids.extend(self.encode(text));
        ids.extend(self.end);
        ids
    }

    /// The ids of a text alone.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.cut(text).iter().map(|piece| piece.id).collect()
    }

    /// The pieces of a text. A run of characters that no piece has is one unknown, or the bytes that it consists of.
    pub fn cut(&self, text: &str) -> Vec<SentencePiece<'static>> {
        let normalized = self.normalizer.normalized(text, &self.pieces.user_defined);
        let cuts = match self.algorithm {
            Algorithm::Unigram => unigram::cut(&normalized.text, &self.pieces),
            Algorithm::Bpe => bpe::cut(&normalized.text, &self.pieces),
            Algorithm::Words => self.words(&normalized.text),
            Algorithm::Characters => self.characters(&normalized.text),
        };
        let mut pieces: Vec<SentencePiece> = Vec::with_capacity(cuts.len());
        let mut after_unknown = false;
        for Cut { range, id } in cuts {
            let origin = normalized.origin[range.start]..normalized.origin[range.end];
            let run = &normalized.text[range];
            let is_unknown = id == self.pieces.unknown;
            match (&self.pieces.bytes, pieces.last_mut()) {
                (Some(bytes), _) if is_unknown => pieces.extend(self.bytes_of(run, bytes, origin)),
                (None, Some(last)) if is_unknown && after_unknown => {
                    last.text.to_mut().push_str(run);
                    last.range.end = origin.end;
                }
                _ => pieces.push(SentencePiece {
                    text: Cow::Owned(run.to_owned()),
                    id,
                    range: origin,
                }),
            }
            after_unknown = is_unknown;
        }
        pieces
    }

    /// The last byte stands for the whole run.
    fn bytes_of(
        &self,
        run: &str,
        bytes: &[u32],
        origin: Range<usize>,
    ) -> Vec<SentencePiece<'static>> {
        let piece = |(place, byte): (usize, u8)| {
            let id = bytes[usize::from(byte)];
            let is_last = place + 1 == run.len();
            SentencePiece {
                text: Cow::Owned(self.pieces.list[id as usize].text.clone()),
                id,
                range: origin.start..if is_last { origin.end } else { origin.start },
            }
        };
        run.bytes().enumerate().map(piece).collect()
    }

    fn characters(&self, text: &str) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut start = 0;
        while let Some(character) = text[start..].chars().next() {
            let symbol = self.pieces.user_defined.longest(&text[start..]);
            let end = start + symbol.unwrap_or(character.len_utf8());
            let id = self.pieces.id(&text[start..end]);
            cuts.push(Cut {
                range: start..end,
                id,
            });
            start = end;
        }
        cuts
    }

    /// Every space begins a word.
    fn words(&self, text: &str) -> Vec<Cut> {
        let spaces = text.match_indices(SPACE).map(|(at, _)| at);
        let mut starts: Vec<usize> = [0].into_iter().chain(spaces).chain([text.len()]).collect();
        starts.dedup();
        let words = starts.windows(2).map(|ends| ends[0]..ends[1]);
        words
            .map(|range| Cut {
                id: self.pieces.id(&text[range.clone()]),
                range,
            })
            .collect()
    }

    /// Whether an id is a piece that shows nothing.
    pub fn is_control(&self, id: u32) -> bool {
        let piece = self.pieces.list.get(id as usize);
        piece.is_some_and(|piece| piece.kind == Kind::Control)
    }
}

#[cfg(test)]
mod tests;
