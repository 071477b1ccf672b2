//! The house from outside: its wings, its pages, the licences of what is built in.

mod licences;
mod pages;
mod wings;

use std::path::Path;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let broken = pages::broken_links(repository());
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_begins_with_what_the_reader_wants() {
    for entry in std::fs::read_dir(repository().join("docs")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let page = std::fs::read_to_string(&path).expect("a page");
        let first = page.split("\n\n").nth(1).unwrap_or_default();
        assert!(first.starts_with("You "), "{}: {first}", path.display());
    }
    let front = std::fs::read_to_string(repository().join("README.md")).expect("a page");
    assert!(front.lines().count() <= 120, "the front page has grown");
}
