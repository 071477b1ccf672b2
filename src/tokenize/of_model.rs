//! The tokenizer of a model folder: our own vocabulary, or that of the model that it was made from.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use super::tokenizer::{Side, Tokenizer};
use super::two_sided::TwoSidedTokenizer;
use crate::error::Result;
use crate::vocabulary::Vocabulary;

const VOCABULARY: &str = "vocabulary.json";

/// A tokenizer that a model folder can keep.
#[derive(Debug, Clone)]
pub enum ModelTokenizer {
    /// A vocabulary of Canopy's.
    Own(Arc<Vocabulary>),
    /// Tokenizer of another program's model.
    Imported(Arc<TwoSidedTokenizer>),
}

/// Tokenizers that are written into model folders.
pub trait KeptTokenizer {
    /// Writes its files into a folder.
    ///
    /// # Errors
    /// If one cannot be written.
    fn keep(&self, folder: &Path) -> Result<()>;
}

impl KeptTokenizer for Vocabulary {
    fn keep(&self, folder: &Path) -> Result<()> {
        self.save(folder.join(VOCABULARY))
    }
}

impl KeptTokenizer for ModelTokenizer {
    fn keep(&self, folder: &Path) -> Result<()> {
        match self {
            Self::Own(vocabulary) => vocabulary.keep(folder),
            Self::Imported(tokenizer) => tokenizer.save(folder),
        }
    }
}

impl ModelTokenizer {
    /// Names of the files in which a folder keeps one.
    pub const FILES: [&'static str; 6] = {
        let [description, source, target, codes, target_codes] = TwoSidedTokenizer::FILES;
        [VOCABULARY, description, source, target, codes, target_codes]
    };

    /// Reads that of a model folder.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        if TwoSidedTokenizer::is_in(folder) && !folder.join(VOCABULARY).exists() {
            return Ok(Self::Imported(Arc::new(TwoSidedTokenizer::open(folder)?)));
        }
        Ok(Vocabulary::open(folder.join(VOCABULARY))?.into())
    }

    /// The tokenizer as a shared trait object.
    pub fn shared(&self) -> Arc<dyn Tokenizer> {
        match self {
            Self::Own(vocabulary) => Arc::clone(vocabulary) as Arc<dyn Tokenizer>,
            Self::Imported(tokenizer) => Arc::clone(tokenizer) as Arc<dyn Tokenizer>,
        }
    }

    /// The file with its tokens.
    pub fn file_name(&self) -> &'static str {
        match self {
            Self::Own(_) => VOCABULARY,
            Self::Imported(_) => TwoSidedTokenizer::FILES[0],
        }
    }

    /// Our own vocabulary, if it is one.
    pub fn own(&self) -> Option<&Arc<Vocabulary>> {
        match self {
            Self::Own(vocabulary) => Some(vocabulary),
            Self::Imported(_) => None,
        }
    }

    /// Whether both have the same tokens under the same ids.
    pub fn has_tokens_of(&self, other: &Self) -> bool {
        let has = |side: Side| {
            let len = self.len(side);
            let ids = 0..u32::try_from(len).unwrap_or(u32::MAX);
            len == other.len(side)
                && ids
                    .into_iter()
                    .all(|id| self.token(side, id) == other.token(side, id))
        };
        has(Side::Source) && has(Side::Target)
    }
}

impl From<Vocabulary> for ModelTokenizer {
    fn from(vocabulary: Vocabulary) -> Self {
        Self::Own(Arc::new(vocabulary))
    }
}

impl Deref for ModelTokenizer {
    type Target = dyn Tokenizer;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Own(vocabulary) => &**vocabulary,
            Self::Imported(tokenizer) => &**tokenizer,
        }
    }
}
