//! Digests, which show whether files have changed.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Adds a file.
///
/// # Errors
/// If it cannot be read.
pub fn hash_file(hasher: &mut Sha256, path: &Path) -> Result<()> {
    let mut file = File::open(path).map_err(Error::read(path))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut buffer).map_err(Error::read(path))?;
        if length == 0 {
            return Ok(());
        }
        hasher.update(&buffer[..length]);
    }
}

/// SHA-256 of files, each with its length, so that what ends one cannot begin the next.
///
/// # Errors
/// If one cannot be read.
pub fn digest_of_files<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<String> {
    let mut hasher = Sha256::new();
    for path in paths {
        let path = path.as_ref();
        let length = std::fs::metadata(path).map_err(Error::read(path))?.len();
        hasher.update(length.to_le_bytes());
        hash_file(&mut hasher, path)?;
    }
    Ok(hexadecimal(hasher))
}

/// All digits of the digest of everything added.
pub fn hexadecimal(hasher: Sha256) -> String {
    let mut text = String::new();
    for byte in hasher.finalize() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// FNV-1a checksum, 32 bits, of `text` after texts whose checksum is `sum`.
pub fn checksum_from(sum: u32, text: &str) -> u32 {
    let mix = |sum: u32, byte: u8| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(sum, mix)
}
