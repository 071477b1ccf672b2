//! Words and their places as vectors.

use std::ops::Range;
use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Int, Tensor, TensorData};

use super::bert::{BertBatch, BertSequence};
use super::config::{ModelConfig, Positions};
use super::documents::Documents;
use super::input_layer::InputLayer;
use super::positions::PositionTables;
use super::sinusoids::sinusoids;
use super::variant::Sinusoids;
use crate::kernels::{DropoutSource, Segment, dropout};

/// The sentences of a batch as runs of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedBatch {
    /// Token of every row.
    pub ids: Vec<u32>,
    /// Rows of every sentence, in order and without gaps.
    pub sentences: Vec<Range<usize>>,
    /// Place of the first word of every sentence: word, sentence, paragraph.
    pub positions: Vec<[usize; 3]>,
    /// Sentence numbers of every document, in order and without gaps.
    pub documents: Vec<Range<usize>>,
    /// What BERT reads of every sentence and its context; empty where no BERT is read.
    pub pieces: BertBatch,
}

impl PackedBatch {
    /// Lays out sentences one after the other, each at the beginning of a document of its own.
    pub fn new<'a>(sentences: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut rows = Self::default();
        for sentence in sentences {
            rows.begin_document();
            rows.push(sentence, (0, 0));
        }
        rows
    }

    /// The sentences that follow form a new document.
    pub fn begin_document(&mut self) {
        let next = self.sentences.len();
        self.documents.push(next..next);
    }

    /// Adds a sentence to the last document, at `position`: in its paragraph, and of its paragraph in the document.
    pub fn push(&mut self, sentence: &[u32], position: (usize, usize)) {
        if self.documents.is_empty() {
            self.begin_document();
        }
        let start = self.ids.len();
        self.ids.extend_from_slice(sentence);
        self.sentences.push(start..self.ids.len());
        self.positions.push([0, position.0, position.1]);
        if let Some(document) = self.documents.last_mut() {
            document.end += 1;
        }
    }

    /// Adds what BERT reads of the sentence that was pushed last; nothing if there is nothing.
    pub fn push_pieces(&mut self, pieces: &BertSequence) {
        if !pieces.ids.is_empty() {
            self.pieces.push_pair(&pieces.ids, pieces.of_first);
        }
    }

    /// Sentences and documents.
    pub fn layout(&self) -> Documents {
        Documents {
            sentences: self.sentences.clone(),
            documents: self.documents.clone(),
        }
    }

    /// Every sentence attends to itself.
    pub fn own_segments(&self) -> Arc<[Segment]> {
        Segment::own(&self.sentences)
    }

    /// Every sentence attends to the sentence of the same number in `memory`.
    pub fn segments_over(&self, memory: &[Range<usize>]) -> Arc<[Segment]> {
        assert_eq!(
            self.sentences.len(),
            memory.len(),
            "sentences and their memories"
        );
        let pairs = self.sentences.iter().zip(memory);
        pairs
            .map(|(rows, keys)| Segment {
                queries: rows.clone(),
                keys: keys.clone(),
            })
            .collect()
    }

    /// For every sentence the rows of the `previous` ones of its document, of a break and of itself, as a batch in
    /// which each such run is a sentence; and where in it the sentences themselves stand.
    pub fn concatenated(&self, previous: usize, sentence_break: u32) -> (Self, Vec<Range<usize>>) {
        let (mut joined, mut own) = (Self::default(), Vec::with_capacity(self.sentences.len()));
        for document in &self.documents {
            joined.begin_document();
            for sentence in document.clone() {
                let first = document.start.max(sentence.saturating_sub(previous));
                let mut ids = Vec::new();
                for before in &self.sentences[first..sentence] {
                    ids.extend_from_slice(&self.ids[before.clone()]);
                    ids.push(sentence_break);
                }
                let start = joined.ids.len() + ids.len();
                ids.extend_from_slice(&self.ids[self.sentences[sentence].clone()]);
                let [_, position, paragraph] = self.positions[sentence];
                joined.push(&ids, (position, paragraph));
                own.push(start..joined.ids.len());
            }
        }
        (joined, own)
    }
}

impl PackedBatch {
    /// Where each row of [`Self::concatenated`] comes from; none for a break.
    pub(super) fn concatenated_from(&self, previous: usize) -> Vec<Option<u32>> {
        let number = |row| Some(u32::try_from(row).expect("rows fit 32 bits"));
        let mut origin = Vec::new();
        for document in &self.documents {
            for sentence in document.clone() {
                let first = document.start.max(sentence.saturating_sub(previous));
                for before in &self.sentences[first..sentence] {
                    origin.extend(before.clone().map(number));
                    origin.push(None);
                }
                origin.extend(self.sentences[sentence].clone().map(number));
            }
        }
        origin
    }
}

impl PackedBatch {
    /// The place of every row.
    pub(super) fn word_positions(&self) -> Vec<[usize; 3]> {
        let counted = self.sentences.iter().zip(&self.positions);
        counted
            .flat_map(|(range, &[first, sentence, paragraph])| {
                (0..range.len()).map(move |word| [first + word, sentence, paragraph])
            })
            .collect()
    }
}

/// A table of word vectors and what it adds for their places.
#[derive(Module, Debug)]
pub struct Embedding {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// Learned tables of places for words, sentences and paragraphs, each `[size, d_model]`; none if sinusoidal.
    pub positions: Option<PositionTables>,
    /// What stands before the first layer of the side that the table was made for; of other programs' models only.
    pub input: Option<InputLayer>,
    /// Added to the words; none if their places are learned or not known.
    #[module(skip)]
    pub sinusoids: Option<Sinusoids>,
    /// Factor of the words.
    pub scale: f64,
}

impl Embedding {
    /// Embeds the words of the source, and of the target too if it has no table of its own.
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        Self::sized(config, config.vocab_size, device)
    }

    /// Embeds words of a vocabulary of so many tokens.
    pub fn sized(config: &ModelConfig, vocab_size: usize, device: &Device) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (config.d_model as f64).powf(-0.5);
        let table = |rows: usize| {
            let distribution = Distribution::Normal(0.0, deviation);
            Param::from_tensor(Tensor::random([rows, config.d_model], distribution, device))
        };
        let positions = match config.positions {
            Positions::Sinusoidal
            | Positions::Sinusoids(_)
            | Positions::Learned { .. }
            | Positions::Unknown => None,
            Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
                ..
            } => Some(PositionTables {
                words: table(words),
                sentences: table(sentences),
                paragraphs: table(paragraphs),
            }),
        };
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let width = config.d_model as f64;
        Self {
            words: table(vocab_size),
            positions,
            input: InputLayer::new(config, device),
            sinusoids: config.positions.sinusoids(),
            scale: config
                .variant
                .embedding_scale
                .map_or(width.sqrt(), f64::from),
        }
    }

    /// Embeds whole sentences: `words · √d_model + positions`, Vaswani et al. 2017, §3.4.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn forward(&self, rows: &PackedBatch, drop: &DropoutSource) -> Tensor<2> {
        dropout(self.embed(&rows.ids, &rows.word_positions()), drop.next())
    }

    /// Embeds single words, each with its place (word, sentence, paragraph).
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn embed(&self, ids: &[u32], positions: &[[usize; 3]]) -> Tensor<2> {
        self.embed_at(self.words(ids), positions, self.input.as_ref())
    }

    /// The vectors of some words, scaled, without places.
    pub(super) fn words(&self, ids: &[u32]) -> Tensor<2> {
        let table = self.words.val();
        let rows = indices(ids.iter().map(|&id| id as usize), &table.device());
        table.select(0, rows) * self.scale
    }

    /// Adds places to words, as the side of `input` has them.
    pub(super) fn embed_at(
        &self,
        words: Tensor<2>,
        positions: &[[usize; 3]],
        input: Option<&InputLayer>,
    ) -> Tensor<2> {
        let ([rows, d_model], device) = (words.dims(), words.device());
        let words = match self.sinusoids {
            Some(kind) => {
                let sines = sinusoids(positions.iter().map(|&[word, ..]| word), d_model, kind);
                words + Tensor::from_data(TensorData::new(sines, [rows, d_model]), &device)
            }
            None => words,
        };
        if let Some(input) = input {
            return input.forward(words, positions);
        }
        let Some(tables) = &self.positions else {
            return words;
        };
        let sizes = tables.sizes();
        let wrapped: Vec<[usize; 3]> = positions
            .iter()
            .map(|position| std::array::from_fn(|level| position[level] % sizes[level]))
            .collect();
        words + tables.forward(&wrapped)
    }
}

/// Row numbers as a tensor `[rows]`.
pub(super) fn indices(
    rows: impl ExactSizeIterator<Item = usize>,
    device: &Device,
) -> Tensor<1, Int> {
    let len = rows.len();
    let rows: Vec<i32> = rows
        .map(|row| i32::try_from(row).expect("rows fit 31 bits"))
        .collect();
    Tensor::from_data(TensorData::new(rows, [len]), device)
}
