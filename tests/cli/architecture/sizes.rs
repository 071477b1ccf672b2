//! How large a crate may become.

use std::fs;

use crate::architecture::{files_below, repository};

/// What is larger is no longer one thing, and takes too long to build.
const MOST_LINES: usize = 35_000;

#[test]
fn no_crate_has_more_lines_than_can_be_overlooked() {
    let crates = fs::read_dir(repository().join("src")).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry").path());
    let crates: Vec<_> = crates.filter(|path| path.is_dir()).collect();
    assert!(crates.len() > 15, "{crates:?}");
    for path in crates {
        let sources = files_below(&path, &["rs"]);
        let lines = sources.iter().map(|source| {
            let text = fs::read_to_string(source).expect("a source");
            text.lines().count()
        });
        let lines: usize = lines.sum();
        assert!(lines > 0, "{} has no source", path.display());
        assert!(
            lines <= MOST_LINES,
            "{} has {lines} lines: it asks for another cut",
            path.display()
        );
    }
}
