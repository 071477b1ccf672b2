//! Where two versions of a text differ, word by word.

use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};
use similar::{Algorithm, ChangeTag, capture_diff_slices};

/// A part of two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Both versions have it.
    Same,
    /// Only the old one has it.
    Removed,
    /// Only the new one has it.
    Added,
}

/// The parts of two versions in reading order: what was removed is before what was added in its place.
pub fn changes(old: &str, new: &str) -> Vec<(Part, String)> {
    let (old, new) = (words(old), words(new));
    let mut parts: Vec<(Part, String)> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        for change in operation.iter_changes(&old, &new) {
            let part = match change.tag() {
                ChangeTag::Equal => Part::Same,
                ChangeTag::Delete => Part::Removed,
                ChangeTag::Insert => Part::Added,
            };
            match parts.last_mut() {
                Some((last, text)) if *last == part => text.push_str(change.value()),
                _ => parts.push((part, change.value().to_owned())),
            }
        }
    }
    parts
}

/// Words, marks and spaces, each by itself; in scripts without spaces the words of a dictionary.
fn words(text: &str) -> Vec<&str> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let ends: Vec<usize> = segmenter.segment_str(text).collect();
    ends.windows(2)
        .map(|ends| &text[ends[0]..ends[1]])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[-removed-]` and `{+added+}`.
    fn marked(old: &str, new: &str) -> String {
        let parts = changes(old, new)
            .into_iter()
            .map(|(part, text)| match part {
                Part::Same => text,
                Part::Removed => format!("[-{text}-]"),
                Part::Added => format!("{{+{text}+}}"),
            });
        parts.collect()
    }

    #[test]
    fn only_words_that_differ_are_marked() {
        for (old, new, expected) in [
            (
                "Die Datei öffnen.",
                "Die Datei öffnen.",
                "Die Datei öffnen.",
            ),
            (
                "Die Datei öffnen.",
                "Die Akte öffnen!",
                "Die [-Datei-]{+Akte+} öffnen[-.-]{+!+}",
            ),
            ("", "Neu", "{+Neu+}"),
            ("打开文件", "打开窗口", "打开[-文件-]{+窗口+}"),
        ] {
            assert_eq!(marked(old, new), expected);
        }
    }
}
