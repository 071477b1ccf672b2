//! Language models on the CPU and on a GPU: GGUF files and folders of Hugging Face, their tokenizers and chat templates, decoders and T5
//! computed from the numbers of these files. Translation with them, the window and the server live above.
//!
//! ```
//! use canopy_llm::{Kind, LanguageModel};
//!
//! // A block of four bits: a scale (a half float 2), then 32 numbers from -8 to 7.
//! let mut block = [0x88; 18];
//! block[..2].copy_from_slice(&[0x00, 0x40]);
//! block[2] = 0x8b;
//! let mut numbers = [1.0; 32];
//! Kind::Q4_0.dequantise(&block, &mut numbers);
//! assert_eq!(numbers[..2], [6.0, 0.0]);
//!
//! let error = LanguageModel::open("no.gguf").expect_err("there is no such file");
//! assert!(error.to_string().contains("no.gguf"));
//! ```

#![warn(missing_docs, unreachable_pub)]

mod blocks;
mod completion;
pub mod error;
#[cfg(test)]
mod fixture;
mod folder;
mod gguf;
mod network;
mod parts;
mod product;
mod sampling;
mod session;
mod template;
mod texts;
mod tokens;
mod weights;
mod writing;

pub use blocks::Kind;
pub use completion::{About, Completion, LanguageModel, Token};
pub use folder::Folder;
pub use gguf::{Gguf, Value};
pub use network::{Attention, Cache, Network, Recorder};
pub use sampling::Sampling;
pub use session::{Cost, Generated, Generation, Session};
pub use template::ChatTemplate;
pub use texts::Texts;
pub use tokens::{Specials, Tokenizer};
pub use weights::{Tensor, Weights};
