//! What the test binaries share: tiny models, a folder to work in, pages and damaged files.

pub mod desk;
pub mod mutation;
pub mod sketch;
pub mod small;
pub mod tiny;
