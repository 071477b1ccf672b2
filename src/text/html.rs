//! HTML: paragraphs and their inline markup, with the bytes they come from.

pub(super) mod elements;
mod spans;
mod tree;

use std::path::Path;

use super::builder::{Builder, Failure};

/// Reads a page from byte `start` of `source` on; in one that `is_xml` elements may close themselves.
pub(super) fn read(
    source: &str,
    start: usize,
    is_xml: bool,
    builder: &mut Builder,
) -> Result<(), Failure> {
    let mut tree = tree::Tree::new(source, is_xml, builder);
    spans::read(source, start, is_xml, &mut tree)?;
    tree.finish();
    Ok(())
}

/// Whether a page is XHTML, by what it says or by the name of its file.
pub(super) fn is_xml(name: &str, source: &str) -> bool {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let extension = Path::new(name).extension();
    source.trim_start().starts_with("<?xml")
        || extension.is_some_and(|it| it.eq_ignore_ascii_case("xhtml"))
}

/// Whether no text of an element is shown in the sentence around it.
pub(super) fn is_hidden(name: &str) -> bool {
    elements::role(name) == elements::Role::Hidden || name == "svg"
}
