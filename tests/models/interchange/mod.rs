//! Models of other programs compute here what those programs compute, from their own files.
//!
//! The cases and their numbers are made by the programs themselves, see ../shared/models/README.md.

mod bad_input;
mod cases;
mod ctranslate2;
mod decoding;
mod firefox;
mod hugging_face;
mod marian;
mod multilingual;
mod packed;
mod quantised;
mod shortlist;
