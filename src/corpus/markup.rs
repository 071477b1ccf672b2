//! Gives the markup of two languages common numbers.
//!
//! A model learns to copy placeholders, so both sides of a unit must hold the same ones. Pairs and points of the target
//! are matched with those of the source: first by tag names, attributes and shown text, then by tag names and
//! attributes, then by tag names, each time in order. What has no partner on the other side is taken out of this copy
//! of the text; an opaque span is then the text it shows. The rest is numbered in the order of the source.

use super::unit::{Unit, visible};
use canopy_document::document::{Document, Markup, Sentence};
use canopy_document::placeholder::{self, MAX_PLACEHOLDERS, Placeholder};
use canopy_document::tags::Tags;

/// How many marks a text may have: there are no more numbers for placeholders.
pub(super) const MAX_MARKS: usize = 256;

/// One language's text of a unit, with what its placeholders stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Side {
    pub text: String,
    pub markup: Vec<Mark>,
}

/// The kind of one number of placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub is_pair: bool,
    pub tags: Tags,
}

/// A unit, and what had to be taken out of it.
#[derive(Debug)]
pub(super) struct Matched {
    pub unit: Unit,
    pub dropped_source: usize,
    pub dropped_target: usize,
}

impl Side {
    pub(crate) fn from_sentence(document: &Document, sentence: &Sentence) -> Self {
        let mark = |markup: &Markup| Mark {
            is_pair: matches!(markup, Markup::Pair { .. }),
            tags: document.tags_of(markup),
        };
        Self {
            text: sentence.text.clone(),
            markup: sentence.markup.iter().map(mark).collect(),
        }
    }

    /// The sentences of a paragraph as one; what is between them untranslated is kept as text.
    pub(crate) fn whole(document: &Document, sentences: &[Sentence]) -> Self {
        let mut whole = Self {
            text: String::new(),
            markup: Vec::new(),
        };
        let mut end = None;
        for sentence in sentences {
            if let Some(end) = end.filter(|&end| end <= sentence.range.start) {
                whole.text += &between(
                    &document.original[end..sentence.range.start],
                    document.is_html(),
                );
            }
            let side = Self::from_sentence(document, sentence);
            let offset = whole.markup.len();
            whole.text += &renumbered(&side, |number| {
                Some(number + offset).filter(|&number| number < MAX_MARKS)
            });
            whole.markup.extend(side.markup);
            end = Some(sentence.range.end);
        }
        whole
    }

    /// Visible text.
    pub(crate) fn visible(&self) -> String {
        let shown: Vec<String> = self
            .markup
            .iter()
            .map(|mark| mark.tags.text.clone())
            .collect();
        visible(&self.text, &shown)
    }
}

fn between(gap: &str, is_html: bool) -> String {
    if !is_html {
        return if gap.is_empty() {
            String::new()
        } else {
            " ".to_owned()
        };
    }
    let shown = Tags::from_html(gap).text;
    match shown.trim() {
        // Tags without space between the sentences separate nothing.
        "" if shown.is_empty() && !gap.contains(char::is_whitespace) => String::new(),
        "" => " ".to_owned(),
        text => format!(" {text} "),
    }
}

/// Makes one unit of both sides, with the same placeholders in both.
pub(super) fn matched(source: &Side, target: &Side) -> Matched {
    let partners = partners(&source.markup, &target.markup);
    let order = order_of_appearance(&source.text);
    let mut numbers = vec![None; source.markup.len()];
    let common = order
        .into_iter()
        .filter(|&number| partners.get(number).is_some_and(Option::is_some));
    for (new, number) in common.take(MAX_PLACEHOLDERS).enumerate() {
        numbers[number] = Some(new);
    }
    let source_number = |number: usize| numbers.get(number).copied().flatten();
    let target_number = |number: usize| {
        let partner = partners
            .iter()
            .position(|partner| *partner == Some(number))?;
        numbers[partner]
    };
    let mut unit = Unit::new(
        renumbered(source, source_number),
        renumbered(target, target_number),
    );
    let kept = numbers.iter().flatten().count();
    unit.points = points(&source.markup, kept, source_number);
    let shown_in_target = points(&target.markup, kept, target_number);
    if shown_in_target != unit.points {
        unit.target_points = Some(shown_in_target);
    }
    Matched {
        unit,
        dropped_source: source.markup.len() - kept,
        dropped_target: target.markup.len() - kept,
    }
}

/// For each mark of the source the target's mark that is the same.
fn partners(source: &[Mark], target: &[Mark]) -> Vec<Option<usize>> {
    type Same = fn(&Mark, &Mark) -> bool;
    const ROUNDS: [Same; 3] = [
        |a, b| a.tags == b.tags,
        |a, b| a.tags.starts == b.tags.starts,
        |a, b| a.tags.names().eq(b.tags.names()),
    ];
    let mut partners = vec![None; source.len()];
    let mut taken = vec![false; target.len()];
    for same in ROUNDS {
        for (mark, partner) in source
            .iter()
            .zip(&mut partners)
            .filter(|(_, partner)| partner.is_none())
        {
            let fits = |&other: &usize| {
                !taken[other] && target[other].is_pair == mark.is_pair && same(mark, &target[other])
            };
            *partner = (0..target.len()).find(fits);
            if let Some(found) = *partner {
                taken[found] = true;
            }
        }
    }
    partners
}

fn order_of_appearance(text: &str) -> Vec<usize> {
    let number = |character| match Placeholder::from_char(character)? {
        Placeholder::Open(number) | Placeholder::Point(number) => Some(number),
        Placeholder::Close => None,
    };
    text.chars().filter_map(number).collect()
}

/// The text with new numbers; without the placeholders that get none.
fn renumbered(side: &Side, new: impl Fn(usize) -> Option<usize>) -> String {
    let mut text = String::with_capacity(side.text.len());
    let mut open = Vec::new();
    for character in side.text.chars() {
        match Placeholder::from_char(character) {
            None => push(&mut text, character),
            Some(Placeholder::Open(number)) => {
                open.push(new(number).is_some());
                text.extend(new(number).map(placeholder::open));
            }
            Some(Placeholder::Close) => {
                if open.pop().unwrap_or(false) {
                    text.push(placeholder::CLOSE);
                }
            }
            Some(Placeholder::Point(number)) => {
                if let Some(number) = new(number) {
                    text.push(placeholder::point(number));
                } else if let Some(mark) = side.markup.get(number) {
                    mark.tags
                        .text
                        .chars()
                        .for_each(|character| push(&mut text, character));
                }
            }
        }
    }
    if text.ends_with(' ') && !side.text.ends_with(' ') {
        text.pop();
    }
    text
}

/// No second space where a placeholder between two has gone, none at the beginning.
fn push(text: &mut String, character: char) {
    if character != ' ' || !(text.is_empty() || text.ends_with(' ')) {
        text.push(character);
    }
}

/// Texts of points, by their new number; cut after the last that shows anything.
fn points(markup: &[Mark], kept: usize, new: impl Fn(usize) -> Option<usize>) -> Vec<String> {
    let mut points = vec![String::new(); kept];
    for (number, mark) in markup.iter().enumerate().filter(|(_, mark)| !mark.is_pair) {
        if let Some(new) = new(number) {
            points[new].clone_from(&mark.tags.text);
        }
    }
    while points.last().is_some_and(String::is_empty) {
        points.pop();
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_document::document::Format;

    fn side(html: &str) -> Side {
        let document =
            Document::parse("x", Format::Html, format!("<p>{html}</p>")).expect("parses");
        Side::whole(&document, &document.sentences)
    }

    #[test]
    fn the_target_takes_the_numbers_of_the_source() {
        let source = side(
            "Open <a href=\"en-US/text/a.html\">this</a> or <a href=\"en-US/text/b.html\">that</a> now.",
        );
        let target = side(
            "Jetzt <a href=\"de/text/b.html\">das</a> oder <a href=\"de/text/a.html\">dies</a> \u{f6}ffnen.",
        );
        let Matched {
            unit,
            dropped_source,
            dropped_target,
        } = matched(&source, &target);
        assert_eq!(
            unit.source,
            "Open \u{E000}this\u{E200} or \u{E001}that\u{E200} now."
        );
        assert_eq!(
            unit.target,
            "Jetzt \u{E001}das\u{E200} oder \u{E000}dies\u{E200} öffnen."
        );
        assert_eq!((dropped_source, dropped_target), (0, 0));
    }

    #[test]
    fn markup_of_one_side_is_taken_out_but_not_its_text() {
        let source = side("Enter <b>two</b> words and <code>SUM</code> here.");
        let target = side(
            "Geben Sie zwei <i>Wörter</i> <br> und <code>SUMME</code> sowie <code>x</code> ein.",
        );
        let Matched {
            unit,
            dropped_source,
            dropped_target,
        } = matched(&source, &target);
        assert_eq!(unit.source, "Enter two words and \u{E100} here.");
        assert_eq!(
            unit.target,
            "Geben Sie zwei Wörter und \u{E100} sowie x ein."
        );
        assert_eq!(unit.visible_source(), "Enter two words and SUM here.");
        assert_eq!(
            unit.visible_target(),
            "Geben Sie zwei Wörter und SUMME sowie x ein."
        );
        assert_eq!((dropped_source, dropped_target), (1, 3));
    }

    #[test]
    fn sentences_join_to_one_unit_with_their_own_numbers() {
        let whole = side("One <b>a</b> here. Two <b>b</b> there.");
        assert_eq!(
            whole.text,
            "One \u{E000}a\u{E200} here. Two \u{E001}b\u{E200} there."
        );
        assert_eq!(whole.markup.len(), 2);
    }
}
