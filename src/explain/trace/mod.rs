//! The attention of a model while it translated one document: plain numbers, sparse, in memory and on disk.
//!
//! Nothing of the model is here and no tensor: who translates fills a [`Trace`], who explains reads one, perhaps years
//! later and without the model. A word is known by its *row*: the tokens of one side's sentences, counted one after the
//! other from 0 ([`WordIndex`]). Sentences, sections, layers, heads and the nodes of a level count from 0 too.
//!
//! | number | unit |
//! |---|---|
//! | weight, rest | share of a row's attention, 0 to 1; see [`MapRow`] for what sums to 1 |
//! | relevance | score before normalising: `q·k / √d_head`, no unit, any sign |
//! | cumulative | sum of the relevance of the nodes from the root of the tree down to this one |
//! | gate values | 0 to 1: mean, least and greatest over the features of a word |
//! | threshold | weights below it were dropped, and their sum added to the row's rest |
//!
//! Two formats hold the same: `.json` for other programs ([`ABOUT`] is written into it), read as a whole, and `.trace`
//! for large documents, whose rows stay on disk until they are read ([`TraceFile`]). [`TraceSource`] reads either.

mod check;
mod encoding;
mod file;
mod gate;
mod json;
mod map;
mod overview;
mod row;
mod source;
mod tree;

pub use file::TraceFile;
pub use gate::GateValues;
pub use json::ABOUT;
pub use map::{AttentionMap, MapInfo, MapKind, Normaliser, Side, Units, Visible};
pub use overview::{Overview, Trace, TracedModel, TracedSentence, TracedWindow, WordIndex};
pub use row::{MapRow, NodeVisit, SentenceWeight, drop_below};
pub use source::{TraceFormat, TraceSource, open, save};
pub use tree::TracedTree;

/// Version of both formats.
pub const VERSION: u32 = 1;
