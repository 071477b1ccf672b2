//! `docs/reference/threats.md` names every file with unsafe code, and counts its blocks.

use std::collections::BTreeMap;
use std::fs;

use crate::architecture::{files_below, repository};

/// The blocks and implementations that begin in a line of code and that the compiler does not check.
fn num_unsafe(line: &str) -> usize {
    let line = line.trim_start();
    if line.starts_with("//") || line.contains('"') {
        return 0;
    }
    let begins = ["unsafe {", "unsafe impl "].into_iter();
    begins.map(|text| line.matches(text).count()).sum()
}

#[test]
fn the_page_about_threats_counts_all_unsafe_code() {
    let folders = ["src", "tests", "benches", "examples"];
    let sources = folders.map(|folder| files_below(&repository().join(folder), &["rs"]));
    let sources = sources.concat();
    let unsafe_files = sources.iter().filter_map(|path| {
        let text = fs::read_to_string(path).expect("a source");
        let name = path.strip_prefix(repository()).expect("below it");
        let name = name.to_string_lossy().replace('\\', "/");
        let count: usize = text.lines().map(num_unsafe).sum();
        (count > 0).then(|| (name, count.to_string()))
    });
    let page = fs::read_to_string(repository().join("docs/reference/threats.md")).expect("a page");
    let (_, section) = page.split_once("\n## Unsafe code\n").expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| {
        let (name, cells) = line.strip_prefix("| `")?.split_once("` | ")?;
        let (count, _) = cells.split_once(" |")?;
        Some((name.to_owned(), count.to_owned()))
    });
    assert_eq!(
        rows.collect::<BTreeMap<_, _>>(),
        unsafe_files.collect::<BTreeMap<_, _>>()
    );
}
