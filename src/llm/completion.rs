//! A model continues a prompt.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::{Error, Result};
use serde::Serialize;

use super::folder::{self, Folder};
use super::gguf::Gguf;
use super::network::{Cache, Network};
use super::template::ChatTemplate;
use super::tokens::Tokenizer;

/// A language model: network, tokenizer and template of a file or folder.
#[derive(Debug)]
pub struct LanguageModel {
    /// Computes logits from ids of tokens.
    pub network: Network,
    /// Makes ids of texts, and texts of ids.
    pub tokenizer: Tokenizer,
    /// Writes conversations as prompts; none for models that only continue texts.
    pub template: Option<ChatTemplate>,
    about: About,
    path: PathBuf,
}

/// Description of a model by its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Such as `Gemma 3 270m`.
    pub title: Option<String>,
    /// Such as `v0.3`.
    pub version: Option<String>,
    /// Such as `apache-2.0`.
    pub licence: Option<String>,
    /// Such as `gemma3`.
    pub architecture: String,
    /// Numbers of all tensors.
    pub num_parameters: u64,
}

/// A token of a continuation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Token {
    /// Its number in the vocabulary.
    pub id: u32,
    /// Bytes that are no character by themselves are replaced.
    pub text: String,
}

/// The continuation of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Completion {
    /// The tokens of the prompt.
    pub prompt_ids: Vec<u32>,
    /// The tokens that continue it.
    pub tokens: Vec<Token>,
    /// Their text.
    pub text: String,
    /// Whether the model came to an end by itself.
    pub ended: bool,
    /// Speed of reading the prompt, in tokens per second.
    pub prompt_tokens_per_sec: f64,
    /// Speed of writing, in tokens per second.
    pub tokens_per_sec: f64,
}

impl LanguageModel {
    /// Whether a path is a language model: a file that begins as GGUF does, or a folder whose `config.json` is one of a model
    /// that continues texts, or of T5.
    pub fn is_one(path: &Path) -> bool {
        if path.is_dir() {
            return folder::model_type(path, Network::is_known).is_some();
        }
        let mut beginning = [0; 4];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
        read.is_ok() && &beginning == b"GGUF"
    }

    /// Whether a text is the `config.json` of a folder that [`Self::is_one`] takes for a language model.
    pub fn is_config(text: &[u8]) -> bool {
        folder::model_type_of_text(text, Network::is_known).is_some()
    }

    /// The files of a model; those of a folder that are none of its are left out.
    ///
    /// # Errors
    /// If the folder lacks a file of its weights.
    pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
        if path.is_dir() {
            return Folder::files(path);
        }
        Ok(vec![path.to_owned()])
    }

    /// Opens a GGUF file or a folder of Hugging Face; its weights stay on the disk until they are needed.
    ///
    /// # Errors
    /// [`BaseError::Read`](canopy_base::error::Error::Read); [`Error::LanguageModel`] with the field of the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.is_dir() {
            return Self::open_folder(path);
        }
        let file = Gguf::open(path)?;
        let network = Network::read(&file)?;
        let tokenizer = Tokenizer::read(&file)?;
        if tokenizer.vocab() > network.vocab() {
            let problem = format!(
                "{} tokens for {} embeddings",
                tokenizer.vocab(),
                network.vocab()
            );
            return Err(file.problem("tokenizer.ggml.tokens", problem));
        }
        let text = |key: &str| file.text(key).ok().flatten().map(str::to_owned);
        Ok(Self {
            template: ChatTemplate::read(&file, &tokenizer)?,
            about: About {
                title: text("general.name"),
                version: text("general.version"),
                licence: text("general.license"),
                architecture: text("general.architecture").unwrap_or_default(),
                num_parameters: file.weights().num_parameters(),
            },
            network,
            tokenizer,
            path: path.to_owned(),
        })
    }

    fn open_folder(path: &Path) -> Result<Self> {
        let folder = Folder::open(path)?;
        let network = Network::from_folder(&folder)?;
        let tokenizer = Tokenizer::from_folder(&folder, network.vocab())?;
        Ok(Self {
            template: ChatTemplate::from_folder(&folder, &tokenizer)?,
            about: About {
                title: None,
                version: None,
                licence: folder.licence(),
                architecture: network.family().to_owned(),
                num_parameters: folder.weights().num_parameters(),
            },
            network,
            tokenizer,
            path: path.to_owned(),
        })
    }

    /// The description of the model in its files; fields of other types are left out.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Its file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Continues a raw prompt greedily by at most `max_tokens` tokens, or until the model ends; with an encoder, answers it.
    ///
    /// # Errors
    /// [`Error::LanguageModel`], if prompt and continuation are longer than the model's context, or the prompt is empty.
    pub fn complete(&self, prompt: &str, max_tokens: usize) -> Result<Completion> {
        let ids = self.tokenizer.encode_prompt(prompt);
        self.complete_ids(ids, max_tokens, &mut self.network.new_cache())
    }

    /// Continues ids after those of `cache`, which has all but the last token afterwards.
    ///
    /// # Errors
    /// The errors of [`Self::complete`].
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    pub fn complete_ids(
        &self,
        prompt_ids: Vec<u32>,
        max_tokens: usize,
        cache: &mut Cache,
    ) -> Result<Completion> {
        self.check(cache.len() + prompt_ids.len(), &prompt_ids, max_tokens)?;
        let begin = Instant::now();
        let mut logits = self.network.read_prompt(&prompt_ids, cache);
        let prompt_secs = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let (mut ids, mut ended) = (Vec::new(), false);
        while ids.len() < max_tokens {
            let id = largest(&logits);
            ended = self.tokenizer.is_end(id);
            if ended {
                break;
            }
            ids.push(id);
            if ids.len() < max_tokens {
                logits = self.network.read_tokens(&[id], cache);
            }
        }
        // The first token comes with the prompt.
        let generated = ids.len().saturating_sub(usize::from(!ended)) as f64;
        let secs = begin.elapsed().as_secs_f64();
        let token = |id: &u32| Token {
            id: *id,
            text: self.tokenizer.decode(&[*id]),
        };
        Ok(Completion {
            tokens: ids.iter().map(token).collect(),
            text: self.tokenizer.decode(&ids),
            ended,
            prompt_tokens_per_sec: prompt_ids.len() as f64 / prompt_secs.max(1e-9),
            tokens_per_sec: generated / secs.max(1e-9),
            prompt_ids,
        })
    }

    /// Checks that `prompt` and `max_tokens` after it fit into the model's context.
    ///
    /// # Errors
    /// [`Error::LanguageModel`], also if the prompt is empty.
    pub(crate) fn check_length(&self, prompt: &[u32], max_tokens: usize) -> Result<()> {
        self.check(prompt.len(), prompt, max_tokens)
    }

    fn check(&self, all: usize, prompt: &[u32], max_tokens: usize) -> Result<()> {
        let problem = |problem: String| {
            Err::<(), Error>(Error::LanguageModel {
                field: "prompt".to_owned(),
                problem,
                path: self.path.clone(),
            })
        };
        if prompt.is_empty() {
            return problem("it is empty".to_owned());
        }
        if !self.network.has_room(all, max_tokens) {
            let context = self.network.context();
            return problem(format!(
                "{all} tokens and {max_tokens} to write are more than the {context} that the model reads"
            ));
        }
        Ok(())
    }
}

/// The place of the largest logit, the first of equals.
#[expect(clippy::cast_possible_truncation, reason = "ids have 32 bits")]
pub(crate) fn largest(logits: &[f32]) -> u32 {
    let mut best = 0;
    for (id, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = id;
        }
    }
    best as u32
}
