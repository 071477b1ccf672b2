//! Functions of Canopy on models of other programs: memories, re-ranking, documents, training, document-level systems.

mod cases;
mod documents;
mod multilingual;
mod presets;
mod training;

use crate::support::tiny;
