//! Edits of the rows of an alignment, and their undo.

use std::ops::Range;

use crate::alignment::{AlignmentRow, Column, Comparison, RowState};
use canopy_document::document::Document;

/// An edit of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignmentEdit {
    /// Makes one row of this one and the next.
    Join,
    /// Makes a row for each sentence.
    Split,
    /// Gives the first sentence of a side to the row above.
    MoveUp(Column),
    /// Gives the last sentence of a side to the row below.
    MoveDown(Column),
    /// Leaves this cell empty and moves what stood there and below one row down, up to the next empty cell or the next
    /// row that a person calls right.
    PushDown(Column),
    /// Fills this empty cell with that of the next row, and so on, up to the next empty cell or the next right row.
    PullUp(Column),
    /// Aligns from this row on, up to the next row that a person calls right.
    AlignAgain,
    /// Says whether the sides belong together.
    SetState(RowState),
}

/// Rows, and what was changed in them.
#[derive(Debug)]
pub(super) struct EditedRows {
    rows: Vec<AlignmentRow>,
    undo: Vec<Splice>,
    redo: Vec<Splice>,
}

/// Rows in place of existing ones.
#[derive(Debug)]
struct Splice {
    at: usize,
    count: usize,
    rows: Vec<AlignmentRow>,
}

/// A row by the numbers of its sentences.
#[derive(Clone, Copy)]
struct Sizes {
    of: [usize; 2],
    /// None where the aligner is to judge.
    state: Option<RowState>,
}

/// These rows become rows of these sizes; those with nothing on either side vanish.
type Change = (Range<usize>, Vec<Sizes>);

impl Sizes {
    /// Made by a person: right where it is a pair.
    fn made(of: [usize; 2]) -> Self {
        Self {
            of,
            state: (!of.contains(&0)).then_some(RowState::Right),
        }
    }

    fn judged(of: [usize; 2]) -> Self {
        Self { of, state: None }
    }
}

fn index(column: Column) -> usize {
    match column {
        Column::Source => 0,
        Column::Target => 1,
    }
}

impl EditedRows {
    pub(super) fn new(rows: Vec<AlignmentRow>) -> Self {
        Self {
            rows,
            undo: Vec::new(),
            redo: Vec::new(),
        }
    }

    pub(super) fn all(&self) -> &[AlignmentRow] {
        &self.rows
    }

    pub(super) fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    pub(super) fn undo(&mut self) -> Option<usize> {
        let splice = self.undo.pop()?;
        let at = splice.at;
        let inverse = self.exchange(splice);
        self.redo.push(inverse);
        Some(at)
    }

    pub(super) fn redo(&mut self) -> Option<usize> {
        let splice = self.redo.pop()?;
        let at = splice.at;
        let inverse = self.exchange(splice);
        self.undo.push(inverse);
        Some(at)
    }

    /// Carries out an edit, and returns the row to look at next; `None` if there is nothing to do.
    pub(super) fn edit(
        &mut self,
        row: usize,
        edit: AlignmentEdit,
        comparison: &Comparison,
        documents: (&Document, &Document),
    ) -> Option<usize> {
        self.rows.get(row)?;
        let (range, sizes) = match edit {
            AlignmentEdit::Join => self.join(row)?,
            AlignmentEdit::Split => self.split(row)?,
            AlignmentEdit::MoveUp(column) => self.move_up(row, index(column))?,
            AlignmentEdit::MoveDown(column) => self.move_down(row, index(column))?,
            AlignmentEdit::PushDown(column) => self.push_down(row, index(column))?,
            AlignmentEdit::PullUp(column) => self.pull_up(row, index(column))?,
            AlignmentEdit::AlignAgain => {
                let range = self.not_right(row)?;
                let last = &self.rows[range.end - 1];
                let first = &self.rows[range.start];
                let source = first.source.start..last.source.end;
                let target = first.target.start..last.target.end;
                let found = comparison.rows(documents, &source, &target);
                return self.replace(range, found);
            }
            AlignmentEdit::SetState(state) => {
                let mut changed = self.rows[row].clone();
                changed.state = state;
                return self.replace(row..row + 1, vec![changed]);
            }
        };
        let rows = laid_out(&self.rows[range.start], &sizes, comparison);
        let look = (range.start + rows.len() - 1).min(row);
        self.replace(range, rows).map(|at| look.max(at))
    }

    fn exchange(&mut self, splice: Splice) -> Splice {
        let Splice { at, count, rows } = splice;
        let inserted = rows.len();
        let removed = self.rows.splice(at..at + count, rows);
        Splice {
            at,
            rows: removed.collect(),
            count: inserted,
        }
    }

    fn replace(&mut self, range: Range<usize>, rows: Vec<AlignmentRow>) -> Option<usize> {
        if self.rows[range.clone()] == rows[..] {
            return None;
        }
        let at = range.start;
        let count = range.len();
        let inverse = self.exchange(Splice { at, count, rows });
        self.undo.push(inverse);
        self.redo.clear();
        Some(at)
    }

    fn sizes(&self, row: usize) -> [usize; 2] {
        let row = &self.rows[row];
        [row.source.len(), row.target.len()]
    }

    fn join(&self, row: usize) -> Option<Change> {
        self.rows.get(row + 1)?;
        let (mine, next) = (self.sizes(row), self.sizes(row + 1));
        let joined = Sizes::made([mine[0] + next[0], mine[1] + next[1]]);
        Some((row..row + 2, vec![joined]))
    }

    fn split(&self, row: usize) -> Option<Change> {
        let sizes = self.sizes(row);
        let of = |index: usize| Sizes::made(sizes.map(|size| usize::from(index < size)));
        let rows: Vec<Sizes> = (0..sizes[0].max(sizes[1])).map(of).collect();
        (rows.len() > 1).then_some((row..row + 1, rows))
    }

    fn move_up(&self, row: usize, side: usize) -> Option<Change> {
        let mut mine = self.sizes(row);
        mine[side] = mine[side].checked_sub(1)?;
        let mut above = row.checked_sub(1).map_or([0, 0], |above| self.sizes(above));
        above[side] += 1;
        let rows = vec![Sizes::made(above), Sizes::made(mine)];
        Some((row.saturating_sub(1)..row + 1, rows))
    }

    fn move_down(&self, row: usize, side: usize) -> Option<Change> {
        let mut mine = self.sizes(row);
        mine[side] = mine[side].checked_sub(1)?;
        let end = self.rows.len().min(row + 2);
        let mut below = if end == row + 2 {
            self.sizes(row + 1)
        } else {
            [0, 0]
        };
        below[side] += 1;
        Some((row..end, vec![Sizes::made(mine), Sizes::made(below)]))
    }

    fn push_down(&self, row: usize, side: usize) -> Option<Change> {
        if self.sizes(row)[side] == 0 {
            return None;
        }
        let range = self.up_to_right(row);
        let empty = range.clone().find(|&index| self.sizes(index)[side] == 0);
        let range = row..empty.map_or(range.end, |empty| empty + 1);
        let mut sizes: Vec<[usize; 2]> = range.clone().map(|index| self.sizes(index)).collect();
        if empty.is_none() {
            sizes.push([0, 0]);
        }
        for index in (1..sizes.len()).rev() {
            sizes[index][side] = sizes[index - 1][side];
        }
        sizes[0][side] = 0;
        Some((range, sizes.into_iter().map(Sizes::judged).collect()))
    }

    fn pull_up(&self, row: usize, side: usize) -> Option<Change> {
        if self.sizes(row)[side] > 0 {
            return None;
        }
        let end = self.up_to_right(row).end;
        let filled = |index: &usize| self.sizes(*index)[side] > 0;
        let count = (row + 1..end).take_while(filled).count();
        let range = row..row + 1 + count;
        let mut sizes: Vec<[usize; 2]> = range.clone().map(|index| self.sizes(index)).collect();
        for index in 0..count {
            sizes[index][side] = sizes[index + 1][side];
        }
        sizes[count][side] = 0;
        (count > 0).then(|| (range, sizes.into_iter().map(Sizes::judged).collect()))
    }

    /// The rows from this one on, up to the next that a person calls right.
    fn up_to_right(&self, row: usize) -> Range<usize> {
        let right = |index: &usize| self.rows[*index].state == RowState::Right;
        let end = (row + 1..self.rows.len()).find(right);
        row..end.unwrap_or(self.rows.len())
    }

    /// The rows that are not right around `row`, or from the next one on if `row` is right.
    fn not_right(&self, row: usize) -> Option<Range<usize>> {
        let is_right = |row: &AlignmentRow| row.state == RowState::Right;
        let first = row + usize::from(is_right(&self.rows[row]));
        let is_open = self.rows.get(first).is_some_and(|row| !is_right(row));
        is_open.then(|| self.up_to_right(first))
    }
}

/// Rows of these sizes, from where another one begins.
fn laid_out(first: &AlignmentRow, sizes: &[Sizes], comparison: &Comparison) -> Vec<AlignmentRow> {
    let mut at = [first.source.start, first.target.start];
    let mut rows = Vec::with_capacity(sizes.len());
    for Sizes { of, state } in sizes.iter().filter(|sizes| sizes.of != [0, 0]) {
        let [source, target] = [0, 1].map(|side: usize| {
            let start = at[side];
            at[side] += of[side];
            start..at[side]
        });
        let state = state.unwrap_or_else(|| comparison.state(&source, &target));
        rows.push(AlignmentRow {
            source,
            target,
            state,
        });
    }
    rows
}
