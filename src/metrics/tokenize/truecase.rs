//! Moses' truecaser: words get the case that they have most often inside a sentence.
//!
//! Koehn et al., "Moses: Open Source Toolkit for Statistical Machine Translation", ACL 2007, `train-truecaser.perl` and
//! `truecase.perl` without their handling of XML tags and of factors.

use std::collections::{HashMap, HashSet};

/// The most frequent forms of words.
#[derive(Debug, Clone, Default)]
pub struct Truecaser {
    /// By the word in lower case.
    best: HashMap<String, String>,
    known: HashSet<String>,
}

impl Truecaser {
    /// Learns from sentences in words. The first word of a sentence says nothing.
    pub fn learn<'a>(sentences: impl IntoIterator<Item = &'a [String]>) -> Self {
        // How often, and how early first, so that of equally frequent forms the first one wins.
        let mut forms: HashMap<String, HashMap<&str, (usize, usize)>> = HashMap::new();
        let mut seen = 0;
        for sentence in sentences {
            let mut begins = true;
            for word in sentence.iter().filter(|word| !delays_start(word)) {
                if !begins && ends_sentence(word) {
                    begins = true;
                    continue;
                }
                if !begins && word.contains(|c: char| c.is_lowercase() || c.is_uppercase()) {
                    seen += 1;
                    let forms = forms.entry(word.to_lowercase()).or_default();
                    forms.entry(word).or_insert((0, seen)).0 += 1;
                }
                begins = false;
            }
        }
        let mut truecaser = Self::default();
        for (lower, forms) in forms {
            truecaser
                .known
                .extend(forms.keys().map(|&form| form.to_owned()));
            let best = forms
                .iter()
                .max_by_key(|(_, (count, first))| (*count, std::cmp::Reverse(*first)));
            if let Some((form, _)) = best {
                truecaser.best.insert(lower, (*form).to_owned());
            }
        }
        truecaser
    }

    /// Gives the words of a sentence their usual case; inside it, forms that are known stay.
    pub fn apply(&self, words: &[String]) -> Vec<String> {
        let mut begins = true;
        let cased = words.iter().map(|word| {
            let keep = !begins && self.known.contains(word);
            let best = self.best.get(&word.to_lowercase()).filter(|_| !keep);
            if ends_sentence(word) {
                begins = true;
            } else if !delays_start(word) {
                begins = false;
            }
            best.unwrap_or(word).clone()
        });
        cased.collect()
    }
}

fn ends_sentence(word: &str) -> bool {
    matches!(word, "." | ":" | "?" | "!")
}

/// Marks before the first word.
fn delays_start(word: &str) -> bool {
    matches!(word, "(" | "[" | "\"" | "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_gets_its_usual_case() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let sentences = [
            "Wir sehen das Haus .",
            "\" Das Haus ist alt",
            "Ist das alt ?",
        ]
        .map(words);
        let truecaser = Truecaser::learn(sentences.iter().map(Vec::as_slice));
        let apply = |text| truecaser.apply(&words(text)).join(" ");
        assert_eq!(apply("Das Haus . Alt ist es"), "das Haus . alt ist es");
        assert_eq!(apply("( HAUS und DAS )"), "( Haus und das )");
        assert_eq!(apply("Unbekannt"), "Unbekannt");
    }
}
