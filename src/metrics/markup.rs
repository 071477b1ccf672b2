//! Where a translation puts its inline markup, compared with a reference.

use std::collections::HashMap;

use canopy_document::placeholder::Placeholder;

/// How much markup there is and how much of it is where the reference has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MarkupPlacement {
    /// Pairs and points in the references.
    pub total: usize,
    /// Pairs around the same words, and points next to the same word on at least one side.
    pub placed: usize,
    /// Translations whose markup is not the reference's: some of it lost, repeated or badly nested.
    pub damaged: usize,
}

/// Compares the markup of translations, sentence by sentence, texts with placeholders.
pub fn markup_placement(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
) -> MarkupPlacement {
    let mut sum = MarkupPlacement::default();
    for (hypothesis, reference) in hypotheses.iter().zip(references) {
        let reference = places(reference.as_ref()).unwrap_or_default();
        let found = places(hypothesis.as_ref());
        sum.total += reference.len();
        let Some(found) = found.filter(|found| found.len() == reference.len()) else {
            sum.damaged += 1;
            continue;
        };
        let placed = reference
            .iter()
            .filter(|(markup, place)| found.get(markup).is_some_and(|own| own.agrees(place)));
        sum.placed += placed.count();
        sum.damaged += usize::from(reference.keys().any(|markup| !found.contains_key(markup)));
    }
    sum
}

/// The text inside a pair or next to a point.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Around(String),
    Between(Option<String>, Option<String>),
}

impl Place {
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Between(left, right), Self::Between(other_left, other_right)) => {
                left == other_left || right == other_right
            }
            _ => self == other,
        }
    }
}

/// The place of every opening placeholder and point; `None` if one is repeated or a pair is not closed.
fn places(text: &str) -> Option<HashMap<char, Place>> {
    let mut places = HashMap::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        let previous = match Placeholder::from_char(c) {
            None => None,
            Some(Placeholder::Open(_)) => {
                open.push((c, after));
                None
            }
            Some(Placeholder::Close) => {
                let (opening, from) = open.pop()?;
                places.insert(opening, Place::Around(words(&text[from..at]).join(" ")))
            }
            Some(Placeholder::Point(_)) => {
                let left = words(&text[..at]).pop();
                let right = words(&text[after..]).into_iter().next();
                places.insert(c, Place::Between(left, right))
            }
        };
        if previous.is_some() {
            return None;
        }
    }
    open.is_empty().then_some(places)
}

fn words(text: &str) -> Vec<String> {
    let shown: String = text
        .chars()
        .map(|c| {
            if Placeholder::from_char(c).is_some() {
                ' '
            } else {
                c
            }
        })
        .collect();
    shown.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_by_what_they_enclose_and_points_by_a_neighbour() {
        let reference = "Klicken Sie auf \u{E000}OK\u{E200} und \u{E101} dann";
        let placed = |hypothesis: &str| markup_placement(&[hypothesis], &[reference]);
        assert_eq!(
            placed(reference),
            MarkupPlacement {
                total: 2,
                placed: 2,
                damaged: 0
            }
        );
        assert_eq!(
            placed("Auf \u{E000}OK\u{E200} klicken \u{E101} dann").placed,
            2
        );
        assert_eq!(placed("Auf OK \u{E000}klicken\u{E200} \u{E101}.").placed, 0);
        assert_eq!(
            placed("Auf \u{E000}OK\u{E200} klicken"),
            MarkupPlacement {
                total: 2,
                placed: 0,
                damaged: 1
            }
        );
        assert_eq!(placed("\u{E000}OK und \u{E101} dann").damaged, 1);
    }
}
