//! Faults of translations, termbases, and suggestions of a language model.

pub mod checks;
pub mod llm;
pub mod terms;
