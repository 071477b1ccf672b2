//! Files with one segment a line.

use std::path::Path;

use crate::error::{Error, Result};

/// The lines of a file, without a byte order mark and without the ends of lines, Unix's or Windows'.
///
/// # Errors
/// If the file cannot be read or is not UTF-8.
pub fn read_lines(path: &Path) -> Result<Vec<String>> {
    lines(path, std::fs::read(path).map_err(Error::read(path))?)
}

/// [`read_lines`] of a file whose bytes are in memory.
///
/// # Errors
/// If they are not UTF-8; `path` is named then.
pub fn lines(path: &Path, bytes: Vec<u8>) -> Result<Vec<String>> {
    let text = utf8(path, bytes)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let lines = text
        .strip_suffix('\n')
        .unwrap_or(&text)
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(lines.map(str::to_owned).collect())
}

/// The lines of a file, if they are as many as those of another, `like`.
///
/// # Errors
/// If they are more or fewer than `expected`; both files and the first line without a counterpart are named.
pub fn as_many(
    lines: Vec<String>,
    path: &Path,
    expected: usize,
    like: &Path,
) -> Result<Vec<String>> {
    if lines.len() == expected {
        return Ok(lines);
    }
    Err(Error::UnequalLines {
        found: lines.len(),
        expected,
        line: lines.len().min(expected) + 1,
        like: like.to_owned(),
        path: path.to_owned(),
    })
}

/// The text of a file, without a byte order mark.
///
/// # Errors
/// If it is not UTF-8; `path` is named then.
pub fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(Error::Utf16 {
            path: path.to_owned(),
        });
    }
    let text = String::from_utf8(bytes).map_err(|cause| {
        let offset = cause.utf8_error().valid_up_to();
        let lines = cause.as_bytes()[..=offset].split(|&byte| byte == b'\n');
        Error::NotUtf8 {
            offset,
            line: lines.count(),
            path: path.to_owned(),
        }
    })?;
    Ok(match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The line of a byte of a text, counted from 1.
pub fn line_of(text: &str, place: u64) -> usize {
    let place = usize::try_from(place).unwrap_or(usize::MAX).min(text.len());
    let breaks = text.as_bytes()[..place]
        .iter()
        .filter(|byte| **byte == b'\n');
    breaks.count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("lines.txt");
        std::fs::write(&path, bytes).expect("written");
        read_lines(&path)
    }

    #[test]
    fn marks_and_line_ends_of_windows_are_no_text() {
        let read = |bytes| read(bytes).expect("read");
        assert_eq!(read(b"a\nb\n"), ["a", "b"]);
        assert_eq!(read("\u{FEFF}a\r\n\r\nb".as_bytes()), ["a", "", "b"]);
        assert_eq!(read("a\u{2028}b\u{85}c\rd\n".as_bytes()).len(), 1);
        assert_eq!(read(b""), [""; 0]);
        assert_eq!(read(b"\n\n"), ["", ""]);
    }

    #[test]
    fn bytes_that_are_no_text_are_found() {
        let found = read(b"a\nb\nc\xFFd\n");
        let is_there = matches!(
            found,
            Err(Error::NotUtf8 {
                offset: 5,
                line: 3,
                ..
            })
        );
        assert!(is_there, "{found:?}");
        assert!(matches!(read(b"\xFF\xFEa\0"), Err(Error::Utf16 { .. })));
    }
}
