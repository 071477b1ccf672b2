//! Contrastive sets: whether a model prefers a right translation to wrong ones that only the document distinguishes.
//!
//! The [set](ContrastiveSet) and the [formats](open) it is read from, a model's [scores](score()) and the
//! [accuracies](Accuracies) that follow from them. Sets are made, and figures of accuracies drawn, where systems are evaluated.
//!
//! Müller et al., "A Large-Scale Test Set for the Evaluation of Context-Aware Pronoun Translation in Neural Machine
//! Translation", WMT 2018; Bawden et al., "Evaluating Discourse Phenomena in Neural Machine Translation", NAACL 2018;
//! Voita et al., "When a Good Translation is Wrong in Context", ACL 2019; Yin et al., "Do Context-Aware Translation Models Pay
//! the Right Attention?", ACL 2021.
//!
//! # What such a set can and cannot claim
//! It says what a model prefers of the given translations, not what it would write. An item is right only if every wrong
//! translation is less probable than the right one; that of chance follows from the number of wrong ones.
//!
//! ```
//! use canopy_contrast::{Accuracies, Contrast, ContrastiveSet, Item};
//!
//! let wrong = Contrast { text: "Er ist alt.".to_owned(), ..Contrast::default() };
//! let item = Item { correct: "Es ist alt.".to_owned(), contrasts: vec![wrong], ..Item::default() };
//! let set = ContrastiveSet { items: vec![item], ..ContrastiveSet::default() };
//! let log_probs = [Some(vec![-2.5, -4.0])];
//! let accuracies = Accuracies::from_scores(&set, &log_probs);
//! assert_eq!((accuracies.total.right, accuracies.total.chance), (1, 0.5));
//! ```

#![warn(missing_docs, unreachable_pub)]

mod accuracy;
pub mod error;
mod formats;
mod scores;
mod set;

pub use accuracy::{Accuracies, Cell, FEWEST, TargetContext};
pub use formats::{FORMAT, VERSION, open};
pub use scores::{ContextOptions, SetScores, score};
pub use set::{Contrast, ContrastiveSet, Item, SetDocument, SetSentence};
