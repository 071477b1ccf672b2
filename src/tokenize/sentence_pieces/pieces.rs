//! The pieces of a model and what each of them is.

use std::collections::HashMap;

use super::matcher::PrefixMatcher;
use super::message::{Message, fields};

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte(u8),
}

/// A piece of a vocabulary.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub text: String,
    pub score: f32,
    pub kind: Kind,
}

/// All pieces of a model.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// By id.
    pub list: Vec<Piece>,
    pub user_defined: PrefixMatcher,
    pub unknown: u32,
    /// The least and the greatest score of normal pieces.
    pub least_score: f32,
    pub greatest_score: f32,
    /// The piece of each byte, where unknown characters become bytes.
    pub bytes: Option<Vec<u32>>,
    /// Pieces that a text may be cut into.
    ordinary: HashMap<String, u32>,
    /// Pieces that no text becomes: control pieces, bytes, the unknown.
    reserved: HashMap<String, u32>,
    /// By first character, bytes of the longest ordinary piece that begins so.
    longest: HashMap<char, usize>,
}

impl Pieces {
    /// Pieces of the message `ModelProto`.
    pub(super) fn new(model: &Message<'_>, falls_back_to_bytes: bool) -> Result<Self, String> {
        let mut pieces = Self {
            list: Vec::new(),
            user_defined: PrefixMatcher::default(),
            unknown: 0,
            least_score: f32::MAX,
            greatest_score: f32::MIN_POSITIVE,
            bytes: None,
            ordinary: HashMap::new(),
            reserved: HashMap::new(),
            longest: HashMap::new(),
        };
        let (mut unknown, mut bytes) = (None, vec![None; 256]);
        for piece in model.all(1) {
            let piece = read_piece(piece)?;
            let id =
                u32::try_from(pieces.list.len()).map_err(|_too_many| "it has too many pieces")?;
            match piece.kind {
                Kind::Unknown if unknown.is_some() => {
                    return Err("it has two pieces for the unknown".to_owned());
                }
                Kind::Unknown => unknown = Some(id),
                Kind::Byte(_) if !falls_back_to_bytes => {
                    return Err(format!(
                        "it has the byte {:?}, but no fallback to bytes",
                        piece.text
                    ));
                }
                Kind::Byte(byte) => bytes[usize::from(byte)] = Some(id),
                Kind::UserDefined => pieces.user_defined.insert(&piece.text),
                Kind::Normal => {
                    pieces.least_score = pieces.least_score.min(piece.score);
                    pieces.greatest_score = pieces.greatest_score.max(piece.score);
                }
                Kind::Control | Kind::Unused => {}
            }
            pieces.insert(piece, id)?;
        }
        pieces.unknown = unknown.ok_or("it has no piece for the unknown")?;
        if falls_back_to_bytes {
            let bytes: Option<Vec<u32>> = bytes.into_iter().collect();
            pieces.bytes = Some(bytes.ok_or("it lacks bytes that unknown characters become")?);
        }
        Ok(pieces)
    }

    fn insert(&mut self, piece: Piece, id: u32) -> Result<(), String> {
        let is_ordinary = matches!(piece.kind, Kind::Normal | Kind::UserDefined | Kind::Unused);
        let known = if is_ordinary {
            let first = piece.text.chars().next().ok_or("a piece is empty")?;
            let longest = self.longest.entry(first).or_default();
            *longest = piece.text.len().max(*longest);
            &mut self.ordinary
        } else {
            &mut self.reserved
        };
        if known.insert(piece.text.clone(), id).is_some() {
            return Err(format!("it has the piece {:?} twice", piece.text));
        }
        self.list.push(piece);
        Ok(())
    }

    /// The piece that a text may become.
    pub(super) fn ordinary(&self, text: &str) -> Option<u32> {
        self.ordinary.get(text).copied()
    }

    /// Bytes of the longest piece that begins with this character.
    pub(super) fn longest_from(&self, first: char) -> usize {
        self.longest.get(&first).copied().unwrap_or_default()
    }

    /// The piece of this text, whatever it is.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let reserved = self.reserved.get(text).copied();
        reserved.or_else(|| self.ordinary(text))
    }

    /// The piece of this text, or the unknown.
    pub(super) fn id(&self, text: &str) -> u32 {
        self.find(text).unwrap_or(self.unknown)
    }
}

fn read_piece(bytes: &[u8]) -> Result<Piece, String> {
    let piece = fields(bytes).ok_or("a piece is damaged")?;
    let text = piece.text(1).filter(|text| !text.is_empty());
    let text = text.ok_or("a piece has no text")?;
    let score = piece.float(2).unwrap_or(0.0);
    if score.is_nan() {
        return Err(format!(
            "the piece {text:?} has a score that is not a number"
        ));
    }
    let kind = match piece.number(3).unwrap_or(1) {
        1 => Kind::Normal,
        2 => Kind::Unknown,
        3 => Kind::Control,
        4 => Kind::UserDefined,
        5 => Kind::Unused,
        6 => Kind::Byte(byte(text).ok_or_else(|| format!("the piece {text:?} is not a byte"))?),
        other => return Err(format!("the piece {text:?} is of the unknown kind {other}")),
    };
    Ok(Piece {
        text: text.to_owned(),
        score,
        kind,
    })
}

/// The byte that a piece such as `<0xE4>` names.
pub(super) fn byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let byte = u8::from_str_radix(digits, 16).ok()?;
    (format!("{byte:02X}") == digits).then_some(byte)
}
