//! How alike two sentences are.

use serde::{Deserialize, Serialize};

use super::embeddings::Embeddings;

/// A measure of similarity, with A the vector of the current sentence and B that of a candidate.
///
/// For a fixed A, [`Snr`](Self::Snr) chooses the same B as [`Euclidean`](Self::Euclidean): it is its square over a
/// constant. The two are kept because CATSBY reports them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// `A·B / (|A| |B|)`, equation 2: the only similarity; 0 with a vector of zeros.
    Cosine,
    /// `|A - B|`, equation 3.
    Euclidean,
    /// `Σ |A - B|`, equation 4.
    Manhattan,
    /// Noise to signal, `Σ (A - B)² / Σ A²`: equation 6.
    Snr,
    /// Noise to signal by variances about the mean, `var(A - B) / var(A)`: the inverse of equation 5.
    SnrVariance,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 5] = [
        Self::Cosine,
        Self::Euclidean,
        Self::Manhattan,
        Self::Snr,
        Self::SnrVariance,
    ];

    /// As on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
            Self::Snr => "snr",
            Self::SnrVariance => "snr-variance",
        }
    }

    /// Whether more of it means nearer, as of a similarity, and not farther, as of a distance.
    pub fn grows_with_likeness(self) -> bool {
        self == Self::Cosine
    }

    /// The preparation of a vector before it meets others.
    pub(super) fn preparation(self, vector: &[f32]) -> Preparation {
        match self {
            Self::Cosine => {
                let norm = sum_of_squares(vector, 0.0).sqrt();
                let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
                Preparation {
                    shift: 0.0,
                    scale: narrow(scale),
                }
            }
            Self::SnrVariance => Preparation {
                shift: narrow(mean(vector)),
                scale: 1.0,
            },
            Self::Euclidean | Self::Manhattan | Self::Snr => Preparation {
                shift: 0.0,
                scale: 1.0,
            },
        }
    }

    /// The measure itself, of what [`products`](super::products) compute for the sentence `anchor` and a candidate.
    pub(super) fn value(self, closeness: f32, anchor: usize, embeddings: &Embeddings) -> f32 {
        let to_signal = |shift: f64| {
            let signal = sum_of_squares(embeddings.row(anchor), shift);
            // Also where there is no signal: a vector of zeros is as near to itself as any other.
            if closeness == 0.0 {
                0.0
            } else {
                narrow(f64::from(-closeness) / signal)
            }
        };
        match self {
            Self::Cosine => closeness.clamp(-1.0, 1.0),
            Self::Euclidean => (-closeness).sqrt(),
            Self::Manhattan => -closeness,
            Self::Snr => to_signal(0.0),
            Self::SnrVariance => to_signal(mean(embeddings.row(anchor))),
        }
    }
}

impl std::str::FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|measure| measure.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{name} is not one of {names}")
        })
    }
}

/// `(x - shift) · scale` for each number of a vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Preparation {
    shift: f32,
    scale: f32,
}

impl Preparation {
    #[inline(always)]
    pub(super) fn apply(self, number: f32) -> f32 {
        (number - self.shift) * self.scale
    }
}

fn mean(vector: &[f32]) -> f64 {
    let count = vector.len() as f64;
    vector.iter().map(|&number| f64::from(number)).sum::<f64>() / count
}

fn sum_of_squares(vector: &[f32], shift: f64) -> f64 {
    let numbers = vector.iter().map(|&number| f64::from(number) - shift);
    numbers.map(|number| number * number).sum()
}

#[expect(clippy::cast_possible_truncation, reason = "as exact as its inputs")]
fn narrow(number: f64) -> f32 {
    number as f32
}
