//! Models on disk: [`weights`] has Canopy's own folders, [`interchange`] those that other programs made.
//!
//! ```
//! use canopy_models::weights::{NamedTensors, Precision, read_tensors, write_tensors};
//!
//! let folder = tempfile::tempdir().expect("a folder");
//! let path = folder.path().join("weights.safetensors");
//! let tensors = NamedTensors::from([("bias".to_owned(), (vec![2], vec![0.5, -1.0]))]);
//! write_tensors(&path, &tensors, Precision::Full)?;
//! assert_eq!(read_tensors(&path)?, tensors);
//! # Ok::<(), canopy_models::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod error;
pub mod interchange;
pub mod weights;
