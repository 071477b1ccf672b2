//! A contrastive set in memory, whichever format it had.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Items and their documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContrastiveSet {
    /// Name of the set.
    pub name: String,
    /// Description of the set and how it was made, for readers of a result.
    pub about: String,
    /// The documents that items point into.
    pub documents: Vec<SetDocument>,
    /// The tested sentences.
    pub items: Vec<Item>,
    /// Which of two translations is right depends on the given translation of earlier sentences, and on nothing else.
    pub needs_target_context: bool,
}

/// A document, or as much of it as is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SetDocument {
    /// Name of the document.
    pub id: String,
    /// In reading order.
    pub sentences: Vec<SetSentence>,
}

/// A sentence of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetSentence {
    /// With the placeholders of [`placeholder`](canopy_document::placeholder), as all texts of a set.
    pub source: String,
    /// The human translation, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Number of the sentence in its paragraph and of the paragraph in the document.
    pub place: (usize, usize),
}

/// A sentence with its right translation and wrong ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Item {
    /// How outputs and errors name it.
    pub id: String,
    /// Index of its document.
    pub document: usize,
    /// Index of its sentence in the document.
    pub sentence: usize,
    /// The right translation.
    pub correct: String,
    /// At least one.
    pub contrasts: Vec<Contrast>,
    /// The phenomenon that is tested, such as `it:er` or `repet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The right pronoun of the translation, in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pronoun: Option<String>,
    /// Distance in sentences to what decides; 0 is the same sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<usize>,
    /// Whether what decides is in the same sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intrasegmental: Option<bool>,
    /// The antecedent that the pronoun or term is taken to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub antecedent: Option<String>,
}

/// A wrong translation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Contrast {
    /// The whole wrong translation of the sentence.
    pub text: String,
    /// The words in place of the right translation's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

impl ContrastiveSet {
    /// SHA-256 of all that scores depend on, in hexadecimal: a set that is made anew has another one.
    pub fn digest(&self) -> String {
        let read = (&self.documents, &self.items);
        let bytes = serde_json::to_vec(&read).expect("texts and numbers are JSON");
        let mut text = String::new();
        for byte in Sha256::digest(bytes) {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl SetDocument {
    /// Sentences one after the other, each a paragraph of its own.
    pub(super) fn from_lines(
        id: String,
        sources: impl IntoIterator<Item = String>,
        references: impl IntoIterator<Item = Option<String>>,
    ) -> Self {
        let pairs = sources.into_iter().zip(references).enumerate();
        let sentence = |(line, (source, reference))| SetSentence {
            source,
            reference,
            place: (0, line),
        };
        Self {
            id,
            sentences: pairs.map(sentence).collect(),
        }
    }
}

impl Item {
    /// The right translation, then the wrong ones.
    pub fn candidates(&self) -> impl Iterator<Item = &str> {
        let wrong = self.contrasts.iter().map(|contrast| contrast.text.as_str());
        std::iter::once(self.correct.as_str()).chain(wrong)
    }
}

/// The accuracy of chance: the mean of one over the number of candidates.
pub(super) fn chance<'a>(items: impl Iterator<Item = &'a self::Item>) -> f64 {
    let (sum, count) = items.fold((0.0, 0_usize), |(sum, count), item| {
        (sum + 1.0 / (item.contrasts.len() + 1) as f64, count + 1)
    });
    sum / count.max(1) as f64
}
