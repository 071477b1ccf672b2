//! The placeholders of a sentence and of the same sentence as it comes back from another file.
//!
//! A reader of XLIFF leaves out codes at the ends of a segment that enclose no text, and so numbers the others anew.

use super::placeholder::{Placeholder, folded, open, point};

/// Which placeholders of two versions of a sentence are the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceholderMap {
    /// Own numbers by those of the other version.
    opens: Vec<(usize, usize)>,
    points: Vec<(usize, usize)>,
    /// Own ones that the other version lacks, from before and after its text.
    before: String,
    behind: String,
    lacking: Vec<Placeholder>,
}

impl PlaceholderMap {
    /// Compares a sentence with another version; `None` if it is another sentence, or lacks codes within its text.
    pub fn between(own: &str, foreign: &str) -> Option<Self> {
        let mut map = Self::default();
        let mut others = foreign.chars().filter(|c| !c.is_whitespace()).peekable();
        // Whether the other version has the pairs that are open.
        let mut pairs: Vec<bool> = Vec::new();
        let mut has_begun = false;
        for character in own.chars() {
            let other = others.peek().copied();
            let Some(code) = Placeholder::from_char(character) else {
                if character.is_whitespace() {
                    map.keep(has_begun, character);
                    continue;
                }
                if other != Some(character) || has_begun && map.has_lacked_behind() {
                    return None;
                }
                others.next();
                has_begun = true;
                map.behind.clear();
                continue;
            };
            let is_there = match (code, other.and_then(Placeholder::from_char)) {
                (Placeholder::Close, Some(Placeholder::Close)) => pairs.pop()?,
                (Placeholder::Close, _) => {
                    if pairs.pop()? {
                        return None;
                    }
                    false
                }
                (Placeholder::Open(number), Some(Placeholder::Open(foreign))) => {
                    map.opens.push((foreign, number));
                    true
                }
                (Placeholder::Point(number), Some(Placeholder::Point(foreign))) => {
                    map.points.push((foreign, number));
                    true
                }
                _ => false,
            };
            if matches!(code, Placeholder::Open(_)) {
                pairs.push(is_there);
            }
            if is_there {
                if has_begun && map.has_lacked_behind() {
                    return None;
                }
                others.next();
                has_begun = true;
                map.behind.clear();
            } else {
                if code != Placeholder::Close {
                    map.lacking.push(code);
                }
                map.keep(has_begun, character);
            }
        }
        others.next().is_none().then_some(map)
    }

    /// Takes a character in that is before or after the text of the other version.
    fn keep(&mut self, has_begun: bool, character: char) {
        let end = if has_begun {
            &mut self.behind
        } else {
            &mut self.before
        };
        end.push(character);
    }

    /// Whether codes are lacking that have text after them.
    fn has_lacked_behind(&self) -> bool {
        self.behind
            .chars()
            .any(|c| Placeholder::from_char(c).is_some())
    }

    /// A translation of the other version with the own placeholders.
    pub fn restored(&self, foreign: &str) -> String {
        format!("{}{}{}", self.before, self.renumbered(foreign), self.behind)
    }

    /// Renumbers the placeholders of `foreign`, and drops those that the other version lacks.
    pub fn renumbered(&self, foreign: &str) -> String {
        let number = |numbers: &[(usize, usize)], wanted: usize| {
            let found = numbers.iter().find(|(foreign, _)| *foreign == wanted);
            found.map(|(_, own)| *own)
        };
        let characters = foreign
            .trim()
            .chars()
            .filter_map(|c| match Placeholder::from_char(c) {
                Some(Placeholder::Open(code)) => number(&self.opens, code).map(open),
                Some(Placeholder::Point(code)) => number(&self.points, code).map(point),
                Some(Placeholder::Close) | None => Some(c),
            });
        characters.collect()
    }

    /// An own translation without the placeholders that the other version lacks.
    pub fn without_lacking(&self, own: &str) -> String {
        let mut pairs = Vec::new();
        let kept = own.chars().filter(|&c| match Placeholder::from_char(c) {
            None => true,
            Some(Placeholder::Close) => pairs.pop().unwrap_or(true),
            Some(code) => {
                let is_kept = !self.lacking.contains(&code);
                if matches!(code, Placeholder::Open(_)) {
                    pairs.push(is_kept);
                }
                is_kept
            }
        });
        folded(&kept.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::super::placeholder::CLOSE;
    use super::*;

    /// Codes of a text with `<1>`, `<2/>` and `</>`.
    fn coded(text: &str) -> String {
        let mut coded = text.replace("</>", &CLOSE.to_string());
        for number in 0..4 {
            coded = coded.replace(&format!("<{number}>"), &open(number).to_string());
            coded = coded.replace(&format!("<{number}/>"), &point(number).to_string());
        }
        coded
    }

    #[test]
    fn codes_at_the_ends_come_back_and_others_have_their_numbers() {
        for (own, foreign, translated, expected) in [
            ("Open it.", "Open it.", "Öffnen.", "Öffnen."),
            (
                "<0/>, where <1/> is it.",
                ", where <0/> is it.",
                ", wo <0/> ist.",
                "<0/>, wo <1/> ist.",
            ),
            (
                "<0>Date: </><1><2/></>",
                "<0>Date: </>",
                "<0>Datum: </>",
                "<0>Datum: </><1><2/></>",
            ),
            (
                "<0/> is an arrow",
                "is an arrow",
                "ist ein Pfeil",
                "<0/> ist ein Pfeil",
            ),
            (
                "<0>All</> <1/>",
                "<0>All</>",
                "<0>Alle</>",
                "<0>Alle</> <1/>",
            ),
        ] {
            let map = PlaceholderMap::between(&coded(own), &coded(foreign)).expect(own);
            assert_eq!(map.restored(&coded(translated)), coded(expected), "{own}");
            assert_eq!(
                map.without_lacking(&coded(expected)),
                folded(&map.renumbered(&coded(translated))),
                "{own}"
            );
        }
    }

    #[test]
    fn another_sentence_and_codes_lost_within_are_reported() {
        for (own, foreign) in [
            ("Open it.", "Close it."),
            ("Open <0/> it.", "Open it."),
            ("Open it.", "Open <0/> it."),
            ("<0>Open</> it.", "Open</> it."),
        ] {
            let map = PlaceholderMap::between(&coded(own), &coded(foreign));
            assert_eq!(map, None, "{own}");
        }
    }
}
