//! A translated sentence as JSON.

use std::ops::Range;

use serde_json::{Value, json};

use super::job::TranslatedSentence;
use crate::inference::WordLink;
use crate::text::placeholder::{folded, stripped};

impl TranslatedSentence {
    /// How sure the model is: the geometric mean of the probabilities of its tokens. None where no model wrote it.
    pub fn confidence(&self) -> Option<f64> {
        let translation = &self.translation;
        #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
        let mean = f64::from(translation.log_prob) / translation.num_tokens as f64;
        (translation.num_tokens > 0).then(|| mean.exp())
    }

    /// Links between words of `source` and of its translation, as places of characters in both without their markup.
    pub fn alignment(&self, source: &str) -> Value {
        let source = shown(source);
        let target = shown(&self.translation.text);
        let link = |link: &WordLink| {
            json!({
                "source": characters(&source, &link.source),
                "target": characters(&target, &link.target),
                "weight": (f64::from(link.weight) * 1e4).round() / 1e4,
            })
        };
        self.links.iter().map(link).collect()
    }
}

/// A text without its markup.
pub(super) fn shown(text: &str) -> String {
    folded(&stripped(text))
}

/// The characters of a text that these bytes are.
fn characters(text: &str, bytes: &Range<usize>) -> [usize; 2] {
    let place = |byte: usize| {
        let end = text.len().min(byte);
        text.char_indices().filter(|&(at, _)| at < end).count()
    };
    [place(bytes.start), place(bytes.end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::Translation;

    #[test]
    fn places_count_characters_and_confidence_is_a_mean() {
        let translated = TranslatedSentence {
            translation: Translation {
                log_prob: -2.0,
                num_tokens: 4,
                ..Translation::written("Öffne die Datei".to_owned())
            },
            links: vec![WordLink {
                source: 9..13,
                target: 11..16,
                weight: 0.75,
            }],
        };
        let place = &translated.alignment("Open the file")[0];
        assert_eq!(
            *place,
            json!({"source": [9, 13], "target": [10, 15], "weight": 0.75})
        );
        let confidence = translated.confidence().expect("a model wrote it");
        assert!((confidence - (-0.5_f64).exp()).abs() < 1e-9);
        let copied = TranslatedSentence {
            translation: Translation::written("42".to_owned()),
            links: Vec::new(),
        };
        assert_eq!(copied.confidence(), None);
    }
}
