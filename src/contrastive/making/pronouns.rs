//! English `it` and `its` with German pronouns that show the gender of what they go back to.

use super::gender::{Gender, Genders};
use super::words::{Word, words};
use super::{Draft, Kind};

/// How far back an antecedent is looked for, in sentences; that of `es` less far, which often stands for no noun at all.
const FARTHEST: usize = 10;
const FARTHEST_OF_ES: usize = 3;

const PERSONAL: [&str; 6] = ["er", "sie", "es", "ihn", "ihm", "ihr"];
/// English pronouns that German renders with the same words.
const OTHERS: [&str; 8] = ["they", "them", "he", "she", "him", "her", "their", "his"];
const ENDINGS: [&str; 6] = ["", "e", "en", "em", "er", "es"];

/// German prepositions with the dative, after which `ihr` alone is the pronoun.
const TAKE_DATIVE: [&str; 6] = ["mit", "von", "zu", "bei", "aus", "nach"];

/// A German pronoun that renders `it` or `its`.
struct Found<'t> {
    word: Word<'t>,
    /// Its number in the sentence.
    at: usize,
    genders: &'static [Gender],
    /// What a noun of another gender would have in its place.
    wrong: Vec<String>,
    category: String,
    pronoun: String,
}

/// An item for the last of `sentences`, pairs of source and target in reading order; none if no rule holds.
pub(super) fn draft(sentences: &[(&str, &str)], genders: &Genders, kind: Kind) -> Option<Draft> {
    let &(source, target) = sentences.last()?;
    let (source_words, target_words) = (words(source), words(target));
    let found = match kind {
        Kind::Pronouns => personal(&source_words, &target_words),
        Kind::Possessives => possessive(&source_words, &target_words),
        Kind::Terms => None,
    }?;
    let (distance, antecedent) = antecedent(sentences, genders, &found)?;
    let replaced = |wrong: String| (found.word.replaced(target, &wrong), wrong);
    Some(Draft {
        contrasts: found.wrong.into_iter().map(replaced).collect(),
        category: found.category,
        pronoun: Some(found.pronoun),
        distance,
        antecedent,
    })
}

/// The nearest noun of the pronoun's gender before it that has an article of the singular, and how many sentences before.
fn antecedent(
    sentences: &[(&str, &str)],
    genders: &Genders,
    found: &Found,
) -> Option<(usize, String)> {
    let farthest = if found.pronoun == "es" {
        FARTHEST_OF_ES
    } else {
        FARTHEST
    };
    let earlier = sentences.iter().rev().take(farthest + 1).enumerate();
    for (distance, (_, target)) in earlier {
        let words = words(target);
        let phrases = genders.phrases(&words);
        let before = |noun: usize| distance > 0 || noun < found.at;
        let nearest = phrases
            .iter()
            .rev()
            .find(|phrase| before(phrase.words.1) && found.genders.contains(&phrase.gender));
        if let Some(phrase) = nearest {
            let text = format!("{} {}", phrase.article.lower(), phrase.noun.text);
            return Some((distance, text));
        }
    }
    None
}

fn only<'t>(words: &[Word<'t>], is: impl Fn(&Word<'t>) -> bool) -> Option<usize> {
    let mut places = (0..words.len()).filter(|&at| is(&words[at]));
    let place = places.next()?;
    places.next().is_none().then_some(place)
}

fn personal<'t>(source: &[Word<'t>], target: &[Word<'t>]) -> Option<Found<'t>> {
    let it = only(source, |word| {
        matches!(word.lower().split(['\'', '\u{2019}']).next(), Some("it"))
    })?;
    if source[it].text.len() > 2 {
        return None;
    }
    if source
        .iter()
        .any(|word| OTHERS.contains(&word.lower().as_str()))
        || is_expletive(source, it)
    {
        return None;
    }
    // Capital `Sie` addresses the reader, or cannot be told from that.
    let is_pronoun = |word: &Word| {
        let lower = word.lower();
        let may_be_capital = matches!(lower.as_str(), "er" | "es");
        PERSONAL.contains(&lower.as_str())
            && (!word.is_capitalised() || (word.after_mark && may_be_capital))
    };
    let at = only(target, is_pronoun)?;
    let pronoun = target[at].lower();
    let before = at.checked_sub(1).map(|at| target[at].lower());
    let case = case(source, it, before.as_deref(), &pronoun)?;
    if case == Case::Nominative && pronoun == "sie" && target.iter().any(|word| is_plural(word)) {
        return None;
    }
    if pronoun == "es" && has_fixed_es(target, at) {
        return None;
    }
    let forms = case.forms();
    let wrong = forms.iter().filter(|form| **form != pronoun);
    Some(Found {
        word: target[at],
        at,
        genders: genders_of(&pronoun),
        wrong: wrong.map(|form| (*form).to_owned()).collect(),
        category: format!("it:{pronoun}"),
        pronoun,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Nominative,
    Accusative,
    Dative,
}

impl Case {
    fn forms(self) -> &'static [&'static str] {
        match self {
            Self::Nominative => &["er", "sie", "es"],
            Self::Accusative => &["ihn", "sie", "es"],
            Self::Dative => &["ihm", "ihr"],
        }
    }
}

fn genders_of(pronoun: &str) -> &'static [Gender] {
    match pronoun {
        "er" | "ihn" => &[Gender::Masculine],
        "sie" | "ihr" => &[Gender::Feminine],
        "es" => &[Gender::Neuter],
        _ => &[Gender::Masculine, Gender::Neuter],
    }
}

/// The case of the German pronoun: by its form, or by what `it` is in the English sentence.
fn case(source: &[Word], it: usize, before: Option<&str>, pronoun: &str) -> Option<Case> {
    let takes_dative = before.is_some_and(|word| TAKE_DATIVE.contains(&word));
    match pronoun {
        "er" => return Some(Case::Nominative),
        "ihn" => return Some(Case::Accusative),
        "ihm" | "ihr" => return takes_dative.then_some(Case::Dative),
        _ => {}
    }
    let next = source
        .get(it + 1)
        .filter(|word| !word.after_mark)
        .map(Word::lower);
    let previous = it.checked_sub(1).map(|at| source[at].lower());
    let after_preposition = previous
        .as_deref()
        .is_some_and(|word| PREPOSITIONS.contains(&word));
    if after_preposition {
        let takes_accusative = matches!(before, Some("für" | "durch" | "ohne" | "gegen" | "um"));
        return takes_accusative.then_some(Case::Accusative);
    }
    match next.as_deref() {
        Some(next) if is_verb(next) => Some(Case::Nominative),
        Some(next) if PREPOSITIONS.contains(&next) || AFTER_OBJECTS.contains(&next) => {
            previous.map(|_| Case::Accusative)
        }
        Some(_) => None,
        None => previous.map(|_| Case::Accusative),
    }
}

const PREPOSITIONS: [&str; 16] = [
    "in", "on", "to", "of", "with", "for", "from", "by", "into", "at", "about", "over", "under",
    "as", "within", "through",
];
const AFTER_OBJECTS: [&str; 10] = [
    "and", "or", "if", "when", "while", "again", "so", "before", "after", "manually",
];

/// Whether an English word after `it` is the finite verb of which `it` is the subject.
fn is_verb(word: &str) -> bool {
    const AUXILIARIES: [&str; 16] = [
        "is", "was", "has", "had", "does", "did", "will", "would", "can", "cannot", "could", "may",
        "might", "must", "should", "shall",
    ];
    const NO_VERBS: [&str; 6] = ["its", "this", "always", "us", "as", "perhaps"];
    AUXILIARIES.contains(&word)
        || (word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !NO_VERBS.contains(&word))
}

/// Whether `it` stands for a clause that follows (`it is possible to …`, `it seems that …`) or for nothing (`it is a
/// pity`).
fn is_expletive(source: &[Word], it: usize) -> bool {
    const VERBS: [&str; 9] = [
        "is", "was", "be", "seems", "appears", "turns", "means", "takes", "makes",
    ];
    const NOUNS: [&str; 8] = ["a", "an", "the", "my", "our", "your", "time", "not"];
    const CLAUSES: [&str; 9] = [
        "to", "that", "if", "whether", "when", "how", "what", "why", "who",
    ];
    let clause = source[it + 1..].iter().take_while(|word| !word.after_mark);
    let following: Vec<String> = clause.take(6).map(Word::lower).collect();
    let verb = following
        .iter()
        .take(2)
        .position(|word| VERBS.contains(&word.as_str()));
    let Some(after) = verb.map(|verb| &following[verb + 1..]) else {
        return false;
    };
    let is_purpose = after.first().is_some_and(|word| word == "used");
    let is = |word: Option<&String>, list: &[&str]| {
        word.is_some_and(|word| list.contains(&word.as_str()))
    };
    is(after.first(), &NOUNS) || (!is_purpose && after.iter().any(|word| is(Some(word), &CLAUSES)))
}

/// Whether a German word is a verb of the plural, so that `sie` may be the plural too.
fn is_plural(word: &Word) -> bool {
    const PLURAL: [&str; 14] = [
        "sind", "werden", "können", "haben", "sollen", "müssen", "wurden", "waren", "dürfen",
        "sollten", "könnten", "würden", "hatten", "wollen",
    ];
    PLURAL.contains(&word.lower().as_str())
}

/// Whether `es` belongs to an expression: `es gibt`, `handelt es sich`, `es sei denn`.
fn has_fixed_es(target: &[Word], at: usize) -> bool {
    const FIXED: [&str; 12] = [
        "gibt",
        "handelt",
        "sei",
        "geht",
        "gilt",
        "empfiehlt",
        "bedarf",
        "heißt",
        "lohnt",
        "kommt",
        "gab",
        "ging",
    ];
    let around = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    let mut around = around.filter_map(|at| target.get(at));
    around.any(|word| FIXED.contains(&word.lower().as_str()))
}

fn possessive<'t>(source: &[Word<'t>], target: &[Word<'t>]) -> Option<Found<'t>> {
    only(source, |word| word.lower() == "its")?;
    if source
        .iter()
        .any(|word| OTHERS.contains(&word.lower().as_str()))
    {
        return None;
    }
    let at = only(target, |word| {
        !word.is_capitalised() && form(word.text).is_some()
    })?;
    let (stem, ending) = form(target[at].text)?;
    // Before a noun, an adjective may stand between: else `sein` is the verb and `ihr` the pronoun.
    let before = at.checked_sub(1).map(|at| target[at].lower());
    if ending.is_empty() && before.is_some_and(|word| TAKE_DATIVE.contains(&word.as_str())) {
        return None;
    }
    let follows = |place: usize| target.get(at + place).filter(|word| !word.after_mark);
    let has_noun = follows(1)?.is_capitalised() || follows(2).is_some_and(Word::is_capitalised);
    let (other, genders): (_, &[Gender]) = match stem {
        "sein" => ("ihr", &[Gender::Masculine, Gender::Neuter]),
        _ => ("sein", &[Gender::Feminine]),
    };
    has_noun.then(|| Found {
        word: target[at],
        at,
        genders,
        wrong: vec![format!("{other}{ending}")],
        category: format!("its:{stem}"),
        pronoun: stem.to_owned(),
    })
}

/// A form of `sein` or `ihr` as its stem and its ending.
fn form(word: &str) -> Option<(&'static str, &str)> {
    let stems = ["sein", "ihr"].into_iter();
    let mut parts = stems.filter_map(|stem| Some((stem, word.strip_prefix(stem)?)));
    parts.find(|(_, ending)| ENDINGS.contains(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn genders() -> Genders {
        let text = "Er nimmt einen Rahmen, eine Tabelle und das Fenster.";
        Genders::learn([text; 3])
    }

    fn made(sentences: &[(&str, &str)], kind: Kind) -> Option<Draft> {
        draft(sentences, &genders(), kind)
    }

    fn wrong(draft: &Draft) -> Vec<&str> {
        draft
            .contrasts
            .iter()
            .map(|(text, _)| text.as_str())
            .collect()
    }

    #[test]
    fn a_subject_is_contrasted_with_the_other_genders() {
        let sentences = [
            ("Select the frame.", "Wählen Sie den Rahmen aus."),
            ("Click OK.", "Klicken Sie auf OK."),
            ("It is moved.", "Er wird verschoben."),
        ];
        let draft = made(&sentences, Kind::Pronouns).expect("an item");
        assert_eq!(
            wrong(&draft),
            ["Sie wird verschoben.", "Es wird verschoben."]
        );
        assert_eq!(
            (draft.distance, draft.antecedent.as_str()),
            (2, "den Rahmen")
        );
        assert_eq!(
            (draft.category.as_str(), draft.pronoun.as_deref()),
            ("it:er", Some("er"))
        );
    }

    #[test]
    fn an_object_is_contrasted_in_its_case_and_may_have_its_noun_in_the_sentence() {
        let sentences = [(
            "Open the table and close it.",
            "Öffnen Sie die Tabelle und schließen Sie sie.",
        )];
        let draft = made(&sentences, Kind::Pronouns).expect("an item");
        assert_eq!(
            wrong(&draft),
            [
                "Öffnen Sie die Tabelle und schließen Sie ihn.",
                "Öffnen Sie die Tabelle und schließen Sie es."
            ]
        );
        assert_eq!(draft.distance, 0);
    }

    #[test]
    fn possessives_keep_their_ending() {
        let sentences = [
            ("Select the table.", "Wählen Sie die Tabelle."),
            ("Change its width.", "Ändern Sie ihre aktuelle Breite."),
        ];
        let draft = made(&sentences, Kind::Possessives).expect("an item");
        assert_eq!(wrong(&draft), ["Ändern Sie seine aktuelle Breite."]);
        assert_eq!((draft.distance, draft.category.as_str()), (1, "its:ihr"));
    }

    #[test]
    fn what_is_not_sure_is_left_out() {
        let frame = (
            "Select the frame.",
            "Wählen Sie das Fenster und den Rahmen aus.",
        );
        for (source, target) in [
            ("It is possible to move.", "Es ist möglich, zu verschieben."),
            ("They say it is new.", "Es ist neu."),
            ("It is here and it is new.", "Es ist hier."),
            ("It is new.", "Hier gibt es Neues."),
            ("It is new.", "Sie ist neu."),
            ("If it is new.", "Wenn sie neu sind."),
            ("It opens.", "Es öffnet sich, und er schließt sich."),
        ] {
            let made = made(&[frame, (source, target)], Kind::Pronouns);
            assert!(made.is_none(), "{source} {made:?}");
        }
        let verb = ("It can be its own.", "Es kann sein.");
        assert!(made(&[frame, verb], Kind::Possessives).is_none());
        let far = [frame; 12]
            .into_iter()
            .chain([("It is new.", "Es ist neu.")]);
        assert!(made(&far.collect::<Vec<_>>(), Kind::Pronouns).is_some());
        let none = [("Click.", "Klick.")]
            .into_iter()
            .chain([("It is new.", "Es ist neu.")]);
        assert!(made(&none.collect::<Vec<_>>(), Kind::Pronouns).is_none());
    }
}
