//! Models that others made: their files in, named numbers out.
//!
//! A model is a folder, or the Python wheel in which it was published. Nothing in it is executed, and formats that could
//! be, such as pickles, are refused. What the numbers mean is not known here.

mod archive;
mod npy;
mod packed;
mod tensors;

pub use archive::Archive;
pub use tensors::{Array, Numbers, Tensors};
