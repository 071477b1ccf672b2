//! Settings and files that decide, in addition to the weights, how a run's model translates: other ones make its answers void.

use std::collections::BTreeMap;
use std::path::Path;

use super::run::SweepRun;
use crate::error::{Error, Result};
use crate::{Adaptation, KnnRetrieval};
use canopy_base::digest::digest_of_files;
use canopy_corpus::memory::TranslationMemory;
use canopy_corpus::{Corpus, Split};
use canopy_models::weights::{ModelFolder, RerankerFolder};
use canopy_nn::datastore::KnnConfig;
use canopy_nn::model::MemoryUse;

/// Settings as text and files as digests, by name; None stands for a file that is not here.
pub type Origin = BTreeMap<&'static str, Option<String>>;

impl SweepRun {
    /// All that decides how a model of [`Self::trained`] translates, other than its own files.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn origin(&self, corpus: &Corpus) -> Result<Origin> {
        let (config, preset) = (&self.config, self.config.system()?);
        let mut origin = Origin::new();
        let system = match config.top_t {
            0 => config.preset.clone(),
            top_t => format!("{}, T = {top_t}", config.preset),
        };
        origin.insert("preset", Some(system));
        match preset.memory_use {
            Some(MemoryUse::KnnMt) => {
                origin.insert("look-up", Some(knn()));
            }
            Some(MemoryUse::FineTune) => {
                origin.insert("adaptation", Some(adaptation()));
            }
            Some(MemoryUse::FuzzyMatch) | None => {}
        }
        // That of a run with weights of its own is one of its model's files.
        if self.weights.is_some() && preset.memory_use.is_some() {
            origin.insert("memory", memory(corpus, &config.memory)?);
        }
        if !config.contexts.as_os_str().is_empty() {
            let digest = if_here(&config.contexts, |path| Ok(digest_of_files([path])?))?;
            origin.insert("contexts", digest);
        }
        if let Some(reranker) = &self.reranker {
            let digest = if_here(reranker, |path| Ok(ModelFolder::digest(path)?))?;
            let weight = RerankerFolder::new(reranker.clone()).weight;
            let channel = digest.map(|digest| format!("{digest}, weight {weight}"));
            origin.insert("channel", channel);
        }
        Ok(origin)
    }
}

/// The training pairs, and those of `more` that are no held-out sentence.
fn memory(corpus: &Corpus, more: &Path) -> Result<Option<String>> {
    if more.as_os_str().is_empty() {
        return Ok(corpus.digest_of(Split::Train).map(Some)?);
    }
    let splits = Split::ALL.map(|split| corpus.folder().join(split.file_name()));
    if_here(more, |more| {
        let files = TranslationMemory::files(more)?;
        Ok(digest_of_files(splits.iter().chain(&files))?)
    })
}

fn if_here(path: &Path, digest: impl Fn(&Path) -> Result<String>) -> Result<Option<String>> {
    let is_here = path.try_exists().map_err(Error::read(path))?;
    is_here.then(|| digest(path)).transpose()
}

fn knn() -> String {
    let KnnRetrieval {
        pairs,
        all_pairs,
        all_tokens,
        least_likeness,
        config:
            KnnConfig {
                nearest,
                temperature,
                weight,
                reach,
            },
        batch_tokens: _,
    } = KnnRetrieval::default();
    format!(
        "{nearest} nearest, temperature {temperature}, weight {weight}, reach {reach}, \
         {pairs} pairs a sentence, {all_pairs} of {all_tokens} tokens in all, likeness {least_likeness}"
    )
}

fn adaptation() -> String {
    let Adaptation {
        pairs,
        least,
        updates,
        learning_rate,
        dropout,
        label_smoothing,
        clip_norm,
        batch_tokens,
    } = Adaptation::default();
    format!(
        "{pairs} pairs of {least}, {updates} updates of {batch_tokens} tokens, rate {learning_rate}, \
         dropout {dropout}, smoothing {label_smoothing}, norm {clip_norm}"
    )
}
