//! From a file to a [`Document`].

use std::{fs, path::Path};

use super::{
    builder::{Builder, Failure, MAX_DEPTH},
    document::{Document, Format, ReadingOptions, SegmentEdit},
    formats::Encoding,
    segmentation::Segmenter,
};
use crate::error::{BaseError, Error, Result};

/// Longer lines are refused: no text has them, and whatever has them would take for ever.
pub const MAX_LINE_BYTES: usize = 10_000_000;

pub(super) const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// Returns where a text begins: after its byte order mark, if it has one.
pub(super) fn text_start(text: &str) -> usize {
    text.len() - text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).len()
}

/// Checks the lines of a text and gives `builder` its encoding; returns where it begins, as [`text_start`].
pub(super) fn begin_text(
    text: &str,
    encoding: Encoding,
    builder: &mut Builder,
) -> Result<usize, Failure> {
    builder.set_encoding(encoding);
    check_lines(text)?;
    Ok(text_start(text))
}

/// The endings of files that can be opened.
fn known_endings() -> String {
    let endings = Format::ALL
        .iter()
        .map(|format| format!(".{}", format.extension()));
    endings.collect::<Vec<_>>().join(", ")
}

impl Document {
    /// Reads a file; its content or its extension says the format unless `format` does.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or encrypted, is in no encoding that it declares, or has a line or a nesting
    /// above [`MAX_LINE_BYTES`] and [`MAX_DEPTH`]; [`Error::UnknownFormat`] if nothing says the format.
    pub fn open(path: impl AsRef<Path>, format: Option<Format>) -> Result<Self> {
        Self::open_with(path, format, &ReadingOptions::default())
    }

    /// As [`Document::open`], with options.
    ///
    /// # Errors
    /// As [`Document::open`], and if a column is not there.
    pub fn open_with(
        path: impl AsRef<Path>,
        format: Option<Format>,
        options: &ReadingOptions,
    ) -> Result<Self> {
        Self::open_edited(path.as_ref(), format, options, None)
    }

    /// As [`Document::open_with`], with a change of its sentences, which is then in its [`ReadingOptions::cuts`].
    ///
    /// # Errors
    /// As [`Document::open_with`], and if the sentences cannot be changed so.
    pub fn open_edited(
        path: &Path,
        format: Option<Format>,
        options: &ReadingOptions,
        edit: Option<SegmentEdit>,
    ) -> Result<Self> {
        let unknown = || Error::UnknownFormat {
            known: known_endings(),
            path: path.to_owned(),
        };
        let bytes = fs::read(path).map_err(Error::read(path))?;
        let reason = match format {
            Some(_) => "named",
            None => "by content or ending",
        };
        let format = format.or_else(|| Format::from_content(path, &bytes));
        let name = path
            .file_name()
            .map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
        let format = format.ok_or_else(unknown)?;
        let (size, format_name) = (bytes.len(), format.extension());
        let span = tracing::info_span!("open document", ?path, size, format_name, reason);
        let _entered = span.entered();
        Self::build(path, &name, format, bytes, options, edit)
    }

    /// Reads bytes from any source, such as standard input; `name` is used in messages.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn from_bytes(name: &str, format: Format, bytes: Vec<u8>) -> Result<Self> {
        Self::from_bytes_with(name, format, bytes, &ReadingOptions::default())
    }

    /// As [`Document::from_bytes`], with options.
    ///
    /// # Errors
    /// As [`Document::open_with`].
    pub fn from_bytes_with(
        name: &str,
        format: Format,
        bytes: Vec<u8>,
        options: &ReadingOptions,
    ) -> Result<Self> {
        Self::build(Path::new(name), name, format, bytes, options, None)
    }

    /// Reads a text; messages have `name`.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn parse(name: &str, format: Format, text: String) -> Result<Self> {
        Self::build(
            Path::new(name),
            name,
            format,
            text.into_bytes(),
            &ReadingOptions::default(),
            None,
        )
    }

    fn build(
        path: &Path,
        name: &str,
        format: Format,
        bytes: Vec<u8>,
        options: &ReadingOptions,
        edit: Option<SegmentEdit>,
    ) -> Result<Self> {
        let mut builder = Builder::new(name, format);
        builder.set_options(options, Segmenter::new(options, edit)?);
        match format.implementation().read(name, bytes, &mut builder) {
            Ok(kept) => builder.finish(kept),
            Err(failure) => Err(located(failure, path)),
        }
    }
}

/// The text of a file that has been read.
///
/// # Errors
/// If it is not UTF-8 text.
pub fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(Error::Base(BaseError::Utf16 {
            path: path.to_owned(),
        }));
    }
    match Encoding::decode_as(bytes, None) {
        Ok((text, _)) => Ok(text),
        Err(failure) => Err(located(failure, path)),
    }
}

/// A failure with the file in which it happened.
pub(super) fn located(failure: Failure, path: &Path) -> Error {
    let path = path.to_owned();
    match failure {
        Failure::TooDeep { line } => Error::TooDeep {
            limit: MAX_DEPTH,
            line,
            path,
        },
        Failure::PartTooDeep { part } => Error::Damaged {
            reason: format!("elements are nested deeper than {MAX_DEPTH}"),
            part,
            path,
        },
        Failure::Binary { offset } => Error::Base(BaseError::Binary { offset, path }),
        Failure::NotUtf8 { offset, bytes } => Error::Base(BaseError::NotUtf8 {
            offset,
            line: line_at(&bytes, offset),
            path,
        }),
        Failure::Encoding { name } => Error::Encoding { name, path },
        Failure::LongLine { line } => Error::Base(BaseError::LongLine {
            line,
            limit: MAX_LINE_BYTES,
            path,
        }),
        Failure::Damaged { part, reason } => Error::Damaged { part, reason, path },
        Failure::Encrypted => Error::Encrypted { path },
        Failure::TooLarge { part, limit } => Error::TooLarge { part, limit, path },
        Failure::Unencodable { character, name } => Error::Unencodable {
            character,
            name,
            path,
        },
        Failure::NoColumn { name, known } => Error::NoColumn { name, known, path },
        Failure::Unwritable { character } => Error::Unwritable { character, path },
    }
}

impl Failure {
    /// Elements are nested too deeply at byte `offset` of what is read.
    pub(crate) fn too_deep(source: &str, offset: usize) -> Self {
        Self::TooDeep {
            line: line_at(source.as_bytes(), offset),
        }
    }
}

/// Refuses lines that no text has.
pub(super) fn check_lines(text: &str) -> Result<(), Failure> {
    let is_long = |line: &str| line.len() > MAX_LINE_BYTES;
    if !text.split(['\n', '\r']).any(is_long) {
        return Ok(());
    }
    // Only the number may be wrong where CR and LF come in pairs, so it is counted again.
    let offset = text
        .split_inclusive(['\n', '\r'])
        .take_while(|line| line.len() <= MAX_LINE_BYTES)
        .map(str::len)
        .sum();
    Err(Failure::LongLine {
        line: line_at(text.as_bytes(), offset),
    })
}

/// The line, counted from 1, that holds byte `offset`.
fn line_at(bytes: &[u8], offset: usize) -> usize {
    bytes[..offset].split(|byte| *byte == b'\n').count()
}
