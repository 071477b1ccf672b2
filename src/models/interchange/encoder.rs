//! An encoder as it comes out of an archive.

use std::path::Path;

use super::archive::Archive;
use crate::error::Result;
use crate::weights::{EncoderFolder, EncoderKind, EncoderVocabulary, NamedTensors, Precision};

/// An encoder that others made, its tensors named and laid out as ours.
#[derive(Debug)]
pub struct Encoder {
    /// Kind and sizes of the encoder.
    pub kind: EncoderKind,
    /// The weights by our names.
    pub weights: NamedTensors,
    /// The pieces that it reads.
    pub vocabulary: EncoderVocabulary,
}

impl Encoder {
    /// Writes it as an encoder folder; `origin` is the archive that it came from, and its name unless another is given.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(
        &self,
        folder: &Path,
        origin: &Archive,
        name: Option<String>,
        precision: Precision,
    ) -> Result<()> {
        let file_name = origin.path().file_name().unwrap_or_default();
        let file_name = file_name.to_string_lossy().into_owned();
        let name = name.unwrap_or_else(|| file_name.clone());
        let description = EncoderFolder::new(name, file_name, self.kind.clone());
        description.save(folder, &self.weights, &self.vocabulary, precision)
    }
}

/// Matrices of equally many rows side by side.
pub(super) fn columns_side_by_side(matrices: &[Vec<f32>], rows: usize) -> Vec<f32> {
    let mut joined = Vec::with_capacity(matrices.iter().map(Vec::len).sum());
    for row in 0..rows {
        for matrix in matrices {
            let columns = matrix.len() / rows;
            joined.extend_from_slice(&matrix[row * columns..][..columns]);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_are_joined() {
        let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let joined = columns_side_by_side(&[matrix.to_vec(), vec![7.0, 8.0]], 2);
        assert_eq!(joined, [1.0, 2.0, 3.0, 7.0, 4.0, 5.0, 6.0, 8.0]);
    }
}
