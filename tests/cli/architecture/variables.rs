//! `CONTRIBUTING.md` names every environment variable that tests and benches read.

use std::collections::BTreeSet;
use std::fs;

use crate::architecture::{files_below, repository};

const PREFIX: &str = "CANOPY_";

/// The names of variables in a text.
fn variables(text: &str) -> BTreeSet<String> {
    let names = text.split(PREFIX).skip(1).map(|rest| {
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        rest.split(|c: char| !is_part(c)).next().unwrap_or_default()
    });
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| format!("{PREFIX}{name}")).collect()
}

/// Those in the sources below these folders.
fn variables_below(folders: &[&str]) -> BTreeSet<String> {
    let sources = folders
        .iter()
        .flat_map(|folder| files_below(&repository().join(folder), &["rs", "py", "sh"]));
    let variables = sources.flat_map(|path| {
        let text = fs::read_to_string(path).expect("a source");
        variables(&text)
    });
    variables.collect()
}

#[test]
fn the_table_has_every_variable_and_no_other() {
    let page = fs::read_to_string(repository().join("CONTRIBUTING.md")).expect("a page");
    let (_, section) = page.split_once("\n## Variables\n").expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let first = rows.filter_map(|row| row.split('|').nth(1));
    let table: BTreeSet<String> = first.flat_map(variables).collect();
    let read = variables_below(&["tests", "benches"]);
    let missing: Vec<_> = read.difference(&table).collect();
    assert!(missing.is_empty(), "not in CONTRIBUTING.md: {missing:?}");
    let read = variables_below(&["src", "tests", "benches"]);
    let unread: Vec<_> = table.difference(&read).collect();
    assert!(unread.is_empty(), "nothing reads {unread:?}");
}
