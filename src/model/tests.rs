//! What a model computes of whole sentences, it computes word by word too.

use burn::tensor::{Device, Tensor};

use super::*;
use crate::kernels::{DropoutSource, WordNormaliser};

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
        bert: None,
    }
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
        for (place, (source, target)) in document.iter().enumerate() {
            batch.source.push(source, (place, 0));
            batch.references.push(target, (place, 0));
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

/// Scores of the target words of each translated sentence, one word after the other.
fn word_by_word(
    model: &Model,
    batch: &Batch,
    memory: &SearchMemory,
    encoded: &Encoded,
) -> Tensor<2> {
    let mut scores = Vec::new();
    for (place, &number) in batch.translated.iter().enumerate() {
        let mut state = model.start_with(&encoded.select(&[number]), memory);
        for row in batch.target.sentences[place].clone() {
            scores.push(model.step(&mut state, &batch.target.ids[row..=row]));
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
        let memory = model.prepare_with(&batch.source, &batch.references, &encoded);
        let steps = word_by_word(&model, &batch, &memory, &encoded);
        let differs = difference(whole.clone(), steps);
        assert!(differs < 1e-4, "{config:?} differs by {differs}");
        // And the translations of other sentences are read at all.
        if model.is_bilingual() {
            let blind = word_by_word(&model, &batch, &model.prepare(&encoded), &encoded);
            assert!(difference(whole, blind) > 1e-3, "{config:?} reads nothing");
        }
    }
}
