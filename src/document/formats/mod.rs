//! File formats: what each one needs to be recognised, read into a tree of sentences, and written back byte for byte.
//!
//! One file a format, one line in the table below. A format whose text can be shown as it is (HTML, Markdown, plain
//! text) makes ranges of that text its sentences. Every other one collects runs of inline content with a
//! [`Draft`](super::view::Draft), hands them to the builder as units, and gets each unit back as text and codes.

mod asciidoc;
mod columns;
mod direction;
mod docx;
mod edits;
mod encoding;
mod entities;
mod epub;
mod html;
mod idml;
mod language;
mod latex;
mod manual;
mod markdown;
mod marked;
mod mixed;
mod odf;
mod office;
mod opc;
mod options;
mod package;
mod pdf;
mod plain;
mod pptx;
mod rst;
mod runs;
mod sheet_names;
mod slots;
mod strings;
mod subtitles;
mod xliff;
mod xlsx;
mod xml;

use std::fmt::Debug;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use columns::Column;
pub(crate) use encoding::{Encoding, declared_names, lowered_head};
pub(super) use html::is_hidden;
pub use language::is_right_to_left;
pub use options::{Cuts, ReadingChoice, ReadingOptions, SegmentEdit};
pub(super) use strings::{table_pairs, table_rows};
pub use subtitles::SubtitleLayout;
pub(super) use xml::{escaped, escaped_attribute};

use super::builder::{Builder, Failure};
use super::document::Document;
use super::view::Translation;
use crate::error::{Error, Result};

/// One format of files.
pub(super) trait DocumentFormat: Sync {
    /// Whether a file can only be of this format, whatever its name is.
    fn is_content(&self, _: &[u8]) -> bool {
        false
    }

    /// Hands the units of a file to `builder`, and keeps what is needed to write it again.
    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure>;
}

/// The state that a format keeps of a file to write it back.
pub(crate) type Kept = Box<dyn WriteBack>;

/// A file that was read, waiting for its translation.
pub(crate) trait WriteBack: Debug + Send + Sync {
    /// The file with every unit of `translation` in its place; all else as it was read.
    fn write(&self, document: &Document, translation: &Translation) -> Result<Vec<u8>, Failure>;
}

/// The facts that a format shares with others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// Text with comments, which are translated on request.
    Commented,
    /// A workbook that names its sheets in formulas.
    Workbook,
    /// Text that is written as HTML.
    Printed,
    Subtitles,
    /// Sources with places for their translations.
    Exchange,
    /// Strings of a program.
    Strings,
    /// Strings of a program with places for their translations.
    Catalogue,
    /// Strings in columns.
    Table,
}

/// The registered formats: implementation, kind, label, and how names of their files end, the usual ending first.
macro_rules! formats {
    ($($name:ident: $implementation:expr, $kind:ident, $label:literal, $endings:expr;)*) => {
        /// File formats that can be read and written.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Format {
            $(#[doc = $label] $name,)*
        }

        impl Format {
            /// Every format; what is recognised by its content comes before what only has a name.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub(super) fn implementation(self) -> &'static dyn DocumentFormat {
                match self {
                    $(Self::$name => &$implementation,)*
                }
            }

            fn kind(self) -> Kind {
                match self {
                    $(Self::$name => Kind::$kind,)*
                }
            }

            /// The name of such a file in messages and in the window.
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)*
                }
            }

            /// How names of such files end, in lower case; the usual ending first.
            pub fn endings(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &$endings,)*
                }
            }
        }
    };
}

formats! {
    Html: html::Html, Text, "HTML", ["html", "htm", "xhtml"];
    Markdown: markdown::Markdown, Text, "Markdown", ["md", "markdown"];
    Text: plain::Plain, Text, "plain text", ["txt", "text"];
    Docx: docx::Docx, Commented, "Word document", ["docx", "docm", "dotx", "dotm"];
    Pptx: pptx::Pptx, Commented, "presentation", ["pptx", "pptm", "potx", "ppsx"];
    Xlsx: xlsx::Xlsx, Workbook, "workbook", ["xlsx", "xlsm", "xltx"];
    Odt: odf::Odf("text"), Commented, "OpenDocument text", ["odt", "ott"];
    Ods: odf::Odf("spreadsheet"), Commented, "OpenDocument spreadsheet", ["ods", "ots"];
    Odp: odf::Odf("presentation"), Commented, "OpenDocument presentation", ["odp", "otp"];
    Epub: epub::Epub, Text, "EPUB", ["epub"];
    Idml: idml::Idml, Commented, "InDesign document", ["idml"];
    Pdf: pdf::Pdf, Printed, "PDF (text only)", ["pdf"];
    Xliff: xliff::Xliff, Exchange, "XLIFF", ["xlf", "xliff", "sdlxliff", "mqxliff", "mxliff", "txlf"];
    Dita: manual::DITA, Text, "DITA", ["dita", "ditamap", "bookmap"];
    DocBook: manual::DOCBOOK, Text, "DocBook", ["dbk", "docbook"];
    Mallard: manual::MALLARD, Text, "Mallard", ["page"];
    Srt: subtitles::SRT, Subtitles, "SubRip subtitles", ["srt"];
    Vtt: subtitles::VTT, Subtitles, "WebVTT subtitles", ["vtt"];
    Ass: subtitles::ASS, Subtitles, "SubStation Alpha subtitles", ["ass", "ssa"];
    Latex: latex::Latex, Text, "LaTeX", ["tex", "latex", "ltx"];
    Rst: rst::Rst, Text, "reStructuredText", ["rst", "rest"];
    AsciiDoc: asciidoc::AsciiDoc, Text, "AsciiDoc", ["adoc", "asciidoc", "asc"];
    Po: strings::po::Po, Catalogue, "gettext catalogue", ["po", "pot"];
    Json: strings::json::Json::Any, Strings, "JSON strings", ["json", "jsonc"];
    Arb: strings::json::Json::Arb, Strings, "ARB bundle", ["arb"];
    Xcstrings: strings::xcstrings::Xcstrings, Catalogue, "Xcode string catalogue", ["xcstrings"];
    Strings: strings::apple::Strings, Strings, "Apple strings", ["strings"];
    StringsDict: strings::plist::StringsDict, Strings, "Apple plural strings", ["stringsdict"];
    Resx: strings::resx::Resx, Strings, ".NET resources", ["resx", "resw"];
    Properties: strings::properties::Properties, Strings, "Java properties", ["properties"];
    Fluent: strings::fluent::Fluent, Strings, "Fluent", ["ftl"];
    Yaml: strings::yaml::Yaml, Strings, "YAML strings", ["yaml", "yml"];
    Android: strings::android::Android, Strings, "Android strings", ["xml"];
    Qt: strings::qt::Qt, Catalogue, "Qt translation source", ["ts"];
    Csv: strings::table::Table(&[',', ';', '\t', '|']), Table, "CSV table", ["csv"];
    Tsv: strings::table::Table(&['\t']), Table, "TSV table", ["tsv", "tab"];
}

impl Format {
    /// The format of a file by its extension, plain text if it has none; `None` where that is another format.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        // As in "chapter 1.2".
        if extension.chars().all(|c| c.is_ascii_digit()) {
            return Some(Self::Text);
        }
        Self::from_ending(&extension)
    }

    /// The format with this ending.
    pub fn from_ending(ending: &str) -> Option<Self> {
        let ends = |format: &&Self| format.endings().contains(&ending);
        Self::ALL.iter().find(ends).copied()
    }

    /// The format of a file by its content, or else by its name.
    pub fn from_content(path: &Path, bytes: &[u8]) -> Option<Self> {
        let named = Self::from_path(path);
        let is_it = |format: &Self| format.implementation().is_content(bytes);
        // A name that says the same as the content is right where several formats share their content.
        named
            .filter(is_it)
            .or_else(|| Self::ALL.iter().copied().find(is_it))
            .or(named)
    }

    /// The extension that files of this format have.
    pub fn extension(self) -> &'static str {
        self.endings()[0]
    }

    /// The extension of a translation: that of the file itself, unless it is written as another kind.
    pub fn written_extension(self) -> &'static str {
        match self.kind() {
            Kind::Printed => "html",
            _ => self.extension(),
        }
    }

    /// Refuses a name for its translation that promises a kind of file which is not written.
    ///
    /// # Errors
    /// If the name ends as that of the source and the translation is another kind of file.
    pub fn check_written_name(self, path: &Path) -> Result<()> {
        let is_same = self.written_extension() == self.extension();
        if is_same || Self::from_path(path) != Some(self) {
            return Ok(());
        }
        Err(Error::WrittenOtherwise {
            kind: self.extension().to_uppercase(),
            extension: self.written_extension(),
            path: path.to_owned(),
        })
    }

    /// Whether a file has a place of its own for the translation, next to its source.
    pub fn is_bilingual(self) -> bool {
        matches!(self.kind(), Kind::Exchange | Kind::Catalogue)
    }

    /// The parts and drafts of a file that are translated on request.
    pub fn choices(self) -> &'static [ReadingChoice] {
        match self.kind() {
            Kind::Commented => &[ReadingChoice::Comments],
            Kind::Workbook => &[ReadingChoice::Comments, ReadingChoice::SheetNames],
            Kind::Exchange | Kind::Catalogue => &[ReadingChoice::Drafts],
            Kind::Table => &[ReadingChoice::Columns],
            Kind::Text | Kind::Printed | Kind::Subtitles | Kind::Strings => &[],
        }
    }

    /// Whether a translation that equals its source must be written, too: there is a place for it that would stay empty.
    pub(super) fn writes_same(self) -> bool {
        self.is_bilingual() || self.kind() == Kind::Table
    }

    /// Whether a translation has as much room as [`Document::subtitle_layout`] says.
    pub fn is_subtitles(self) -> bool {
        self.kind() == Kind::Subtitles
    }

    /// Whether a file holds single strings of a program, not a text.
    pub fn is_strings(self) -> bool {
        matches!(self.kind(), Kind::Strings | Kind::Catalogue | Kind::Table)
    }

    /// The endings of all formats.
    pub fn all_endings() -> Vec<&'static str> {
        let endings = Self::ALL.iter().flat_map(|format| format.endings());
        endings.copied().collect()
    }
}

/// Resolves the escapes of an address: `a%20b` is `a b`.
fn percent_decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let digits = more
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(code) = code.filter(|_| first == b'%') {
            bytes.push(code);
            rest = &more[2..];
        } else {
            bytes.push(first);
            rest = more;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_formats_share_an_ending() {
        let mut endings = Format::all_endings();
        let count = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), count);
        for format in Format::ALL {
            assert_eq!(Format::from_ending(format.extension()), Some(*format));
        }
    }
}
