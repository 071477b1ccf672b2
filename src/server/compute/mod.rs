//! Computing for another machine: `canopy serve --compute`, whose client is the room `remote`.
//!
//! Searches and traces wait for one thread that owns models and device; trainings are those of the window. What is sent is
//! kept by what is in it. Without the key a client learns nothing.

mod guard;
mod jobs;
mod routes;
mod running;
mod store;
mod trainings;
mod worker;

pub use running::{ComputeOptions, Computing};
