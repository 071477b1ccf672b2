//! The language of a document.

use serde::Serialize;
use whatlang::{Detector, Info, Lang, detect};

use canopy_document::document::{Document, ReadingOptions};
use canopy_document::error::{Error, Result};
use canopy_document::placeholder::visible;
use canopy_tokenize::two_letters;

/// Characters that are looked at; more do not change the answer.
const MAX_CHARS: usize = 8_000;

/// With fewer letters a text is too short for detection.
const MIN_LETTERS: usize = 24;

/// The language in which a document seems to be written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DetectedLanguage {
    /// ISO 639-1 where the language has such a code, else ISO 639-3.
    pub code: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// Whether the text is long and clear enough to act upon.
    pub is_reliable: bool,
}

/// Detects the language of a document by its script and letter trigrams; none where it has no letters.
///
/// Cavnar & Trenkle, "N-Gram-Based Text Categorization", SDAIR 1994, as the crate `whatlang` has it.
pub fn detected_language(document: &Document) -> Option<DetectedLanguage> {
    let text = beginning(document);
    detect(&text).map(|found| described(&text, &found))
}

/// Detects a document's language among these codes; none where the text is too short or in another one.
pub fn detected_among(document: &Document, codes: &[String]) -> Option<DetectedLanguage> {
    let codes: Vec<String> = codes.iter().map(|code| two_letters(code)).collect();
    let is_candidate = |language: &Lang| codes.contains(&two_letters(language.code()));
    let languages: Vec<Lang> = Lang::all().iter().copied().filter(is_candidate).collect();
    if languages.is_empty() {
        return None;
    }
    let text = beginning(document);
    let found = Detector::with_allowlist(languages).detect(&text);
    found.map(|found| described(&text, &found))
}

/// The language of the translations that a file has already, where that is clear and another one than the document's.
pub fn detected_of_translations(document: &Document) -> Option<String> {
    let known = document.sentences.iter().filter_map(|sentence| {
        let known = sentence.known.as_ref()?;
        Some(visible(&known.text, &sentence.points))
    });
    let text = known.fold(String::new(), |mut text, known| {
        if text.len() < MAX_CHARS {
            text.push_str(&known);
            text.push('\n');
        }
        text
    });
    let found = described(&text, &detect(&text)?);
    let source = detected_language(document).map(|source| source.code);
    let is_other = source.as_ref() != Some(&found.code);
    (found.is_reliable && is_other).then_some(found.code)
}

/// Reads a document; where rules of segmentation need its language and nothing says it, the text does.
///
/// # Errors
/// The errors of `read`.
pub fn read_in_its_language(
    options: &ReadingOptions,
    read: impl Fn(&ReadingOptions) -> Result<Document>,
) -> Result<Document> {
    let failure = match read(options) {
        Err(failure @ Error::SrxOfWhich { .. }) => failure,
        done => return done,
    };
    let mut options = options.clone();
    let srx = options.srx.take();
    let found = detected_language(&read(&options)?).ok_or(failure)?;
    (options.srx, options.language) = (srx, Some(found.code));
    read(&options)
}

fn beginning(document: &Document) -> String {
    let mut text = String::new();
    for sentence in &document.sentences {
        if text.len() > MAX_CHARS {
            break;
        }
        text.push_str(&visible(&sentence.text, &sentence.points));
        text.push('\n');
    }
    text
}

fn described(text: &str, found: &Info) -> DetectedLanguage {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    DetectedLanguage {
        code: two_letters(found.lang().code()),
        confidence: found.confidence(),
        is_reliable: found.is_reliable() && letters >= MIN_LETTERS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_document::document::Format;

    #[test]
    fn translations_of_a_file_that_names_no_language_tell_theirs() {
        let entry =
            |source: &str, target: &str| format!("msgid \"{source}\"\nmsgstr \"{target}\"\n\n");
        let open = |target: &str| {
            let file = entry("", "Content-Type: text/plain; charset=UTF-8\\n")
                + &entry(
                    "Choose the colour of the letters before you print them.",
                    target,
                )
                + &entry(
                    "The document has been saved in the folder of the project.",
                    "",
                );
            let document = Document::parse("a.po", Format::Po, file).expect("a file");
            detected_of_translations(&document)
        };
        let russian = open(
            "Выберите цвет букв, прежде чем вы напечатаете их на бумаге, чтобы этот документ был похож на тот, который вы \
             видели раньше.",
        );
        assert_eq!(russian.as_deref(), Some("ru"));
        // None yet, and a copy of the source.
        assert_eq!(open(""), None);
        assert_eq!(
            open("Choose the colour of the letters before you print them."),
            None
        );
    }

    fn detected(text: &str) -> Option<DetectedLanguage> {
        let document = Document::parse("a.txt", Format::Text, text.to_owned()).expect("a text");
        detected_language(&document)
    }

    #[test]
    fn languages_are_detected_from_their_text_and_short_texts_are_not_acted_upon() {
        for (text, code) in [
            (
                "You can print a text document as a brochure. Two pages are printed on each side.",
                "en",
            ),
            (
                "Sie können ein Textdokument als Broschüre drucken. Zwei Seiten werden gedruckt.",
                "de",
            ),
            (
                "Vous pouvez imprimer un document texte sous forme de brochure, sur deux pages.",
                "fr",
            ),
            ("Можно напечатать текстовый документ в виде брошюры.", "ru"),
            (
                "可以将文本文档打印成小册子。每张纸的每一面打印两页，这样您就可以像书一样折叠和阅读。",
                "zh",
            ),
            (
                "يمكنك طباعة مستند نصي ككتيب. تتم طباعة صفحتين على كل جانب من الورقة.",
                "ar",
            ),
        ] {
            let found = detected(text).expect("a language");
            assert_eq!(found.code, code, "{text}");
        }
        assert!(detected("OK").is_none_or(|found| !found.is_reliable));
        assert_eq!(detected("12 + 30 = 42"), None);
    }
}
