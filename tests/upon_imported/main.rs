//! What Canopy puts upon models of other programs: memories, re-ranking, documents, training, document-level systems.

mod cases;
mod documents;
mod multilingual;
mod presets;
#[path = "../tiny/mod.rs"]
mod tiny;
mod training;
