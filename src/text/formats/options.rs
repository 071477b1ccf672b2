//! What a person asks of a file beside its text.

use super::Column;

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingOptions {
    /// Of a table, the columns to translate; none if the table says itself what is text.
    pub columns: Vec<Column>,
    /// Whether comments of Office and `OpenDocument` files are translated.
    pub comments: bool,
    /// Whether names of the sheets of a workbook are translated; formulas follow them.
    pub sheet_names: bool,
}
