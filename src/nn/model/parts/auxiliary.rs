//! Parts of some systems in addition to an encoder and a decoder, and those of the recurrent one.

use super::cost::Cost;
use super::{OWN, Part, PartGroup};
use crate::model::bert::BertReading;
use crate::model::config::{ModelConfig, Positions};
use crate::model::context_config::Context;
use canopy_document::document::HEADING_LEVELS;

/// Parts of a decoder among the embeddings.
const OF_THE_TARGET: [&str; 4] = [
    "target words",
    "logits",
    "biases of the logits",
    "positions and norm of the target",
];

impl ModelConfig {
    pub(super) fn stage_one_part(&self) -> Part {
        let base = self.sentence_level();
        let bilingual = self.context.is_some_and(Context::is_bilingual);
        let parts = base.parts().into_iter();
        let kept: Vec<Part> = parts
            .filter(|part| match part.group {
                PartGroup::Embeddings => bilingual || !OF_THE_TARGET.contains(&part.name.as_str()),
                PartGroup::Decoder => bilingual,
                _ => true,
            })
            .collect();
        let mut parameters = kept.iter().map(|part| part.parameters).sum();
        if let Positions::MultiLevel {
            words,
            sentences,
            paragraphs,
            headings,
            ..
        } = self.positions
            && !bilingual
            && self.has_target_table()
        {
            // The target's places are not needed.
            let sections = HEADING_LEVELS * headings;
            parameters -= (words + sentences + paragraphs + sections) * self.d_model;
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

    pub(super) fn rnn_search_parts(&self) -> Vec<Part> {
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

/// Computed once for each pair of sentences if it is frozen, so it is not counted for every token.
pub(super) fn bert_part(bert: &BertReading) -> Part {
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
