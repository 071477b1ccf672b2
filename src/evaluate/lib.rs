//! Several systems on test documents: tables and figures.
//!
//! [`evaluation`] translates the test documents of a corpus with each system and compares the translations by all metrics;
//! [`contrastive`] scores contrastive sets and makes new ones; [`results`] reads the runs of a sweep and draws what they have
//! in common.
//!
//! ```
//! use canopy_evaluate::evaluation::unique_names;
//!
//! let systems = [("tree", "runs/a"), ("flat", "runs/b"), ("tree", "runs/c")];
//! let systems = systems.map(|(name, path)| (name.to_owned(), std::path::PathBuf::from(path)));
//! assert_eq!(unique_names(&systems), ["runs/a", "flat", "runs/c"]);
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod contrastive;
pub mod error;
pub mod evaluation;
pub mod results;
