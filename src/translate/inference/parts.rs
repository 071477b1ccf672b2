//! Sentences too long for the model, in parts that make sense.

use canopy_document::placeholder::Placeholder;

/// Cuts `text` into parts of at most `max` as `length` counts them.
///
/// Cuts after `;`, `:`, a dash or a comma where possible, else at a space, else between two characters; inside a pair
/// of placeholders only where there is no other way. The parts joined are the text.
pub(super) fn parts<'t>(text: &'t str, max: usize, length: &dyn Fn(&str) -> usize) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while length(rest) > max {
        let cut = longest_cut(rest, max, length);
        let (part, after) = rest.split_at(cut);
        parts.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// The best place to cut, so that what precedes it is short enough and not empty.
fn longest_cut(text: &str, max: usize, length: &dyn Fn(&str) -> usize) -> usize {
    let cuts = cuts(text);
    for quality in 0..=3 {
        let places: Vec<usize> = cuts
            .iter()
            .filter(|cut| cut.quality <= quality)
            .map(|cut| cut.at)
            .collect();
        // Lengths grow with the text, so the last fitting place is found by bisection.
        let fitting = places.partition_point(|&at| length(&text[..at]) <= max);
        // A cut in the first third would leave a splinter: rather take a worse but later one.
        let good_enough = |at: usize| quality == 3 || length(&text[..at]) * 3 >= max;
        if let Some(&at) = places[..fitting].last()
            && good_enough(at)
        {
            return at;
        }
    }
    text.char_indices().nth(1).map_or(text.len(), |(at, _)| at)
}

struct Cut {
    at: usize,
    /// 0 after punctuation, 1 at a space, 2 inside a pair, 3 between any characters.
    quality: usize,
}

fn cuts(text: &str) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let (mut depth, mut previous) = (0_usize, None);
    for (at, c) in text.char_indices() {
        if at > 0 {
            let after_mark = matches!(
                previous,
                Some(';' | ':' | '–' | '—' | ',' | '.' | '!' | '?')
            );
            let quality = match (c.is_whitespace(), depth) {
                (true, 0) if after_mark => 0,
                (true, 0) => 1,
                (true, _) => 2,
                (false, _) => 3,
            };
            cuts.push(Cut { at, quality });
        }
        match Placeholder::from_char(c) {
            Some(Placeholder::Open(_)) => depth += 1,
            Some(Placeholder::Close) => depth = depth.saturating_sub(1),
            _ => {}
        }
        previous = Some(c);
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_joined_are_the_text_and_none_is_too_long() {
        let count = |text: &str| text.chars().count();
        for text in [
            "",
            "short",
            "one, two; three four five six seven",
            "x".repeat(95).as_str(),
            "a \u{E000}b c d e f g h i j k l m\u{E200} n",
        ] {
            let parts = parts(text, 10, &count);
            assert_eq!(parts.concat(), text);
            assert!(
                parts
                    .iter()
                    .all(|part| count(part) <= 10 && !part.is_empty()),
                "{parts:?}"
            );
        }
    }

    #[test]
    fn cuts_after_punctuation_where_it_can() {
        assert_eq!(
            parts("one two, three four", 12, &str::len),
            ["one two,", " three four"]
        );
    }
}
