//! A pair of sentences, the smallest thing that is translated and learnt from.

use serde::{Deserialize, Serialize};

pub(super) use canopy_document::placeholder::folded;
pub use canopy_document::placeholder::visible;

/// A sentence with its translation, or a whole paragraph where the sides do not have equally many sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// With placeholders; the same number means the same markup on both sides.
    pub source: String,
    /// The translation, with placeholders.
    pub target: String,
    /// Whether the pair is new, repeated, doubtful and so on.
    pub status: UnitStatus,
    /// The text of each point of `source`, by number; empty for tags, for pairs and past the end of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<String>,
    /// Placeholders of `target` where they differ: inline code may be translated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_points: Option<Vec<String>>,
    /// The word that the sentences before decide, in a set that tests whether they are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
}

/// A word that a translation has if the sentences before it were understood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The word as the reference has it.
    pub form: String,
    /// Distance in sentences to the deciding one; unknown in some sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<usize>,
    /// Where it comes from, such as a film: what has one origin is drawn together when intervals are made.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
}

impl Expected {
    /// Whether the form is in `translation` as a word or several, case aside.
    pub fn is_in(&self, translation: &str) -> bool {
        let (text, form) = (translation.to_lowercase(), self.form.to_lowercase());
        let ends = |next: Option<char>| next.is_none_or(|next| !next.is_alphanumeric());
        !form.is_empty()
            && text.match_indices(&form).any(|(at, found)| {
                ends(text[..at].chars().next_back())
                    && ends(text[at + found.len()..].chars().next())
            })
    }
}

/// The use of a unit; every unit is context for its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitStatus {
    /// Counts in the loss.
    New,
    /// An earlier unit of the split is equal, placeholders included.
    Repeated,
    /// Both sides show the same.
    Identical,
    /// Whether the sides belong together is not sure; set by the aligner.
    Doubtful,
    /// A source sentence that is read and no more: it has no translation.
    Context,
}

impl Unit {
    /// A pair that is not yet compared with others.
    pub fn new(source: String, target: String) -> Self {
        Self {
            source,
            target,
            status: UnitStatus::New,
            points: Vec::new(),
            target_points: None,
            expected: None,
        }
    }

    /// A source sentence without a translation, which others read.
    pub fn context(source: String) -> Self {
        Self {
            status: UnitStatus::Context,
            ..Self::new(source, String::new())
        }
    }

    /// Visible text of the source.
    pub fn visible_source(&self) -> String {
        visible(&self.source, &self.points)
    }

    /// Visible text of the target.
    pub fn visible_target(&self) -> String {
        visible(
            &self.target,
            self.target_points.as_ref().unwrap_or(&self.points),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_found_as_a_word() {
        let expected = |form: &str| Expected {
            form: form.to_owned(),
            ..Expected::default()
        };
        for (form, text, is_there) in [
            ("sei", "Eu sei.", true),
            ("sei", "SEI!", true),
            ("sei", "Seis.", false),
            ("sei", "Pensei nisso.", false),
            ("sei", "Pensei e sei", true),
            ("fá-lo", "Ela Fá-lo-ia, fá-lo.", true),
            ("à", "À noite", true),
            ("", "nada", false),
        ] {
            assert_eq!(expected(form).is_in(text), is_there, "{form}: {text}");
        }
    }
}
