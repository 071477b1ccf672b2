//! Variables that are written by names: in braces, after a dollar sign or a colon, between marks.

use super::templates::{closing, template};

/// `{0}`, `{name}`, `{name:format}`, `{}`, and the quoted `{'@'}` of vue-i18n.
pub(super) fn braced(rest: &str) -> Option<usize> {
    let inner = &rest[1..];
    let end = inner.find('}')?;
    let content = &inner[..end];
    let is_quoted = content.len() > 2 && content.starts_with('\'') && content.ends_with('\'');
    let is_one = !content.contains(['\n', '{']);
    (is_one && (is_quoted || is_argument(content))).then_some(end + 2)
}

/// A name or a number, and perhaps how it is formatted.
fn is_argument(content: &str) -> bool {
    let content = content.trim();
    let is_name = |c: char| c.is_alphanumeric() || "_.$@-/[]^&!".contains(c);
    let rest = content.trim_start_matches(is_name).trim_start();
    rest.is_empty() || rest.starts_with([',', ':', '|', '(', '=', '?'])
}

/// `${name}`, `$t(key)`, `$NAME$`, `$1`.
pub(super) fn dollar(rest: &str) -> Option<usize> {
    let body = &rest[1..];
    if body.starts_with('{') {
        let found = template(body).or_else(|| braced(body));
        return found.map(|length| length + 1);
    }
    if body.starts_with("t(") {
        let end = closing(&body[1..], '(', ')').or_else(|| body[1..].find(')'));
        return end.map(|end| end + 3);
    }
    let name = body
        .bytes()
        .take_while(|&b| b.is_ascii_alphanumeric() || b"_@".contains(&b))
        .count();
    if name > 0 && body[name..].starts_with('$') {
        return Some(name + 2);
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let is_price =
        body[digits..].starts_with(|c: char| c == '.' || c == ',' || c.is_alphanumeric());
    (digits == 1 && !is_price).then_some(2)
}

/// `:count` of Laravel, after a space or at the beginning.
pub(super) fn colon(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].chars().next_back();
    let is_apart = before.is_none_or(|c| c.is_whitespace() || "(\"'[“„«/-".contains(c));
    let name = &text[at + 1..];
    let length = identifier(name);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_apart && starts).then_some(length + 1)
}

/// `@:key`, `@:(key)`, `@.lower:key` of vue-i18n.
pub(super) fn linked(rest: &str) -> Option<usize> {
    let modifier = match rest[1..].strip_prefix('.') {
        Some(modifier) => identifier(modifier) + 1,
        None => 0,
    };
    let key = rest[1 + modifier..].strip_prefix(':')?;
    let start = modifier + 2;
    if key.starts_with('(') {
        return key.find(')').map(|end| start + end + 1);
    }
    let is_key = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let end = key.find(|c| !is_key(c)).unwrap_or(key.len());
    let key = key[..end].trim_end_matches('.');
    (!key.is_empty()).then_some(start + key.len())
}

/// `[[key]]`, `*|KEY|*`.
pub(super) fn between_marks(rest: &str) -> Option<usize> {
    let (open, close) = match rest.get(..2)? {
        "[[" => ("[[", "]]"),
        "*|" => ("*|", "|*"),
        _ => return None,
    };
    let inner = rest.strip_prefix(open)?;
    let name = inner[..inner.find(close)?].trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.:|".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then(|| 4 + inner.find(close).unwrap_or(0))
}

/// `__name__` of i18next: a name, not a word in capitals at its beginning that Markdown would show in bold.
pub(super) fn underlined(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].chars().next_back();
    let name = text[at..].strip_prefix("__")?;
    let end = name.find("__")?;
    let is_apart = before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    let is_name = end > 0 && identifier(name) >= end;
    let behind = name[end + 2..].chars().next();
    let ends = behind.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
    (is_apart && starts && is_name && ends).then_some(end + 4)
}

/// The length of a name at the beginning of a text.
fn identifier(text: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.find(|c| !is_name(c)).unwrap_or(text.len())
}
