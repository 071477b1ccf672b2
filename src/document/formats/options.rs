//! Options of reading a file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer};

use super::Column;

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadingOptions {
    /// Columns of a table to translate; none if the table itself names them.
    pub columns: Vec<Column>,
    /// Whether comments of Office and `OpenDocument` files, and notes in InDesign documents, are translated.
    pub comments: bool,
    /// Whether names of the sheets of a workbook are translated; formulas follow them.
    pub sheet_names: bool,
    /// Whether what a bilingual file has as a draft is translated anew.
    pub drafts: bool,
    /// A file in SRX whose rules say where sentences end, in place of our own.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub srx: Option<PathBuf>,
    /// The language of the text for these rules; without it, what the file says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Paragraphs in which a person has split or joined sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cuts>,
}

/// The sentences of a paragraph as a person has cut it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cuts {
    /// Names the text of the paragraph.
    pub paragraph: String,
    /// How many paragraphs with the same text are before it.
    #[serde(default)]
    pub same_before: usize,
    /// Where sentences begin after the first one, in characters of the paragraph that are not white space.
    pub places: Vec<usize>,
}

/// A change of the sentences of a document, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentEdit {
    /// Cuts a sentence before the character of this number in its text.
    Split {
        /// Index of the sentence.
        sentence: usize,
        /// Characters before the cut.
        chars: usize,
    },
    /// Joins a sentence with the next one of its paragraph.
    Join {
        /// Index of the first of both sentences.
        sentence: usize,
    },
}

impl SegmentEdit {
    /// The sentence, or the first one, that it is about.
    pub fn sentence(self) -> usize {
        match self {
            Self::Split { sentence, .. } | Self::Join { sentence } => sentence,
        }
    }
}

/// A path that is no Unicode is left out: it could not be written, and nor could anything else.
#[expect(clippy::ref_option, reason = "serde calls it so")]
fn as_text<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().and_then(Path::to_str).serialize(serializer)
}

/// Something of [`ReadingOptions`] that a format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingChoice {
    /// The columns of a table that hold source and target.
    Columns,
    /// Comments of code.
    Comments,
    /// Names of the sheets of a spreadsheet.
    SheetNames,
    /// Translations that the file marks as drafts.
    Drafts,
}
