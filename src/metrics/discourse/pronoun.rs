//! Which gender a German translation gives an English *it*.

use super::words::{has_any, without_first_capitals, words};

/// The gender of the pronoun for *it*, where it is not the neuter, which says nothing: `es` stands in for much else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gender {
    /// `er`, `ihn`, `ihm`.
    Masculine,
    /// `sie`.
    Feminine,
}

/// Other referents of such a German pronoun.
const OTHERS: &str = "he him himself she her herself they them themselves you";

impl Gender {
    /// The gender in a German segment; none where the English one has no *it* or has another personal pronoun, or
    /// the German one has neither gender, or both.
    pub fn from_pair(source: &str, target: &str) -> Option<Self> {
        if !has_any(source, "it its") || has_any(source, OTHERS) {
            return None;
        }
        let target = without_first_capitals(target);
        let masculine = words(&target).any(|word| matches!(word, "er" | "ihn" | "ihm"));
        let feminine = words(&target).any(|word| word == "sie");
        match (masculine, feminine) {
            (true, false) => Some(Self::Masculine),
            (false, true) => Some(Self::Feminine),
            _ => None,
        }
    }

    /// Returns the English name of the gender.
    pub fn name(self) -> &'static str {
        match self {
            Self::Masculine => "masculine",
            Self::Feminine => "feminine",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gender_is_recognised_where_nobody_else_is_mentioned() {
        for (source, target, gender) in [
            ("It is open.", "Er ist offen.", Some(Gender::Masculine)),
            ("Take it!", "Nehmt sie!", Some(Gender::Feminine)),
            ("It is open.", "Es ist offen.", None),
            ("He took it.", "Er nahm sie.", None),
            ("It is late.", "Er sieht sie.", None),
            ("The bag is open.", "Sie ist offen.", None),
        ] {
            assert_eq!(Gender::from_pair(source, target), gender, "{target}");
        }
    }
}
