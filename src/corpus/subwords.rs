//! The vocabulary of a corpus.

use super::format::Corpus;
use super::split::Split;
use super::unit::UnitStatus;
use crate::error::Result;
use canopy_tokenize::vocabulary::Vocabulary;

/// Learns a joint vocabulary of `size` ids from both sides of the training documents' new units.
///
/// # Errors
/// If the corpus cannot be read, or `size` is too small.
pub fn train_vocabulary(corpus: &Corpus, size: usize) -> Result<Vocabulary> {
    let mut texts = Vec::new();
    for document in corpus.documents(Split::Train)? {
        let units = document?
            .paragraphs
            .into_iter()
            .flat_map(|paragraph| paragraph.units);
        for unit in units.filter(|unit| unit.status == UnitStatus::New) {
            texts.extend([unit.source, unit.target]);
        }
    }
    Ok(Vocabulary::train(texts.into_iter(), size)?)
}
