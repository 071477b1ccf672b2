//! What a model is made of: every part with its parameters, what it may read, what it costs and where it is published.
//!
//! Counted from sizes alone, without building anything.

mod attention;

use serde::Serialize;

use super::bert::BertReading;
use super::config::{Architecture, Matches, ModelConfig, NormPosition, Positions};
use super::context_config::{Context, MemorySource, Placement, Side};
use super::layout::Sublayer;

/// One layer or table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    pub name: String,
    pub group: PartGroup,
    pub parameters: usize,
    /// What a word may read here.
    pub reads: String,
    /// Paper and place in it.
    pub source: &'static str,
    pub cost: Cost,
}

/// Where a part belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartGroup {
    Embeddings,
    Encoder,
    Context,
    Decoder,
    /// The frozen sentence-level model.
    StageOne,
}

/// Multiplications and additions for a document of `n` sentences of `m` words each, as coefficients; `r = n · m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// × r
    pub words: u64,
    /// × r · m: words of a word's own sentence, or of as many others as there are.
    pub words_in_sentence: u64,
    /// × r · n: sentences of the document.
    pub words_and_sentences: u64,
    /// × r²: words of the document.
    pub words_and_words: u64,
    /// × r · log₂ n: levels of the content tree.
    pub words_and_levels: u64,
    /// × n
    pub sentences: u64,
    /// Numbers kept for each word while the part computes.
    pub floats_per_word: u64,
}

impl Cost {
    /// Multiplications and additions in all.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn operations(&self, sentences: usize, words: usize) -> f64 {
        let (n, m) = (sentences as f64, words as f64);
        let r = n * m;
        self.words as f64 * r
            + self.words_in_sentence as f64 * r * m
            + self.words_and_sentences as f64 * r * n
            + self.words_and_words as f64 * r * r
            + self.words_and_levels as f64 * r * n.log2().ceil().max(1.0)
            + self.sentences as f64 * n
    }
}

const TRANSFORMER: &str = "Vaswani et al. 2017, §3.2-3.3";
const ZHANG: &str = "Zhang et al. 2018, §3.2-3.3";
const OWN: &str = "words of its sentence";

/// Widths as numbers of a cost.
struct Widths {
    d: usize,
    d_ff: usize,
    norm: usize,
    gate: usize,
}

impl Widths {
    fn square(&self) -> usize {
        self.d * self.d
    }

    /// Width and its square.
    fn numbers(&self) -> (u64, u64) {
        (self.d as u64, self.square() as u64)
    }

    fn feed_forward(&self) -> usize {
        2 * self.d * self.d_ff + self.d_ff + self.d
    }

    fn source2token(&self) -> usize {
        3 * self.square() + self.d
    }

    /// Self-attention over units of some words; `words` is how many times the own sentence's.
    fn attention(&self, words: usize) -> Cost {
        Cost {
            words: 4 * self.square() as u64,
            words_in_sentence: 2 * (self.d * words) as u64,
            floats_per_word: 4 * self.d as u64,
            ..Cost::default()
        }
    }

    fn feed_forward_cost(&self) -> Cost {
        Cost {
            words: 2 * (self.d * self.d_ff) as u64,
            floats_per_word: (self.d_ff + self.d) as u64,
            ..Cost::default()
        }
    }
}

impl ModelConfig {
    /// All parts, in the order in which they compute.
    pub fn parts(&self) -> Vec<Part> {
        if self.architecture == Architecture::RnnSearch {
            return self.rnn_search_parts();
        }
        let mut parts = self.embedding_parts();
        if self.memory == MemorySource::StageOne {
            parts.push(self.stage_one_part());
        }
        parts.extend(self.encoder_parts());
        parts.extend(self.decoder_parts());
        parts
    }

    /// Parameters of the whole model.
    pub fn num_parameters(&self) -> usize {
        self.parts().iter().map(|part| part.parameters).sum()
    }

    /// Parameters of all encoder sublayers with their norms, without those of a context.
    pub fn encoder_parameters(&self) -> usize {
        self.parameters_of(PartGroup::Encoder)
    }

    /// Parameters of one decoder layer with its norms, without those of a context.
    pub fn decoder_layer_parameters(&self) -> usize {
        let w = self.widths();
        8 * w.square() + w.feed_forward() + 3 * w.norm
    }

    /// Parameters of a group of parts.
    pub fn parameters_of(&self, group: PartGroup) -> usize {
        let parts = self.parts();
        let of_group = parts.iter().filter(|part| part.group == group);
        of_group.map(|part| part.parameters).sum()
    }

    /// Bytes that translating a document takes beside the weights, about: the widest part for all its words at once, and
    /// the encoder's states.
    pub fn document_bytes(&self, sentences: usize, words: usize) -> u64 {
        let parts = self.parts();
        let widest = parts.iter().map(|part| part.cost.floats_per_word).max();
        4 * (widest.unwrap_or(0) + 2 * self.d_model as u64) * (sentences * words) as u64
    }

    fn widths(&self) -> Widths {
        let d = self.d_model;
        Widths {
            d,
            d_ff: self.d_ff,
            norm: 2 * d,
            gate: 2 * d * d + if self.warm_gate { d } else { 0 },
        }
    }

    fn embedding_parts(&self) -> Vec<Part> {
        let d = self.d_model;
        let table = |name: &str, rows: usize, reads: &str, source| Part {
            name: name.to_owned(),
            group: PartGroup::Embeddings,
            parameters: rows * d,
            reads: reads.to_owned(),
            source,
            cost: Cost {
                words: d as u64,
                floats_per_word: d as u64,
                ..Cost::default()
            },
        };
        let words = "Vaswani et al. 2017, §3.4";
        let mut parts = vec![table(
            if self.tied_embeddings {
                "words of both languages, also the logits"
            } else {
                "source words"
            },
            self.vocab_size,
            "a word",
            words,
        )];
        let places = match self.positions {
            Positions::Sinusoidal => 0,
            Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
                ..
            } => words + sentences + paragraphs,
        };
        let sides = if self.tied_embeddings { 1 } else { 2 };
        if places > 0 {
            parts.push(table(
                "positions of word, sentence and paragraph",
                sides * places,
                "a place",
                "Trankova et al. 2024, §1.2",
            ));
        }
        if !self.tied_embeddings {
            parts.push(table("target words", self.vocab_size, "a word", words));
            parts.push(table("logits", self.vocab_size, "a state", words));
        }
        parts
    }

    fn encoder_parts(&self) -> Vec<Part> {
        let w = self.widths();
        let mut parts = Vec::new();
        let read = match self.context {
            Some(
                Context::Concatenation { previous } | Context::FlatTransformer { previous, .. },
            ) => previous + 1,
            // Most sentences have no match; one that has is read with another of its length.
            _ if self.matches == Some(Matches::Read) => 2,
            _ => 1,
        };
        let previous = self.previous_encoder_part(&w);
        parts.extend(previous);
        parts.extend(self.bert.as_ref().map(bert_part));
        parts.extend(self.segments_part());
        let context = self.context_attention(&w);
        let beside = match &context {
            Some((attention, Placement::Sublayer)) => Some((attention, w.norm)),
            Some((attention, Placement::Heads)) => Some((attention, 0)),
            _ => None,
        };
        for (number, kind) in self.encoder.sublayers().enumerate() {
            let layer = |name: &str, parameters, reads: &str, source, mut cost: Cost| {
                cost.words *= read as u64;
                Part {
                    name: format!("encoder {}: {name}", number + 1),
                    group: PartGroup::Encoder,
                    parameters,
                    reads: reads.to_owned(),
                    source,
                    cost,
                }
            };
            match kind {
                Sublayer::SelfAttention => {
                    let reads = match self.context {
                        Some(
                            Context::Concatenation { previous }
                            | Context::FlatTransformer { previous, .. },
                        ) => {
                            format!("{OWN} and of the {} before it", sentences(previous))
                        }
                        _ if self.matches == Some(Matches::Read) => {
                            format!("{OWN} and of the translation of a similar one")
                        }
                        _ => OWN.to_owned(),
                    };
                    let parameters = 4 * w.square() + w.norm;
                    let cost = w.attention(read * read);
                    parts.push(layer(
                        "self-attention",
                        parameters,
                        &reads,
                        TRANSFORMER,
                        cost,
                    ));
                    if let Some((attention, norm)) = beside {
                        let name = format!("encoder {}: {}", number + 1, attention.name);
                        parts.push(attention.part(name, attention.parameters + norm));
                    }
                }
                Sublayer::FeedForward => {
                    let parameters = w.feed_forward() + w.norm;
                    let cost = w.feed_forward_cost();
                    parts.push(layer(
                        "feed-forward",
                        parameters,
                        "itself",
                        TRANSFORMER,
                        cost,
                    ));
                }
            }
        }
        if self.norm == NormPosition::Pre {
            parts.push(self.final_norm("encoder", PartGroup::Encoder));
        }
        if let Some((attention, Placement::Gate)) = &context
            && self.context_side().has_encoder()
        {
            let name = format!("after the encoder: {}, gate", attention.name);
            parts.push(attention.part(name, attention.parameters + self.gated_layer(&w)));
        }
        parts
    }

    fn decoder_parts(&self) -> Vec<Part> {
        let w = self.widths();
        let mut parts = Vec::new();
        for number in 1..=self.num_decoder_layers {
            let mut cost = w.attention(2);
            cost.words += 4 * w.square() as u64 + w.feed_forward_cost().words;
            cost.floats_per_word += w.feed_forward_cost().floats_per_word;
            if number == 1 {
                // The scores of all words of the vocabulary.
                cost.words += (self.vocab_size * w.d) as u64;
            }
            parts.push(Part {
                name: format!(
                    "decoder {number}: causal self-attention, source attention, feed-forward"
                ),
                group: PartGroup::Decoder,
                parameters: self.decoder_layer_parameters(),
                reads: "words before it and words of its source sentence".to_owned(),
                source: TRANSFORMER,
                cost,
            });
            if let Some(Context::HierarchicalEncoding { decoder: true, .. } | Context::Bert { .. }) =
                self.context
                && let Some((attention, placement)) = self.context_attention(&w)
            {
                let name = format!("decoder {number}: {}", attention.name);
                let is_beside = matches!(self.context, Some(Context::Bert { .. }))
                    && placement == Placement::Heads;
                let norm = if is_beside { 0 } else { w.norm };
                parts.push(attention.part(name, attention.parameters + norm));
            }
        }
        if self.norm == NormPosition::Pre {
            parts.push(self.final_norm("decoder", PartGroup::Decoder));
        }
        if self.context_side().has_decoder()
            && let Some((mut attention, _)) = self.context_attention(&w)
        {
            attention.reads = attention.reads.replace("words of", "translated words of");
            let name = format!("after the decoder: {}, gate", attention.name);
            parts.push(attention.part(name, attention.parameters + self.gated_layer(&w)));
        }
        parts
    }

    fn final_norm(&self, side: &str, group: PartGroup) -> Part {
        Part {
            name: format!("{side}: last norm"),
            group,
            parameters: 2 * self.d_model,
            reads: "itself".to_owned(),
            source: "Xiong et al. 2020",
            cost: Cost::default(),
        }
    }

    fn context_side(&self) -> Side {
        self.context.map_or(Side::Encoder, |context| context.side())
    }

    /// Norms, feed-forward layer and gate after an attention; HAN counts its own.
    fn gated_layer(&self, w: &Widths) -> usize {
        match self.context {
            Some(Context::Han { .. }) => w.feed_forward() + w.gate,
            _ => 2 * w.norm + w.feed_forward() + w.gate,
        }
    }

    fn previous_encoder_part(&self, w: &Widths) -> Option<Part> {
        let Some(Context::Zhang { previous }) = self.context else {
            return None;
        };
        let mut cost = w.attention(previous * previous);
        cost.words = (cost.words + w.feed_forward_cost().words) * previous as u64;
        Some(Part {
            name: "previous sentences: self-attention, feed-forward".to_owned(),
            group: PartGroup::Context,
            parameters: 4 * w.square() + w.feed_forward() + 2 * w.norm,
            reads: format!("words of the {} before", sentences(previous)),
            source: ZHANG,
            cost,
        })
    }

    fn segments_part(&self) -> Option<Part> {
        let Some(Context::FlatTransformer { .. }) = self.context else {
            return None;
        };
        Some(Part {
            name: "segments: context and sentence".to_owned(),
            group: PartGroup::Context,
            parameters: 2 * self.d_model,
            reads: "whether a word is of the context".to_owned(),
            source: "Ma et al. 2020, §3",
            cost: Cost::default(),
        })
    }

    fn stage_one_part(&self) -> Part {
        let base = self.sentence_level();
        let bilingual = self.context.as_ref().is_some_and(Context::is_bilingual);
        let parts = base.parts().into_iter();
        let kept: Vec<Part> = parts
            .filter(|part| match part.group {
                PartGroup::Embeddings => {
                    bilingual || !["target words", "logits"].contains(&part.name.as_str())
                }
                PartGroup::Decoder => bilingual,
                _ => true,
            })
            .collect();
        let mut parameters = kept.iter().map(|part| part.parameters).sum();
        if let Positions::MultiLevel {
            words,
            sentences,
            paragraphs,
            ..
        } = self.positions
            && !bilingual
            && !self.tied_embeddings
        {
            // The target's places are not needed.
            parameters -= (words + sentences + paragraphs) * self.d_model;
        }
        let words = kept.iter().map(|part| part.cost.words).sum();
        Part {
            name: "sentence-level model of stage one, frozen".to_owned(),
            group: PartGroup::StageOne,
            parameters,
            reads: OWN.to_owned(),
            source: "Maruf et al. 2019, §4.2",
            cost: Cost {
                words,
                ..Cost::default()
            },
        }
    }

    fn rnn_search_parts(&self) -> Vec<Part> {
        let sizes = self.rnn_search();
        let square = self.widths().square() as u64;
        let source = "Bahdanau et al. 2015, §3, appendix A";
        let part = |name: &str, group, parameters, reads: &str, words| Part {
            name: name.to_owned(),
            group,
            parameters,
            reads: reads.to_owned(),
            source,
            cost: Cost {
                words,
                words_in_sentence: if group == PartGroup::Decoder {
                    3 * self.d_model as u64
                } else {
                    0
                },
                floats_per_word: 4 * self.d_model as u64,
                ..Cost::default()
            },
        };
        let tables =
            sizes.num_parameters() - sizes.encoder_parameters() - sizes.decoder_parameters();
        vec![
            part(
                "source words, target words, logits",
                PartGroup::Embeddings,
                tables,
                "a word",
                0,
            ),
            part(
                "bidirectional recurrent encoder",
                PartGroup::Encoder,
                sizes.encoder_parameters(),
                "all words of its sentence, one after the other",
                12 * square,
            ),
            part(
                "recurrent decoder with additive attention",
                PartGroup::Decoder,
                sizes.decoder_parameters(),
                "words before it and words of its source sentence",
                sizes.decoder_parameters() as u64 + (self.vocab_size * self.d_model) as u64,
            ),
        ]
    }
}

/// Computed once for each pair of sentences if it is frozen, so it is not counted for every word.
fn bert_part(bert: &BertReading) -> Part {
    let sizes = &bert.sizes;
    let (d, layers) = (sizes.d_model, sizes.num_layers);
    let layer = 4 * (d * d + d) + 2 * d * sizes.d_ff + sizes.d_ff + d + 4 * d;
    let rows = sizes.vocab_size + sizes.max_tokens + sizes.num_types + 2;
    Part {
        name: format!("BERT, {}", if bert.trained { "trained" } else { "frozen" }),
        group: PartGroup::Context,
        parameters: rows * d + layers * layer,
        reads: "[CLS] sentence [SEP] context [SEP]".to_owned(),
        source: "Devlin et al. 2019, §3",
        cost: Cost {
            words: 2 * (layers * (4 * d * d + 2 * d * sizes.d_ff)) as u64,
            words_in_sentence: 8 * (layers * d) as u64,
            floats_per_word: if bert.trained {
                12 * (layers * d) as u64
            } else {
                2 * d as u64
            },
            ..Cost::default()
        },
    }
}

/// `sentence` or `4 sentences`.
fn sentences(count: usize) -> String {
    if count == 1 {
        "sentence".to_owned()
    } else {
        format!("{count} sentences")
    }
}
