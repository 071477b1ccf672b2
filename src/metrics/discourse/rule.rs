//! The antecedent of a choice: the last one that the document made before, and a rule that only repeats it.

/// The segment before that decides, as a rule: the last one with a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decided {
    /// None is earlier in the document.
    First,
    /// Number of segments before.
    Before(usize),
}

/// A segment whose reference makes a choice, and what the document had before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deciding {
    /// Index of the segment.
    pub segment: usize,
    /// Name of the choice that the reference makes.
    pub choice: &'static str,
    /// The choice that the document made before.
    pub decided: Decided,
    /// Whether the choice is the one that was made last; not of the first.
    pub repeats: bool,
}

/// All segments with a choice, in order. `documents` has the segments of each document in order, `choices` what each
/// reference chose.
pub fn deciding(documents: &[Vec<usize>], choices: &[Option<&'static str>]) -> Vec<Deciding> {
    let mut found = Vec::new();
    for document in documents {
        let mut last: Option<(usize, &'static str)> = None;
        for (place, &segment) in document.iter().enumerate() {
            let Some(choice) = choices[segment] else {
                continue;
            };
            found.push(Deciding {
                segment,
                choice,
                decided: last.map_or(Decided::First, |(at, _)| Decided::Before(place - at)),
                repeats: last.is_some_and(|(_, before)| before == choice),
            });
            last = Some((place, choice));
        }
    }
    found
}

/// The answer of a rule that repeats the choice last made in the reference of the document, and takes the commonest one
/// of all where there was none: for each segment with a choice.
pub fn repeated_choices(deciding: &[Deciding]) -> Vec<&'static str> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for one in deciding {
        match counts.iter_mut().find(|(choice, _)| *choice == one.choice) {
            Some((_, count)) => *count += 1,
            None => counts.push((one.choice, 1)),
        }
    }
    // The first of those that are equally common.
    let commonest = counts.iter().rev().max_by_key(|(_, count)| *count);
    let commonest = commonest.map_or("", |(choice, _)| *choice);
    let mut before = commonest;
    let rule = deciding.iter().map(|one| {
        let said = match one.decided {
            Decided::First => commonest,
            Decided::Before(_) => before,
        };
        before = one.choice;
        said
    });
    rule.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_choice_of_the_document_decides() {
        let documents = [vec![0, 1, 2, 3], vec![4, 5]];
        let choices = [
            Some("du"),
            None,
            Some("du"),
            Some("polite"),
            None,
            Some("du"),
        ];
        let found = deciding(&documents, &choices);
        let choices: Vec<_> = found
            .iter()
            .map(|one| (one.segment, one.decided, one.repeats))
            .collect();
        assert_eq!(
            choices,
            [
                (0, Decided::First, false),
                (2, Decided::Before(2), true),
                (3, Decided::Before(1), false),
                (5, Decided::First, false),
            ]
        );
        assert_eq!(repeated_choices(&found), ["du", "du", "du", "du"]);
    }
}
