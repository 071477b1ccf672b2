//! Which words count as forms of one word.

use rust_stemmers::Algorithm;

use super::porter_stem;

/// Cuts the endings off words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stemmer {
    /// Leaves words as they are: exact matches only.
    None,
    /// English: Porter's algorithm with NLTK's changes.
    #[default]
    English,
    /// German: Snowball's algorithm.
    German,
}

impl Stemmer {
    /// As signatures call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::English => "porter-nltk",
            Self::German => "snowball-german",
        }
    }

    /// The stems of words in lower case.
    pub fn stems(self, words: &[String]) -> Vec<String> {
        match self {
            Self::None => words.to_vec(),
            Self::English => words.iter().map(|word| porter_stem(word)).collect(),
            Self::German => {
                let stemmer = rust_stemmers::Stemmer::create(Algorithm::German);
                let stem = |word: &String| stemmer.stem(word).into_owned();
                words.iter().map(stem).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn german_forms_have_one_stem() {
        let words = ["katze", "katzen", "häuser", "haus", "aufeinanderfolgenden"];
        let stems = Stemmer::German.stems(&words.map(str::to_owned));
        // NLTK 3.10: SnowballStemmer("german").stem(word)
        assert_eq!(stems, ["katz", "katz", "haus", "haus", "aufeinanderfolg"]);
    }
}
