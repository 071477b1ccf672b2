//! Pieces of a paragraph, and what formats call them.

use std::ops::Range;

use crate::formats::xml::{Id, Xml};

/// The elements of a paragraph in a kind of file.
pub(in crate::formats) trait Dialect {
    /// A child of the paragraph, or of what is around runs in it.
    fn child(&self, xml: &Xml, id: Id) -> Child;

    /// A child of a run.
    fn run_child(&self, xml: &Xml, id: Id) -> RunChild {
        match xml.name(id) {
            "t" => RunChild::Text,
            "rPr" => RunChild::Properties,
            _ => RunChild::Point("mark"),
        }
    }

    /// Whether a property changes nothing that is seen.
    fn is_invisible(&self, name: &str) -> bool;

    /// Whether `xml:space` must say that space counts.
    fn trims_space(&self) -> bool {
        false
    }

    /// The name of the element that holds text.
    fn text_element(&self) -> &'static str {
        "t"
    }

    /// The first character of `text` that is spelt as an escape, by its bytes.
    fn escape(&self, _: &str) -> Option<Range<usize>> {
        None
    }

    /// The element that stands for a character; none if it is written as itself.
    fn element_of(&self, _: char) -> Option<&'static str> {
        None
    }

    /// Whether the end of a line in the file ends a line for the reader.
    fn keeps_lines(&self) -> bool {
        false
    }
}

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats) enum Child {
    Run,
    /// Text without a run around it.
    BareText,
    /// Stands before or after the content and stays there.
    Properties,
    /// Has runs in it; `name` says what it does to them, and the content is in this child element if there is one named.
    Wrapper {
        name: &'static str,
        content: Option<&'static str>,
    },
    /// Nothing a reader sees, at this place in the text.
    Point(&'static str),
    LineBreak,
    /// Words that are not translated.
    Opaque(&'static str, String),
    /// Marks where text begins, or else where it ends; translators do not need it.
    Placed {
        name: &'static str,
        begins: bool,
    },
    /// An element that only a program needs, and only until it opens the file.
    Dropped,
}

/// A part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats) enum RunChild {
    Text,
    /// A character that the format has an element for.
    Character(char),
    Properties,
    Point(&'static str),
    LineBreak,
    Opaque(&'static str, String),
    /// Nobody who translates needs it.
    Hidden(&'static str),
    FieldBegin,
    FieldMiddle,
    FieldEnd,
    /// The instruction of a field.
    Instruction,
    Dropped,
}

/// A piece of a paragraph, in order.
#[derive(Debug)]
pub(super) enum Event {
    Text {
        text: String,
        piece: Piece,
    },
    Open {
        name: &'static str,
        piece: Piece,
    },
    Close {
        name: &'static str,
        piece: Piece,
    },
    Point {
        name: &'static str,
        piece: Piece,
    },
    Hidden {
        name: &'static str,
        piece: Piece,
    },
    Placed {
        name: &'static str,
        begins: bool,
        piece: Piece,
    },
    LineBreak {
        piece: Piece,
    },
    Opaque {
        name: &'static str,
        shown: String,
        piece: Piece,
    },
    Field {
        mark: RunChild,
        instruction: String,
        piece: Piece,
    },
}

/// Bytes of the part, in a run with these properties or outside of runs.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) bytes: Range<usize>,
    pub(super) run: Option<Id>,
    /// Properties of the run.
    pub(super) properties: Option<Id>,
}

impl Piece {
    pub(super) fn outside_runs(bytes: Range<usize>) -> Self {
        Self {
            bytes,
            run: None,
            properties: None,
        }
    }
}

/// The source of a code in the file.
#[derive(Debug)]
pub(super) enum Code {
    /// From here on text has these properties.
    Look(Option<Id>),
    LookEnd,
    Pieces(Vec<Piece>),
    /// A character of text.
    Character(char),
    /// A character that is spelt as an escape.
    Escape(String),
}

impl Event {
    pub(super) fn piece(&self) -> &Piece {
        match self {
            Self::Text { piece, .. }
            | Self::Open { piece, .. }
            | Self::Close { piece, .. }
            | Self::Point { piece, .. }
            | Self::Hidden { piece, .. }
            | Self::Placed { piece, .. }
            | Self::LineBreak { piece }
            | Self::Opaque { piece, .. }
            | Self::Field { piece, .. } => piece,
        }
    }
}
