//! Several systems on test documents: tables and figures.

pub mod contrastive;
pub mod error;
pub mod evaluation;
pub mod results;
