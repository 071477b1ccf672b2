use crate::error::{BaseError, Error};
use canopy_kernels::WordNormaliser;
use canopy_models::weights::{Languages, ModelFolder, Precision};
use canopy_nn::model::{
    Architecture, Context, MemorySource, Model, ModelConfig, Network, NormPosition, Positions,
    Reach, SpecialTokens, Variant,
};
use canopy_tokenize::vocabulary::Vocabulary;
use canopy_translate::inference::{ComputeDevice, DeviceChoice};

use super::*;
use crate::{Contrast, Item, SetDocument};

const MAX_TOKENS: usize = 24;

/// A tiny model with random weights; `change` makes its configuration another.
fn translator(change: impl FnOnce(&mut ModelConfig)) -> Translator {
    let texts = ["Open the file.", "Close the page.", "1 2 3 4 5"].map(str::to_owned);
    let vocabulary = Vocabulary::train(texts.into_iter(), 300).expect("large enough");
    let mut config = ModelConfig {
        vocab_size: vocabulary.len(),
        d_model: 8,
        d_ff: 12,
        num_heads: 2,
        encoder: "s-sf".parse().expect("a layout"),
        num_decoder_layers: 1,
        dropout: 0.0,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: true,
        max_tokens: MAX_TOKENS,
        architecture: Architecture::Transformer,
        context: None,
        memory: MemorySource::Live,
        warm_gate: false,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    };
    change(&mut config);
    let device = ComputeDevice::open(DeviceChoice::Cpu).expect("a CPU");
    let model = Model::seeded(&config, 5, &device.device).expect("a model");
    let languages = Languages {
        source: "en".to_owned(),
        target: "de".to_owned(),
    };
    let description = ModelFolder::new("tiny".to_owned(), "MIT".to_owned(), languages, config);
    let folder = tempfile::tempdir().expect("a folder");
    let saved = description.save(folder.path(), &model, &vocabulary, Precision::Full);
    saved.expect("saved");
    Translator::open(folder.path(), DeviceChoice::Cpu).expect("opened")
}

/// Two translations of a sentence after `context`.
fn contrastive_set(context: &[&str]) -> ContrastiveSet {
    let sentence = |source: &str, paragraph| SetSentence {
        source: source.trim().to_owned(),
        reference: None,
        place: (0, paragraph),
    };
    let before = context.iter().map(|&source| sentence(source, 0));
    let last = sentence("Close the page.", 1);
    ContrastiveSet {
        documents: vec![SetDocument {
            id: "page".to_owned(),
            sentences: before.chain([last]).collect(),
        }],
        items: vec![Item {
            sentence: context.len(),
            correct: "Open.".to_owned(),
            contrasts: vec![Contrast {
                text: "Close.".to_owned(),
                replacement: None,
            }],
            ..Item::default()
        }],
        ..ContrastiveSet::default()
    }
}

const CONTEXT: ContextOptions = ContextOptions {
    before: None,
    after: None,
    gold_target_context: false,
    beam_size: 1,
};

/// A translator's scores of them.
fn contrasted(translator: &Translator, context: &[&str]) -> Vec<Option<Vec<f64>>> {
    let set = contrastive_set(context);
    let scores = score(translator, &set, &CONTEXT, &mut |_| {
        ControlFlow::Continue(())
    });
    scores.expect("scores").items
}

#[test]
fn all_of_a_long_sentence_is_context_of_a_contrast() {
    let translator = translator(|config| {
        config.context = Some(Context::Selective {
            words: WordNormaliser::Softmax,
            reach: Reach::Offline,
            side: canopy_nn::model::Side::Encoder,
        });
    });
    let long = format!("{}.", "Open the page and the file ".repeat(4));
    let parts = translator.reader().parts(&long);
    assert!(parts.len() > 1);
    let whole = contrasted(&translator, &[long.as_str()]);
    assert!(whole[0].is_some());
    assert_eq!(whole, contrasted(&translator, &parts));
    assert_ne!(whole, contrasted(&translator, &parts[..1]));
}

/// Scores of a contrast after one sentence with this human translation.
fn behind(
    translator: &Translator,
    (source, reference): (&str, &str),
    options: ContextOptions,
) -> SetScores {
    let mut set = contrastive_set(&[source]);
    let sentences = &mut set.documents[0].sentences;
    sentences[0].reference = Some(reference.to_owned());
    if translator.description().model.reads_formality {
        "Close your page.".clone_into(&mut sentences[1].source);
    }
    let scores = score(translator, &set, &options, &mut |_| {
        ControlFlow::Continue(())
    });
    scores.expect("scores")
}

#[test]
fn a_contrast_is_read_behind_the_translations_before_it() {
    const GOLD: ContextOptions = ContextOptions {
        gold_target_context: true,
        ..CONTEXT
    };
    let translator = translator(|config| config.previous_translations = 1);
    let source = "Open the file.";
    let score_of = |reference| behind(&translator, (source, reference), GOLD);
    let [first, second] = ["Close", "page"].map(score_of);
    assert_ne!(first.items, second.items);
    assert_eq!(first.target_context, TargetContext::Gold);
    let hidden = ContextOptions {
        before: Some(0),
        ..GOLD
    };
    let none = behind(&translator, (source, "Close"), hidden);
    assert_eq!(none.items, contrasted(&translator, &[]));
    // Its own translation, where none is given.
    let own = behind(&translator, (source, "Close"), CONTEXT);
    assert_eq!(own.target_context, TargetContext::Own);
    assert_eq!(own.items, contrasted(&translator, &[source]));
    assert_ne!(own.items, none.items);
    let set = contrastive_set(&[source]);
    let broken = score(&translator, &set, &CONTEXT, &mut |_| ControlFlow::Break(()));
    assert_eq!(broken.expect("scores").items, [None]);
}

#[test]
fn a_contrast_is_read_behind_the_form_of_address_before_it() {
    let translator = translator(|config| config.reads_formality = true);
    let score_of = |reference, gold_target_context| {
        let options = ContextOptions {
            gold_target_context,
            ..CONTEXT
        };
        behind(&translator, ("Who are you?", reference), options).items
    };
    let [plural, singular] = ["Wer seid ihr?", "Wer bist du?"].map(|it| score_of(it, true));
    assert_ne!(plural, singular);
    // What it writes itself addresses nobody.
    assert_ne!(plural, score_of("Wer seid ihr?", false));
}

#[test]
fn a_model_with_damaged_weights_gives_no_scores() {
    let translator = translator(|_| ());
    let device = ComputeDevice::open(DeviceChoice::Cpu).expect("a CPU");
    let config = &translator.description().model;
    let mut model = Model::seeded(config, 5, &device.device).expect("a model");
    let Network::Transformer(network) = &mut model.network else {
        panic!()
    };
    let words = network.embedding.words.clone();
    network.embedding.words = words.map(|words| words * f32::NAN);
    let damaged = translator.with_model(model);
    let set = contrastive_set(&[]);
    let scores = score(&damaged, &set, &CONTEXT, &mut |_| ControlFlow::Continue(()));
    assert!(
        matches!(scores, Err(Error::Base(BaseError::InvalidScores { .. }))),
        "{scores:?}"
    );
}
