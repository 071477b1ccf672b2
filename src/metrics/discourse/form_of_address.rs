//! How a German translation addresses an English *you*.

use super::words::{has_any, without_first_capitals, words};

/// A form of address; the polite one is that of older times and of tales, `Ihr` to one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormOfAddress {
    Du,
    /// `Ihr`, `Euch` to one.
    Polite,
    /// `ihr`, `euch` to several.
    Plural,
    /// `Sie`, of which no score is made: as the first word of a sentence it is as often *she* or *they*.
    Formal,
}

impl FormOfAddress {
    pub const ALL: [Self; 4] = [Self::Du, Self::Polite, Self::Plural, Self::Formal];

    /// The German words that make a translation address in this form, with a capital where one begins with it.
    pub fn words(self) -> Vec<String> {
        let (pronouns, stems): (&[&str], &[&str]) = match self {
            Self::Du => (
                &["du", "dich", "dir", "dein", "Du", "Dich", "Dir", "Dein"],
                &["dein", "Dein"],
            ),
            Self::Polite => (&["Ihr", "Euch", "Ihnen", "Euer"], &["Eur"]),
            Self::Plural => (
                &["ihr", "euch", "euer", "Ihr", "Euch", "Euer"],
                &["eur", "Eur"],
            ),
            Self::Formal => (&["Sie", "Ihnen", "Ihr"], &["Ihr"]),
        };
        let declined = stems.iter().flat_map(|stem| {
            let endings = ["e", "em", "en", "er", "es"];
            endings.map(|ending| format!("{stem}{ending}"))
        });
        let pronouns = pronouns.iter().map(|&word| word.to_owned());
        pronouns.chain(declined).collect()
    }

    /// Words that mean another form and nothing else. `Sie` may be *they*; `ihr` may be *her* or *their* unless `is_sure`,
    /// see [`Self::is_sure_in`].
    pub fn words_of_others(self, is_sure: bool) -> Vec<String> {
        let others = [Self::Du, Self::Polite, Self::Plural];
        let others = others.into_iter().filter(|&other| other != self);
        let mut words: Vec<String> = others.flat_map(Self::words).collect();
        let own = self.words();
        words.retain(|word| {
            let may_be_hers = matches!(word.as_str(), "ihr" | "Ihr" | "Ihnen");
            !own.contains(word) && (is_sure || !may_be_hers)
        });
        words
    }

    /// Words that mean another form but where a sentence begins: with their capital those to several are polite.
    pub fn words_of_others_within(self) -> Vec<String> {
        let mut words = if self == Self::Plural {
            self.words()
        } else {
            Vec::new()
        };
        words.retain(|word| word.starts_with(char::is_uppercase));
        words
    }

    /// Whether an English text speaks of nobody who would be `ihr` in German but those whom it addresses.
    pub fn is_sure_in(source: &str) -> bool {
        let others = [
            "she",
            "her",
            "hers",
            "herself",
            "they",
            "them",
            "their",
            "theirs",
            "themselves",
            "its",
        ];
        !has_any(source, &others)
    }

    /// The form that a translation keeps to, `Sie` among them where it stands within a sentence.
    pub fn kept_by(source: &str, target: &str) -> Option<Self> {
        let is_formal = Self::is_chosen_for(source)
            && words(&without_first_capitals(target)).any(|word| word == "Sie");
        is_formal
            .then_some(Self::Formal)
            .or_else(|| Self::of(source, target))
    }

    /// The form of a German segment; none where the English one has no *you*, or the German one no form, or two.
    pub fn of(source: &str, target: &str) -> Option<Self> {
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

    /// Whether a form of address is to be chosen for an English text.
    pub fn is_chosen_for(source: &str) -> bool {
        has_any(source, &["you", "your", "yours"])
    }

    /// The form last used before a sentence with *you*: `source` and `target` tell the sentences of its document.
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
            Self::of(source, &chosen.then(|| target(other))??)
        };
        (0..number).rev().find_map(form)
    }

    /// The German pronoun as an encoder reads it behind an English sentence.
    pub fn side_constraint(self) -> &'static str {
        match self {
            Self::Du => " (du)",
            Self::Polite => " (Ihr)",
            Self::Plural => " (ihr)",
            Self::Formal => " (Sie)",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Du => "du",
            Self::Polite => "polite",
            Self::Plural => "plural",
            Self::Formal => "formal",
        }
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
            FormOfAddress::last_before(number, |other| pairs[other].0, target)
        };
        assert_eq!(before(4), Some(FormOfAddress::Du));
        assert_eq!(before(1), Some(FormOfAddress::Polite));
        assert_eq!(before(0), None, "nothing stands before it");
        assert_eq!(before(5), None, "nobody is addressed");
        let unknown = FormOfAddress::last_before(4, |other| pairs[other].0, |_| None);
        assert_eq!(unknown, None, "nothing is translated yet");
    }

    #[test]
    fn words_of_a_form_make_a_sentence_of_that_form() {
        for form in FormOfAddress::ALL {
            // The labels do not know this one.
            for word in form.words().iter().filter(|word| !word.ends_with("uer")) {
                let target = format!("Nun {word}.");
                let told = FormOfAddress::kept_by("You.", &target);
                // With a capital they only begin a sentence, or are words of several forms.
                let is_first =
                    form == FormOfAddress::Plural && word.starts_with(char::is_uppercase);
                let is_shared = form == FormOfAddress::Formal && word != "Sie";
                assert!(
                    told == Some(form) || is_first || is_shared,
                    "{target}: {told:?}"
                );
            }
            for is_sure in [false, true] {
                for word in form.words_of_others(is_sure) {
                    let told = FormOfAddress::kept_by("You.", &format!("Nun {word}."));
                    assert!(
                        told.is_none_or(|told| told != form),
                        "{word} is of {form:?}"
                    );
                }
            }
        }
        for word in FormOfAddress::Plural.words_of_others_within() {
            let told = FormOfAddress::kept_by("You.", &format!("Nun {word}."));
            assert_eq!(told.is_some(), !word.ends_with("uer"), "{word}");
            assert_ne!(told, Some(FormOfAddress::Plural), "{word}");
        }
        let hers = |is_sure| {
            FormOfAddress::Du
                .words_of_others(is_sure)
                .contains(&"ihr".to_owned())
        };
        assert!(!hers(FormOfAddress::is_sure_in("You gave it to her.")));
        assert!(hers(FormOfAddress::is_sure_in("You gave it to me.")));
        let kept = FormOfAddress::kept_by("Open your file.", "Öffnen Sie Ihre Datei.");
        assert_eq!(kept, Some(FormOfAddress::Formal));
        assert_eq!(FormOfAddress::kept_by("You know.", "Sie wissen."), None);
    }

    #[test]
    fn the_form_is_told_by_words() {
        for (source, target, form) in [
            ("Who are you?", "Wer bist du?", Some(FormOfAddress::Du)),
            ("Who are you?", "Wer seid Ihr?", Some(FormOfAddress::Polite)),
            (
                "You are late.",
                "Ihr seid spät.",
                Some(FormOfAddress::Plural),
            ),
            (
                "Your men fled.",
                "Eure Männer flohen.",
                Some(FormOfAddress::Plural),
            ),
            (
                "I saw your men.",
                "Ich sah Eure Männer.",
                Some(FormOfAddress::Polite),
            ),
            ("You and yours", "Du und Eure Leute", None),
            ("Thank you!", "Danke!", None),
            ("They fled.", "Ihr flieht.", None),
            ("YOU'RE MINE", "Dein Ende", Some(FormOfAddress::Du)),
        ] {
            assert_eq!(FormOfAddress::of(source, target), form, "{target}");
        }
    }
}
