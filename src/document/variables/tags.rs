//! Tags and references within the text of a string.

use super::Found;

/// A tag of HTML or of a program's own.
pub(super) fn tag(rest: &str) -> Option<(usize, Found)> {
    if let Some(comment) = rest.strip_prefix("<!--") {
        return comment.find("-->").map(|end| (end + 7, Found::Point));
    }
    let end = rest.find('>')?;
    let inner = &rest[1..end];
    let is_closing = inner.starts_with('/');
    let name = tag_name(inner);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let after = &inner.trim_start_matches('/')[name.len()..];
    let is_tag = begins
        && !inner.contains('<')
        && (after.is_empty() || after.starts_with(|c: char| c.is_ascii_whitespace() || c == '/'));
    // "a <b and c> d" has no attributes.
    let has_attributes = after
        .trim_end_matches('/')
        .trim()
        .split_ascii_whitespace()
        .all(|word| word.contains(['=', '"', '\'']) || after.contains('='));
    if !is_tag || !has_attributes || is_closing && !after.trim().is_empty() {
        return None;
    }
    let is_void = matches!(
        name.to_ascii_lowercase().as_str(),
        "img" | "hr" | "wbr" | "input" | "meta" | "link"
    );
    let found = match () {
        () if name.eq_ignore_ascii_case("br") => Found::Break,
        () if inner.ends_with('/') || is_void => Found::Point,
        () if is_closing => Found::Close,
        () => Found::Open,
    };
    Some((end + 1, found))
}

/// The name in a tag, or in what is between its marks.
pub(crate) fn tag_name(tag: &str) -> &str {
    let tag = tag.trim_start_matches(['<', '/']);
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c));
    tag.split(ends).next().unwrap_or_default()
}

/// `&nbsp;` or `&#160;`.
pub(super) fn reference(rest: &str) -> Option<usize> {
    let end = rest.as_bytes().iter().take(12).position(|&b| b == b';')?;
    let name = &rest[1..end];
    let is_reference = match name.strip_prefix('#') {
        Some(number) => {
            let digits = number.trim_start_matches(['x', 'X']);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
        }
        None => (2..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric()),
    };
    is_reference.then_some(end + 1)
}
