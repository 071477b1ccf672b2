//! Weights that stay where they are kept until something computes with them.

use std::fmt::Debug;

use burn::module::ParamId;

use crate::error::Result;
use canopy_kernels::packed::Table;

/// The parameters of a model that are not read yet.
pub trait UnreadWeights: Debug + Send + Sync {
    /// The numbers of a parameter, `[.., columns]` row by row, which are read at every call; none if it is not among them.
    /// All are NaN if they cannot be read any more.
    fn table(&self, param: ParamId) -> Option<Table>;

    /// # Errors
    /// If a parameter could not be read, here or where burn's layers computed with it.
    fn check(&self) -> Result<()>;
}
