//! A document in, its translation out; the models for it.

pub mod catalogue;
pub mod inference;
pub mod remote;
