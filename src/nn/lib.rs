//! Layers and systems, the search over them, and the tables that both look up.
//!
//! Tensors in, tensors out: [`model`] has the layers and the systems built from them, [`search`] greedy and beam search,
//! [`datastore`] and [`shortlist`] the tables of a nearest-neighbour model and of candidate words. Files, texts and
//! trainings live in other crates.
//!
//! ```
//! use canopy_nn::model::Preset;
//!
//! let config = Preset::named("transformer-tiny")?.config(1_000);
//! assert_eq!(config.vocab_size, 1_000);
//! assert!(config.num_parameters() > 10_000);
//! # Ok::<(), canopy_nn::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod datastore;
pub mod error;
pub mod model;
pub mod search;
pub mod shortlist;
