//! Sentences as vectors, and their documents.

use super::Rows;
use crate::error::{Error, Result};

/// A vector for each sentence, all finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// `[sentences, dimensions]`
    values: Vec<f32>,
    dimensions: usize,
}

impl Embeddings {
    /// Takes vectors that are one after the other.
    ///
    /// # Shapes
    /// - values: `[sentences, dimensions]`
    ///
    /// # Errors
    /// If a number is NaN or infinite; the message names its row, counted from 0.
    ///
    /// # Panics
    /// If the values do not fill whole rows.
    pub fn new(values: Vec<f32>, dimensions: usize) -> Result<Self> {
        assert!(dimensions > 0, "embeddings without dimensions");
        let count = values.len();
        assert!(
            count.is_multiple_of(dimensions),
            "{count} numbers are no rows of {dimensions}"
        );
        match values.iter().position(|value| !value.is_finite()) {
            Some(place) => Err(Error::Embedding {
                found: values[place],
                row: place / dimensions,
                column: place % dimensions,
            }),
            None => Ok(Self { values, dimensions }),
        }
    }

    /// Returns the number of values of a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many sentences there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimensions
    }

    /// Returns whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The vector of a sentence, `[dimensions]`.
    pub fn row(&self, sentence: usize) -> &[f32] {
        &self.values[sentence * self.dimensions..][..self.dimensions]
    }

    /// The values as an owned vector.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }

    /// The vectors one after the other, `[sentences, dimensions]`.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// The sentences of documents that are one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentences {
    embeddings: Embeddings,
    /// Where each document ends; none is empty.
    ends: Vec<usize>,
}

impl Sentences {
    /// Divides sentences into documents; those of length 0 are left out.
    ///
    /// # Panics
    /// If the lengths do not add up to the number of sentences.
    pub fn new(embeddings: Embeddings, lengths: impl IntoIterator<Item = usize>) -> Self {
        let mut end = 0;
        let ends: Vec<usize> = lengths
            .into_iter()
            .filter(|&length| length > 0)
            .map(|length| {
                end += length;
                end
            })
            .collect();
        let count = embeddings.len();
        assert!(
            end == count,
            "documents of {end} sentences, {count} embeddings"
        );
        Self { embeddings, ends }
    }

    /// The sentences of one document.
    pub fn one_document(embeddings: Embeddings) -> Self {
        let length = embeddings.len();
        Self::new(embeddings, [length])
    }

    /// Returns the vectors of all sentences, `[sentences, dimensions]`.
    pub fn embeddings(&self) -> &Embeddings {
        &self.embeddings
    }

    /// Returns the number of sentences.
    pub fn len(&self) -> usize {
        self.embeddings.len()
    }

    /// Returns whether there is no sentence.
    pub fn is_empty(&self) -> bool {
        self.embeddings.is_empty()
    }

    /// The rows of each document.
    pub fn documents(&self) -> impl Iterator<Item = Rows> {
        let mut start = 0;
        self.ends
            .iter()
            .map(move |&end| std::mem::replace(&mut start, end)..end)
    }

    /// The rows of a sentence's document.
    pub fn document_of(&self, sentence: usize) -> Rows {
        let document = self.ends.partition_point(|&end| end <= sentence);
        let start = if document == 0 {
            0
        } else {
            self.ends[document - 1]
        };
        start..self.ends[document]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_none_is_named_by_its_row() {
        for wrong in [f32::NAN, f32::INFINITY] {
            let error = Embeddings::new(vec![0.0, 1.0, 2.0, 3.0, 4.0, wrong], 2);
            let text = error.expect_err("not finite").to_string();
            assert!(text.contains("sentence 2"), "{text}");
        }
    }

    #[test]
    fn a_sentence_knows_its_document() {
        let embeddings = Embeddings::new(vec![0.0; 6], 1).expect("finite");
        let sentences = Sentences::new(embeddings, [2, 0, 1, 3]);
        let documents: Vec<Rows> = sentences.documents().collect();
        assert_eq!(documents, [0..2, 2..3, 3..6]);
        let of_each: Vec<Rows> = (0..6).map(|row| sentences.document_of(row)).collect();
        assert_eq!(of_each, [0..2, 0..2, 2..3, 3..6, 3..6, 3..6]);
    }
}
