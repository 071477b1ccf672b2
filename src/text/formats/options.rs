//! What a person asks of a file beside its text.

use serde::{Deserialize, Serialize};

use super::Column;

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadingOptions {
    /// Of a table, the columns to translate; none if the table says itself what is text.
    pub columns: Vec<Column>,
    /// Whether comments of Office and `OpenDocument` files are translated.
    pub comments: bool,
    /// Whether names of the sheets of a workbook are translated; formulas follow them.
    pub sheet_names: bool,
    /// Whether what a bilingual file has as a draft is translated anew.
    pub drafts: bool,
}

/// Something of [`ReadingOptions`] that a format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingChoice {
    Columns,
    Comments,
    SheetNames,
    Drafts,
}
