//! Tales of the sample run: which noun and which head show best what decided it.

use super::select::longest_word;
use super::{Explorer, Origin};
use crate::models::{ModelState, Models};
use canopy_corpus::synthetic::{TARGET_LANGUAGE, deciding_sentence};
use canopy_explain::trace::TraceSource;
use canopy_explain::{Choices, Explanation, Heads, Query, Question, ViewKind, sentence_weights};

/// A head that gives the deciding sentence so much of its attention shows it well.
const CLEAR: f32 = 0.5;

/// The selected noun of a tale.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedNoun {
    /// The noun.
    pub noun: &'static str,
    /// Number and text of the sentence that decides its ending.
    pub decider: usize,
    /// Text of the sentence.
    pub text: String,
    /// The share of its attention that the shown head gives to that one; none in a view without such a share.
    pub weight: Option<f32>,
}

impl Models {
    /// Whether a trace is one of the made-up language, by the model that is open.
    pub(crate) fn is_tale(&self, origin: &Origin) -> bool {
        matches!(origin, Origin::Document { .. })
            && matches!(&self.in_use.current, ModelState::Open { info, .. } if info.target_language == TARGET_LANGUAGE)
    }
}

impl Explorer {
    /// The noun of the selected sentence, while a tale is explored.
    pub fn decided_noun(&self, models: &Models) -> Option<DecidedNoun> {
        let source = self
            .inquiry
            .source()
            .filter(|_| self.inquiry.is_sample(models))?;
        let query = &self.inquiry.question.query;
        let tale = tale(source);
        let (noun, decider) = deciding_sentence(&tale, query.sentence)?;
        let is_noun = query.word.is_some() && query.word == noun_of(source, query);
        let weight = match &self.answer {
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

/// The question about the noun and the head that look most at the sentence that decides: in the selected sentence
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
        .map(canopy_explain::trace::TracedSentence::plain_text)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_explain::Order;
    use canopy_explain::trace::{
        AttentionMap, MapInfo, MapKind, MapRow, Normaliser, Overview, SentenceWeight, Side, Trace,
        TracedSentence, TracedTree, Units, Visible,
    };

    const TALE: [&str; 3] = [
        "Today Countess Hedgehog sings.",
        "Later the hedgehog waits.",
        "Now the hedgehog naps.",
    ];
    const WORDS: usize = 4;

    /// A map of one head, in which the nouns of the second and third sentence give these shares to the first.
    fn map(layer: usize, head: usize, shares: [f32; 2]) -> AttentionMap {
        let row = |word: usize| {
            let share = match word.checked_sub(WORDS) {
                Some(word) if word % WORDS == 2 => shares[word / WORDS],
                _ => 0.0,
            };
            let weights = [(0, share), (1, 1.0 - share)];
            let weights = weights.into_iter().filter(|(_, weight)| *weight > 0.0);
            MapRow::default().with_sentences(weights.map(|(sentence, weight)| SentenceWeight {
                sentence,
                weight,
                ..SentenceWeight::default()
            }))
        };
        AttentionMap {
            info: MapInfo {
                kind: MapKind::Context,
                layer,
                head,
                queries: Units::SourceWords,
                keys: Units::SourceSentences,
                visible: Visible::All,
                windowed: false,
                normaliser: Normaliser::Sparsemax,
                sentence_normaliser: None,
                threshold: 0.0,
                includes_own: false,
            },
            rows: (0..WORDS * TALE.len()).map(row).collect(),
        }
    }

    /// The sentence, word, layer and head of the question about `sentence`.
    fn clearest_of(maps: Vec<AttentionMap>, sentence: usize) -> (usize, usize, usize, Heads) {
        let source = TALE.map(|text| TracedSentence {
            tokens: text.split(' ').map(str::to_owned).collect(),
            text: text.to_owned(),
            points: Vec::new(),
            section: 0,
            paragraph: 0,
            sentence_in_paragraph: 0,
        });
        let trace = Trace {
            maps,
            overview: Overview {
                source: source.into(),
                trees: vec![TracedTree {
                    leaves: (0..3).collect(),
                }],
                ..Overview::default()
            },
        };
        let question = Question {
            view: ViewKind::Tree,
            query: Query::sentence(Side::Source, sentence),
            each_head: false,
            order: Order::Document,
            limit: 6,
        };
        let Query {
            sentence,
            word,
            layer,
            heads,
            ..
        } = clearest_question(&trace.into(), question).query;
        let (word, layer) = (word.expect("a word"), layer.expect("a layer"));
        (sentence, word, layer, heads)
    }

    #[test]
    fn a_clear_head_of_the_own_sentence_is_selected_before_a_clearer_one_of_another() {
        let maps = || vec![map(0, 0, [0.1, 0.2]), map(1, 0, [0.6, 0.9])];
        assert_eq!(clearest_of(maps(), 1), (1, 2, 1, Heads::One(0)));
        assert_eq!(clearest_of(maps(), 2), (2, 2, 1, Heads::One(0)));
    }

    #[test]
    fn where_no_head_of_the_own_sentence_is_clear_the_clearest_of_all_is_selected() {
        let maps = vec![
            map(0, 0, [0.4, 0.2]),
            map(0, 1, [0.1, 0.7]),
            map(1, 0, [0.2, 0.6]),
        ];
        assert_eq!(clearest_of(maps, 1), (2, 2, 0, Heads::One(1)));
    }
}
