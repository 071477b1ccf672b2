//! How good a translation is: texts in, numbers out.
//!
//! Scores compare with what others publish, so each says by its signature how it was counted. No model and no corpus is
//! known here.
//!
//! Every [`Metric`] counts whole numbers for each segment and makes a score of their sums, so that a segment is read
//! once, and resampling thousands of times ([`significance`]) only adds numbers.
//!
//! ```
//! use canopy_metrics::corpus_bleu;
//!
//! let bleu = corpus_bleu(&["the cat sat on the mat"], &["the cat sat on the mat"]);
//! assert!((bleu.score - 100.0).abs() < 1e-9);
//! ```

#![warn(missing_docs, unreachable_pub)]

mod bleu;
mod chrf;
pub mod comparison;
pub mod discourse;
mod documents;
pub mod error;
pub mod formality;
pub mod judgement;
mod length;
mod markup;
mod meteor;
mod metric;
mod ngrams;
mod sign_test;
pub mod significance;
pub mod similarity;
mod sums;
mod ter;
pub mod tokenize;

pub use bleu::{Bleu, BleuMetric, Smoothing, corpus_bleu};
pub use chrf::Chrf;
pub use documents::Documents;
pub use length::{LengthRatio, Repetition};
pub use markup::{MarkupPlacement, markup_placement};
pub use meteor::{Meteor, MeteorAverage, Stemmer, porter_stem};
pub use metric::{Goal, Metric, Signature};
pub use sign_test::sign_test;
pub use sums::SegmentSums;
pub use ter::Ter;
pub use tokenize::tokenize_13a;
