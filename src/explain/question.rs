//! The view and the attention that a window or a command line shows of a trace.

use std::sync::Arc;

use super::context::ContextView;
use super::document_map::DocumentMap;
use super::explanation::Explanation;
use super::gates::GateView;
use super::map::{Order, WeightMap};
use super::query::{Heads, Query};
use super::tree::TreeView;
use super::view_kind::ViewKind;
use super::zeros::ZerosView;
use crate::error::{BaseError, Error, Result};
use crate::trace::{MapKind, Side, TraceSource};

/// All that an answer depends on, but the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The view that is shown.
    pub view: ViewKind,
    /// The word or sentence that is selected, with layer and heads.
    pub query: Query,
    /// Maps of all heads side by side, whatever the query's heads are.
    pub each_head: bool,
    /// Order of the columns of maps of the context.
    pub order: Order,
    /// How many context sentences are shown with their words.
    pub limit: usize,
}

impl Question {
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word, or cannot be read.
    pub fn answer(&self, source: &TraceSource) -> Result<Explanation> {
        let query = Query {
            side: self.view.side(self.query.side),
            ..self.query
        };
        if !source.overview().is_recorded(query.sentence) {
            return Err(Error::NotTraced {
                missing: "nothing of this sentence, only of a part of the document",
                advice: "trace its section",
            });
        }
        if self.each_head && self.view.has_heads_apart() {
            return self.explain_each_head(source);
        }
        Ok(match self.view {
            ViewKind::Tree => Explanation::Tree(TreeView::new(source, &query)?),
            ViewKind::Sentences => {
                Explanation::Maps(vec![WeightMap::sentences(source, &query, self.order)?])
            }
            ViewKind::Document => {
                let map = DocumentMap::new(source, query.side, query.layer, query.heads)?;
                Explanation::Document(Arc::new(map))
            }
            ViewKind::Words => {
                let map = WeightMap::words(source, &query, self.order, self.limit)?;
                Explanation::Maps(vec![map])
            }
            ViewKind::Context => {
                Explanation::Context(ContextView::new(source, &query, self.limit)?)
            }
            ViewKind::Encoding => {
                Explanation::Context(ContextView::encodings(source, &query, self.limit)?)
            }
            ViewKind::Cross => Explanation::Maps(vec![WeightMap::cross(source, &query)?]),
            ViewKind::Itself => Explanation::Maps(vec![WeightMap::self_attention(source, &query)?]),
            ViewKind::Gates => Explanation::Gates(GateView::new(source, &query)?),
            ViewKind::Zeros => Explanation::Zeros(ZerosView::new(source, &query)?),
            ViewKind::Difference => {
                return Err(Error::NotTraced {
                    missing: "no translation without its context",
                    advice: "open the document and its model to see it",
                });
            }
            ViewKind::LeaveOneOut => {
                return Err(Error::NotTraced {
                    missing: "no translation without a sentence of its context",
                    advice: "open the document and its model to see it",
                });
            }
            ViewKind::Memory => {
                return Err(Error::NotTraced {
                    missing: "nothing of what was looked up",
                    advice: "open the document and its model to see it",
                });
            }
            ViewKind::Similarity => {
                return Err(Error::NotTraced {
                    missing: "no similarities of sentences",
                    advice: "use a sentence encoder (canopy corpus similarity)",
                });
            }
        })
    }

    fn explain_each_head(&self, source: &TraceSource) -> Result<Explanation> {
        let choices = Choices::new(source, self.view, self.query.side, self.query.layer);
        let mut maps = Vec::new();
        for head in choices.heads {
            let mut one = *self;
            (one.each_head, one.query.heads) = (false, Heads::One(head));
            if let Explanation::Maps(mut answer) = one.answer(source)? {
                for map in &mut answer {
                    map.title = format!("Head {}", head + 1);
                }
                maps.append(&mut answer);
            }
        }
        Ok(Explanation::Maps(maps))
    }

    /// The question for another model's trace of the document, which may have other layers and heads.
    #[must_use]
    pub fn for_other(mut self, source: &TraceSource) -> Self {
        let query = self.query;
        Choices::new(source, self.view, query.side, query.layer).fit(&mut self.query);
        self
    }

    /// Answers about several traces in one picture, each with the name of its model.
    ///
    /// # Errors
    /// If one of them cannot be answered, or the view shows one trace only.
    pub fn compare(questions: &[(&TraceSource, Self)]) -> Result<Explanation> {
        if let [(source, question)] = questions {
            return question.answer(source);
        }
        let (mut maps, mut zeros) = (Vec::new(), Vec::new());
        for (source, question) in questions {
            match question.answer(source)? {
                Explanation::Maps(mut answer) => {
                    let name = &source.overview().model.name;
                    for map in &mut answer {
                        map.title = format!("{name} · {}", map.title);
                    }
                    maps.append(&mut answer);
                }
                Explanation::Zeros(answer) => zeros.push(answer),
                _ => {
                    return Err(Error::Base(BaseError::Config {
                        field: "the number of traces",
                        found: questions.len().to_string(),
                        allowed:
                            "1 for this view; several with sentences, words, cross, self and zeros"
                                .to_owned(),
                    }));
                }
            }
        }
        if zeros.is_empty() {
            Ok(Explanation::Maps(maps))
        } else {
            Ok(Explanation::Zeros(ZerosView::joined(zeros)))
        }
    }
}

/// Whose words look at other sentences: the source's where both do, or none.
pub fn query_side(source: &TraceSource) -> Side {
    let has = |kind| source.maps().any(|info| info.kind == kind);
    if has(MapKind::DecoderContext) && !has(MapKind::Context) {
        Side::Target
    } else {
        Side::Source
    }
}

/// A tree of relevance is of one word and one head; what was not said is the first. The usual heads of a trace stay.
pub fn head_for_tree(mut query: Query, source: &TraceSource) -> Query {
    let has_usual = query.heads == Heads::Usual
        && query.layer.is_none()
        && !source.overview().model.probed_heads.is_empty();
    if query.word.is_some() && !matches!(query.heads, Heads::One(_)) && !has_usual {
        query.heads = Heads::One(0);
    }
    query
}

/// Questions that a trace can answer in one view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// Sides of possible queries; empty if the trace has nothing for this view.
    pub sides: Vec<Side>,
    /// Layers of the side of the queries.
    pub layers: Vec<usize>,
    /// Heads of that layer, or of the last one.
    pub heads: Vec<usize>,
}

impl Choices {
    /// Lists the choices that a trace offers for a view.
    pub fn new(source: &TraceSource, view: ViewKind, side: Side, layer: Option<usize>) -> Self {
        let side = view.side(side);
        if view == ViewKind::Gates {
            let gates = &source.overview().gates;
            let mut layers: Vec<usize> = gates
                .iter()
                .filter(|gate| gate.side == side)
                .map(|gate| gate.layer)
                .collect();
            layers.sort_unstable();
            layers.dedup();
            let sides = [Side::Source, Side::Target].into_iter();
            return Self {
                sides: sides
                    .filter(|&side| gates.iter().any(|gate| gate.side == side))
                    .collect(),
                layers,
                heads: Vec::new(),
            };
        }
        if matches!(view, ViewKind::Difference | ViewKind::LeaveOneOut) {
            let context = Self::new(source, ViewKind::Context, query_side(source), None);
            let is_there = !context.sides.is_empty() && !source.overview().target.is_empty();
            return Self {
                sides: is_there.then_some(Side::Target).into_iter().collect(),
                ..Self::default()
            };
        }
        if view == ViewKind::Memory {
            let overview = source.overview();
            let is_there = overview.model.looks_up && !overview.target.is_empty();
            return Self {
                sides: is_there.then_some(Side::Target).into_iter().collect(),
                ..Self::default()
            };
        }
        if view == ViewKind::Similarity {
            return Self {
                sides: vec![Side::Source],
                ..Self::default()
            };
        }
        let role = view.role();
        let rows = |side: Side| {
            let maps = source.maps().filter(move |info| role.includes(info, side));
            maps.map(|info| (info.layer, info.head))
        };
        let sides = [Side::Source, Side::Target].into_iter();
        let sides = sides.filter(|&side| view.side(side) == side && rows(side).next().is_some());
        let sides = sides.collect();
        let mut layers: Vec<usize> = rows(side).map(|(layer, _)| layer).collect();
        layers.sort_unstable();
        layers.dedup();
        let layer = layer
            .filter(|layer| layers.contains(layer))
            .or(layers.last().copied());
        let mut heads: Vec<usize> = rows(side)
            .filter(|&(here, _)| Some(here) == layer)
            .map(|(_, head)| head)
            .collect();
        heads.sort_unstable();
        heads.dedup();
        Self {
            sides,
            layers,
            heads,
        }
    }

    /// Puts the last layer and the usual heads in place of a layer or head that is not there. Where there are no
    /// layers or heads at all, what was chosen for other views stays.
    pub fn fit(&self, query: &mut Query) {
        let lacks = |there: &[usize], one| !there.is_empty() && !there.contains(&one);
        query.layer = query.layer.filter(|&layer| !lacks(&self.layers, layer));
        if let Heads::One(head) = query.heads
            && lacks(&self.heads, head)
        {
            query.heads = Heads::Usual;
        }
    }
}
