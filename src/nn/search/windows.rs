//! Which sentences are encoded together: whole documents, and windows of those that are too long.

use std::ops::Range;

use super::batch::SourceSentence;

/// Source tokens that are encoded at once. Their states, and those of one sublayer while it computes, take about
/// `16 · d_model` numbers a token: 0.5 GB where `d_model` is 512.
pub const LARGEST: usize = 16_384;

/// The least length that a sentence counts as: scores of sentences grow with tokens times sentences.
const LEAST: usize = 8;

/// Consecutive sentences of one document that are encoded together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// All sentences that are read.
    pub read: Range<usize>,
    /// Sentences that no window before it translates.
    pub own: Range<usize>,
}

/// A document in windows of up to `largest` tokens, a quarter of each for what precedes its own sentences.
///
/// A window has a sentence of its own even where that is larger.
pub fn windows(
    sentences: &[SourceSentence],
    document: &Range<usize>,
    largest: usize,
) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let (mut start, mut own) = (document.start, document.start);
    while own < document.end {
        let mut end = own + 1;
        let mut sum = size(&sentences[start..end]);
        while end < document.end && sum + size(&sentences[end..=end]) <= largest {
            sum += size(&sentences[end..=end]);
            end += 1;
        }
        windows.push(Window {
            read: start..end,
            own: own..end,
        });
        (start, own) = (end, end);
        let mut overlap = 0;
        while start > document.start && overlap + size(&sentences[start - 1..start]) <= largest / 4
        {
            overlap += size(&sentences[start - 1..start]);
            start -= 1;
        }
    }
    windows
}

/// The windows of all documents in runs of up to `largest` tokens, at least one window in each; a part of a document
/// is alone, so that what it reads does not depend on the documents after it.
pub(super) fn groups(
    sentences: &[SourceSentence],
    documents: &[Range<usize>],
    largest: usize,
) -> Vec<Vec<Window>> {
    let mut groups: Vec<Vec<Window>> = Vec::new();
    let (mut sum, mut open) = (0, false);
    for document in documents {
        for window in windows(sentences, document, largest) {
            let is_whole = window.read == *document;
            let more = size(&sentences[window.read.clone()]);
            match groups.last_mut() {
                Some(group) if open && is_whole && sum + more <= largest => group.push(window),
                _ => {
                    groups.push(vec![window]);
                    sum = 0;
                }
            }
            sum += more;
            open = is_whole;
        }
    }
    groups
}

fn size(sentences: &[SourceSentence]) -> usize {
    let sizes = sentences
        .iter()
        .map(|sentence| (sentence.ids.len() + 1).max(LEAST));
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(lengths: &[usize]) -> Vec<SourceSentence> {
        let sentence = |&len: &usize| SourceSentence {
            ids: vec![9; len - 1],
            position: (0, 0),
        };
        lengths.iter().map(sentence).collect()
    }

    #[test]
    fn every_sentence_is_in_one_windows_own_and_no_window_is_too_large() {
        let sentences = sentences(&[10, 20, 10, 90, 10, 10, 300, 10, 10, 10, 10, 10, 40, 50]);
        let windows = windows(&sentences, &(1..14), 100);
        let own: Vec<usize> = windows
            .iter()
            .flat_map(|window| window.own.clone())
            .collect();
        assert_eq!(own, (1..14).collect::<Vec<_>>());
        for Window { read, own } in &windows {
            assert_eq!(read.end, own.end);
            assert!(
                size(&sentences[read.clone()]) <= 100 || own.len() == 1,
                "{read:?}"
            );
        }
        assert!(windows.iter().any(|window| window.read != window.own));
    }

    #[test]
    fn short_documents_are_read_whole_and_together() {
        let sentences = sentences(&[10; 9]);
        let whole = |range: Range<usize>| Window {
            read: range.clone(),
            own: range,
        };
        assert_eq!(
            groups(&sentences, &[0..3, 3..5, 5..5, 5..9], 60),
            [vec![whole(0..3), whole(3..5)], vec![whole(5..9)]]
        );
    }

    #[test]
    fn a_part_of_a_document_stands_alone() {
        let sentences = sentences(&[10; 9]);
        let groups = groups(&sentences, &[0..1, 1..7, 7..8, 8..9], 40);
        let windows = groups.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(windows, [1, 1, 1, 2]);
        let read = groups.iter().flatten().map(|window| window.read.clone());
        assert_eq!(read.collect::<Vec<_>>(), [0..1, 1..5, 4..7, 7..8, 8..9]);
    }
}
