//! Translations of a document's sentences, prepared for packed layers that read them.

use rayon::prelude::*;

use crate::model::documents::Documents;
use canopy_kernels::packed::{Columns, PackedMatrix, Scratch, SharedRows};

/// The translations of some documents as a packed layer reads them.
#[derive(Debug)]
pub struct SharedTranslations {
    pub(in crate::model) documents: Documents,
    /// Keys and values of the words of every sentence.
    pub(in crate::model) words: SharedRows,
    /// Keys of the sentences of every document, where these are chosen first.
    pub(in crate::model) sentences: Option<SharedRows>,
}

/// Keys and values of the words of all sentences, each projected from its rows.
///
/// # Shapes
/// - each of the rows: `[rows of documents, d_model]`
pub(in crate::model) fn shared_words(
    maps: [(&PackedMatrix, &[f32]); 2],
    documents: &Documents,
) -> SharedRows {
    /// Sentences that a core projects at a time.
    const SENTENCES: usize = 16;
    let d_model = maps[0].0.outputs();
    let parts = documents.sentences.par_chunks(SENTENCES).map(|sentences| {
        let first = sentences.first().map_or(0, |rows| rows.start);
        let end = sentences.last().map_or(0, |rows| rows.end);
        let projected = maps.map(|(map, rows)| {
            let mut projected = Vec::new();
            let rows = &rows[first * map.inputs()..end * map.inputs()];
            map.multiply(rows, &mut projected, &mut Scratch::default());
            projected
        });
        let columns = projected.each_ref().map(|values| Columns {
            values,
            width: d_model,
            first: 0,
        });
        let own = sentences.iter();
        let own = own.map(|rows| rows.start - first..rows.end - first);
        SharedRows::new(columns, own, d_model)
    });
    SharedRows::joined(parts.collect::<Vec<_>>(), d_model)
}
