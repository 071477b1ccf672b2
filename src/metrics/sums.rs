//! The sums of a metric, segment by segment: all that resampling needs.

use rayon::prelude::*;

use super::{Documents, Metric};

/// Counts that each segment of one system adds to the sums of one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentSums {
    width: usize,
    /// `[segments, width]`
    rows: Vec<i64>,
}

impl SegmentSums {
    /// Counts all segments.
    ///
    /// # Shapes
    /// - hypotheses: `[segments]`
    /// - references: `[references, segments]`, at least one reference
    ///
    /// # Panics
    /// If there are not equally many of each, or no reference.
    pub fn count(
        metric: &dyn Metric,
        hypotheses: &[impl AsRef<str> + Sync],
        references: &[Vec<impl AsRef<str> + Sync>],
    ) -> Self {
        let none: &[&str] = &[];
        Self::count_with_sources(metric, none, hypotheses, references)
    }

    /// [`Self::count`] with the sources, for metrics that read them.
    ///
    /// # Shapes
    /// - sources: `[segments]`, or none
    ///
    /// # Panics
    /// As [`Self::count`].
    pub fn count_with_sources(
        metric: &dyn Metric,
        sources: &[impl AsRef<str> + Sync],
        hypotheses: &[impl AsRef<str> + Sync],
        references: &[Vec<impl AsRef<str> + Sync>],
    ) -> Self {
        assert!(!references.is_empty(), "no references");
        let given = sources.len();
        assert!(
            given == 0 || given == hypotheses.len(),
            "{given} sources, {} hypotheses",
            hypotheses.len()
        );
        for reference in references {
            let (given, expected) = (hypotheses.len(), reference.len());
            assert!(
                given == expected,
                "{given} hypotheses, {expected} references"
            );
        }
        let rows: Vec<Vec<i64>> = (0..hypotheses.len())
            .into_par_iter()
            .map(|segment| {
                let references: Vec<&str> = references
                    .iter()
                    .map(|lines| lines[segment].as_ref())
                    .collect();
                let translated = hypotheses[segment].as_ref();
                match sources.get(segment) {
                    Some(source) => {
                        metric.count_with_sources(source.as_ref(), translated, &references)
                    }
                    None => metric.count(translated, &references),
                }
            })
            .collect();
        Self {
            width: metric.num_sums(),
            rows: rows.concat(),
        }
    }

    /// Sums that were counted otherwise, each `[width]`.
    ///
    /// # Panics
    /// If one has another width.
    pub fn from_rows(width: usize, rows: &[Vec<i64>]) -> Self {
        let is_wide = |row: &Vec<i64>| row.len() == width;
        assert!(rows.iter().all(is_wide), "rows of {width} numbers each");
        Self {
            width,
            rows: rows.concat(),
        }
    }

    /// How many numbers a segment has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many segments there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Returns whether there is no segment.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The sums of one segment, `[width]`.
    pub fn row(&self, segment: usize) -> &[i64] {
        &self.rows[segment * self.width..][..self.width]
    }

    /// The sums over all segments, `[width]`.
    pub fn total(&self) -> Vec<i64> {
        self.sum(0..self.len())
    }

    /// The sums over some segments, each as often as it is named, `[width]`.
    pub fn sum(&self, segments: impl IntoIterator<Item = usize>) -> Vec<i64> {
        let mut sums = vec![0; self.width];
        for segment in segments {
            for (sum, number) in sums.iter_mut().zip(self.row(segment)) {
                *sum += number;
            }
        }
        sums
    }

    /// One row a document: what resampling by document draws from.
    #[must_use]
    pub fn by_document(&self, documents: &Documents) -> Self {
        let rows = documents
            .iter()
            .map(|lines| self.sum(lines.iter().copied()));
        Self {
            width: self.width,
            rows: rows.collect::<Vec<_>>().concat(),
        }
    }
}
