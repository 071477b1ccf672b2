//! A preview of the context that each sentence of one document would get.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use serde::Serialize;

use super::contexts::Texts;
use super::sentence_encoder::SentenceEncoder;
use crate::error::Result;
use canopy_corpus::{Corpus, Split};
use canopy_metrics::similarity::{Measure, Range, Selection, Sentences};

/// The sentence that one of the document gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PreviewedContext {
    /// None: of the same document; else the training document of the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Its number there, counted from 0.
    pub sentence: usize,
    /// As a reader sees it.
    pub text: String,
    /// The value of the measure.
    pub value: f32,
}

/// For each range the pick of each sentence, as CATSBY's Tables 7 and 8 show them; none where there is no candidate.
/// `progress` hears of the encoding and may stop it.
///
/// # Errors
/// If the index cannot be read, or the encoder returns non-finite numbers.
pub fn context_preview(
    encoder: &SentenceEncoder,
    texts: &[String],
    index: Option<&Corpus>,
    (measure, ranges): (Measure, &[Range]),
    progress: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<Vec<Vec<Option<PreviewedContext>>>>> {
    let mut others = Texts::default();
    if let Some(index) = index {
        others.add(index, Split::Train)?;
    }
    let all: Vec<&str> = texts
        .iter()
        .chain(&others.sentences)
        .map(String::as_str)
        .collect();
    let Some(embeddings) = encoder.encode(&all, progress)? else {
        return Ok(None);
    };
    let own = texts.len();
    let sentences = Sentences::new(embeddings, [own].into_iter().chain(others.lengths()));
    let pick = |row: usize, value: f32| {
        let text = all[row].to_owned();
        let Some(row) = row.checked_sub(own) else {
            return PreviewedContext {
                document: None,
                sentence: row,
                text,
                value,
            };
        };
        let (document, sentence) = others.document_and_sentence(row);
        PreviewedContext {
            document: Some(others.ids[document].clone()),
            sentence,
            text,
            value,
        }
    };
    let of_range = |&range| {
        let selection = Selection {
            measure,
            range,
            count: NonZeroUsize::MIN,
        };
        let found = selection.run_for(&sentences, 0..own, |_| ControlFlow::Continue(()));
        let found = found.expect("nothing stops it");
        let first = found.iter().map(|found| found.first());
        first
            .map(|one| one.map(|one| pick(one.row, one.value)))
            .collect()
    };
    Ok(Some(ranges.iter().map(of_range).collect()))
}
