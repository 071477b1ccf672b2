//! Models on disk: our own folders, and those that other programs made.

pub mod interchange;
pub mod weights;
