//! Tensors of a network by the names that GGUF gives them, wherever they lie.

use crate::error::{Error, Result};

use super::weights::{Tensor, Weights};

/// The output layer.
pub(crate) const OUTPUT: &str = "output.weight";

/// Gives the name of a part in a folder, if there is such a part.
type Names<'w> = Box<dyn Fn(&str) -> Option<String> + 'w>;

/// Where the parts of a network are found.
pub(crate) struct Parts<'w> {
    weights: &'w Weights,
    /// None for a file, whose names are those of GGUF.
    in_folder: Option<Names<'w>>,
    /// Added to the weights of norms.
    norm_offset: f32,
}

impl<'w> Parts<'w> {
    pub(crate) fn from_file(weights: &'w Weights) -> Self {
        Self {
            weights,
            in_folder: None,
            norm_offset: 0.0,
        }
    }

    /// The parts of a folder, by their names there.
    pub(crate) fn from_folder(
        weights: &'w Weights,
        name: impl Fn(&str) -> Option<String> + 'w,
        norm_offset: f32,
    ) -> Self {
        Self {
            weights,
            in_folder: Some(Box::new(name)),
            norm_offset,
        }
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.in_folder.is_some()
    }

    /// The name of a part, such as `blk.0.attn_q.weight`, in its file; none if the network has no such part.
    fn name(&self, own: &str) -> Option<String> {
        match &self.in_folder {
            Some(name) => name(own),
            None => Some(own.to_owned()),
        }
    }

    /// The tensor of a part and its name, if there is one.
    fn tensor(&self, own: &str) -> Result<Option<(String, &'w Tensor)>> {
        let Some(name) = self.name(own) else {
            return Ok(None);
        };
        match self.weights.tensors().get(&name) {
            Some(tensor) => Ok(Some((name, tensor))),
            None if self.weights.is_unknown(&name) => Err(self.weights.missing(&name)),
            None => Ok(None),
        }
    }

    /// A vector of `length` numbers, if there is one.
    pub(crate) fn vector(&self, own: &str, length: usize) -> Result<Option<Vec<f32>>> {
        let Some((name, tensor)) = self.tensor(own)? else {
            return Ok(None);
        };
        if tensor.rows != 1 || tensor.columns != length {
            let problem = format!("[{}, {}], not [{length}]", tensor.rows, tensor.columns);
            return Err(self.weights.problem(&name, problem));
        }
        let mut numbers = vec![0.0; length];
        let bytes = self.weights.bytes(tensor);
        tensor.kind.dequantise(bytes, &mut numbers);
        if own.ends_with("norm.weight") {
            for number in &mut numbers {
                *number += self.norm_offset;
            }
        }
        Ok(Some(numbers))
    }

    /// The numbers of a small matrix `[rows, columns]`, if there is one.
    pub(crate) fn numbers(
        &self,
        own: &str,
        [rows, columns]: [usize; 2],
    ) -> Result<Option<Vec<f32>>> {
        let Some(matrix) = self.matrix(own, columns, Some(rows))? else {
            return Ok(None);
        };
        let mut numbers = vec![0.0; rows * columns];
        let bytes = self.weights.bytes(&matrix);
        matrix.kind.dequantise(bytes, &mut numbers);
        Ok(Some(numbers))
    }

    /// A matrix of `outputs` rows, if there is one.
    pub(crate) fn matrix(
        &self,
        own: &str,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<Option<Tensor>> {
        let Some((name, tensor)) = self.tensor(own)? else {
            return Ok(None);
        };
        if tensor.columns != inputs || outputs.is_some_and(|outputs| outputs != tensor.rows) {
            let outputs = outputs.map_or("any".to_owned(), |outputs| outputs.to_string());
            let problem = format!(
                "[{}, {}], not [{outputs}, {inputs}]",
                tensor.rows, tensor.columns
            );
            return Err(self.weights.problem(&name, problem));
        }
        Ok(Some(tensor.clone()))
    }

    /// An error about a part.
    pub(crate) fn problem(&self, own: &str, problem: impl Into<String>) -> Error {
        let name = self.name(own).unwrap_or_else(|| own.to_owned());
        self.weights.problem(&name, problem)
    }

    /// `found`, or an error that says that the part is missing.
    pub(crate) fn needed<T>(&self, own: &str, found: Option<T>) -> Result<T> {
        let name = || self.name(own).unwrap_or_else(|| own.to_owned());
        found.ok_or_else(|| self.weights.missing(&name()))
    }
}
