//! German forms of address that only the document distinguishes: the polite `Ihr` to one, and `ihr` to several. Both have the
//! same verbs, so that capitals are all that differs.

use super::Draft;
use super::words::{Word, words};
use canopy_document::placeholder;
use canopy_metrics::discourse::begins_sentence;
use canopy_metrics::formality::Formality;

/// English pronouns that German renders with the same words as a *you*.
const OTHERS: [&str; 6] = ["she", "her", "hers", "they", "their", "them"];

/// An item for the last of `sentences`, pairs of source and target in reading order; none if no sentence before has its
/// form of address, or nothing but the beginnings of sentences would differ.
pub(super) fn draft(sentences: &[(&str, &str)]) -> Option<Draft> {
    let (&(source, target), before) = sentences.split_last()?;
    let form = two_forms(source, target)?;
    let (distance, antecedent) = (1..)
        .zip(before.iter().rev())
        .find_map(|(distance, pair)| {
            let (source, target) = *pair;
            let is_same = two_forms(source, target) == Some(form);
            let word = words(target).into_iter().find(|word| is_of_form(word));
            is_same.then(|| {
                (
                    distance,
                    word.map_or_else(String::new, |word| word.text.to_owned()),
                )
            })
        })?;
    let (wrong, first) = in_other_form(target, form)?;
    Some(Draft {
        contrasts: vec![(wrong, in_case_of(other(form), &first))],
        category: format!("you:{}", form.name()),
        pronoun: Some(first),
        distance,
        antecedent,
    })
}

/// The form of a sentence, if it is one of the two and no other reading is likely.
fn two_forms(source: &str, target: &str) -> Option<Formality> {
    let is_other = |word: &Word| OTHERS.contains(&word.lower().as_str()) || word.text == "Ihnen";
    let is_unclear = words(source).iter().chain(&words(target)).any(is_other);
    let form = Formality::from_pair(source, target).filter(|_| !is_unclear)?;
    matches!(form, Formality::Polite | Formality::Plural).then_some(form)
}

fn other(form: Formality) -> Formality {
    match form {
        Formality::Polite => Formality::Plural,
        _ => Formality::Polite,
    }
}

/// Whether a word stands for the one or the ones who are addressed.
fn is_of_form(word: &Word) -> bool {
    let endings = ["", "e", "en", "em", "er", "es"];
    let lower = word.lower();
    let is_possessive = lower == "euer"
        || lower
            .strip_prefix("eur")
            .is_some_and(|ending| endings.contains(&ending));
    is_possessive || matches!(lower.as_str(), "ihr" | "euch")
}

/// The sentence in the other form, with the first word that differs; none if none does.
fn in_other_form(target: &str, form: Formality) -> Option<(String, String)> {
    let (mut text, mut end, mut first) = (String::new(), 0, None);
    for word in words(target) {
        // Where a sentence begins, both have a capital.
        let before = placeholder::stripped(&target[..word.start]);
        if !is_of_form(&word) || begins_sentence(&before) {
            continue;
        }
        text.push_str(&target[end..word.start]);
        text.push_str(&in_case_of(other(form), word.text));
        end = word.start + word.text.len();
        first.get_or_insert_with(|| word.text.to_owned());
    }
    text.push_str(&target[end..]);
    Some((text, first?)).filter(|(text, _)| text != target)
}

/// The word with the capital that the polite form has, or without.
fn in_case_of(form: Formality, word: &str) -> String {
    let lower = word.to_lowercase();
    match (form, lower.strip_prefix('i'), lower.strip_prefix('e')) {
        (Formality::Polite, Some(rest), _) => format!("I{rest}"),
        (Formality::Polite, _, Some(rest)) => format!("E{rest}"),
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: [(&str, &str); 2] = [
        ("You are right, my lord.", "Da habt Ihr recht, Herr."),
        ("It is dark here.", "Es ist dunkel hier."),
    ];

    #[test]
    fn all_words_of_the_other_form_and_nothing_else_differ() {
        let own = (
            "You know that your men follow you.",
            "Ihr wisst, Eure Leute folgen Euch, Herr.",
        );
        let item = draft(&[BEFORE[0], BEFORE[1], own]).expect("an item");
        assert_eq!(
            item.contrasts,
            [(
                "Ihr wisst, eure Leute folgen euch, Herr.".to_owned(),
                "eure".to_owned()
            )]
        );
        assert_eq!((item.distance, item.antecedent.as_str()), (2, "Ihr"));
        assert_eq!(item.category, "you:polite");

        let several = [
            ("You two, come!", "Ihr beiden, kommt! Ich brauche euch!"),
            ("Do you see it?", "Seht ihr es?"),
        ];
        let item = draft(&several).expect("an item");
        assert_eq!(
            item.contrasts,
            [("Seht Ihr es?".to_owned(), "Ihr".to_owned())]
        );
        assert_eq!(item.category, "you:plural");
    }

    #[test]
    fn what_could_be_read_otherwise_or_is_decided_by_nothing_is_left_out() {
        for own in [
            // Nobody was addressed so before.
            ("Do you see it?", "Seht ihr es?"),
            // At the beginning both have a capital.
            ("You know.", "Ihr wisst das."),
            // Whose house it is the sentence does not say.
            ("You know her house.", "Ihr kennt ihr Haus."),
            ("Do you see it?", "Siehst du es?"),
            ("It is late.", "Es ist spät für Euch."),
        ] {
            assert_eq!(draft(&[BEFORE[0], own]), None, "{own:?}");
        }
    }
}
