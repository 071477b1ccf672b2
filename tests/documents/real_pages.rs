//! Pages come back as they were, whole or damaged: help pages that others wrote if `CANOPY_HELP` names their folder,
//! otherwise the sample.

use std::fs;
use std::path::{Path, PathBuf};

use canopy::text::document::{Document, Format};

use crate::{check, with_own_text, without_space};

/// The pages below `CANOPY_HELP` (`…/en-US/text`) or among the samples, every `step`th.
fn pages(step: usize) -> Vec<PathBuf> {
    let samples = || Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples");
    let root = std::env::var_os("CANOPY_HELP").map_or_else(samples, PathBuf::from);
    let (mut folders, mut pages) = (vec![root], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if Format::of(Path::new(&path)) == Some(Format::Html) {
                pages.push(path);
            }
        }
    }
    assert!(!pages.is_empty(), "no pages in the folder");
    pages.sort();
    pages.into_iter().step_by(step).collect()
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

#[test]
fn damaged_pages_come_back_as_they_were() {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        // Knuth's MMIX generator; its upper bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below.max(1)
    };
    for page in pages(13) {
        let whole = fs::read_to_string(&page).expect("readable");
        for format in [Format::Html, Format::Markdown, Format::Text] {
            let mut characters: Vec<char> = whole.chars().collect();
            for _ in 0..=random(200) {
                let at = random(characters.len());
                characters.drain(at..(at + 1 + random(4)).min(characters.len()));
            }
            characters.truncate(1 + random(2 * characters.len()));
            let damaged: String = characters.into_iter().collect();
            let document = Document::parse("damaged", format, damaged.clone()).expect("readable");
            check(&document);
            with_own_text(&document);
        }
    }
}
