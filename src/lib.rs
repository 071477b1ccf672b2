//! Canopy.
pub mod cli;
pub mod corpus;
pub mod error;
pub mod inference;
pub mod kernels;
pub mod model;
pub mod search;
pub mod text;
pub mod training;
pub mod weights;
pub mod metrics { pub struct Bleu {pub score: f64} impl Bleu { pub fn signature(&self)->String{String::new()} } pub fn corpus_bleu<A: AsRef<str>, B: AsRef<str>>(_h: &[A], _r: &[B]) -> Bleu { Bleu{score: 0.0} } }
