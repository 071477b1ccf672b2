//! Whether an answer is the translation of its sentence and nothing else.

use canopy_document::editable::from_editable;
use canopy_document::placeholder::stripped;
use canopy_qa::checks::{CheckKind, Checks, Pair, are_same_numbers};
use canopy_qa::llm::translation;

use super::Languages;
use crate::inference::other_languages::other_language;
use crate::inference::translation::{repeats, unusual_length};

/// Words of a sentence that would not be the same in two languages.
const LEAST_WORDS: usize = 4;

/// A reason to repeat the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Empty,
    /// It is still in the language of the source.
    Untranslated,
    Repeats,
    /// Far longer or shorter than translations are: an answer, an explanation, a part.
    Length,
    /// More than one line, of which the first that is no announcement is taken.
    Lines,
    CutOff,
    /// Marks of formatting are missing, doubled or misnested, in words.
    Marks(Vec<String>),
    /// Words that a program fills in, in words.
    Variables(String),
    Numbers,
}

impl Fault {
    /// Its weight among others.
    fn cost(&self) -> usize {
        match self {
            Self::Empty => 100,
            Self::Untranslated => 50,
            Self::Repeats => 40,
            Self::Length | Self::CutOff => 30,
            Self::Lines => 10,
            Self::Variables(_) => 8,
            Self::Marks(_) => 6,
            Self::Numbers => 4,
        }
    }

    /// The reason in words, for the model.
    pub(crate) fn problem(&self, languages: &Languages) -> String {
        match self {
            Self::Empty => "there is no translation".to_owned(),
            Self::Untranslated => format!("it is not in {}", languages.target_name),
            Self::Repeats => "it repeats itself".to_owned(),
            Self::Length => "it is not the translation of this one sentence".to_owned(),
            Self::Lines => "it is more than the translation".to_owned(),
            Self::CutOff => "it does not end".to_owned(),
            Self::Marks(problems) => problems.join("; "),
            Self::Variables(problem) => problem.clone(),
            Self::Numbers => "its numbers are others".to_owned(),
        }
    }
}

/// An answer without what frames it, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Examined {
    /// As people edit it.
    pub edited: String,
    pub faults: Vec<Fault>,
}

impl Examined {
    /// Whether sentences after it can read it: a bad answer would be an example to them.
    pub(crate) fn is_example(&self) -> bool {
        let mut bad = self.faults.iter().filter(|fault| fault.cost() >= 30);
        bad.next().is_none()
    }

    /// Whether the sentence has no translation.
    pub(crate) fn is_untranslated(&self) -> bool {
        self.faults.contains(&Fault::Untranslated)
    }

    /// How bad all faults are together.
    pub(crate) fn cost(&self) -> usize {
        self.faults.iter().map(Fault::cost).sum()
    }
}

/// Examines an answer to a sentence, `stored` with placeholders and `source` as people edit it.
pub(super) fn examined(
    answer: &str,
    ended: bool,
    (stored, source): (&str, &str),
    languages: &Languages,
) -> Examined {
    let text = translation(answer, source);
    let (line, is_one) = text_of(&text);
    let edited = translation(line, source);
    let mut faults = Vec::new();
    let (from, to) = (stripped(stored), edited.as_str());
    if edited.is_empty() {
        faults.push(Fault::Empty);
        return Examined { edited, faults };
    }
    if is_untranslated(&from, to, languages) {
        faults.push(Fault::Untranslated);
    }
    if repeats(to) && !repeats(&from) {
        faults.push(Fault::Repeats);
    }
    if unusual_length(source, to) {
        faults.push(Fault::Length);
    }
    if !is_one {
        faults.push(Fault::Lines);
    }
    if !ended {
        faults.push(Fault::CutOff);
    }
    if let Err(problems) = from_editable(to, stored) {
        let problems = problems.iter().map(ToString::to_string);
        faults.push(Fault::Marks(problems.collect()));
    }
    let checks = Checks {
        kinds: vec![CheckKind::Variables],
        source_language: Some(languages.source.clone()),
        target_language: Some(languages.target.clone()),
    };
    let found = checks.run(&[Pair::new(from.clone(), to)]).into_iter();
    faults.extend(found.map(|finding| Fault::Variables(finding.message)));
    if !are_same_numbers(&without_marks(source), &without_marks(to)) {
        faults.push(Fault::Numbers);
    }
    Examined { edited, faults }
}

/// A text without `⟨1⟩` and the like, whose numbers are none of the sentence.
fn without_marks(text: &str) -> String {
    use canopy_document::editable::{Piece, edited_pieces};
    let pieces = edited_pieces(text).into_iter();
    let texts = pieces.filter_map(|piece| match piece {
        Piece::Text(text) => Some(text),
        Piece::Token(_) => None,
    });
    texts.collect()
}

/// The first line that is no announcement such as `Here is the translation:`, and whether there is no other line.
fn text_of(text: &str) -> (&str, bool) {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return ("", true);
    };
    match lines.next() {
        None => (first, true),
        Some(second) if first.ends_with(':') => (second, false),
        Some(_) => (first, false),
    }
}

/// Whether a text of several words is the source again, or in its language.
fn is_untranslated(source: &str, target: &str, languages: &Languages) -> bool {
    if languages.source == languages.target {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| word.chars().any(char::is_alphabetic));
        words.map(str::to_lowercase).collect()
    };
    let from = words(source);
    if from.len() >= LEAST_WORDS && from == words(target) {
        return true;
    }
    // A quotation in a third language may stay.
    other_language(target, &languages.target).is_some()
        && other_language(source, &languages.source).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(answer: &str, stored: &str) -> Vec<Fault> {
        let languages = Languages::new("en", "de");
        let source = canopy_document::editable::to_editable(stored);
        examined(answer, true, (stored, &source), &languages).faults
    }

    #[test]
    fn a_translation_has_no_faults_whatever_frames_it() {
        let source = "Print 2 pages of \u{E000}%s\u{E200}.";
        for answer in [
            "Drucken Sie 2 Seiten von ⟨1⟩%s⟨/1⟩.",
            "\"Drucken Sie 2 Seiten von ⟨1⟩%s⟨/1⟩.\"",
            "Translation: Drucken Sie 2 Seiten von ⟨1⟩%s⟨/1⟩.",
        ] {
            assert_eq!(faults(answer, source), [], "{answer}");
        }
    }

    #[test]
    fn what_is_no_translation_is_recognised() {
        let source = "Print the pages in black and white on the other printer.";
        let is = |answer: &str, fault: Fault| {
            let faults = faults(answer, source);
            assert!(faults.contains(&fault), "{answer}: {faults:?}");
        };
        is(" ", Fault::Empty);
        is(source, Fault::Untranslated);
        is(
            "Sure, I can help you with printing the pages that you have on the other printer.",
            Fault::Untranslated,
        );
        is("Ja.", Fault::Length);
        is("die Seite die Seite die Seite", Fault::Repeats);
        let explained = "Hier ist die Übersetzung:\nDrucken Sie die Seiten schwarzweiß auf dem anderen Drucker.\n\nDas heißt …";
        is(explained, Fault::Lines);
        let languages = Languages::new("en", "de");
        let examined = examined(explained, true, (source, source), &languages);
        assert!(examined.edited.starts_with("Drucken Sie"), "{examined:?}");
        let numbers = faults("Drucken Sie 3 Seiten.", "Print 2 pages.");
        assert_eq!(numbers, [Fault::Numbers]);
        let lost = faults("Drucken Sie die Seite.", "Print \u{E000}the page\u{E200}.");
        assert!(matches!(&lost[..], [Fault::Marks(_)]), "{lost:?}");
        let lost = faults("Drucken Sie die Seite.", "Print {page} now.");
        assert!(matches!(&lost[..], [Fault::Variables(_)]), "{lost:?}");
    }
}
