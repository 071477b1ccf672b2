//! A synthetic language pair whose nouns only the document decides.
//!
//! Every document introduces a few characters, each by a title that reveals its gender, and mentions them in other
//! sentences by a noun whose translation depends on that gender. Genders are drawn independently, so no sentence but
//! the deciding one says anything, and a system that reads sentence by sentence is left with chance. Some pairs of
//! character and title never occur in training: what holds for them was not learned by heart.
//!
//! [`draw`] gives documents as plain words, for tests and measurements; [`TaleImport`] writes them as a corpus in
//! readable words, for the sample run.

mod tales;
mod task;
mod words;

pub use tales::{ORIGIN, TaleImport};
pub use task::{
    ENTITIES, Evidence, GENDERS, NEAR, Order, Pairs, SyntheticSentence, TITLES, Task, Word, draw,
};
pub use words::{SOURCE_LANGUAGE, TARGET_LANGUAGE, decided_noun, deciding_sentence, nouns_right};
