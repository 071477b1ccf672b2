//! Genders of German nouns, learnt from the articles before them.

use std::collections::HashMap;

use super::words::{Word, words};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Gender {
    Masculine,
    Feminine,
    Neuter,
}

use Gender::{Feminine, Masculine, Neuter};

/// Articles that a noun must have been seen with, and how many of these must agree.
const LEAST: usize = 3;
const SHARE: f64 = 0.9;

/// The letters that a noun must share with the end of a compound to lend it its gender.
const HEAD: usize = 4;

/// Genders of singular nouns.
#[derive(Debug, Default)]
pub(super) struct Genders {
    known: HashMap<String, Gender>,
    /// The nouns in lower case, for the heads of compounds.
    heads: HashMap<String, Gender>,
}

/// Endings of adjectives.
const ENDINGS: [&str; 5] = ["e", "en", "er", "es", "em"];

/// A noun with its article.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phrase<'t> {
    pub article: Word<'t>,
    pub noun: Word<'t>,
    pub gender: Gender,
    /// First and last word in the sentence.
    pub words: (usize, usize),
}

impl Genders {
    /// Learns from German sentences.
    pub(super) fn learn<'t>(sentences: impl IntoIterator<Item = &'t str>) -> Self {
        let mut votes: HashMap<String, [usize; 3]> = HashMap::new();
        for sentence in sentences {
            let words = words(sentence);
            for at in 0..words.len() {
                let Some((noun, adjective)) = noun_after(&words, at) else {
                    continue;
                };
                let vote = match (words[at].lower().as_str(), adjective) {
                    ("einen" | "keinen" | "jeden", _) => Masculine,
                    ("eine" | "einer" | "zur" | "jede", _) => Feminine,
                    ("das" | "ins" | "dieses" | "jedes", _) => Neuter,
                    ("ein" | "kein", Some(adjective)) if adjective.ends_with("er") => Masculine,
                    ("ein" | "kein", Some(adjective)) if adjective.ends_with("es") => Neuter,
                    _ => continue,
                };
                votes.entry(words[noun].text.to_owned()).or_default()[vote as usize] += 1;
            }
        }
        let mut genders = Self::default();
        for (noun, votes) in votes {
            let (total, most) = (votes.iter().sum::<usize>(), votes.iter().max());
            let Some(winner) = votes.iter().position(|count| Some(count) == most) else {
                continue;
            };
            let agree = votes[winner] as f64 >= SHARE * total as f64;
            if total >= LEAST && agree {
                let gender = [Masculine, Feminine, Neuter][winner];
                genders.heads.insert(noun.to_lowercase(), gender);
                genders.known.insert(noun, gender);
            }
        }
        genders
    }

    /// The gender of a noun that was itself seen with articles of the singular.
    pub(super) fn known(&self, noun: &str) -> Option<Gender> {
        self.known.get(noun).copied()
    }

    /// The gender of a noun: its own, that of its last part, or what its ending says.
    pub(super) fn get(&self, noun: &str) -> Option<Gender> {
        if let Some(gender) = self.known(noun) {
            return Some(gender);
        }
        let lower = noun.to_lowercase();
        let starts = lower.char_indices().map(|(at, _)| at).skip(1);
        let longest_head = starts
            .filter(|&at| lower[at..].chars().count() >= HEAD)
            .find_map(|at| self.heads.get(&lower[at..]));
        longest_head.copied().or_else(|| by_ending(&lower))
    }

    /// The nouns with an article of the singular in a sentence, in order.
    pub(super) fn phrases<'t>(&self, words: &[Word<'t>]) -> Vec<Phrase<'t>> {
        let phrase = |at: usize| {
            let (noun, _) = noun_after(words, at)?;
            let gender = self.get(words[noun].text)?;
            agrees(&words[at].lower(), gender).then_some(Phrase {
                article: words[at],
                noun: words[noun],
                gender,
                words: (at, noun),
            })
        };
        (0..words.len()).filter_map(phrase).collect()
    }
}

/// Duden's endings that decide the gender.
fn by_ending(noun: &str) -> Option<Gender> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    if ends(&["ung", "heit", "keit", "schaft", "tion", "sion", "tät"]) {
        Some(Feminine)
    } else if ends(&["chen", "lein"]) {
        Some(Neuter)
    } else if ends(&["ismus"]) {
        Some(Masculine)
    } else {
        None
    }
}

/// The place of the noun of an article at `at`, and the adjective between them.
fn noun_after<'t>(words: &[Word<'t>], at: usize) -> Option<(usize, Option<&'t str>)> {
    let joined = |at: usize| words.get(at).filter(|word| !word.after_mark);
    let next = joined(at + 1)?;
    // `das Europäische Parlament`
    let ends = |stem: &str| {
        ENDINGS
            .iter()
            .any(|ending| next.text.ends_with(&format!("{stem}{ending}")))
    };
    if next.is_capitalised() && !ends("isch") {
        return Some((at + 1, None));
    }
    let is_adjective = ends("");
    let noun = joined(at + 2).filter(|word| is_adjective && word.is_capitalised());
    noun.map(|_| (at + 2, Some(next.text)))
}

/// Whether an article can be that of a singular noun of this gender.
pub(super) fn agrees(article: &str, gender: Gender) -> bool {
    let both = |article: &str| {
        matches!(
            article,
            "dem"
                | "des"
                | "ein"
                | "einem"
                | "eines"
                | "kein"
                | "keinem"
                | "diesem"
                | "jedem"
                | "im"
                | "am"
                | "vom"
                | "beim"
                | "zum"
        )
    };
    match gender {
        Masculine => {
            both(article)
                || matches!(
                    article,
                    "der" | "den" | "einen" | "keinen" | "dieser" | "diesen" | "jeder" | "jeden"
                )
        }
        Feminine => matches!(
            article,
            "die"
                | "der"
                | "eine"
                | "einer"
                | "keine"
                | "keiner"
                | "diese"
                | "dieser"
                | "jede"
                | "jeder"
                | "zur"
        ),
        Neuter => both(article) || matches!(article, "das" | "dieses" | "jedes" | "ins"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn genders() -> Genders {
        let text = "Sie sehen einen Rahmen und eine Tabelle, das Fenster, ein neues Blatt, eine kleine Vorlage.";
        Genders::learn([text, text, text, "einen Kurs", "Das Wort mag das Daten."])
    }

    #[test]
    fn articles_compounds_and_endings_say_the_gender() {
        let genders = genders();
        for (noun, gender) in [
            ("Rahmen", Some(Masculine)),
            ("Tabelle", Some(Feminine)),
            ("Fenster", Some(Neuter)),
            ("Blatt", Some(Neuter)),
            ("Absatzvorlage", Some(Feminine)),
            ("Ausrichtung", Some(Feminine)),
            ("Kurs", None),
            ("Tabellen", None),
        ] {
            assert_eq!(genders.get(noun), gender, "{noun}");
        }
        assert_eq!(genders.known("Absatzvorlage"), None);
    }

    #[test]
    fn only_articles_of_the_singular_make_a_phrase() {
        let genders = genders();
        let found = |text: &str| -> Vec<String> {
            let words = words(text);
            let phrases = genders.phrases(&words);
            phrases
                .iter()
                .map(|phrase| phrase.noun.text.to_owned())
                .collect()
        };
        assert_eq!(
            found("Die Tabelle im aktiven Fenster, Rahmen"),
            ["Tabelle", "Fenster"]
        );
        assert_eq!(found("die Fenster der Rahmen"), ["Rahmen"]);
    }
}
