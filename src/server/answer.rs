//! A translated sentence as JSON.

use std::ops::Range;

use serde_json::{Value, json};

use super::job::TranslatedSentence;
use canopy_document::placeholder::{folded, stripped};
use canopy_translate::inference::WordLink;

impl TranslatedSentence {
    /// Links between words of `source` and of its translation, as places of characters in both without their markup.
    pub(crate) fn alignment(&self, source: &str) -> Value {
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
    use canopy_translate::inference::Translation;

    #[test]
    fn places_count_characters() {
        let translated = TranslatedSentence {
            translation: Translation::written("Öffne die Datei".to_owned()),
            links: vec![WordLink {
                source: 9..13,
                target: 11..16,
                weight: 0.75,
            }],
            alternatives: Vec::new(),
        };
        let place = &translated.alignment("Open the file")[0];
        assert_eq!(
            *place,
            json!({"source": [9, 13], "target": [10, 15], "weight": 0.75})
        );
    }
}
