//! Named tensors that stay where they are kept.

use std::path::Path;

use crate::error::Result;
use canopy_kernels::packed::Kept;

/// Tensors of a file, which are read one at a time by the names of a module's parameters.
pub trait KeptTensors {
    /// Where they are.
    fn path(&self) -> &Path;

    /// Iterates over the names of all tensors.
    fn names(&self) -> impl Iterator<Item = &str>;

    /// The shape of a tensor; none if it is not there.
    fn shape(&self, name: &str) -> Option<&[usize]>;

    /// The numbers of an existing tensor.
    ///
    /// # Errors
    /// If the file cannot be read any more, or has changed.
    fn values(&self, name: &str) -> Result<Vec<f32>>;

    /// The values in their stored form.
    ///
    /// # Errors
    /// As [`Self::values`].
    fn kept(&self, name: &str) -> Result<Kept>;

    /// Refuses a tensor of which a number is not finite; none of them stays in memory.
    ///
    /// # Errors
    /// [`Error::Weights`](crate::error::Error::Weights), which names it, and as [`Self::values`].
    fn check_finite(&self, name: &str) -> Result<()>;
}
