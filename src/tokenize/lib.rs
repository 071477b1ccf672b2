//! Texts to ids and back, on both sides of a translation: Canopy's own subwords, SentencePiece, lists of tokens.
//!
//! Strings and numbers, no tensors. [`SpecialIds`] names the ids that a model's texts begin and end with.
//!
//! ```
//! use canopy_tokenize::vocabulary::Vocabulary;
//!
//! let texts = ["Open the file.", "Close the file."].map(str::to_owned);
//! let vocabulary = Vocabulary::train(texts.into_iter(), 340)?;
//! let ids = vocabulary.encode("Open the file.");
//! assert_eq!(vocabulary.decode(&ids), "Open the file.");
//! # Ok::<(), canopy_tokenize::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod bpe_dropout;
pub mod error;
mod files;
mod joint;
mod language_names;
mod languages;
mod of_model;
mod sentence_pieces;
mod token_list;
mod tokenizer;
mod two_sided;
pub mod vocabulary;
mod word_merges;
mod word_pieces;

pub use files::TokenizerFiles;
pub use language_names::{language_called, language_code, pair_in_name, pair_of_letters};
pub use languages::{matching as matching_language, two_letters};
pub use of_model::{KeptTokenizer, ModelTokenizer};
pub use sentence_pieces::{SentencePiece, SentencePieces};
pub use token_list::TokenList;
pub use tokenizer::{Decoded, Side, SpecialIds, Token, Tokenizer};
pub use two_sided::{Cutter, LanguageTokens, SideTokens, TwoSidedTokenizer};
pub use word_merges::WordMerges;
pub use word_pieces::WordPieces;
