//! English `it` and `its` with German pronouns that show the gender of what they go back to.

use super::case::{Case, TAKE_DATIVE, case, has_fixed_es, is_expletive, is_plural};
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

/// A German pronoun that renders `it` or `its`.
struct Found<'t> {
    word: Word<'t>,
    /// Its number in the sentence.
    at: usize,
    genders: &'static [Gender],
    /// The pronouns that a noun of another gender would have in its place.
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
        Kind::Terms | Kind::Formality => None,
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
    // Capital `Sie` addresses the reader, or cannot be distinguished from that.
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

fn genders_of(pronoun: &str) -> &'static [Gender] {
    match pronoun {
        "er" | "ihn" => &[Gender::Masculine],
        "sie" | "ihr" => &[Gender::Feminine],
        "es" => &[Gender::Neuter],
        _ => &[Gender::Masculine, Gender::Neuter],
    }
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
    // An adjective may precede the noun: else `sein` is the verb and `ihr` the pronoun.
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
