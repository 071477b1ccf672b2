//! The house from outside: its wings, its pages, the licences of what is built in.

mod licences;
mod messages;
mod packages;
mod pages;
mod sizes;
mod skipped;
mod unsafe_code;
mod variables;
mod wings;

use std::path::{Path, PathBuf};

use crate::support::needs::needs;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with one of these endings, sorted.
fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let ending = path.extension().unwrap_or_default();
            let is_meant = endings.iter().any(|it| ending == *it);
            if path.is_dir() {
                folders.push(path);
            } else if is_meant {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A source as its syntax.
fn parsed(path: &Path) -> syn::File {
    let source = std::fs::read_to_string(path).expect("a source");
    syn::parse_file(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let broken = pages::broken_links(repository());
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_front_page_the_results_and_the_guides_stay_short() {
    let docs = repository().join("docs");
    let mut limits = vec![
        (repository().join("README.md"), 120),
        (docs.join("results.md"), 100),
        (docs.join("performance.md"), 100),
    ];
    let guides = files_below(&docs.join("guide"), &["md"]).into_iter();
    limits.extend(guides.map(|page| (page, 120)));
    for (path, most) in limits {
        let page = std::fs::read_to_string(&path).expect("a page");
        let lines = page.lines().count();
        assert!(lines <= most, "{} has {lines} lines", path.display());
    }
}

/// `build.rs` sets them, and is not run again when something is installed.
#[test]
fn tests_are_built_for_what_is_here() {
    let built = [
        ("shared_models", cfg!(shared_models)),
        ("shared_translations", cfg!(shared_translations)),
        ("shared_reports", cfg!(shared_reports)),
        ("has_python", cfg!(has_python)),
        ("has_msgfmt", cfg!(has_msgfmt)),
        ("has_libreoffice", cfg!(has_libreoffice)),
        ("has_epubcheck", cfg!(has_epubcheck)),
        ("has_lavapipe", cfg!(has_lavapipe)),
        ("has_arabic_font", cfg!(has_arabic_font)),
        ("may_mount", cfg!(may_mount)),
        ("may_mount_apart", cfg!(may_mount_apart)),
    ];
    let advice = "`touch build.rs` has the tests built for what is here";
    assert_eq!(built, needs(repository()), "{advice}");
}
