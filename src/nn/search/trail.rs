//! What a greedy search computes of every word of a draft, kept for the sentences that read it.

use crate::model::{PackedDecoderOutput, TranslationStates};

/// The words of every sentence of a batch so far.
#[derive(Debug)]
pub(super) struct Trail(Vec<Words>);

#[derive(Debug, Default, Clone)]
struct Words {
    ids: Vec<u32>,
    states: TranslationStates,
    /// Whether these are the words of several hypotheses.
    is_mixed: bool,
}

impl Trail {
    /// Of so many sentences, before their first words.
    pub fn of(sentences: usize) -> Self {
        Self(vec![Words::default(); sentences])
    }

    /// Adds what was told of a word of some sentences, each of which should have one hypothesis.
    pub fn add(&mut self, sentences: &[usize], ids: &[u32], told: &PackedDecoderOutput) {
        let width = told.states.len() / ids.len().max(1);
        for (row, (&sentence, &id)) in sentences.iter().zip(ids).enumerate() {
            let numbers = row * width..(row + 1) * width;
            let Words {
                ids,
                states,
                is_mixed,
            } = &mut self.0[sentence];
            *is_mixed |= row > 0 && sentences[row - 1] == sentence;
            ids.push(id);
            states
                .states
                .extend_from_slice(&told.states[numbers.clone()]);
            states
                .fed_forward
                .extend_from_slice(&told.fed_forward[numbers]);
        }
    }

    /// What is kept of a translation and of what stands before its first word; None if not all of it is.
    pub fn take(&mut self, sentence: usize, translation: &[u32]) -> Option<TranslationStates> {
        let Words {
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

    fn told(rows: &[f32]) -> PackedDecoderOutput {
        PackedDecoderOutput {
            states: rows.to_vec(),
            fed_forward: rows.iter().map(|it| -it).collect(),
        }
    }

    #[test]
    fn a_translation_has_a_row_for_every_word_and_the_one_before() {
        let mut trail = Trail::of(2);
        trail.add(&[0, 1], &[2, 2], &told(&[1.0, 2.0]));
        trail.add(&[0, 1], &[7, 8], &told(&[3.0, 4.0]));
        trail.add(&[1], &[9], &told(&[5.0]));
        let found = trail.take(1, &[8]).expect("all words");
        assert_eq!(found.states, [2.0, 4.0]);
        assert_eq!(found.fed_forward, [-2.0, -4.0]);
        assert!(
            trail.take(0, &[7, 8]).is_none(),
            "the last word is not there"
        );
    }

    #[test]
    fn what_a_beam_left_behind_is_no_translation() {
        let mut trail = Trail::of(1);
        trail.add(&[0], &[2], &told(&[1.0]));
        trail.add(&[0, 0], &[7, 8], &told(&[3.0, 4.0]));
        assert!(trail.take(0, &[7, 8]).is_none());
    }
}
