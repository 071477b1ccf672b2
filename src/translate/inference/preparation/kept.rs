//! The spans of a sentence that stay as they are: blanks to fill in, names of files, pictograms, what a vocabulary cannot spell.

use std::ops::Range;

use super::spelling::Spelling;
use canopy_document::pictograms::pictograms;
use canopy_document::placeholder::Placeholder;

/// Why a span stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of underscores, dots, dashes.
    Blank,
    /// A name of a file, a page or a person, such as `setup.exe`, `example.com` and `@ann`.
    Name,
    Pictogram,
    Unspelt,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub range: Range<usize>,
    pub kind: Kind,
}

/// All such spans from left to right; none overlaps another.
pub(super) fn kept_spans(text: &str, spelling: &Spelling<'_>, with_names: bool) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut add = |kind: Kind, ranges: Vec<Range<usize>>| {
        for range in ranges {
            let overlaps =
                |span: &Span| span.range.start < range.end && range.start < span.range.end;
            if !spans.iter().any(overlaps) {
                spans.push(Span { range, kind });
            }
        }
    };
    add(Kind::Blank, blanks(text));
    if with_names {
        add(Kind::Name, names(text));
    }
    if spelling.is_of_bytes() {
        let unknown = pictograms(text).into_iter();
        let unknown = unknown.filter(|run| !spelling.is_one_token(&text[run.clone()]));
        add(Kind::Pictogram, unknown.collect());
    }
    add(Kind::Unspelt, unspelt_words(text, spelling));
    spans.sort_by_key(|span| span.range.start);
    spans
}

/// Runs of one mark that leave room or lead the eye: `____`, `.....`, `. . . .`, `-----`, `====`.
pub(super) fn blanks(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut at = 0;
    while at < characters.len() {
        let (start, mark) = characters[at];
        let Some(least) = least_marks(mark) else {
            at += 1;
            continue;
        };
        let next = |place: usize| characters.get(place).map(|it| it.1);
        // Marks in a row or each after a space, not `-- --`.
        let spaced = next(at + 1) == Some(' ');
        let step = if spaced { 2 } else { 1 };
        let (mut count, mut end) = (1, at + 1);
        while next(end + step - 1) == Some(mark) && (!spaced || next(end) == Some(' ')) {
            end += step;
            count += 1;
        }
        if spaced && next(end) == Some(mark) {
            // The last one begins a run of its own.
            (count, end) = (count - 1, end - step);
        }
        if count >= least {
            let end = characters.get(end).map_or(text.len(), |it| it.0);
            // Blanks of a date or of letters: ____/____, one span.
            match runs.last_mut() {
                Some(run) if is_between_blanks(&text[run.end..start]) => run.end = end,
                _ => runs.push(start..end),
            }
        }
        at = end;
    }
    runs
}

/// How many of a mark in a row are no punctuation.
fn least_marks(mark: char) -> Option<usize> {
    match mark {
        '_' | '*' | '=' | '~' | '#' | '…' | '–' | '—' | '＿' => Some(3),
        '.' | '-' | '·' | '‐' | '+' => Some(4),
        _ => None,
    }
}

fn is_between_blanks(gap: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && Placeholder::from_char(c).is_none();
    gap.chars().count() <= 3 && gap.trim() == gap && gap.chars().all(is_mark)
}

/// Endings of files; others are looked at as words.
const ENDINGS: &str = " 7z aac ai apk asp aspx avi bak bash bat bin bmp bz2 c cc cfg class cmd conf cpp crt cs css csv cxx dat db \
    deb dll dmg doc docm docx dot dotx dtd dylib eml env eps epub exe flac gif go gpg gz h hpp htm html hxx ico idml ini ipynb iso \
    jar java jpeg jpg js json jsx key ko kt lock log lua m4a m4v md mkv mo mov mp3 mp4 mpg msi odb odf odg odm odp ods odt ogg \
    old opus ott otf pdf pem php phtml pkg pl png po pot ppt pptm pptx properties ps psd pub py pyc qm rar rb resx rpm rs rst rtf \
    sass scss sh so sql sqlite srt srx svg svgz swf swift sxw sys tar tbx tcl tex tgz tif tiff tmp tmx toml ts tsv tsx ttf txt \
    vb vbs vtt wav webm webp whl wma wmv woff woff2 xcf xhtml xlf xliff xls xlsm xlsx xml xpm xsd xsl xslt xz yaml yml zip zst ";

/// Ends of names of hosts that are no endings of files.
const HOSTS: &str = " com org net edu gov info io dev app eu de fr uk us br pt es it nl ch at pl ru ca au jp cn in ";

/// Names of files, hosts and people, without the signs around them.
pub(super) fn names(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let is_end = |c: char| c.is_whitespace() || Placeholder::from_char(c).is_some();
    for word in text.split_inclusive(is_end) {
        let range = start..start + word.len();
        start = range.end;
        let word = word.trim_end_matches(is_end);
        let is_sign = |c: char| !c.is_alphanumeric() && !"@_~".contains(c);
        let core = word.trim_start_matches(is_sign);
        let from = range.start + word.len() - core.len();
        let core = core.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '/');
        if is_file(core) || is_host(core) || is_mention(core) {
            found.push(from..from + core.len());
        }
    }
    found
}

fn is_listed(list: &str, ending: &str) -> bool {
    let ending = ending.to_ascii_lowercase();
    ending.chars().all(|c| c.is_ascii_alphanumeric())
        && list.split_ascii_whitespace().any(|other| other == ending)
}

/// A name with an ending of files: `print.log`, `archive.tar.gz`, `docs/readme.md`.
fn is_file(text: &str) -> bool {
    let Some((stem, ending)) = text.rsplit_once('.') else {
        return false;
    };
    let is_part = |c: char| c.is_alphanumeric() || "._-+~/\\".contains(c);
    let is_name = stem.chars().all(is_part) && stem.chars().any(char::is_alphanumeric);
    // "OK.So" and "end.Go" are sentences without a space.
    let has = |text: &str, is: fn(char) -> bool| text.chars().any(is);
    let is_of_one_case = !has(ending, char::is_uppercase)
        || !has(ending, char::is_lowercase) && !has(stem, char::is_lowercase);
    is_name && is_of_one_case && is_listed(ENDINGS, ending)
}

/// A host, perhaps with a path: `example.com/page`, `sub.example.org`.
fn is_host(text: &str) -> bool {
    let host = text.split(['/', ':', '?']).next().unwrap_or_default();
    let Some((stem, ending)) = host.rsplit_once('.') else {
        return false;
    };
    let is_part = |part: &str| {
        part.chars().count() > 1
            && part
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let is_text = text.chars().all(|c| c.is_ascii() && !"()<>\"'".contains(c));
    let has_letter = stem.chars().any(|c| c.is_ascii_alphabetic());
    let is_lower = ending.chars().all(|c| c.is_ascii_lowercase());
    // "is.it" and "bald.in" lack a space rather; with a path they are addresses.
    let is_sure = matches!(
        ending,
        "com" | "org" | "net" | "edu" | "gov" | "io" | "dev" | "info"
    ) || stem.contains('.')
        || host.len() < text.trim_end_matches('/').len();
    is_text
        && has_letter
        && is_lower
        && is_sure
        && stem.split('.').all(is_part)
        && is_listed(HOSTS, ending)
}

/// `@ann`, `@project_x`.
fn is_mention(text: &str) -> bool {
    text.strip_prefix('@').is_some_and(|name| {
        name.chars().nth(1).is_some()
            && name.starts_with(char::is_alphabetic)
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_.-/".contains(c))
    })
}

/// The words with a character that the vocabulary cannot spell, whole, and signs with the digits next to them; several words in
/// a row are one span.
fn unspelt_words(text: &str, spelling: &Spelling<'_>) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for place in spelling.unspelt(text) {
        let is_word = text[place.clone()].chars().all(is_part_of_word);
        let range = if is_word {
            around(text, &place, is_part_of_word)
        } else {
            around(text, &place, |c| c.is_ascii_digit() || ".,".contains(c))
        };
        let last = spans.last_mut();
        let touches = |last: &Range<usize>| {
            let gap = text.get(last.end..range.start);
            last.end >= range.start
                || gap == Some("")
                || gap == Some(" ") && is_word && ends_in_word(text, last)
        };
        match last {
            Some(last) if touches(&*last) => last.end = last.end.max(range.end),
            _ => spans.push(range),
        }
    }
    spans
}

fn ends_in_word(text: &str, range: &Range<usize>) -> bool {
    let last = text[range.clone()].chars().next_back();
    last.is_some_and(char::is_alphabetic)
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || super::spelling::is_mark(character) || character == '_'
}

/// The characters around a place for which `is_part` holds, without points and commas at the ends. Hyphens and apostrophes
/// between letters are parts of words.
fn around(text: &str, place: &Range<usize>, is_part: impl Fn(char) -> bool) -> Range<usize> {
    let joins = |c: char| "-'’".contains(c) && is_part('x');
    let mut end = place.end;
    let mut after = text[place.end..].char_indices().peekable();
    while let Some((at, character)) = after.next() {
        let mut goes_on = || after.peek().is_some_and(|(_, next)| is_part(*next));
        if !(is_part(character) || joins(character) && goes_on()) {
            break;
        }
        end = place.end + at + character.len_utf8();
    }
    let mut start = place.start;
    let mut before = text[..place.start].char_indices().rev().peekable();
    while let Some((at, character)) = before.next() {
        let mut goes_on = || before.peek().is_some_and(|(_, next)| is_part(*next));
        if !(is_part(character) || joins(character) && goes_on()) {
            break;
        }
        start = at;
    }
    let lead = &text[start..place.start];
    let tail = &text[place.end..end];
    start += lead.len() - lead.trim_start_matches(['.', ',']).len();
    end -= tail.len() - tail.trim_end_matches(['.', ',']).len();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn blanks_are_runs_and_punctuation_is_not() {
        let long = "_".repeat(39);
        for (text, expected) in [
            (format!("Address: {long}"), vec![long.as_str()]),
            ("Chapter 1 ........ 5".to_owned(), vec!["........"]),
            (
                "Name . . . . . Date ____/____/____".to_owned(),
                vec![". . . . .", "____/____/____"],
            ),
            ("----- cut here -----".to_owned(), vec!["-----", "-----"]),
            ("=== * * * ===".to_owned(), vec!["===", "* * *", "==="]),
            (
                "Wait... What -- me? a--b, e.g. *x* _y_ 1 - 2".to_owned(),
                vec![],
            ),
            ("C++ and #1 ... ".to_owned(), vec![]),
            ("With -- --port and - -- ---".to_owned(), vec![]),
        ] {
            assert_eq!(shown(&text, blanks(&text)), expected, "{text}");
        }
    }

    #[test]
    fn names_of_files_hosts_and_people_are_found() {
        for (text, expected) in [
            (
                "Run setup.exe and delete print.log.",
                vec!["setup.exe", "print.log"],
            ),
            ("Open (file.txt), “a.tar.gz”!", vec!["file.txt", "a.tar.gz"]),
            (
                "Edit src/main.py or README.MD",
                vec!["src/main.py", "README.MD"],
            ),
            (
                "Visit example.com/page or sub.example.org.",
                vec!["example.com/page", "sub.example.org"],
            ),
            ("Ask @ann_b, not me @ home.", vec!["@ann_b"]),
            (
                "e.g. this, p.m. or the U.S. at 3.5 km. OK.So what?End.Go",
                vec![],
            ),
            ("Stop.it is bald.in vain", vec![]),
        ] {
            assert_eq!(shown(text, names(text)), expected, "{text}");
        }
    }
}
