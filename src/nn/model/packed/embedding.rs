//! Words and their places as rows of numbers.

use std::sync::Arc;

use rayon::prelude::*;

use super::layers::Packing;
use crate::model::counting::{Place, place_after};
use crate::model::embedding::Embedding;
use crate::model::input_layer::InputLayer;
use crate::model::packed_batch::PackedBatch;
use crate::model::sinusoids::sinusoid_table;
use crate::model::variant::Sinusoids;
use canopy_kernels::packed::{RowNorm, Table};

/// The tables of an [`Embedding`] and what is after them, whose numbers are shared with it or as its file keeps them.
#[derive(Debug, Clone)]
pub(super) struct PackedEmbedding {
    words: Arc<Table>,
    scale: f32,
    sinusoids: Option<Sinusoids>,
    /// Tables of words, sentences, paragraphs and sections; each counts from its beginning again.
    tables: Vec<Table>,
    /// Places of words; those after the last have its vector.
    learned: Option<Table>,
    norm: Option<RowNorm>,
    /// Whether the first word is a zero vector.
    zero_start: bool,
}

impl PackedEmbedding {
    /// `words` are those of `embedding`.
    pub(super) fn new(
        embedding: &Embedding,
        words: Arc<Table>,
        (input, zero_start): (Option<&InputLayer>, bool),
        packing: Packing<'_>,
    ) -> Self {
        let tables = embedding.positions.as_ref();
        let tables = tables.filter(|_| input.is_none());
        #[expect(clippy::cast_possible_truncation, reason = "numbers have 32 bits here")]
        let scale = embedding.scale as f32;
        Self {
            words,
            scale,
            sinusoids: embedding.sinusoids,
            tables: tables.map_or_else(Vec::new, |it| {
                it.tables().map(|table| packing.table(table)).collect()
            }),
            learned: input.and_then(|input| Some(packing.table(input.positions.as_ref()?))),
            norm: input.and_then(|input| Some(packing.norm(input.norm.as_ref()?))),
            zero_start,
        }
    }

    /// Reads words from `new` in place of `old`, if they come from there.
    pub(super) fn replace_words(&mut self, old: &Arc<Table>, new: &Arc<Table>) {
        if Arc::ptr_eq(&self.words, old) {
            self.words = Arc::clone(new);
        }
    }

    /// Embeds whole sentences, each counted from its place; as [`Embedding::forward`].
    pub(super) fn rows(&self, rows: &PackedBatch, positions: &[Place]) -> Vec<f32> {
        self.words(&rows.ids, &word_positions(rows, positions))
    }

    /// [`Self::embed`] on all cores.
    pub(super) fn rows_on_cores(&self, rows: &PackedBatch, positions: &[Place]) -> Vec<f32> {
        self.words_on_cores(&rows.ids, &word_positions(rows, positions))
    }

    /// [`Self::words`] by all cores.
    pub(super) fn words_on_cores(&self, ids: &[u32], positions: &[Place]) -> Vec<f32> {
        /// Number of words from which a second core pays off.
        const WORDS: usize = 32;
        if ids.len() <= WORDS {
            return self.words(ids, positions);
        }
        let parts = ids.par_chunks(WORDS).zip(positions.par_chunks(WORDS));
        let parts = parts.map(|(ids, positions)| self.words(ids, positions));
        parts.collect::<Vec<_>>().concat()
    }

    /// Embeds single words, as [`Embedding::embed`].
    pub(super) fn words(&self, ids: &[u32], positions: &[Place]) -> Vec<f32> {
        let d_model = self.words.columns();
        let mut embedded = Vec::with_capacity(ids.len() * d_model);
        let count = positions.iter().map(|place| place[0] + 1).max();
        let (sines, mut row) = (self.sinusoids, Vec::new());
        let sines = sines.map(|kind| sinusoid_table(count.unwrap_or(0), d_model, kind));
        for (&id, place) in ids.iter().zip(positions) {
            let begin = embedded.len();
            let is_zero = self.zero_start && place[0] == 0;
            let scale = if is_zero { 0.0 } else { self.scale };
            let id = id as usize;
            self.words.extend(id..id + 1, &mut embedded);
            embedded[begin..].iter_mut().for_each(|x| *x *= scale);
            let mut add = |row: &[f32]| {
                for (x, place) in embedded[begin..].iter_mut().zip(row) {
                    *x += place;
                }
            };
            if let Some(sines) = &sines {
                add(&sines[place[0] * d_model..][..d_model]);
            }
            if let Some(table) = &self.learned {
                add(table.row(place[0].min(table.rows() - 1), &mut row));
            }
            for (table, place) in self.tables.iter().zip(place) {
                add(table.row(place % table.rows(), &mut row));
            }
        }
        if let Some(norm) = &self.norm {
            norm.apply(&mut embedded);
        }
        embedded
    }
}

/// The place of each word of sentences that are counted from their places.
fn word_positions(rows: &PackedBatch, positions: &[Place]) -> Vec<Place> {
    let counted = rows.sentences.iter().zip(positions);
    let places = counted
        .flat_map(|(range, place)| (0..range.len()).map(move |word| place_after(place, word)));
    places.collect()
}
