//! A model's use of a vocabulary shortlist.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::LoadedModel;
use crate::error::Result;
use canopy_corpus::memory::TranslationMemory;
use canopy_nn::shortlist::{Shortlist, Vocabularies};
use canopy_tokenize::Side;

impl LoadedModel {
    /// Reads a shortlist or a lexical table, see [`Shortlist::read`], and [uses](Self::use_shortlist) it.
    ///
    /// # Errors
    /// If it cannot be read, or is not for these vocabularies.
    pub fn open_shortlist(&mut self, path: &Path) -> Result<()> {
        let shortlist = Shortlist::read(path, &*self.tokenizer, self.model.network.vocab_size())?;
        let used = self.use_shortlist(shortlist);
        used.map_err(|reason| {
            let path = path.to_owned();
            canopy_nn::error::Error::Shortlist { reason, path }.into()
        })
    }

    /// Searches on the CPU score the words of this shortlist alone from now on; for sentences with terms they score all.
    ///
    /// # Errors
    /// If it is not for these vocabularies.
    pub fn use_shortlist(&mut self, shortlist: Shortlist) -> Result<(), String> {
        let shortlist = shortlist.fitted(self.vocabularies())?;
        self.model.shortlist = Some(Arc::new(shortlist));
        Ok(())
    }

    /// Searches score all words from now on, whatever shortlist its files have.
    pub fn score_all_words(&mut self) {
        self.model.shortlist = None;
    }

    fn vocabularies(&self) -> Vocabularies {
        Vocabularies::from_tokenizer(&*self.tokenizer, self.model.network.vocab_size())
    }

    /// A shortlist learnt from a memory, in which a source word has up to `best` words, and every sentence the commonest ones.
    pub fn learn_shortlist(
        &self,
        memory: &TranslationMemory,
        [commonest, best]: [usize; 2],
    ) -> Shortlist {
        let pairs: Vec<(&str, &str)> = memory.pairs().collect();
        let ids = |&(source, target): &(&str, &str)| {
            (
                self.tokenizer.encode(Side::Source, source),
                self.tokenizer.encode(Side::Target, target),
            )
        };
        let pairs: Vec<(Vec<u32>, Vec<u32>)> = pairs.par_iter().map(ids).collect();
        let end = self.tokenizer.special().source_end();
        Shortlist::learn(&pairs, self.vocabularies(), end, [commonest, best])
    }
}
