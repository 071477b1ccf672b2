//! A window of a document that is too long to be read at once, with what is kept of the rest.
//!
//! Every sentence outside the window is represented by its encoding: it competes for being chosen as if its tokens were there, and
//! where it is chosen the encoding is read in their place. Works for attentions after the last encoder layer.

use burn::tensor::Tensor;

use super::documents::Documents;
use super::encoder::{Encoder, EncoderOutput};
use super::packed_batch::PackedBatch;
use super::prepared::Memory;
use super::query_spans::QuerySpan;
use super::recorder::{AttentionKind, AttentionRecorder};
use super::rows::select_rows;
use super::systems::{ContextAttention, GatedContext};
use super::transformer::Transformer;
use canopy_kernels::DropoutSource;

/// Encodings of the sentences before and after a window, each `[sentences, d_model]`; none where there is no sentence.
#[derive(Debug, Clone, Default)]
pub struct DocumentWindow {
    /// Encodings of the sentences before the window.
    pub before: Option<Tensor<2>>,
    /// Encodings of the sentences after the window.
    pub after: Option<Tensor<2>>,
}

impl DocumentWindow {
    /// Number of sentences before the window.
    fn num_before(&self) -> usize {
        self.before.as_ref().map_or(0, |before| before.dims()[0])
    }

    /// The window's tokens with the rest of the document, and the window's sentences as readers of it.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`, of one document laid out by `window`; encodings: of its sentences
    pub(super) fn around(
        &self,
        words: Tensor<2>,
        encodings: Tensor<2>,
        window: &Documents,
    ) -> (Memory, Vec<QuerySpan>) {
        let ([rows, _], before) = (words.dims(), self.num_before());
        let after = self.after.as_ref().map_or(0, |after| after.dims()[0]);
        let mut sentences: Vec<_> = (0..before).map(|row| row..row + 1).collect();
        let own = window.sentences.iter();
        sentences.extend(own.map(|range| before + range.start..before + range.end));
        sentences.extend((before + rows..before + rows + after).map(|row| row..row + 1));
        let joined = |middle: Tensor<2>| {
            let parts = [self.before.clone(), Some(middle), self.after.clone()];
            Tensor::cat(parts.into_iter().flatten().collect(), 0)
        };
        let query_spans = window.query_spans().into_iter().map(|span| QuerySpan {
            sentence: before + span.sentence,
            ..span
        });
        let memory = Memory {
            encodings: Some(joined(encodings)),
            ..Memory::from_states(joined(words), Documents::one(sentences))
        };
        (memory, query_spans.collect())
    }
}

impl Transformer {
    /// Encodings of sentences by which others choose them; none if nothing after the last layer chooses so.
    ///
    /// # Shapes
    /// - memory: as in [`Self::encode`]
    /// - output: `[sentences, d_model]`
    pub fn encode_sentences(
        &self,
        source: &PackedBatch,
        memory: Option<Tensor<2>>,
    ) -> Option<Tensor<2>> {
        let words = memory.unwrap_or_else(|| self.layers(source, &mut AttentionRecorder::off()));
        self.encoder.encode_sentences(&words, &source.layout())
    }

    /// [`Self::encode`] of a window of one document, with what it attends to: sentences that the context names, and the leaves of
    /// its tree, have their numbers in the document. None if nothing after the last layer chooses sentences by encodings.
    pub(super) fn encode_in_window_recorded(
        &self,
        source: &PackedBatch,
        memory: Option<Tensor<2>>,
        document_window: &DocumentWindow,
        recorder: &mut AttentionRecorder,
    ) -> Option<EncoderOutput> {
        if !self.encoder.chooses_by_encodings() {
            return None;
        }
        let states = self.layers(source, recorder);
        let words = memory.unwrap_or_else(|| states.clone());
        let layout = source.layout();
        let states = self.encoder.read_context_in_window(
            states,
            words,
            &layout,
            document_window,
            recorder,
        )?;
        let counted = self.counted(source);
        Some(EncoderOutput::new(
            states,
            counted.as_ref().unwrap_or(source),
        ))
    }

    fn layers(&self, source: &PackedBatch, recorder: &mut AttentionRecorder) -> Tensor<2> {
        let none = DropoutSource::none();
        let counted = self.counted(source);
        let source = counted.as_ref().unwrap_or(source);
        let embedded = self.embedding.forward(source, &none);
        self.encoder.layers(embedded, source, None, &none, recorder)
    }
}

impl GatedContext {
    /// Whether what is read are tokens, be they chosen by encodings, and not the encodings.
    fn reads_words(&self) -> bool {
        self.attention().is_none_or(ContextAttention::reads_tokens)
    }
}

impl Encoder {
    /// The attention of the context after the last layer, if it has one of those of layers, too.
    fn last_context(&self) -> Option<&ContextAttention> {
        self.gated.as_ref()?.attention()
    }

    /// Whether the context after the last layer chooses sentences by their encodings.
    pub(super) fn chooses_by_encodings(&self) -> bool {
        let attention = self.last_context();
        attention.is_some_and(|attention| attention.source2token().is_some())
    }

    /// States after the last sublayer, joined with those of the other sentences of the document that a window is part of; none
    /// if nothing after the last layer chooses sentences by encodings.
    ///
    /// # Shapes
    /// - states, output: `[rows, d_model]`, of one document laid out by `window`
    /// - words: the states that are read, `[rows, d_model]`
    pub(super) fn read_context_in_window(
        &self,
        states: Tensor<2>,
        words: Tensor<2>,
        window: &Documents,
        rest: &DocumentWindow,
        recorder: &mut AttentionRecorder,
    ) -> Option<Tensor<2>> {
        assert_eq!(window.documents.len(), 1, "a window of one document");
        let gated = self.gated.as_ref()?;
        let (first, [rows, _]) = (rest.num_before(), words.dims());
        let (memory, query_spans) = self.read_around(words, window, rest)?;
        if !recorder.is_on() {
            let none = DropoutSource::none();
            return Some(gated.forward(states.clone(), states, &query_spans, &memory, &none));
        }
        let position = (AttentionKind::Context, self.last_attention());
        let joined =
            gated.attend_recorded(&states, &states, &query_spans, &memory, position, recorder);
        let sentences = first..first + window.sentences.len();
        recorder.rename_window(&(first..first + rows), &sentences, gated.reads_words());
        Some(joined)
    }

    /// The document that the sentences of a window read, and who reads it; none if nothing after the last layer chooses sentences
    /// by encodings.
    fn read_around(
        &self,
        words: Tensor<2>,
        window: &Documents,
        rest: &DocumentWindow,
    ) -> Option<(Memory, Vec<QuerySpan>)> {
        let encodings = self.encode_sentences(&words, window)?;
        Some(rest.around(words, encodings, window))
    }

    /// States after the last sublayer of some sentences, joined with those of the others of their documents, or of the
    /// document that a window is part of: rows of [`Self::read_context`] or [`Self::read_context_in_window`]. None if no
    /// context is there.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`, laid out by `source`
    /// - output: `[rows of the wanted sentences, d_model]`, one sentence below the other
    pub(super) fn read_context_for(
        &self,
        wanted: &[usize],
        states: Tensor<2>,
        source: &PackedBatch,
        rest: Option<&DocumentWindow>,
    ) -> Option<Tensor<2>> {
        let (gated, documents) = (self.gated.as_ref()?, source.layout());
        let (memory, spans) = if let Some(rest) = rest {
            self.read_around(states.clone(), &documents, rest)?
        } else {
            let spans = documents.query_spans();
            let read = documents.without_ends(&source.ids, self.unread_end);
            (Memory::from_states(states.clone(), read), spans)
        };
        let mut rows: Vec<usize> = Vec::new();
        let spans = wanted.iter().map(|&sentence| {
            let span = &spans[sentence];
            let first = rows.len();
            rows.extend(span.rows.clone());
            QuerySpan {
                rows: first..rows.len(),
                sentence: span.sentence,
            }
        });
        let spans: Vec<QuerySpan> = spans.collect();
        let (own, none) = (select_rows(states, &rows), DropoutSource::none());
        Some(gated.forward(own.clone(), own, &spans, &memory, &none))
    }

    /// Encodings by which the context after the last layer chooses sentences; none if it has no such context.
    pub(super) fn encode_sentences(
        &self,
        words: &Tensor<2>,
        documents: &Documents,
    ) -> Option<Tensor<2>> {
        self.last_context()?.encode_sentences(words, documents)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::super::config::{Architecture, ModelConfig, NormPosition, Positions};
    use super::super::context_config::MergeKind;
    use super::super::context_config::{Context, MemorySource, Placement};
    use super::super::recorder::{HeadWeights, Recording};
    use super::super::system::Model;
    use super::super::systems::TraversalRule;
    use super::super::variant::{SpecialTokens, Variant};
    use super::*;

    fn model(context: Context) -> Model {
        let config = ModelConfig {
            vocab_size: 20,
            d_model: 8,
            d_ff: 12,
            num_heads: 2,
            encoder: "s-sf".parse().expect("a layout"),
            num_decoder_layers: 1,
            dropout: 0.0,
            positions: Positions::Sinusoidal,
            norm: NormPosition::Post,
            tied_embeddings: true,
            max_tokens: 20,
            architecture: Architecture::Transformer,
            context: Some(context),
            memory: MemorySource::Live,
            warm_gate: false,
            memory_use: None,
            previous_translations: 0,
            reads_formality: false,
            variant: Variant::default(),
            tokens: SpecialTokens::default(),
            bert: None,
        };
        Model::seeded(&config, 3, &Device::flex()).expect("a model")
    }

    fn rows(sentences: &[&[u32]]) -> PackedBatch {
        let mut rows = PackedBatch::default();
        for (position, sentence) in sentences.iter().enumerate() {
            rows.push(sentence, (0, position));
        }
        rows
    }

    const DOCUMENT: [&[u32]; 5] = [&[5, 6, 3], &[7, 3], &[8, 9, 10, 3], &[11, 12, 3], &[13, 3]];

    /// States of the third and fourth sentence, within the whole document and with what is kept of the rest.
    fn whole_and_window(context: Context) -> [Vec<f32>; 2] {
        let model = model(context);
        let states = |encoded: EncoderOutput, rows: std::ops::Range<usize>| {
            let states = encoded.states.narrow(0, rows.start, rows.len());
            states.into_data().iter::<f32>().collect::<Vec<f32>>()
        };
        let encodings = |part: &[&[u32]]| model.encode_sentences(&rows(part));
        let document_window = DocumentWindow {
            before: encodings(&DOCUMENT[..2]),
            after: encodings(&DOCUMENT[4..]),
        };
        let whole = model.encode(&rows(&DOCUMENT), &DropoutSource::none());
        let executor = model.executor();
        let part = rows(&DOCUMENT[2..4]);
        let window = executor.encode(&part, Some(&document_window), &mut AttentionRecorder::off());
        [states(whole, 5..12), states(window, 0..7)]
    }

    #[test]
    fn encodings_of_the_rest_serve_as_well_as_the_whole_document() {
        let [whole, window] = whole_and_window(Context::HierarchicalEncoding {
            placement: Placement::Gate,
            decoder: false,
        });
        for (whole, window) in whole.iter().zip(&window) {
            assert!((whole - window).abs() < 1e-5, "{whole} and {window}");
        }
    }

    /// The weights of the third and fourth sentence within the whole document, and with what is kept of the rest.
    fn attended_whole_and_in_window(context: Context) -> [AttentionRecorder; 2] {
        let model = model(context);
        let encodings = |part: &[&[u32]]| model.encode_sentences(&rows(part));
        let document_window = DocumentWindow {
            before: encodings(&DOCUMENT[..2]),
            after: encodings(&DOCUMENT[4..]),
        };
        let recorder = |part: &[&[u32]], document_window: Option<&DocumentWindow>| {
            let untranslated = vec![<&[u32]>::default(); part.len()];
            let (source, target) = (rows(part), rows(&untranslated));
            model.record_in_window(&source, &target, document_window, Recording::all())
        };
        let mut whole = recorder(&DOCUMENT, None);
        whole.forget_first([5, 0, 2]);
        [whole, recorder(&DOCUMENT[2..4], Some(&document_window))]
    }

    fn attention_weights(recorder: &AttentionRecorder, kind: AttentionKind) -> &[HeadWeights] {
        let layer = recorder.layers.iter().find(|layer| layer.kind == kind);
        &layer.expect("it was attended to").attention_weights.rows
    }

    #[test]
    fn a_window_attends_to_the_sentences_of_the_whole_document() {
        let [whole, window] = attended_whole_and_in_window(Context::HierarchicalEncoding {
            placement: Placement::Gate,
            decoder: false,
        });
        let [whole, window] =
            [&whole, &window].map(|it| attention_weights(it, AttentionKind::Context));
        assert_eq!(window.len(), 2 * 7);
        for (whole, window) in whole.iter().zip(window) {
            assert_eq!(window.keys.len(), DOCUMENT.len());
            for (whole, window) in whole.keys.iter().zip(&window.keys) {
                assert_eq!(whole.0, window.0);
                assert!((whole.1 - window.1).abs() < 1e-5, "{whole:?}, {window:?}");
            }
        }
    }

    #[test]
    fn what_was_read_of_encodings_is_in_no_word() {
        let [_, window] = attended_whole_and_in_window(Context::HierarchicalConditional {
            top_t: 5,
            merge: MergeKind::Source2Token,
            rule: TraversalRule::ByNode,
            placement: Placement::Gate,
        });
        assert_eq!(window.leaves, [0, 1, 2, 3, 4]);
        let encoded = attention_weights(&window, AttentionKind::SentenceEncoding);
        let words = encoded.iter().map(|reading| {
            let words = reading.keys.iter().map(|&(word, _)| word);
            words.collect::<Vec<_>>()
        });
        assert!(words.eq([vec![0, 1, 2, 3], vec![4, 5, 6]]));
        for reading in attention_weights(&window, AttentionKind::Context) {
            let sentences = reading.sentences.iter();
            assert!(sentences.clone().map(|read| read.sentence).eq(0..5));
            assert!(reading.keys.iter().all(|&(word, _)| word < 7));
            let far = sentences.filter(|read| ![2, 3].contains(&read.sentence));
            let far: f32 = far.map(|read| read.weight).sum();
            assert!((far - reading.rest).abs() < 1e-5, "{far}: {reading:?}");
        }
    }

    #[test]
    fn a_tree_reads_encodings_where_the_words_are_not_kept() {
        let [whole, window] = whole_and_window(Context::HierarchicalConditional {
            top_t: 3,
            merge: MergeKind::Source2Token,
            rule: TraversalRule::ByNode,
            placement: Placement::Gate,
        });
        assert!(window.iter().all(|x| x.is_finite()));
        assert_ne!(whole, window);
    }
}
