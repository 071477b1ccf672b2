//! Pages come back as they were: help pages that others wrote if `CANOPY_HELP` names their folder, otherwise a few of them
//! and the sample.

use std::fs;
use std::path::{Path, PathBuf};

use canopy::text::document::{Document, Format};

use crate::documents::{check, with_own_text, without_space};

/// The pages below `CANOPY_HELP` (`…/en-US/text`), every `step`th, or all that come with the tests.
pub fn pages(step: usize) -> Vec<PathBuf> {
    let (mut folders, mut pages) = (vec![], Vec::new());
    match std::env::var_os("CANOPY_HELP") {
        Some(folder) => folders.push(PathBuf::from(folder)),
        None => {
            folders.extend(["assets/samples", "tests/data/german", "tests/data/pages"].map(own));
        }
    }
    let step = if folders.len() > 1 { 1 } else { step };
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if Format::from_path(Path::new(&path)) == Some(Format::Html) {
                pages.push(path);
            }
        }
    }
    assert!(!pages.is_empty(), "no pages in the folder");
    pages.sort();
    pages.into_iter().step_by(step).collect()
}

/// A folder that comes along.
pub fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

#[test]
fn real_pages_come_back_as_they_were() {
    for page in pages(1) {
        let document = Document::open(&page, None).expect("readable");
        check(&document);
        assert!(
            !document.sentences.is_empty() || document.original.is_empty(),
            "{page:?}"
        );
        assert_eq!(
            without_space(&with_own_text(&document)),
            without_space(&document.original),
            "{page:?}"
        );
    }
}
