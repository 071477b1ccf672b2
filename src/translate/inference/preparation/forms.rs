//! The form in which vocabularies know a text: composed, without invisible characters, ligatures and spaces of other widths.

use icu_normalizer::ComposingNormalizerBorrowed;

use canopy_document::placeholder::Placeholder;

/// A word as a model reads it and as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnForm {
    pub read: String,
    pub own: String,
}

/// A text in the form that vocabularies know, and its words that are written otherwise. Spaces, quotation
/// marks, dashes and letters of other forms that `is_known` stay; a capital that is not known is small where that is, unless
/// the vocabulary spells all.
pub(super) fn normalized(
    text: &str,
    is_known: &dyn Fn(char) -> bool,
    spells_all: bool,
) -> (String, Vec<OwnForm>) {
    if text.is_ascii() {
        return (text.to_owned(), Vec::new());
    }
    let mut normalized = String::with_capacity(text.len());
    let mut forms = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_break = |c: char| c.is_ascii_whitespace() || Placeholder::from_char(c).is_some();
        if is_break(first) {
            normalized.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(is_break).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let read = normalized_run(run, is_known, spells_all);
        if read != run {
            forms.extend(own_form(&read, run));
        }
        normalized += &read;
        rest = after;
    }
    forms.dedup();
    (normalized, forms)
}

/// A translation in which words that came through as they were read have the form of the file.
pub(super) fn with_own_forms(mut text: String, forms: &[OwnForm]) -> String {
    for OwnForm { read, own } in forms {
        let (mut written, mut end) = (String::with_capacity(text.len()), 0);
        for (at, found) in text.match_indices(read.as_str()) {
            let after = at + found.len();
            let is_within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let around = [text[..at].chars().next_back(), text[after..].chars().next()];
            if at < end || around.into_iter().any(is_within) {
                continue;
            }
            written += &text[end..at];
            written += own;
            end = after;
        }
        written += &text[end..];
        text = written;
    }
    text
}

fn normalized_run(run: &str, is_known: &dyn Fn(char) -> bool, spells_all: bool) -> String {
    const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
    const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
    let characters: Vec<char> = run.chars().collect();
    let mut plain = String::with_capacity(run.len());
    for (place, &character) in characters.iter().enumerate() {
        let around = [
            characters[..place].last().copied(),
            characters.get(place + 1).copied(),
        ];
        if is_invisible(character, around) {
            continue;
        }
        match character {
            _ if character.is_ascii() || is_known(character) => plain.push(character),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            '\u{2018}'..='\u{201B}' | '\u{2032}' => plain.push('\''),
            '\u{201C}'..='\u{201F}' | '«' | '»' | '\u{2033}' => plain.push('"'),
            _ if character.is_whitespace() => plain.push(' '),
            _ if !spells_all && small(character).is_some_and(is_known) => {
                plain.extend(small(character));
            }
            _ if is_letter_of_other_form(character) => {
                plain += &NFKC.normalize(character.encode_utf8(&mut [0; 4]));
            }
            _ => plain.push(character),
        }
    }
    NFC.normalize(&plain).into_owned()
}

/// The small letter of a capital; none of what has none or several.
fn small(character: char) -> Option<char> {
    let mut small = character.to_lowercase();
    let first = small.next().filter(|first| *first != character);
    first.filter(|_| small.next().is_none())
}

/// The two forms of a word or a dash without the signs around it; none if it is neither.
fn own_form(read: &str, own: &str) -> Option<OwnForm> {
    let sign = |c: char| !c.is_alphanumeric();
    let [mut read, mut own] = [read, own];
    loop {
        let [one, other] = [read.chars().next()?, own.chars().next()?];
        if one != other || !sign(one) {
            break;
        }
        (read, own) = (&read[one.len_utf8()..], &own[one.len_utf8()..]);
    }
    while let (Some(one), Some(other)) = (read.chars().next_back(), own.chars().next_back()) {
        if one != other || !sign(one) {
            break;
        }
        let length = one.len_utf8();
        (read, own) = (&read[..read.len() - length], &own[..own.len() - length]);
    }
    let is_word = read.chars().any(char::is_alphanumeric);
    (is_word || read == "-").then(|| OwnForm {
        read: read.to_owned(),
        own: own.to_owned(),
    })
}

/// Soft hyphens, characters without width and marks of direction. Joiners count where they stand beside no letter that takes
/// another shape by them.
fn is_invisible(character: char, around: [Option<char>; 2]) -> bool {
    match character {
        '\u{AD}'
        | '\u{200B}'
        | '\u{2060}'
        | '\u{FEFF}'
        | '\u{61C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' => true,
        '\u{200C}' | '\u{200D}' => {
            let is_plain = |c: Option<char>| c.is_none_or(|c| c < '\u{590}');
            around.into_iter().all(is_plain)
        }
        _ => false,
    }
}

/// Quotation marks, apostrophes and dashes that ASCII has in one form.
pub(super) fn is_typographic(character: char) -> bool {
    matches!(
        character,
        '\u{2012}'..='\u{2015}' | '\u{2018}'..='\u{201F}' | '\u{2032}' | '\u{2033}' | '\u{2212}' | '«' | '»'
    )
}

/// Ligatures, letters of other widths and styles.
fn is_letter_of_other_form(character: char) -> bool {
    matches!(
        character,
        '\u{132}' | '\u{133}' | '\u{17F}' | '\u{1C4}'..='\u{1CC}' | '\u{2160}'..='\u{217F}'
            | '\u{FB00}'..='\u{FB1C}' | '\u{FB50}'..='\u{FDFB}' | '\u{FE70}'..='\u{FEFC}'
            | '\u{FF01}'..='\u{FFDC}' | '\u{1D400}'..='\u{1D7FF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<(String, String)>) {
        let (text, forms) = normalized(text, &|c| c < '\u{A0}' || c == 'é', false);
        let forms = forms.into_iter().map(|form| (form.read, form.own));
        (text, forms.collect())
    }

    #[test]
    fn texts_are_read_composed_and_without_what_nobody_sees() {
        for (text, expected) in [
            ("O\u{308}ffnen Sie", "Öffnen Sie"),
            ("docu\u{AD}ment", "document"),
            ("docu\u{200B}ment\u{2060}", "document"),
            ("\u{FEFF}docu\u{200C}ment", "document"),
            ("\u{2068}Ann\u{2069} \u{200E}x\u{200F}", "Ann x"),
            ("the\u{A0}5\u{202F}km", "the 5 km"),
            ("non\u{2011}stop", "non-stop"),
            ("o\u{FB03}ce \u{FF33}ave", "office Save"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("≥ 5 ½ é", "≥ 5 ½ é"),
            ("Ém Ôm", "ém Ôm"),
            ("children’s “word” – 5–7", "children's \"word\" - 5-7"),
        ] {
            assert_eq!(read(text).0, expected);
        }
    }

    #[test]
    fn words_that_are_kept_have_the_form_of_the_file() {
        let (_, forms) = read("(Mu\u{308}ller, 5\u{A0}km) – to\u{2011}do.");
        assert_eq!(
            forms,
            [
                ("Müller".to_owned(), "Mu\u{308}ller".to_owned()),
                ("5 km".to_owned(), "5\u{A0}km".to_owned()),
                ("-".to_owned(), "–".to_owned()),
                ("to-do".to_owned(), "to\u{2011}do".to_owned()),
            ]
        );
        let forms: Vec<OwnForm> = forms
            .into_iter()
            .map(|(read, own)| OwnForm { read, own })
            .collect();
        let written = with_own_forms("Müllers Müller - 5 km, 15-km".to_owned(), &forms);
        assert_eq!(written, "Müllers Mu\u{308}ller – 5\u{A0}km, 15-km");
    }
}
