//! Catalogues of translation models that others publish: lists in, models to choose from out; a chosen one is downloaded,
//! checked and installed.
//!
//! A list and all that it names come from strangers: names, sizes, hashes and languages are checked, and whatever does not
//! hold is refused with a sentence. No host is contacted before one of the functions here is called.

mod choice;
mod fetch;
mod get;
mod languages;
mod lists;
mod model;
mod place;
mod staging;
mod unpack;
mod web;

pub use choice::{Found, Look, is_repository, look, pair_of, repository};
pub use get::{Download, Progress, download, downloaded_bytes};
pub use lists::ONLY_GGUF;
pub use model::{CatalogueFile, CatalogueModel, Installation, PublishedScore, Source};
pub use place::{Catalogue, DEFAULT_CATALOGUES, KnownCatalogue, Origin};
