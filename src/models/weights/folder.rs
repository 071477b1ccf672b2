//! A model folder: everything needed to translate with a model and to know where it comes from.
//!
//! | file | holds |
//! |---|---|
//! | `model.toml` | format version, name, languages, licence, the [`ModelConfig`], the training record |
//! | `weights.safetensors` | the parameters by name, 16- or 32-bit |
//! | `vocabulary.json` | the joint subword vocabulary |
//! | `tokenizer.json`, `source.spm`, … | instead, the tokenizer of the model of another program that it was made from |
//! | `pieces.json` | the word pieces of the BERT that the model reads, if it reads one |
//! | `memory.tsv.gz` | its translation memory, if it has one: a pair a line, with a tab; `memory.tsv` is read too |
//! | `context-encoder.toml`, `context-weights.safetensors`, … | the encoder that finds its contexts, if that is not its own BERT |
//! | `shortlist.bin.gz` | the target words that the words of a sentence may become, if it has one, in Marian's form |

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::context_search::ContextSearch;
use super::encoder::EncoderPlace;
use super::loading::load_from;
use super::tensor_file::TensorFile;
use super::tensors::{Precision, module_tensors, write_tensors};
use super::unread::load_unread;
use super::version::check_version;
use crate::error::{BaseError, Error, Result};
use canopy_base::digest::digest_of_files;
use canopy_base::disk;
use canopy_base::file::{TEMPORARY, write_atomically};
use canopy_corpus::memory::{TranslationMemory, fuzzy_suffix};
use canopy_kernels::packed::Quantization;
use canopy_nn::model::{
    BertReading, BertSequence, MemoryUse, Model, ModelConfig, PackedTransformer,
};
use canopy_tokenize::WordPieces;
use canopy_tokenize::{KeptTokenizer, ModelTokenizer, Side, Tokenizer};

const DESCRIPTION: &str = "model.toml";
const WEIGHTS: &str = "weights.safetensors";
const PIECES: &str = "pieces.json";
const MEMORY: &str = "memory.tsv.gz";
const PLAIN_MEMORY: &str = "memory.tsv";
const SHORTLIST: &str = "shortlist.bin.gz";

/// Version of the folder's format.
const VERSION: u32 = 1;

/// The description of a model in its folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFolder {
    /// Version of this format, 1.
    pub version: u32,
    /// Name that people see.
    pub name: String,
    /// SPDX expression of the licence of the weights.
    pub licence: String,
    /// The languages that it translates between.
    pub languages: Languages,
    /// Architecture and sizes.
    pub model: ModelConfig,
    /// The model that chooses among its translations; none if the most probable one is taken.
    #[serde(default, alias = "channel", skip_serializing_if = "Option::is_none")]
    pub reranker: Option<RerankerFolder>,
    /// How to search with it, unless a person says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchPreference>,
    /// Layer and head of the cross-attention that was trained to align words, counted from 0; none if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<[usize; 2]>,
    /// How the contexts of sentences were found in its training; none if it reads none, or an older program trained it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<ContextSearch>,
    /// How the weights came about.
    #[serde(default)]
    pub training: TrainingRecord,
    /// The word pieces of its BERT; in a file of their own.
    #[serde(skip)]
    pub pieces: Option<Arc<WordPieces>>,
    /// The encoder that finds its contexts; in files of its own, none if it has none or that is its own BERT.
    #[serde(skip)]
    pub context_encoder: Option<EncoderPlace>,
    /// The memory that it reads or learns from; in a file of its own, which may be missing.
    #[serde(skip)]
    pub memory: Option<Arc<TranslationMemory>>,
}

/// A model of the opposite direction with the same vocabulary, see [`Reranker`](canopy_nn::model::Reranker).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RerankerFolder {
    /// As seen from the folder that names it.
    pub folder: PathBuf,
    /// Weight of its log-probability against that of the model.
    #[serde(default = "reranker_weight")]
    pub weight: f32,
}

impl RerankerFolder {
    /// Creates an entry with the default weight.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            weight: reranker_weight(),
        }
    }
}

/// Chosen on the development documents of the help corpus.
fn reranker_weight() -> f32 {
    0.2
}

/// How a model is searched with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchPreference {
    /// Exponent of the length penalty, see [`SearchOptions`](canopy_nn::search::SearchOptions).
    pub length_penalty: f32,
    /// Hypotheses that are kept; none for the usual number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beam_size: Option<usize>,
}

/// Codes such as `en`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Languages {
    /// The language that is translated from.
    pub source: String,
    /// The language that is translated into.
    pub target: String,
}

/// How the weights came about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingRecord {
    /// Name of the corpus.
    pub corpus: String,
    /// SPDX expression of the corpus's licence.
    pub corpus_licence: String,
    /// Name of the preset.
    pub preset: String,
    /// Start of the random numbers.
    pub seed: u64,
    /// Number of updates.
    pub steps: usize,
    /// Target tokens seen, repetitions counted.
    pub target_tokens: u64,
    /// On the development documents; absent before the first validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_loss: Option<f32>,
    /// BLEU of the development documents; absent before the first validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev_bleu: Option<f64>,
}

impl ModelFolder {
    /// Whether the model in `folder` has a BERT of its own.
    pub fn has_bert(folder: &Path) -> bool {
        folder.join(PIECES).is_file()
    }

    /// Describes a model in the current version of the format, without a record of its training.
    pub fn new(name: String, licence: String, languages: Languages, model: ModelConfig) -> Self {
        Self {
            version: VERSION,
            name,
            licence,
            languages,
            model,
            reranker: None,
            search: None,
            alignment: None,
            contexts: None,
            training: TrainingRecord::default(),
            pieces: None,
            context_encoder: None,
            memory: None,
        }
    }

    /// The sequence that the model's BERT reads of a sentence and its context, or of the sentence alone; empty if it
    /// reads no BERT.
    pub fn bert_sequence(&self, sentence: &str, context: Option<&str>) -> BertSequence {
        let (Some(pieces), Some(bert)) = (&self.pieces, &self.model.bert) else {
            return BertSequence::default();
        };
        bert_sequence(pieces, bert.max_tokens, sentence, context)
    }

    /// The suffix that the encoder reads after a sentence of `own` tokens: the translation of the most similar one in
    /// the model's
    /// memory. Nothing if the model reads none, or none is similar.
    pub fn fuzzy_suffix(&self, sentence: &str, own: usize, tokenizer: &dyn Tokenizer) -> Vec<u32> {
        let memory = self.memory.as_ref();
        let memory = memory.filter(|_| self.model.memory_use == Some(MemoryUse::FuzzyMatch));
        let found = memory.and_then(|memory| memory.best(sentence));
        fuzzy_suffix(
            found,
            own,
            tokenizer,
            (self.model.tokens.sentence_break(), self.model.max_tokens),
        )
    }

    /// Writes a whole model folder. What another model has there is replaced or deleted; all other files stay.
    ///
    /// Files take their names once all are written, the description last; meanwhile there is none, so that no folder is
    /// read that holds parts of two models. If one cannot, the model that was there is put back.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(
        &self,
        folder: &Path,
        weights: &Model,
        tokenizer: &impl KeptTokenizer,
        precision: Precision,
    ) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        let new = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempdir_in(folder)
            .map_err(Error::write(folder))?;
        self.write(new.path(), weights, tokenizer, precision)?;
        let old = new.path().join("old");
        std::fs::create_dir(&old).map_err(Error::write(&old))?;
        // The description goes first and comes last.
        let names = Self::files();
        let aside = names.iter().enumerate().try_for_each(|(done, name)| {
            let moved = moved(&folder.join(name), &old.join(name));
            moved.map_err(|failed| (&names[..done], failed))
        });
        let placed = aside.and_then(|()| {
            let mut names_last_first = names.iter().rev();
            let placed = names_last_first
                .try_for_each(|name| moved(&new.path().join(name), &folder.join(name)));
            placed.map_err(|failed| (&names[..], failed))
        });
        placed.map_err(|(names, failed)| {
            if !put_back(names, &old, folder) {
                // Better a folder with an odd name than none.
                let _ = new.keep();
            }
            failed
        })
    }

    /// Writes the files into an empty folder.
    fn write(
        &self,
        folder: &Path,
        weights: &Model,
        tokenizer: &impl KeptTokenizer,
        precision: Precision,
    ) -> Result<()> {
        tokenizer.keep(folder)?;
        if let Some(pieces) = &self.pieces {
            pieces.save(&folder.join(PIECES))?;
        }
        if let Some(encoder) = &self.context_encoder {
            encoder.copy_to_model(folder)?;
        }
        if let Some(memory) = &self.memory {
            memory.save(&folder.join(MEMORY))?;
        }
        write_tensors(&folder.join(WEIGHTS), &module_tensors(weights), precision)?;
        let path = folder.join(DESCRIPTION);
        let text = toml::to_string(self).map_err(|cause| {
            Error::Base(BaseError::Model {
                reason: cause.to_string(),
                path: path.clone(),
            })
        })?;
        Ok(write_atomically(&path, text.as_bytes(), true)?)
    }

    /// Reads the description, with word pieces and memory if the model reads them.
    ///
    /// # Errors
    /// If it is missing, of another version or not valid.
    pub fn open(folder: &Path) -> Result<Self> {
        let mut description = Self::alone(folder)?;
        if let Some(bert) = &description.model.bert {
            description.pieces = Some(Arc::new(read_pieces(folder, bert)?));
        }
        if let Some(contexts) = description.contexts.as_ref().filter(|it| !it.own_encoder) {
            let place = EncoderPlace::in_model(folder);
            if !place.exists() {
                let encoder = &contexts.encoder;
                return Err(Error::Base(BaseError::Model {
                    reason: format!("the encoder {encoder}, which finds its contexts, is missing"),
                    path: folder.join(EncoderPlace::IN_MODEL[0]),
                }));
            }
            description.context_encoder = Some(place);
        }
        let memories = [MEMORY, PLAIN_MEMORY].map(|name| folder.join(name));
        let memory = memories.iter().find(|path| path.exists());
        if let Some(memory) = memory.filter(|_| description.model.memory_use.is_some()) {
            description.memory = Some(Arc::new(TranslationMemory::open(memory)?));
        }
        Ok(description)
    }

    /// Reads the description alone.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn alone(folder: &Path) -> Result<Self> {
        let path = folder.join(DESCRIPTION);
        if folder.is_dir() && !path.exists() {
            return Err(no_model(folder));
        }
        let text = std::fs::read_to_string(&path).map_err(Error::read(&path))?;
        let refuse = |reason| {
            Error::Base(BaseError::Model {
                reason,
                path: path.clone(),
            })
        };
        check_version(&text, VERSION).map_err(refuse)?;
        let description: Self = toml::from_str(&text).map_err(|cause| refuse(cause.to_string()))?;
        description
            .model
            .validate()
            .map_err(|cause| refuse(cause.to_string()))?;
        let search = description.search;
        if search.is_some_and(|search| !search.length_penalty.is_finite()) {
            return Err(refuse("its length_penalty is not finite".to_owned()));
        }
        Ok(description)
    }

    /// Reads tokenizer and weights that belong to this description.
    ///
    /// # Errors
    /// If a file is missing, truncated or does not fit the configuration.
    pub fn load(&self, folder: &Path, device: &Device) -> Result<(Model, ModelTokenizer)> {
        let tokenizer = self.tokenizer(folder)?;
        let file = self.weights(folder)?;
        let weights = load_from(Model::uninitialised(&self.model, device)?, &file)?;
        Ok((weights, tokenizer))
    }

    /// Opens the model for translating: weights that a search packs stay in their file, which is read through here once, and
    /// read again when they are packed or when burn's layers compute with them. See [`Model::check_read`]. Matrices that are
    /// stored in 8 bits are packed in 8 bits.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_unread(&self, folder: &Path, device: &Device) -> Result<(Model, ModelTokenizer)> {
        let tokenizer = self.tokenizer(folder)?;
        let file = self.weights(folder)?;
        let in_8_bits = file.is_in_8_bits();
        let model = Model::uninitialised(&self.model, device)?;
        let model = if PackedTransformer::packs_whole(&self.model, device) {
            let (weights, unread) = load_unread(model, file)?;
            weights.with_unread(unread)
        } else {
            load_from(model, &file)?
        };
        let model = if in_8_bits {
            model.packed_as(Quantization::Int8)
        } else {
            model
        };
        Ok((model, tokenizer))
    }

    fn tokenizer(&self, folder: &Path) -> Result<ModelTokenizer> {
        let tokenizer = ModelTokenizer::open(folder)?;
        let sizes = [
            (Side::Source, self.model.vocab_size),
            (Side::Target, self.model.target_vocab_size()),
        ];
        let wrong = sizes
            .into_iter()
            .find(|&(side, size)| tokenizer.len(side) != size);
        let Some((side, expected)) = wrong else {
            return Ok(tokenizer);
        };
        let found = tokenizer.len(side);
        let reason =
            format!("the vocabulary has {found} tokens, the configuration says {expected}");
        let path = folder.join(tokenizer.file_name());
        Err(Error::Base(BaseError::Model { reason, path }))
    }

    fn weights(&self, folder: &Path) -> Result<TensorFile> {
        let path = Self::weights_path(folder);
        let file = TensorFile::open(&path)?;
        let (found, expected) = (file.num_parameters(), self.model.num_parameters());
        // Far too large a model is not even built: it might not fit into memory.
        if expected / 2 > found {
            let reason = format!("they are {found} numbers, the configuration says {expected}");
            return Err(Error::Weights { reason, path });
        }
        Ok(file)
    }

    /// Names of the files that make a model folder; only the first two are in every one.
    pub fn files() -> [&'static str; 16] {
        let [own, description, source, target, codes, target_codes] = ModelTokenizer::FILES;
        let [encoder, encoder_weights, encoder_words, encoder_sentences] = EncoderPlace::IN_MODEL;
        [
            DESCRIPTION,
            WEIGHTS,
            own,
            PIECES,
            MEMORY,
            PLAIN_MEMORY,
            SHORTLIST,
            encoder,
            encoder_weights,
            encoder_words,
            encoder_sentences,
            description,
            source,
            target,
            codes,
            target_codes,
        ]
    }

    /// SHA-256 of all files of a model folder, in hexadecimal: two with the same one translate alike.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn digest(folder: &Path) -> Result<String> {
        let files = Self::files().map(|name| folder.join(name));
        Ok(digest_of_files(files.iter().filter(|path| path.exists()))?)
    }

    /// Where a folder keeps its vocabulary shortlist; none if it has none.
    pub fn shortlist_path(folder: &Path) -> Option<PathBuf> {
        Some(folder.join(SHORTLIST)).filter(|path| path.is_file())
    }

    /// Where a folder keeps its weights.
    pub fn weights_path(folder: &Path) -> PathBuf {
        folder.join(WEIGHTS)
    }
}

/// Moves a file if it exists.
fn moved(from: &Path, to: &Path) -> Result<()> {
    match disk::rename(from, to) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(Error::write(to)(cause)),
        _ => Ok(()),
    }
}

/// Puts the files of a model back that were moved aside, and deletes those that have come in their place; true if all of it
/// has worked.
fn put_back(names: &[&str], old: &Path, folder: &Path) -> bool {
    let put_back = |name: &&str| {
        let (kept, place) = (old.join(name), folder.join(name));
        if kept.exists() {
            return disk::rename(&kept, &place).is_ok();
        }
        std::fs::remove_file(&place).is_ok() || !place.exists()
    };
    // The description last.
    names.iter().rev().filter(|name| !put_back(name)).count() == 0
}

/// The error of a folder without a description.
fn no_model(folder: &Path) -> Error {
    let checkpoints = ["last", "best"].map(|name| folder.join("checkpoints").join(name));
    let mut checkpoints = checkpoints.iter();
    let model = checkpoints.find(|model| model.join(DESCRIPTION).is_file());
    let path = folder.to_owned();
    let Some(model) = model else {
        return Error::NoDescription { path };
    };
    let reason = format!("it is a training run; name its model, {}", model.display());
    Error::Base(BaseError::Model { reason, path })
}

/// The sequence that a BERT reads of a sentence and its context, or of the sentence alone.
pub fn bert_sequence(
    pieces: &WordPieces,
    max_tokens: usize,
    sentence: &str,
    context: Option<&str>,
) -> BertSequence {
    let (ids, of_first) = if let Some(context) = context {
        pieces.pair(sentence, context, max_tokens)
    } else {
        let ids = pieces.sentence(sentence, max_tokens);
        let length = ids.len();
        (ids, length)
    };
    BertSequence { ids, of_first }
}

fn read_pieces(folder: &Path, bert: &BertReading) -> Result<WordPieces> {
    let path = folder.join(PIECES);
    let bytes = std::fs::read(&path).map_err(Error::read(&path))?;
    let refuse = |reason| {
        Error::Base(BaseError::Model {
            reason,
            path: path.clone(),
        })
    };
    let pieces = WordPieces::from_json(&bytes).map_err(refuse)?;
    let (found, expected) = (pieces.len(), bert.sizes.vocab_size);
    if found != expected {
        return Err(refuse(format!(
            "there are {found} word pieces, the configuration says {expected}"
        )));
    }
    Ok(pieces)
}
