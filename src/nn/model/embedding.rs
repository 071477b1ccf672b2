//! Tokens and their places as vectors.

use std::collections::BTreeSet;

use burn::module::{Module, Param};
use burn::nn::Initializer;
use burn::tensor::{Device, Distribution, Tensor, TensorData};

use super::config::{ModelConfig, Positions};
use super::counting::Place;
use super::input_layer::InputLayer;
use super::packed_batch::PackedBatch;
use super::positions::PositionTables;
use super::sinusoids::sinusoids;
use super::variant::Sinusoids;
use canopy_document::document::HEADING_LEVELS;
use canopy_kernels::{DropoutSource, RowNumbers, dropout, is_cpu, select_rows};

/// A table of token vectors and what it adds for their places.
#[derive(Module, Debug)]
pub struct Embedding {
    /// `[vocab, d_model]`
    pub words: Param<Tensor<2>>,
    /// Learned tables of places for tokens, sentences, paragraphs and sections, each `[size, d_model]`; none if sinusoidal.
    pub positions: Option<PositionTables>,
    /// The input layer of the side that the table was made for; of other programs' models only.
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

    /// Embeds words of a vocabulary of `vocab` tokens.
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
                headings,
                ..
            } => Some(PositionTables {
                words: table(words),
                sentences: table(sentences),
                paragraphs: table(paragraphs),
                headings: match headings {
                    0 => Vec::new(),
                    size => (0..HEADING_LEVELS).map(|_| table(size)).collect(),
                },
            }),
        };
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let width = config.d_model as f64;
        Self {
            // The largest table: drawn when it is first used, unless it is read from a file.
            words: if config.tied_embeddings {
                let normal = Initializer::Normal {
                    mean: 0.0,
                    std: deviation,
                };
                normal.init([vocab_size, config.d_model], device)
            } else {
                table(vocab_size)
            },
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

    /// Embeds single tokens, each with its place.
    ///
    /// # Shapes
    /// - output: `[rows, d_model]`
    pub fn embed(&self, ids: &[u32], positions: &[Place]) -> Tensor<2> {
        self.embed_at(self.words(ids), positions, self.input.as_ref())
    }

    /// The vectors of some words, scaled, without places.
    pub(super) fn words(&self, ids: &[u32]) -> Tensor<2> {
        let rows: RowNumbers = ids.iter().map(|&id| id as usize).collect();
        select_rows(self.words.val(), &rows) * self.scale
    }

    /// Adds places to words, as the side of `input` has them.
    pub(super) fn embed_at(
        &self,
        words: Tensor<2>,
        positions: &[Place],
        input: Option<&InputLayer>,
    ) -> Tensor<2> {
        let ([rows, d_model], device) = (words.dims(), words.device());
        let words = match self.sinusoids {
            Some(kind) if is_cpu(&device) => {
                let sines = sinusoids(positions.iter().map(|&[word, ..]| word), d_model, kind);
                words + Tensor::from_data(TensorData::new(sines, [rows, d_model]), &device)
            }
            Some(kind) => words + sinusoids_there(positions, d_model, kind, &device),
            None => words,
        };
        if let Some(input) = input {
            return input.forward(words, positions);
        }
        let Some(tables) = &self.positions else {
            return words;
        };
        let sizes = tables.sizes();
        let wrap = |position: &Place| -> Place {
            std::array::from_fn(|level| position[level].checked_rem(sizes[level]).unwrap_or(0))
        };
        let wrapped: Vec<Place> = positions.iter().map(wrap).collect();
        words + tables.forward(&wrapped)
    }
}

/// The sines of all rows on a device that takes numbers slowly: those of each place once, and the numbers of the places.
fn sinusoids_there(
    positions: &[Place],
    d_model: usize,
    kind: Sinusoids,
    device: &Device,
) -> Tensor<2> {
    let places: BTreeSet<usize> = positions.iter().map(|&[word, ..]| word).collect();
    let sines = sinusoids(places.iter().copied(), d_model, kind);
    let sines = TensorData::new(sines, [places.len(), d_model]);
    let sines = Tensor::from_data(sines, device);
    if places.len() == 1 {
        return sines;
    }
    let places: Vec<usize> = places.into_iter().collect();
    let row = |&[word, ..]: &Place| places.partition_point(|&place| place < word);
    select_rows(sines, &positions.iter().map(row).collect())
}
