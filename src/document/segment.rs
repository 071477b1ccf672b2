//! Where one sentence ends and the next begins.
//!
//! Unicode's sentence boundaries (UAX #29, through ICU) propose, and the lists of `abbreviations.rs` dispose: a full stop
//! after an abbreviation, an initial or an ordinal number does not end a sentence, as in CLDR's suppressions. Rules of a file
//! take their place, and so does what a person has decided.

use std::ops::Range;

use icu_segmenter::{SentenceSegmenter, options::SentenceBreakInvariantOptions};

use super::{abbreviations, placeholder::Placeholder, srx::Rules};
use crate::error::Result;

/// A tag that separates nothing: as if it were not there.
pub(super) const INVISIBLE: char = '\u{FDD0}';
/// A line break inside a paragraph: as good as a space.
pub(super) const LINE_BREAK: char = '\u{FDD1}';
/// Several line breaks in a row: a sentence never goes across.
pub(super) const PARAGRAPH_BREAK: char = '\u{FDD2}';

/// Stands for an opaque span while boundaries are looked for: a capital letter that no abbreviation contains.
const STAND_IN: char = 'Ǝ';
/// Unicode's paragraph separator, at which ICU always breaks.
const SEPARATOR: char = '\u{2029}';

/// Full stops that no space follows.
const WIDE_STOPS: [char; 4] = ['。', '！', '？', '．'];
/// Particles that continue a sentence after a quotation in Japanese.
const PARTICLES: [char; 12] = [
    'と', 'っ', 'の', 'は', 'が', 'を', 'に', 'で', 'も', 'や', 'へ', '、',
];

/// The source of the rules for where sentences end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segmentation<'r> {
    /// We do, with the abbreviations of a language (`en`, `de`, with or without region); without one those of English and
    /// German apply.
    Usual(Option<&'r str>),
    /// [`Self::Usual`] in a title, all of whose line breaks are wraps.
    Title(Option<&'r str>),
    Rules(&'r Rules),
    /// A person has: places where sentences begin, in characters that are not white space.
    Places(&'r [usize]),
}

/// Splits `text`, which may hold placeholders, into sentences.
///
/// The ranges are in order, do not overlap, begin and end with something other than white space and together cover all
/// that is not white space. As we do it usually, every one but a lone one holds a letter: what has none (`1.`) joins its
/// neighbour. Closing tags and quotes after the full stop belong to the sentence before.
///
/// # Errors
/// If a rule takes too long.
pub(super) fn sentence_ranges(text: &str, how: Segmentation<'_>) -> Result<Vec<Range<usize>>> {
    let visible = Visible::from_text(text, matches!(how, Segmentation::Rules(_)));
    let ends = match how {
        Segmentation::Usual(language) | Segmentation::Title(language) => {
            visible.boundaries(language)
        }
        Segmentation::Rules(rules) => visible.by_rules(rules)?,
        Segmentation::Places(places) => visible.at(places),
    };
    let mut ranges = Vec::new();
    let mut start = 0;
    for end in ends {
        let cut = if end == visible.text.len() {
            text.len()
        } else {
            visible.cut(text, end)
        };
        let sentence = trimmed(text, start..cut);
        start = start.max(cut);
        if !sentence.is_empty() {
            ranges.push(sentence);
        }
    }
    Ok(ranges)
}

/// Cuts `text`, which may hold placeholders, where a sentence begins outside of all pairs of them, by the abbreviations of
/// `language`. The parts joined are the text.
pub fn cut_into_sentences<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let ranges = sentence_ranges(text, Segmentation::Usual(Some(language)));
    let ranges = ranges.expect("rules alone take too long");
    let (mut parts, mut rest, mut cut) = (Vec::new(), text, 0);
    for start in ranges.into_iter().skip(1).map(|range| range.start) {
        let depth: i32 = rest[..start - cut].chars().map(nesting).sum();
        if depth == 0 {
            let (part, after) = rest.split_at(start - cut);
            parts.push(part);
            (rest, cut) = (after, start);
        }
    }
    parts.push(rest);
    parts
}

/// The change of the depth of open pairs at a character.
fn nesting(character: char) -> i32 {
    match Placeholder::from_char(character) {
        Some(Placeholder::Open(_)) => 1,
        Some(Placeholder::Close) => -1,
        _ => 0,
    }
}

/// The characters that are not white space, and for each its place in `text`.
pub(super) fn ink(text: &str) -> (String, Vec<usize>) {
    let visible = Visible::from_text(text, false);
    let (mut ink, mut places) = (String::new(), Vec::new());
    for (character, (_, range)) in visible.text.chars().zip(&visible.places) {
        if !character.is_whitespace() {
            ink.push(character);
            places.push(range.start);
        }
    }
    (ink, places)
}

/// The text without its markup, and the way back.
struct Visible {
    text: String,
    /// For each character its place in `text` and in the text with markup, and the end there.
    places: Vec<(usize, Range<usize>)>,
}

impl Visible {
    /// `for_rules`, which know line breaks and the signs that we see as others.
    fn from_text(text: &str, for_rules: bool) -> Self {
        let mut visible = Self {
            text: String::with_capacity(text.len()),
            places: Vec::new(),
        };
        for (place, character) in text.char_indices() {
            let shown = match (character, Placeholder::from_char(character)) {
                (INVISIBLE, _) | (_, Some(Placeholder::Open(_) | Placeholder::Close)) => continue,
                (_, Some(Placeholder::Point(_))) => STAND_IN,
                (PARAGRAPH_BREAK, _) => SEPARATOR,
                (LINE_BREAK, _) if for_rules => '\n',
                (LINE_BREAK | '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}', _) => ' ',
                _ => character,
            };
            // ICU sees no end of a sentence in `…`.
            let is_ellipsis = shown == '…' && !for_rules;
            for shown in std::iter::repeat_n(
                if is_ellipsis { '.' } else { shown },
                if is_ellipsis { 3 } else { 1 },
            ) {
                visible
                    .places
                    .push((visible.text.len(), place..place + character.len_utf8()));
                visible.text.push(shown);
            }
        }
        visible
    }

    /// The ends of the segments by rules, and the end; none goes across a separator.
    fn by_rules(&self, rules: &Rules) -> Result<Vec<usize>> {
        let (mut ends, mut start) = (Vec::new(), 0);
        for part in self.text.split_inclusive(SEPARATOR) {
            let places = rules.breaks(part)?;
            ends.extend(places.into_iter().map(|place| start + place));
            start += part.len();
            ends.push(start);
        }
        Ok(ends)
    }

    /// The ends of sentences of which all but the first begin at `places`.
    fn at(&self, places: &[usize]) -> Vec<usize> {
        let mut ends = Vec::new();
        let ink = self.text.char_indices().filter(|(_, c)| !c.is_whitespace());
        for (number, (place, _)) in ink.enumerate() {
            if number > 0 && places.contains(&number) {
                ends.push(place);
            }
        }
        ends.push(self.text.len());
        ends
    }

    /// The ends of the sentences in `self.text`.
    fn boundaries(&self, language: Option<&str>) -> Vec<usize> {
        let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
        let mut ends: Vec<usize> = Vec::new();
        let (mut seen, mut lettered) = (0, false);
        let found = segmenter.segment_str(&self.text);
        for end in found.map(|end| self.before_opening(end)) {
            if end <= seen || end >= self.text.len() {
                continue;
            }
            lettered |= holds_letter(&self.text[seen..end]);
            seen = end;
            if lettered && self.is_boundary(end, language) {
                ends.push(end);
                lettered = false;
            }
        }
        if !lettered && !holds_letter(&self.text[seen..]) {
            ends.pop();
        }
        ends.push(self.text.len());
        ends
    }

    /// The place before the marks that open the next sentence, where `end` is after them: Unicode takes those of Chinese
    /// and Japanese for the end of the sentence before.
    fn before_opening(&self, end: usize) -> usize {
        let core = self.text[..end].trim_end_matches(opens_wide);
        let sentence = core.trim_end_matches(is_closing);
        if core.len() < end && sentence.ends_with(WIDE_STOPS) {
            core.len()
        } else {
            end
        }
    }

    fn is_boundary(&self, end: usize, language: Option<&str>) -> bool {
        let (before, after) = self.text.split_at(end);
        let sentence = before.trim_end();
        if before[sentence.len()..].contains(SEPARATOR) {
            return true;
        }
        let core = sentence.trim_end_matches(is_closing);
        if sentence.len() == before.len() && !core.ends_with(WIDE_STOPS) {
            return false;
        }
        if sentence.ends_with(closes_wide) && after.starts_with(PARTICLES) {
            return false;
        }
        let next =
            after.trim_start_matches(|c: char| c.is_whitespace() || is_closing(c) || is_opening(c));
        let goes_on = core.len() < sentence.len() || is_name(core);
        if goes_on && next.starts_with(char::is_lowercase) {
            return false;
        }
        !(core.ends_with('.') && abbreviations::continues(core, next, language))
    }

    /// Where in the text with markup the sentence that ends at `end` of the visible text is cut off.
    ///
    /// Tags that close something opened earlier stay with the sentence before, everything else goes with the next one.
    fn cut(&self, text: &str, end: usize) -> usize {
        let next = self.places.partition_point(|(place, _)| *place < end);
        let is_space =
            |place: &(usize, Range<usize>)| self.text[place.0..].starts_with(char::is_whitespace);
        let last = self.places[..next]
            .iter()
            .rposition(|place| !is_space(place));
        let mut cut = last.map_or(0, |last| self.places[last].1.end);
        let (gap, mut depth) = (
            cut..self
                .places
                .get(next)
                .map_or(text.len(), |(_, range)| range.start),
            0,
        );
        for (place, character) in text[gap.clone()].char_indices() {
            match Placeholder::from_char(character) {
                Some(Placeholder::Open(_)) => depth += 1,
                Some(Placeholder::Close) if depth > 0 => depth -= 1,
                Some(Placeholder::Close) => cut = gap.start + place + character.len_utf8(),
                _ => {}
            }
        }
        cut
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let is_space = |c: char| c.is_whitespace() || c == LINE_BREAK || c == PARAGRAPH_BREAK;
    let start = range.end - text[range.clone()].trim_start_matches(is_space).len();
    let kept = text[start..range.end].trim_end_matches(is_space).len();
    start..start + kept
}

fn holds_letter(text: &str) -> bool {
    text.chars().any(|c| c.is_alphabetic() && c != STAND_IN)
}

fn is_closing(c: char) -> bool {
    closes_wide(c)
        || matches!(
            c,
            '"' | '\'' | ')' | ']' | '}' | '”' | '“' | '’' | '‘' | '»' | '«' | '›' | '‹'
        )
}

/// Whether a mark closes a quotation, or brackets, of Chinese or Japanese.
fn closes_wide(c: char) -> bool {
    matches!(
        c,
        '」' | '』' | '）' | '】' | '》' | '〉' | '〕' | '］' | '｣'
    )
}

/// Whether a mark after a full stop of Chinese or Japanese opens something.
fn opens_wide(c: char) -> bool {
    matches!(
        c,
        '「' | '『' | '（' | '【' | '《' | '〈' | '〔' | '［' | '｢' | '“' | '‘' | '(' | '['
    )
}

/// Whether a text ends in a name such as `Yahoo!`.
fn is_name(text: &str) -> bool {
    let word = text.strip_suffix(['!', '?']).unwrap_or_default();
    let start = word.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| {
        at + word[at..].chars().next().map_or(0, char::len_utf8)
    });
    word[start..].starts_with(char::is_uppercase)
}

pub(super) fn is_opening(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '('
            | '['
            | '{'
            | '“'
            | '„'
            | '‘'
            | '‚'
            | '«'
            | '»'
            | '‹'
            | '›'
            | '¿'
            | '¡'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placeholder::{CLOSE, open, point};
    use canopy_base::table::rows;

    fn split<'t>(text: &'t str, language: Option<&str>) -> Vec<&'t str> {
        let ranges = sentence_ranges(text, Segmentation::Usual(language));
        ranges
            .expect("no rules")
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn sentences_of_several_languages_end_where_they_do() {
        let mut num_texts = 0;
        for (languages, marked) in rows(include_str!("sentences.tsv")) {
            let text = marked.replace('|', "");
            let expected: Vec<&str> = marked.split('|').map(str::trim_end).collect();
            for language in languages.split(',') {
                let known = Some(language).filter(|it| *it != "-");
                assert_eq!(split(&text, known), expected, "{language}");
            }
            num_texts += 1;
        }
        assert_eq!(num_texts, 56);
        assert_eq!(split("  ", None), [""; 0]);
        assert_eq!(split("", None), [""; 0]);
    }

    #[test]
    fn closing_tags_stay_with_the_sentence_before() {
        let text = format!("{}One.{CLOSE} {}Two.{CLOSE}", open(0), open(1));
        assert_eq!(
            split(&text, None),
            [
                format!("{}One.{CLOSE}", open(0)),
                format!("{}Two.{CLOSE}", open(1))
            ]
        );
        let text = format!("{}One. {CLOSE}Two {}x{CLOSE}.", open(0), open(1));
        assert_eq!(split(&text, None)[0], format!("{}One. {CLOSE}", open(0)));
    }

    #[test]
    fn what_is_cut_into_sentences_is_still_there_and_no_pair_is_cut() {
        let pair = format!("{}One. Two.{CLOSE}", open(0));
        let text = format!("Dr. Who?  Yes.\n{pair} Three.");
        let parts = cut_into_sentences(&text, "en");
        assert_eq!(
            parts,
            ["Dr. Who?  ", "Yes.\n", &format!("{pair} "), "Three."]
        );
    }

    #[test]
    fn a_person_decides_where_sentences_begin() {
        let text = format!("{}One. Two {CLOSE}three. Four.", open(0));
        let (ink, places) = ink(&text);
        assert_eq!(ink, "One.Twothree.Four.");
        let at = places[7];
        assert!(text[at..].starts_with("three"));
        let ranges = sentence_ranges(&text, Segmentation::Places(&[7])).expect("no rules");
        let split: Vec<&str> = ranges.into_iter().map(|range| &text[range]).collect();
        let first = format!("{}One. Two {CLOSE}", open(0));
        assert_eq!(split, [first.as_str(), "three. Four."]);
    }

    #[test]
    fn opaque_spans_begin_sentences_like_words() {
        let text = format!(
            "Use it. {} does more. See e.g. {} here.",
            point(0),
            point(1)
        );
        assert_eq!(split(&text, None).len(), 3);
        assert_eq!(split(&format!("Look. {}", point(0)), None).len(), 1);
    }
}
