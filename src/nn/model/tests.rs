//! Whole sentences and single steps give the same numbers.

use std::collections::HashMap;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::*;
use canopy_kernels::gpu::Gpu;
use canopy_kernels::packed::{Quantization, Scratch};
use canopy_kernels::{DropoutSource, StepScores, WordNormaliser, log_softmax};

fn config(context: Context, memory: MemorySource) -> ModelConfig {
    ModelConfig {
        vocab_size: 20,
        d_model: 12,
        d_ff: 16,
        num_heads: 2,
        encoder: "s-sf".parse().expect("a layout"),
        num_decoder_layers: 2,
        dropout: 0.1,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: true,
        max_tokens: 8,
        architecture: Architecture::Transformer,
        context: Some(context),
        memory,
        warm_gate: false,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    }
}

fn reading(trained: bool) -> BertReading {
    BertReading {
        max_tokens: 8,
        trained,
        pooling: Pooling::Mean,
        normalised: true,
        sizes: BertConfig {
            vocab_size: 9,
            d_model: 8,
            num_layers: 1,
            num_heads: 2,
            d_ff: 12,
            max_tokens: 8,
            num_types: 2,
            norm_epsilon: 1e-12,
        },
    }
}

/// A model and a BERT for it, of random numbers.
fn drawn(context: Context, device: &Device) -> (Model, Bert) {
    let config = ModelConfig {
        bert: Some(reading(false)),
        ..config(context, MemorySource::Live)
    };
    let model = Model::seeded(&config, 3, device).expect("a model");
    let mut bert = Bert::new(&reading(false).sizes, device);
    for table in [&mut bert.words, &mut bert.positions, &mut bert.types] {
        let normal = burn::tensor::Distribution::Normal(0.0, 1.0);
        *table = burn::module::Param::from_tensor(table.val().random_like(normal));
    }
    (model, bert)
}

fn fused((mut model, bert): (Model, Bert), trained: bool) -> Model {
    model.network.set_bert(bert, &reading(trained));
    model
}

/// [`batch`] with what BERT reads of each sentence; the context of the first is `context`.
fn batch_with_pieces(context: u32) -> Batch {
    let mut batch = batch();
    for number in 0..batch.source.sentences.len() {
        let context = if number == 0 { context } else { 6 };
        batch.source.push_pieces(&BertSequence {
            ids: vec![2, 5, 4, 3, context, 3],
            of_first: 4,
        });
    }
    batch
}

const FUSIONS: [Fusion; 4] = [
    Fusion::SharedCardinality,
    Fusion::Cardinality,
    Fusion::Average,
    Fusion::Gate,
];

fn fused_by(fusion: Fusion) -> Context {
    Context::Bert {
        fusion,
        sentence: ContextSentence::Same,
    }
}

/// All systems that read BERT.
fn with_bert() -> Vec<Context> {
    let flat = |fusion| Context::FlatTransformerBert {
        previous: 1,
        top: 1,
        fusion,
    };
    let contexts = FUSIONS.map(fused_by).into_iter();
    contexts.chain(FUSIONS.map(flat)).collect()
}

#[test]
fn bert_is_read_the_same_word_by_word_and_its_context_matters() {
    let (device, none) = (Device::flex(), DropoutSource::none());
    for fusion in with_bert() {
        let (drawn, batch) = (drawn(fusion, &device), batch_with_pieces(6));
        let model = fused(drawn.clone(), false);
        let whole = model.scores(&batch, &none);
        let encoded = model.encode(&batch.source, &none);
        let steps = word_by_word(&model, &batch, None, &encoded);
        let differs = difference(whole.clone(), steps);
        assert!(differs < 1e-4, "{fusion:?} differs by {differs}");

        let other = model.scores(&batch_with_pieces(7), &none);
        let own = batch.target.sentences[0].len();
        let [rows, _] = whole.dims();
        let apart = |first: usize, len: usize| {
            let part = |scores: &Tensor<2>| scores.clone().narrow(0, first, len);
            difference(part(&whole), part(&other))
        };
        assert!(apart(0, own) > 1e-3, "{fusion:?} reads no context");
        assert!(
            apart(own, rows - own) < 1e-5,
            "{fusion:?} reads others' contexts"
        );
        // Those that are kept are those that are computed, but for 16 bits.
        let trained = fused(drawn, true).scores(&batch, &none);
        assert!(difference(whole, trained) < 1e-2, "{fusion:?}");
    }
}

#[test]
fn bert_learns_only_where_it_should() {
    let device = Device::flex().autodiff();
    for trained in [false, true] {
        let model = fused(drawn(fused_by(Fusion::Cardinality), &device), trained);
        let mut batch = batch_with_pieces(6);
        batch.labels = batch.target.ids.clone();
        let gradients = model.loss(&batch, 0.1, &DropoutSource::none()).backward();
        let (span, _) = model.bert().expect("a BERT");
        let learns = span.bert.words.val().grad(&gradients).is_some();
        assert_eq!(learns, trained);
    }
}

#[test]
fn a_fused_model_upon_a_trained_one_begins_near_it() {
    let (device, none) = (Device::flex(), DropoutSource::none());
    let batch = batch_with_pieces(6);
    let context = Context::Bert {
        fusion: Fusion::Cardinality,
        sentence: ContextSentence::Same,
    };
    let config = ModelConfig {
        bert: Some(reading(false)),
        ..config(context, MemorySource::Live)
    };
    let base = Model::seeded(&config.sentence_level(), 7, &device).expect("a model");
    let before = base.scores(&batch, &none);
    let strange = Model::seeded(&config, 8, &device).expect("a model");
    let strange = difference(before.clone(), strange.scores(&batch, &none));
    let upon = config
        .warm_started_from(&config.sentence_level())
        .expect("fits");
    let model = Model::warm_start(base, &upon, 9, &device).expect("a model");
    let near = difference(before, model.scores(&batch, &none));
    assert!(
        near < strange / 2.0,
        "{near}, where others differ by {strange}"
    );
}

fn bilingual() -> Vec<Context> {
    let mut contexts = Vec::new();
    for side in [Side::Decoder, Side::Both] {
        contexts.push(Context::Han { previous: 2, side });
        for reach in [Reach::Offline, Reach::Online] {
            contexts.extend(
                [WordNormaliser::Softmax, WordNormaliser::Sparsemax]
                    .map(|words| Context::Selective { words, reach, side }),
            );
            contexts.extend(
                [FlatLevel::Sentence, FlatLevel::Word].map(|level| Context::Flat {
                    level,
                    reach,
                    side,
                }),
            );
        }
    }
    contexts
}

/// Zhang et al. 2018, §3.2.3 and 3.3: a decoder layer reads the words before, then the previous sentences through a gate, then
/// the source.
#[test]
fn a_decoder_layer_reads_the_previous_sentences_before_the_source() {
    let (device, none, batch) = (Device::flex(), DropoutSource::none(), batch());
    for side in [Side::Decoder, Side::Both] {
        let context = Context::Zhang { previous: 2, side };
        let model = Model::seeded(&config(context, MemorySource::Live), 3, &device);
        let model = model.expect("a model");
        let encoded = model.encode(&batch.source, &none);
        let steps = word_by_word(&model, &batch, None, &encoded);
        let differs = difference(model.scores(&batch, &none), steps);
        assert!(differs < 1e-4, "{side:?} differs by {differs}");

        let Network::Transformer(network) = &model.network else {
            unreachable!("a Transformer")
        };
        let (decoder, target) = (&network.decoder, &batch.target);
        let chosen = encoded.select(&batch.translated);
        let normal = burn::tensor::Distribution::Normal(0.0, 1.0);
        let words = Tensor::<2>::random([target.ids.len(), 12], normal, &device);
        let found = decoder.forward(words.clone(), target, &chosen, &none);
        let memory = encoded.previous.as_ref().expect("previous sentences");
        let spans = target.sentences.iter().zip(&chosen.numbers);
        let spans = spans.map(|(rows, &sentence)| QuerySpan {
            rows: rows.clone(),
            sentence,
        });
        let spans: Vec<QuerySpan> = spans.collect();
        let (states, sentences) = chosen.own_states();
        let (own, cross) = (target.own_segments(), target.segments_over(&sentences));
        let mut y = words;
        for layer in &decoder.layers {
            let attention = layer.self_attention.as_ref().expect("self-attention");
            let read = attention.forward(y.clone(), y.clone(), &own, None);
            y = layer.norm_self.forward(y + read);
            let context = layer.context.as_ref().expect("previous sentences");
            let read = context.attention.forward(y.clone(), &spans, memory);
            let gated = context.gate.as_ref().expect("a gate").forward(y, read);
            y = context.norm.as_ref().expect("a norm").forward(gated);
            let attention = &layer.cross_attention;
            let read = attention.forward(y.clone(), states.clone(), &cross, None);
            y = layer.norm_cross.forward(y + read);
            let fed = layer.feed_forward.forward(y.clone(), &none);
            y = layer.norm_ff.forward(y + fed);
        }
        let differs = difference(found.states, y);
        assert!(differs < 1e-4, "{side:?} differs by {differs}");
    }
}

/// Two documents, and translations of their sentences.
fn batch() -> Batch {
    let mut batch = Batch::default();
    let documents: [&[(&[u32], &[u32])]; 2] = [
        &[
            (&[5, 6, 3], &[2, 9, 8]),
            (&[7, 3], &[2, 10]),
            (&[8, 9, 10, 3], &[2, 11, 12, 13, 5]),
        ],
        &[(&[11, 3], &[2, 4]), (&[12, 13, 3], &[2, 14, 6, 7])],
    ];
    for document in documents {
        batch.source.begin_document();
        batch.references.begin_document();
        for (position, (source, target)) in document.iter().enumerate() {
            batch.source.push(source, (position, 0));
            batch.references.push(target, (position, 0));
        }
    }
    batch.translated = vec![0, 2, 4];
    for &number in &batch.translated {
        let rows = batch.references.sentences[number].clone();
        batch.target.push(&batch.references.ids[rows], (0, 0));
    }
    batch
}

fn difference(left: Tensor<2>, right: Tensor<2>) -> f32 {
    (left - right).abs().max().into_scalar::<f32>()
}

/// Scores of the target tokens of each translated sentence, one token after the other; a packed decoder's are the same, and those
/// of one on a GPU.
fn word_by_word(
    model: &Model,
    batch: &Batch,
    translations: Option<&Memory>,
    encoded: &EncoderOutput,
) -> Tensor<2> {
    let mut scores = Vec::new();
    let Network::Transformer(network) = &model.network else {
        unreachable!("a Transformer")
    };
    let (context, quantization) = (model.context, Quantization::None);
    let gpu_weights = GpuTransformer::computes(network).then(|| {
        let gpu = Gpu::on_first_adapter().expect("an adapter, Mesa's lavapipe at least");
        let found = GpuTransformer::on(gpu, network, context, quantization, None);
        found.expect("room")
    });
    let packed = PackedTransformer::new(network, context, quantization, None);
    let packed = packed.expect("a Transformer on the CPU");
    let memory = network.decoder.prepare(encoded);
    let whole = translations.map(|read| network.decoder.with_translations(&memory, read));
    let shared = translations
        .and_then(|read| packed.prepare(read))
        .map(Arc::new);
    let whole = whole.unwrap_or_else(|| memory.clone());
    let read_so = if shared.is_some() { &memory } else { &whole };
    for (position, &number) in batch.translated.iter().enumerate() {
        let encoded = encoded.select(&[number]);
        let mut state = network.start(&encoded, whole.clone());
        let source = PackedEncoderOutput::from_encoder(&encoded, Some((read_so, shared.clone())));
        let mut in_kernels = (gpu_weights.as_ref()).map(|it| (it, it.start_with(&source, None)));
        let source = packed.source(&source, &mut Scratch::default());
        let mut same = packed.start(source, &[0], Scratch::default());
        for row in batch.target.sentences[position].clone() {
            let ids = &batch.target.ids[row..=row];
            let of_word = network.step(&mut state, ids);
            let mut of_packed = Vec::new();
            packed.step(&mut same, ids, &mut of_packed, None);
            let of_packed = Tensor::<1>::from_floats(of_packed.as_slice(), &Device::flex());
            let differs = difference(of_word.clone(), of_packed.unsqueeze());
            assert!(differs < 1e-4, "the packed one differs by {differs}");
            if let Some((weights, state)) = &mut in_kernels {
                let mut found = StepScores::default();
                weights.read_next(state, ids, (None, None), &mut found);
                let log_probs = log_softmax(of_word.clone());
                let pairs = found.values.iter().zip(&log_probs);
                let differs = pairs.fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
                assert!(differs < 5e-4, "that on a GPU differs by {differs}");
            }
            scores.push(of_word);
        }
    }
    Tensor::cat(scores, 0)
}

#[test]
fn words_read_the_same_one_by_one_as_in_whole_sentences() {
    let (device, batch, none) = (Device::flex(), batch(), DropoutSource::none());
    let encoding = Context::HierarchicalEncoding {
        placement: Placement::Sublayer,
        decoder: true,
    };
    let mut configs = vec![config(encoding, MemorySource::Live)];
    for memory in [MemorySource::Live, MemorySource::StageOne] {
        configs.extend(
            bilingual()
                .into_iter()
                .map(|context| config(context, memory)),
        );
    }
    for config in configs {
        let model = Model::seeded(&config, 3, &device).expect("a model");
        let whole = model.scores(&batch, &none);
        let encoded = model.encode(&batch.source, &none);
        let memory = model.translations(&batch.source, &batch.references, &encoded, &none);
        let steps = word_by_word(&model, &batch, memory.as_ref(), &encoded);
        let differs = difference(whole.clone(), steps);
        assert!(differs < 1e-4, "{config:?} differs by {differs}");
        let packed = model.clone().packed_as(Quantization::None);
        let executor = packed.executor();
        assert_eq!(executor.kind(), ExecutorKind::Cpu);
        let encoded_so = executor.encode(&batch.source, None, &mut AttentionRecorder::off());
        let (source, target, known) = (&batch.source, &batch.references, HashMap::new());
        let memory_so = executor.translations(source, target, &encoded_so, known);
        let steps = word_by_word(&model, &batch, memory_so.as_ref(), &encoded_so);
        let differs = difference(whole.clone(), steps);
        assert!(differs < 1e-4, "{config:?}, packed, differs by {differs}");
        // And the translations of other sentences are read at all.
        if model.is_bilingual() {
            let blind = word_by_word(&model, &batch, None, &encoded);
            assert!(difference(whole, blind) > 1e-3, "{config:?} reads nothing");
        }
    }
}

/// The second sentence of the first document is translated by `words`.
fn batch_with(words: &[u32]) -> PackedBatch {
    let batch = batch().references;
    let mut target = PackedBatch::default();
    for document in &batch.documents {
        target.begin_document();
        for number in document.clone() {
            let own = &batch.ids[batch.sentences[number].clone()];
            let ids = if number == 1 { words } else { own };
            target.push(ids, (number, 0));
        }
    }
    target
}

#[test]
fn a_translation_is_read_by_the_state_that_has_read_its_word() {
    let (device, none, source) = (Device::flex(), DropoutSource::none(), batch().source);
    let side = Side::Decoder;
    let context = Context::Selective {
        words: WordNormaliser::Sparsemax,
        reach: Reach::Online,
        side,
    };
    for memory in [MemorySource::Live, MemorySource::StageOne] {
        let model = Model::seeded(&config(context, memory), 3, &device).expect("a model");
        let packed = model.clone().packed_as(Quantization::None);
        for model in [&model, &packed] {
            let (encoded, executor) = (model.encode(&source, &none), model.executor());
            let memory = |words: &[u32]| {
                let (target, known) = (batch_with(words), HashMap::new());
                executor.translations(&source, &target, &encoded, known)
            };
            let [one, other] =
                [&[2, 10, 6], &[2, 10, 7]].map(|words| memory(words).expect("bilingual"));
            // Three rows come before; those of `bos` and the end of a sentence are no words.
            let words = 3..5;
            assert_eq!(one.documents.sentences[1], words);
            let row = |tensor: &Tensor<2>, row: usize| tensor.clone().narrow(0, row, 1);
            let differs = |row_number: usize, keys: bool| {
                let [one, other] =
                    [&one, &other].map(|it| if keys { &it.keys } else { &it.values });
                difference(row(one, row_number), row(other, row_number))
            };
            // The word that a translator chose is found like the one it could have been, and read as what it is.
            assert!(differs(4, true) < 1e-6, "the key has read the word");
            assert!(differs(4, false) > 1e-2, "the value has not read the word");
            assert!(differs(3, false) < 1e-6, "a word before it");
            // Keys are those of a sublayer with residual and norm.
            let variance = row(&one.keys, 4).square().mean().into_scalar::<f32>();
            assert!((variance - 1.0).abs() < 1e-2, "no norm: {variance}");
        }
    }
}

#[test]
fn the_end_of_a_sentence_is_no_word_of_a_memory() {
    let (device, source) = (Device::flex(), batch().source);
    let side = Side::Encoder;
    let reach = Reach::Online;
    let words = WordNormaliser::Softmax;
    for context in [
        Context::Selective { words, reach, side },
        Context::Flat {
            level: FlatLevel::Word,
            reach,
            side,
        },
        Context::Han { previous: 2, side },
    ] {
        let config = config(context, MemorySource::Live);
        let model = Model::seeded(&config, 3, &device).expect("a model");
        let recorded = model.record(&source, &batch().references, Recording::all());
        let layers = recorded.layers.iter();
        let mut of_context = layers.filter(|layer| layer.kind == AttentionKind::Context);
        let rows = &of_context.next().expect("a context").attention_weights.rows;
        let read = rows.iter().flat_map(|row| &row.keys);
        let read: Vec<usize> = read.map(|(row, _)| *row as usize).collect();
        let has_end = read.iter().any(|&row| source.ids[row] == 3);
        assert!(!read.is_empty() && !has_end, "{context:?}");
    }
}

#[test]
fn sentences_without_a_translation_are_read_as_nothing() {
    let (device, none) = (Device::flex(), DropoutSource::none());
    let mut batch = batch();
    batch.references = batch_with(&[2]);
    batch.translated = vec![2, 4];
    batch.target = PackedBatch::default();
    for &number in &batch.translated {
        let rows = batch.references.sentences[number].clone();
        batch.target.push(&batch.references.ids[rows], (0, 0));
    }
    for context in bilingual() {
        let model = Model::seeded(&config(context, MemorySource::Live), 3, &device);
        let model = model.expect("a model");
        let whole = model.scores(&batch, &none);
        assert!(whole.clone().abs().max().into_scalar::<f32>().is_finite());
        let encoded = model.encode(&batch.source, &none);
        let memory = model.translations(&batch.source, &batch.references, &encoded, &none);
        let steps = word_by_word(&model, &batch, memory.as_ref(), &encoded);
        let differs = difference(whole, steps);
        assert!(differs < 1e-4, "{context:?} differs by {differs}");
    }
}

/// Packed weights record the attention that burn's layers record.
pub(super) fn assert_recorded_alike(model: &Model, source: &PackedBatch, target: &PackedBatch) {
    let packed = model.clone().packed_as(Quantization::None);
    assert_eq!(packed.executor().kind(), ExecutorKind::Cpu);
    let [found, expected] =
        [&packed, model].map(|model| model.record(source, target, Recording::all()));
    let place = |layer: &RecordedLayer| (layer.kind, layer.layer);
    let [places, burns] =
        [&found, &expected].map(|it| it.layers.iter().map(place).collect::<Vec<_>>());
    assert_eq!(places, burns);
    for (found, expected) in found.layers.iter().zip(&expected.layers) {
        let [found, expected] = [found, expected].map(|it| &it.attention_weights);
        assert_eq!(found.num_heads, expected.num_heads);
        assert_eq!(found.rows.len(), expected.rows.len());
        assert!(expected.rows.iter().any(|row| row.keys.len() > 1));
        for (found, expected) in found.rows.iter().zip(&expected.rows) {
            assert_eq!(found.keys.len(), expected.keys.len());
            for ((key, weight), (expected_key, expected)) in found.keys.iter().zip(&expected.keys) {
                assert_eq!(key, expected_key);
                assert!((weight - expected).abs() < 1e-4, "{weight}, not {expected}");
            }
        }
    }
    assert_eq!(found.gates.len(), expected.gates.len());
    for (found, expected) in found.gates.iter().zip(&expected.gates) {
        assert_eq!(found.mean.len(), expected.mean.len());
        for (found, expected) in found.mean.iter().zip(&expected.mean) {
            assert!((found - expected).abs() < 1e-4, "{found}, not {expected}");
        }
    }
}

#[test]
fn systems_that_read_documents_record_alike_by_packed_weights() {
    let batch = batch();
    let placement = Placement::Sublayer;
    let mut contexts = bilingual();
    contexts.extend([
        Context::Concatenation { previous: 2 },
        Context::Conditional {
            top_t: 1,
            placement,
        },
        Context::HierarchicalEncoding {
            placement,
            decoder: true,
        },
        Context::Zhang {
            previous: 1,
            side: Side::Encoder,
        },
        Context::Zhang {
            previous: 2,
            side: Side::Both,
        },
        Context::FlatTransformer {
            previous: 1,
            top: 1,
        },
    ]);
    for context in contexts {
        let config = config(context, MemorySource::Live);
        let model = Model::seeded(&config, 3, &Device::flex()).expect("a model");
        assert_recorded_alike(&model, &batch.source, &batch.references);
    }
}
