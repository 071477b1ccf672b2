//! Attention of a model, as numbers and as figures: a trace and a question in, a view out.
//!
//! A [`Query`] names a word or sentence, a layer and a head; each view reads the rows it needs from a
//! [`TraceSource`](crate::trace::TraceSource) one by one and keeps what is shown, in the order in which it is shown, so
//! that window, figure (`Explanation::draw`) and table ([`Explanation::csv`]) cannot differ. Numbers that come from one
//! row of one head are those of the trace; every average, over words or heads, is of attention mass and called so.
//!
//! | view | shows |
//! |---|---|
//! | [`TreeView`] | where in the document the context of a word is |
//! | [`WeightMap`] | words × sentences, words × words, target × source |
//! | [`DocumentMap`] | all sentences × all sentences, however many |
//! | [`GateView`] | how much of each word's context was let through |
//! | [`ContextView`] | the sentences that mattered most, with their words |
//! | [`ZerosView`] | share of exact zeros against length |
//! | [`ContextDifference`] | what a translation is worth without its context; needs the model |
//! | [`LeaveOneOut`] | what a translation is worth without each sentence of its context; needs the model |
//! | [`MemoryView`] | which pairs of a translation memory a translation was looked up in; needs the model |
//! | [`SimilarityView`] | sentences × sentences, without a model: what resembles what |
//!
//! ```
//! use canopy_explain::rank_correlation;
//!
//! let correlation = rank_correlation(&[(0.1, 1.0), (0.5, 2.0), (0.9, 3.0)]);
//! assert_eq!(correlation, Some(1.0));
//! ```

#![warn(missing_docs, unreachable_pub)]

mod colours;
mod context;
mod difference;
mod document_map;
mod draw;
pub mod error;
mod explanation;
mod gates;
mod layout;
mod leave_one_out;
mod map;
mod margin;
mod mark;
mod measure;
mod memory;
mod outline;
mod query;
mod question;
mod rows;
mod similarity;
mod statistics;
mod table;
pub mod trace;
mod tree;
mod tree_node;
mod view_kind;
mod zeros;

pub use colours::Scale;
pub use context::{ContextSentence, ContextView, ShadedWord};
pub use difference::{Condition, ContextDifference, WordDifference};
pub use document_map::{Bins, DocumentMap, MapCell, MapColours, MapFrame, MapView, Strip};
pub use draw::MapSheet;
pub use explanation::Explanation;
pub use gates::{GateView, GatedWord};
pub use layout::{PlacedNode, TreeLayout};
pub use leave_one_out::{ContextChange, ContextEdit, LeaveOneOut, ScoredWord, nats, percent};
pub use map::{Group, Order, Unit, WeightMap};
pub use margin::Margin;
pub use mark::{HitArea, TextPosition, Viewport};
pub use measure::{rank_correlation, row_divergence};
pub use memory::{AgreeingWord, MemoryPair, MemoryView, MemoryWord, PairWord};
pub use query::{Attention, AttentionRole, Heads, Query, probed_heads_words};
pub use question::{Choices, Question, head_for_tree, query_side};
pub use rows::sentence_weights;
pub use similarity::SimilarityView;
pub use statistics::{
    AttentionMeans, AttentionStatistics, DecidingShare, DistanceShare, HeadStatistics, LengthMeans,
};
pub use tree::{Measure, TreeView};
pub use tree_node::{NodeState, TreeNode};
pub use view_kind::{ModelView, ViewKind};
pub use zeros::{Zeros, ZerosPoint, ZerosView};
