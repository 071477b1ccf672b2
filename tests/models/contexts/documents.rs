//! A document is read as a whole and by itself.

use std::collections::HashMap;

use canopy::kernels::{Dropout, DropoutSource};
use canopy::model::{
    BatchSetup, Context, ContextAttention, GatedContext, Memory, MemorySource, Model, ModelConfig,
    Side,
};
use canopy::training::Example;

use crate::contexts::{
    BOS, assert_near, batch, document, log_probs, look, ordinary, pair, scores, silent, systems,
    tiny,
};

/// A model of each system with random weights.
fn models() -> impl Iterator<Item = (ModelConfig, Model)> {
    let configs = systems::configs().into_iter();
    configs.map(|config| {
        let model = tiny::model(&config, 4, &tiny::device());
        (config, model)
    })
}

#[test]
fn other_documents_of_the_batch_change_nothing() {
    let documents = ordinary();
    for (config, model) in models() {
        let alone: Vec<_> = documents
            .iter()
            .map(|document| scores(&model, &batch(std::slice::from_ref(document))))
            .collect();
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let together = scores(&model, &batch(&order.map(|at| documents[at].clone())));
            let wanted = order.iter().flat_map(|&at| &alone[at]);
            for (found, wanted) in together.iter().zip(wanted) {
                assert_near(found, wanted, 1e-4, &format!("{config:?}"));
            }
        }
    }
}

/// How far apart the scores of a sentence are in two documents.
fn apart(model: &Model, one: &[Example], other: &[Example], sentence: usize) -> f32 {
    let of =
        |document: &[Example]| scores(model, &batch(&[document.to_vec()])).swap_remove(sentence);
    let pairs = of(one).into_iter().zip(of(other));
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn sentences_within_reach_matter_and_no_others() {
    let whole = document(&[3, 5, 2, 4, 3], 1);
    let changed = |number: usize| {
        let mut changed = whole.clone();
        (changed[number].source, changed[number].target) = pair(4, 999);
        changed
    };
    for (config, model) in models() {
        let context = config.context.expect("a context");
        let before = apart(&model, &whole, &changed(2), 3);
        assert!(before > 1e-4, "the sentence before is not read: {config:?}");
        let (after, cut) = (
            apart(&model, &whole, &changed(3), 2),
            apart(&model, &whole, &whole[..3], 2),
        );
        if systems::looks_back_only(&context) {
            assert!(
                after.max(cut) <= 1e-5,
                "a later sentence is read: {config:?}"
            );
        } else {
            assert!(
                after.min(cut) > 1e-4,
                "no later sentence is read: {config:?}"
            );
        }
        let (Context::Concatenation { previous }
        | Context::Han { previous, .. }
        | Context::FlatTransformer { previous, .. }
        | Context::Zhang { previous, .. }
        | Context::QueryCapsules { previous, .. }) = context
        else {
            continue;
        };
        // Translations of others, made by the model itself, have read what stands before them.
        let both = matches!(
            context,
            Context::Han {
                side: Side::Both,
                ..
            }
        );
        if both && config.memory == MemorySource::Live {
            continue;
        }
        let far = apart(&model, &whole, &changed(3 - previous), 4);
        assert!(far <= 1e-5, "a sentence too far off is read: {config:?}");
    }
}

/// The attentions to the document that a model has, wherever they stand.
fn attentions(model: &Model) -> Vec<&ContextAttention> {
    let network = tiny::transformer(model);
    let sublayers = network.encoder.contexts.iter();
    let sublayers = sublayers.chain(
        network
            .decoder
            .layers
            .iter()
            .filter_map(|it| it.context.as_ref()),
    );
    let gated = [&network.encoder.gated, &network.decoder.gated];
    let gated = gated.into_iter().flatten().filter_map(|gated| match gated {
        GatedContext::Layer(layered) => Some(&layered.attention),
        GatedContext::Han(_) => None,
    });
    sublayers.map(|it| &it.attention).chain(gated).collect()
}

#[test]
fn dropout_of_attention_weights_reaches_every_attention_and_none_of_it_leaves_every_bit() {
    let batch = batch(&ordinary());
    let (rows, documents) = (&batch.source, batch.source.layout());
    for (config, model) in models() {
        let loss = |drop: DropoutSource| model.loss(&batch, 0.1, &drop).into_scalar::<f32>();
        let none = loss(DropoutSource::new(0.2, 3));
        let of_zero = loss(DropoutSource::new(0.2, 3).with_attention(0.0));
        assert_eq!(none.to_bits(), of_zero.to_bits(), "{config:?}");
        let dropped = loss(DropoutSource::none().with_attention(0.4));
        let differs = (dropped - loss(DropoutSource::none())).abs();
        assert!(
            dropped.is_finite() && differs > 1e-5,
            "{differs}: {config:?}"
        );

        let table = &tiny::transformer(&model).embedding;
        let states = table.forward(rows, &DropoutSource::none());
        for attention in attentions(&model) {
            let memory = Memory::from_states(states.clone(), documents.clone());
            let prepared = attention.prepare(&memory);
            let read = |dropout| prepared.attend(states.clone(), &documents.query_spans(), dropout);
            let mask = Dropout {
                prob: 0.4,
                stream: 7,
            };
            let differs = (read(None) - read(Some(mask)))
                .abs()
                .max()
                .into_scalar::<f32>();
            assert!(differs > 1e-4, "its attention drops nothing: {config:?}");
        }
    }
}

#[test]
fn odd_documents_give_finite_losses_and_gradients() {
    let mut batch = batch(&ordinary());
    // A sentence without a single row, not even for the end.
    batch.source.push(&[], (0, 2));
    batch.references.push(&[BOS], (0, 2));
    let device = tiny::device().autodiff();
    for mut config in systems::configs() {
        for top_t in [1, 2, 50] {
            match &mut config.context {
                Some(
                    Context::Conditional { top_t: t, .. }
                    | Context::HierarchicalConditional { top_t: t, .. },
                ) => *t = top_t,
                _ if top_t > 1 => continue,
                _ => {}
            }
            let model = tiny::model(&config, 5, &device);
            let drop = DropoutSource::new(0.2, 3).with_attention(0.2);
            let loss = model.loss(&batch, 0.1, &drop);
            let found = look(&model, &loss.backward());
            let loss = loss.into_scalar::<f32>();
            assert!(loss.is_finite() && loss > 0.0, "loss {loss}: {config:?}");
            assert_eq!(found.not_finite, [""; 0], "not finite: {config:?}");
            let own = |name: &String| !name.starts_with("stage_one.");
            let unread: Vec<_> = found
                .missing
                .into_iter()
                .chain(found.zero)
                .filter(own)
                .collect();
            assert_eq!(unread, [""; 0], "without gradient: {config:?}");
        }
    }
}

#[test]
fn a_search_scores_as_training_does() {
    let documents = [document(&[3, 5, 2, 4], 1), document(&[4, 1], 2)];
    let (all, selected) = (batch(&documents), [4, 0, 3]);
    let mut configs = systems::configs();
    configs.extend(systems::sentence_level());
    for config in configs {
        let model = tiny::model(&config, 6, &tiny::device());
        let wanted = log_probs(&model, &all);
        let encoded = model.encode(&all.source, &silent());
        let executor = model.executor();
        let (source, target, known) = (&all.source, &all.references, HashMap::new());
        let translations = executor.translations(source, target, &encoded, known);
        let memory = executor.prepare(&encoded, translations.as_ref());
        let read = encoded.select(&selected);
        let mut decoder = executor.start_with(&read, &memory, BatchSetup::default());
        let mut order = vec![0, 1, 2];
        for step in 0..4 {
            if step == 2 {
                // Two hypotheses change places, one of them goes on twice.
                order = vec![2, 0, 2];
                decoder.select(&order);
            }
            let word = |&at: &usize| {
                let rows = all.target.sentences[selected[at]].clone();
                all.target.ids[rows][step]
            };
            let ids: Vec<u32> = order.iter().map(word).collect();
            let found = decoder.step(&ids);
            for (found, &at) in found.chunks_exact(tiny::VOCAB).zip(&order) {
                let wanted = &wanted[selected[at]][step * tiny::VOCAB..][..tiny::VOCAB];
                assert_near(found, wanted, 1e-4, &format!("word {step}, {config:?}"));
            }
        }
    }
}
