//! What the test binaries share: tiny models, a folder to work in, pages and damaged files.

#![allow(dead_code, reason = "each binary uses its own part")]

pub mod desk;
pub mod mutation;
pub mod sketch;
pub mod small;
pub mod tiny;
