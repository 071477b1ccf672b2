//! Models that others made: their files in, named numbers out, and what the numbers of a few encoders mean.
//!
//! A model is a folder, or the Python wheel in which it was published. Nothing in it is executed, and formats that could
//! be, such as pickles, are refused. [`Encoder`] is an encoder whose tensors have found their places.

mod archive;
mod bert;
mod encoder;
mod npy;
mod packed;
mod sbert;
mod tensors;
mod universal;

pub use archive::Archive;
pub use encoder::Encoder;
pub use tensors::{Array, Numbers, Tensors};
