//! Tercom's greedy search for shifts.

use super::alignment::{Alignment, Distances};

/// Words of the longest phrase that is shifted.
const MAX_SHIFT_SIZE: usize = 10;
/// How far a phrase may be from its place in the reference.
const MAX_SHIFT_DISTANCE: usize = 50;
/// After this many candidates the search ends; sacrebleu's own limit.
const MAX_CANDIDATES: usize = 1_000;

/// Shifts and other edits that turn the hypothesis into the reference.
pub(super) fn edits(hypothesis: &[u32], reference: &[u32]) -> usize {
    if reference.is_empty() {
        return hypothesis.len();
    }
    let mut words = hypothesis.to_vec();
    let mut distances = Distances::new(&words, reference);
    let (mut shifts, mut candidates) = (0, 0);
    loop {
        let before = distances.move_to(&words);
        let best = best_shift(&words, reference, &mut distances, &mut candidates);
        let helpful = best.filter(|shift| shift.distance < before && candidates < MAX_CANDIDATES);
        let Some(shift) = helpful else {
            return shifts + before;
        };
        words = shifted(&words, &shift);
        shifts += 1;
    }
}

/// A phrase of the hypothesis and where it goes.
#[derive(Debug, Clone, Copy)]
struct Shift {
    start: usize,
    len: usize,
    target: usize,
    /// Edits that remain afterwards.
    distance: usize,
}

impl Shift {
    /// Tercom's order: fewest edits, then longest phrase, then earliest phrase, then earliest place.
    fn is_better_than(&self, other: &Self) -> bool {
        let rank = |shift: &Self| {
            (
                shift.distance,
                std::cmp::Reverse(shift.len),
                shift.start,
                shift.target,
            )
        };
        rank(self) < rank(other)
    }
}

fn best_shift(
    words: &[u32],
    reference: &[u32],
    distances: &mut Distances,
    candidates: &mut usize,
) -> Option<Shift> {
    let alignment = distances.alignment();
    let mut best: Option<Shift> = None;
    for start in 0..words.len() {
        let nearest = start.saturating_sub(MAX_SHIFT_DISTANCE);
        let farthest = reference.len().min(start + MAX_SHIFT_DISTANCE + 1);
        for place in nearest..farthest {
            let same = words[start..]
                .iter()
                .zip(&reference[place..])
                .take(MAX_SHIFT_SIZE)
                .take_while(|(word, expected)| word == expected)
                .count();
            for len in 1..=same {
                if !is_worth_trying(&alignment, start, place, len) {
                    continue;
                }
                for target in targets(&alignment, place, len) {
                    let mut shift = Shift {
                        start,
                        len,
                        target,
                        distance: 0,
                    };
                    shift.distance = distances.move_to(&shifted(words, &shift));
                    *candidates += 1;
                    if best.is_none_or(|best| shift.is_better_than(&best)) {
                        best = Some(shift);
                    }
                }
                if *candidates >= MAX_CANDIDATES {
                    return best;
                }
            }
        }
    }
    best
}

/// Something must be wrong at both ends, and the phrase must not be in place already.
fn is_worth_trying(alignment: &Alignment, start: usize, place: usize, len: usize) -> bool {
    let wrong = |errors: &[bool], from: usize| errors[from..from + len].contains(&true);
    // The counterpart is the word before `ends`; there is none before the first word.
    let counterpart = alignment.ends[place].checked_sub(1);
    wrong(&alignment.hypothesis_errors, start)
        && wrong(&alignment.reference_errors, place)
        && counterpart.is_none_or(|word| !(start..start + len).contains(&word))
}

/// Places in the hypothesis, each once in a row: before the phrase's place in the reference and after each of its words.
fn targets(alignment: &Alignment, place: usize, len: usize) -> Vec<usize> {
    let before = match place {
        0 => 0,
        _ => alignment.ends[place - 1],
    };
    let after = &alignment.ends[place..alignment.ends.len().min(place + len)];
    let mut targets = vec![before];
    targets.extend(after);
    targets.dedup();
    targets
}

/// The words with a phrase moved to before the word at `target` now.
fn shifted(words: &[u32], shift: &Shift) -> Vec<u32> {
    let Shift {
        start, len, target, ..
    } = *shift;
    let phrase = &words[start..start + len];
    let mut rest = words.to_vec();
    rest.drain(start..start + len);
    // A place inside the phrase means as many words after its beginning, as in Tercom.
    let at = if target > start + len {
        target - len
    } else {
        target.min(rest.len())
    };
    rest.splice(at..at, phrase.iter().copied());
    rest
}
