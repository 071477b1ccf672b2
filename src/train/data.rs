//! The corpus as a training run sees it: ids of its sentence pairs.

use std::ops::Range;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::batch::{Example, ExampleSet, generator};
use super::bert::BertTexts;
use super::config::TrainingConfig;
use super::copies::copies;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::memory::{TranslationMemory, constraint_suffix, fuzzy_suffix, previous_suffix};
use canopy_corpus::{Corpus, ParallelDocument, Split, Unit, UnitStatus, train_vocabulary};
use canopy_metrics::formality::Formality;
use canopy_nn::model::{Context, MemoryUse, Preset};
use canopy_tokenize::bpe_dropout::Merges;
use canopy_tokenize::vocabulary::Vocabulary;
use canopy_tokenize::{ModelTokenizer, Side, Tokenizer};

/// A corpus in ids.
#[derive(Debug)]
pub struct TrainingData {
    /// The corpus that was read.
    pub corpus: Corpus,
    /// The tokenizer of both languages.
    pub tokenizer: ModelTokenizer,
    /// The pairs of the training documents.
    pub train: ExampleSet,
    /// Texts for the model's BERT; none if it has none.
    pub bert: Option<BertTexts>,
    /// The pairs of the training documents, if the model has a translation memory.
    pub memory: Option<Arc<TranslationMemory>>,
    /// Whether its encoder reads that place.
    reads_memory: bool,
    /// Sentences before each one whose translations its encoder reads.
    previous_translations: usize,
    reads_formality: bool,
    copied_words: f32,
    /// If merges of subwords are left out: with which probability.
    bpe_dropout: Option<(Merges, f32)>,
    seed: u64,
    max_tokens: usize,
    /// The first stage's translations of every pair; empty where they are not read.
    pub(super) drafts: Vec<Vec<u32>>,
    draft_share: f32,
    /// Pairs that do not count because a side is longer than the model reads.
    pub skipped: usize,
}

impl TrainingData {
    /// Reads the corpus, in ids of `tokenizer` or else of its own vocabulary, which is made if it has none.
    ///
    /// # Errors
    /// If the corpus cannot be read or the vocabulary cannot be written.
    pub fn open(
        config: &TrainingConfig,
        tokenizer: Option<ModelTokenizer>,
        max_tokens: usize,
    ) -> Result<Self> {
        Self::open_with(config, tokenizer, max_tokens, None)
    }

    /// [`Self::open`] with the texts that BERT reads.
    ///
    /// # Errors
    /// As those of [`Self::open`].
    pub(super) fn open_with(
        config: &TrainingConfig,
        tokenizer: Option<ModelTokenizer>,
        max_tokens: usize,
        bert: Option<BertTexts>,
    ) -> Result<Self> {
        let corpus = Corpus::open(&config.corpus)?;
        let path = corpus.vocabulary_path();
        let tokenizer = match tokenizer {
            Some(tokenizer) => tokenizer,
            None if path.exists() => Vocabulary::open(&path)?.into(),
            None => {
                let vocabulary = train_vocabulary(&corpus, config.vocab_size)?;
                vocabulary.save(&path)?;
                vocabulary.into()
            }
        };
        let preset = config.system()?;
        let memory = memory_of(&preset, &corpus, config)?;
        let bpe_dropout = if config.bpe_dropout > 0.0 {
            let own = tokenizer.own().ok_or_else(|| {
                Error::Base(BaseError::Config {
                    field: "bpe_dropout",
                    found: config.bpe_dropout.to_string(),
                    allowed: "0, since the model has the tokenizer of another program".to_owned(),
                })
            });
            Some((own?.merges(), config.bpe_dropout))
        } else {
            None
        };
        let mut data = Self {
            corpus,
            tokenizer,
            train: ExampleSet::default(),
            bert,
            memory,
            reads_memory: preset.memory_use == Some(MemoryUse::FuzzyMatch),
            previous_translations: preset.previous_translations,
            reads_formality: preset.reads_formality,
            copied_words: config.copied_words,
            bpe_dropout,
            seed: config.seed,
            max_tokens,
            drafts: Vec::new(),
            draft_share: config.draft_share,
            skipped: 0,
        };
        data.train = data.examples(Split::Train)?;
        for example in &mut data.train.examples {
            if example.source.len() >= max_tokens || example.target.len() >= max_tokens {
                data.skipped += usize::from(example.counts);
                example.counts = false;
                example.source.truncate(max_tokens - 1);
                example.target.truncate(max_tokens - 1);
            }
        }
        if let Some(context) = preset.config(config.vocab_size).context {
            data.train = std::mem::take(&mut data.train).within_reach(context.reach());
        }
        Ok(data)
    }

    /// Words of a translation that others read, at most.
    pub(super) fn longest(&self) -> usize {
        self.max_tokens - 1
    }

    /// The pairs of the training runs of update `step` as they are drawn for it, the same ones for the same `step`, and the runs
    /// among them: in other subwords, and with drafts for others to read. None where all stay as they are.
    pub(super) fn drawn(
        &self,
        runs: &[Range<usize>],
        step: usize,
    ) -> Option<(ExampleSet, Vec<Range<usize>>)> {
        let subwords = self.in_other_subwords(runs, step);
        if self.drafts.is_empty() {
            return subwords;
        }
        let unchanged = || self.train.changed(runs, |_, example| example.clone());
        let (mut set, drawn) = subwords.unwrap_or_else(unchanged);
        let draft = |number: usize| {
            let mut rng = generator(self.seed ^ 0xD4AF, step);
            rng.set_word_pos(u128::from(number as u64) << 32);
            let is_drawn = rng.random_bool(f64::from(self.draft_share));
            is_drawn.then(|| self.drafts[number].as_slice())
        };
        let numbers = runs.iter().cloned().flatten();
        for (number, example) in numbers.clone().zip(&mut set.examples) {
            if self.previous_translations == 0 {
                break;
            }
            let documents = &self.train.documents;
            let document = documents.partition_point(|document| document.end <= number);
            let first = number.saturating_sub(self.previous_translations);
            let before = first.max(documents[document].start)..number;
            let target = |other: usize| self.train.examples[other].target.as_slice();
            let translations = before
                .rev()
                .map(|it| draft(it).unwrap_or_else(|| target(it)));
            let mut source = example.own_source(&self.train.special).to_vec();
            let special = &self.train.special;
            let limits = (
                special.sentence_break().unwrap_or(special.start),
                self.max_tokens,
            );
            source.extend(previous_suffix(translations, source.len(), limits));
            example.source = source;
        }
        set.read_translations = numbers.map(|it| draft(it).map(<[u32]>::to_vec)).collect();
        Some((set, drawn))
    }

    /// The pairs of the training runs of update `step` in other subwords, the same ones for the same `step`, and the
    /// runs among them; a pair that would become too long stays as it is. None without BPE-dropout.
    fn in_other_subwords(
        &self,
        runs: &[Range<usize>],
        step: usize,
    ) -> Option<(ExampleSet, Vec<Range<usize>>)> {
        let (merges, share) = self.bpe_dropout.as_ref()?;
        Some(self.train.changed(runs, |number, example| {
            let mut rng = generator(self.seed ^ 0xB9E, step);
            rng.set_word_pos(u128::from(number as u64) << 32);
            let mut drawn = |ids: &[u32]| {
                let drawn = merges.drawn(ids, *share, &mut rng);
                if drawn.len() < self.max_tokens {
                    drawn
                } else {
                    ids.to_vec()
                }
            };
            Example {
                source: drawn(&example.source),
                target: drawn(&example.target),
                ..*example
            }
        }))
    }

    /// The pairs of a split, however long they are.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn examples(&self, split: Split) -> Result<ExampleSet> {
        self.examples_of(&self.corpus, split)
    }

    /// The pairs of a split of any corpus of these languages.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn examples_of(&self, corpus: &Corpus, split: Split) -> Result<ExampleSet> {
        let memory = self.memory.as_deref();
        let reading = Reading {
            tokenizer: &*self.tokenizer,
            bert: self.bert.as_ref(),
            memory: memory.filter(|_| self.reads_memory),
            previous_translations: self.previous_translations,
            reads_formality: self.reads_formality,
            copied_words: if split == Split::Train {
                self.copied_words
            } else {
                0.0
            },
            seed: self.seed,
            max_tokens: self.max_tokens,
        };
        reading.read(corpus, split)
    }
}

/// Refuses copies for a system that reads no translations.
///
/// # Errors
/// With the setting.
pub(super) fn check_copies(config: &TrainingConfig, preset: &Preset) -> Result<()> {
    let model = preset.config(config.vocab_size);
    let reads = model.previous_translations > 0 || model.context.is_some_and(Context::is_bilingual);
    if reads || config.copied_words == 0.0 {
        return Ok(());
    }
    Err(Error::Base(BaseError::Config {
        field: "copied_words",
        found: config.copied_words.to_string(),
        allowed: format!("0, since {} reads no translations", preset.name),
    }))
}

/// Refuses a memory for a system that has none.
///
/// # Errors
/// With the setting.
pub(super) fn check_memory(config: &TrainingConfig, preset: &Preset) -> Result<()> {
    if preset.memory_use.is_some() || config.memory.as_os_str().is_empty() {
        return Ok(());
    }
    Err(Error::Base(BaseError::Config {
        field: "memory",
        found: config.memory.display().to_string(),
        allowed: format!("empty, since {} has no memory", preset.name),
    }))
}

/// The memory of a system that has one: the training pairs, and those of the settings; None of any other system.
///
/// # Errors
/// If it cannot be read.
pub(super) fn memory_of(
    preset: &Preset,
    corpus: &Corpus,
    config: &TrainingConfig,
) -> Result<Option<Arc<TranslationMemory>>> {
    let memory = preset
        .memory_use
        .map(|_| TranslationMemory::from_training(corpus, &config.memory));
    Ok(memory.transpose()?.map(Arc::new))
}

/// One of this many sentences is not labelled with its own form of address, so that a model can do without: where nobody
/// was addressed before.
const UNTOLD_FORMS: usize = 5;

/// How a corpus becomes ids.
struct Reading<'a> {
    tokenizer: &'a dyn Tokenizer,
    bert: Option<&'a BertTexts>,
    memory: Option<&'a TranslationMemory>,
    previous_translations: usize,
    reads_formality: bool,
    copied_words: f32,
    seed: u64,
    max_tokens: usize,
}

impl Reading<'_> {
    fn read(&self, corpus: &Corpus, split: Split) -> Result<ExampleSet> {
        let mut set = ExampleSet {
            special: self.tokenizer.special().clone(),
            ..ExampleSet::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        for document in corpus.documents(split)? {
            let document = document?;
            self.add(&document, split, &mut set);
            if let Some(bert) = self.bert {
                set.pieces.extend(bert.sequences(split, &document));
            }
            if self.copied_words > 0.0 {
                for copy in copies(&document, self.copied_words, &mut rng) {
                    self.add(&copy, split, &mut set);
                }
            }
        }
        Ok(set)
    }

    fn add(&self, document: &ParallelDocument, split: Split, set: &mut ExampleSet) {
        let start = set.examples.len();
        set.examples.extend(self.examples(document, split));
        set.documents.push(start..set.examples.len());
    }

    /// All pairs of a document; those that are identical on both sides or repeated are context only.
    fn examples(&self, document: &ParallelDocument, split: Split) -> Vec<Example> {
        let paragraphs = document.paragraphs.iter().enumerate();
        let units: Vec<(&Unit, (usize, usize))> = paragraphs
            .flat_map(|(paragraph, content)| {
                let units = content.units.iter().enumerate();
                units.map(move |(index, unit)| (unit, (index, paragraph)))
            })
            .collect();
        let headings = document.headings();
        let example = |(number, &(unit, place)): (usize, &(&Unit, (usize, usize)))| {
            let (mut source, target) = self.encoded(unit);
            source.extend(self.fuzzy_suffix(unit, split, source.len()));
            Example {
                source,
                target,
                place,
                headings: headings[number],
                counts: unit.status == UnitStatus::New,
            }
        };
        let mut examples: Vec<Example> = { units.par_iter().enumerate() }.map(example).collect();
        let limits = (self.sentence_break(), self.max_tokens);
        if self.reads_formality {
            for (number, (example, (unit, _))) in examples.iter_mut().zip(&units).enumerate() {
                let is_labelled = !number.is_multiple_of(UNTOLD_FORMS);
                let form = Formality::from_pair(&unit.source, &unit.target).filter(|_| is_labelled);
                let constraint =
                    form.map(|form| self.tokenizer.encode(Side::Source, form.side_constraint()));
                let own = example.source.len();
                let suffix = constraint_suffix(constraint, own, self.max_tokens);
                example.source.extend(suffix);
            }
            return examples;
        }
        for number in (0..examples.len()).rev() {
            let first = number.saturating_sub(self.previous_translations);
            let (before, own) = examples.split_at_mut(number);
            let own = &mut own[0].source;
            let translations = before[first..].iter().rev();
            let translations = translations.map(|example| example.target.as_slice());
            own.extend(previous_suffix(translations, own.len(), limits));
        }
        examples
    }

    /// Both sides of a unit; a vocabulary without placeholders has what people see.
    fn encoded(&self, unit: &Unit) -> (Vec<u32>, Vec<u32>) {
        let tokenizer = self.tokenizer;
        let (source, target) = if tokenizer.placeholder_ids().is_empty() {
            let source = tokenizer.encode(Side::Source, &unit.visible_source());
            (
                source,
                tokenizer.encode(Side::Target, &unit.visible_target()),
            )
        } else {
            let source = tokenizer.encode(Side::Source, &unit.source);
            (source, tokenizer.encode(Side::Target, &unit.target))
        };
        (source, tokenizer.special().begun(target))
    }

    /// Stands before what is read after a sentence.
    fn sentence_break(&self) -> u32 {
        let special = self.tokenizer.special();
        special.sentence_break().unwrap_or(special.start)
    }

    /// The translation of the unit's match in the memory.
    fn fuzzy_suffix(&self, unit: &Unit, split: Split, own: usize) -> Vec<u32> {
        let Some(memory) = self.memory else {
            return Vec::new();
        };
        let shown = unit.visible_source();
        let found = memory.best_in(split, &shown);
        let limits = (self.sentence_break(), self.max_tokens);
        fuzzy_suffix(found, own, self.tokenizer, limits)
    }
}
