//! The corpus as a training run sees it: ids of the pairs that count.

use super::batch::Example;
use super::config::TrainingConfig;
use crate::corpus::{Corpus, ParallelDocument, Split, UnitStatus, train_vocabulary};
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
    /// Reads the corpus, in ids of `vocabulary` or else of its own, which is made if it has none.
    ///
    /// # Errors
    /// If the corpus cannot be read or the vocabulary cannot be written.
    pub fn open(
        config: &TrainingConfig,
        vocabulary: Option<Vocabulary>,
        max_tokens: usize,
    ) -> Result<Self> {
        let corpus = Corpus::open(&config.corpus)?;
        let path = corpus.vocabulary_path();
        let vocabulary = match vocabulary {
            Some(vocabulary) => vocabulary,
            None if path.exists() => Vocabulary::open(&path)?,
            None => {
                let vocabulary = train_vocabulary(&corpus, config.vocab_size)?;
                vocabulary.save(&path)?;
                vocabulary
            }
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
        Ok(Self {
            corpus,
            vocabulary,
            train,
            skipped,
        })
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

/// The pairs of a document that are neither identical on both sides nor repeated.
fn examples(document: &ParallelDocument, vocabulary: &Vocabulary) -> Vec<Example> {
    let units = document
        .paragraphs
        .iter()
        .enumerate()
        .flat_map(|(paragraph, content)| {
            content
                .units
                .iter()
                .enumerate()
                .map(move |(index, unit)| (unit, (index, paragraph)))
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
