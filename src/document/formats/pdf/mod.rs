//! PDF: its text as a page of HTML. The layout is not kept, and no PDF is written.
//!
//! A PDF places glyphs, not words. `glyphs` gets their places from the interpreter of the crate `hayro-interpret`, `lines`
//! puts them together as words and lines, `blocks` finds columns and paragraphs, `page` undoes what belongs to the paper:
//! hyphens at the ends of lines, running heads, page numbers. What comes of that is HTML, and read as such.

mod blocks;
mod glyphs;
mod lines;
mod page;

use super::{DocumentFormat, Encoding, Kept, html};
use crate::builder::{Builder, Failure};
use crate::document::Syntax;

/// Portable documents.
pub(super) struct Pdf;

impl DocumentFormat for Pdf {
    fn is_content(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(b"%PDF-")
    }

    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let pages = glyphs::read(bytes)?;
        let text = page::html(name, &pages);
        let encoding = Encoding::Utf8;
        let read = html::read(&text, 0, false, builder);
        let is_xml = false;
        builder.set_text(text, Syntax::Html { is_xml, encoding });
        read.map(|()| html::Page::kept(encoding))
    }
}
