//! Which lines of a test set make a document.

use std::collections::HashMap;

/// The lines of each document, by number from 0, in the order in which the documents begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents(Vec<Vec<usize>>);

impl Documents {
    /// Lines with the same identifier belong together, also where another document is between them.
    pub fn from_ids(ids: &[impl AsRef<str>]) -> Self {
        let mut documents: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (line, id) in ids.iter().enumerate() {
            let document = *known.entry(id.as_ref()).or_insert(documents.len());
            if document == documents.len() {
                documents.push(Vec::new());
            }
            documents[document].push(line);
        }
        Self(documents)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the documents, each as the indices of its segments.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// Each document as one text, its lines joined by spaces: the segments of d-BLEU.
    ///
    /// Liu et al., "Multilingual Denoising Pre-training for Neural Machine Translation", TACL 2020, call BLEU of such
    /// segments d-BLEU and that of sentences s-BLEU.
    pub fn joined(&self, lines: &[impl AsRef<str>]) -> Vec<String> {
        let document = |numbers: &Vec<usize>| {
            let lines: Vec<&str> = numbers.iter().map(|&line| lines[line].as_ref()).collect();
            lines.join(" ")
        };
        self.0.iter().map(document).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_document_come_together_in_order() {
        let documents = Documents::from_ids(&["b", "a", "b", "a", "c"]);
        let lines: Vec<&[usize]> = documents.iter().collect();
        assert_eq!(lines, [&[0, 2][..], &[1, 3], &[4]]);
        assert_eq!(
            documents.joined(&["eins", "zwei", "drei", "vier", ""]),
            ["eins drei", "zwei vier", ""]
        );
    }
}
