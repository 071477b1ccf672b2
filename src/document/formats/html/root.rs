//! Language and direction as the root element of a page says them.

use std::ops::Range;

use crate::formats::escaped_attribute;
use crate::formats::language::{instead_of, is_right_to_left};

/// The page with `language` where its root element says one, and the direction in which that is written. A page that says no
/// language stays as it is.
pub(crate) fn in_language(mut page: String, language: &str) -> String {
    let Some(attributes) = root(&page) else {
        return page;
    };
    let attributes = attributes_of(&page, attributes);
    let named = |names: &[&str]| -> Vec<Range<usize>> {
        let is_named = |name: &str| names.iter().any(|it| name.eq_ignore_ascii_case(it));
        let found = attributes.iter().rev().filter(|(name, _)| is_named(name));
        found.map(|(_, value)| value.clone()).collect()
    };
    let languages = named(&["lang", "xml:lang"]);
    let Some(last) = languages.first().cloned() else {
        return page;
    };
    let direction = if is_right_to_left(language) {
        "rtl"
    } else {
        "ltr"
    };
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for value in languages {
        let said = page[value.clone()].trim_matches(['"', '\'']);
        if let Some(language) = instead_of(said, language) {
            edits.push((value, format!("\"{}\"", escaped_attribute(&language))));
        }
    }
    match named(&["dir"]).first() {
        Some(value) => edits.push((value.clone(), format!("\"{direction}\""))),
        None if direction == "rtl" => edits.push((last.end..last.end, " dir=\"rtl\"".to_owned())),
        None => {}
    }
    edits.sort_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
    for (range, value) in edits {
        page.replace_range(range, &value);
    }
    page
}

/// The attributes in the start tag of the root element, without its name and its end.
fn root(page: &str) -> Option<Range<usize>> {
    let mut place = page.len() - page.trim_start_matches('\u{FEFF}').len();
    loop {
        let rest = &page[place..];
        place += rest.len() - rest.trim_start().len();
        let rest = &page[place..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->")? + "-->".len()
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            rest.find('>')? + 1
        } else {
            break;
        };
        place += end;
    }
    let name = page.get(place..place + "<html".len())?;
    let start = place + name.len();
    let is_name = name.eq_ignore_ascii_case("<html")
        && page[start..].starts_with(|next: char| next.is_ascii_whitespace());
    let mut quote = None;
    let end = page[start..].find(|character: char| match quote {
        Some(mark) if mark == character => {
            quote = None;
            false
        }
        Some(_) => false,
        None if matches!(character, '"' | '\'') => {
            quote = Some(character);
            false
        }
        None => character == '>',
    })?;
    is_name.then_some(start..start + end)
}

/// Names and values, these with their quotation marks, in order.
fn attributes_of(page: &str, tag: Range<usize>) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut place = tag.start;
    let skip = |place: usize, is_skipped: fn(char) -> bool| {
        let rest = &page[place..tag.end];
        place + rest.len() - rest.trim_start_matches(is_skipped).len()
    };
    while place < tag.end {
        place = skip(place, |it| it.is_ascii_whitespace() || it == '/');
        let end = skip(place, |it| {
            !it.is_ascii_whitespace() && !matches!(it, '=' | '/')
        });
        let name = page[place..end].to_owned();
        let equals = skip(end, |it| it.is_ascii_whitespace());
        if !page[equals..tag.end].starts_with('=') {
            // An attribute without a value, or a stray sign of equality.
            place = end.max(place + 1).min(tag.end);
            continue;
        }
        let start = skip(equals + 1, |it| it.is_ascii_whitespace());
        let rest = &page[start..tag.end];
        let mark = rest.chars().next().filter(|it| matches!(it, '"' | '\''));
        let length = match mark {
            Some(mark) => rest[1..].find(mark).map_or(rest.len(), |end| end + 2),
            None => rest
                .find(|it: char| it.is_ascii_whitespace())
                .unwrap_or(rest.len()),
        };
        found.push((name, start..start + length));
        place = start + length;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_and_direction_are_said_where_a_language_was() {
        for (page, language, wanted) in [
            ("<html lang=\"en\"><p>", "de", "<html lang=\"de\"><p>"),
            ("<html><p lang=en>", "de", "<html><p lang=en>"),
            ("<html lang='en-GB'>", "en", "<html lang='en-GB'>"),
            ("<html lang=en-GB>", "en-US", "<html lang=\"en-US\">"),
            (
                "<!doctype html>\n<!-- <html lang=x> -->\n<HTML class='a>b' LANG=en>",
                "ar",
                "<!doctype html>\n<!-- <html lang=x> -->\n<HTML class='a>b' LANG=\"ar\" dir=\"rtl\">",
            ),
            (
                "<?xml version=\"1.0\"?><html xml:lang='he' lang='he' dir='rtl'>",
                "en",
                "<?xml version=\"1.0\"?><html xml:lang=\"en\" lang=\"en\" dir=\"ltr\">",
            ),
            ("<html hidden = lang=en", "de", "<html hidden = lang=en"),
            ("text", "de", "text"),
        ] {
            assert_eq!(in_language(page.to_owned(), language), wanted);
        }
    }
}
