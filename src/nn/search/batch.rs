//! Many sentences through one model: batches of similar length, results by number.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::beam::{Hypothesis, SearchOptions};
use super::document_search::{DocumentSearch, SearchEvent, Stop};
use super::encodings::EncodingCache;
use super::invalid_scores::InvalidScores;
use super::terms::TermConstraints;
use crate::model::{BertSequence, Model, PackedBatch};
use canopy_document::document::SectionNumbers;
use canopy_tokenize::{SpecialIds, Tokenizer};

/// A source sentence as ids, without `eos`, and its place (in its paragraph, paragraph in the document).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSentence {
    /// Ids of the sentence's tokens.
    pub ids: Vec<u32>,
    /// Place of the sentence in its paragraph, and of the paragraph in the document.
    pub position: (usize, usize),
}

/// Source sentences in documents, and which of them are to be translated.
#[derive(Debug, Clone, Default)]
pub struct SourceText {
    /// The sentences of all documents.
    pub sentences: Vec<SourceSentence>,
    /// Sentences of every document, in order and without gaps.
    pub documents: Vec<Range<usize>>,
    /// The most urgent first.
    pub wanted: Vec<usize>,
    /// Translations that a bilingual model reads as those of these sentences, without `bos` and `eos`: what a user has
    /// edited or confirmed, and drafts of a search before.
    pub known: HashMap<usize, Vec<u32>>,
    /// BERT's sequence of each sentence and its context; empty where the model reads no BERT.
    pub pieces: Vec<BertSequence>,
    /// Numbers of the sections that each sentence is in; empty where there are none, or they are not known.
    pub headings: Vec<SectionNumbers>,
    /// Terms that the translations of these sentences use.
    pub terms: HashMap<usize, Arc<TermConstraints>>,
    /// Ids around every sentence.
    pub frame: SourceFrame,
}

/// Ids around those of every source sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFrame {
    /// Ids before a sentence.
    pub prefix: Vec<u32>,
    /// Ids after a sentence.
    pub suffix: Vec<u32>,
    /// Stands before what is read after a sentence; none if nothing can.
    pub sentence_break: Option<u32>,
}

impl Default for SourceFrame {
    /// Special ids of Canopy's own models.
    fn default() -> Self {
        Self::from_special_ids(&SpecialIds::default())
    }
}

impl SourceFrame {
    /// Constraints of the models that read these ids.
    pub fn from_special_ids(special: &SpecialIds) -> Self {
        Self {
            prefix: special.source_prefix.clone(),
            suffix: special.source_suffix.clone(),
            sentence_break: special.sentence_break(),
        }
    }
}

impl SourceText {
    /// Sentences that are all to be translated, each in a document of its own.
    pub fn from_sentences(sentences: Vec<SourceSentence>) -> Self {
        Self {
            documents: (0..sentences.len())
                .map(|number| number..number + 1)
                .collect(),
            wanted: (0..sentences.len()).collect(),
            sentences,
            known: HashMap::new(),
            pieces: Vec::new(),
            headings: Vec::new(),
            terms: HashMap::new(),
            frame: SourceFrame::default(),
        }
    }

    /// Sentences in the documents that these runs of them form.
    pub(super) fn rows(&self, documents: impl IntoIterator<Item = Range<usize>>) -> PackedBatch {
        let mut rows = PackedBatch::default();
        for document in documents {
            rows.begin_document();
            for number in document {
                let SourceSentence { ids, position } = &self.sentences[number];
                let SourceFrame { prefix, suffix, .. } = &self.frame;
                rows.push(
                    &[prefix, ids, suffix].map(Vec::as_slice).concat(),
                    *position,
                );
                if let Some(pieces) = self.pieces.get(number) {
                    rows.push_pieces(pieces);
                }
                if let Some(headings) = self.headings.get(number) {
                    rows.push_headings(*headings);
                }
            }
        }
        rows
    }

    /// Each sentence in a document of its own.
    pub(super) fn alone(&self, numbers: &[usize]) -> PackedBatch {
        self.rows(numbers.iter().map(|&number| number..number + 1))
    }
}

/// Searches translations of the wanted sentences; `finished` gets each one's number as soon as its translation is found.
///
/// As [`search_documents`], for those who need no drafts.
///
/// # Errors
/// As [`search_documents`].
pub fn search_sentences(
    model: &Model,
    vocabulary: &dyn Tokenizer,
    text: &SourceText,
    options: &SearchOptions,
    finished: &mut dyn FnMut(usize, Hypothesis) -> ControlFlow<()>,
) -> Result<(), InvalidScores> {
    let mut found = |found| match found {
        SearchEvent::Draft { .. } => ControlFlow::Continue(()),
        SearchEvent::Translation { number, hypothesis } => finished(number, hypothesis),
    };
    let mut kept = EncodingCache::default();
    search_documents(model, vocabulary, text, options, &mut kept, &mut found)
}

/// Searches translations of the wanted sentences, and before that drafts of what bilingual models read for them; `found`
/// gets each one as soon as it is found.
///
/// Sentences keep their order from batch to batch in groups of a few batches, so that what is requested first comes
/// first. A document too long to be encoded at once is read in windows, and what all of them read of it is `kept`. After
/// `Break` the current batch ends without further calls.
///
/// # Errors
/// If the scores of a sentence are no log-probabilities.
pub fn search_documents(
    model: &Model,
    vocabulary: &dyn Tokenizer,
    text: &SourceText,
    options: &SearchOptions,
    kept: &mut EncodingCache,
    found: &mut dyn FnMut(SearchEvent) -> ControlFlow<()>,
) -> Result<(), InvalidScores> {
    let options = options.for_model(model);
    let mut search = DocumentSearch::new(model, vocabulary, text, &options, found);
    let _entered = tracing::info_span!(
        "search",
        sentences = text.wanted.len(),
        documents = text.documents.len(),
        beam = options.beam_size,
        weights = ?model.packing(),
    )
    .entered();
    Stop::result(search.run(kept))
}

/// Numbers of sentences in batches of about `tokens` tokens, alike in length within `window` sentences of the order given.
pub(super) fn batches(
    sentences: &[SourceSentence],
    numbers: &[usize],
    tokens: usize,
    window: usize,
) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    for window in numbers.chunks(window) {
        let mut window = window.to_vec();
        window.sort_by_key(|&number| sentences[number].ids.len());
        let (mut batch, mut sum) = (Vec::new(), 0);
        for number in window {
            let len = sentences[number].ids.len() + 1;
            if sum + len > tokens && !batch.is_empty() {
                batches.push(std::mem::take(&mut batch));
                sum = 0;
            }
            batch.push(number);
            sum += len;
        }
        if !batch.is_empty() {
            batches.push(batch);
        }
    }
    batches
}
