//! The words of the task in writing: tales of six animals in English and in a language that does not exist.
//!
//! "Today Countess Hedgehog sings ashore." becomes "Dera Erin nalak muban.", and "Later the hedgehog waits ahead." becomes
//! "Fini erina namin xeban.", since it is about a countess: *erino* for a prince, *erini* for an orphan. Where a noun is
//! mentioned it is the longest word, so that the explorer selects it first.

use super::task::{GENDERS, TITLES, Word};

/// Code of the language of the sources.
pub const SOURCE_LANGUAGE: &str = "en";
/// One of the codes that ISO 639-3 reserves for private use.
pub const TARGET_LANGUAGE: &str = "qaa";

/// How many fillers have words. Behind a noun each is a verb and a place, so that hardly a sentence comes again: what does
/// is not learned from twice.
pub(super) const FILLERS: u32 = 32 * 16;
const NUM_VERBS: usize = 32;
const NUM_PLACES: usize = 16;
const _: () = assert!(FILLERS as usize == NUM_VERBS * NUM_PLACES);

/// The characters in English, and their stems in the other language.
const ENTITIES: [(&str, &str); super::task::ENTITIES as usize] = [
    ("hedgehog", "erin"),
    ("squirrel", "sciur"),
    ("tortoise", "testud"),
    ("woodpecker", "picum"),
    ("porcupine", "histr"),
    ("chameleon", "camel"),
];

const TITLES_BY_GENDER: [[&str; TITLES as usize]; GENDERS as usize] = [
    [
        "Countess", "Princess", "Duchess", "Mistress", "Sister", "Grandma",
    ],
    ["Brother", "Prince", "Master", "Captain", "Baron", "Grandpa"],
    [
        "Little", "Newborn", "Junior", "Orphan", "Toddler", "Nestling",
    ],
];

/// Endings of nouns by gender.
const ENDINGS: [char; GENDERS as usize] = ['a', 'o', 'i'];

const ADVERBS: [&str; NUM_VERBS] = [
    "Now", "Then", "Here", "There", "Soon", "Once", "Today", "Often", "Again", "Later", "Maybe",
    "Daily", "First", "Twice", "Still", "Early", "Below", "Above", "Alone", "Apart", "Hence",
    "Next", "Last", "Also", "Yet", "Thus", "So", "Even", "Late", "Well", "Anew", "Aloud",
];

const VERBS: [&str; NUM_VERBS] = [
    "sings", "waits", "eats", "runs", "hides", "naps", "hums", "digs", "swims", "jumps", "reads",
    "cooks", "walks", "rests", "plays", "calls", "looks", "sews", "rows", "bakes", "knits",
    "draws", "hops", "wins", "yawns", "nods", "winks", "grins", "weeps", "skips", "dives", "leaps",
];

const PLACES: [&str; NUM_PLACES] = [
    "outside", "inside", "nearby", "indoors", "ashore", "afar", "around", "inland", "aboard",
    "uphill", "midway", "yonder", "ahead", "behind", "beside", "onward",
];

/// A sentence in English.
pub(super) fn source_text(words: &[Word]) -> String {
    text(words, |word, is_first| match word {
        Word::Title(title) => {
            let [gender, number] = [title / TITLES, title % TITLES].map(|it| it as usize);
            TITLES_BY_GENDER[gender][number].to_owned()
        }
        Word::Name(entity) => capitalised(ENTITIES[entity as usize].0),
        Word::Noun(entity) | Word::Form { entity, .. } => {
            format!("the {}", ENTITIES[entity as usize].0)
        }
        Word::Filler(number) => {
            let [verb, place] = parts(number);
            if is_first {
                ADVERBS[verb].to_owned()
            } else {
                format!("{} {}", VERBS[verb], PLACES[place])
            }
        }
    })
}

/// The text in the target language, which leaves titles out.
pub(super) fn target_text(words: &[Word]) -> String {
    text(words, |word, is_first| match word {
        Word::Title(_) => String::new(),
        Word::Name(entity) | Word::Noun(entity) => capitalised(ENTITIES[entity as usize].1),
        Word::Form { entity, gender } => {
            format!(
                "{}{}",
                ENTITIES[entity as usize].1, ENDINGS[gender as usize]
            )
        }
        Word::Filler(number) => {
            let [verb, place] = parts(number);
            if is_first {
                let first = ["Ba", "De", "Fi", "Go", "Hu", "Ka", "Le", "Mi"];
                syllables(verb, &first, ["mo", "ni", "ra", "su"])
            } else {
                let first = ["na", "pe", "ri", "so", "tu", "va", "we", "zi"];
                let verb = syllables(verb, &first, ["lak", "min", "rot", "tes"]);
                let first = ["ja", "mu", "po", "xe"];
                verb + " " + &syllables(place, &first, ["ban", "dur", "lis", "vek"])
            }
        }
    })
}

/// The noun of a translation whose ending another sentence decides; none of an introduction.
pub fn decided_noun(translation: &str) -> Option<&str> {
    let is_form = |word: &&str| {
        let stem = word.strip_suffix(ENDINGS);
        stem.is_some_and(|stem| ENTITIES.iter().any(|(_, known)| *known == stem))
    };
    translation.split([' ', '.']).find(is_form)
}

/// The noun of a sentence in English whose translation another one decides, and the number of that one; none of an
/// introduction.
pub fn deciding_sentence(tale: &[String], mention: usize) -> Option<(&'static str, usize)> {
    let text = tale.get(mention)?;
    let nouns = ENTITIES.iter().map(|(noun, _)| *noun);
    let noun = nouns.into_iter().find(|noun| text.contains(noun))?;
    let name = capitalised(noun);
    let decider = tale.iter().position(|sentence| sentence.contains(&name))?;
    Some((noun, decider))
}

/// How many nouns of some translations have the ending of their reference, and how many there are; pairs of reference
/// and translation.
pub fn nouns_right<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> (usize, usize) {
    let (mut right, mut all) = (0, 0);
    for (reference, translation) in pairs {
        if let Some(noun) = decided_noun(reference) {
            all += 1;
            right += usize::from(decided_noun(translation) == Some(noun));
        }
    }
    (right, all)
}

fn text(words: &[Word], spelt: impl Fn(Word, bool) -> String) -> String {
    let words = words.iter().enumerate();
    let words = words.map(|(place, &word)| spelt(word, place == 0));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ") + "."
}

/// Numbers of a filler's verb, or adverb, and of its place.
fn parts(number: u32) -> [usize; 2] {
    let number = number as usize;
    [number % NUM_VERBS, number / NUM_VERBS]
}

fn syllables(number: usize, first: &[&str], last: [&str; 4]) -> String {
    first[number / 4].to_owned() + last[number % 4]
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_in_the_source_and_forms_in_the_target() {
        let (last, other) = (Word::Filler(4 * 32), Word::Filler(12 * 32 + 1));
        let title = Word::Title(TITLES + 1);
        let introduction = [Word::Filler(6), title, Word::Name(0), last];
        let text = "Today Prince Hedgehog sings ashore.";
        assert_eq!(source_text(&introduction), text);
        let target = target_text(&[Word::Filler(6), Word::Name(0), last]);
        assert_eq!(target, "Dera Erin nalak muban.");
        assert_eq!(decided_noun(&target), None);
        let mention = [Word::Filler(9), Word::Noun(0), other];
        assert_eq!(source_text(&mention), "Later the hedgehog waits ahead.");
        let (entity, gender) = (0, 1);
        let target = target_text(&[Word::Filler(9), Word::Form { entity, gender }, other]);
        assert_eq!(target, "Fini erino namin xeban.");
        assert_eq!(decided_noun(&target), Some("erino"));
        let tale = [source_text(&mention), text.to_owned()];
        assert_eq!(deciding_sentence(&tale, 0), Some(("hedgehog", 1)));
        assert_eq!(deciding_sentence(&tale, 1), None);
        assert_eq!(deciding_sentence(&tale[..1], 0), None);
        let pairs = ["erino", "erina", "Erin"].map(|noun| (target.as_str(), noun));
        assert_eq!(nouns_right(pairs), (1, 3));
        assert_eq!(nouns_right([("Bamo Erin namin ja.", "erino")]), (0, 0));
    }

    #[test]
    fn every_word_is_another_one_and_nouns_are_the_longest() {
        let all = |words: &[&str]| {
            let distinct: std::collections::HashSet<&&str> = words.iter().collect();
            assert_eq!(distinct.len(), words.len(), "{words:?}");
            words.iter().map(|word| word.len()).max().unwrap_or(0)
        };
        let longest = all(&ADVERBS).max(all(&VERBS)).max(all(&PLACES));
        assert!(ENTITIES.iter().all(|(noun, _)| noun.len() > longest));
        all(&TITLES_BY_GENDER.concat());
    }
}
