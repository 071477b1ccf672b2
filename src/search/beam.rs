//! Beam search, batched over sentences; a beam of one is greedy search.

use super::broken::BrokenScores;
use super::decode::{Decode, NextScores};
use super::markup::{ForcedPlaceholder, Markup};
use crate::model::SearchRule;
use crate::tokenizers::Tokenizer;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchOptions {
    /// Hypotheses kept for each sentence, twice as many where a channel chooses among them; 1 is greedy search.
    pub beam_size: usize,
    /// Exponent α of the length penalty `((5 + length) / 6)^α`, Wu et al. 2016, Eq. 14.
    pub length_penalty: f32,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            beam_size: 4,
            length_penalty: 1.0,
        }
    }
}

impl SearchOptions {
    /// The divisor of the log-probability of a sentence of so many tokens, its end aside.
    pub(super) fn penalty(&self, tokens: usize) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
        let length = tokens as f32 + 1.0;
        ((5.0 + length) / 6.0).powf(self.length_penalty)
    }
}

/// Bounds of the search for one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Placeholders that the translation must hold.
    pub markup: Markup,
    /// Tokens after which a translation is cut off.
    pub max_tokens: usize,
}

/// A finished translation.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Without `bos` and `eos`.
    pub ids: Vec<u32>,
    /// Sum over its tokens and `eos`, natural logarithm.
    pub log_prob: f32,
    /// Whether it reached `max_tokens` before its end.
    pub cut_off: bool,
}

impl Hypothesis {
    /// By which translations of one sentence are compared.
    pub(super) fn score(&self, options: &SearchOptions) -> f32 {
        self.log_prob / options.penalty(self.ids.len())
    }

    /// The same by the rule of the program that made the model.
    fn score_by(&self, options: &SearchOptions, rule: SearchRule) -> f32 {
        let end = match rule {
            SearchRule::Canopy => return self.score(options),
            // There an end is forced upon what is cut off.
            SearchRule::HuggingFace => 1,
            SearchRule::CTranslate2 | SearchRule::Marian => usize::from(!self.cut_off),
        };
        self.log_prob / power(self.ids.len() + end, options)
    }
}

/// A number of tokens to the power of the length penalty.
#[expect(clippy::cast_precision_loss, reason = "sentences are short")]
fn power(tokens: usize, options: &SearchOptions) -> f32 {
    (tokens.max(1) as f32).powf(options.length_penalty)
}

/// A translation under way.
#[derive(Debug, Clone)]
struct Partial {
    ids: Vec<u32>,
    log_prob: f32,
    /// By which it keeps its place in the beam: `log_prob`, but with the probability of the end where a placeholder stood in
    /// for it.
    rank: f32,
    markup: Markup,
}

/// One more token for a hypothesis.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// The number of the hypothesis in the beam.
    parent: usize,
    id: u32,
    /// Of the longer hypothesis, as in [`Partial`].
    log_prob: f32,
    rank: f32,
}

/// A sentence whose search goes on: its rows of the state are one for each of `beam`.
struct Active {
    sentence: usize,
    beam: Vec<Partial>,
    /// Each with the rank it had.
    done: Vec<(Hypothesis, f32)>,
}

/// Searches translations of every sentence of a batch.
///
/// `state` holds one hypothesis for each of `limits`, before its first token. A sentence leaves the batch when its
/// search is over; `finished` then gets its number and its translations, the best first and one at least.
///
/// # Errors
/// If the scores of a sentence are no log-probabilities; the batch ends there.
pub fn search<D: Decode>(
    decoder: &D,
    mut state: D::State,
    limits: &[Limits],
    options: &SearchOptions,
    vocabulary: &dyn Tokenizer,
    finished: &mut dyn FnMut(usize, Vec<Hypothesis>),
) -> Result<(), BrokenScores> {
    assert!(options.beam_size > 0, "a beam of none");
    let start = |(sentence, limits): (usize, &Limits)| {
        let first = Partial {
            ids: Vec::new(),
            log_prob: 0.0,
            rank: 0.0,
            markup: limits.markup.clone(),
        };
        Active {
            sentence,
            beam: vec![first],
            done: Vec::new(),
        }
    };
    let mut active: Vec<Active> = limits.iter().enumerate().map(start).collect();
    let (first, end) = (decoder.start(), decoder.end());
    let rule = decoder.rule();
    let mut scores = NextScores::default();
    while !active.is_empty() {
        let last = active.iter().flat_map(|active| &active.beam);
        let last: Vec<u32> = last
            .map(|partial| partial.ids.last().copied().unwrap_or(first))
            .collect();
        decoder.score(&mut state, &last, &mut scores);
        let NextScores {
            values,
            normalisers,
        } = &mut scores;
        let rows = values.chunks_exact_mut(decoder.vocab_size());
        let mut rows = rows.zip(normalisers.iter().copied());
        let mut kept = Vec::new();
        let mut first_row = 0;
        let mut broken = None;
        active.retain_mut(|active| {
            let beam_rows = active.beam.len();
            let limits = &limits[active.sentence];
            let parents = match active.extend(&mut rows, limits, (options, rule), (end, vocabulary))
            {
                Ok(parents) => parents,
                Err(found) => {
                    let number = active.sentence;
                    broken.get_or_insert(BrokenScores { number, found });
                    return false;
                }
            };
            let over = parents.is_empty();
            if over {
                finished(active.sentence, active.ranked(options, rule));
            } else {
                kept.extend(parents.into_iter().map(|parent| first_row + parent));
            }
            first_row += beam_rows;
            !over
        });
        if let Some(broken) = broken {
            return Err(broken);
        }
        if !active.is_empty() {
            decoder.select(&mut state, &kept);
        }
    }
    Ok(())
}

impl Active {
    /// Adds a token to the sentence's hypotheses; gives for each new one the number of the old one it grew from, none
    /// when the search is over. The error is a number that no log-probability can be.
    fn extend<'a>(
        &mut self,
        rows: &mut impl Iterator<Item = (&'a mut [f32], f32)>,
        limits: &Limits,
        (options, rule): (&SearchOptions, SearchRule),
        (end, vocabulary): (u32, &dyn Tokenizer),
    ) -> Result<Vec<usize>, f32> {
        let mut candidates = Vec::new();
        for (parent, (partial, (row, normaliser))) in self.beam.iter().zip(rows).enumerate() {
            let stand_in = partial.markup.constrain(row, vocabulary);
            // Half of the best may be ends of sentences, and the beam must still be filled.
            for (id, rank) in best_ids(row, normaliser, 2 * options.beam_size)? {
                let own = match stand_in {
                    Some(ForcedPlaceholder { id: other, own }) if id == other => own - normaliser,
                    _ => rank,
                };
                candidates.push(Candidate {
                    parent,
                    id,
                    log_prob: partial.log_prob + own,
                    rank: partial.rank + rank,
                });
            }
        }
        if candidates.is_empty() {
            return Err(f32::NEG_INFINITY);
        }
        candidates.sort_by(|a, b| {
            let by_rank = b.rank.total_cmp(&a.rank);
            by_rank.then(a.parent.cmp(&b.parent)).then(a.id.cmp(&b.id))
        });
        let places = match rule {
            SearchRule::Marian => options.beam_size - self.done.len(),
            _ => options.beam_size,
        };
        let (mut beam, mut parents) = (Vec::new(), Vec::new());
        for (position, candidate) in candidates.into_iter().enumerate() {
            if rule == SearchRule::Marian && position == places {
                break;
            }
            let Candidate {
                parent,
                id,
                log_prob,
                rank,
            } = candidate;
            let from = &self.beam[parent];
            if id == end {
                if position < places {
                    let hypothesis = Hypothesis {
                        ids: from.ids.clone(),
                        log_prob,
                        cut_off: false,
                    };
                    self.done.push((hypothesis, rank));
                }
                continue;
            }
            if beam.len() == options.beam_size {
                break;
            }
            let mut partial = Partial {
                log_prob,
                rank,
                ..from.clone()
            };
            partial.ids.push(id);
            partial.markup.push(id, vocabulary);
            beam.push(partial);
            parents.push(parent);
        }
        self.beam = beam;
        if self.is_over(options, rule) {
            return Ok(Vec::new());
        }
        // Of the tokens that are counted there, the last one is the end.
        let most = limits.max_tokens - usize::from(rule == SearchRule::HuggingFace);
        if self
            .beam
            .first()
            .is_none_or(|partial| partial.ids.len() >= most)
        {
            let cut_off = std::mem::take(&mut self.beam)
                .into_iter()
                .map(|mut partial| {
                    partial.ids.extend(partial.markup.completion(vocabulary));
                    let hypothesis = Hypothesis {
                        ids: partial.ids,
                        log_prob: partial.log_prob,
                        cut_off: true,
                    };
                    (hypothesis, partial.rank)
                });
            self.done.extend(cut_off);
            return Ok(Vec::new());
        }
        Ok(parents)
    }

    /// Whether enough hypotheses are finished.
    fn is_over(&mut self, options: &SearchOptions, rule: SearchRule) -> bool {
        if self.done.len() < options.beam_size {
            return false;
        }
        let (SearchRule::HuggingFace, Some(best)) = (rule, self.beam.first()) else {
            return true;
        };
        let score = |(hypothesis, _): &(Hypothesis, f32)| hypothesis.score_by(options, rule);
        self.done.sort_by(|a, b| score(b).total_cmp(&score(a)));
        self.done.truncate(options.beam_size);
        let hoped = best.log_prob / power(best.ids.len(), options);
        self.done.last().is_none_or(|worst| hoped <= score(worst))
    }

    /// The finished hypotheses, the best first; by our own rule, those that ended by themselves come before all others.
    fn ranked(&mut self, options: &SearchOptions, rule: SearchRule) -> Vec<Hypothesis> {
        let mut done = std::mem::take(&mut self.done);
        assert!(!done.is_empty(), "a search ends with a hypothesis");
        // Of equal ones the later comes first.
        done.reverse();
        let score = |it: &Hypothesis| it.score_by(options, rule);
        let is_last = |it: &Hypothesis| it.cut_off && rule == SearchRule::Canopy;
        done.sort_by(|(a, rank), (b, other)| {
            is_last(a)
                .cmp(&is_last(b))
                .then(score(b).total_cmp(&score(a)))
                .then(other.total_cmp(rank))
        });
        done.into_iter().map(|(hypothesis, _)| hypothesis).collect()
    }
}

/// The `count` likeliest ids with their log-probabilities, best first; impossible ones are left out. Scores less
/// `normaliser` are log-probabilities.
///
/// The error is a number that is no log-probability, or the logarithm of a sum of probabilities that is more than one.
fn best_ids(scores: &[f32], normaliser: f32, count: usize) -> Result<Vec<(u32, f32)>, f32> {
    /// The error that rounding may add to a sum of probabilities.
    const TOLERANCE: f32 = 0.1;
    /// Scores that are passed over together.
    const BLOCK: usize = 64;
    if !normaliser.is_finite() {
        return Err(normaliser);
    }
    let largest = normaliser + TOLERANCE;
    let mut best: Vec<(u32, f32)> = Vec::with_capacity(count + 1);
    let mut least = f32::NEG_INFINITY;
    let add = |best: &mut Vec<(u32, f32)>, id: usize, score: f32| {
        if score.is_nan() || score > largest {
            return Err(score - normaliser);
        }
        let position = best.partition_point(|&(_, other)| other >= score);
        let id = u32::try_from(id).expect("ids fit 32 bits");
        best.insert(position, (id, score));
        best.truncate(count);
        Ok(best.get(count - 1).map_or(f32::NEG_INFINITY, |it| it.1))
    };
    for (number, block) in scores.chunks(BLOCK).enumerate() {
        if !exceeds(block, least) {
            continue;
        }
        for (place, &score) in block.iter().enumerate() {
            if exceeds(&[score], least) {
                least = add(&mut best, number * BLOCK + place, score)?;
            }
        }
    }
    for (_, score) in &mut best {
        *score -= normaliser;
    }
    let sum: f32 = best.iter().map(|(_, log_prob)| log_prob.exp()).sum();
    if sum > 1.0 + TOLERANCE {
        return Err(sum.ln());
    }
    Ok(best)
}

/// Whether one of the scores is more than `least`, or no number.
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "what is no number is to be found"
)]
fn exceeds(scores: &[f32], least: f32) -> bool {
    let mut any = false;
    for score in scores {
        any |= !(*score <= least);
    }
    any
}
