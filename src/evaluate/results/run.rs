//! Test documents as the model of a finished run translates them, kept in the run's folder so that no document is
//! translated
//! twice.
//!
//! Answers are kept with digests of what they were computed from: the checkpoints, the corpus, the documents that were
//! translated, the contrastive set, the memory, contexts and channel, and the settings of search and look-up. Where one of
//! them differs now, or is not known, the answer is computed anew. A run that is not here is compared as far as
//! known without it; answers of older programs name little, and are taken if what they name is so.

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use crate::contrastive::{Accuracies, ContextOptions, ContrastiveSet, score};
use crate::error::{BaseError, Error, Result};
use crate::evaluation::{ReferenceContext, TestSet, reads_confirmed};
use canopy_base::file::write_atomically;
use canopy_corpus::{ContextTexts, Corpus, Split, segments};
use canopy_models::weights::{ModelFolder, Precision, averaged_model};
use canopy_nn::model::Model;
use canopy_tokenize::ModelTokenizer;
use canopy_tokenize::Side;
use canopy_train::TrainingConfig;
use canopy_train::sweep::{Origin, SweepRun};
use canopy_translate::inference::{DeviceChoice, SearchOptions, Translator};

const FILE: &str = "results.json";
/// The averaged model, next to the checkpoints.
const MODEL: &str = "model";
const CHECKPOINTS: &str = "checkpoints";
/// The checkpoint to continue from.
const LAST: &str = "last";
/// Key of [`RunResults::origin`].
const MODEL_DIGEST: &str = "model";

/// The current step with a run's model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step<'a> {
    /// The mean of its last checkpoints is taken.
    Average,
    /// Sentences of a split that are translated, of how many.
    Translate {
        /// The split in translation.
        split: Split,
        /// Whether the human translations of earlier sentences are given.
        at_work: bool,
        /// Sentences translated so far.
        done: usize,
        /// Sentences in total.
        all: usize,
        /// When the translation of the split started.
        begun: Instant,
    },
    /// Translations of a contrastive set that are scored, of how many.
    Choose {
        /// Name of the contrastive set.
        set: &'a str,
        /// Translations scored so far.
        done: usize,
        /// Translations in total.
        all: usize,
    },
}

/// The questions to a run's model.
#[derive(Debug)]
pub struct Questions<'a> {
    /// The corpus that the documents come from.
    pub corpus: &'a Corpus,
    /// Documents to translate, the development ones among them.
    pub splits: Vec<Split>,
    /// Options of the search.
    pub search: SearchOptions,
    /// The contrastive set to score; none if there is none.
    pub contrasts: Option<&'a ContrastiveSet>,
    /// Whether the documents are also translated with the human translations of all sentences before each one, see
    /// [`TestSet::with_reference_context`].
    pub at_work: bool,
    /// Folder with a copy of the answers of every run, as `ROW/seed-N.json`, and taken from where a run is
    /// not here.
    pub outputs: Option<&'a Path>,
    /// The device that computes.
    pub device: DeviceChoice,
}

/// `results.json` of a run folder; what older programs did not write down is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunResults {
    /// The checkpoints that were averaged.
    pub checkpoints: Vec<String>,
    /// Digest of the corpus; of another one the answers are void.
    pub corpus: String,
    /// Number of weights.
    pub parameters: usize,
    /// Updates of the only checkpoint, where none has a number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steps: usize,
    /// Other things that they depend on, by name: the digest of the checkpoints, `MODEL_DIGEST`, and all of
    /// [`SweepRun::origin`]. Other ones make the answers void too.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub origin: BTreeMap<String, String>,
    /// By split and search, such as `test-beam-4`.
    pub translations: BTreeMap<String, Translations>,
    /// By the name of the set.
    pub contrasts: BTreeMap<String, CorrectCount>,
    /// Digests of these sets, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, String>,
    /// Beam sizes of the drafts that models of several passes read there, by the name of the set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set_beams: BTreeMap<String, usize>,
}

/// One segment each, and how fast they came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Translations {
    /// The translations, `[segments]`.
    pub hypotheses: Vec<String>,
    /// Tokens of the translations.
    pub tokens_per_second: f64,
    /// Digest of the documents; of other ones they are void.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub documents: String,
}

/// Answers to a contrastive set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CorrectCount {
    /// Items answered correctly.
    pub right: usize,
    /// Items answered.
    pub items: usize,
}

impl Sum for CorrectCount {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            right: sum.right + one.right,
            items: sum.items + one.items,
        })
    }
}

impl Questions<'_> {
    /// The key of a split's [`RunResults::translations`].
    pub fn key(&self, split: Split) -> String {
        let SearchOptions {
            beam_size,
            length_penalty,
            ..
        } = self.search;
        let mut key = format!("{}-beam-{beam_size}", split.name());
        if let Some(length_penalty) = length_penalty {
            key.push_str("-penalty-");
            key.push_str(&length_penalty.to_string());
        }
        key
    }

    /// The key of the translations at work.
    pub fn key_at_work(&self, split: Split) -> String {
        self.key(split) + "-at-work"
    }

    /// The translations of each split: its key, and whether at work.
    fn splits_and_keys(&self) -> Vec<(Split, String, bool)> {
        let splits = self.splits.iter();
        let splits_and_keys = splits.flat_map(|&split| {
            let alone = (split, self.key(split), false);
            let at_work = (split, self.key_at_work(split), true);
            std::iter::once(alone).chain(self.at_work.then_some(at_work))
        });
        splits_and_keys.collect()
    }

    /// Answers with the mean of the checkpoints that a run of the sweep in `folder` has kept, unless its own folder has the
    /// answers. `observe` gets the current step.
    ///
    /// # Errors
    /// If the run has no checkpoint, or a file cannot be read or written.
    pub fn ask(
        &self,
        folder: &Path,
        run: &SweepRun,
        observe: &mut dyn FnMut(Step<'_>),
    ) -> Result<RunResults> {
        let (trained, own) = (folder.join(run.trained()), folder.join(&run.folder));
        let (checkpoints, corpus) = (kept_checkpoints(&trained)?, self.corpus.digest()?);
        let path = own.join(FILE);
        let mut results = RunResults::read(&path)?;
        let steps = last_steps(&trained, &checkpoints)?;
        let mut origin: BTreeMap<String, String> = run
            .origin(self.corpus)?
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.unwrap_or_default()))
            .collect();
        let digest = digest_of_checkpoints(&trained, &checkpoints)?;
        origin.insert(MODEL_DIGEST.to_owned(), digest);
        if (&results.origin, &results.corpus) != (&origin, &corpus) {
            observe(Step::Average);
            let (mut description, model, vocabulary) = averaged(&trained, &checkpoints)?;
            run.describe(&mut description, self.corpus)?;
            description.save(&own.join(MODEL), &model, &vocabulary, Precision::Half)?;
            results = RunResults {
                parameters: model.num_params(),
                checkpoints,
                corpus,
                steps,
                origin,
                ..RunResults::default()
            };
            results.save(&path)?;
        }
        let mut splits = Vec::new();
        for (split, key, at_work) in self.splits_and_keys() {
            let documents = self.corpus.digest_of(split)?;
            let known = results.translations.get(&key);
            if known.is_none_or(|known| known.documents != documents) {
                splits.push((split, key, at_work));
            }
        }
        let beam_size = self.search.beam_size;
        let is_answered = |set: &&ContrastiveSet| {
            results.answers(set) && results.set_beams.get(&set.name) == Some(&beam_size)
        };
        let set = self.contrasts.filter(|set| !is_answered(set));
        if splits.is_empty() && set.is_none() {
            return Ok(results);
        }
        let translator = Translator::open(&own.join(MODEL), self.device)?;
        for (split, key, at_work) in splits {
            let alone = results.translations.get(&self.key(split)).cloned();
            // What is confirmed makes no difference to it.
            let same = alone.filter(|_| at_work && !reads_confirmed(&translator));
            let translations = if let Some(same) = same {
                same
            } else {
                self.translate(&run.config, &translator, (split, at_work), observe)?
            };
            results.translations.insert(key, translations);
            results.save(&path)?;
        }
        if let Some(set) = set {
            let right = self.choose(&translator, set, observe)?;
            results.contrasts.insert(set.name.clone(), right);
            results.sets.insert(set.name.clone(), set.digest());
            results.set_beams.insert(set.name.clone(), beam_size);
            results.save(&path)?;
        }
        Ok(results)
    }

    /// Keeps the answers of the run in the folder `run` of its sweep.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(&self, run: &Path, results: &RunResults) -> Result<()> {
        let Some(path) = self.output(run) else {
            return Ok(());
        };
        let folder = path.parent().expect("a row's");
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        results.save(&path)
    }

    /// The answers kept of a run that is not here.
    ///
    /// # Errors
    /// If they cannot be read, or do not answer these questions.
    pub fn cached(&self, run: &SweepRun) -> Result<Option<RunResults>> {
        let path = self.output(&run.folder).filter(|path| path.exists());
        let Some(path) = path else {
            return Ok(None);
        };
        let mut results = RunResults::read(&path)?;
        if let Some(set) = self.contrasts {
            results.forget_older(set);
            results.forget_beam(set, self.search.beam_size);
        }
        let refused = |reason: String| {
            Error::Base(BaseError::Settings {
                reason,
                path: path.clone(),
            })
        };
        if results.corpus != self.corpus.digest()? {
            return Err(refused("a model of another corpus answered".to_owned()));
        }
        if let Some(other) = results.other_origin(&run.origin(self.corpus)?) {
            let reason = format!("a model with another {other} answered");
            return Err(refused(reason));
        }
        for (split, key, _) in self.splits_and_keys() {
            let expected = segments(self.corpus, split)?.len();
            let found = results.translations.get(&key);
            let documents = found.map_or("", |found| &found.documents);
            if !documents.is_empty() && documents != self.corpus.digest_of(split)? {
                return Err(refused(format!("{key} is of other documents")));
            }
            let found = found.map_or(0, |translations| translations.hypotheses.len());
            if found != expected {
                let reason = format!("{key} has {found} segments, the corpus {expected}");
                return Err(refused(reason));
            }
        }
        Ok(Some(results))
    }

    fn output(&self, run: &Path) -> Option<PathBuf> {
        let outputs = self.outputs?;
        Some(outputs.join(run).with_extension("json"))
    }

    fn translate(
        &self,
        config: &TrainingConfig,
        translator: &Translator,
        (split, at_work): (Split, bool),
        observe: &mut dyn FnMut(Step<'_>),
    ) -> Result<Translations> {
        let mut test = TestSet::open(self.corpus, split)?;
        if at_work {
            test = test.with_reference_context(ReferenceContext::Document);
        }
        if !config.contexts.as_os_str().is_empty() {
            test = test.with_contexts(ContextTexts::open(&config.contexts, self.corpus)?);
        }
        let (begun, mut done) = (Instant::now(), 0);
        let mut step = |done| {
            observe(Step::Translate {
                split,
                at_work,
                done,
                all: test.num_units(),
                begun,
            });
        };
        step(0);
        let translated = test.translate(translator, &self.search, &mut || {
            done += 1;
            step(done);
            ControlFlow::Continue(())
        })?;
        let translated = translated.expect("nobody breaks it off");
        let secs = begun.elapsed().as_secs_f64();
        let units = translated.units.iter().flatten();
        let tokens = units.map(|unit| translator.tokenizer().encode(Side::Target, unit).len());
        let tokens_per_second = tokens.sum::<usize>() as f64 / secs;
        Ok(Translations {
            hypotheses: translated.hypotheses,
            tokens_per_second,
            documents: self.corpus.digest_of(split)?,
        })
    }

    fn choose(
        &self,
        translator: &Translator,
        set: &ContrastiveSet,
        observe: &mut dyn FnMut(Step<'_>),
    ) -> Result<CorrectCount> {
        let options = ContextOptions {
            before: None,
            after: None,
            gold_target_context: false,
            beam_size: self.search.beam_size,
        };
        let all = set.items.iter().map(|item| item.candidates().count()).sum();
        let scores = score(translator, set, &options, &mut |done| {
            observe(Step::Choose {
                set: &set.name,
                done,
                all,
            });
            ControlFlow::Continue(())
        })?;
        let total = Accuracies::from_scores(set, &scores.items).total;
        Ok(CorrectCount {
            right: total.right,
            items: total.items,
        })
    }
}

impl RunResults {
    /// Whether a set is answered: this very one, less what is too long for the model. Older answers are compared by name
    /// and number.
    fn answers(&self, set: &ContrastiveSet) -> bool {
        let Some(known) = self.contrasts.get(&set.name) else {
            return false;
        };
        match self.sets.get(&set.name) {
            Some(digest) => *digest == set.digest(),
            None => known.items == set.items.len(),
        }
    }

    /// Differences between the questions to a run that is not here and those of `now`, as far as both are known:
    /// answers of older
    /// programs name nothing.
    fn other_origin(&self, now: &Origin) -> Option<String> {
        if self.origin.is_empty() {
            return None;
        }
        let differs = now.iter().find(|(name, value)| {
            let value = value.as_ref();
            value.is_some_and(|value| self.origin.get(**name) != Some(value))
        });
        let no_longer = || {
            let mut names = self.origin.keys();
            names.find(|name| *name != MODEL_DIGEST && !now.contains_key(name.as_str()))
        };
        let differs = differs.map(|(name, _)| (*name).to_owned());
        differs.or_else(|| no_longer().cloned())
    }

    /// Drops answers to a set that were found with drafts of another beam size.
    fn forget_beam(&mut self, set: &ContrastiveSet, beam_size: usize) {
        let known = self.set_beams.get(&set.name);
        if known.is_some_and(|&known| known != beam_size) {
            self.contrasts.remove(&set.name);
            self.sets.remove(&set.name);
            self.set_beams.remove(&set.name);
        }
    }

    /// Drops answers to a set of the same name that was made anew since.
    fn forget_older(&mut self, set: &ContrastiveSet) {
        let digest = self.sets.get(&set.name);
        if digest.is_some_and(|digest| *digest != set.digest()) {
            self.contrasts.remove(&set.name);
            self.sets.remove(&set.name);
        }
    }

    /// Nothing yet of a run that was never scored.
    ///
    /// # Errors
    /// If the file cannot be read or understood.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
        serde_json::from_str(&text).map_err(|cause| {
            Error::Base(BaseError::Settings {
                reason: cause.to_string(),
                path: path.to_owned(),
            })
        })
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).expect("plain data becomes JSON");
        Ok(write_atomically(path, text.as_bytes(), true)?)
    }
}

/// Names of the checkpoints to be averaged: the last few, if the run kept any, else the last one.
fn kept_checkpoints(run: &Path) -> Result<Vec<String>> {
    let folder = run.join(CHECKPOINTS);
    let entries = std::fs::read_dir(&folder).map_err(Error::read(&folder))?;
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names
        .collect::<std::io::Result<_>>()
        .map_err(Error::read(&folder))?;
    let mut kept: Vec<String> = names
        .into_iter()
        .filter(|name| name.starts_with("step-"))
        .collect();
    kept.sort();
    if kept.is_empty() {
        kept.push(LAST.to_owned());
    }
    Ok(kept)
}

/// Digest of the models of these checkpoints, in their order.
fn digest_of_checkpoints(run: &Path, checkpoints: &[String]) -> Result<String> {
    let folders = checkpoints.iter();
    let folders = folders.map(|name| ModelFolder::digest(&run.join(CHECKPOINTS).join(name)));
    Ok(folders.collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// Updates of a checkpoint that keeps its name, 0 for those that are named by them.
fn last_steps(run: &Path, checkpoints: &[String]) -> Result<usize> {
    match checkpoints {
        [last] if last == LAST => {
            let description = ModelFolder::alone(&run.join(CHECKPOINTS).join(last))?;
            Ok(description.training.steps)
        }
        _ => Ok(0),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(steps: &usize) -> bool {
    *steps == 0
}

/// Their mean.
fn averaged(run: &Path, checkpoints: &[String]) -> Result<(ModelFolder, Model, ModelTokenizer)> {
    let folders: Vec<PathBuf> = checkpoints
        .iter()
        .map(|name| run.join(CHECKPOINTS).join(name))
        .collect();
    Ok(averaged_model(&folders, &Device::flex())?)
}

#[cfg(test)]
mod tests;
