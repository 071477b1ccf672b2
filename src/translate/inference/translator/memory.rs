//! A translator's use of its translation memory.

use std::sync::Arc;

use super::Translator;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::memory::TranslationMemory;
use canopy_nn::model::{Architecture, MemoryUse};

impl Translator {
    /// Takes over these translations wherever a sentence without markup is exactly the same. A model that reads a
    /// translation memory, or learns from it, does so with the similar ones before those of its own; any other one looks
    /// them up, if it can ([`MemoryUse::KnnMt`]).
    pub fn set_memory(&mut self, memory: TranslationMemory) {
        self.resources.set_memory(memory);
        let model = &mut self.loaded.description.model;
        let can_look_up = model.architecture == Architecture::Transformer;
        if model.memory_use.is_none() && can_look_up {
            model.memory_use = Some(MemoryUse::KnnMt);
        }
        self.join_memories();
    }

    /// Lets the model learn from its memory before each document, see [`MemoryUse::FineTune`].
    ///
    /// # Errors
    /// [`BaseError::Config`] if it reads a memory or BERT already.
    pub fn learn_from_memory(&mut self) -> Result<()> {
        let model = &mut self.loaded.description.model;
        if model.memory_use == Some(MemoryUse::FuzzyMatch) || model.bert.is_some() {
            return Err(Error::Base(BaseError::Config {
                field: "adapt",
                found: self.info.name.clone(),
                allowed: "models that read neither a translation memory nor BERT".to_owned(),
            }));
        }
        model.memory_use = Some(MemoryUse::FineTune);
        self.join_memories();
        Ok(())
    }

    /// All pairs that it takes over, reads, learns from or looks up.
    pub fn memory(&self) -> Option<&Arc<TranslationMemory>> {
        self.loaded
            .description
            .memory
            .as_ref()
            .or(self.resources.memory())
    }

    /// Puts the user's memory before the model's own, if the model does anything with it.
    fn join_memories(&mut self) {
        let (Some(memory), Some(_)) = (
            self.resources.memory(),
            self.loaded.description.model.memory_use,
        ) else {
            return;
        };
        let joined = match &self.loaded.description.memory {
            Some(own) => Arc::new(memory.before(own)),
            None => Arc::clone(memory),
        };
        self.loaded.description.memory = Some(joined);
    }
}
