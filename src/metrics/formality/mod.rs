//! How a German translation addresses an English *you*.
//!
//! The words are those of `german.tsv`; a form is recognised by them alone, so that a few are wrong or missed.

mod earlier_forms;

use std::sync::LazyLock;

pub use earlier_forms::EarlierForms;

use crate::discourse::words::{has_any, without_first_capitals, words};
use canopy_base::table::{row, rows};

const GERMAN: &str = include_str!("german.tsv");

/// The words of the row of a name.
fn list(name: &str) -> &'static str {
    row(GERMAN, name).unwrap_or_default()
}

/// A form of address as its row has it.
struct Form {
    name: &'static str,
    words: Vec<String>,
    side_constraint: &'static str,
}

/// In the order of [`Formality::ALL`].
static FORMS: LazyLock<[Form; 4]> = LazyLock::new(|| {
    let forms = rows(GERMAN).filter(|(name, _)| *name == "form");
    let mut forms = forms.map(|(_, cells)| {
        let mut cells = cells.split('\t');
        let mut cell = || cells.next().expect("a form has four cells");
        let (name, pronouns, stems) = (cell(), cell(), cell());
        let pronouns = pronouns.split(' ').map(str::to_owned);
        let declined = stems.split(' ').flat_map(|stem| {
            let endings = list("endings").split(' ');
            endings.map(move |ending| format!("{stem}{ending}"))
        });
        Form {
            name,
            words: pronouns.chain(declined).collect(),
            side_constraint: cell(),
        }
    });
    [(); 4].map(|()| forms.next().expect("there are four forms"))
});

/// A form of address; the polite one is that of older times and of tales, `Ihr` to one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Formality {
    /// `du`, to one who is familiar.
    Du,
    /// `Ihr`, `Euch` to one.
    Polite,
    /// `ihr`, `euch` to several.
    Plural,
    /// `Sie`, of which no score is made: as the first word of a sentence it is as often *she* or *they*.
    Formal,
}

/// The persons that an English text mentions in addition to those it addresses: in German their pronouns look like forms of
/// address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherPersons {
    /// No other persons.
    Nobody,
    /// `sie`, if the noun is feminine.
    It,
    /// `sie`, `ihr`, `ihnen`: *her*, *them*, *its*.
    Persons,
}

impl OtherPersons {
    /// All cases.
    pub const ALL: [Self; 3] = [Self::Nobody, Self::It, Self::Persons];

    /// Finds the other persons in an English text.
    pub fn from_source(source: &str) -> Self {
        if has_any(source, list("persons")) {
            Self::Persons
        } else if has_any(source, list("things")) {
            Self::It
        } else {
            Self::Nobody
        }
    }
}

impl Formality {
    /// All forms, in the order of their table.
    pub const ALL: [Self; 4] = [Self::Du, Self::Polite, Self::Plural, Self::Formal];

    fn row(self) -> &'static Form {
        &FORMS[self as usize]
    }

    /// The German words that make a translation address in this form, with a capital where one begins with it.
    pub fn words(self) -> &'static [String] {
        &self.row().words
    }

    /// Words that mean another form in the translation of an English text that speaks of these `others`.
    pub fn words_of_others(self, others: OtherPersons) -> Vec<String> {
        let forms = Self::ALL.into_iter().filter(|&form| form != self);
        let mut words: Vec<String> = forms.flat_map(Self::words).cloned().collect();
        let own = self.words();
        let formal = Self::Formal.words();
        words.retain(|word| {
            let is_formal = formal.contains(word);
            let means_another = match others {
                OtherPersons::Nobody => true,
                OtherPersons::It => !is_formal,
                OtherPersons::Persons => !is_formal && word != "ihr",
            };
            means_another && !own.contains(word)
        });
        words
    }

    /// Words that mean another form but where a sentence begins: those of the formal one have capitals there whatever they
    /// mean, and so have those of the plural, which are polite in other texts.
    pub fn words_of_others_within(self) -> Vec<String> {
        let own = self.words();
        let mut words = Vec::new();
        if self != Self::Formal {
            words.extend(Self::Formal.words().iter().cloned());
            words.retain(|word| !own.contains(word));
        }
        if self == Self::Plural {
            let capitals = own
                .iter()
                .filter(|word| word.starts_with(char::is_uppercase));
            words.extend(capitals.cloned());
        }
        words
    }

    /// The form that a translation keeps to, `Sie` among them: determined by more than words, since it has to be right for
    /// any text.
    pub fn kept_by(source: &str, target: &str) -> Option<Self> {
        match Self::all_in(source, target)[..] {
            [form] => Some(form),
            _ => None,
        }
    }

    /// The forms of address in a translation; none where the English text has no *you*.
    fn all_in(source: &str, target: &str) -> Vec<Self> {
        if !Self::is_chosen_for(source) {
            return Vec::new();
        }
        let others = OtherPersons::from_source(source);
        let plain = without_first_capitals(target);
        let is_noun = |word: &str| word.starts_with(char::is_uppercase);
        let mut next = words(target).skip(1);
        let mut found = Vec::new();
        for (word, inner) in words(target).zip(words(&plain)) {
            let next = next.next().unwrap_or_default();
            // Its capital may only begin a sentence: then it may be *she* or *their* too.
            let is_first = word != inner;
            let is_sure = !is_first || others == OtherPersons::Nobody;
            let form = match word {
                word if is_du(word) => Some(Self::Du),
                "Sie" | "Ihnen" => is_sure.then_some(Self::Formal),
                "Ihr" if is_noun(next) => is_sure.then_some(Self::Formal),
                "Ihr" if !is_first => Some(Self::Polite),
                "Ihr" => (next == "seid" || next.ends_with('t')).then_some(Self::Plural),
                "ihr" => {
                    (others != OtherPersons::Persons && !is_noun(next)).then_some(Self::Plural)
                }
                word if is_declined(word, "Ihr") => is_sure.then_some(Self::Formal),
                word if is_polite(word) && !is_first => Some(Self::Polite),
                _ => is_plural(inner).then_some(Self::Plural),
            };
            found.extend(form);
        }
        found.sort_unstable();
        found.dedup();
        if found.contains(&Self::Formal) {
            // *Speichern Sie Ihr neues Bild*: a possessive before no noun.
            found.retain(|&form| form != Self::Polite);
        }
        found
    }

    /// The form of a German segment; none where the English one has no *you*, or the German one no form, or two.
    pub fn from_pair(source: &str, target: &str) -> Option<Self> {
        if !Self::is_chosen_for(source) {
            return None;
        }
        let target = without_first_capitals(target);
        let has = |is: fn(&str) -> bool| words(&target).any(is);
        let polite = has(is_polite);
        let found = [
            (polite, Self::Polite),
            (!polite && has(is_plural), Self::Plural),
            (has(is_du), Self::Du),
        ];
        let mut found = found.into_iter().filter(|(is_there, _)| *is_there);
        match (found.next(), found.next()) {
            (Some((_, form)), None) => Some(form),
            _ => None,
        }
    }

    /// The form that most of these translations of English sentences keep to, the one that was used first among equal ones.
    pub fn commonest<'t>(pairs: impl IntoIterator<Item = (&'t str, &'t str)>) -> Option<Self> {
        let mut counts: Vec<(Self, usize)> = Vec::new();
        let forms = pairs.into_iter();
        for form in forms.filter_map(|(source, target)| Self::kept_by(source, target)) {
            match counts.iter_mut().find(|(other, _)| *other == form) {
                Some((_, count)) => *count += 1,
                None => counts.push((form, 1)),
            }
        }
        // The last of equal ones is the greatest.
        let greatest = counts.into_iter().rev().max_by_key(|&(_, count)| count);
        greatest.map(|(form, _)| form)
    }

    /// Whether a translation of an English sentence with *you* addresses in another form, possibly in addition to this one.
    pub fn is_left_by(self, source: &str, target: &str) -> bool {
        let forms = Self::all_in(source, target);
        forms.iter().any(|&form| form != self)
    }

    /// Whether a form of address is to be chosen for an English text.
    pub fn is_chosen_for(source: &str) -> bool {
        has_any(source, list("you"))
    }

    /// The form last used before a sentence with *you*: `source` and `target` return the sentences of its document.
    pub fn last_before<'s>(
        number: usize,
        source: impl Fn(usize) -> &'s str,
        target: impl Fn(usize) -> Option<String>,
    ) -> Option<Self> {
        if !Self::is_chosen_for(source(number)) {
            return None;
        }
        let form = |other| {
            let source = source(other);
            let chosen = Self::is_chosen_for(source);
            Self::from_pair(source, &chosen.then(|| target(other))??)
        };
        (0..number).rev().find_map(form)
    }

    /// The German pronoun as an encoder reads it after an English sentence.
    pub fn side_constraint(self) -> &'static str {
        self.row().side_constraint
    }

    /// Returns the name of the form, such as `du`.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

/// `Eur`, `Eure`, `Eurem` …
fn is_declined(word: &str, stem: &str) -> bool {
    let Some(rest) = word.strip_prefix(stem) else {
        return false;
    };
    let rest = rest.strip_prefix('e').unwrap_or(rest);
    matches!(rest, "" | "r" | "n" | "m" | "s")
}

fn is_polite(word: &str) -> bool {
    matches!(word, "Ihr" | "Euch" | "Ihnen") || is_declined(word, "Eur")
}

fn is_plural(word: &str) -> bool {
    matches!(word, "ihr" | "euch") || is_declined(word, "eur")
}

fn is_du(word: &str) -> bool {
    let word = word.strip_prefix(['D', 'd']);
    word.is_some_and(|rest| matches!(rest, "u" | "ich" | "ir") || is_declined(rest, "ein"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_last_used_is_that_of_the_nearest_sentence_that_has_one() {
        let pairs = [
            ("Are you there?", "Seid Ihr da?"),
            ("Where are you?", "Wo bist du?"),
            ("Your turn.", "Nun ja."),
            ("He left.", "Ihr Weg war weit."),
            ("You know him.", "…"),
            ("We know him.", "…"),
        ];
        let before = |number: usize| {
            let target = |other: usize| Some(pairs[other].1.to_owned());
            Formality::last_before(number, |other| pairs[other].0, target)
        };
        assert_eq!(before(4), Some(Formality::Du));
        assert_eq!(before(1), Some(Formality::Polite));
        assert_eq!(before(0), None, "nothing stands before it");
        assert_eq!(before(5), None, "nobody is addressed");
        let unknown = Formality::last_before(4, |other| pairs[other].0, |_| None);
        assert_eq!(unknown, None, "nothing is translated yet");
    }

    #[test]
    fn words_of_a_form_make_a_sentence_of_that_form() {
        for form in Formality::ALL {
            // The labels do not know this one.
            for word in form.words().iter().filter(|word| !word.ends_with("uer")) {
                let target = format!("Nun {word}.");
                let kept = Formality::kept_by("You.", &target);
                // With a capital they only begin a sentence, or are words of several forms.
                let is_first = form == Formality::Plural && word.starts_with(char::is_uppercase);
                let is_shared = form == Formality::Formal && word != "Sie";
                assert!(
                    kept == Some(form) || is_first || is_shared,
                    "{target}: {kept:?}"
                );
            }
            for others in OtherPersons::ALL {
                for word in form.words_of_others(others) {
                    let kept = Formality::kept_by("You.", &format!("Nun {word}."));
                    assert!(
                        kept.is_none_or(|kept| kept != form),
                        "{word} is of {form:?}"
                    );
                }
            }
            for word in form.words_of_others_within() {
                let kept = Formality::kept_by("You.", &format!("Nun {word}."));
                assert_ne!(kept, Some(form), "{word}");
            }
        }
        let forbids = |source, word: &str| {
            let words = Formality::Du.words_of_others(OtherPersons::from_source(source));
            words.contains(&word.to_owned())
        };
        assert!(!forbids("You gave it to her.", "ihr"));
        assert!(forbids("You gave it to me.", "ihr"));
        assert!(!forbids("You gave it to me.", "Sie"), "eine Katze");
        assert!(forbids("You gave me money.", "Sie"));
        let within = |form: Formality| form.words_of_others_within();
        assert!(within(Formality::Plural).contains(&"Ihr".to_owned()));
        assert!(within(Formality::Du).contains(&"Sie".to_owned()));
        assert!(within(Formality::Formal).is_empty());
    }

    #[test]
    fn forms_are_recognised_by_words() {
        let form = |name: &str| Formality::ALL.into_iter().find(|it| it.name() == name);
        let cases = include_str!("cases.tsv").lines().skip(1);
        let cases: Vec<Vec<&str>> = cases.map(|line| line.split('\t').collect()).collect();
        assert_eq!(cases.len(), 22);
        for case in cases {
            let [source, target, kept, label] = case[..] else {
                panic!("{case:?}");
            };
            assert_eq!(Formality::kept_by(source, target), form(kept), "{target}");
            assert_eq!(
                Formality::from_pair(source, target),
                form(label),
                "{target}"
            );
        }
    }

    #[test]
    fn the_commonest_form_is_that_of_most_translations() {
        let pair = |target| ("Who are you?", target);
        let forms = ["Wer bist du?", "Wer seid ihr?", "Wer?", "Wer sind Sie?"].map(pair);
        assert_eq!(Formality::commonest(forms), Some(Formality::Du));
        let more = forms.into_iter().chain([pair("Wer seid ihr nur?")]);
        assert_eq!(Formality::commonest(more), Some(Formality::Plural));
        assert_eq!(Formality::commonest([("Go.", "Geh du.")]), None);
        for (target, is_left) in [
            ("Wer bist du?", false),
            ("Wer ist da?", false),
            ("Wer seid ihr?", true),
            ("Wer sind Sie?", true),
            ("Bist du es, seid ihr es?", true),
        ] {
            let left = Formality::Du.is_left_by("Who are you?", target);
            assert_eq!(left, is_left, "{target}");
        }
        assert!(!Formality::Du.is_left_by("Who is it?", "Wer seid ihr?"));
    }
}
