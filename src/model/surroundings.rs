//! A window of a document that is too long to be read at once, with what is kept of the rest.
//!
//! Of every sentence outside the window its encoding is left: it competes for being chosen as if its words were there, and
//! where it is chosen the encoding is read in their place. Works for attentions that stand after the last encoder layer.

use burn::tensor::Tensor;

use super::attended::{Attended, AttendedKind};
use super::context_attention::{ContextAttention, GatedContext, Memory};
use super::documents::Documents;
use super::embedding::Rows;
use super::encoder::{Encoder, EncoderOutput};
use super::readers::Reader;
use super::transformer::Transformer;
use crate::kernels::DropoutSource;

/// Encodings of the sentences before and after a window, each `[sentences, d_model]`; none where there is no sentence.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub before: Option<Tensor<2>>,
    pub after: Option<Tensor<2>>,
}

impl Surroundings {
    /// How many sentences stand before the window.
    fn num_before(&self) -> usize {
        self.before.as_ref().map_or(0, |before| before.dims()[0])
    }

    /// The window's words with the rest of the document, and the window's sentences as readers of it.
    ///
    /// # Shapes
    /// - words: `[rows, d_model]`, of one document laid out by `window`; encodings: of its sentences
    pub(super) fn around(
        &self,
        words: Tensor<2>,
        encodings: Tensor<2>,
        window: &Documents,
    ) -> (Memory, Vec<Reader>) {
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
        let readers = window.readers().into_iter().map(|reader| Reader {
            sentence: before + reader.sentence,
            ..reader
        });
        let memory = Memory {
            encodings: Some(joined(encodings)),
            ..Memory::of(joined(words), Documents::one(sentences))
        };
        (memory, readers.collect())
    }
}

impl Transformer {
    /// Encodings of sentences by which others choose them; none if nothing after the last layer chooses so.
    ///
    /// # Shapes
    /// - memory: as in [`Self::encode`]
    /// - output: `[sentences, d_model]`
    pub fn encode_sentences(&self, source: &Rows, memory: Option<Tensor<2>>) -> Option<Tensor<2>> {
        let words = memory.unwrap_or_else(|| self.layers(source, &mut Attended::off()));
        self.encoder.encode_sentences(&words, &source.layout())
    }

    /// [`Self::encode`] of a window of one document; none if nothing after the last layer chooses sentences by encodings.
    pub fn encode_among(
        &self,
        source: &Rows,
        memory: Option<Tensor<2>>,
        surroundings: &Surroundings,
    ) -> Option<EncoderOutput> {
        self.encode_among_attended(source, memory, surroundings, &mut Attended::off())
    }

    /// [`Self::encode_among`], with what it attends to: sentences that the context names, and the leaves of its tree, have
    /// their numbers in the document.
    pub(super) fn encode_among_attended(
        &self,
        source: &Rows,
        memory: Option<Tensor<2>>,
        surroundings: &Surroundings,
        attended: &mut Attended,
    ) -> Option<EncoderOutput> {
        assert_eq!(source.documents.len(), 1, "a window of one document");
        let encoder = &self.encoder;
        let gated = encoder.gated.as_ref();
        let gated = gated.filter(|_| encoder.chooses_by_encodings())?;
        let (states, documents) = (self.layers(source, attended), source.layout());
        let words = memory.unwrap_or_else(|| states.clone());
        let encodings = encoder.encode_sentences(&words, &documents)?;
        let (first, [rows, _]) = (surroundings.num_before(), words.dims());
        let (memory, readers) = surroundings.around(words, encodings, &documents);
        let states = if attended.is_on() {
            let place = (AttendedKind::Context, encoder.last_attention());
            let joined = gated.attend_telling(&states, &states, &readers, &memory, place, attended);
            let sentences = first..first + documents.sentences.len();
            attended.rename_window(&(first..first + rows), &sentences, gated.reads_words());
            joined
        } else {
            let none = DropoutSource::none();
            gated.forward(states.clone(), states, &readers, &memory, &none)
        };
        let counted = self.counted(source);
        Some(EncoderOutput::of(
            states,
            counted.as_ref().unwrap_or(source),
        ))
    }

    fn layers(&self, source: &Rows, attended: &mut Attended) -> Tensor<2> {
        let none = DropoutSource::none();
        let counted = self.counted(source);
        let source = counted.as_ref().unwrap_or(source);
        let embedded = self.embedding.forward(source, &none);
        self.encoder.layers(embedded, source, None, &none, attended)
    }
}

impl GatedContext {
    /// Whether what is read are words, be they chosen by encodings, and not the encodings.
    fn reads_words(&self) -> bool {
        match self {
            Self::Layer(context) => !matches!(context.attention, ContextAttention::Sentences(_)),
            Self::Han(_) => true,
        }
    }
}

impl Encoder {
    /// Whether the context after the last layer chooses sentences by their encodings.
    pub(super) fn chooses_by_encodings(&self) -> bool {
        match &self.gated {
            Some(GatedContext::Layer(context)) => context.attention.source2token().is_some(),
            _ => false,
        }
    }

    /// Encodings by which the context after the last layer chooses sentences; none if it has no such context.
    pub(super) fn encode_sentences(
        &self,
        words: &Tensor<2>,
        documents: &Documents,
    ) -> Option<Tensor<2>> {
        match &self.gated {
            Some(GatedContext::Layer(context)) => {
                context.attention.encode_sentences(words, documents)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::super::attended::{Keep, Reading};
    use super::super::config::{Architecture, ModelConfig, NormPosition, Positions};
    use super::super::context_config::{Context, MemorySource, Placement};
    use super::super::system::{Encoded, Model};
    use super::super::traversal::TraversalRule;
    use super::super::tree::MergeKind;
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
            matches: None,
            bert: None,
        };
        Model::seeded(&config, 3, &Device::flex()).expect("a model")
    }

    fn rows(sentences: &[&[u32]]) -> Rows {
        let mut rows = Rows::default();
        for (place, sentence) in sentences.iter().enumerate() {
            rows.push(sentence, (0, place));
        }
        rows
    }

    const DOCUMENT: [&[u32]; 5] = [&[5, 6, 3], &[7, 3], &[8, 9, 10, 3], &[11, 12, 3], &[13, 3]];

    /// States of the third and fourth sentence, within the whole document and with what is kept of the rest.
    fn whole_and_window(context: Context) -> [Vec<f32>; 2] {
        let model = model(context);
        let states = |encoded: Encoded, rows: std::ops::Range<usize>| {
            let Encoded::Transformer(encoded) = encoded else {
                unreachable!("a Transformer")
            };
            let states = encoded.states.narrow(0, rows.start, rows.len());
            states.into_data().iter::<f32>().collect::<Vec<f32>>()
        };
        let encodings = |part: &[&[u32]]| model.encode_sentences(&rows(part));
        let surroundings = Surroundings {
            before: encodings(&DOCUMENT[..2]),
            after: encodings(&DOCUMENT[4..]),
        };
        let whole = model.encode(&rows(&DOCUMENT), &DropoutSource::none());
        let window = model.encode_among(&rows(&DOCUMENT[2..4]), &surroundings);
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

    /// What the third and fourth sentence attend to within the whole document, and with what is kept of the rest.
    fn attended_whole_and_in_window(context: Context) -> [Attended; 2] {
        let model = model(context);
        let encodings = |part: &[&[u32]]| model.encode_sentences(&rows(part));
        let surroundings = Surroundings {
            before: encodings(&DOCUMENT[..2]),
            after: encodings(&DOCUMENT[4..]),
        };
        let attended = |part: &[&[u32]], surroundings: Option<&Surroundings>| {
            let untranslated = vec![<&[u32]>::default(); part.len()];
            let (source, target) = (rows(part), rows(&untranslated));
            model.attended_among(&source, &target, surroundings, Keep::all())
        };
        let mut whole = attended(&DOCUMENT, None);
        whole.forget_first([5, 0, 2]);
        [whole, attended(&DOCUMENT[2..4], Some(&surroundings))]
    }

    fn readings(attended: &Attended, kind: AttendedKind) -> &[Reading] {
        let layer = attended.layers.iter().find(|layer| layer.kind == kind);
        &layer.expect("it was attended to").readings.rows
    }

    #[test]
    fn a_window_attends_to_the_sentences_of_the_whole_document() {
        let [whole, window] = attended_whole_and_in_window(Context::HierarchicalEncoding {
            placement: Placement::Gate,
            decoder: false,
        });
        let [whole, window] = [&whole, &window].map(|it| readings(it, AttendedKind::Context));
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
        let encoded = readings(&window, AttendedKind::SentenceEncoding);
        let words = encoded.iter().map(|reading| {
            let words = reading.keys.iter().map(|&(word, _)| word);
            words.collect::<Vec<_>>()
        });
        assert!(words.eq([vec![0, 1, 2, 3], vec![4, 5, 6]]));
        for reading in readings(&window, AttendedKind::Context) {
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
