//! Texts that are the same in every language: addresses of pages and people, paths of files, and what programs replace.

use std::ops::Range;

use super::variables::{Dialect, Found, in_prose};

/// A part of a text that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub range: Range<usize>,
    pub found: Found,
}

/// The parts of a text that stay, in order; of a string of a program also its placeholders and tags.
pub(super) fn kept(text: &str, is_string: bool) -> Vec<Kept> {
    let (mut kept, mut place, mut word_start) = (Vec::new(), 0, 0);
    let words = |range: Range<usize>, kept: &mut Vec<Kept>| {
        let found = addresses(&text[range.clone()]).into_iter();
        kept.extend(found.map(|found| Kept {
            range: range.start + found.start..range.start + found.end,
            found: Found::Placeholder,
        }));
    };
    while let Some(character) = text[place..].chars().next() {
        let found = if is_string {
            Dialect::PLAIN.find(text, place)
        } else {
            in_prose(text, place).map(|length| (length, Found::Placeholder))
        };
        if character.is_ascii_whitespace() {
            words(word_start..place, &mut kept);
            word_start = place + 1;
        } else if let Some((length, found)) = found {
            let end = place + length;
            // An address may have variables in it.
            let word_end = text[place..].find(|c: char| c.is_ascii_whitespace());
            let word_end = word_end.map_or(text.len(), |length| place + length);
            let around = addresses(&text[word_start..word_end]).into_iter();
            let around = around.map(|range| word_start + range.start..word_start + range.end);
            let mut around = around.filter(|range| range.start <= place && end <= range.end);
            if around.next().is_none() {
                words(word_start..place, &mut kept);
                let range = place..end;
                kept.push(Kept { range, found });
                (place, word_start) = (end, end);
                continue;
            }
        }
        place += character.len_utf8();
    }
    words(word_start..text.len(), &mut kept);
    kept
}

/// The addresses and paths in a word: the whole of it without the marks around it, or what a link of Markdown leads to.
fn addresses(word: &str) -> Vec<Range<usize>> {
    let mut end = 0;
    let links: Vec<Range<usize>> = word
        .match_indices("](")
        .filter_map(|(at, mark)| {
            let start = at + mark.len();
            // Within the address before.
            if start < end {
                return None;
            }
            let inner = &word[start..];
            let length = match link_end(inner) {
                Some(length) => length,
                // A title follows after a space.
                None => verbatim(inner)?.end,
            };
            let is_address = inner[..length].contains(['/', '.', '#', ':']);
            (length > 0 && is_address).then(|| {
                end = start + length;
                start..end
            })
        })
        .collect();
    if links.is_empty() {
        verbatim(word).into_iter().collect()
    } else {
        links
    }
}

/// Where the bracket is closed before a text.
fn link_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(place, character)| {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(place),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// The bytes of a word that are an address or a path, without the marks around it.
fn verbatim(word: &str) -> Option<Range<usize>> {
    let before = word.trim_start_matches(['(', '[', '{', '<', '"', '\'', '‘', '“', '„', '«']);
    let marks = [
        '.', ',', ';', ':', '!', '?', ']', '}', '>', '"', '\'', '’', '”', '“', '»', '…',
    ];
    let mut core = before.trim_end_matches(marks);
    while core.ends_with(')') && core.matches(')').count() > core.matches('(').count() {
        core = core[..core.len() - 1].trim_end_matches(marks);
    }
    let start = word.len() - before.len();
    (is_address(core) || is_mail(core) || is_path(core)).then(|| start..start + core.len())
}

fn is_address(text: &str) -> bool {
    let with_scheme = text.split_once("://").is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
            && !rest.is_empty()
    });
    let host = text.strip_prefix("www.");
    with_scheme || host.is_some_and(|host| host.trim_matches('.').contains('.'))
}

fn is_mail(text: &str) -> bool {
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let Some((person, host)) = text.split_once('@') else {
        return false;
    };
    let is_name = |text: &str, marks: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
    };
    let ending = host.rsplit_once('.').map(|(_, ending)| ending);
    is_name(person, "._%+-")
        && is_name(host, ".-")
        && ending.is_some_and(|it| it.len() > 1 && it.chars().all(|c| c.is_ascii_alphabetic()))
}

fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-+~$%{}@".contains(c);
    let unix = text.strip_prefix("~/").or_else(|| text.strip_prefix('/'));
    let is_unix = unix.is_some_and(|rest| {
        (text.starts_with('~') || rest.contains('/'))
            && rest.starts_with(is_part)
            && rest.chars().all(|c| is_part(c) || c == '/')
    });
    let bytes = text.as_bytes();
    let has_drive = bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && &bytes[1..3] == br":\";
    is_unix || has_drive || text.len() > 3 && text.starts_with(r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(word: &str) -> Option<&str> {
        verbatim(word).map(|range| &word[range])
    }

    #[test]
    fn addresses_and_paths_are_found_without_the_marks_around_them() {
        for (word, expected) in [
            ("https://x.org/a_b-7.html", "https://x.org/a_b-7.html"),
            ("(https://x.org/a),", "https://x.org/a"),
            (
                "https://x.org/wiki/Tree_(graph).",
                "https://x.org/wiki/Tree_(graph)",
            ),
            ("„ftp://x.org“", "ftp://x.org"),
            ("www.x.org.", "www.x.org"),
            ("<info@example.com>", "info@example.com"),
            ("mailto:a.b+c@x-y.co.uk!", "mailto:a.b+c@x-y.co.uk"),
            (r"C:\Users\Public\", r"C:\Users\Public\"),
            (r"\\server\share", r"\\server\share"),
            ("/usr/share/doc/readme.txt.", "/usr/share/doc/readme.txt"),
            ("~/.config", "~/.config"),
        ] {
            assert_eq!(found(word), Some(expected));
        }
    }

    #[test]
    fn variables_and_what_links_lead_to_are_kept() {
        for (text, is_string, expected) in [
            (
                "See [the docs](https://x.org/a_(b)) or ![it](/local/a.png), [me](mailto:a@b.org).",
                false,
                vec!["https://x.org/a_(b)", "/local/a.png", "mailto:a@b.org"],
            ),
            (
                "Hello {{ user.name }}, {% if a %}go{% endif %} to https://x.org/{id}/a now.",
                false,
                vec![
                    "{{ user.name }}",
                    "{% if a %}",
                    "{% endif %}",
                    "https://x.org/{id}/a",
                ],
            ),
            ("A ${b} and {c}, 5 %s, 50%s, :d", false, vec!["${b}"]),
            ("<b>%1$s</b> :d", true, vec!["<b>", "%1$s", "</b>", ":d"]),
        ] {
            let found = kept(text, is_string).into_iter();
            let found: Vec<&str> = found.map(|kept| &text[kept.range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn words_stay_words() {
        for word in [
            "and/or", "/", "//", "km/h", "A:", "www", "www.x", "@", "a@b", "x@y.z", "://x",
            "4://x", "Note:", r"C:\", r"\n", "…", "", "24/7", "/or", "10:30",
        ] {
            assert_eq!(found(word), None, "{word}");
        }
    }
}
