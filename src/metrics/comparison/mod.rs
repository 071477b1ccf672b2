//! Several systems on the same documents: who is better, where, and in which sentences. Plain texts in, plain numbers out.
//!
//! The first system is what the others are compared with. Differences are tested by swapping the translations of whole
//! documents, whose sentences are not independent of each other.

mod buckets;
mod diff;
mod scores;

#[cfg(test)]
mod tests;

use serde::Serialize;

pub use buckets::{Bucket, Bucketing};
pub use diff::{Change, Piece, word_diff};
use scores::Measures;

/// The texts of all systems, with their references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComparedTest {
    /// Names of the documents.
    pub documents: Vec<String>,
    /// Document by document, in reading order.
    pub segments: Vec<ComparedSegment>,
    /// The systems; the first is the one that others are compared with.
    pub systems: Vec<ComparedSystem>,
}

/// A segment with its place in the test set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ComparedSegment {
    /// The source text.
    pub source: String,
    /// The human translation.
    pub reference: String,
    /// Index of its document.
    pub document: usize,
    /// Which segment of its document it is, from 0.
    pub position: usize,
    /// How often its rarest source word is in the training documents, where that is known.
    pub rarest: Option<usize>,
}

/// One system's translations, `[segments]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComparedSystem {
    /// Name of the system.
    pub name: String,
    /// One translation a segment.
    pub hypotheses: Vec<String>,
}

/// How much is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonOptions {
    /// Test sets drawn for the intervals.
    pub samples: usize,
    /// Trials of approximate randomisation.
    pub trials: usize,
    /// Start of the random numbers.
    pub seed: u64,
    /// Number of wins and losses listed for each system.
    pub extremes: usize,
}

impl Default for ComparisonOptions {
    fn default() -> Self {
        Self {
            samples: 1_000,
            trials: 10_000,
            seed: 12_345,
            extremes: 10,
        }
    }
}

/// Everything that [`compare`] finds. Scores are `[systems][metrics]`, on the scale of 0 to 100.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The metrics, in the order of all scores.
    pub metrics: Vec<MetricInfo>,
    /// Scores of the whole test set, `[systems]`.
    pub systems: Vec<SystemScores>,
    /// Scores of each document.
    pub documents: Vec<DocumentScores>,
    /// Scores of each segment.
    pub segments: Vec<SegmentScores>,
    /// Scores of segments that are alike.
    pub buckets: Vec<Bucketing>,
    /// Extremes of each system but the first.
    pub extremes: Vec<Extremes>,
}

/// A metric and how it is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetricInfo {
    /// Name of the metric, such as `BLEU`.
    pub name: String,
    /// How the test set and its documents are scored, as sacrebleu writes it.
    pub signature: String,
    /// How single segments are scored.
    pub segment_signature: String,
}

/// The scores of a system on the whole test set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SystemScores {
    /// Name of the system.
    pub name: String,
    /// One for each metric.
    pub scores: Vec<SystemScore>,
}

/// A system's score by one metric, with what is certain of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SystemScore {
    /// The score of the whole test set.
    pub score: f64,
    /// Holds the scores of 95 of 100 test sets drawn from the documents.
    pub interval: (f64, f64),
    /// To the first system, which has none.
    pub difference: Option<f64>,
    /// Two-sided, of the difference: approximate randomisation by document, with Holm's correction for the systems that are
    /// compared.
    pub p: Option<f64>,
}

/// Differences less probable than this are marked.
pub const SIGNIFICANT: f64 = 0.05;

/// `0.071`, or `< 0.001`.
pub fn p_number(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

/// `p = 0.071`, or `p < 0.001`.
pub fn written_p(p: f64) -> String {
    let number = p_number(p);
    if number.starts_with('<') {
        format!("p {number}")
    } else {
        format!("p = {number}")
    }
}

impl SystemScore {
    /// Whether the system differs from the first one.
    pub fn is_significant(&self) -> bool {
        self.p.is_some_and(|p| p < SIGNIFICANT)
    }

    /// `p = 0.071` or `p < 0.001`.
    pub fn written_p(&self) -> Option<String> {
        self.p.map(written_p)
    }
}

/// The scores of all systems on a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentScores {
    /// Its index in the test set; documents without segments have no scores.
    pub document: usize,
    /// Name of the document.
    pub name: String,
    /// Number of its segments.
    pub segments: usize,
    /// `[systems][metrics]`
    pub scores: Vec<Vec<f64>>,
}

/// The scores of all systems on a segment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentScores {
    /// The segment itself.
    #[serde(flatten)]
    pub segment: ComparedSegment,
    /// `[systems]`
    pub hypotheses: Vec<String>,
    /// `[systems][metrics]`
    pub scores: Vec<Vec<f64>>,
}

/// Where a system is better and worse than the first one, by the chrF of single segments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Extremes {
    /// Index of the system.
    pub system: usize,
    /// The largest first.
    pub wins: Vec<Extreme>,
    /// The largest loss first.
    pub losses: Vec<Extreme>,
}

/// A segment in which two systems differ much.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Extreme {
    /// Index of the segment.
    pub segment: usize,
    /// chrF of this system less that of the first.
    pub difference: f64,
    /// From the first system's translation to this one's.
    pub diff: Vec<Piece>,
}

/// Compares all systems with the first by BLEU and chrF.
///
/// # Panics
/// If there is no system or no segment, a system has not one translation for each segment, or a segment names a document
/// that is not there.
pub fn compare(test: &ComparedTest, options: &ComparisonOptions) -> Comparison {
    assert!(!test.systems.is_empty(), "no system");
    assert!(!test.segments.is_empty(), "no segment");
    for system in &test.systems {
        let (found, expected) = (system.hypotheses.len(), test.segments.len());
        assert!(
            found == expected,
            "{found} translations of {expected} segments"
        );
    }
    let measures = Measures::count(test);
    let segments = (0..test.segments.len()).map(|at| SegmentScores {
        segment: test.segments[at].clone(),
        hypotheses: test
            .systems
            .iter()
            .map(|system| system.hypotheses[at].clone())
            .collect(),
        scores: measures.segment(at),
    });
    Comparison {
        metrics: measures.info(),
        systems: measures.systems(test, options),
        documents: measures.documents(test),
        segments: segments.collect(),
        buckets: buckets::all(test, &measures),
        extremes: (1..test.systems.len())
            .map(|system| extremes(test, &measures, system, options.extremes))
            .collect(),
    }
}

fn extremes(test: &ComparedTest, measures: &Measures, system: usize, count: usize) -> Extremes {
    let difference = |at| measures.chrf(system, at) - measures.chrf(0, at);
    let mut order: Vec<(usize, f64)> = (0..test.segments.len())
        .map(|at| (at, difference(at)))
        .filter(|(_, difference)| difference.abs() > 0.0)
        .collect();
    order.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    let extreme = |&(segment, difference): &(usize, f64)| Extreme {
        segment,
        difference,
        diff: word_diff(
            &test.systems[0].hypotheses[segment],
            &test.systems[system].hypotheses[segment],
        ),
    };
    let wins = order.iter().take_while(|(_, difference)| *difference > 0.0);
    let losses = order
        .iter()
        .rev()
        .take_while(|(_, difference)| *difference < 0.0);
    Extremes {
        system,
        wins: wins.take(count).map(extreme).collect(),
        losses: losses.take(count).map(extreme).collect(),
    }
}
