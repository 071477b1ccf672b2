//! From pieces to the text that they show.

use std::ops::Range;

use super::SentencePieces;
use super::normalizer::SPACE;
use super::pieces::{Kind, byte};

/// The text of an unknown piece where the model does not say it.
const UNKNOWN_SURFACE: &str = " \u{2047} ";

impl SentencePieces {
    /// The text of pieces, and the bytes of it that each one shows. A piece that the model does not have shows itself.
    pub fn decode_pieces<S: AsRef<str>>(&self, pieces: &[S]) -> (String, Vec<Range<usize>>) {
        let mut text = String::new();
        let mut ranges = Vec::with_capacity(pieces.len());
        let mut bytes = Vec::new();
        let (mut at_beginning, mut has_begun) = (true, false);
        for piece in pieces {
            let piece = piece.as_ref();
            let id = self.pieces.id(piece);
            let kind = self.pieces.list[id as usize].kind;
            if let (Kind::Byte(_), Some(byte)) = (kind, byte(piece)) {
                bytes.push(byte);
                continue;
            }
            show_bytes(&mut bytes, &mut text, &mut ranges);
            if has_begun || !text.is_empty() {
                at_beginning = false;
            }
            let start = text.len();
            has_begun = self.show(piece, kind, at_beginning, &mut text);
            ranges.push(start..text.len());
        }
        show_bytes(&mut bytes, &mut text, &mut ranges);
        self.denormalized(text, ranges)
    }

    /// The text of ids; ids outside the vocabulary are left out.
    pub fn decode(&self, ids: &[u32]) -> String {
        let pieces = ids.iter().filter_map(|&id| self.piece(id));
        self.decode_pieces(&pieces.collect::<Vec<_>>()).0
    }

    /// Writes what a piece shows; says whether that was the space before the first word, which counts as nothing.
    fn show(&self, piece: &str, kind: Kind, at_beginning: bool, text: &mut String) -> bool {
        if kind == Kind::Control {
            return false;
        }
        if kind == Kind::Unknown {
            let is_itself = self.pieces.list[self.pieces.unknown as usize].text == piece;
            text.push_str(if is_itself {
                &self.unknown_surface
            } else {
                piece
            });
            return false;
        }
        let (mut shown, mut has_begun) = (piece, false);
        let drops = self.normalizer.adds_dummy_prefix || self.normalizer.removes_extra_spaces;
        if let Some(rest) = piece.strip_prefix(SPACE).filter(|_| at_beginning && drops) {
            shown = rest;
            has_begun = !self.normalizer.removes_extra_spaces;
        }
        text.push_str(&shown.replace(SPACE, " "));
        has_begun
    }

    /// Undoes the model's normalisation in a decoded text.
    fn denormalized(&self, text: String, ranges: Vec<Range<usize>>) -> (String, Vec<Range<usize>>) {
        let Some(denormalizer) = &self.denormalizer else {
            return (text, ranges);
        };
        let normalized = denormalizer.normalized(&text, &self.pieces.user_defined);
        let place = |old: usize| normalized.origin.partition_point(|&origin| origin < old);
        let last = normalized.text.len();
        let ranges = ranges
            .into_iter()
            .map(|range| place(range.start).min(last)..place(range.end).min(last));
        (normalized.text.clone(), ranges.collect())
    }
}

/// Writes bytes as characters, where they are such: the last byte of a character shows it.
fn show_bytes(bytes: &mut Vec<u8>, text: &mut String, ranges: &mut Vec<Range<usize>>) {
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let longest = rest.len().min(4);
        let character = (1..=longest).find_map(|length| {
            let character = std::str::from_utf8(&rest[..length]).ok()?;
            Some((character, length))
        });
        let (shown, length) = character.unwrap_or(("\u{FFFD}", 1));
        ranges.extend((1..length).map(|_| text.len()..text.len()));
        ranges.push(text.len()..text.len() + shown.len());
        text.push_str(shown);
        rest = &rest[length..];
    }
    bytes.clear();
}

/// The text of an unknown piece.
pub(super) fn unknown_surface(named: Option<&str>) -> String {
    named.unwrap_or(UNKNOWN_SURFACE).to_owned()
}
