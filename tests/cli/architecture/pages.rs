//! Links between the pages of the documentation.

use std::fs;
use std::path::{Path, PathBuf};

/// The front page, the map of the source, the changes, and a page for each task.
fn pages(repository: &Path) -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"]
        .map(|name| repository.join(name))
        .into();
    let docs = fs::read_dir(repository.join("docs")).expect("a folder");
    pages.extend(docs.map(|entry| entry.expect("an entry").path()));
    pages.sort();
    pages
}

/// Targets of links and pictures that are no addresses.
fn targets(page: &str) -> impl Iterator<Item = &str> {
    let links = page.split("](").skip(1);
    let targets = links.filter_map(|link| link.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

/// Links of some pages that lead nowhere.
pub fn broken_links(repository: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    for page in pages(repository) {
        let text = fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for target in targets(&text).filter(|target| !folder.join(target).exists()) {
            broken.push(format!("{}: {target}", page.display()));
        }
    }
    broken
}
