//! The attentions to a document as parts of a model.

use super::super::bert::BertReading;
use super::super::config::ModelConfig;
use super::super::context_config::{Context, FlatLevel, Fusion, MergeKind, Placement, Reach};
use super::cost::{Cost, Widths};
use super::{Part, PartGroup, ZHANG, sentences};

/// An attention to the document, without what joins it to a layer.
pub(super) struct Attention {
    pub name: &'static str,
    pub parameters: usize,
    pub reads: String,
    source: &'static str,
    cost: Cost,
}

impl Attention {
    pub fn part(&self, name: String, parameters: usize) -> Part {
        Part {
            name,
            group: PartGroup::Context,
            parameters,
            reads: self.reads.clone(),
            source: self.source,
            cost: self.cost,
        }
    }
}

impl ModelConfig {
    /// The attention of the context, and where it stands in the encoder.
    pub(super) fn context_attention(&self, w: &Widths) -> Option<(Attention, Placement)> {
        Some(match self.context? {
            Context::Concatenation { .. } | Context::FlatTransformer { .. } => return None,
            Context::Bert { fusion, .. } => {
                let placement = match fusion {
                    Fusion::Cardinality => Placement::Sublayer,
                    Fusion::Average | Fusion::Gate => Placement::Heads,
                };
                (bert(w, self.bert.as_ref()?, fusion), placement)
            }
            Context::HierarchicalEncoding { placement, .. } => (sentence_encodings(w), placement),
            Context::Conditional { top_t, placement } => (conditional(w, top_t), placement),
            Context::HierarchicalConditional {
                top_t,
                merge,
                placement,
                ..
            } => (tree(w, top_t, merge), placement),
            Context::Selective { reach, .. } => (selective(w, reach), Placement::Gate),
            Context::Flat { level, reach, .. } => (flat(w, level, reach), Placement::Gate),
            Context::Han { previous, .. } => (han(w, previous), Placement::Gate),
            Context::Zhang { previous } => (zhang(w, previous), Placement::Sublayer),
        })
    }
}

fn sentence_encodings(w: &Widths) -> Attention {
    let (d, square) = w.numbers();
    Attention {
        name: "attention to sentence encodings",
        parameters: w.source2token() + 4 * w.square(),
        reads: "an encoding of every sentence of the document".to_owned(),
        source: "Trankova et al. 2024, §2, Eq. 1-2, Fig. 1",
        cost: Cost {
            words: 4 * square,
            words_and_sentences: 2 * d,
            sentences: 3 * square,
            floats_per_word: 5 * d,
            ..Cost::default()
        },
    }
}

fn conditional(w: &Widths, top_t: usize) -> Attention {
    let (d, square) = w.numbers();
    Attention {
        name: "conditional attention",
        parameters: w.source2token() + 6 * w.square(),
        reads: format!("words of the {} that matter most to it", sentences(top_t)),
        source: "Trankova et al. 2024, §3.2, Eq. 3-7",
        cost: Cost {
            words: 8 * square,
            words_in_sentence: 2 * d * top_t as u64,
            words_and_sentences: d,
            sentences: 2 * square,
            floats_per_word: 8 * d,
            ..Cost::default()
        },
    }
}

fn tree(w: &Widths, top_t: usize, merge: MergeKind) -> Attention {
    let (d, square) = w.numbers();
    let merging = match merge {
        MergeKind::Source2Token => w.source2token(),
        MergeKind::Average => 0,
        MergeKind::MultiDim => 2 * w.square() + 2 * w.d,
    };
    let chosen = conditional(w, top_t);
    Attention {
        name: "hierarchical conditional attention",
        parameters: chosen.parameters + merging,
        reads: format!(
            "words of the {} found in the content tree",
            sentences(top_t)
        ),
        source: "Trankova et al. 2024, §3.3, Fig. 3",
        cost: Cost {
            words_and_sentences: 0,
            words_and_levels: 2 * d * top_t as u64,
            sentences: 6 * square,
            ..chosen.cost
        },
    }
}

fn selective(w: &Widths, reach: Reach) -> Attention {
    let (d, square) = w.numbers();
    Attention {
        name: "selective attention",
        parameters: 6 * w.square(),
        reads: others("words, where the sentence has weight,", reach),
        source: "Maruf et al. 2019, Eq. 3-6, 8-9",
        cost: Cost {
            words: 6 * square,
            words_and_sentences: d,
            // At most: sentences without weight are not read.
            words_and_words: 2 * d,
            floats_per_word: 7 * d,
            ..Cost::default()
        },
    }
}

fn flat(w: &Widths, level: FlatLevel, reach: Reach) -> Attention {
    let (d, square) = w.numbers();
    let (units, by_word, by_sentence) = match level {
        FlatLevel::Word => ("words", 2 * d, 0),
        FlatLevel::Sentence => ("the mean", 0, 2 * d),
    };
    Attention {
        name: "flat attention",
        parameters: 4 * w.square(),
        reads: others(units, reach),
        source: "Maruf et al. 2019, Eq. 7",
        cost: Cost {
            words: 4 * square,
            words_and_words: by_word,
            words_and_sentences: by_sentence,
            floats_per_word: 6 * d,
            ..Cost::default()
        },
    }
}

fn han(w: &Widths, previous: usize) -> Attention {
    let ((d, square), k) = (w.numbers(), previous as u64);
    Attention {
        name: "hierarchical attention network",
        parameters: 10 * w.square(),
        reads: format!("words of the {} before", sentences(previous)),
        source: "Miculicich et al. 2018, Eq. 2-7",
        cost: Cost {
            words: (6 + 4 * k) * square,
            words_in_sentence: 2 * d * k,
            floats_per_word: (4 + 3 * k) * d,
            ..Cost::default()
        },
    }
}

fn zhang(w: &Widths, previous: usize) -> Attention {
    let ((d, square), k) = (w.numbers(), previous as u64);
    Attention {
        name: "attention to the previous sentences, gate",
        parameters: 4 * w.square() + w.gate,
        reads: format!("words of the {} before", sentences(previous)),
        source: ZHANG,
        cost: Cost {
            words: (4 + 2 * k) * square,
            words_in_sentence: 2 * d * k,
            floats_per_word: (3 + 2 * k) * d,
            ..Cost::default()
        },
    }
}

fn bert(w: &Widths, bert: &BertReading, fusion: Fusion) -> Attention {
    let ((d, square), d_bert) = (w.numbers(), bert.sizes.d_model);
    Attention {
        name: match fusion {
            Fusion::Cardinality => "attention to BERT, residuals of its own",
            Fusion::Average => "attention to BERT, averaged",
            Fusion::Gate => "attention to BERT, gate",
        },
        parameters: 2 * (w.square() + d_bert * w.d)
            + if fusion == Fusion::Gate { w.gate } else { 0 },
        reads: "words of its sentence and of one other, as BERT sees them".to_owned(),
        source: match fusion {
            Fusion::Cardinality => "CATSBY 2022, Eq. 13-18",
            Fusion::Average | Fusion::Gate => "Zhu et al. 2020, §4",
        },
        cost: Cost {
            words: 2 * square + 4 * d * d_bert as u64,
            words_in_sentence: 4 * d,
            floats_per_word: 7 * d + 2 * d_bert as u64,
            ..Cost::default()
        },
    }
}

fn others(what: &str, reach: Reach) -> String {
    match reach {
        Reach::Offline => format!("{what} of all other sentences of the document"),
        Reach::Online => format!("{what} of all sentences before its own"),
    }
}
