//! Syntax of Markdown's dialects within a line: formulas, tags of templates, attributes, links of a wiki, highlights, emoji.

use std::ops::Range;

use super::dialects::{Code, Kind};

/// Finds such syntax in a block, outside of code and tags.
pub(super) fn find(source: &str, block: Range<usize>, codes: &mut Vec<Code>) {
    let text = &source[..block.end];
    let mut place = block.start;
    while let Some(first) = text[place..].chars().next() {
        let rest = &text[place..];
        let before = text[block.start..place].chars().next_back();
        place = match first {
            '\\' => place + 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '`' => place + code(rest),
            '<' => place + tag(rest),
            _ => match span(rest, before) {
                Some(span) => put(place, span, codes),
                None => place + first.len_utf8(),
            },
        };
    }
}

/// Syntax by its lengths.
enum Span {
    Whole(usize, Kind),
    /// Around words: the lengths of what opens, of the words, and of what closes.
    Around(&'static str, [usize; 3]),
    /// A skipped range.
    Text(usize),
}

fn put(place: usize, span: Span, codes: &mut Vec<Code>) -> usize {
    let mut add = |range: Range<usize>, kind| codes.push(Code { range, kind });
    match span {
        Span::Whole(length, kind) => {
            add(place..place + length, kind);
            place + length
        }
        Span::Around(name, [open, words, close]) => {
            let end = place + open + words;
            add(place..place + open, Kind::Open(name));
            add(end..end + close, Kind::Close(name));
            // Within the words there may be more of it.
            place + open
        }
        Span::Text(length) => place + length,
    }
}

fn span(rest: &str, before: Option<char>) -> Option<Span> {
    let whole = |length| Some(Span::Whole(length, Kind::Opaque));
    let is_word = before.is_some_and(char::is_alphanumeric);
    match rest.as_bytes()[0] {
        b'$' if !is_word => whole(formula(rest)?),
        b'{' => {
            if let Some(length) = template(rest) {
                return whole(length);
            }
            let follows = before.is_some_and(|c| "])`*_".contains(c));
            attributes(rest, follows).map(|length| Span::Whole(length, Kind::Tag))
        }
        b'!' if rest.starts_with("![[") => whole(1 + wiki(&rest[1..])?),
        b'[' if rest.starts_with("[[") => {
            let length = wiki(rest)?;
            match rest[..length].find('|') {
                Some(bar) => Some(Span::Around("link", [bar + 1, length - bar - 3, 2])),
                None => whole(length),
            }
        }
        b'[' if rest.starts_with("[@") || rest.starts_with("[-@") => {
            let close = rest.find(']')?;
            let is_text = rest[close + 1..].starts_with(['(', '[', ':']);
            let is_citation = !is_text && !rest[..close].contains('\n');
            is_citation.then_some(Span::Whole(close + 1, Kind::Opaque))
        }
        b']' if rest.starts_with("](") && !rest.starts_with("]({") => {
            // An address.
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            Some(Span::Text(line.find(')').unwrap_or(1)))
        }
        b'=' if rest.starts_with("==") && before != Some('=') => around("mark", rest, "=="),
        b'^' if before != Some('[') => {
            let words = rest[1..].find('^').filter(|&words| words > 0)?;
            let is_one = !rest[1..=words].contains(|c: char| c.is_whitespace() || "[]".contains(c));
            is_one.then_some(Span::Around("sup", [1, words, 1]))
        }
        b':' if !is_word => whole(emoji(rest)?),
        b'%' if rest.starts_with("%% ") && !is_word => {
            let close = rest[2..].find("%%")?;
            whole(close + 4)
        }
        _ => None,
    }
}

/// How long the code between backquotes is, or the backquotes are, where it does not end.
fn code(rest: &str) -> usize {
    let marks = rest.len() - rest.trim_start_matches('`').len();
    let mut place = marks;
    while let Some(found) = rest[place..].find('`') {
        let start = place + found;
        let length = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        place = start + length;
        if length == marks {
            return place;
        }
    }
    marks
}

/// How long a tag or an address in angle brackets is.
fn tag(rest: &str) -> usize {
    let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    match rest.find('>').filter(|_| is_tag) {
        Some(end) => end + 1,
        None => 1,
    }
}

/// How long `{{…}}`, `{{<…>}}`, `{{%…%}}` or `{%…%}` is.
pub(super) fn template(rest: &str) -> Option<usize> {
    const FORMS: [(&str, &str); 5] = [
        ("{{<", ">}}"),
        ("{{%", "%}}"),
        ("{{{", "}}}"),
        ("{{", "}}"),
        ("{%", "%}"),
    ];
    let (open, close) = FORMS.iter().find(|(open, _)| rest.starts_with(open))?;
    let end = rest[open.len()..].find(close)?;
    Some(open.len() + end + close.len())
}

/// How long `{.class}`, `{#id}` or `{key=value}` is after something, or `{: …}` anywhere.
fn attributes(rest: &str, follows: bool) -> Option<usize> {
    let end = rest.find('}').filter(|&end| !rest[..end].contains('\n'))?;
    let inner = &rest[1..end];
    let is_part = |part: &str| {
        part.starts_with(['.', '#', ':', '"']) || part.contains('=') || part.ends_with('"')
    };
    let is_list = !inner.trim().is_empty() && inner.split_whitespace().all(is_part);
    (inner.starts_with(':') || follows && is_list).then_some(end + 1)
}

/// How long `[[…]]` is, unless it is the text of a link.
fn wiki(rest: &str) -> Option<usize> {
    let close = rest.find("]]")?;
    let inner = &rest[2..close];
    let is_name = !inner.is_empty() && !inner.contains(['\n', '[', ']']);
    let is_text = rest[close + 2..].starts_with(['(', '[', ':']);
    (is_name && !is_text).then_some(close + 2)
}

/// Words between two equal marks.
fn around(name: &'static str, rest: &str, mark: &str) -> Option<Span> {
    let inner = &rest[mark.len()..];
    let words = inner.find(mark)?;
    let text = &inner[..words];
    let is_text = !text.is_empty()
        && !text.starts_with(|c: char| c.is_whitespace() || c == '=')
        && !text.ends_with(char::is_whitespace);
    is_text.then_some(Span::Around(name, [mark.len(), words, mark.len()]))
}

/// How long `:name:` is.
fn emoji(rest: &str) -> Option<usize> {
    let end = rest[1..].find(':')? + 1;
    let name = &rest[1..end];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
    let is_alone = !rest[end + 1..].starts_with(|c: char| c.is_alphanumeric() || c == ':');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || "+-".contains(c));
    (begins && is_alone && name.chars().all(is_name)).then_some(end + 1)
}

/// How long a formula is. Sums of money are not formulas: `$5 and 23$`.
fn formula(rest: &str) -> Option<usize> {
    if let Some(inner) = rest.strip_prefix("$$") {
        let end = inner.find("$$").filter(|&end| end > 0)?;
        return Some(end + 4);
    }
    let inner = &rest[1..];
    if inner.starts_with(char::is_whitespace) {
        return None;
    }
    let mut place = 0;
    let end = loop {
        let found = place + inner[place..].find(['$', '\\', '`'])?;
        match inner.as_bytes()[found] {
            b'\\' => {
                let next = inner[found + 1..].chars().next()?;
                place = found + 1 + next.len_utf8();
            }
            b'$' => break found,
            _ => return None,
        }
    };
    let formula = &inner[..end];
    let after = inner[end + 1..].chars().next();
    let is_closed = !formula.is_empty()
        && !formula.ends_with(char::is_whitespace)
        && !after.is_some_and(char::is_alphanumeric);
    let is_formula = !formula.contains(char::is_whitespace)
        || formula.contains(['\\', '^', '_', '=', '+', '{', '<', '>', '/', '|']);
    (is_closed && is_formula).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut codes = Vec::new();
        find(text, 0..text.len(), &mut codes);
        codes.sort_by_key(|code| code.range.start);
        codes.into_iter().map(|code| &text[code.range]).collect()
    }

    #[test]
    fn formulas_are_distinguished_from_sums() {
        assert_eq!(
            found("Let $x_1$ be, and $a < b$, $n$."),
            ["$x_1$", "$a < b$", "$n$"]
        );
        assert_eq!(found("$$\na \\\\ b\n$$ and `$x$`"), ["$$\na \\\\ b\n$$"]);
        for text in [
            "It costs $5 and $6.",
            "$5 and 23$ here",
            "\\$x$",
            "US$5 or US$6",
            "$HOME/$USER",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn other_syntax_is_found() {
        for (text, codes) in [
            (
                "See {{< ref \"a.md\" >}} and {% link a %}.",
                &["{{< ref \"a.md\" >}}", "{% link a %}"][..],
            ),
            (
                "[[Page]] and [[Page|words]]",
                &["[[Page]]", "[[Page|", "]]"],
            ),
            (
                "![[a.png]] and ==marked==, x^2^",
                &["![[a.png]]", "==", "==", "^", "^"],
            ),
            (
                "[a](b){target=_blank} and {: .c }",
                &["{target=_blank}", "{: .c }"],
            ),
            (":smile: 10:30:00 a: b:", &[":smile:"]),
            (
                "[[1]](x), [^1] <a href=\"$x$\">, a == b, {not} code{x}",
                &[],
            ),
        ] {
            assert_eq!(found(text), codes, "{text}");
        }
    }
}
