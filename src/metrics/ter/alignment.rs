//! The edit distance near the diagonal, and the alignment it implies.

/// Cells on each side of the diagonal that are looked at, as in Tercom.
const BEAM_WIDTH: usize = 25;
/// More than any distance.
const INFINITY: u32 = u32::MAX / 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Keep,
    Substitute,
    /// A word of the hypothesis too many.
    Delete,
    /// A word of the reference missing.
    Insert,
}

type Cell = (u32, Edit);

/// Distances of the beginnings of a hypothesis, one row for each of its words and one for none, to those of the
/// reference.
///
/// Hypotheses of one search have the same words in another order, so the rows up to the first difference are kept.
#[derive(Debug)]
pub(super) struct Distances<'a> {
    reference: &'a [u32],
    hypothesis: Vec<u32>,
    /// `[hypothesis + 1, reference + 1]`
    rows: Vec<Vec<Cell>>,
}

/// Which words of hypothesis and reference the cheapest edits leave as they are.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// For each word of the reference, the number of words of the hypothesis up to its place, the counterpart included.
    pub ends: Vec<usize>,
    /// Whether each word of the hypothesis is edited.
    pub hypothesis_errors: Vec<bool>,
    /// Whether each word of the reference is edited.
    pub reference_errors: Vec<bool>,
}

impl<'a> Distances<'a> {
    pub(super) fn new(hypothesis: &[u32], reference: &'a [u32]) -> Self {
        let first = (0..).take(reference.len() + 1);
        let mut distances = Self {
            reference,
            hypothesis: Vec::new(),
            rows: vec![first.map(|cost| (cost, Edit::Insert)).collect()],
        };
        distances.move_to(hypothesis);
        distances
    }

    /// The distance of the hypothesis that the rows belong to.
    pub(super) fn distance(&self) -> usize {
        let corner = self.rows.last().and_then(|row| row.last());
        corner.map_or(0, |&(cost, _)| cost as usize)
    }

    /// Computes what differs for another hypothesis of the same length, and its distance.
    pub(super) fn move_to(&mut self, hypothesis: &[u32]) -> usize {
        let same = hypothesis
            .iter()
            .zip(&self.hypothesis)
            .take_while(|(new, old)| new == old)
            .count();
        self.hypothesis.truncate(same);
        self.hypothesis.extend_from_slice(&hypothesis[same..]);
        let width = self.reference.len() + 1;
        self.rows.resize_with(hypothesis.len() + 1, || {
            vec![(INFINITY, Edit::Insert); width]
        });
        for row in same + 1..=hypothesis.len() {
            self.fill(row);
        }
        self.distance()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "as sacrebleu computes the diagonal, in floating point"
    )]
    fn fill(&mut self, row: usize) {
        let (len, width) = (self.hypothesis.len(), self.reference.len() + 1);
        let ratio = self.reference.len() as f64 / len as f64;
        let beam = if (BEAM_WIDTH as f64) < ratio / 2.0 {
            (ratio / 2.0 + BEAM_WIDTH as f64).ceil() as usize
        } else {
            BEAM_WIDTH
        };
        let diagonal = (row as f64 * ratio).floor() as usize;
        let first = diagonal.saturating_sub(beam);
        let end = if row == len {
            width
        } else {
            width.min(diagonal + beam)
        };
        let (above, below) = self.rows.split_at_mut(row);
        let (above, cells) = (&above[row - 1], &mut below[0]);
        // The cells next to these keep their initial infinity.
        cells[first..end].fill((INFINITY, Edit::Insert));
        let word = self.hypothesis[row - 1];
        for column in first..end {
            if column == 0 {
                cells[0] = (above[0].0 + 1, Edit::Delete);
                continue;
            }
            let kept = word == self.reference[column - 1];
            let edit = if kept { Edit::Keep } else { Edit::Substitute };
            // The first of equal costs wins.
            let mut best = cells[column];
            for (cost, edit) in [
                (above[column - 1].0 + u32::from(!kept), edit),
                (above[column].0 + 1, Edit::Delete),
                (cells[column - 1].0 + 1, Edit::Insert),
            ] {
                if cost < best.0 {
                    best = (cost, edit);
                }
            }
            cells[column] = best;
        }
    }

    /// Follows the cheapest edits back to the beginning.
    pub(super) fn alignment(&self) -> Alignment {
        let (mut row, mut column) = (self.hypothesis.len(), self.reference.len());
        let mut alignment = Alignment::default();
        while row > 0 || column > 0 {
            let edit = self.rows[row][column].1;
            if edit != Edit::Delete {
                alignment.ends.push(row);
                alignment.reference_errors.push(edit != Edit::Keep);
                column -= 1;
            }
            if edit != Edit::Insert {
                alignment.hypothesis_errors.push(edit != Edit::Keep);
                row -= 1;
            }
        }
        alignment.ends.reverse();
        alignment.reference_errors.reverse();
        alignment.hypothesis_errors.reverse();
        alignment
    }
}
