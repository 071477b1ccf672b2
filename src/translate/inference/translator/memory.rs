//! A translator's use of its translation memory.

use std::sync::Arc;

use super::{Translator, is_translatable};
use crate::inference::other_languages::{is_mostly_in, other_language};
use crate::inference::translation::{Flag, Translation};
use canopy_base::error::{Error, Result};
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_nn::model::{Architecture, MemoryUse};

/// Bytes up to which a text may be the name of a file alone.
const LONGEST_NAME: usize = 80;

impl Translator {
    /// Takes over these translations wherever a sentence without markup is exactly the same. A model that reads a
    /// translation memory, or learns from it, does so with the similar ones before those of its own; any other one looks
    /// them up, if it can ([`MemoryUse::KnnMt`]).
    pub fn remember(&mut self, memory: TranslationMemory) {
        self.memory = Some(Arc::new(memory));
        let model = &mut self.description.model;
        let can_look_up = model.architecture == Architecture::Transformer;
        if model.memory_use.is_none() && can_look_up {
            model.memory_use = Some(MemoryUse::KnnMt);
        }
        self.join_memories();
    }

    /// Lets the model learn from its memory before each document, see [`MemoryUse::FineTune`].
    ///
    /// # Errors
    /// [`Error::Config`] if it reads a memory or BERT already.
    pub fn learn_from_memory(&mut self) -> Result<()> {
        let model = &mut self.description.model;
        if model.memory_use == Some(MemoryUse::FuzzyMatch) || model.bert.is_some() {
            return Err(Error::Config {
                field: "adapt",
                found: self.info.name.clone(),
                allowed: "models that read neither a translation memory nor BERT".to_owned(),
            });
        }
        model.memory_use = Some(MemoryUse::FineTune);
        self.join_memories();
        Ok(())
    }

    /// All pairs that it takes over, reads, learns from or looks up.
    pub fn memory(&self) -> Option<&Arc<TranslationMemory>> {
        self.description.memory.as_ref().or(self.memory.as_ref())
    }

    /// Puts the user's memory before the model's own, if the model does anything with it.
    fn join_memories(&mut self) {
        let (Some(memory), Some(_)) = (&self.memory, self.description.model.memory_use) else {
            return;
        };
        let joined = match &self.description.memory {
            Some(own) => Arc::new(memory.before(own)),
            None => Arc::clone(memory),
        };
        self.description.memory = Some(joined);
    }

    /// The same for a text of a document that may bring along what it became elsewhere.
    pub(super) fn settled_in(&self, document: &Document, text: &str) -> Option<Translation> {
        let matching = || {
            let translation = document.matching(text)?;
            Some(Translation {
                flags: vec![Flag::Memory],
                ..Translation::written(translation.to_owned())
            })
        };
        let settled = self.settled(text).or_else(matching);
        let settled = settled.or_else(|| self.unread(text));
        settled.or_else(|| self.of_other_language(document, text))
    }

    /// A sentence of another language than the rest of its document, as it is.
    fn of_other_language(&self, document: &Document, text: &str) -> Option<Translation> {
        let source = &self.info.source_language;
        other_language(text, source)?;
        is_mostly_in(document, source).then(|| Translation {
            flags: vec![Flag::OtherLanguage],
            ..Translation::written(text.to_owned())
        })
    }

    /// A text of which nothing is left for the model, as it is: names of files, words that its vocabulary cannot spell.
    fn unread(&self, text: &str) -> Option<Translation> {
        if text.is_ascii() && text.len() > LONGEST_NAME {
            return None;
        }
        let prepared = self.prepared_without_names(text);
        let flag = prepared.lacks_letters().then_some(Flag::OtherLanguage);
        (!prepared.has_words()).then(|| Translation {
            flags: flag.into_iter().collect(),
            ..Translation::written(text.to_owned())
        })
    }

    /// The translation of a text that no model has to find: the text itself where there is nothing to translate, or what
    /// the user has translated exactly so before.
    pub(super) fn settled(&self, text: &str) -> Option<Translation> {
        if !is_translatable(text) {
            return Some(Translation::written(text.to_owned()));
        }
        let shown = text.trim();
        let translation = self.memory.as_ref()?.exact(shown)?;
        Some(Translation {
            flags: vec![Flag::Memory],
            ..Translation::written(text.replacen(shown, translation, 1))
        })
    }
}
