//! Text that every language keeps as it is: words that programs fill in (`%s`, `%1$d`, `%(name)s`, `{name}`, `${HOME}`) and
//! pictograms.

use std::ops::Range;

use canopy_document::pictograms::pictograms;

/// Its place in a text.
pub(super) fn literals(text: &str) -> Vec<Range<usize>> {
    let mut found = pictograms(text);
    let mut start = 0;
    while let Some(at) = text[start..].find(['%', '{', '$']).map(|at| at + start) {
        let length = literal(&text[at..]);
        found.extend(length.map(|length| at..at + length));
        start = at + length.unwrap_or(1);
    }
    found.sort_by_key(|range| range.start);
    found
}

/// The length of the literal with which a text begins.
fn literal(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('$') {
        return (rest.starts_with('{'))
            .then(|| Some(1 + braced(rest)?))
            .flatten();
    }
    if text.starts_with('{') {
        return braced(text);
    }
    let rest = text.strip_prefix('%')?;
    if rest.starts_with('{') {
        return Some(1 + braced(rest)?);
    }
    let mut at = 1;
    if rest.starts_with('(') {
        let end = rest.find(')')?;
        let is_name = |c: char| c.is_alphanumeric() || "_.-".contains(c);
        if end == 1 || !rest[1..end].chars().all(is_name) {
            return None;
        }
        at += end + 1;
    }
    let digits = |at: usize| {
        text[at..].len()
            - text[at..]
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len()
    };
    let argument = digits(at);
    if argument > 0 && text[at + argument..].starts_with('$') {
        at += argument + 1;
    } else if argument > 0 && !text[at + argument..].starts_with(is_conversion_or_more) {
        // Qt's `%1`.
        return Some(at + argument);
    }
    at += text[at..].len()
        - text[at..]
            .trim_start_matches(['-', '+', '#', '0', '\''])
            .len();
    at += if text[at..].starts_with('*') {
        1
    } else {
        digits(at)
    };
    if text[at..].starts_with('.') {
        at += 1;
        at += if text[at..].starts_with('*') {
            1
        } else {
            digits(at)
        };
    }
    at += text[at..].len()
        - text[at..]
            .trim_start_matches(['h', 'l', 'L', 'q', 'j', 'z', 't'])
            .len();
    let conversion = text[at..].chars().next()?;
    let after = text[at + conversion.len_utf8()..].chars().next();
    let is_word = after.is_some_and(|c| c.is_alphanumeric() || c == '_');
    ("diouxXeEfFgGaAcsSpnm@".contains(conversion) && !is_word).then_some(at + conversion.len_utf8())
}

fn is_conversion_or_more(c: char) -> bool {
    "diouxXeEfFgGaAcsSpnm@.hlLqjzt$".contains(c)
}

/// `{name}`, `{0}`, `{{name}}`, `{count, number}`: no spaces but after a comma, and nothing nested.
fn braced(text: &str) -> Option<usize> {
    let depth = if text.starts_with("{{") { 2 } else { 1 };
    let end = text[depth..].find('}')? + depth;
    let inner = text[depth..end].trim();
    let is_name = |c: char| c.is_alphanumeric() || "_.-:#$!@/ ,".contains(c);
    let name = inner.split(',').next().unwrap_or_default();
    let is_right = inner.chars().all(is_name) && !name.contains(' ') && inner.len() <= 60;
    let closed = text[end..].starts_with(&"}".repeat(depth));
    (is_right && closed && !(inner.is_empty() && depth == 2)).then_some(end + depth)
}

/// Where a text must be cut, so that `kept` has words of its own.
pub(super) fn occurrences(text: &str, kept: &[&str]) -> Vec<usize> {
    let found = kept.iter().flat_map(|kept| {
        let places = text.match_indices(kept);
        places.flat_map(|(at, found)| [at, at + found.len()])
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_fill_in_is_found() {
        let found = |text: &str| {
            let ranges = literals(text).into_iter();
            ranges
                .map(|range| text[range].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(
                "%s of %1$d, %(name)s: {name} {0} {{user}} ${HOME} %{count} %-5.2f %ld %1 %@ {n, number}"
            ),
            [
                "%s",
                "%1$d",
                "%(name)s",
                "{name}",
                "{0}",
                "{{user}}",
                "${HOME}",
                "%{count}",
                "%-5.2f",
                "%ld",
                "%1",
                "%@",
                "{n, number}"
            ]
        );
        for text in [
            "100 % sure",
            "50%",
            "{ a b }",
            "5% discount",
            "%",
            "{",
            "${",
            "%(",
            "$5",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
