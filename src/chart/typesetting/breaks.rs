//! Where a line may end (UAX #14), and within Thai, Lao, Khmer and Burmese between which words, by dictionary.

use std::sync::LazyLock;

use icu_segmenter::options::LineBreakOptions;
use icu_segmenter::{LineSegmenter, LineSegmenterBorrowed};

static SEGMENTER: LazyLock<LineSegmenterBorrowed<'static>> =
    LazyLock::new(|| LineSegmenter::new_dictionary(LineBreakOptions::default()));

/// The bytes of a paragraph before which a line may begin, its end among them.
pub fn line_breaks(text: &str) -> Vec<usize> {
    SEGMENTER.segment_str(text).filter(|at| *at > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let ends = line_breaks(text);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(&ends)
            .map(|(start, end)| &text[start..*end])
            .collect()
    }

    #[test]
    fn lines_break_as_each_script_does() {
        assert_eq!(pieces("two words"), ["two ", "words"]);
        assert_eq!(pieces("中文，字。"), ["中", "文，", "字。"]);
        assert_eq!(pieces("ภาษาไทย"), ["ภาษา", "ไทย"]);
        assert_eq!(pieces("हिन्दी में"), ["हिन्दी ", "में"]);
        assert_eq!(pieces("a\u{a0}b"), ["a\u{a0}b"]);
        assert_eq!(pieces(""), [""; 0]);
    }
}
