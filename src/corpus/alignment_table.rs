//! A document and its translation side by side, in rows that a person corrects.
//!
//! Every sentence of both documents is in exactly one row, and rows keep the order of both.

mod edits;

use std::sync::Arc;

use serde::Serialize;

use super::alignment::{Aligner, Comparison, length_ratio, unpaired_sentences};
pub use super::alignment::{AlignmentRow, Column, RowState};
use super::markup::Side;
use canopy_document::document::Document;
pub use edits::AlignmentEdit;
use edits::EditedRows;

/// A sentence, or a few of them, with the translation, as a reader sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AlignedPair {
    /// The source text.
    pub source: String,
    /// The target text.
    pub target: String,
    /// Whether they may not belong together.
    pub doubtful: bool,
}

/// How many rows there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlignmentCounts {
    /// Pairs that are likely or right.
    pub pairs: usize,
    /// Pairs that may not belong together.
    pub doubtful: usize,
    /// Rows that a person leaves out.
    pub left_out: usize,
    /// Sentences for which the other side has nothing.
    pub unpaired_source: usize,
    /// Sentences of the target for which the source has nothing.
    pub unpaired_target: usize,
}

/// Two documents with their rows, and what was changed in those.
#[derive(Debug)]
pub struct AlignmentTable {
    source: Arc<Document>,
    target: Arc<Document>,
    comparison: Comparison,
    rows: EditedRows,
}

impl AlignmentTable {
    /// Aligns a document with its translation by structure, lengths, and what reads the same in both.
    pub fn align(source: Arc<Document>, target: Arc<Document>) -> Self {
        let aligner = Aligner {
            length_ratio: ratio(&source, &target),
        };
        let rows = aligner.align(source.name.clone(), &source, &target).rows;
        Self::new(source, target, rows)
    }

    /// The documents with rows that were made of them before; `None` if the rows are not of these.
    pub fn with_rows(
        source: Arc<Document>,
        target: Arc<Document>,
        rows: Vec<AlignmentRow>,
    ) -> Option<Self> {
        let mut end = (0, 0);
        for row in &rows {
            let is_next = (row.source.start, row.target.start) == end
                && row.source.start <= row.source.end
                && row.target.start <= row.target.end;
            if !is_next {
                return None;
            }
            end = (row.source.end, row.target.end);
        }
        let is_whole = end == (source.sentences.len(), target.sentences.len());
        is_whole.then(|| Self::new(source, target, rows))
    }

    fn new(source: Arc<Document>, target: Arc<Document>, rows: Vec<AlignmentRow>) -> Self {
        Self {
            comparison: Comparison::new(&source, &target, ratio(&source, &target)),
            source,
            target,
            rows: EditedRows::new(rows),
        }
    }

    /// Carries out an edit of a row, and returns the row to look at next; `None` if there is nothing to do.
    pub fn edit(&mut self, row: usize, edit: AlignmentEdit) -> Option<usize> {
        let documents = (&*self.source, &*self.target);
        self.rows.edit(row, edit, &self.comparison, documents)
    }

    /// Returns whether there is an edit to take back.
    pub fn can_undo(&self) -> bool {
        self.rows.can_undo()
    }

    /// Returns whether there is an edit to make again.
    pub fn can_redo(&self) -> bool {
        self.rows.can_redo()
    }

    /// Undoes the last edit, and returns its row.
    pub fn undo(&mut self) -> Option<usize> {
        self.rows.undo()
    }

    /// Carries out once more what was taken back.
    pub fn redo(&mut self) -> Option<usize> {
        self.rows.redo()
    }

    /// Returns the document of a column.
    pub fn document(&self, column: Column) -> &Arc<Document> {
        match column {
            Column::Source => &self.source,
            Column::Target => &self.target,
        }
    }

    /// Returns the rows in the order of the documents.
    pub fn rows(&self) -> &[AlignmentRow] {
        self.rows.all()
    }

    /// The visible text of one side of a row.
    pub fn text(&self, row: &AlignmentRow, column: Column) -> String {
        let document = self.document(column);
        let sentences = document.sentences.get(row.cell(column).clone());
        Side::whole(document, sentences.unwrap_or_default()).visible()
    }

    /// All rows that have both sides and are not left out.
    pub fn pairs(&self) -> impl Iterator<Item = AlignedPair> {
        let kept = |row: &&AlignmentRow| row.is_pair() && row.state != RowState::LeftOut;
        self.rows().iter().filter(kept).map(|row| AlignedPair {
            source: self.text(row, Column::Source),
            target: self.text(row, Column::Target),
            doubtful: row.state == RowState::Doubtful,
        })
    }

    /// Counts the rows of each kind.
    pub fn counts(&self) -> AlignmentCounts {
        let wanted = self
            .rows()
            .iter()
            .filter(|row| row.state != RowState::LeftOut);
        let (mut pairs, mut doubtful) = (0, 0);
        for row in wanted.clone().filter(|row| row.is_pair()) {
            match row.state {
                RowState::Doubtful => doubtful += 1,
                _ => pairs += 1,
            }
        }
        let wanted: Vec<AlignmentRow> = wanted.cloned().collect();
        let (unpaired_source, unpaired_target) = unpaired_sentences(&wanted);
        AlignmentCounts {
            pairs,
            doubtful,
            left_out: self.rows().len() - wanted.len(),
            unpaired_source,
            unpaired_target,
        }
    }

    /// The next row that a person should look at, also from the beginning.
    pub fn next_open(&self, row: usize) -> Option<usize> {
        let count = self.rows().len();
        let after = (row + 1..count).chain(0..count.min(row + 1));
        let mut after = after.filter(|&row| self.rows()[row].is_open());
        after.next()
    }
}

fn ratio(source: &Document, target: &Document) -> f64 {
    let length = |document: &Document| {
        let texts = document.plain_texts().into_iter();
        texts.map(|text| text.chars().count()).sum()
    };
    length_ratio([(length(source), length(target))])
}

#[cfg(test)]
mod tests;
