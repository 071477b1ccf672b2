//! Words and their positions as rows of numbers.

use crate::kernels::packed::Table;
use crate::model::embedding::Embedding;
use crate::model::packed_batch::PackedBatch;
use crate::model::sinusoids::sinusoid_table;
use crate::model::variant::Sinusoids;

/// The tables of an [`Embedding`], whose numbers are shared with it.
#[derive(Debug, Clone)]
pub(super) struct PackedEmbedding {
    words: Table,
    /// Of words, sentences and paragraphs; none if positions are sines.
    positions: Option<[Table; 3]>,
}

impl PackedEmbedding {
    pub fn new(embedding: &Embedding) -> Self {
        let table = |param: &burn::module::Param<burn::tensor::Tensor<2>>| Table::new(param.val());
        let positions = embedding.positions.as_ref();
        Self {
            words: table(&embedding.words),
            positions: positions.map(|it| [&it.words, &it.sentences, &it.paragraphs].map(table)),
        }
    }

    /// Embeds whole sentences, each counted from its place; as [`Embedding::forward`].
    pub fn rows(&self, rows: &PackedBatch, positions: &[[usize; 3]]) -> Vec<f32> {
        let counted = rows.sentences.iter().zip(positions);
        let positions: Vec<[usize; 3]> = counted
            .flat_map(|(range, &[first, sentence, paragraph])| {
                (0..range.len()).map(move |word| [first + word, sentence, paragraph])
            })
            .collect();
        self.words(&rows.ids, &positions)
    }

    /// Embeds single words, as [`Embedding::embed`].
    pub fn words(&self, ids: &[u32], positions: &[[usize; 3]]) -> Vec<f32> {
        let d_model = self.words.columns();
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let scale = (d_model as f32).sqrt();
        let mut embedded = Vec::with_capacity(ids.len() * d_model);
        let count = positions.iter().map(|place| place[0] + 1).max();
        let sines = self.positions.is_none();
        let sines = sines.then(|| sinusoid_table(count.unwrap_or(0), d_model, Sinusoids::PAPER));
        for (&id, place) in ids.iter().zip(positions) {
            let begin = embedded.len();
            embedded.extend(self.words.row(id as usize).iter().map(|x| x * scale));
            let mut add = |row: &[f32]| {
                for (x, place) in embedded[begin..].iter_mut().zip(row) {
                    *x += place;
                }
            };
            if let Some(sines) = &sines {
                add(&sines[place[0] * d_model..][..d_model]);
            }
            for (table, place) in self.positions.iter().flatten().zip(place) {
                add(table.row(place % table.rows()));
            }
        }
        embedded
    }
}
