//! The corpus as a training run sees it: ids of its sentence pairs.

use super::batch::{Example, ExampleSet};
use super::bert::BertTexts;
use super::config::TrainingConfig;
use crate::corpus::{Corpus, ParallelDocument, Split, UnitStatus, train_vocabulary};
use crate::error::Result;
use crate::text::vocabulary::Vocabulary;

/// A corpus in ids.
#[derive(Debug)]
pub struct TrainingData {
    pub corpus: Corpus,
    pub vocabulary: Vocabulary,
    pub train: ExampleSet,
    /// What the model's BERT reads; none if it has none.
    pub bert: Option<BertTexts>,
    /// Pairs that do not count because a side is longer than the model reads.
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
        Self::open_with(config, vocabulary, max_tokens, None)
    }

    /// The same with what BERT reads.
    ///
    /// # Errors
    /// As those of [`Self::open`].
    pub(super) fn open_with(
        config: &TrainingConfig,
        vocabulary: Option<Vocabulary>,
        max_tokens: usize,
        bert: Option<BertTexts>,
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
        let mut train = read(&corpus, Split::Train, &vocabulary, bert.as_ref())?;
        let mut skipped = 0;
        for example in &mut train.examples {
            if example.source.len() >= max_tokens || example.target.len() >= max_tokens {
                skipped += usize::from(example.counts);
                example.counts = false;
                example.source.truncate(max_tokens - 1);
                example.target.truncate(max_tokens - 1);
            }
        }
        Ok(Self {
            corpus,
            vocabulary,
            train,
            bert,
            skipped,
        })
    }

    /// The pairs of a development or test split.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn examples(&self, split: Split) -> Result<ExampleSet> {
        read(&self.corpus, split, &self.vocabulary, self.bert.as_ref())
    }
}

fn read(
    corpus: &Corpus,
    split: Split,
    vocabulary: &Vocabulary,
    bert: Option<&BertTexts>,
) -> Result<ExampleSet> {
    let mut set = ExampleSet::default();
    for document in corpus.documents(split)? {
        let document = document?;
        let start = set.examples.len();
        set.examples.extend(examples(&document, vocabulary));
        if let Some(bert) = bert {
            set.pieces.extend(bert.sequences(split, &document));
        }
        set.documents.push(start..set.examples.len());
    }
    Ok(set)
}

/// All pairs of a document; those that are identical on both sides or repeated are context only.
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
        .map(|(unit, place)| Example {
            source: vocabulary.encode(&unit.source),
            target: vocabulary.encode(&unit.target),
            place,
            counts: unit.status == UnitStatus::New,
        })
        .collect()
}
