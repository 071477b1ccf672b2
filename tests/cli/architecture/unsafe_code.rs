//! `docs/reference/threats.md` names every file with unsafe code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::architecture::repository;

fn sources_below(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources_below(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sources.push(path);
        }
    }
}

/// Whether a line of code begins a block or an implementation that the compiler does not check.
fn is_unsafe(line: &str) -> bool {
    let line = line.trim_start();
    let begins = ["unsafe {", "unsafe impl "];
    !line.starts_with("//") && begins.iter().any(|text| line.contains(text)) && !line.contains('"')
}

#[test]
fn the_page_about_threats_names_all_unsafe_code() {
    let mut sources = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        sources_below(&repository().join(folder), &mut sources);
    }
    let unsafe_files = sources.iter().filter_map(|path| {
        let text = fs::read_to_string(path).expect("a source");
        let name = path.strip_prefix(repository()).expect("below it");
        let name = name.to_string_lossy().replace('\\', "/");
        text.lines().any(is_unsafe).then_some(name)
    });
    let page = fs::read_to_string(repository().join("docs/reference/threats.md")).expect("a page");
    let (_, section) = page.split_once("\n## Unsafe code\n").expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("| `")?.split_once('`')?;
        Some(name.to_owned())
    });
    assert_eq!(
        rows.collect::<BTreeSet<_>>(),
        unsafe_files.collect::<BTreeSet<_>>()
    );
}
