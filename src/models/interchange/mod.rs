//! Models that others made: their files in, named numbers out, and what the numbers of a few encoders mean.
//!
//! A model is a folder, or the zip file, tar file or Python wheel in which it was published; its files may be compressed
//! one by one. Nothing in it is executed: of pickles,
//! only tensors are read, and those of encoders not at all. [`Encoder`] is an encoder and [`ForeignModel`] a translation
//! model whose tensors have found their places; [`open`] recognises by the files which program made it.

mod archive;
mod bert;
mod bytes;
mod compression;
mod ctranslate2;
mod encoder;
mod floats;
mod foreign;
mod hugging_face;
mod kind;
mod marian;
mod npy;
mod packed;
mod pickle;
mod placing;
mod sbert;
mod seeming;
mod sentencepiece;
mod stated;
mod tar;
mod tensors;
mod torch;
mod universal;
mod yaml;

pub use archive::{Archive, EachPart};
pub use encoder::Encoder;
pub use floats::Floats;
pub use foreign::{
    ForeignFormat, ForeignLanguages, ForeignModel, LanguageTokens, Licence, SearchDefaults,
    TokenizerFiles, open,
};
pub use placing::ForeignTensors;
pub use stated::Stated;
pub use tensors::{Array, Numbers, Tensors};
