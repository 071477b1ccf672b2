//! The choice among translations by a model of the opposite direction.

use super::Translator;
use crate::corpus::is_same_language;
use crate::error::{Error, Result};
use crate::model::{MemoryUse, Reranker};
use crate::text::vocabulary::Vocabulary;
use crate::weights::{ModelFolder, RerankerFolder};

impl Translator {
    /// From now on, of the translations that a search finds for a sentence, the one is taken from which the model in
    /// `reranker` tells the source best, see [`Reranker`].
    ///
    /// # Errors
    /// If that model cannot be read, does not translate back, reads more than a sentence, or has other subwords.
    pub fn choose_by(&mut self, reranker: RerankerFolder) -> Result<()> {
        let description = ModelFolder::alone(&reranker.folder)?;
        let refuse = |reason| Error::Model {
            reason,
            path: reranker.folder.clone(),
        };
        let [own, back] = [&self.description.languages, &description.languages];
        let translates_back = is_same_language(&own.source, &back.target)
            && is_same_language(&own.target, &back.source);
        if !translates_back {
            return Err(refuse(format!(
                "it translates {} to {}; what chooses among the translations must translate {} to {}",
                back.source, back.target, own.target, own.source
            )));
        }
        if description.model.context.is_some()
            || description.model.memory_use == Some(MemoryUse::FuzzyMatch)
        {
            return Err(refuse(
                "it reads more than a sentence; what chooses among the translations of sentences must not".to_owned(),
            ));
        }
        let (model, vocabulary) = description.load(&reranker.folder, &self.device.device)?;
        let own = self.vocabulary().map(Vocabulary::tokens);
        if own != Some(vocabulary.tokens()) {
            return Err(refuse(format!(
                "its subwords are not those of {}; train it with `--from` that model",
                self.info.folder.display()
            )));
        }
        self.model.reranker = Some(Reranker {
            model: Box::new(model.packed_as(self.quantization())),
            weight: reranker.weight,
            max_tokens: description.model.max_tokens,
        });
        self.description.reranker = Some(reranker);
        Ok(())
    }
}
