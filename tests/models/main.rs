//! Models, searches and traces: by golden vectors, by other programs' numbers, by properties of tiny ones.

mod contexts;
mod encoders;
mod explain;
mod golden;
mod interchange;
mod markup_by_alignment;
mod model;
mod search;
#[path = "../support/mod.rs"]
mod support;
mod trace;
mod tracing;
mod translates_a_document;
