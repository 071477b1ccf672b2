//! The share of right choices as a score.

use super::Gender;
use crate::Metric;
use crate::formality::Formality;
use crate::metric::share;

/// Which choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChoiceKind {
    /// The form in which a reader is addressed.
    Formality,
    /// The gender of a pronoun for *it*.
    PronounGender,
}

impl ChoiceKind {
    /// All choices.
    pub const ALL: [Self; 2] = [Self::Formality, Self::PronounGender];

    /// The choice of a translation; none where there is no choice.
    pub fn choice(self, source: &str, target: &str) -> Option<&'static str> {
        match self {
            Self::Formality => Formality::from_pair(source, target).map(Formality::name),
            Self::PronounGender => Gender::from_pair(source, target).map(Gender::name),
        }
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Formality => &["du", "polite", "plural"],
            Self::PronounGender => &["masculine", "feminine"],
        }
    }
}

/// Per cent of the segments whose reference makes a choice in which the translation makes the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceAccuracy(pub ChoiceKind);

impl ChoiceAccuracy {
    /// The counts of a segment whose reference makes the `right` choice, and whose translation made this one.
    ///
    /// # Panics
    /// If `right` is no choice of this kind.
    pub fn choice_counts(&self, right: &str, made: Option<&str>) -> Vec<i64> {
        let mut sums = vec![0; self.num_sums()];
        let names = self.0.names();
        let at = names.iter().position(|name| *name == right);
        let at = at.expect("a choice has a name");
        sums[2 * at] = 1;
        sums[2 * at + 1] = i64::from(made == Some(right));
        sums[2 * names.len()] = i64::from(made.is_none());
        sums
    }
}

impl Metric for ChoiceAccuracy {
    fn name(&self) -> String {
        match self.0 {
            ChoiceKind::Formality => "formality",
            ChoiceKind::PronounGender => "pronouns",
        }
        .to_owned()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("choices", self.0.names().join("+"))]
    }

    fn reads_source(&self) -> bool {
        true
    }

    /// For each choice, how often it is the reference's and how often the translation makes it then; at the end, how
    /// often the translation makes none where the reference does.
    fn num_sums(&self) -> usize {
        2 * self.0.names().len() + 1
    }

    /// Without a source nothing is chosen.
    fn count(&self, _: &str, _: &[&str]) -> Vec<i64> {
        vec![0; self.num_sums()]
    }

    /// Counts choices; the first of several references that makes one counts.
    fn count_with_sources(&self, source: &str, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let mut references_left = references.iter();
        match references_left.find_map(|reference| self.0.choice(source, reference)) {
            Some(right) => self.choice_counts(right, self.0.choice(source, hypothesis)),
            None => vec![0; self.num_sums()],
        }
    }

    fn score(&self, sums: &[i64]) -> f64 {
        let choices = &sums[..2 * self.0.names().len()];
        let of = |rest: usize| choices.iter().skip(rest).step_by(2).sum();
        100.0 * share(of(1), of(0))
    }

    fn details(&self, sums: &[i64]) -> Vec<(&'static str, f64)> {
        let names = self.0.names();
        let of_names = names.iter().enumerate();
        let of_names =
            of_names.map(|(at, name)| (*name, 100.0 * share(sums[2 * at + 1], sums[2 * at])));
        let all: i64 = sums[..2 * names.len()].iter().step_by(2).sum();
        let without = 100.0 * share(sums[2 * names.len()], all);
        let counts = [("without", without), ("segments", all as f64)];
        of_names.chain(counts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SegmentSums;

    #[test]
    fn segments_whose_reference_makes_no_choice_do_not_count() {
        let metric = ChoiceAccuracy(ChoiceKind::Formality);
        let sources = ["You?", "You there!", "Nothing.", "Yours?", "You win."];
        let references = ["Du?", "Ihr da!", "Nichts.", "Eins?", "Gewonnen."];
        let hypotheses = ["du?", "Du da!", "Du.", "Alles?", "Du gewinnst."];
        let sums = SegmentSums::count_with_sources(
            &metric,
            &sources,
            &hypotheses,
            &[references.map(str::to_owned).to_vec()],
        );
        let total = sums.total();
        assert!((metric.score(&total) - 50.0).abs() < 1e-9, "{total:?}");
        let details = metric.details(&total);
        assert_eq!(details.last(), Some(&("segments", 2.0)));
        assert_eq!(details[0], ("du", 100.0));
        assert_eq!(details[2], ("plural", 0.0));
    }
}
