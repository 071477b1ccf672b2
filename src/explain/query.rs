//! Queries, and the maps of a trace that answer them.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::trace::{MapInfo, MapKind, Overview, Side, TraceSource, Visible};

/// A word or sentence, and where in the model to look; everything counts from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Side of `sentence` and `word`; the queries of cross-attention are of the target, those of self-attention of the source.
    pub side: Side,
    /// Number of the sentence.
    pub sentence: usize,
    /// Place in the sentence; `None` for all of its words together.
    pub word: Option<usize>,
    /// `None` for the last layer that has such attention, or all layers of [`Heads::Usual`].
    pub layer: Option<usize>,
    /// The heads of the layer.
    pub heads: Heads,
}

/// Which heads of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heads {
    /// Without a layer, for attention to other sentences, those that the trace says [find the
    /// antecedent](crate::trace::TracedModel::probed_heads), averaged over the layers; else the mean.
    Usual,
    /// One, by its number.
    One(usize),
    /// All, averaged: attention mass.
    Mean,
}

/// Which attention a view is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttentionRole {
    /// To other sentences of the document.
    Context,
    /// Attention of the translation to its source sentence.
    Cross,
    /// Attention of source words to each other.
    Itself,
    /// Attention of sentences to their own words, in their encodings.
    Encoding,
}

/// The maps that answer a query: heads of one layer, or the usual ones of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    /// Places in the trace, by head; at least one.
    pub maps: Vec<usize>,
    /// The first one's.
    pub layer: usize,
    /// The mean, if the trace does not say the usual ones.
    pub heads: Heads,
    /// T, for attention to other sentences of systems that have one.
    pub top_t: Option<usize>,
    /// How many windows the document was read in, where a sentence could only attend to those of its own.
    pub windows: Option<usize>,
}

impl Query {
    /// All words of a sentence with the usual heads.
    pub fn sentence(side: Side, sentence: usize) -> Self {
        Self {
            side,
            sentence,
            word: None,
            layer: None,
            heads: Heads::Usual,
        }
    }

    /// Whether numbers are those of one row of one head, not averages.
    pub fn is_single(&self) -> bool {
        self.word.is_some() && matches!(self.heads, Heads::One(_))
    }

    /// # Errors
    /// If the trace has no such sentence or word.
    pub fn check(&self, overview: &Overview) -> Result<()> {
        let sentences = overview.sentences(self.side);
        let Some(sentence) = sentences.get(self.sentence) else {
            return Err(Error::NotInTrace {
                requested: format!("sentence {}", self.sentence + 1),
                there: format!("the document has {}", sentences.len()),
            });
        };
        let words = sentence.tokens.len();
        match self.word {
            Some(word) if word >= words => Err(Error::NotInTrace {
                requested: format!("word {}", word + 1),
                there: format!("sentence {} has {words}", self.sentence + 1),
            }),
            _ => Ok(()),
        }
    }

    /// The query in words, such as `sentence 3 · word 7 "it" · layer 2 · head 3 · T = 4`, counted from 1 as people do.
    pub fn breadcrumb(&self, overview: &Overview, attention: &Attention) -> String {
        let mut parts = vec![format!("sentence {}", self.sentence + 1)];
        let tokens = &overview.sentences(self.side)[self.sentence].tokens;
        match self.word {
            Some(word) => parts.push(format!("word {} “{}”", word + 1, shown(&tokens[word]))),
            None => parts.push("all words".to_owned()),
        }
        parts.push(attention.location(overview));
        parts.join(" · ")
    }
}

/// Heads for display, such as `heads 3.2, 5.1 (layer.head), which find the antecedent on a probe`, counted from 1.
pub fn probed_heads_words(heads: &[(usize, usize)]) -> String {
    let names = heads.iter();
    let names = names.map(|(layer, head)| format!("{}.{}", layer + 1, head + 1));
    let names: Vec<String> = names.collect();
    format!(
        "heads {} (layer.head), which find the antecedent on a probe",
        names.join(", ")
    )
}

/// A subword for display: without the sign that a word begins.
pub(super) fn shown(token: &str) -> &str {
    let bare = token.trim_start_matches('▁');
    if bare.is_empty() { "␣" } else { bare }
}

impl AttentionRole {
    /// Whether a map is of this attention, with queries of `side`.
    pub(super) fn includes(self, info: &MapInfo, side: Side) -> bool {
        let is_query_side = info.queries.side() == side;
        match self {
            Self::Context => match info.kind {
                MapKind::Context | MapKind::DecoderContext => is_query_side,
                // Concatenated context is read by self-attention.
                MapKind::EncoderSelf => is_query_side && info.visible != Visible::Own,
                MapKind::SentenceEncoding | MapKind::Cross => false,
            },
            Self::Cross => info.kind == MapKind::Cross,
            Self::Itself => info.kind == MapKind::EncoderSelf,
            Self::Encoding => is_query_side && info.kind == MapKind::SentenceEncoding,
        }
    }

    /// The other side is named only if it has what is missing.
    fn missing(self, source: &TraceSource, side: Side) -> Error {
        let other = match side {
            Side::Source => Side::Target,
            Side::Target => Side::Source,
        };
        let other_has = source.maps().any(|info| self.includes(info, other));
        let (missing, advice) = match (self, side) {
            (Self::Context, _) if !other_has => return Error::NoContextTraced,
            (Self::Context, Side::Source) => (
                "no attention of source words to other sentences",
                "look at the target side, or at cross-attention",
            ),
            (Self::Context, Side::Target) => (
                "no attention of translated words to other sentences",
                "look at the source side, or at cross-attention",
            ),
            (Self::Cross, _) => (
                "no cross-attention",
                "trace the translation again, decoder and all",
            ),
            (Self::Encoding, _) => (
                "no encodings of sentences",
                "models that encode sentences by source2token have them",
            ),
            (Self::Itself, _) => (
                "no self-attention of the encoder",
                "trace the translation again with it",
            ),
        };
        Error::NotTraced { missing, advice }
    }
}

impl Attention {
    /// # Errors
    /// If the trace has no such attention, layer, head, sentence or word.
    pub fn find(source: &TraceSource, query: &Query, role: AttentionRole) -> Result<Self> {
        query.check(source.overview())?;
        let found: Vec<(usize, &MapInfo)> = source
            .maps()
            .enumerate()
            .filter(|(_, info)| role.includes(info, query.side))
            .collect();
        let mut layers: Vec<usize> = found.iter().map(|(_, info)| info.layer).collect();
        layers.sort_unstable();
        layers.dedup();
        let Some(&last) = layers.last() else {
            return Err(role.missing(source, query.side));
        };
        let overview = source.overview();
        let top_t = (overview.model.top_t).filter(|_| role == AttentionRole::Context);
        let windows = |map| {
            let windowed = source.info(map).windowed;
            windowed.then_some(overview.windows.len())
        };
        let is_usual = query.heads == Heads::Usual && query.layer.is_none();
        if is_usual && role == AttentionRole::Context {
            let probed = overview.model.probed_heads.iter();
            let map = |head: &(usize, usize)| {
                let is_it = |(_, info): &&(usize, &MapInfo)| (info.layer, info.head) == *head;
                found.iter().find(is_it).map(|(map, _)| *map)
            };
            let maps: Vec<usize> = probed.filter_map(map).collect();
            if let Some(&first) = maps.first() {
                return Ok(Self {
                    layer: source.info(first).layer,
                    heads: Heads::Usual,
                    top_t,
                    windows: windows(first),
                    maps,
                });
            }
        }
        let layer = query.layer.unwrap_or(last);
        if !layers.contains(&layer) {
            return Err(Error::NotInTrace {
                requested: format!("layer {}", layer + 1),
                there: format!("this attention was traced in {}", listed("layer", &layers)),
            });
        }
        let mut heads: Vec<(usize, usize)> = found
            .iter()
            .filter(|(_, info)| info.layer == layer)
            .map(|&(map, info)| (info.head, map))
            .collect();
        heads.sort_unstable();
        if let Heads::One(head) = query.heads {
            let numbers: Vec<usize> = heads.iter().map(|&(head, _)| head).collect();
            heads.retain(|&(number, _)| number == head);
            // The same head twice would be two attentions of the layer: the first is meant, as in the trace.
            heads.truncate(1);
            if heads.is_empty() {
                return Err(Error::NotInTrace {
                    requested: format!("head {}", head + 1),
                    there: format!("layer {} has {}", layer + 1, listed("head", &numbers)),
                });
            }
        }
        let maps: Vec<usize> = heads.into_iter().map(|(_, map)| map).collect();
        Ok(Self {
            windows: windows(maps[0]),
            maps,
            layer,
            heads: match query.heads {
                Heads::One(head) => Heads::One(head),
                Heads::Usual | Heads::Mean => Heads::Mean,
            },
            top_t,
        })
    }

    /// The units of the first head; those of the others are the same.
    pub fn info<'a>(&self, source: &'a TraceSource) -> &'a MapInfo {
        source.info(self.maps[0])
    }

    /// Such as `layer 2 · head 3 · T = 4 · read in 2 windows, each alone`, counted from 1.
    pub(super) fn location(&self, overview: &Overview) -> String {
        let layer = || format!("layer {}", self.layer + 1);
        let mut parts = match self.heads {
            Heads::One(head) => vec![layer(), format!("head {}", head + 1)],
            Heads::Mean => vec![layer(), format!("mean of {} heads", self.maps.len())],
            Heads::Usual => vec![probed_heads_words(&overview.model.probed_heads)],
        };
        if let Some(top_t) = self.top_t {
            parts.push(format!("T = {top_t}"));
        }
        if let Some(windows) = self.windows {
            parts.push(format!("read in {windows} windows, each alone"));
        }
        parts.join(" · ")
    }

    /// Rows of the words of a sentence, or of the sentence where queries are sentences.
    pub(super) fn rows(&self, source: &TraceSource, sentence: usize) -> Range<usize> {
        let queries = self.info(source).queries;
        if queries.are_words() {
            source.overview().words(queries.side()).rows(sentence)
        } else {
            sentence..sentence + 1
        }
    }

    /// Rows that a query means.
    pub(super) fn query_rows(&self, source: &TraceSource, query: &Query) -> Range<usize> {
        let rows = self.rows(source, query.sentence);
        match query.word {
            Some(word) if self.info(source).queries.are_words() => {
                rows.start + word..rows.start + word + 1
            }
            _ => rows,
        }
    }

    /// The meaning of a weight: `attention weight`, or `attention mass` if it is an average.
    pub(super) fn measure(&self, rows: usize) -> String {
        match (self.maps.len(), rows) {
            (1, 1) => "attention weight".to_owned(),
            (1, _) => "attention mass: mean of its words".to_owned(),
            (heads, 1) => format!("attention mass: mean of {heads} heads"),
            (heads, _) => format!("attention mass: mean of its words and {heads} heads"),
        }
    }
}

/// `layer 3` or `layers 1, 2, 3`.
fn listed(noun: &str, numbers: &[usize]) -> String {
    let people: Vec<String> = numbers
        .iter()
        .map(|number| (number + 1).to_string())
        .collect();
    let s = if people.len() == 1 { "" } else { "s" };
    format!("{noun}{s} {}", people.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Trace, TracedSentence};

    #[test]
    fn a_side_that_has_nothing_either_is_not_advised() {
        let overview = Overview {
            source: vec![TracedSentence::default()],
            target: vec![TracedSentence::default()],
            ..Overview::default()
        };
        let maps = Vec::new();
        let source = TraceSource::from(Trace { overview, maps });
        for side in [Side::Source, Side::Target] {
            let found = Attention::find(&source, &Query::sentence(side, 0), AttentionRole::Context);
            let message = found.expect_err("nothing is there").to_string();
            assert!(message.contains("cross-attention"), "{message}");
            assert!(!message.contains(" side"), "{message}");
        }
    }
}
