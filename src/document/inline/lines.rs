//! Line breaks within a paragraph: those that end a line, as in an address or a list, and those that wrap a sentence.

use super::super::segment::{INVISIBLE, LINE_BREAK, PARAGRAPH_BREAK};
use crate::placeholder::Placeholder;

/// Words after which a line continues, in a few languages.
const GOES_ON: &str = "a an the of in on at to for from by with without and or nor but as than that which who whose into onto \
    over under between through your our their his her its my is are was were be not no if when while because \
    der die das den dem des ein eine einen einem einer eines kein keine und oder aber von vom zu zum zur in im auf an am für \
    mit ohne bei beim nach aus über unter durch um als wie dass wenn weil ihr ihre ihren ihrem ihrer ist sind wird werden nicht \
    le la les l un une des du de d et ou à au aux en dans sur pour par avec sans que qui ne est sont \
    el los las y o del al con sin por para su sus es son no \
    il lo gli i di da e che per tra fra è sono uno una nel nella \
    os as um uma do da dos das no na nos nas em com sem por pelo pela que é são \
    het een van voor met op te en of";

/// Words with which a sentence or a line begins, rather than that a wrapped one continues with them in capitals.
const BEGINS: &str = "The A An This That These It You We They If When While Please To For No Not There Click Select Choose Open \
    Der Die Das Ein Eine Dies Diese Dieser Es Sie Wir Wenn Bitte Um Für Kein Keine Nicht \
    Le La Les L' Un Une Ce Cette Il Elle Vous Si Pour Veuillez El Los Las Este Esta Para Por O Os Um Uma Se Não";

/// Puts paragraph breaks in place of the line breaks after which a new line begins for readers: a line that begins with a
/// capital, after one that is not about to continue.
///
/// Where the paragraph ends like a sentence and the line before does not, both may be one sentence, and only a word with
/// which sentences begin, or a label such as `Name:`, distinguishes them. In German every noun has a capital, so that there
/// is more to show.
pub(super) fn with_finished_lines(text: String, language: Option<&str>) -> String {
    if !text.contains(LINE_BREAK) {
        return text;
    }
    let capitals = Capitals::from_text(&text, language);
    let mut written = String::with_capacity(text.len());
    for part in text.split_inclusive(PARAGRAPH_BREAK) {
        let lines: Vec<&str> = part.split(LINE_BREAK).collect();
        let shown: Vec<String> = lines.iter().map(|line| visible(line)).collect();
        let last = shown.iter().rfind(|line| !line.is_empty());
        let is_sentence = last.is_some_and(|line| ends_sentence(line));
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                let before = &shown[number - 1];
                let is_finished = is_finished(before, &shown[number], is_sentence, capitals);
                written.push(if is_finished {
                    PARAGRAPH_BREAK
                } else {
                    LINE_BREAK
                });
            }
            written += line;
        }
    }
    written
}

/// The meaning of a capital at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Capitals {
    /// A beginning.
    Begin,
    /// Perhaps a noun.
    Nouns,
}

impl Capitals {
    fn from_text(text: &str, language: Option<&str>) -> Self {
        let is_german = match language {
            Some(language) => language.starts_with("de") || language.starts_with("lb"),
            None => text.split_whitespace().any(|word| {
                matches!(
                    word,
                    "der" | "die" | "das" | "und" | "ist" | "nicht" | "für" | "auf" | "mit" | "Sie"
                )
            }),
        };
        if is_german { Self::Nouns } else { Self::Begin }
    }
}

/// A line as a reader sees it, with a letter for what is not translated.
fn visible(line: &str) -> String {
    let shown = line
        .chars()
        .filter_map(|character| match Placeholder::from_char(character) {
            Some(Placeholder::Point(_)) => Some('Ǝ'),
            Some(_) => None,
            None if character == INVISIBLE || character == PARAGRAPH_BREAK => None,
            None => Some(character),
        });
    shown.collect::<String>().trim().to_owned()
}

fn is_finished(before: &str, line: &str, is_sentence: bool, capitals: Capitals) -> bool {
    let is_opening = |c: char| "\"'“„‘‚«»‹›([{¿¡".contains(c);
    let begins = line.trim_start_matches(is_opening);
    let is_item = |line: &str| line.starts_with(['•', '–', '—', '·']) || line.starts_with("- ");
    if before.is_empty() || !has_letter(before) || !has_letter(line) {
        return false;
    }
    if is_item(line) {
        return true;
    }
    if !begins.starts_with(char::is_uppercase) || goes_on(before) {
        return false;
    }
    let first = begins
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .next();
    let is_beginning = first.is_some_and(|first| BEGINS.split_whitespace().any(|it| it == first));
    if is_beginning || is_label(line) || before.ends_with([':', ';']) || ends_sentence(before) {
        return true;
    }
    !is_sentence && (capitals == Capitals::Begin || !may_need_a_noun(before))
}

fn has_letter(line: &str) -> bool {
    line.contains(|c: char| c.is_alphabetic() && c != 'Ǝ')
}

/// Whether a line ends as a sentence does.
fn ends_sentence(line: &str) -> bool {
    let core = line.trim_end_matches(['"', '\'', '”', '“', '’', '»', '«', ')', ']']);
    core.ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// Whether a line is about to continue: after a comma, a dash, an article, a preposition.
fn goes_on(line: &str) -> bool {
    if line.ends_with([
        ',', '-', '–', '—', '/', '&', '+', '=', '(', '[', '{', '“', '„', '«',
    ]) {
        return true;
    }
    let last = line
        .rsplit(|c: char| c.is_whitespace() || c == '\'' || c == '’')
        .next();
    last.is_some_and(|last| GOES_ON.split_whitespace().any(|it| it == last))
}

/// Whether the last word of a German line may be an adjective or a verb before its noun.
fn may_need_a_noun(line: &str) -> bool {
    let last = line.split_whitespace().next_back().unwrap_or_default();
    let is_inflected = ["e", "en", "er", "es", "em"]
        .iter()
        .any(|end| last.ends_with(end));
    last.starts_with(char::is_lowercase) && is_inflected
}

/// Whether a line begins with its label, as in `Name: Ann`.
fn is_label(line: &str) -> bool {
    let Some((label, value)) = line.split_once(':') else {
        return false;
    };
    let num = label.split_whitespace().count();
    (1..=3).contains(&num) && (value.is_empty() || value.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, language: Option<&str>) -> String {
        let text = with_finished_lines(text.replace('|', &LINE_BREAK.to_string()), language);
        let text = text.replace(LINE_BREAK, "|");
        text.replace(PARAGRAPH_BREAK, "¶")
    }

    #[test]
    fn lines_of_addresses_lists_and_messages_are_finished() {
        for text in [
            "Line one|Line two",
            "12 Mill Lane|Oxford OX1 2AB|England",
            "Name: the user|Telephone: 123 456|City: Berlin",
            "Open the file|Save the file|Close the window",
            "Cannot load the file \"%ls\"|It may be of another type",
            "File not found|Please check the name.",
            "Menu:|File|Edit",
            "You need:|- a pen|- a sheet",
            "Ready?|Then start.",
        ] {
            let expected = text.replace('|', "¶");
            assert_eq!(lines(text, Some("en")), expected);
            assert_eq!(lines(text, None), expected);
        }
        for text in ["Zeile eins|Zeile zwei", "Datei fehlt|Bitte prüfen"] {
            assert_eq!(lines(text, Some("de")), text.replace('|', "¶"));
        }
    }

    #[test]
    fn wrapped_sentences_and_titles_go_on() {
        for text in [
            "Print the page and|close the window.",
            "Enter a name and press|Enter to confirm.",
            "Working with Tables|and Charts",
            "The Complete Guide to|Modern Cooking",
            "Red, green,|Blue",
            "1|2",
        ] {
            assert_eq!(lines(text, Some("en")), text);
        }
        for text in [
            "Öffnen Sie die|Datei",
            "Öffnen Sie die neue|Datei",
            "Das ist eine lange|Überschrift",
        ] {
            assert_eq!(lines(text, Some("de")), text);
            assert_eq!(lines(text, None), text);
        }
    }
}
