//! Beam search, batched over sentences; a beam of one is greedy search.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::invalid_scores::InvalidScores;
use super::markup::{ForcedPlaceholder, Markup};
use super::terms::{TermConstraints, TermProgress, allocated};
use crate::model::{Decode, SearchRule};
use canopy_kernels::{ScoreRow, StepScores, TokenSelection, largest};
use canopy_tokenize::Tokenizer;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Hypotheses kept for each sentence, twice as many where a channel chooses among them; 1 is greedy search, 0 is [what the
    /// model's default](crate::model::Model::beam_size), or [`Self::USUAL_BEAM`].
    pub beam_size: usize,
    /// Exponent α of the length penalty `((5 + length) / 6)^α`, Wu et al. 2016, Eq. 14; none for [that of the
    /// model](crate::model::Model::length_penalty).
    pub length_penalty: Option<f32>,
    /// Maximum number of other translations that are returned for each sentence; a beam keeps one less than its size, and none are
    /// returned where another model chooses.
    pub alternatives: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            beam_size: Self::USUAL_BEAM,
            length_penalty: None,
            alternatives: 0,
        }
    }
}

impl SearchOptions {
    /// Default beam size.
    pub const USUAL_BEAM: usize = 4;

    /// The exponent of the length.
    fn exponent(&self) -> f32 {
        self.length_penalty.unwrap_or(1.0)
    }

    /// The divisor of the log-probability of a sentence of `length` tokens, its end aside.
    pub(super) fn penalty(&self, tokens: usize) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
        let length = tokens as f32 + 1.0;
        ((5.0 + length) / 6.0).powf(self.exponent())
    }
}

/// Bounds of the search for one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Placeholders that the translation must hold.
    pub markup: Markup,
    /// Terms that it uses.
    pub terms: Option<Arc<TermConstraints>>,
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
    /// The next best translations of the sentence, as far as requested.
    pub others: Vec<Hypothesis>,
}

impl Hypothesis {
    /// By which translations of one sentence are compared.
    pub(super) fn score(&self, options: &SearchOptions) -> f32 {
        self.log_prob / options.penalty(self.ids.len())
    }

    /// The score by the rule of the program that made the model.
    fn score_by(&self, options: &SearchOptions, rule: SearchRule) -> f32 {
        self.score_with(self.log_prob, options, rule)
    }

    /// The score with another log-probability.
    fn score_with(&self, log_prob: f32, options: &SearchOptions, rule: SearchRule) -> f32 {
        let end = match rule {
            SearchRule::Canopy => return log_prob / options.penalty(self.ids.len()),
            // There an end is forced upon what is cut off.
            SearchRule::HuggingFace => 1,
            SearchRule::CTranslate2 | SearchRule::Marian => usize::from(!self.cut_off),
        };
        log_prob / power(self.ids.len() + end, options)
    }
}

/// A number of tokens to the power of the length penalty.
#[expect(clippy::cast_precision_loss, reason = "sentences are short")]
fn power(tokens: usize, options: &SearchOptions) -> f32 {
    (tokens.max(1) as f32).powf(options.exponent())
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
    terms: TermProgress,
}

/// One more token for a hypothesis.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The number of the hypothesis in the beam.
    pub parent: usize,
    pub id: u32,
    /// Log-probability of the longer hypothesis, as in [`Partial`].
    pub log_prob: f32,
    pub rank: f32,
    pub terms: TermProgress,
    /// By how much it ranks higher for its terms.
    pub bonus: f32,
}

/// A sentence whose search continues: its rows of the state are one for each of `beam`.
struct Active {
    sentence: usize,
    beam: Vec<Partial>,
    done: Vec<Done>,
}

/// A finished translation with the rank it had and what its terms brought it.
struct Done {
    hypothesis: Hypothesis,
    rank: f32,
    bonus: f32,
}

impl Done {
    fn score(&self, options: &SearchOptions, rule: SearchRule) -> f32 {
        let log_prob = self.hypothesis.log_prob + self.bonus;
        self.hypothesis.score_with(log_prob, options, rule)
    }
}

/// Searches translations of every sentence of a batch.
///
/// `decoder` holds one hypothesis for each of `limits`, before its first token. A sentence leaves the batch when its
/// search is over; `finished` then gets its number and its translations, the best first and one at least.
///
/// # Errors
/// If the scores of a sentence are no log-probabilities; the batch ends there.
pub fn search(
    decoder: &mut dyn Decode,
    limits: &[Limits],
    options: &SearchOptions,
    vocabulary: &dyn Tokenizer,
    finished: &mut dyn FnMut(usize, Vec<Hypothesis>),
) -> Result<(), InvalidScores> {
    assert!(options.beam_size > 0, "a beam of none");
    let start = |(sentence, limits): (usize, &Limits)| {
        let first = Partial {
            ids: Vec::new(),
            log_prob: 0.0,
            rank: 0.0,
            markup: limits.markup.clone(),
            terms: limits
                .terms
                .as_ref()
                .map_or_else(TermProgress::default, |it| it.start()),
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
    let (read, mut scores) = (
        read_tokens(limits, options, vocabulary),
        StepScores::default(),
    );
    while !active.is_empty() {
        let last = active.iter().flat_map(|active| &active.beam);
        let last: Vec<u32> = last
            .map(|partial| partial.ids.last().copied().unwrap_or(first))
            .collect();
        decoder.score(&last, read, &mut scores);
        let mut rows = scores.rows();
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
                    broken.get_or_insert(InvalidScores { number, found });
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
            decoder.select(&kept);
        }
    }
    Ok(())
}

/// The tokens that a search has to know the scores of; none if of all. Among the ids before the words are the end of our
/// own translations and the placeholders, which the markup decides.
fn read_tokens(
    limits: &[Limits],
    options: &SearchOptions,
    vocabulary: &dyn Tokenizer,
) -> Option<TokenSelection> {
    let has_terms = |limits: &Limits| limits.terms.as_ref().is_some_and(|it| !it.is_empty());
    (!limits.iter().any(has_terms)).then(|| TokenSelection {
        first: vocabulary.placeholder_ids().end as usize,
        top_k: num_candidates(options.beam_size),
    })
}

/// How many tokens are tried after each hypothesis of a beam: half of the best may be ends of sentences, and the beam must
/// still be filled.
const fn num_candidates(width: usize) -> usize {
    2 * width
}

impl Active {
    /// Adds a token to the sentence's hypotheses; gives for each new one the number of the old one it grew from, none
    /// when the search is over. The error is a number that no log-probability can be.
    #[expect(
        clippy::too_many_lines,
        reason = "one step of the search with its state"
    )]
    fn extend<'a>(
        &mut self,
        rows: &mut impl Iterator<Item = ScoreRow<'a>>,
        limits: &Limits,
        (options, rule): (&SearchOptions, SearchRule),
        (end, vocabulary): (u32, &dyn Tokenizer),
    ) -> Result<Vec<usize>, f32> {
        let terms = limits.terms.as_deref().filter(|terms| !terms.is_empty());
        let width = options.beam_size + terms.map_or(0, TermConstraints::more_hypotheses);
        let mut candidates = Vec::new();
        for (parent, (partial, row)) in self.beam.iter().zip(rows).enumerate() {
            let normaliser = row.normaliser;
            let stand_in = partial.markup.constrain(row.scores, vocabulary);
            if let Some(terms) = terms {
                terms.constrain(&partial.terms, row.scores, end);
            }
            let mut ids = best_ids(row.scores, normaliser, num_candidates(width))?;
            if let Some(terms) = terms {
                let next = terms.next_ids(&partial.terms);
                add_terms(&mut ids, &next, row.scores, normaliser);
            }
            for (id, rank) in ids {
                let id = row.id(id);
                let own = match stand_in {
                    Some(ForcedPlaceholder { id: other, own }) if id == other => own - normaliser,
                    _ => rank,
                };
                let mut candidate = Candidate {
                    parent,
                    id,
                    log_prob: partial.log_prob + own,
                    rank: partial.rank + rank,
                    terms: TermProgress::default(),
                    bonus: 0.0,
                };
                if let Some(terms) = terms {
                    candidate.terms.clone_from(&partial.terms);
                    // A tag within a term is no word of it.
                    if id != end && vocabulary.placeholder(id).is_none() {
                        terms.push(&mut candidate.terms, id);
                    }
                    candidate.bonus = terms.bonus(&candidate.terms);
                }
                candidates.push(candidate);
            }
        }
        if candidates.is_empty() {
            return Err(f32::NEG_INFINITY);
        }
        candidates.sort_by(|a, b| {
            let by_rank = (b.rank + b.bonus).total_cmp(&(a.rank + a.bonus));
            by_rank.then(a.parent.cmp(&b.parent)).then(a.id.cmp(&b.id))
        });
        let mut places = match rule {
            SearchRule::Marian => options.beam_size.saturating_sub(self.done.len()),
            _ => options.beam_size,
        };
        if let Some(terms) = terms {
            let banks = candidates.iter().map(|it| terms.bank(&it.terms));
            let banks: Vec<usize> = banks.collect();
            candidates = allocated(candidates, &banks, end, (options.beam_size, width));
            places = usize::MAX;
        }
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
                terms: progress,
                bonus,
            } = candidate;
            let from = &self.beam[parent];
            if id == end {
                if position < places {
                    let hypothesis = Hypothesis {
                        ids: from.ids.clone(),
                        log_prob,
                        cut_off: false,
                        others: Vec::new(),
                    };
                    self.done.push(Done {
                        hypothesis,
                        rank,
                        bonus,
                    });
                }
                continue;
            }
            if beam.len() == width {
                break;
            }
            let mut partial = Partial {
                log_prob,
                rank,
                terms: progress,
                ..from.clone()
            };
            partial.ids.push(id);
            partial.markup.push(id, vocabulary);
            beam.push(partial);
            parents.push(parent);
        }
        self.beam = beam;
        if self.is_over(options, rule, terms) {
            return Ok(Vec::new());
        }
        // The last of the tokens that are counted there is the end.
        let most = limits.max_tokens - usize::from(rule == SearchRule::HuggingFace);
        if self
            .beam
            .first()
            .is_none_or(|partial| partial.ids.len() >= most)
        {
            self.cut_off(terms, vocabulary);
            return Ok(Vec::new());
        }
        Ok(parents)
    }

    /// Ends all hypotheses as they are; those that lack terms only if none has them all.
    fn cut_off(&mut self, terms: Option<&TermConstraints>, vocabulary: &dyn Tokenizer) {
        let is_complete = |partial: &Partial| terms.is_none_or(|it| it.complete(&partial.terms));
        let any_complete = !self.done.is_empty() || self.beam.iter().any(is_complete);
        for mut partial in std::mem::take(&mut self.beam) {
            if any_complete && !is_complete(&partial) {
                continue;
            }
            partial.ids.extend(partial.markup.completion(vocabulary));
            let hypothesis = Hypothesis {
                ids: partial.ids,
                log_prob: partial.log_prob,
                cut_off: true,
                others: Vec::new(),
            };
            self.done.push(Done {
                hypothesis,
                rank: partial.rank,
                bonus: terms.map_or(0.0, |it| it.bonus(&partial.terms)),
            });
        }
    }

    /// Whether enough hypotheses are finished. With terms, one must be better than what has them all and continues: those that
    /// hurried to their terms end first, and are not the best.
    fn is_over(
        &mut self,
        options: &SearchOptions,
        rule: SearchRule,
        terms: Option<&TermConstraints>,
    ) -> bool {
        let hard = terms.filter(|terms| terms.more_hypotheses() > 0);
        let complete = hard.and_then(|terms| {
            let mut beam = self.beam.iter();
            beam.find(|partial| terms.complete(&partial.terms))
        });
        if let Some(best) = complete {
            let penalty = match rule {
                SearchRule::Canopy => options.penalty(best.ids.len()),
                _ => power(best.ids.len(), options),
            };
            let hoped = best.log_prob / penalty;
            let mut done = self.done.iter();
            return done.any(|done| done.score(options, rule) >= hoped);
        }
        if self.done.len() < options.beam_size {
            return false;
        }
        let (SearchRule::HuggingFace, Some(best)) = (rule, self.beam.first()) else {
            return true;
        };
        let score = |done: &Done| done.hypothesis.score_by(options, rule);
        self.done.sort_by(|a, b| score(b).total_cmp(&score(a)));
        self.done.truncate(options.beam_size);
        let hoped = best.log_prob / power(best.ids.len(), options);
        self.done.last().is_none_or(|worst| hoped <= score(worst))
    }

    /// The finished hypotheses, the best first; by our own rule, those that ended by themselves come before all others.
    fn ranked(&mut self, options: &SearchOptions, rule: SearchRule) -> Vec<Hypothesis> {
        let mut done = std::mem::take(&mut self.done);
        assert!(!done.is_empty(), "a search ends with a hypothesis");
        // The later of equal ones comes first.
        done.reverse();
        let is_last = |it: &Done| it.hypothesis.cut_off && rule == SearchRule::Canopy;
        done.sort_by(|a, b| {
            is_last(a)
                .cmp(&is_last(b))
                .then(b.score(options, rule).total_cmp(&a.score(options, rule)))
                .then(b.rank.total_cmp(&a.rank))
        });
        done.into_iter().map(|done| done.hypothesis).collect()
    }
}

/// Adds the ids that advance terms to the top-scoring ones, except impossible ones.
fn add_terms(ids: &mut Vec<(u32, f32)>, next: &[u32], scores: &[f32], normaliser: f32) {
    for &id in next {
        let score = scores
            .get(id as usize)
            .copied()
            .unwrap_or(f32::NEG_INFINITY);
        if score.is_finite() && ids.iter().all(|(other, _)| *other != id) {
            ids.push((id, score - normaliser));
        }
    }
}

/// The `count` top-scoring ids with their log-probabilities, best first; impossible ones are left out. Scores less
/// `normaliser` are log-probabilities.
///
/// The error is a number that is no log-probability, or the logarithm of a sum of probabilities that is more than one.
fn best_ids(scores: &[f32], normaliser: f32, count: usize) -> Result<Vec<(u32, f32)>, f32> {
    /// The error that rounding may add to a sum of probabilities.
    const TOLERANCE: f32 = 0.1;
    if !normaliser.is_finite() {
        return Err(normaliser);
    }
    let mut best = largest(scores, count)?;
    for (_, score) in &mut best {
        *score -= normaliser;
    }
    if let Some(&(_, largest)) = best.first().filter(|(_, largest)| *largest > TOLERANCE) {
        return Err(largest);
    }
    let sum: f32 = best.iter().map(|(_, log_prob)| log_prob.exp()).sum();
    if sum > 1.0 + TOLERANCE {
        return Err(sum.ln());
    }
    Ok(best)
}
