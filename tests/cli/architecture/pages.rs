//! Links between the pages of the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::architecture::files_below;

/// The pages at the top, the documentation, and what the models say of themselves.
fn pages(repository: &Path) -> Vec<PathBuf> {
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "packaging/README.md",
    ];
    let mut pages: Vec<PathBuf> = top.map(|name| repository.join(name)).into();
    pages.extend(files_below(&repository.join("docs"), &["md"]));
    pages.extend(files_below(&repository.join("assets/models"), &["md"]));
    pages
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let lines = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Targets of links and pictures that are no addresses: a path, which may be empty, and an anchor.
fn targets(prose: &str) -> Vec<(&str, Option<&str>)> {
    let links = prose.split("](").skip(1);
    let targets = links.filter_map(|link| link.split(')').next());
    let targets = targets.filter(|target| !target.contains("://"));
    let parts = targets.map(|target| match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    });
    parts.collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(prose: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|line| {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let times = seen.entry(anchor.clone()).or_default();
        *times += 1;
        match *times {
            1 => anchor,
            more => format!("{anchor}-{}", more - 1),
        }
    });
    anchors.collect()
}

/// Links of a page that lead nowhere: to no file, or to no heading of its page.
fn broken_links_of(page: &Path) -> Vec<String> {
    let text = prose(&fs::read_to_string(page).expect("a page"));
    let folder = page.parent().expect("a folder");
    let is_broken = |&(path, anchor): &(&str, Option<&str>)| {
        let target = if path.is_empty() {
            page.to_owned()
        } else {
            folder.join(path)
        };
        let is_page = target.extension().is_some_and(|ending| ending == "md");
        match anchor {
            _ if !target.exists() => true,
            Some(anchor) if is_page => {
                let text = fs::read_to_string(&target).expect("a page");
                !anchors(&prose(&text)).contains(anchor)
            }
            _ => false,
        }
    };
    let broken = targets(&text).into_iter().filter(is_broken);
    let shown = broken
        .map(|(path, anchor)| format!("{}: {path}#{}", page.display(), anchor.unwrap_or_default()));
    shown.collect()
}

/// Links of all pages that lead nowhere.
pub fn broken_links(repository: &Path) -> Vec<String> {
    let pages = pages(repository).into_iter();
    pages.flat_map(|page| broken_links_of(&page)).collect()
}

#[test]
fn a_link_to_a_heading_that_is_not_there_is_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.md");
    let other = folder.path().join("other.md");
    fs::write(&other, "# One\n\n## `--json`, two\n\n```sh\n# three\n```\n").expect("written");
    let links = "[a](other.md#--json-two) [b](other.md#three) [c](gone.md) [d](#here)\n\n# Here\n";
    fs::write(&page, links).expect("written");
    let broken = broken_links_of(&page);
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(broken[0].ends_with("other.md#three"), "{broken:?}");
    assert!(broken[1].ends_with("gone.md#"), "{broken:?}");
}
