//! Helpers that the test binaries share: tiny models, a folder to work in, pages, damaged files, processes.

#![allow(dead_code, reason = "no test binary uses all of it")]

pub mod alone;
pub mod desk;
pub mod firefox;
pub mod mutation;
pub mod needs;
pub mod sketch;
pub mod small;
pub mod tiny;
