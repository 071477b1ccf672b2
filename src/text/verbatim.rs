//! Texts that are the same in every language: addresses of pages and people, and paths of files.

use std::ops::Range;

/// The bytes of a word that are an address or a path, without the marks around it.
pub(super) fn verbatim(word: &str) -> Option<Range<usize>> {
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
    fn words_stay_words() {
        for word in [
            "and/or", "/", "//", "km/h", "A:", "www", "www.x", "@", "a@b", "x@y.z", "://x",
            "4://x", "Note:", r"C:\", r"\n", "…", "", "24/7", "/or", "10:30",
        ] {
            assert_eq!(found(word), None, "{word}");
        }
    }
}
