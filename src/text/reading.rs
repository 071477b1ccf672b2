//! From a file to a [`Document`].

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    builder::{Builder, Failure, MAX_DEPTH},
    document::{Document, Format},
    html, markdown, plain,
};
use crate::error::{Error, Result};

/// Longer lines are refused: no text has them, and whatever has them would take for ever.
pub const MAX_LINE_BYTES: usize = 10_000_000;

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

impl Format {
    /// The format of a file by its extension, plain text if it has none; `None` where that is none of these formats.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        match extension.as_str() {
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "txt" | "text" => Some(Self::Text),
            // As in "chapter 1.2".
            other => other
                .chars()
                .all(|c| c.is_ascii_digit())
                .then_some(Self::Text),
        }
    }

    /// The extension that files of this format have.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Text => "txt",
        }
    }
}

impl Document {
    /// Reads a file; its extension says the format unless `format` does.
    ///
    /// # Errors
    /// If the file cannot be read, is not UTF-8 text, or has a line or a nesting beyond [`MAX_LINE_BYTES`] and
    /// [`MAX_DEPTH`]; [`Error::UnknownFormat`] if nothing says the format.
    pub fn open(path: impl AsRef<Path>, format: Option<Format>) -> Result<Self> {
        let path = path.as_ref();
        let unknown = || Error::UnknownFormat {
            path: path.to_owned(),
        };
        let format = format.or_else(|| Format::of(path)).ok_or_else(unknown)?;
        let bytes = fs::read(path).map_err(Error::read(path))?;
        let name = path
            .file_name()
            .map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
        Self::build(path, &name, format, decoded(path, bytes)?)
    }

    /// Reads bytes that came from elsewhere, such as standard input; `name` stands in messages.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn from_bytes(name: &str, format: Format, bytes: Vec<u8>) -> Result<Self> {
        let path = Path::new(name);
        Self::build(path, name, format, decoded(path, bytes)?)
    }

    /// Reads a text; `name` stands in messages.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn parse(name: &str, format: Format, text: String) -> Result<Self> {
        Self::build(Path::new(name), name, format, text)
    }

    fn build(path: &Path, name: &str, format: Format, text: String) -> Result<Self> {
        check_bytes(path, text.as_bytes())?;
        check_lines(path, &text)?;
        let start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let mut builder = Builder::new(name, format);
        let read = match format {
            Format::Html => {
                let is_xml = html::is_xml(name, &text);
                html::read(&text, start, is_xml, &mut builder)
            }
            Format::Markdown => markdown::read(&text, start, &mut builder),
            Format::Text => {
                plain::read(&text, start, &mut builder);
                Ok(())
            }
        };
        match read {
            Ok(()) => Ok(builder.finish(text)),
            Err(Failure::TooDeep { offset }) => Err(Error::TooDeep {
                limit: MAX_DEPTH,
                line: line_at(text.as_bytes(), offset),
                path: path.to_owned(),
            }),
        }
    }
}

/// The text of a file that has been read.
///
/// # Errors
/// If it is not UTF-8 text.
pub(crate) fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String> {
    check_bytes(path, &bytes)?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Error::NotUtf8 {
            offset,
            line: line_at(error.as_bytes(), offset),
            path: path.to_owned(),
        }
    })
}

fn check_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let path = || PathBuf::from(path);
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(Error::Utf16 { path: path() });
    }
    match bytes.iter().position(|byte| *byte == 0) {
        Some(offset) => Err(Error::Binary {
            offset,
            path: path(),
        }),
        None => Ok(()),
    }
}

fn check_lines(path: &Path, text: &str) -> Result<()> {
    match text
        .split(['\n', '\r'])
        .position(|line| line.len() > MAX_LINE_BYTES)
    {
        // Only the number may be wrong where CR and LF come in pairs, so it is counted again.
        Some(_) => {
            let offset = text
                .split_inclusive(['\n', '\r'])
                .take_while(|line| line.len() <= MAX_LINE_BYTES)
                .map(str::len)
                .sum();
            Err(Error::LongLine {
                line: line_at(text.as_bytes(), offset),
                limit: MAX_LINE_BYTES,
                path: path.to_owned(),
            })
        }
        None => Ok(()),
    }
}

/// The line, counted from 1, that holds byte `offset`.
fn line_at(bytes: &[u8], offset: usize) -> usize {
    bytes[..offset].split(|byte| *byte == b'\n').count()
}
