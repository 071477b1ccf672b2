//! Traces: the attention of a model over a document, from one more pass over it and its translation.
//!
//! The pass comes after the translation and so cannot change it. It costs one run of the encoder, two where sentences of
//! a long document are chosen by their encodings, and one of the decoder over the tokens that the search settled on.

mod behind;
mod cost;
mod describe;
mod rows;
mod text;

use std::ops::Range;

pub use self::cost::TraceCost;
use self::describe::{Described, amount, gate_name, model};
use self::rows::Layout;
pub(super) use self::text::{Excerpt, TracedText};
use super::translation::Translation;
use super::translator::{TraceRequest, Translator};
use crate::error::Result;
use canopy_document::document::Document;
use canopy_explain::trace::{
    AttentionMap, GateValues, MapInfo, MapKind, MapRow, Overview, Side, Trace, TracedTree,
};
use canopy_nn::model::{
    AttentionKind, AttentionRecorder, AttentionWeights, GateActivations, ModelConfig,
};
use canopy_nn::search::{EncodingCache, LARGEST, Window};

impl Translator {
    /// Traces the model over `document` and `translations`, one for each sentence or none.
    ///
    /// A translation whose [`parts`](Translation::parts) are missing, since someone edited it, is traced as its text is
    /// encoded; it has no tokens in the trace if the sentence is too long for the model and its parts are unknown.
    ///
    /// A document that the search reads in windows is traced in the same ones: either each with a tree of its own and the
    /// others masked, or, where sentences are chosen by encodings, among those of the whole document; the weight of a
    /// sentence whose encoding was read in the place of its tokens is in none of its tokens. The other translations that a
    /// bilingual model reads are those of `translations`, not the drafts of its first pass.
    ///
    /// The trace is in memory as a whole. Weights below 0.001 are dropped; the longer the document, the less is kept, so
    /// that a trace has at most about 16 million rows and visits each, some 4 GB: first the nodes of the content tree
    /// that were cut, then all nodes (the chosen sentences keep their relevance), then all layers but the last ones.
    ///
    /// # Errors
    /// If BERT returns non-finite numbers, the weights cannot be read any more, or the machine that traces cannot be reached.
    pub fn trace(
        &self,
        document: &Document,
        translations: &[Option<Translation>],
    ) -> Result<Trace> {
        self.trace_part(document, translations, None)
    }

    /// [`Self::trace`] of the sentences of `part` alone, or of all: the model reads as much of the document as for all of
    /// them, and of the others nothing is kept.
    ///
    /// # Errors
    /// As [`Self::trace`].
    pub fn trace_part(
        &self,
        document: &Document,
        translations: &[Option<Translation>],
        part: Option<Range<usize>>,
    ) -> Result<Trace> {
        let num_sentences = document.sentences.len();
        assert_eq!(translations.len(), num_sentences, "translations");
        if let Some(there) = self.loaded().remote() {
            return TraceRequest::answered_by((there, self), document, translations, part, None);
        }
        let (config, text) = (
            &self.description().model,
            TracedText::new(self, document, translations)?,
        );
        let in_documents = self.model().encodes_documents();
        let windows = text.windows(in_documents);
        let wanted = match &part {
            Some(sentences) => text.parts_of(sentences),
            None => 0..text.parts.len(),
        };
        let is_wanted =
            |window: &Window| window.own.start < wanted.end && wanted.start < window.own.end;
        let read = windows.iter().filter(|window| is_wanted(window));
        let (words, parts) = read.fold((0, 0), |(words, parts), Window { own, .. }| {
            (words + text.num_words(own.clone()), parts + own.len())
        });
        let keep = amount(config, words, parts);
        let mut trace = Trace {
            overview: Overview {
                model: model(self.description()),
                document: document.name.clone(),
                source_language: self.info().source_language.clone(),
                target_language: self.info().target_language.clone(),
                sections: document.sections.clone(),
                source: text.traced_source(self.tokenizer(), document),
                target: text.traced_target(self.tokenizer(), document, translations),
                windows: Vec::new(),
                part,
                trees: Vec::new(),
                gates: Vec::new(),
            },
            maps: Vec::new(),
        };
        if in_documents && windows.len() > 1 {
            trace.overview.windows = text.traced_windows(&windows);
        }
        let (read_text, mut kept) = (text.source_text(), EncodingCache::default());
        let executor = self.model().executor();
        for window in windows.into_iter().filter(is_wanted) {
            let around = || kept.window_context(&*executor, &read_text, &window, LARGEST);
            let document_window = in_documents.then(around).flatten();
            let (source, target) = text.rows(window.read.clone());
            let model = self.model();
            let mut recorder =
                model.record_in_window(&source, &target, document_window.as_ref(), keep);
            let Window { read, own } = window;
            let before = own.start - read.start;
            let [source, target] = text.words(read.start..own.start);
            recorder.forget_first([source, target, before]);
            let layout = Layout {
                text: &text,
                read,
                is_among_others: document_window.is_some(),
                tree: 0,
                num_sentences,
            };
            add_window(&mut trace, recorder, layout, before, (config, keep.least));
        }
        for map in &mut trace.maps {
            // What was not read has rows too where the queries are sentences.
            let expected = trace.overview.count(map.info.queries);
            map.rows.resize_with(expected, MapRow::default);
        }
        self.model().check_read()?;
        trace.fill_gates();
        trace.forget_others();
        Ok(trace)
    }

    /// [`Self::trace_part`] with another T than the model's own, where it has one: at least 1.
    ///
    /// # Errors
    /// As [`Self::trace`].
    pub fn trace_with(
        &self,
        document: &Document,
        translations: &[Option<Translation>],
        part: Option<Range<usize>>,
        top_t: Option<usize>,
    ) -> Result<Trace> {
        if let Some(there) = self.loaded().remote() {
            return TraceRequest::answered_by((there, self), document, translations, part, top_t);
        }
        let other = top_t.and_then(|top_t| {
            let mut other = self.clone();
            let has_choice = other.loaded_mut().set_top_t(top_t.max(1));
            has_choice.then_some(other)
        });
        let translator = other.as_ref().unwrap_or(self);
        translator.trace_part(document, translations, part)
    }
}

/// Adds what was read of a window, the first `before` sentences of which are those of others.
fn add_window(
    trace: &mut Trace,
    recorder: AttentionRecorder,
    mut layout: Layout<'_>,
    before: usize,
    (config, least): (&ModelConfig, f32),
) {
    let AttentionRecorder {
        layers,
        gates,
        leaves,
        ..
    } = recorder;
    if !leaves.is_empty() {
        let leaves = leaves.iter();
        let leaves = leaves.map(|&leaf| layout.sentence(MapKind::Context, leaf));
        let leaves = leaves.collect();
        layout.tree = tree_number(&mut trace.overview.trees, TracedTree { leaves });
    }
    for gate in gates {
        let side = match gate.kind {
            AttentionKind::DecoderContext => Side::Target,
            _ => Side::Source,
        };
        let first = layout.words_before(before, side);
        add_gate(trace, gate_name(config), gate, (side, first));
    }
    let read_rows = layout.read_rows(config);
    let mut add = |described: &Described, layer: usize, weights: AttentionWeights| {
        let num_heads = weights.num_heads;
        let masked = layout.masks(described) && !trace.overview.windows.is_empty();
        let first = first_map(trace, described, (layer, num_heads), masked, least);
        let maps = &mut trace.maps[first..first + num_heads];
        layout.add(described, weights, before, maps);
    };
    for layer in layers {
        let (kind, number, weights) = (layer.kind, layer.layer, layer.attention_weights);
        let described = Described::new(kind, config);
        let Some(read_rows) = &read_rows else {
            add(&described, number, weights);
            continue;
        };
        let query_side = described.queries.side();
        let [own, of_translations] = read_rows.apart(weights, query_side, layout.sees(query_side));
        add(&described, number, own);
        add(
            &Described::for_translations(kind, config),
            number,
            of_translations,
        );
    }
}

/// Number of a tree, which is added unless it is the one of the window before.
fn tree_number(trees: &mut Vec<TracedTree>, tree: TracedTree) -> u32 {
    if trees.last() != Some(&tree) {
        trees.push(tree);
    }
    u32::try_from(trees.len() - 1).expect("few windows")
}

/// Adds values after those of the windows before; `first` is the number of their first word.
fn add_gate(
    trace: &mut Trace,
    name: &str,
    mut gate: GateActivations,
    (side, first): (Side, usize),
) {
    let gates = &mut trace.overview.gates;
    let same = |there: &&mut GateValues| (there.layer, there.side) == (gate.layer, side);
    if let Some(there) = gates.iter_mut().find(same) {
        for values in [&mut there.mean, &mut there.min, &mut there.max] {
            values.resize(first, 0.0);
        }
        there.mean.append(&mut gate.mean);
        there.min.append(&mut gate.min);
        there.max.append(&mut gate.max);
        return;
    }
    let behind_zeros = |values: Vec<f32>| [vec![0.0; first], values].concat();
    gates.push(GateValues {
        name: name.to_owned(),
        layer: gate.layer,
        side,
        mean: behind_zeros(gate.mean),
        min: behind_zeros(gate.min),
        max: behind_zeros(gate.max),
    });
}

/// Place of the first head of an attention, whose maps are together; they are made if they are missing.
fn first_map(
    trace: &mut Trace,
    described: &Described,
    (layer, num_heads): (usize, usize),
    windowed: bool,
    least: f32,
) -> usize {
    if let Some(place) = trace.find(described.kind, layer, 0) {
        return place;
    }
    let place = trace.maps.len();
    trace.maps.extend((0..num_heads).map(|head| AttentionMap {
        info: MapInfo {
            kind: described.kind,
            layer,
            head,
            queries: described.queries,
            keys: described.keys,
            visible: described.visible,
            windowed,
            normaliser: described.normaliser,
            sentence_normaliser: described.sentence_normaliser,
            threshold: described.threshold(least),
            includes_own: described.includes_own,
        },
        rows: Vec::new(),
    }));
    place
}
