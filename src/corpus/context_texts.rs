//! Texts of the contexts that were chosen for a corpus.

use std::collections::HashMap;
use std::path::Path;

use super::contexts::{Chosen, ContextsInfo, DocumentContexts, read_contexts};
use super::format::Corpus;
use super::split::Split;
use super::unit::Unit;
use crate::error::{Error, Result};

/// The best context of every unit of a corpus, as a reader sees it; none where there was no candidate.
#[derive(Debug, Clone, Default)]
pub struct ContextTexts {
    info: ContextsInfo,
    texts: HashMap<(Split, String), Vec<Option<String>>>,
}

impl ContextTexts {
    /// Reads a file of contexts that was made for `corpus`.
    ///
    /// # Errors
    /// If the file or the corpus cannot be read, or the file was made for another corpus, for another state of it, or
    /// with the index of another one.
    pub fn open(path: &Path, corpus: &Corpus) -> Result<Self> {
        let (info, chosen) = read_contexts(path)?;
        let refuse = |problem: String, line| Error::Contexts {
            problem,
            line,
            path: path.to_owned(),
        };
        if info.corpus_digest != corpus.digest()? {
            let problem = format!(
                "it was made for other documents than {} has now",
                corpus.info().name
            );
            return Err(refuse(problem, 1));
        }
        let own = &corpus.info().name;
        if let Some(index) = info.index.as_ref().filter(|index| *index != own) {
            let problem =
                format!("it names sentences of the index {index}, which a run does not read");
            return Err(refuse(problem, 1));
        }
        let mut sources = HashMap::new();
        for split in Split::ALL {
            for document in corpus.documents(split)? {
                let document = document?;
                let units = document.paragraphs.iter().flat_map(|it| &it.units);
                let shown: Vec<String> = units.map(Unit::visible_source).collect();
                sources.insert((split, document.id), shown);
            }
        }
        let mut texts = HashMap::new();
        for (document, line) in chosen.into_iter().zip(2..) {
            let DocumentContexts {
                split,
                id,
                sentences,
            } = document;
            let length = sources.get(&(split, id.clone())).map_or(0, Vec::len);
            if length != sentences.len() {
                let found = sentences.len();
                let problem = format!("{id} has {length} sentences, not {found}");
                return Err(refuse(problem, line));
            }
            let text = |chosen: &Vec<Chosen>| -> Result<Option<String>> {
                let Some(best) = chosen.first() else {
                    return Ok(None);
                };
                let split = if best.in_index { Split::Train } else { split };
                let of = best.document.as_ref().unwrap_or(&id);
                let found = sources.get(&(split, of.clone()));
                let found = found.and_then(|texts| texts.get(best.sentence));
                let missing = || refuse(format!("{of} has no sentence {}", best.sentence), line);
                found.cloned().ok_or_else(missing).map(Some)
            };
            let found = sentences.iter().map(text).collect::<Result<Vec<_>>>()?;
            texts.insert((split, id), found);
        }
        Ok(Self { info, texts })
    }

    /// How they were chosen.
    pub fn info(&self) -> &ContextsInfo {
        &self.info
    }

    /// Texts of the units of a document; none if the file does not name it.
    pub fn get(&self, split: Split, document: &str) -> Option<&[Option<String>]> {
        let found = self.texts.get(&(split, document.to_owned()));
        found.map(Vec::as_slice)
    }
}
