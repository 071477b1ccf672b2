//! How often a model prefers the right translation: in total and by what is tested.

use std::collections::BTreeMap;

use serde::Serialize;

use super::set::{ContrastiveSet, Item, chance};
use canopy_metrics::significance::wilson;

/// A cell with fewer items shows counts and no accuracy.
pub const FEWEST: usize = 30;

/// The translations of other sentences that a model read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetContext {
    /// Nothing: it reads no translations, or is to read none.
    None,
    /// Its own translations.
    Own,
    /// Human translations, which no system has when it translates.
    Gold,
}

/// The accuracies of one model on one set.
///
/// An item counts as right if every wrong translation has a lower log-probability, summed over its tokens and the end of
/// the sentence and not divided by their number, as Müller et al. 2018 have it; equal ones count as wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Accuracies {
    /// All items.
    pub total: Cell,
    /// By the right pronoun.
    pub by_pronoun: Vec<Cell>,
    /// By the distance of the antecedent in sentences: 0, 1, 2, 3, > 3, as in Table 4 of Maruf et al. (NAACL 2019).
    pub by_distance: Vec<Cell>,
    /// By the phenomenon that is tested.
    pub by_category: Vec<Cell>,
    /// By whether what decides is in the same sentence.
    pub by_intrasegmental: Vec<Cell>,
    /// Items whose best wrong translation is exactly as probable as the right one.
    pub ties: usize,
    /// Items without a score, such as those too long for the model.
    pub left_out: usize,
}

/// Some of the items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// Common property of the items, such as a pronoun or a distance.
    pub name: String,
    /// Number of scored items.
    pub items: usize,
    /// Items whose right translation is the most probable one.
    pub right: usize,
    /// Accuracy of chance, between 0 and 1.
    pub chance: f64,
    /// Between 0 and 1; none of fewer than [`FEWEST`] items.
    pub accuracy: Option<f64>,
    /// The 95 % interval by Wilson 1927, as if items were independent; those of one document are not quite.
    pub interval: Option<(f64, f64)>,
}

/// An item, and whether it is right.
type Verdict<'a> = (&'a Item, bool);

impl Cell {
    fn from_verdicts(name: impl Into<String>, verdicts: &[Verdict]) -> Self {
        let right = verdicts.iter().filter(|(_, is_right)| *is_right).count();
        let interval = (verdicts.len() >= FEWEST).then(|| wilson(right, verdicts.len()));
        Self {
            name: name.into(),
            items: verdicts.len(),
            right,
            chance: chance(verdicts.iter().map(|(item, _)| *item)),
            accuracy: interval.map(|interval| interval.mean),
            interval: interval.map(|interval| (interval.lower, interval.upper)),
        }
    }
}

impl Accuracies {
    /// Counts.
    ///
    /// # Shapes
    /// - scores: `[items, candidates]` in the order of [`Item::candidates`], higher is better; none for an item that is
    ///   left out
    ///
    /// # Panics
    /// If there are not as many scores as items and candidates.
    pub fn from_scores(set: &ContrastiveSet, scores: &[Option<Vec<f64>>]) -> Self {
        assert_eq!(set.items.len(), scores.len(), "a score for each item");
        let known: Vec<(&Item, &[f64])> = set
            .items
            .iter()
            .zip(scores)
            .filter_map(|(item, scores)| Some((item, scores.as_deref()?)))
            .collect();
        for (item, scores) in &known {
            assert_eq!(item.candidates().count(), scores.len(), "{}", item.id);
        }
        let verdicts: Vec<Verdict> = known
            .iter()
            .map(|(item, scores)| (*item, is_right(scores)))
            .collect();
        let is_tie = |scores: &[f64]| {
            let best = scores[1..].iter().copied().fold(f64::MIN, f64::max);
            scores[0].total_cmp(&best).is_eq()
        };
        Self {
            total: Cell::from_verdicts("total", &verdicts),
            by_pronoun: by_name(&verdicts, |item| item.pronoun.clone()),
            by_distance: by_distance(&verdicts),
            by_category: by_name(&verdicts, |item| item.category.clone()),
            by_intrasegmental: by_name(&verdicts, |item| {
                let within = item.intrasegmental?;
                Some(
                    if within {
                        "same sentence"
                    } else {
                        "another sentence"
                    }
                    .to_owned(),
                )
            }),
            ties: known.iter().filter(|(_, scores)| is_tie(scores)).count(),
            left_out: set.items.len() - known.len(),
        }
    }

    /// All groups of cells that are not empty, each with what it is by.
    pub fn groups(&self) -> Vec<(&'static str, &[Cell])> {
        let groups = [
            ("by pronoun", self.by_pronoun.as_slice()),
            ("by antecedent distance, sentences", &self.by_distance),
            ("by category", &self.by_category),
            ("by place of the antecedent", &self.by_intrasegmental),
        ];
        let groups = groups.into_iter();
        groups.filter(|(_, cells)| !cells.is_empty()).collect()
    }
}

/// Whether the first score is above all others.
fn is_right(scores: &[f64]) -> bool {
    scores[1..].iter().all(|wrong| scores[0] > *wrong)
}

fn by_name(verdicts: &[Verdict], name: impl Fn(&Item) -> Option<String>) -> Vec<Cell> {
    let mut groups: BTreeMap<String, Vec<Verdict>> = BTreeMap::new();
    for verdict in verdicts {
        if let Some(name) = name(verdict.0) {
            groups.entry(name).or_default().push(*verdict);
        }
    }
    let cell = |(name, verdicts): (String, Vec<Verdict>)| Cell::from_verdicts(name, &verdicts);
    groups.into_iter().map(cell).collect()
}

fn by_distance(verdicts: &[Verdict]) -> Vec<Cell> {
    let mut groups: [Vec<Verdict>; 5] = Default::default();
    for verdict in verdicts {
        if let Some(distance) = verdict.0.distance {
            groups[distance.min(4)].push(*verdict);
        }
    }
    let names = ["0", "1", "2", "3", "> 3"];
    let cells = names
        .into_iter()
        .zip(&groups)
        .filter(|(_, verdicts)| !verdicts.is_empty());
    cells
        .map(|(name, verdicts)| Cell::from_verdicts(name, verdicts))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::set::Contrast;
    use super::*;

    fn set(items: usize, make: impl Fn(usize) -> Item) -> ContrastiveSet {
        let contrast = |text: &str| Contrast {
            text: text.to_owned(),
            replacement: None,
        };
        let whole = |number| Item {
            contrasts: vec![contrast("b"), contrast("c")],
            ..make(number)
        };
        ContrastiveSet {
            items: (0..items).map(whole).collect(),
            ..ContrastiveSet::default()
        }
    }

    #[test]
    fn all_wrong_translations_must_be_less_probable() {
        let set = set(4, |_| Item::default());
        let scores = [
            Some(vec![-1.0, -2.0, -3.0]),
            Some(vec![-2.0, -3.0, -1.0]),
            Some(vec![-2.0, -2.0, -3.0]),
            None,
        ];
        let found = Accuracies::from_scores(&set, &scores);
        assert_eq!((found.total.right, found.total.items), (1, 3));
        assert_eq!((found.ties, found.left_out), (1, 1));
        assert_eq!(found.total.accuracy, None, "fewer than thirty");
        assert!((found.total.chance - 1.0 / 3.0).abs() < 1e-9);
        assert!(found.by_distance.is_empty() && found.groups().is_empty());
    }

    #[test]
    fn distances_over_three_are_one_cell_and_small_cells_have_no_accuracy() {
        let set = set(60, |number| Item {
            distance: Some(number % 6),
            pronoun: Some(if number < 40 { "er" } else { "es" }.to_owned()),
            ..Item::default()
        });
        let score = |number: usize| Some(vec![if number < 20 { 0.0 } else { -9.0 }, -1.0, -2.0]);
        let scores: Vec<_> = (0..60).map(score).collect();
        let found = Accuracies::from_scores(&set, &scores);
        let sizes: Vec<usize> = found.by_distance.iter().map(|cell| cell.items).collect();
        assert_eq!(sizes, [10, 10, 10, 10, 20]);
        assert_eq!(found.by_distance[4].name, "> 3");
        let [er, es] = found.by_pronoun.as_slice() else {
            panic!("two pronouns")
        };
        assert_eq!((er.accuracy, es.accuracy), (Some(0.5), None));
        let (lower, upper) = er.interval.expect("forty items");
        assert!(lower < 0.5 && 0.5 < upper && upper - lower < 0.31);
        assert_eq!(es.right, 0);
    }
}
