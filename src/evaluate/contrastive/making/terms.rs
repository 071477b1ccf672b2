//! Terms that a corpus translates in two ways, and pages that keep to one of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Draft;
use super::gender::{Genders, agrees};
use super::words::{Word, words};

/// Letters of a word that may be a term.
const LETTERS: usize = 4;
/// Units in which a source word must be, and those that must have each translation.
const WORD_UNITS: usize = 10;
const PAIR_UNITS: usize = 5;
/// Minimum share of the units with a translation that have the source word.
const FROM_TARGET: f64 = 0.3;
/// A source word goes with a translation at least so well (by Dice's coefficient) as the one that goes with it best.
const OF_BEST: f64 = 0.9;
/// Minimum shares of the units with the source word that have each of the two translations, and one of them.
const EACH: f64 = 0.05;
const EITHER: f64 = 0.5;
/// Maximum share of the units with the rarer translation that have the other too.
const BOTH: f64 = 0.05;
/// Letters at the beginning that make two words forms of the same one.
const SAME: usize = 4;

/// A translation of a term, and the other one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    source: String,
    target: String,
    other: String,
    /// Whether `target` is the more frequent of the two.
    usual: bool,
}

/// Terms with two translations, by their translation.
#[derive(Debug, Default)]
pub(super) struct Terms<'g> {
    by_target: BTreeMap<String, Vec<Choice>>,
    /// None where words of the target language show no grammar that we know.
    genders: Option<&'g Genders>,
}

type Counts = HashMap<String, usize>;

impl<'g> Terms<'g> {
    /// Learns from pairs of sentences; `genders` if the target language is German.
    pub(super) fn learn(pairs: &[(&str, &str)], genders: Option<&'g Genders>) -> Self {
        let is_german = genders.is_some();
        let sides: Vec<(Vec<String>, Vec<String>)> = pairs
            .iter()
            .map(|(source, target)| (source_words(source), target_words(target, is_german)))
            .collect();
        let (mut of_source, mut of_target) = (Counts::new(), Counts::new());
        let mut of_pair: HashMap<(&str, &str), usize> = HashMap::new();
        for (source, target) in &sides {
            for word in source {
                *of_source.entry(word.clone()).or_default() += 1;
            }
            for word in target {
                *of_target.entry(word.clone()).or_default() += 1;
            }
            for from in source {
                for to in target {
                    *of_pair.entry((from, to)).or_default() += 1;
                }
            }
        }
        let dice =
            |from: &str, to: &str, both: usize| share(2 * both, of_source[from] + of_target[to]);
        let mut best: HashMap<&str, f64> = HashMap::new();
        for (&(from, to), &count) in &of_pair {
            let best = best.entry(to).or_default();
            *best = best.max(dice(from, to, count));
        }
        let mut translations: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
        for (&(from, to), &count) in &of_pair {
            let (source, target) = (of_source[from], of_target[to]);
            let is_translation = dice(from, to, count) >= OF_BEST * best[to]
                && source >= WORD_UNITS
                && count >= PAIR_UNITS
                && share(count, target) >= FROM_TARGET
                && share(count, source) >= EACH;
            if is_translation {
                translations.entry(from).or_default().push((to, count));
            }
        }
        let mut terms = Self {
            by_target: BTreeMap::new(),
            genders,
        };
        for (from, mut found) in translations {
            found.sort_unstable();
            for (at, &one) in found.iter().enumerate() {
                for &two in &found[at + 1..] {
                    let both = together(&sides, from, (one.0, two.0));
                    if terms.exclude_each_other((one, two), both, of_source[from]) {
                        terms.add(from, one, two);
                        terms.add(from, two, one);
                    }
                }
            }
        }
        terms
    }

    fn exclude_each_other(
        &self,
        (one, two): ((&str, usize), (&str, usize)),
        both: usize,
        source: usize,
    ) -> bool {
        let either = one.1 + two.1 - both;
        self.can_replace(one.0, two.0)
            && share(both, one.1.min(two.1)) <= BOTH
            && share(either, source) >= EITHER
    }

    /// Whether the words around one fit the other: the same gender in German, else the same last two letters. Forms of the
    /// same word and its compounds are no alternative.
    fn can_replace(&self, one: &str, two: &str) -> bool {
        let same = one
            .chars()
            .zip(two.chars())
            .take_while(|(a, b)| a == b)
            .count();
        let agree = match &self.genders {
            Some(genders) => {
                let gender = genders.get(one);
                gender.is_some() && gender == genders.get(two)
            }
            None => one.chars().rev().take(2).eq(two.chars().rev().take(2)),
        };
        let [one, two] = [one, two].map(str::to_lowercase);
        let is_part = one.ends_with(&two) || two.ends_with(&one);
        agree && same < SAME && !is_part
    }

    fn add(&mut self, source: &str, target: (&str, usize), other: (&str, usize)) {
        let choice = Choice {
            source: source.to_owned(),
            target: target.0.to_owned(),
            other: other.0.to_owned(),
            usual: target.1 >= other.1,
        };
        self.by_target
            .entry(target.0.to_owned())
            .or_default()
            .push(choice);
    }

    /// How many terms there are, each once.
    pub(super) fn len(&self) -> usize {
        self.by_target.values().map(Vec::len).sum::<usize>() / 2
    }

    /// Items for the last of `sentences`, pairs of source and target in reading order.
    pub(super) fn drafts(&self, sentences: &[(&str, &str)]) -> Vec<Draft> {
        let Some((&(source, target), earlier)) = sentences.split_last() else {
            return Vec::new();
        };
        let (from, to) = (words(source), words(target));
        let mut drafts = Vec::new();
        for (at, word) in to.iter().enumerate() {
            let Some(choices) = self.by_target.get(word.text) else {
                continue;
            };
            let chosen = choices.iter().filter(|choice| {
                count(&from, |word| word.lower() == choice.source) == 1
                    && count(&to, |word| word.text == choice.target) == 1
                    && count(&to, |word| word.text == choice.other) == 0
            });
            if !self.is_singular(&to, at) {
                continue;
            }
            for choice in chosen {
                let Some(distance) = last_use(earlier, choice) else {
                    continue;
                };
                let frequency = if choice.usual { "usual" } else { "rare" };
                drafts.push(Draft {
                    contrasts: vec![(word.replaced(target, &choice.other), choice.other.clone())],
                    category: format!("term, {frequency}"),
                    pronoun: None,
                    distance,
                    antecedent: format!("{} = {}", choice.source, choice.target),
                });
            }
        }
        drafts
    }

    /// Whether the word has an article that says it is singular; always where no genders are known.
    fn is_singular(&self, target: &[Word], at: usize) -> bool {
        let Some(genders) = &self.genders else {
            return true;
        };
        let phrases = genders.phrases(target);
        phrases
            .iter()
            .any(|phrase| phrase.words.1 == at && agrees(&phrase.article.lower(), phrase.gender))
    }
}

/// How many sentences ago the term was last translated so; none if it was not, or if it was translated otherwise too.
fn last_use(earlier: &[(&str, &str)], choice: &Choice) -> Option<usize> {
    let mut last = None;
    for (back, (source, target)) in earlier.iter().rev().enumerate() {
        if count(&words(source), |word| word.lower() == choice.source) == 0 {
            continue;
        }
        let to = words(target);
        if count(&to, |word| word.text == choice.other) > 0 {
            return None;
        }
        if last.is_none() && count(&to, |word| word.text == choice.target) > 0 {
            last = Some(back + 1);
        }
    }
    last
}

fn count(words: &[Word], is: impl Fn(&Word) -> bool) -> usize {
    words.iter().filter(|word| is(word)).count()
}

/// In how many units `from` has both translations.
fn together(sides: &[(Vec<String>, Vec<String>)], from: &str, (one, two): (&str, &str)) -> usize {
    let has = |words: &[String], word: &str| words.iter().any(|other| other == word);
    let units = sides
        .iter()
        .filter(|(source, target)| has(source, from) && has(target, one) && has(target, two));
    units.count()
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Each word that may be a term, once.
fn source_words(text: &str) -> Vec<String> {
    let long = words(text)
        .into_iter()
        .filter(is_long)
        .map(|word| word.lower());
    distinct(long)
}

/// Long words of a translation; in German, nouns that do not begin a sentence.
fn target_words(text: &str, is_german: bool) -> Vec<String> {
    let words = words(text).into_iter().filter(is_long);
    let nouns = words.filter(|word| !is_german || (word.is_capitalised() && !word.after_mark));
    distinct(nouns.map(|word| word.text.to_owned()))
}

fn is_long(word: &Word) -> bool {
    word.text.chars().all(char::is_alphabetic) && word.text.chars().count() >= LETTERS
}

fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    words.filter(|word| seen.insert(word.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages that call a folder differently, again and again, and articles that show the genders.
    fn genders() -> Genders {
        let pairs = pairs();
        Genders::learn(pairs.iter().map(|(_, target)| *target))
    }

    fn pairs() -> Vec<(&'static str, &'static str)> {
        let ordner = ("A new folder.", "Bitte einen Ordner hier öffnen.");
        let behälter = ("The old folder.", "Bitte einen Behälter hier öffnen.");
        [[ordner; 9].as_slice(), &[behälter; 6]].concat()
    }

    #[test]
    fn a_page_that_keeps_to_its_term_is_contrasted_with_the_other_one() {
        let genders = genders();
        let terms = Terms::learn(&pairs(), Some(&genders));
        assert_eq!(terms.len(), 1);
        let page = [
            ("A folder.", "Ein Behälter."),
            ("Click.", "Klick."),
            ("Close the folder.", "Schließen Sie den Behälter."),
        ];
        let drafts = terms.drafts(&page);
        let [draft] = drafts.as_slice() else {
            panic!("{drafts:?}")
        };
        assert_eq!(draft.contrasts[0].0, "Schließen Sie den Ordner.");
        assert_eq!((draft.distance, draft.category.as_str()), (2, "term, rare"));
    }

    #[test]
    fn a_page_that_says_both_or_has_a_plural_gives_nothing() {
        let genders = genders();
        let terms = Terms::learn(&pairs(), Some(&genders));
        let both = [
            ("A folder.", "Ein Ordner."),
            ("A folder.", "Ein Behälter."),
            ("Close the folder.", "Schließen Sie den Behälter."),
        ];
        assert!(terms.drafts(&both).is_empty());
        let first = [("Close the folder.", "Schließen Sie den Behälter.")];
        assert!(terms.drafts(&first).is_empty());
        let plural = [
            ("A folder.", "Ein Behälter."),
            ("Close each folder.", "Schließen Sie die Behälter."),
        ];
        assert!(terms.drafts(&plural).is_empty());
    }

    #[test]
    fn forms_of_a_word_and_words_that_stand_together_are_no_alternatives() {
        let pair = |target| ("Open a folder.", target);
        let pairs = [
            [pair("das einen Ordner und einen Behälter hat"); 9].as_slice(),
            &[pair("auch einen Ordner hier"); 9],
            &[pair("auch des Ordners hier"); 9],
        ]
        .concat();
        let genders = Genders::learn(pairs.iter().map(|(_, target)| *target));
        assert_eq!(Terms::learn(&pairs, Some(&genders)).len(), 0);
    }
}
