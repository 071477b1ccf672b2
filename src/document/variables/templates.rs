//! Placeholders of template languages: `{{- name}}`, `{% if name %}`, `<%= name %>`.

/// Longer ones are no templates, but text with stray marks.
const LONGEST: usize = 2_000;

/// The length of the code at the beginning of a text.
pub(crate) fn template(rest: &str) -> Option<usize> {
    if rest.starts_with("{{") {
        return mustache(rest);
    }
    let pairs = [("{%", "%}"), ("{#", "#}"), ("<%", "%>"), ("<?", "?>")];
    let (open, close) = pairs.iter().find(|(open, _)| rest.starts_with(open))?;
    let end = rest[open.len()..].find(close)?;
    (0 < end && end < LONGEST).then_some(open.len() + end + close.len())
}

/// `{{name}}`, `{{{name}}}`, `{{#if name}}`.
fn mustache(rest: &str) -> Option<usize> {
    if let Some(end) = closing(rest, '{', '}') {
        // `{{0} files}` has a placeholder after its first brace.
        return rest[..=end].ends_with("}}").then_some(end + 1);
    }
    let depth = if rest.starts_with("{{{") { 3 } else { 2 };
    let close = &"}}}"[..depth];
    let end = rest[depth..].find(close)?;
    let content = &rest[depth..depth + end];
    (end < LONGEST && !content.contains("{{")).then_some(2 * depth + end)
}

/// Where what begins with the mark `open` is closed.
pub(super) fn closing(rest: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, character) in rest
        .char_indices()
        .take_while(|(place, _)| *place < LONGEST)
    {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(place);
            }
        }
    }
    None
}
