//! The history of a segment: every text that it has had, where each came from, and when.
//!
//! It only grows: undoing a change appends the restored version.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Where a text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// It is in the document's file.
    File,
    /// Translated by a model.
    Machine,
    /// Taken over from a translation memory.
    Memory,
    /// Written by a person.
    Hand,
    /// Declared good by a person.
    Confirmed,
    /// Accepted from a file on which another person worked.
    Merged,
    /// The translation was taken away.
    Cleared,
}

impl Origin {
    /// Returns the word that lists show.
    pub fn label(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Machine => "machine",
            Self::Memory => "memory",
            Self::Hand => "hand",
            Self::Confirmed => "confirmed",
            Self::Merged => "merged",
            Self::Cleared => "cleared",
        }
    }
}

/// A text that a segment has had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Where the text came from.
    pub origin: Origin,
    /// The text, with placeholders.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The name of the model that translated it, or what it began as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When it came; not known of what older versions of the program kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
}

impl Version {
    /// Whether the same text came from the same place.
    pub fn is_like(&self, other: &Self) -> bool {
        self.origin == other.origin && self.text == other.text && self.model == other.model
    }
}

/// Now, in milliseconds.
pub fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// Appends a version, unless the last one is like it.
pub fn append(history: &mut Vec<Version>, version: Version) {
    if history.last().is_none_or(|last| !last.is_like(&version)) {
        history.push(version);
    }
}

/// Merges the history of the same segment in another file, in the order of the times.
pub fn absorb(history: &mut Vec<Version>, other: &[Version]) {
    for version in other {
        if !history.contains(version) {
            history.push(version.clone());
        }
    }
    history.sort_by_key(|version| version.time);
}

/// The version that stood there at a time, if that is known.
pub fn at(history: &[Version], time: Timestamp) -> Option<&Version> {
    let is_before = |version: &&Version| version.time.is_none_or(|own| own <= time);
    history.iter().rev().find(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(origin: Origin, text: &str, second: i64) -> Version {
        Version {
            origin,
            text: text.to_owned(),
            model: None,
            time: Timestamp::from_second(second).ok(),
        }
    }

    #[test]
    fn a_history_grows_only_by_what_is_new_and_keeps_what_stood_there() {
        let mut history = Vec::new();
        let steps = [
            (Origin::Machine, "Datei", 10),
            (Origin::Machine, "Datei", 20),
            (Origin::Hand, "Die Datei", 30),
            (Origin::Confirmed, "Die Datei", 40),
        ];
        for (origin, text, second) in steps {
            append(&mut history, version(origin, text, second));
        }
        let origins: Vec<_> = history.iter().map(|it| it.origin).collect();
        assert_eq!(origins, [Origin::Machine, Origin::Hand, Origin::Confirmed]);
        let text = |second: i64| {
            let time = Timestamp::from_second(second).expect("a time");
            at(&history, time).map(|it| it.text.as_str())
        };
        assert_eq!(
            (text(5), text(25), text(99)),
            (None, Some("Datei"), Some("Die Datei"))
        );
    }

    #[test]
    fn two_histories_become_one_in_the_order_of_time() {
        let mut history = vec![
            version(Origin::Machine, "a", 10),
            version(Origin::Hand, "c", 30),
        ];
        let other = [
            version(Origin::Machine, "a", 10),
            version(Origin::Hand, "b", 20),
        ];
        absorb(&mut history, &other);
        let texts: Vec<_> = history.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }
}
