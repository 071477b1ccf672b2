//! HTML: paragraphs and their inline markup, with the bytes they come from.

mod elements;
mod spans;
mod tree;

use super::builder::{Builder, Failure};

/// Reads a page from byte `start` of `source` on.
pub(super) fn read(source: &str, start: usize, builder: &mut Builder) -> Result<(), Failure> {
    let mut tree = tree::Tree::new(source, builder);
    spans::read(source, start, &mut tree)?;
    tree.finish();
    Ok(())
}
