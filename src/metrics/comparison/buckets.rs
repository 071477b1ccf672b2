//! Scores of segments that are alike: by length, by their rarest word, by their place in the document.

use serde::Serialize;

use super::scores::Measures;
use super::{ComparedSegment, ComparedTest};

/// All segments, divided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bucketing {
    /// The property that divides them.
    pub by: &'static str,
    /// Buckets with at least one segment.
    pub buckets: Vec<Bucket>,
}

/// Some of the segments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bucket {
    /// Smallest and largest value in it; none above the last edge.
    pub from: usize,
    /// The largest value; none above the last edge.
    pub to: Option<usize>,
    /// Number of segments.
    pub segments: usize,
    /// `[systems][metrics]`
    pub scores: Vec<Vec<f64>>,
}

type Value = fn(&ComparedSegment) -> Option<usize>;

/// The property that divides, the least value of each bucket, and the value of a segment.
const DIVISIONS: [(&str, &[usize], Value); 3] = [
    ("source words", &[0, 6, 11, 21, 41], |segment| {
        Some(segment.source.split_whitespace().count())
    }),
    (
        "training occurrences of the rarest source word",
        &[0, 1, 6, 21, 101],
        |segment| segment.rarest,
    ),
    ("place in the document", &[1, 6, 16, 41], |segment| {
        Some(segment.position + 1)
    }),
];

pub(super) fn all(test: &ComparedTest, measures: &Measures) -> Vec<Bucketing> {
    let divided = DIVISIONS.iter().map(|(by, edges, value)| Bucketing {
        by,
        buckets: divided(test, measures, edges, *value),
    });
    divided.filter(|it| !it.buckets.is_empty()).collect()
}

fn divided(test: &ComparedTest, measures: &Measures, edges: &[usize], value: Value) -> Vec<Bucket> {
    let mut members = vec![Vec::new(); edges.len()];
    for (at, segment) in test.segments.iter().enumerate() {
        if let Some(value) = value(segment) {
            let bucket = edges.partition_point(|&edge| edge <= value);
            members[bucket.saturating_sub(1)].push(at);
        }
    }
    let bucket = |(at, members): (usize, Vec<usize>)| Bucket {
        from: edges[at],
        to: edges.get(at + 1).map(|next| next - 1),
        segments: members.len(),
        scores: measures.score(&members),
    };
    let filled = members.into_iter().enumerate();
    let filled = filled.filter(|(_, members)| !members.is_empty());
    filled.map(bucket).collect()
}
