//! Layers and systems, the search over them, and what both look up.

pub mod datastore;
pub mod model;
pub mod search;
pub mod shortlist;
