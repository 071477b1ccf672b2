//! The corpus as a training run sees it: ids of the pairs that count.

use super::batch::Example;
use super::config::TrainingConfig;
use crate::corpus::{Corpus, ParallelDocument, Split, UnitStatus};
use crate::error::Result;
use crate::text::vocabulary::Vocabulary;

/// A corpus in ids.
#[derive(Debug)]
pub struct TrainingData {
    pub corpus: Corpus,
    pub vocabulary: Vocabulary,
    pub train: Vec<Example>,
    /// Pairs left out because a side is longer than the model reads.
    pub skipped: usize,
}

impl TrainingData {
    /// Reads the corpus; makes its vocabulary if it has none.
    ///
    /// # Errors
    /// If the corpus cannot be read or the vocabulary cannot be written.
    pub fn open(config: &TrainingConfig, max_tokens: usize) -> Result<Self> {
        let corpus = Corpus::open(&config.corpus)?;
        let path = corpus.vocabulary_path();
        let vocabulary = if path.exists() {
            Vocabulary::open(&path)?
        } else {
            let vocabulary = train_vocabulary(&corpus, config.vocab_size)?;
            vocabulary.save(&path)?;
            vocabulary
        };
        let (mut train, mut skipped) = (Vec::new(), 0);
        for document in corpus.documents(Split::Train)? {
            for example in examples(&document?, &vocabulary) {
                if example.source.len() < max_tokens && example.target.len() < max_tokens {
                    train.push(example);
                } else {
                    skipped += 1;
                }
            }
        }
        Ok(Self { corpus, vocabulary, train, skipped })
    }

    /// The pairs of a development or test split that count.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn examples(&self, split: Split) -> Result<Vec<Example>> {
        let mut found = Vec::new();
        for document in self.corpus.documents(split)? {
            found.extend(examples(&document?, &self.vocabulary));
        }
        Ok(found)
    }
}

/// A joint vocabulary of the training pages' new pairs.
fn train_vocabulary(corpus: &Corpus, size: usize) -> Result<Vocabulary> {
    let mut texts = Vec::new();
    for document in corpus.documents(Split::Train)? {
        for unit in document?.paragraphs.into_iter().flat_map(|paragraph| paragraph.units) {
            if unit.status == UnitStatus::New {
                texts.extend([unit.source, unit.target]);
            }
        }
    }
    Vocabulary::train(texts.into_iter(), size)
}

/// The pairs of a document that are neither identical on both sides nor repeated.
fn examples(document: &ParallelDocument, vocabulary: &Vocabulary) -> Vec<Example> {
    let units = document.paragraphs.iter().enumerate().flat_map(|(paragraph, content)| {
        content.units.iter().enumerate().map(move |(index, unit)| (unit, (index, paragraph)))
    });
    units
        .filter(|(unit, _)| unit.status == UnitStatus::New)
        .map(|(unit, place)| Example {
            source: vocabulary.encode(&unit.source),
            target: vocabulary.encode(&unit.target),
            place,
        })
        .collect()
}
