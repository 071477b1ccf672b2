//! A document in, its translation out; the models for it.
//!
//! [`inference`] opens models and translates documents with them, [`catalogue`] finds and downloads models that others
//! publish, [`remote`] is the client of a machine that computes for this one.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//!
//! use canopy_document::document::Document;
//! use canopy_nn::search::SearchOptions;
//! use canopy_translate::inference::{DeviceChoice, Translator};
//!
//! let page = Document::open("page.html", None)?;
//! let translator = Translator::open("models/en-de".as_ref(), DeviceChoice::Cpu)?;
//! translator.translate(&page, &[0, 1], &SearchOptions::default(), &mut |sentence, translation| {
//!     println!("{sentence}: {}", translation.text);
//!     ControlFlow::Continue(())
//! })?;
//! # Ok::<(), canopy_translate::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod catalogue;
pub mod error;
pub mod inference;
pub mod remote;
