//! The most probable way to cut a text into pieces.
//!
//! Kudo, "Subword Regularization", ACL 2018, §3.2, by the Viterbi algorithm, with the arithmetic of the library
//! `sentencepiece`: of equal ways its own is found.

use super::Cut;
use super::pieces::{Kind, Pieces};

/// How much less probable than any piece a character without one is.
const UNKNOWN_PENALTY: f32 = 10.0;

/// The last piece of the best way to cut a beginning of the text.
#[derive(Debug, Clone, Copy)]
struct Last {
    /// Log-probability of all of it.
    score: f32,
    /// None before any way is found.
    start: Option<usize>,
    id: u32,
}

impl Last {
    /// The first of equal ones stays, whose last piece is longer.
    fn improve(&mut self, score: f32, start: usize, id: u32) {
        if self.start.is_none() || score > self.score {
            *self = Self {
                score,
                start: Some(start),
                id,
            };
        }
    }
}

pub(super) fn cut(text: &str, pieces: &Pieces) -> Vec<Cut> {
    let unknown_score = pieces.least_score - UNKNOWN_PENALTY;
    let none = Last {
        score: 0.0,
        start: None,
        id: pieces.unknown,
    };
    let mut best = vec![none; text.len() + 1];
    for (start, character) in text.char_indices() {
        let before = best[start].score;
        let after = start + character.len_utf8();
        let mut has_own = false;
        let longest = pieces.longest_from(character);
        let ends = text[start..]
            .char_indices()
            .map(|(at, c)| start + at + c.len_utf8());
        for end in ends.take_while(|&end| end - start <= longest) {
            let Some(id) = pieces.ordinary(&text[start..end]) else {
                continue;
            };
            let piece = &pieces.list[id as usize];
            let score = match piece.kind {
                Kind::Unused => continue,
                Kind::UserDefined => (end - start) as f32 * pieces.greatest_score - 0.1,
                _ => piece.score,
            };
            best[end].improve(score + before, start, id);
            has_own |= end == after;
        }
        if !has_own {
            best[after].improve(unknown_score + before, start, pieces.unknown);
        }
    }
    let mut cuts = Vec::new();
    let mut end = text.len();
    while let Some(start) = best[end].start.filter(|_| end > 0) {
        cuts.push(Cut {
            range: start..end,
            id: best[end].id,
        });
        end = start;
    }
    cuts.reverse();
    cuts
}
