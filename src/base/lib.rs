//! Foundations of all crates: errors and panics, files that are written whole, folders, lines, digests.
//!
//! ```
//! use canopy_base::file::write_atomically;
//! use canopy_base::lines::read_lines;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("lines.txt");
//! write_atomically(&path, b"one\r\ntwo\n", false)?;
//! assert_eq!(read_lines(&path)?, ["one", "two"]);
//! assert!(write_atomically(&path, b"three", false).is_err(), "nothing is replaced unasked");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod device_failure;
pub mod digest;
pub mod disk;
pub mod error;
pub mod file;
pub mod folder;
mod job;
pub mod lines;
pub mod panics;
pub mod table;

pub use job::JobId;
