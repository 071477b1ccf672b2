//! HTML: paragraphs and their inline markup, with the bytes they come from.

pub(super) mod elements;
mod root;
mod spans;
mod tree;

use std::path::Path;

pub(super) use root::in_language;

use super::{DocumentFormat, Encoding, Kept, WriteBack};
use crate::builder::{Builder, Failure};
use crate::document::{Document, Syntax};
use crate::reading::{check_lines, text_start};
use crate::view::Translation;

/// Pages.
pub(super) struct Html;

impl DocumentFormat for Html {
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (text, encoding) = Encoding::decode(bytes)?;
        check_lines(&text)?;
        let is_xml = is_xml(name, &text);
        let start = text_start(&text);
        let read = read(&text, start, is_xml, builder);
        builder.set_text(text, Syntax::Html { is_xml, encoding });
        read.map(|()| Page::kept(encoding))
    }
}

/// A page, which says its language.
#[derive(Debug)]
pub(super) struct Page {
    encoding: Encoding,
}

impl Page {
    pub(super) fn kept(encoding: Encoding) -> Kept {
        Box::new(Self { encoding })
    }
}

impl WriteBack for Page {
    fn write(&self, document: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let page = document.translated(&translation.changed());
        self.encoding.encode(&match translation.language {
            Some(language) => in_language(page, language),
            None => page,
        })
    }
}

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
pub(crate) fn is_hidden(name: &str) -> bool {
    elements::role(name) == elements::Role::Hidden || name == "svg"
}
