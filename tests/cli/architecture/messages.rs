//! Messages of libraries name no option and no command: the window and other programs show them, too.

use std::fs;

use super::{files_below, repository};

/// The string literals of a source.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['/', '"', '\'', 'r']) {
        let before = rest[..at].strip_suffix('b').unwrap_or(&rest[..at]);
        let is_in_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let here = &rest[at..];
        rest = if here.starts_with("//") {
            here.split_once('\n').map_or("", |(_, behind)| behind)
        } else if here.starts_with("/*") {
            here.split_once("*/").map_or("", |(_, behind)| behind)
        } else if let Some(behind) = here.strip_prefix('"') {
            let (literal, behind) = escaped_literal(behind);
            found.push(literal);
            behind
        } else if let Some((literal, behind)) = raw_literal(here).filter(|_| !is_in_word) {
            found.push(literal.to_owned());
            behind
        } else {
            behind_character(here)
        };
    }
    found
}

/// A literal without its continued lines, and what is behind it; `text` begins behind its first quotation mark.
fn escaped_literal(text: &str) -> (String, &str) {
    let mut literal = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (literal, &text[at + 1..]),
            '\\' => match characters.next() {
                Some((_, '\n')) => {
                    let indented = characters.as_str().trim_start();
                    let skipped = characters.as_str().len() - indented.len();
                    // White space of sources is of one byte each.
                    characters.by_ref().take(skipped).for_each(drop);
                }
                Some((_, escaped)) => literal.push(escaped),
                None => break,
            },
            other => literal.push(other),
        }
    }
    (literal, "")
}

/// A raw literal and what is behind it, if `text` begins with one.
fn raw_literal(text: &str) -> Option<(&str, &str)> {
    let begin = text.strip_prefix('r')?;
    let marks = begin.len() - begin.trim_start_matches('#').len();
    let end = format!("\"{}", &begin[..marks]);
    begin[marks..].strip_prefix('"')?.split_once(&end)
}

/// What is behind a character literal, or behind the first character of anything else.
fn behind_character(text: &str) -> &str {
    let mut characters = text.chars();
    let first = characters.next();
    if first == Some('\'') {
        let behind = characters.as_str();
        if let Some(escape) = behind.strip_prefix('\\') {
            let mut escape = escape.chars();
            escape.next();
            let (_, behind) = escape.as_str().split_once('\'').unwrap_or_default();
            return behind;
        }
        let mut behind = behind.chars();
        behind.next();
        if let Some(behind) = behind.as_str().strip_prefix('\'') {
            return behind;
        }
    }
    characters.as_str()
}

/// The source above its tests.
fn without_tests(source: &str) -> &str {
    let at = source
        .match_indices("\n#[cfg(test)]\nmod ")
        .find(|(at, begin)| {
            let line = source[at + begin.len()..].lines().next();
            line.is_some_and(|line| line.ends_with('{'))
        });
    at.map_or(source, |(at, _)| &source[..at])
}

/// Whether a text names an option or a command of the command line.
fn names_usage(literal: &str) -> bool {
    let mut options = literal.match_indices("--").filter(|(at, _)| {
        let begins = *at == 0 || literal[..*at].ends_with([' ', '`', '(']);
        begins && literal[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
    });
    options.next().is_some() || literal.contains("`canopy ")
}

#[test]
fn messages_of_libraries_name_no_option_and_no_command() {
    let sources = files_below(&repository().join("src"), &["rs"]);
    let with_usage = ["src/cli/", "src/gui/", "src/app/"];
    let mut found = Vec::new();
    for path in sources {
        let name = path.strip_prefix(repository()).expect("below it");
        let name = name.to_string_lossy().replace('\\', "/");
        let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if is_test || with_usage.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source");
        let literals = literals(without_tests(&source)).into_iter();
        found.extend(
            literals
                .filter(|it| names_usage(it))
                .map(|it| format!("{name}: {it}")),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn literals_are_found_beside_comments_and_characters() {
    let source = "/// `canopy a`\nlet x = ('\"', '\\'', b'/'); // \"--a\"\nlet y = r#\"--b \"c\"\"#;\nlet z = \"d \\\n    --e\";\n";
    assert_eq!(literals(source), ["--b \"c\"", "d --e"]);
    assert!(names_usage("name it with --memory") && names_usage("(`canopy run stop`)"));
    assert!(!names_usage("s--f") && !names_usage("With -- and ---"));
}
