//! The header of a safetensors file: enough to know what is in it, and whether it is complete.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use safetensors::tensor::Metadata;

use crate::error::{Error, Result};

/// Bytes of the longest header that is read.
const MOST: u64 = 100 << 20;

/// Numbers of a weights file according to its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    /// Over all tensors.
    pub num_parameters: u64,
}

impl Outline {
    /// Reads the header alone.
    ///
    /// # Errors
    /// If the file cannot be read, its header is damaged, or it is shorter or longer than the header says.
    pub fn read(path: &Path) -> Result<Self> {
        let header = Header::read(path)?;
        let tensors = header.metadata.tensors();
        let numbers = tensors.values().map(|tensor| tensor.shape.iter().product());
        let num_parameters = numbers.map(|numbers: usize| numbers as u64).sum();
        Ok(Self { num_parameters })
    }
}

/// A file whose header fits its size.
pub(super) struct Header {
    pub file: File,
    pub metadata: Metadata,
    /// Where the first tensor begins.
    pub data: u64,
}

impl Header {
    /// # Errors
    /// If the file cannot be read, its header is damaged, or it is shorter or longer than the header says.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let refuse = |reason: String| Error::Weights {
            reason,
            path: path.to_owned(),
        };
        let mut file = File::open(path).map_err(Error::read(path))?;
        let found = file.metadata().map_err(Error::read(path))?.len();
        let mut size = [0; 8];
        if found < size.len() as u64 {
            return Err(refuse(format!(
                "it has {found} bytes, too few for a header"
            )));
        }
        file.read_exact(&mut size).map_err(Error::read(path))?;
        let size = u64::from_le_bytes(size);
        if size > MOST.min(found) {
            return Err(refuse(format!("a header of {size} bytes")));
        }
        let mut header = Vec::new();
        let mut rest = (&file).take(size);
        rest.read_to_end(&mut header).map_err(Error::read(path))?;
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|cause| refuse(cause.to_string()))?;
        let data = 8 + size;
        let expected = data + metadata.data_len() as u64;
        if expected != found {
            return Err(refuse(format!(
                "it has {found} bytes and should have {expected}"
            )));
        }
        Ok(Self {
            file,
            metadata,
            data,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{NamedTensors, Precision, write_tensors};

    #[test]
    fn parameters_are_counted_and_a_cut_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let tensor = |numbers: usize| (vec![numbers], vec![0.0; numbers]);
        let tensors: NamedTensors = [("a", 3), ("b", 5)]
            .map(|(name, numbers)| (name.to_owned(), tensor(numbers)))
            .into();
        write_tensors(&path, &tensors, Precision::Half).expect("written");
        assert_eq!(Outline::read(&path).expect("whole").num_parameters, 8);
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &bytes[..bytes.len() - 4]).expect("written");
        let refused = Outline::read(&path).expect_err("cut").to_string();
        assert!(refused.contains("should have"), "{refused}");
    }
}
