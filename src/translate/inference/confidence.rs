//! How likely a translation is to be good, by how sure its model was of its tokens.

use super::translation::Translation;

/// Intercept of the curve from the mean log-probability of the tokens to the share of good translations, those whose chrF is 50 or
/// more: fitted with the starter (`benches/confidence.py`, docs/research/confidence.md).
const INTERCEPT: f32 = 3.66;
const SLOPE: f32 = 8.42;

/// Below it, a document is unlike what its model knows.
const UNLIKE: f32 = 0.5;
/// Minimum number of translations for a statement about a document.
const ENOUGH: usize = 8;

impl Translation {
    /// The share of translations of which the model was as sure that are good, from 0 to 1. None where no model wrote it.
    pub fn confidence(&self) -> Option<f32> {
        let mean = self.log_prob / self.num_tokens as f32;
        let odds = (INTERCEPT + SLOPE * mean).exp();
        (self.num_tokens > 0).then(|| odds / (1.0 + odds))
    }
}

/// The mean confidence of a document's translations, if it is so low that the document is unlike what the model knows.
pub fn unlike(confidences: impl IntoIterator<Item = f32>) -> Option<f32> {
    let sum_up = |(sum, count), confidence| (sum + confidence, count + 1);
    let (sum, count) = confidences.into_iter().fold((0.0, 0), sum_up);
    unlike_in_mean(sum, count)
}

/// [`unlike`] by the sum and the number of the values.
pub fn unlike_in_mean(sum: f32, count: usize) -> Option<f32> {
    let mean = sum / count as f32;
    (count >= ENOUGH && mean < UNLIKE).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surer_translations_have_more_confidence_and_copies_none() {
        let translation = |log_prob, num_tokens| Translation {
            log_prob,
            num_tokens,
            ..Translation::written(String::new())
        };
        assert_eq!(translation(0.0, 0).confidence(), None);
        let of = |log_prob| translation(log_prob, 10).confidence().expect("a model's");
        assert!(of(-1.0) > 0.8 && of(-1.0) > of(-5.0) && of(-30.0) < 0.01);
    }

    #[test]
    fn a_document_is_unlike_what_is_known_by_the_mean_of_enough_sentences() {
        assert_eq!(unlike([0.1; 3]), None, "too few");
        assert_eq!(unlike([0.9; 20]), None);
        assert_eq!(unlike([0.25; 20]), Some(0.25));
    }
}
