//! An encoder folder: everything needed to turn texts into states and vectors.
//!
//! | file | holds |
//! |---|---|
//! | `encoder.toml` | format version, name, where it comes from, kind and sizes |
//! | `weights.safetensors` | the parameters by name, 16- or 32-bit |
//! | `vocabulary.json` | BERT's word pieces, or |
//! | `vocabulary.model` | the sentence pieces of the Universal Sentence Encoder |

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::loading::load_module;
use super::tensors::{NamedTensors, Precision, read_tensors, write_tensors};
use super::version::check_version;
use crate::error::{Error, Result};
use canopy_base::digest::digest_of_files;
use canopy_base::file::write_atomically;
use canopy_nn::model::{Bert, BertConfig, Pooling, Universal, UniversalConfig};
use canopy_tokenize::SentencePieces;
use canopy_tokenize::WordPieces;

const DESCRIPTION: &str = "encoder.toml";
const WEIGHTS: &str = "weights.safetensors";
const WORD_PIECES: &str = "vocabulary.json";
const SENTENCE_PIECES: &str = "vocabulary.model";

/// Version of the folder's format.
const VERSION: u32 = 1;

/// Before the names of an encoder's files in the folder of the model that it belongs to.
const OF_MODEL: &str = "context-";

/// Where the files of an encoder are: a folder of their own, or that of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderPlace {
    folder: PathBuf,
    prefix: &'static str,
}

impl EncoderPlace {
    /// An encoder folder.
    pub fn folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            prefix: "",
        }
    }

    /// The encoder in a model folder.
    pub fn in_model(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            prefix: OF_MODEL,
        }
    }

    /// Names of the encoder's files in a model folder.
    pub(super) const IN_MODEL: [&'static str; 4] = [
        "context-encoder.toml",
        "context-weights.safetensors",
        "context-vocabulary.json",
        "context-vocabulary.model",
    ];

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.path(DESCRIPTION).is_file()
    }

    /// SHA-256 of weights and vocabulary, in hexadecimal: two encoders with the same one give the same vectors, if they
    /// are described alike.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn digest(&self) -> Result<String> {
        let files = [WEIGHTS, WORD_PIECES, SENTENCE_PIECES].map(|name| self.path(name));
        Ok(digest_of_files(files.iter().filter(|path| path.exists()))?)
    }

    /// Puts the files into a model folder; the same file has two names where the disk allows it.
    pub(super) fn copy_to_model(&self, folder: &Path) -> Result<()> {
        let place = Self::in_model(folder);
        for name in [DESCRIPTION, WEIGHTS, WORD_PIECES, SENTENCE_PIECES] {
            let (from, to) = (self.path(name), place.path(name));
            if from.is_file() && std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to).map_err(Error::write(&to))?;
            }
        }
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}{name}", self.prefix))
    }
}

/// The description of an encoder in its folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncoderFolder {
    /// Version of this format, 1.
    pub version: u32,
    /// Name that people see.
    pub name: String,
    /// The file or folder that was imported, without its folder.
    pub origin: String,
    /// Kind and sizes of the encoder.
    pub encoder: EncoderKind,
}

/// The kind of an encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EncoderKind {
    /// A BERT.
    Bert {
        /// The longest sequence that it should read, special pieces included.
        max_tokens: usize,
        /// How a sentence becomes one vector; none if it was never meant to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pooling: Option<Pooling>,
        /// Whether such a vector is brought to length 1.
        #[serde(default)]
        normalised: bool,
        /// Sizes of the network.
        sizes: BertConfig,
    },
    /// A deep averaging network, as the Universal Sentence Encoder has it.
    Universal {
        /// Sizes of the network.
        sizes: UniversalConfig,
    },
}

/// The pieces that an encoder reads.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one for each encoder")]
pub enum EncoderVocabulary {
    /// The word pieces of a BERT.
    Words(WordPieces),
    /// Pieces of a SentencePiece model.
    Sentences(SentencePieces),
}

/// An encoder with its weights.
#[derive(Debug)]
pub enum EncoderNetwork {
    /// A BERT.
    Bert(Box<Bert>),
    /// A Universal Sentence Encoder.
    Universal(Box<Universal>),
}

impl EncoderFolder {
    /// Describes an encoder in the current version of the format.
    pub fn new(name: String, origin: String, encoder: EncoderKind) -> Self {
        Self {
            version: VERSION,
            name,
            origin,
            encoder,
        }
    }

    /// Writes a whole encoder folder, file by file, the description last.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(
        &self,
        folder: &Path,
        weights: &NamedTensors,
        vocabulary: &EncoderVocabulary,
        precision: Precision,
    ) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        match vocabulary {
            EncoderVocabulary::Words(pieces) => pieces.save(&folder.join(WORD_PIECES))?,
            EncoderVocabulary::Sentences(pieces) => pieces.save(&folder.join(SENTENCE_PIECES))?,
        }
        write_tensors(&folder.join(WEIGHTS), weights, precision)?;
        let path = folder.join(DESCRIPTION);
        let text = toml::to_string(self).map_err(|cause| Error::Encoder {
            reason: cause.to_string(),
            path: path.clone(),
        })?;
        Ok(write_atomically(&path, text.as_bytes(), true)?)
    }

    /// Reads the description alone.
    ///
    /// # Errors
    /// If it is missing, of another version or not valid.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_at(&EncoderPlace::folder(folder))
    }

    /// [`Self::open`] wherever the files are.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_at(place: &EncoderPlace) -> Result<Self> {
        let path = place.path(DESCRIPTION);
        let text = std::fs::read_to_string(&path).map_err(Error::read(&path))?;
        let refuse = |reason| Error::Encoder {
            reason,
            path: path.clone(),
        };
        check_version(&text, VERSION).map_err(refuse)?;
        let description: Self = toml::from_str(&text).map_err(|cause| refuse(cause.to_string()))?;
        if let EncoderKind::Bert {
            sizes, max_tokens, ..
        } = &description.encoder
        {
            sizes
                .validate()
                .map_err(|cause| refuse(cause.to_string()))?;
            let (least, most) = (EncoderKind::LEAST_TOKENS, sizes.max_tokens);
            if !(least..=most).contains(max_tokens) {
                return Err(refuse(format!(
                    "max_tokens is {max_tokens}; it may be {least} to {most}"
                )));
            }
        }
        Ok(description)
    }

    /// Reads vocabulary and weights that belong to this description.
    ///
    /// # Errors
    /// If a file is missing, truncated or does not fit the description.
    pub fn load(
        &self,
        folder: &Path,
        device: &Device,
    ) -> Result<(EncoderNetwork, EncoderVocabulary)> {
        self.load_at(&EncoderPlace::folder(folder), device)
    }

    /// [`Self::load`] wherever the files are.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_at(
        &self,
        place: &EncoderPlace,
        device: &Device,
    ) -> Result<(EncoderNetwork, EncoderVocabulary)> {
        let path = place.path(WEIGHTS);
        let weights = read_tensors(&path)?;
        self.encoder
            .check(&weights)
            .map_err(|reason| Error::Weights {
                reason,
                path: path.clone(),
            })?;
        let network = match &self.encoder {
            EncoderKind::Bert { sizes, .. } => {
                let network = load_module(Bert::new(sizes, device), weights, &path)?;
                EncoderNetwork::Bert(Box::new(network))
            }
            EncoderKind::Universal { sizes } => {
                let network = Universal::new(sizes, device);
                let network = load_module(network, weights, &path)?;
                EncoderNetwork::Universal(Box::new(network))
            }
        };
        let vocabulary = self.vocabulary(place)?;
        let (found, vocab_size) = (vocabulary.len(), self.encoder.vocab_size());
        if found != vocab_size {
            let reason =
                format!("the vocabulary has {found} pieces, the description says {vocab_size}");
            let path = place.folder.clone();
            return Err(Error::Encoder { reason, path });
        }
        Ok((network, vocabulary))
    }

    fn vocabulary(&self, place: &EncoderPlace) -> Result<EncoderVocabulary> {
        let name = match self.encoder {
            EncoderKind::Bert { .. } => WORD_PIECES,
            EncoderKind::Universal { .. } => SENTENCE_PIECES,
        };
        let path = place.path(name);
        let bytes = std::fs::read(&path).map_err(Error::read(&path))?;
        let read = match self.encoder {
            EncoderKind::Bert { .. } => WordPieces::from_json(&bytes).map(EncoderVocabulary::Words),
            EncoderKind::Universal { .. } => {
                SentencePieces::from_bytes(&bytes).map(EncoderVocabulary::Sentences)
            }
        };
        read.map_err(|reason| Error::Encoder { reason, path })
    }
}

impl EncoderKind {
    /// The shortest sequence that a BERT may be limited to: a piece between the two special ones.
    pub const LEAST_TOKENS: usize = 3;

    fn vocab_size(&self) -> usize {
        match self {
            Self::Bert { sizes, .. } => sizes.vocab_size,
            Self::Universal { sizes } => sizes.vocab_size,
        }
    }

    /// Checks the sizes of which memory is set aside before the weights are put in: wrong ones may be so
    /// large that it does not suffice.
    fn check(&self, weights: &NamedTensors) -> Result<(), String> {
        let (expected, num_layers) = match self {
            Self::Bert { sizes, .. } => (
                vec![
                    ("words", vec![sizes.vocab_size, sizes.d_model]),
                    ("positions", vec![sizes.max_tokens, sizes.d_model]),
                    ("types", vec![sizes.num_types, sizes.d_model]),
                ],
                sizes.num_layers,
            ),
            Self::Universal { sizes } => (
                vec![
                    ("words", vec![sizes.vocab_size, sizes.d_model]),
                    ("ngrams.0.first.bias", vec![sizes.d_ngram]),
                ],
                0,
            ),
        };
        for (name, expected) in expected {
            let found = weights.get(name).map(|(shape, _)| shape);
            let found = found.ok_or_else(|| format!("{name} is missing"))?;
            if *found != expected {
                return Err(format!(
                    "{name} has shape {found:?}, the description says {expected:?}"
                ));
            }
        }
        if num_layers > weights.len() {
            return Err(format!("they are not those of {num_layers} layers"));
        }
        Ok(())
    }
}

impl EncoderVocabulary {
    /// How many ids there are.
    #[expect(clippy::len_without_is_empty, reason = "it always has special ids")]
    pub fn len(&self) -> usize {
        match self {
            Self::Words(pieces) => pieces.len(),
            Self::Sentences(pieces) => pieces.len(),
        }
    }
}
