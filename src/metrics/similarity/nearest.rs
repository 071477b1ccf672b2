//! The nearest few of each sentence, while candidates pass by.

use std::cmp::Ordering;

use super::Rows;
use super::products::Sink;

/// A sentence that looks for others.
pub(super) struct Query {
    pub row: usize,
    /// The rows of its document.
    pub document: Rows,
    /// The nearest first, never more than requested: closeness and row.
    pub found: Vec<(f32, usize)>,
}

impl Query {
    pub(super) fn new(row: usize, document: Rows) -> Self {
        Self {
            row,
            document,
            found: Vec::new(),
        }
    }

    /// Which of two candidates comes first: the closer one; of equals the one fewer sentences away, those of other
    /// documents being farther than any of the same; then the earlier.
    fn order(&self, left: (f32, usize), right: (f32, usize)) -> Ordering {
        let place = |row: usize| {
            if self.document.contains(&row) {
                row.abs_diff(self.row)
            } else {
                usize::MAX
            }
        };
        let closer = right.0.partial_cmp(&left.0).unwrap_or(Ordering::Equal);
        closer
            .then_with(|| place(left.1).cmp(&place(right.1)))
            .then_with(|| left.1.cmp(&right.1))
    }

    fn offer(&mut self, candidate: (f32, usize), most: usize) {
        let place = self
            .found
            .partition_point(|&kept| self.order(kept, candidate) == Ordering::Less);
        if candidate.1 != self.row && place < most {
            self.found.truncate(most - 1);
            self.found.insert(place, candidate);
        }
    }
}

/// Sentences that look for others together.
pub(super) struct QueryGroup {
    pub queries: Vec<Query>,
    /// How many each wants.
    pub most: usize,
}

impl Sink for QueryGroup {
    fn wants(&self, query: usize, largest: f32) -> bool {
        let found = &self.queries[query].found;
        // An equal one may be nearer in the document.
        found.len() < self.most || found.last().is_none_or(|&(worst, _)| largest >= worst)
    }

    fn take(&mut self, query: usize, first: usize, closeness: &[f32]) {
        let query = &mut self.queries[query];
        for (place, &closeness) in closeness.iter().enumerate() {
            query.offer((closeness, first + place), self.most);
        }
    }
}
