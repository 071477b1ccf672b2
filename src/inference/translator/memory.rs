//! A translator's use of its translation memory.

use std::sync::Arc;

use super::{Translator, is_translatable};
use crate::error::{Error, Result};
use crate::inference::translation::{Flag, Translation};
use crate::memory::TranslationMemory;
use crate::model::{Architecture, MemoryUse};
use crate::text::document::Document;

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
        self.settled(text).or_else(|| {
            let translation = document.matching(text)?;
            Some(Translation {
                flags: vec![Flag::Memory],
                ..Translation::written(translation.to_owned())
            })
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
