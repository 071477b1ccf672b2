//! Characters as XML spells them, and back.

/// Resolves `&name;` or `&#number;`, if it is one of those that every XML has.
pub(super) fn meaning(reference: &str) -> Option<char> {
    let name = reference.strip_prefix('&')?.strip_suffix(';')?;
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|&character| is_character(character))?
        }
    })
}

/// The text with its references replaced; unknown ones stay.
pub(in crate::formats) fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').map_or(1, |end| end + 1);
        match meaning(&rest[..end]) {
            Some(character) => text.push(character),
            None => text.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    text + rest
}

/// Whether XML may have this character at all.
pub(super) fn is_character(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text as it is between tags.
pub(crate) fn escaped(text: &str) -> String {
    with_entities(text, entity)
}

/// Text as in an attribute, in either kind of quotation marks.
pub(crate) fn escaped_attribute(text: &str) -> String {
    with_entities(text, |character| match character {
        '"' => Some("&quot;"),
        '\'' => Some("&apos;"),
        '\t' => Some("&#9;"),
        '\n' => Some("&#10;"),
        _ => entity(character),
    })
}

fn entity(character: char) -> Option<&'static str> {
    match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '\r' => Some("&#13;"),
        _ => None,
    }
}

fn with_entities(text: &str, entity: impl Fn(char) -> Option<&'static str>) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match entity(character) {
            Some(entity) => written.push_str(entity),
            None => written.push(character),
        }
    }
    written
}
