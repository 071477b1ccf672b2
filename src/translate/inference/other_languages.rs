//! Sentences of another language within a document, which its model cannot read.

use whatlang::{Detector, Lang, Script, detect};

use canopy_base::table::row;
use canopy_document::document::Document;
use canopy_document::placeholder::{folded, stripped};
use canopy_tokenize::two_letters;

/// With fewer letters or words a sentence is too short for detection.
const MIN_LETTERS: usize = 30;
const MIN_WORDS: usize = 5;

/// Approximate number of sentences from which the language of a document is detected.
const MAX_SENTENCES: usize = 50;

/// The commonest small words of languages, which distinguish a sentence from names and technical words.
const COMMON_WORDS: &str = include_str!("common_words.tsv");

/// Languages that whatlang's letter trigrams do not distinguish.
const KIN: [&[Lang]; 6] = [
    &[Lang::Dan, Lang::Nob, Lang::Swe],
    &[Lang::Spa, Lang::Por, Lang::Cat],
    &[Lang::Ces, Lang::Slk],
    &[Lang::Hrv, Lang::Srp, Lang::Slv, Lang::Mkd, Lang::Bul],
    &[
        Lang::Rus,
        Lang::Ukr,
        Lang::Bel,
        Lang::Bul,
        Lang::Mkd,
        Lang::Srp,
    ],
    &[Lang::Afr, Lang::Nld],
];

/// The language of a sentence that is not in `source`, the code of the model's language; none where that is not sure.
pub(super) fn other_language(text: &str, source: &str) -> Option<Lang> {
    let source = lang_from_code(source)?;
    let text = folded(&stripped(text));
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let found = detect(&text)?;
    if !is_script_of(found.script(), source) {
        // Nearly all letters are of a script in which its language is not written.
        let foreign = letters_of(&text, found.script());
        return (letters >= MIN_LETTERS / 2 && foreign * 10 >= letters * 9).then(|| found.lang());
    }
    let is_long = letters >= MIN_LETTERS && text.split(' ').count() >= MIN_WORDS;
    if !is_long || found.lang() == source || are_kin(found.lang(), source) {
        return None;
    }
    let of_two = Detector::with_allowlist(vec![source, found.lang()]).detect(&text)?;
    let is_sure =
        found.confidence() >= 0.9 && of_two.lang() == found.lang() && of_two.confidence() >= 0.9;
    (is_sure && has_words_of(&text, found.lang(), source)).then(|| found.lang())
}

/// Whether most sufficiently long sentences of a document are in its model's language.
pub(super) fn is_mostly_in(document: &Document, source: &str) -> bool {
    let step = document.sentences.len().div_ceil(MAX_SENTENCES).max(1);
    let (mut num, mut others) = (0, 0);
    for sentence in document.sentences.iter().step_by(step) {
        let letters = sentence.text.chars().filter(|c| c.is_alphabetic());
        if letters.take(MIN_LETTERS).count() == MIN_LETTERS {
            num += 1;
            others += usize::from(other_language(&sentence.text, source).is_some());
        }
    }
    others * 2 <= num
}

fn is_script_of(script: Script, language: Lang) -> bool {
    let is_japanese = language == Lang::Jpn
        && matches!(
            script,
            Script::Mandarin | Script::Hiragana | Script::Katakana
        );
    is_japanese || script.langs().contains(&language)
}

fn lang_from_code(code: &str) -> Option<Lang> {
    let code = two_letters(code);
    let mut all = Lang::all().iter().copied();
    all.find(|language| two_letters(language.code()) == code)
}

fn are_kin(one: Lang, other: Lang) -> bool {
    let mut kin = KIN.iter();
    kin.any(|group| group.contains(&one) && group.contains(&other))
}

fn letters_of(text: &str, script: Script) -> usize {
    let is_latin = |c: char| matches!(c, 'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}');
    let letters = text.chars().filter(|c| c.is_alphabetic());
    letters
        .filter(|&c| is_latin(c) == (script == Script::Latin))
        .count()
}

/// Whether the small words of a sentence are those of its language, and not those of the model's.
fn has_words_of(text: &str, language: Lang, source: Lang) -> bool {
    let list = |language: Lang| row(COMMON_WORDS, language.code());
    let (Some(own), others) = (list(language), list(source).unwrap_or_default()) else {
        return false;
    };
    let is_in = |list: &str, word: &str| list.split(' ').any(|other| other == word);
    let words = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let (mut num, mut of_own, mut of_others) = (0, 0, 0);
    for word in words.map(str::to_lowercase) {
        num += 1;
        match (is_in(own, &word), is_in(others, &word)) {
            (true, false) => of_own += 1,
            (false, true) => of_others += 1,
            _ => {}
        }
    }
    of_own >= 2 && of_own * 6 >= num && of_others * 4 <= of_own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_other_languages_are_detected_and_names_and_technical_words_are_not() {
        for (text, source) in [
            (
                "Wählen Sie den Befehl zum Speichern der Datei im Menü aus.",
                "en",
            ),
            (
                "Vous pouvez imprimer un document texte sous forme de brochure.",
                "en",
            ),
            (
                "O documento pode ser impresso em dois lados da mesma folha.",
                "en",
            ),
            ("Можно напечатать текстовый документ в виде брошюры.", "en"),
            ("可以将文本文档打印成小册子，每张纸的每一面打印两页。", "de"),
        ] {
            assert!(other_language(text, source).is_some(), "{text}");
        }
        for text in [
            "Save the document in the folder that you have chosen before.",
            "LibreOffice Writer, Calc, Impress, Draw, Base, Math, GNOME, KDE, Ubuntu, Debian",
            "Johann Sebastian Bach, Wolfgang Amadeus Mozart, Ludwig van Beethoven",
            "OpenDocument Text (.odt), Microsoft Word 2007-365 (.docx), Rich Text Format (.rtf)",
            "The Brandenburg Gate is called “Brandenburger Tor” by the Germans.",
            "Copyright (C) Freie Software Foundation, Hauptstraße, Bundesrepublik Deutschland",
            "Der Hund.",
        ] {
            assert_eq!(other_language(text, "en"), None, "{text}");
        }
        assert_eq!(
            other_language("Det är inte en fil som du kan spara på disken.", "nb"),
            None
        );
        let unknown = "Wählen Sie den Befehl zum Speichern der Datei im Menü aus.";
        assert_eq!(other_language(unknown, "?"), None);
    }
}
