//! Faults of translations, termbases, and suggestions of a language model.
//!
//! ```
//! use canopy_qa::checks::{CheckKind, Checks, Pair};
//!
//! let pairs = [Pair::new("Wait 20 minutes.", "Warten Sie 30 Minuten.")];
//! let findings = Checks::default().run(&pairs);
//! assert_eq!(findings[0].check, CheckKind::Numbers);
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod checks;
pub mod error;
pub mod llm;
pub mod terms;
