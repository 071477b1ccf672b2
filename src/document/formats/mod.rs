//! File formats: what each one needs to be recognised, read into a tree of sentences, and written back byte for byte.
//!
//! One file a format, one line in the table below. A format whose text can be shown as it stands (HTML, Markdown, plain
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
mod strings;
mod subtitles;
mod xliff;
mod xlsx;
mod xml;

use std::fmt::Debug;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use columns::Column;
pub(crate) use encoding::Encoding;
pub(super) use html::is_hidden;
pub use language::is_right_to_left;
pub use options::{Cuts, ReadingChoice, ReadingOptions, SegmentEdit};
pub(super) use strings::{table_pairs, table_rows};
pub use subtitles::SubtitleLayout;
pub(super) use xml::{escaped, escaped_attribute};

use super::builder::{Builder, Failure};
use super::document::Document;
use super::view::Translation;
use canopy_base::error::{Error, Result};

/// One format of files.
pub(super) trait DocumentFormat: Sync {
    /// The name of such a file in messages and in the window.
    fn label(&self) -> &'static str;

    /// How names of such files end, in lower case; the usual ending first.
    fn endings(&self) -> &'static [&'static str];

    /// How the name of its translation ends, where that is a file of another kind.
    fn written_ending(&self) -> &'static str {
        self.endings()[0]
    }

    /// Whether a file has a place of its own for the translation, beside its source.
    fn is_bilingual(&self) -> bool {
        false
    }

    /// What can be asked of a file beside its text.
    fn choices(&self) -> &'static [ReadingChoice] {
        if self.is_bilingual() {
            &[ReadingChoice::Drafts]
        } else {
            &[]
        }
    }

    /// Whether a translation that is its source must be written, too: there is a place for it that would stay empty.
    fn writes_same(&self) -> bool {
        self.is_bilingual()
    }

    /// Whether a file holds single strings of a program, not a text.
    fn is_strings(&self) -> bool {
        false
    }

    /// Whether a file can only be of this format, whatever its name is.
    fn is_content(&self, bytes: &[u8]) -> bool {
        let _ = bytes;
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

/// The registered formats: `Name => implementation`.
macro_rules! formats {
    ($($name:ident => $implementation:expr,)*) => {
        /// File formats that can be read and written.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Format {
            $($name,)*
        }

        impl Format {
            /// Every format; what is recognised by its content comes before what only has a name.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub(super) fn implementation(self) -> &'static dyn DocumentFormat {
                match self {
                    $(Self::$name => &$implementation,)*
                }
            }
        }
    };
}

formats! {
    Html => html::Html,
    Markdown => markdown::Markdown,
    Text => plain::Plain,
    Docx => docx::Docx,
    Pptx => pptx::Pptx,
    Xlsx => xlsx::Xlsx,
    Odt => odf::TEXT,
    Ods => odf::WORKBOOK,
    Odp => odf::PRESENTATION,
    Epub => epub::Epub,
    Idml => idml::Idml,
    Pdf => pdf::Pdf,
    Xliff => xliff::Xliff,
    Dita => manual::DITA,
    DocBook => manual::DOCBOOK,
    Mallard => manual::MALLARD,
    Srt => subtitles::Srt,
    Vtt => subtitles::Vtt,
    Ass => subtitles::Ass,
    Latex => latex::Latex,
    Rst => rst::Rst,
    AsciiDoc => asciidoc::AsciiDoc,
    Po => strings::po::Po,
    Json => strings::json::Json,
    Arb => strings::json::Arb,
    Xcstrings => strings::xcstrings::Catalogue,
    Strings => strings::apple::Strings,
    StringsDict => strings::plist::StringsDict,
    Resx => strings::resx::Resx,
    Properties => strings::properties::Properties,
    Fluent => strings::fluent::Fluent,
    Yaml => strings::yaml::Yaml,
    Android => strings::android::Android,
    Qt => strings::qt::Qt,
    Csv => strings::table::CSV,
    Tsv => strings::table::TSV,
}

impl Format {
    /// The format of a file by its extension, plain text if it has none; `None` where that is none of these formats.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        // As in "chapter 1.2".
        if extension.chars().all(|c| c.is_ascii_digit()) {
            return Some(Self::Text);
        }
        Self::named(&extension)
    }

    /// The format with this ending.
    pub fn named(ending: &str) -> Option<Self> {
        let ends = |format: &&Self| format.endings().contains(&ending);
        Self::ALL.iter().find(ends).copied()
    }

    /// The format of a file by its content, or else by its name.
    pub fn of_content(path: &Path, bytes: &[u8]) -> Option<Self> {
        let named = Self::of(path);
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

    /// The extension that its translation has: that of the file itself, unless it is written as another kind.
    pub fn written_extension(self) -> &'static str {
        self.implementation().written_ending()
    }

    /// Refuses a name for its translation that promises a kind of file which is not written.
    ///
    /// # Errors
    /// If the name ends as that of the source and the translation is another kind of file.
    pub fn check_written_name(self, path: &Path) -> Result<()> {
        let is_same = self.written_extension() == self.extension();
        if is_same || Self::of(path) != Some(self) {
            return Ok(());
        }
        Err(Error::WrittenOtherwise {
            kind: self.extension().to_uppercase(),
            extension: self.written_extension(),
            path: path.to_owned(),
        })
    }

    /// How names of such files end, in lower case; the usual ending first.
    pub fn endings(self) -> &'static [&'static str] {
        self.implementation().endings()
    }

    /// The name of such a file.
    pub fn label(self) -> &'static str {
        self.implementation().label()
    }

    /// Whether a file has a place of its own for the translation, beside its source.
    pub fn is_bilingual(self) -> bool {
        self.implementation().is_bilingual()
    }

    /// What can be asked of a file beside its text.
    pub fn choices(self) -> &'static [ReadingChoice] {
        self.implementation().choices()
    }

    /// Whether a translation that is its source must be written, too.
    pub(super) fn writes_same(self) -> bool {
        self.implementation().writes_same()
    }

    /// Whether a translation has as much room as [`Document::subtitle_layout`] says.
    pub fn is_subtitles(self) -> bool {
        matches!(self, Self::Srt | Self::Vtt | Self::Ass)
    }

    /// Whether a file holds single strings of a program, not a text.
    pub fn is_strings(self) -> bool {
        self.implementation().is_strings()
    }

    /// The endings of all formats.
    pub fn all_endings() -> Vec<&'static str> {
        let endings = Self::ALL.iter().flat_map(|format| format.endings());
        endings.copied().collect()
    }
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
            assert_eq!(Format::named(format.extension()), Some(*format));
        }
    }
}
