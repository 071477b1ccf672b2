//! Translation over HTTP, for other programs: the interfaces of LibreTranslate and OPUS-CAT, one of our own, and a page.
//!
//! One thread owns the models and the device and translates the requests of clients in rounds; another one speaks HTTP. No
//! text is written to disk or to a log. The models are given by the caller that starts the server.
//!
//! ```no_run
//! use canopy_server::{Library, Running, ServerOptions};
//! use canopy_translate::inference::DeviceChoice;
//!
//! let options = ServerOptions {
//!     address: ([127, 0, 0, 1], 0).into(),
//!     key: None,
//!     max_body_bytes: 10_000_000,
//!     max_waiting: 64,
//!     request_secs: 600,
//!     max_models: 2,
//!     beam_size: 4,
//!     device: DeviceChoice::Cpu,
//!     quantization: None,
//! };
//! let server = Running::start(&options, Library::default())?;
//! println!("serving at {}", server.address());
//! server.stop();
//! # Ok::<(), canopy_server::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

mod access;
mod answer;
mod compute;
mod connections;
mod documents;
pub mod error;
mod fields;
mod job;
mod languages;
mod libre_translate;
mod models;
mod opus_cat;
mod own;
mod pages;
mod queue;
mod refusal;
mod results;
mod round;
mod routes;
mod running;
mod segment;
mod service;
mod worker;

pub use access::new_key;
pub use compute::{ComputeOptions, Computing};
pub use languages::Library;
pub use running::{Running, ServerOptions};
