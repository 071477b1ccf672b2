//! Gates of the words of a sentence.

use serde::Serialize;

use super::query::{Query, shown};
use crate::error::{Error, Result};
use crate::trace::{Side, TraceSource};

/// One gate, word by word.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateView {
    /// The gate and the meaning of 1.
    pub name: String,
    /// Layer of the gate, from 0.
    pub layer: usize,
    /// Side of the sentence.
    pub side: Side,
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// The words in reading order.
    pub words: Vec<GatedWord>,
    /// The selected word.
    pub selected: Option<usize>,
}

/// The gate of a word, each 0 to 1, over its features.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GatedWord {
    /// The subword for display.
    pub label: String,
    /// Mean of the features.
    pub mean: f32,
    /// Smallest of the features.
    pub min: f32,
    /// Largest of the features.
    pub max: f32,
}

impl GateView {
    /// The gate of `query.layer`, or the last one of its side.
    ///
    /// # Errors
    /// If the trace has no such gate, sentence or word.
    pub fn new(source: &TraceSource, query: &Query) -> Result<Self> {
        let overview = source.overview();
        query.check(overview)?;
        let of_side = || overview.gates.iter().filter(|gate| gate.side == query.side);
        let Some(last) = of_side().max_by_key(|gate| gate.layer) else {
            return Err(Error::NotTraced {
                missing: "no gate on this side",
                advice: "only models that mix sentence and context by a gate have one",
            });
        };
        let gate = match query.layer {
            None => last,
            Some(layer) => {
                of_side()
                    .find(|gate| gate.layer == layer)
                    .ok_or_else(|| Error::NotInTrace {
                        requested: format!("layer {}", layer + 1),
                        there: format!("the last gate is in layer {}", last.layer + 1),
                    })?
            }
        };
        let rows = overview.words(query.side).rows(query.sentence);
        let tokens = &overview.sentences(query.side)[query.sentence].tokens;
        let words = tokens.iter().zip(rows).map(|(token, row)| GatedWord {
            label: shown(token).to_owned(),
            mean: gate.mean[row],
            min: gate.min[row],
            max: gate.max[row],
        });
        Ok(Self {
            name: gate.name.clone(),
            layer: gate.layer,
            side: query.side,
            sentence: query.sentence,
            words: words.collect(),
            selected: query.word,
        })
    }
}
