//! Embeddings, encoder and decoder, with the attentions to the document in them.

use super::auxiliary::bert_part;
use super::cost::{Cost, Widths};
use super::{AttentionPart, OWN, Part, PartGroup, TRANSFORMER, sentences};
use crate::model::config::{MemoryUse, ModelConfig, NormPosition, Positions};
use crate::model::context_config::{Context, Placement, Side};
use crate::model::layout::Sublayer;
use crate::model::variant::DecoderCell;
use canopy_document::document::HEADING_LEVELS;

impl ModelConfig {
    pub(super) fn embedding_parts(&self) -> Vec<Part> {
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
            match (self.has_target_table(), self.has_output_table()) {
                (false, false) => "words of both languages, also the logits",
                (false, true) => "words of both languages",
                (true, _) => "source words",
            },
            self.vocab_size,
            "a word",
            words,
        )];
        let positions = match self.positions {
            Positions::Sinusoidal
            | Positions::Sinusoids(_)
            | Positions::Learned { .. }
            | Positions::Unknown => 0,
            Positions::MultiLevel {
                words,
                sentences,
                paragraphs,
                headings,
                ..
            } => words + sentences + paragraphs + HEADING_LEVELS * headings,
        };
        let sides = if self.has_target_table() { 2 } else { 1 };
        if positions > 0 {
            parts.push(table(
                "positions of word, sentence and paragraph",
                sides * positions,
                "a place",
                "Trankova et al. 2024, §1.2",
            ));
        }
        let target_size = self.target_vocab_size();
        if self.has_target_table() {
            parts.push(table("target words", target_size, "a word", words));
        }
        if self.has_output_table() {
            parts.push(table("logits", target_size, "a state", words));
        }
        if self.variant.output_bias {
            let mut biases = table("biases of the logits", 0, "a state", words);
            biases.parameters = target_size;
            parts.push(biases);
        }
        for side in ["source", "target"] {
            let rows = match self.positions {
                Positions::Learned { size } => size,
                _ => 0,
            };
            let rows = rows + if self.variant.embedding_norm { 2 } else { 0 };
            if rows > 0 {
                let name = format!("positions and norm of the {side}");
                parts.push(table(&name, rows, "a place", "as in another program"));
            }
        }
        parts
    }

    pub(super) fn encoder_parts(&self) -> Vec<Part> {
        let w = self.widths();
        let mut parts = Vec::new();
        let read = match self.context {
            Some(context) if context.concatenated() > 0 => context.concatenated() + 1,
            // Most sentences have no match; one that has is read with another of its length.
            _ if self.memory_use == Some(MemoryUse::FuzzyMatch) => 2,
            _ if self.previous_translations > 0 => self.previous_translations + 1,
            _ => 1,
        };
        let mechanism = self.context.map(Context::mechanism);
        let auxiliary = mechanism
            .as_ref()
            .and_then(|mechanism| mechanism.auxiliary_part(self, &w));
        parts.extend(auxiliary);
        parts.extend(self.bert.as_ref().map(bert_part));
        let placement = mechanism
            .as_ref()
            .and_then(|mechanism| mechanism.placement());
        let context = self.context_attention(&w).zip(placement);
        let auxiliary = match &context {
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
                        Some(context) if context.concatenated() > 0 => {
                            let previous = sentences(context.concatenated());
                            format!("{OWN} and of the {previous} before it")
                        }
                        _ if self.memory_use == Some(MemoryUse::FuzzyMatch) => {
                            format!("{OWN} and of the translation of a similar one")
                        }
                        _ if self.previous_translations > 0 => format!(
                            "{OWN} and of the translations of the {} before it",
                            sentences(self.previous_translations)
                        ),
                        _ if self.reads_formality => {
                            format!("{OWN} and the form of address last used before it")
                        }
                        _ => OWN.to_owned(),
                    };
                    let parameters = 4 * w.square() + w.attention_bias + w.norm;
                    let cost = w.attention(read * read);
                    parts.push(layer(
                        "self-attention",
                        parameters,
                        &reads,
                        TRANSFORMER,
                        cost,
                    ));
                    if let Some((attention, norm)) = auxiliary {
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

    pub(super) fn decoder_parts(&self) -> Vec<Part> {
        let w = self.widths();
        let mut parts = Vec::new();
        for number in 1..=self.num_decoder_layers {
            let mut cost = w.attention(2);
            cost.words += 4 * w.square() as u64 + w.feed_forward_cost().words;
            cost.floats_per_word += w.feed_forward_cost().floats_per_word;
            if number == 1 {
                // The scores of all tokens of the vocabulary.
                cost.words += (self.target_vocab_size() * w.d) as u64;
            }
            parts.push(Part {
                name: format!(
                    "decoder {number}: {}, source attention, feed-forward",
                    match self.variant.decoder_cell {
                        DecoderCell::SelfAttention => "causal self-attention",
                        DecoderCell::Ssru => "recurrent unit",
                    }
                ),
                group: PartGroup::Decoder,
                parameters: self.decoder_layer_parameters(),
                reads: "words before it and words of its source sentence".to_owned(),
                source: TRANSFORMER,
                cost,
            });
            let mechanism = self.context.map(Context::mechanism);
            let placement = mechanism.and_then(|mechanism| mechanism.decoder_placement());
            if let (Some(placement), Some(attention)) = (placement, self.context_attention(&w)) {
                let name = format!("decoder {number}: {}", attention.name);
                let norm = if placement == Placement::Heads {
                    0
                } else {
                    w.norm
                };
                parts.push(attention.part(name, attention.parameters + norm));
            }
        }
        if self.norm == NormPosition::Pre {
            parts.push(self.final_norm("decoder", PartGroup::Decoder));
        }
        if self.context_side().has_decoder()
            && let Some(mut attention) = self.context_attention(&w)
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
        self.context.map_or(Side::Encoder, Context::side)
    }

    /// The attention of the context.
    fn context_attention(&self, w: &Widths) -> Option<AttentionPart> {
        self.context?.mechanism().attention_part(self, w)
    }

    /// Norms, feed-forward layer and gate after an attention; some mechanisms count their own norms.
    fn gated_layer(&self, w: &Widths) -> usize {
        let norms = self
            .context
            .map_or(0, |context| context.mechanism().num_gated_norms());
        norms * w.norm + w.feed_forward() + w.gate
    }
}
