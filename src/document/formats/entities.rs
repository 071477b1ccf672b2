//! The entities that a document type declares, and how large each would be with all that it refers to.

use std::collections::HashMap;

/// The most bytes that an entity may stand for; those of sound files are words.
pub(super) const MAX: u64 = 1 << 20;

/// The names of the entities that a document type declares, with their sizes; one that contains itself has no end.
pub(super) fn sizes(doctype: &str) -> Vec<(&str, u64)> {
    let values = values(doctype);
    let mut sizes = HashMap::new();
    let mut names: Vec<&str> = values.keys().copied().collect();
    names.sort_unstable();
    let measured = names.into_iter().map(|name| {
        let size = size(name, &values, &mut sizes, 0);
        (name, size)
    });
    measured.collect()
}

/// The declared text of each internal entity; a name that is declared twice means the first one.
fn values(doctype: &str) -> HashMap<&str, &str> {
    let mut values = HashMap::new();
    for declaration in doctype.split("<!ENTITY").skip(1) {
        let rest = declaration.trim_start();
        let rest = rest.strip_prefix('%').map_or(rest, str::trim_start);
        let Some((name, rest)) = rest.split_once(|c: char| c.is_ascii_whitespace()) else {
            continue;
        };
        let rest = rest.trim_start();
        // Other files are not read.
        let Some(mark) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            continue;
        };
        if let Some((value, _)) = rest[1..].split_once(mark) {
            values.entry(name).or_insert(value);
        }
    }
    values
}

fn size<'d>(
    name: &'d str,
    values: &HashMap<&'d str, &'d str>,
    sizes: &mut HashMap<&'d str, u64>,
    depth: usize,
) -> u64 {
    /// Deeper chains are no better than circles.
    const DEEPEST: usize = 64;
    if let Some(&size) = sizes.get(name) {
        return size;
    }
    let Some(value) = values.get(name) else {
        return 0;
    };
    if depth > DEEPEST {
        return u64::MAX;
    }
    // An entity that reaches it again before it is measured is part of a cycle.
    sizes.insert(name, u64::MAX);
    let mut total = value.len() as u64;
    for reference in value.split(['&', '%']).skip(1) {
        if let Some((inner, _)) = reference.split_once(';') {
            total = total.saturating_add(size(inner, values, sizes, depth + 1));
        }
    }
    sizes.insert(name, total);
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_as_large_as_what_they_refer_to() {
        let doctype = "<!DOCTYPE a [<!ENTITY w 'word'> <!ENTITY two \"&w;&w;\"><!ENTITY f SYSTEM 'f.xml'><!ENTITY me '&me;'>]>";
        assert_eq!(sizes(doctype), [("me", u64::MAX), ("two", 14), ("w", 4)]);
    }

    #[test]
    fn a_bomb_is_measured_without_going_off() {
        let mut doctype = "<!ENTITY e0 'bang'>".to_owned();
        for number in 1..50 {
            let inner = format!("&e{};", number - 1).repeat(10);
            doctype.extend(["<!ENTITY e", &number.to_string(), " '", &inner, "'>"]);
        }
        let found = sizes(&doctype);
        assert!(
            found
                .iter()
                .any(|(name, size)| *name == "e49" && *size > MAX)
        );
    }
}
