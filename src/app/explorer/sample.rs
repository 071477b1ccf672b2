//! Tales of the sample run: which noun and which head show best what decided it.

use super::Origin;
use super::select::longest_word;
use crate::app::state::{AppState, ModelState};
use crate::corpus::synthetic::{TARGET_LANGUAGE, deciding_sentence};
use crate::explain::{Choices, Explanation, Heads, Query, Question, ViewKind, sentence_weights};
use crate::trace::TraceSource;

/// A head that gives the deciding sentence so much of its attention shows it well.
const CLEAR: f32 = 0.5;

/// The noun that is asked about in a tale.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedNoun {
    pub noun: &'static str,
    /// Number and text of the sentence that decides its ending.
    pub decider: usize,
    pub text: String,
    /// The share of its attention that the head on show gives to that one; none in a view that does not tell.
    pub weight: Option<f32>,
}

impl AppState {
    /// Whether a trace is one of the made-up language, by the model that is open.
    pub(in crate::app) fn is_tale(&self, origin: &Origin) -> bool {
        matches!(origin, Origin::Document { .. })
            && matches!(&self.model, ModelState::Open { info, .. } if info.target_language == TARGET_LANGUAGE)
    }

    /// Whether the trace that is shown is a tale of the sample run.
    pub fn explores_sample(&self) -> bool {
        let trace = self.explorer.trace.as_ref();
        trace.is_some_and(|trace| self.is_tale(&trace.origin))
    }

    /// The noun of the sentence that is asked about, while a tale is explored.
    pub fn decided_noun(&self) -> Option<DecidedNoun> {
        let source = self.explorer.source().filter(|_| self.explores_sample())?;
        let query = &self.explorer.question.query;
        let tale = tale(source);
        let (noun, decider) = deciding_sentence(&tale, query.sentence)?;
        let is_noun = query.word.is_some() && query.word == noun_of(source, query);
        let weight = match &self.explorer.answer {
            Some(Ok(answer)) if is_noun && answer.question.query == *query => {
                match &answer.explanation {
                    Explanation::Tree(tree) => {
                        let mut chosen = tree.chosen.iter();
                        let weight = chosen.find(|(sentence, ..)| *sentence == decider);
                        Some(weight.map_or(0.0, |(_, weight, _)| *weight))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        Some(DecidedNoun {
            noun,
            decider,
            text: tale[decider].clone(),
            weight,
        })
    }
}

/// The question about the noun and the head that look most at the sentence that decides: in the sentence that is asked about
/// if one looks there clearly, else in any.
pub(super) fn clearest_question(source: &TraceSource, question: Question) -> Question {
    let tale = tale(source);
    let here = question.query.sentence;
    let own = clearest(source, &question, &tale, here);
    if let Some((query, _)) = own.filter(|(_, weight)| *weight >= CLEAR) {
        return Question { query, ..question };
    }
    let all = (0..tale.len()).filter_map(|it| clearest(source, &question, &tale, it));
    match all.max_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((query, weight)) if weight > 0.0 => Question { query, ..question },
        _ => question,
    }
}

/// The layer and head in which the noun of a sentence gives most to the deciding one, with that share.
fn clearest(
    source: &TraceSource,
    question: &Question,
    tale: &[String],
    sentence: usize,
) -> Option<(Query, f32)> {
    let (_, decider) = deciding_sentence(tale, sentence)?;
    let mut query = Query {
        sentence,
        ..question.query
    };
    query.word = noun_of(source, &query);
    query.word?;
    let choices = |layer| Choices::new(source, ViewKind::Tree, query.side, layer);
    let heads = choices(None).layers.into_iter().flat_map(|layer| {
        let heads = choices(Some(layer)).heads.into_iter();
        heads.map(move |head| (layer, head))
    });
    let weighed = heads.filter_map(|(layer, head)| {
        let query = Query {
            layer: Some(layer),
            heads: Heads::One(head),
            ..query
        };
        let weights = sentence_weights(source, &query).ok()?;
        let weight = weights
            .iter()
            .find(|(number, _)| *number as usize == decider);
        Some((query, weight.map_or(0.0, |(_, weight)| *weight)))
    });
    weighed.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Nouns are the longest words of their sentences.
fn noun_of(source: &TraceSource, query: &Query) -> Option<usize> {
    longest_word(source, query.side, query.sentence)
}

fn tale(source: &TraceSource) -> Vec<String> {
    let sentences = source.overview().source.iter();
    sentences
        .map(crate::trace::TracedSentence::plain_text)
        .collect()
}
