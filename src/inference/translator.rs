//! A loaded model that translates documents.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burn::module::Module;

use super::device::{ComputeDevice, DeviceChoice};
use super::parts::parts;
use super::translation::{Flag, Translation};
use crate::error::Result;
use crate::model::Transformer;
use crate::search::{Hypothesis, SearchOptions, SourceSentence, search_sentences};
use crate::text::document::Document;
use crate::text::placeholder;
use crate::text::vocabulary::Vocabulary;
use crate::weights::ModelFolder;

/// What a model says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    pub name: String,
    pub folder: PathBuf,
    /// Language codes such as `en`.
    pub source_language: String,
    pub target_language: String,
    pub num_parameters: usize,
}

/// A model, its vocabulary and the device it computes on.
#[derive(Debug)]
pub struct Translator {
    info: ModelInfo,
    device: ComputeDevice,
    model: Transformer,
    vocabulary: Vocabulary,
    /// Longest part of a sentence in tokens.
    max_tokens: usize,
}

/// A sentence under translation: its parts, and what came of them.
struct Pending {
    sentence: usize,
    parts: Vec<(String, Option<Hypothesis>)>,
}

impl Translator {
    /// Loads a model folder.
    ///
    /// # Errors
    /// If a file of the folder is missing, truncated or does not fit the others, or if the device is not there.
    pub fn open(folder: &Path, device: DeviceChoice) -> Result<Self> {
        let description = ModelFolder::open(folder)?;
        let device = ComputeDevice::open(device)?;
        let (model, vocabulary) = description.load(folder, &device.device)?;
        let info = ModelInfo {
            name: description.name,
            folder: folder.to_owned(),
            source_language: description.languages.source,
            target_language: description.languages.target,
            num_parameters: model.num_params(),
        };
        Ok(Self {
            info,
            device,
            model,
            vocabulary,
            max_tokens: description.model.max_tokens,
        })
    }

    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    pub fn model(&self) -> &Transformer {
        &self.model
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What computes, for a status bar.
    pub fn device_name(&self) -> &str {
        &self.device.name
    }

    /// Whether the device is a software adapter, many times slower than the CPU itself.
    pub fn on_software_gpu(&self) -> bool {
        self.device.software
    }

    /// Translates the named sentences of a document, the most urgent first in `sentences`.
    ///
    /// `finished` gets each sentence's index in the document and its translation as soon as it is there; `Break`
    /// cancels the rest, after the batch under way.
    ///
    /// # Errors
    /// If the device fails.
    pub fn translate(
        &self,
        document: &Document,
        sentences: &[usize],
        options: &SearchOptions,
        finished: &mut dyn FnMut(usize, Translation) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut pending: Vec<Pending> = Vec::new();
        let (mut sources, mut owners) = (Vec::new(), Vec::new());
        for &sentence in sentences {
            let text = &document.sentences[sentence].text;
            if !placeholder::stripped(text).chars().any(char::is_alphabetic) {
                if finished(sentence, Translation::copied(text)).is_break() {
                    return Ok(());
                }
                continue;
            }
            let position = document.position(sentence);
            let texts = parts(text, self.max_tokens - 1, &|text| {
                self.vocabulary.encode(text.trim()).len()
            });
            for (part, text) in texts.iter().enumerate() {
                let place = (position.sentence_in_paragraph, position.paragraph);
                sources.push(SourceSentence {
                    ids: self.vocabulary.encode(text.trim()),
                    place,
                });
                owners.push((pending.len(), part));
            }
            let parts = texts
                .into_iter()
                .map(|text| (text.to_owned(), None))
                .collect();
            pending.push(Pending { sentence, parts });
        }
        search_sentences(
            &self.model,
            &self.vocabulary,
            &sources,
            options,
            &mut |number, hypothesis| {
                let (owner, part) = owners[number];
                let pending = &mut pending[owner];
                pending.parts[part].1 = Some(hypothesis);
                match self.joined(pending) {
                    Some(translation) => {
                        let source = &document.sentences[pending.sentence].text;
                        finished(pending.sentence, translation.checked(source))
                    }
                    None => ControlFlow::Continue(()),
                }
            },
        );
        Ok(())
    }

    /// The whole translation once all parts are there.
    fn joined(&self, pending: &Pending) -> Option<Translation> {
        let mut joined = Translation {
            text: String::new(),
            log_prob: 0.0,
            num_tokens: 0,
            flags: Vec::new(),
        };
        for (source, hypothesis) in &pending.parts {
            let hypothesis = hypothesis.as_ref()?;
            let lead = source.len() - source.trim_start().len();
            joined.text += &source[..lead];
            joined.text += &self.vocabulary.decode(&hypothesis.ids);
            joined.text += &source[source.trim_end().len().max(lead)..];
            joined.log_prob += hypothesis.log_prob;
            joined.num_tokens += hypothesis.ids.len() + 1;
            if hypothesis.cut_off && !joined.flags.contains(&Flag::CutOff) {
                joined.flags.push(Flag::CutOff);
            }
        }
        if pending.parts.len() > 1 {
            joined.flags.push(Flag::Split);
        }
        Some(joined)
    }
}
