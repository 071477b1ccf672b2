//! Porter's stemmer for English as NLTK has it.
//!
//! Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the changes that NLTK's `PorterStemmer` makes
//! in its default mode; the steps have the paper's names.

/// The stem of an English word in lower case.
pub fn porter_stem(word: &str) -> String {
    if let Some(&(_, stem)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return stem.to_owned();
    }
    if word.chars().count() <= 2 {
        return word.to_owned();
    }
    let steps = [
        step_1a, step_1b, step_1c, step_2, step_3, step_4, step_5a, step_5b,
    ];
    steps.iter().fold(word.to_owned(), |word, step| step(&word))
}

const IRREGULAR: [(&str, &str); 16] = [
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

/// Whether each letter is a consonant: `y` is one unless it follows one.
fn consonants(word: &str) -> Vec<bool> {
    let mut consonants: Vec<bool> = Vec::with_capacity(word.len());
    for letter in word.chars() {
        consonants.push(match letter {
            'a' | 'e' | 'i' | 'o' | 'u' => false,
            'y' => consonants
                .last()
                .is_none_or(|after_consonant| !after_consonant),
            _ => true,
        });
    }
    consonants
}

/// How often a consonant follows a vowel: the paper's m.
fn measure(stem: &str) -> usize {
    let consonants = consonants(stem);
    let pairs = consonants.windows(2);
    pairs.filter(|pair| !pair[0] && pair[1]).count()
}

fn contains_vowel(stem: &str) -> bool {
    consonants(stem).contains(&false)
}

/// The paper's *d.
fn ends_with_double_consonant(word: &str) -> bool {
    let mut letters = word.chars().rev();
    let pair = [letters.next(), letters.next()];
    pair[0].is_some() && pair[0] == pair[1] && consonants(word).last() == Some(&true)
}

/// The paper's *o; NLTK adds words of a vowel and a consonant.
fn ends_short(word: &str) -> bool {
    match consonants(word).as_slice() {
        [false, true] => true,
        [.., true, false, true] => !word.ends_with(['w', 'x', 'y']),
        _ => false,
    }
}

type Rule = (&'static str, &'static str);

/// Applies the first rule whose suffix the word has, if what remains passes.
fn replace(word: &str, rules: &[Rule], passes: impl Fn(&str) -> bool) -> String {
    let found = rules
        .iter()
        .find_map(|(suffix, with)| Some((word.strip_suffix(suffix)?, with)));
    match found {
        Some((stem, with)) if passes(stem) => format!("{stem}{with}"),
        _ => word.to_owned(),
    }
}

fn step_1a(word: &str) -> String {
    if word.chars().count() == 4 && word.ends_with("ies") {
        return replace(word, &[("ies", "ie")], |_| true);
    }
    let rules = [("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")];
    replace(word, &rules, |_| true)
}

fn step_1b(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ied") {
        let ending = if stem.chars().count() == 1 { "ie" } else { "i" };
        return format!("{stem}{ending}");
    }
    if word.ends_with("eed") {
        return replace(word, &[("eed", "ee")], |stem| measure(stem) > 0);
    }
    let stem = ["ed", "ing"]
        .iter()
        .filter_map(|suffix| word.strip_suffix(suffix))
        .find(|stem| contains_vowel(stem));
    let Some(stem) = stem else {
        return word.to_owned();
    };
    if ["at", "bl", "iz"]
        .iter()
        .any(|ending| stem.ends_with(ending))
    {
        return format!("{stem}e");
    }
    if ends_with_double_consonant(stem) {
        let single = &stem[..stem.len() - stem.chars().next_back().map_or(0, char::len_utf8)];
        return if stem.ends_with(['l', 's', 'z']) {
            stem
        } else {
            single
        }
        .to_owned();
    }
    if measure(stem) == 1 && ends_short(stem) {
        return format!("{stem}e");
    }
    stem.to_owned()
}

/// NLTK requires a consonant that is not the first letter, the paper for any vowel.
fn step_1c(word: &str) -> String {
    replace(word, &[("y", "i")], |stem| {
        let consonants = consonants(stem);
        consonants.len() > 1 && consonants.last() == Some(&true)
    })
}

const STEP_2: [Rule; 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
];

fn step_2(word: &str) -> String {
    match word.strip_suffix("alli") {
        Some(stem) if measure(stem) > 0 => return step_2(&format!("{stem}al")),
        _ => {}
    }
    // The l of `logi` belongs to the stem, so that `geo` is long enough.
    if word.ends_with("logi") {
        return replace(word, &[("ogi", "og")], |stem| measure(stem) > 0);
    }
    replace(word, &STEP_2, |stem| measure(stem) > 0)
}

fn step_3(word: &str) -> String {
    let rules = [
        ("icate", "ic"),
        ("ative", ""),
        ("alize", "al"),
        ("iciti", "ic"),
        ("ical", "ic"),
        ("ful", ""),
        ("ness", ""),
    ];
    replace(word, &rules, |stem| measure(stem) > 0)
}

const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

fn step_4(word: &str) -> String {
    let suffix = STEP_4.iter().find(|suffix| word.ends_with(**suffix));
    let Some(suffix) = suffix else {
        return word.to_owned();
    };
    replace(word, &[(suffix, "")], |stem| {
        measure(stem) > 1 && (*suffix != "ion" || stem.ends_with(['s', 't']))
    })
}

fn step_5a(word: &str) -> String {
    replace(word, &[("e", "")], |stem| match measure(stem) {
        0 => false,
        1 => !ends_short(stem),
        _ => true,
    })
}

fn step_5b(word: &str) -> String {
    replace(word, &[("ll", "l")], |stem| {
        measure(&format!("{stem}l")) > 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_stems_that_nltk_gives_them() {
        // NLTK 3.10: PorterStemmer().stem(word)
        for (word, stem) in [
            ("caresses", "caress"),
            ("flies", "fli"),
            ("dies", "die"),
            ("died", "die"),
            ("agreed", "agre"),
            ("meeting", "meet"),
            ("siezing", "siez"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("enjoyment", "enjoy"),
            ("relational", "relat"),
            ("geology", "geolog"),
            ("generically", "gener"),
            ("hopefully", "hope"),
            ("adoption", "adopt"),
            ("controlling", "control"),
            ("skies", "sky"),
            ("is", "is"),
            ("café", "café"),
        ] {
            assert_eq!(porter_stem(word), stem, "{word}");
        }
    }
}
