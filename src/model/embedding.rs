//! Words and their places as vectors.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Int, Tensor, TensorData};

use super::bert::{BertBatch, BertSequence};
use super::config::{ModelConfig, Positions};
use super::documents::Documents;
use super::positions::PositionTables;
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

/// A table of word vectors and what it adds for their places.
#[derive(Module, Debug)]
pub struct Embedding {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// Learned tables of places for words, sentences and paragraphs, each `[size, d_model]`; none if sinusoidal.
    pub positions: Option<PositionTables>,
}

impl Embedding {
    pub fn new(config: &ModelConfig, device: &Device) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let deviation = (config.d_model as f64).powf(-0.5);
        let table = |rows: usize| {
            let distribution = Distribution::Normal(0.0, deviation);
            Param::from_tensor(Tensor::random([rows, config.d_model], distribution, device))
        };
        let positions = match config.positions {
            Positions::Sinusoidal => None,
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
        Self {
            words: table(config.vocab_size),
            positions,
        }
    }

    /// Embeds whole sentences: `words · √d_model + positions`, Vaswani et al. 2017, §3.4.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn forward(&self, rows: &PackedBatch, drop: &DropoutSource) -> Tensor<2> {
        let counted = rows.sentences.iter().zip(&rows.positions);
        let positions: Vec<[usize; 3]> = counted
            .flat_map(|(range, &[first, sentence, paragraph])| {
                (0..range.len()).map(move |word| [first + word, sentence, paragraph])
            })
            .collect();
        dropout(self.embed(&rows.ids, &positions), drop.next())
    }

    /// Embeds single words, each with its place (word, sentence, paragraph).
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn embed(&self, ids: &[u32], positions: &[[usize; 3]]) -> Tensor<2> {
        let table = self.words.val();
        let ([_, d_model], device) = (table.dims(), table.device());
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let scale = (d_model as f64).sqrt();
        let words = table.select(0, indices(ids.iter().map(|&id| id as usize), &device)) * scale;
        let Some(tables) = &self.positions else {
            let sines = sinusoids(positions.iter().map(|&[word, ..]| word), d_model);
            return words
                + Tensor::from_data(TensorData::new(sines, [ids.len(), d_model]), &device);
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

/// Sines and cosines of places, alternating, Vaswani et al. 2017, §3.5; row by row `[positions, d_model]`.
fn sinusoids(positions: impl Iterator<Item = usize> + Clone, d_model: usize) -> Vec<f32> {
    let count = positions.clone().max().map_or(0, |largest| largest + 1);
    let table = sinusoid_table(count, d_model);
    positions
        .flat_map(|position| &table[position * d_model..(position + 1) * d_model])
        .copied()
        .collect()
}

/// The rows of [`sinusoids`] for the first `count` places or more. They are computed once and kept: a search asks for them
/// at every step.
fn sinusoid_table(count: usize, d_model: usize) -> Arc<[f32]> {
    /// By width.
    static TABLES: RwLock<BTreeMap<usize, Arc<[f32]>>> = RwLock::new(BTreeMap::new());
    /// Sentences are seldom longer.
    const LEAST: usize = 64;
    let known = TABLES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = known.get(&d_model)
        && table.len() >= count * d_model
    {
        return Arc::clone(table);
    }
    drop(known);
    let count = count.next_power_of_two().max(LEAST);
    let table: Arc<[f32]> = (0..count * d_model)
        .map(|index| sinusoid(index / d_model, index % d_model, d_model))
        .collect();
    let mut known = TABLES.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have computed a longer one meanwhile.
    let kept = known.entry(d_model).or_insert_with(|| Arc::clone(&table));
    if kept.len() < table.len() {
        *kept = table;
    }
    Arc::clone(kept)
}

#[expect(clippy::cast_precision_loss, reason = "places and widths are small")]
fn sinusoid(position: usize, column: usize, d_model: usize) -> f32 {
    let angle = position as f32 / 10_000_f32.powf((column / 2 * 2) as f32 / d_model as f32);
    if column.is_multiple_of(2) {
        angle.sin()
    } else {
        angle.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinusoids_are_computed_once() {
        // No other test has this width.
        const WIDTH: usize = 34;
        let positions = [5, 0, 99, 5];
        let expected: Vec<f32> = positions
            .iter()
            .flat_map(|&position| (0..WIDTH).map(move |column| sinusoid(position, column, WIDTH)))
            .collect();
        assert_eq!(sinusoids(positions.into_iter(), WIDTH), expected);
        let first = sinusoid_table(100, WIDTH);
        for count in [0, 1, 100, 128] {
            assert!(Arc::ptr_eq(&first, &sinusoid_table(count, WIDTH)));
        }
        let longer = sinusoid_table(129, WIDTH);
        assert_eq!(longer[..first.len()], first[..]);
        assert!(Arc::ptr_eq(&longer, &sinusoid_table(100, WIDTH)));
    }
}
