//! Figures on any plotters backend; scripts, directions and line breaks of texts, fonts of the system.
//!
//! [`charts`] draws numbers that others have computed; [`typesetting`] knows texts, not sentences or documents.
//!
//! ```
//! use canopy_chart::charts::thousands;
//! use canopy_chart::typesetting::Direction;
//!
//! assert_eq!(thousands(12_345), "12,345");
//! assert_eq!(Direction::from_first_strong("שלום"), Some(Direction::RightToLeft));
//! ```

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels, colours and labels of a figure; a cast of a number saturates"
)]
#![warn(missing_docs, unreachable_pub)]

pub mod charts;
pub mod error;
pub mod typesetting;
