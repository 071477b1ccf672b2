//! The states of the tokens of drafts, kept while these are searched greedily, for the sentences that read them.

use crate::model::packed::{PackedDecoderOutput, TranslationStates};

/// The tokens of every sentence of a batch so far.
#[derive(Debug)]
pub struct DraftStates(Vec<Draft>);

#[derive(Debug, Default, Clone)]
struct Draft {
    ids: Vec<u32>,
    states: TranslationStates,
    /// Whether these are the tokens of several hypotheses.
    is_mixed: bool,
}

impl DraftStates {
    /// States of `sentences` sentences, before their first tokens.
    pub fn new(sentences: usize) -> Self {
        Self(vec![Draft::default(); sentences])
    }

    /// Adds the output for a token of some sentences, each of which should have one hypothesis.
    pub(super) fn add(&mut self, sentences: &[usize], ids: &[u32], output: &PackedDecoderOutput) {
        let width = output.states.len() / ids.len().max(1);
        for (row, (&sentence, &id)) in sentences.iter().zip(ids).enumerate() {
            let numbers = row * width..(row + 1) * width;
            let Draft {
                ids,
                states,
                is_mixed,
            } = &mut self.0[sentence];
            *is_mixed |= row > 0 && sentences[row - 1] == sentence;
            ids.push(id);
            states
                .states
                .extend_from_slice(&output.states[numbers.clone()]);
            states
                .fed_forward
                .extend_from_slice(&output.fed_forward[numbers]);
        }
    }

    /// The states of a translation and of the token before its first one; none if not all of them are kept.
    pub fn take(&mut self, sentence: usize, translation: &[u32]) -> Option<TranslationStates> {
        let Draft {
            ids,
            mut states,
            is_mixed,
        } = std::mem::take(&mut self.0[sentence]);
        let rows = translation.len() + 1;
        if is_mixed || ids.get(1..rows)? != translation {
            return None;
        }
        let width = states.states.len() / ids.len();
        states.states.truncate(rows * width);
        states.fed_forward.truncate(rows * width);
        Some(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(rows: &[f32]) -> PackedDecoderOutput {
        PackedDecoderOutput {
            states: rows.to_vec(),
            fed_forward: rows.iter().map(|it| -it).collect(),
        }
    }

    #[test]
    fn a_translation_has_a_row_for_every_word_and_the_one_before() {
        let mut drafts = DraftStates::new(2);
        drafts.add(&[0, 1], &[2, 2], &output(&[1.0, 2.0]));
        drafts.add(&[0, 1], &[7, 8], &output(&[3.0, 4.0]));
        drafts.add(&[1], &[9], &output(&[5.0]));
        let found = drafts.take(1, &[8]).expect("all words");
        assert_eq!(found.states, [2.0, 4.0]);
        assert_eq!(found.fed_forward, [-2.0, -4.0]);
        assert!(
            drafts.take(0, &[7, 8]).is_none(),
            "the last word is not there"
        );
    }

    #[test]
    fn what_a_beam_left_behind_is_no_translation() {
        let mut drafts = DraftStates::new(1);
        drafts.add(&[0], &[2], &output(&[1.0]));
        drafts.add(&[0, 0], &[7, 8], &output(&[3.0, 4.0]));
        assert!(drafts.take(0, &[7, 8]).is_none());
    }
}
