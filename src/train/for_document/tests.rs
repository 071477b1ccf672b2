//! With the shipped sentence-level model and a memory that calls a window a peephole.

use std::path::Path;

use super::*;
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Format;
use canopy_explain::{Explanation, ModelView};
use canopy_kernels::packed::Quantization;
use canopy_nn::datastore::KnnConfig;
use canopy_translate::inference::{DeviceChoice, SearchOptions};

fn shipped(name: &str) -> Translator {
    let models = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/models");
    Translator::open(&models.join(name), DeviceChoice::Cpu).expect("a shipped model")
}

/// A shipped model without its memory.
fn without_memory(name: &str) -> Translator {
    let models = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/models");
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["model.toml", "vocabulary.json", "weights.safetensors"] {
        let copied = std::fs::copy(models.join(name).join(file), folder.path().join(file));
        copied.expect("copied");
    }
    Translator::open(folder.path(), DeviceChoice::Cpu).expect("a shipped model")
}

fn starter() -> Translator {
    shipped("help-en-de")
}

fn memory() -> TranslationMemory {
    let pairs = [
        ("Close the window.", "Schließen Sie das Guckloch."),
        ("Open a new window.", "Öffnen Sie ein neues Guckloch."),
        (
            "Resize the window.",
            "Passen Sie die Größe des Gucklochs an.",
        ),
        ("Click in the window.", "Klicken Sie in das Guckloch."),
    ];
    TranslationMemory::new(pairs.map(|(source, target)| (source.to_owned(), target.to_owned())))
}

fn document(text: &str) -> Document {
    Document::parse("page.txt", Format::Text, text.to_owned()).expect("a text")
}

fn translated(translator: &Translator, document: &Document) -> String {
    let mut text = String::new();
    let options = SearchOptions::default();
    let mut found = |_, translation: canopy_translate::inference::Translation| {
        text = translation.text;
        ControlFlow::Continue(())
    };
    translator
        .translate(document, &[0], &options, &mut found)
        .expect("it translates");
    text
}

#[test]
fn a_model_takes_up_the_words_of_a_memory_for_one_document() {
    let page = document("Move the window.");
    let mut go_on = |_, _| ControlFlow::Continue(());
    let mut translator = starter();
    assert!(for_document(&translator, &page, &mut go_on).is_none());
    let before = translated(&translator, &page);
    translator.set_memory(memory());
    translator.learn_from_memory().expect("it can");
    let mut updates = Vec::new();
    let adapted = for_document(&translator, &page, &mut |done, all| {
        updates.push((done, all));
        ControlFlow::Continue(())
    });
    let text = translated(&adapted.expect("the memory resembles it"), &page);
    assert!(text.contains("Guckloch"), "{text}");
    assert_eq!(
        updates.len(),
        14,
        "three of four words are there: 24 · 0.75²"
    );
    assert_eq!(translated(&translator, &page), before, "it has forgotten");
    let strange = document("Bananas grow quickly here");
    assert!(for_document(&translator, &strange, &mut go_on).is_none());
    // One of five sentences has a word of the memory, and none resembles a pair.
    let strange = "Bananas grow quickly. They need rain. So do figs. Apples do not. A window may help them, says everybody.";
    assert!(for_document(&translator, &document(strange), &mut go_on).is_none());
    let mut stop = |_, _| ControlFlow::Break(());
    assert!(for_document(&translator, &page, &mut stop).is_none());
}

#[test]
fn what_was_looked_up_is_what_the_search_used() {
    let page =
        document("Files have many names.\n\nClose the window and open a new one.\n\nThat is all.");
    // One that reads the page too.
    for name in ["help-en-de", "starter-en-de"] {
        let mut translator = without_memory(name);
        // Likelihoods are compared.
        translator.loaded_mut().quantize(Quantization::None);
        translator.set_memory(memory());
        let mut go_on = |_, _| ControlFlow::Continue(());
        let made = for_document(&translator, &page, &mut go_on).expect("words are shared");
        let mut found = vec![None; 3];
        let mut take = |sentence: usize, translation| {
            found[sentence] = Some(translation);
            ControlFlow::Continue(())
        };
        made.translate(&page, &[0, 1], &SearchOptions::default(), &mut take)
            .expect("it translates");
        let mut prepared = None;
        let request_for = |sentence: usize| (&page, found.as_slice(), sentence);
        let view = retrieved(&translator, request_for(1), &mut prepared, &mut go_on);
        let view = view.expect("it was looked up");
        let again = retrieved(&translator, request_for(1), &mut prepared, &mut go_on);
        assert_eq!(again.ok().as_ref(), Some(&view));
        let log_prob: f32 = view.words.iter().map(|word| word.mixed.ln()).sum();
        let expected = found[1].as_ref().expect("translated").log_prob;
        assert!(
            (log_prob - expected).abs() < 1e-3,
            "{log_prob}, not {expected}"
        );
        for word in &view.words {
            let (alone, agreeing) = (word.alone, word.agreeing());
            let mixed = (1.0 - word.weight) * alone + agreeing;
            assert!((mixed - word.mixed).abs() < 1e-5, "{word:?}");
            for place in &word.agreeing {
                assert_eq!(view.pairs[place.pair].words[place.word].label, word.label);
            }
        }
        let spoke = view.spoke();
        assert_eq!(spoke[0].0, "Close the window.", "{spoke:?}");
        assert!(retrieved(&translator, request_for(2), &mut prepared, &mut go_on).is_err());
        let strange = document("Bananas grow quickly here");
        let request_for = (&strange, &found[1..2], 0);
        let retrieved = retrieved(&translator, request_for, &mut prepared, &mut go_on);
        assert!(retrieved.is_err(), "of another document");
    }
}

#[test]
fn a_model_looks_up_the_words_of_a_memory() {
    let page = document("Close the window");
    let mut translator = starter();
    let before = translated(&translator, &page);
    assert!(!before.contains("Guckloch"), "{before}");
    translator.set_memory(memory());
    let mut steps = Vec::new();
    let mut go_on = |done, all| {
        steps.push((done, all));
        ControlFlow::Continue(())
    };
    assert!(for_document(&translator, &page, &mut go_on).is_some());
    assert_eq!(steps, [(0, 1)], "four pairs are one batch");
    let mut stop = |_, _| ControlFlow::Break(());
    assert!(for_document(&translator, &page, &mut stop).is_none());
    // Four pairs against many thousands that it has learnt: they must get weight.
    let knn = KnnRetrieval {
        config: KnnConfig {
            nearest: 1,
            reach: 1e4,
            ..KnnConfig::default()
        },
        ..KnnRetrieval::default()
    };
    let mut go_on = |_, _| ControlFlow::Continue(());
    let sentences = ["Close the window".to_owned()];
    let made = knn.for_sentences(&translator, &sentences, &mut go_on);
    let text = translated(&made.expect("the memory shares words with it"), &page);
    assert!(text.contains("Guckloch"), "{text}");
    assert_eq!(translated(&translator, &page), before, "for one document");
    let strange = document("Bananas grow quickly here");
    assert!(for_document(&translator, &strange, &mut go_on).is_none());
    // One of five sentences has a word of the memory, and none resembles a pair.
    let strange = "Bananas grow quickly. They need rain. So do figs. Apples do not. A window may help them, says everybody.";
    assert!(for_document(&translator, &document(strange), &mut go_on).is_none());
}

#[test]
fn a_long_document_looks_up_in_no_more_than_it_may_and_can_be_stopped_while_it_chooses() {
    let numbers = || 0..300_usize;
    let pairs = numbers().map(|number| {
        let (source, target) = ("Close window number", "Schließen Sie das Guckloch");
        (format!("{source} {number}."), format!("{target} {number}."))
    });
    let mut translator = starter();
    translator.set_memory(TranslationMemory::new(pairs));
    let sentences: Vec<String> = numbers()
        .map(|number| format!("Close the window number {number}"))
        .collect();
    let bounded = KnnRetrieval {
        all_pairs: 10,
        ..KnnRetrieval::default()
    };
    let mut steps = Vec::new();
    let mut go_on = |done, all| {
        steps.push((done, all));
        ControlFlow::Continue(())
    };
    let prepared = bounded.prepared(&translator, &sentences, &[], &mut go_on);
    let prepared = prepared.expect("it shares words");
    let sources = prepared.examples.examples.iter().map(|pair| &pair.source);
    let sources: Vec<String> = sources
        .map(|ids| translator.vocabulary().expect("our own").decode(ids))
        .collect();
    assert!((1..=10).contains(&sources.len()), "{sources:?}");
    let ends = ["number 0.", "number 270."];
    assert!(
        ends.iter()
            .all(|end| sources.iter().any(|source| source.ends_with(end))),
        "spread over the document: {sources:?}"
    );
    assert_eq!(steps.last().map(|(done, all)| all - done), Some(1));

    let unbounded = KnnRetrieval::default();
    let mut steps = Vec::new();
    let mut stop = |done, all| {
        steps.push((done, all));
        if done < 2 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    assert!(
        unbounded
            .prepared(&translator, &sentences, &[], &mut stop)
            .is_none()
    );
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(steps.iter().all(|(done, all)| done < all), "{steps:?}");

    let short = KnnRetrieval {
        all_tokens: 100,
        ..KnnRetrieval::default()
    };
    let mut go_on = |_, _| ControlFlow::Continue(());
    let prepared = short.prepared(&translator, &sentences, &[], &mut go_on);
    let states = prepared.expect("it shares words").positions().len();
    assert!((50..=120).contains(&states), "{states}");
}

#[test]
fn the_model_that_translated_explains_whether_the_context_mattered() {
    let page = document("Files have many names.\n\nClose the window and open a new one.");
    let mut translator = starter();
    translator.set_memory(memory());
    let mut go_on = |_, _| ControlFlow::Continue(());
    let made = for_document(&translator, &page, &mut go_on).expect("words are shared");
    let (mut found, options) = (vec![None; 2], SearchOptions::default());
    let mut take = |sentence: usize, translation| {
        found[sentence] = Some(translation);
        ControlFlow::Continue(())
    };
    made.translate(&page, &[0, 1], &options, &mut take)
        .expect("it translates");
    let question = ModelQuestion {
        view: ModelView::Difference,
        document: &page,
        translations: &found,
        sentence: 1,
        edit: None,
        options: &options,
    };
    let explained = |made| {
        let explained = explain(&translator, made, &question, &mut None, &mut |_, _| {
            ControlFlow::Continue(())
        });
        let Ok(Explanation::Difference(explained)) = explained else {
            panic!("{explained:?}");
        };
        let log_prob: f32 = explained.words.iter().map(|word| word.in_document).sum();
        (explained.written[0].1.clone(), log_prob)
    };
    let translation = found[1].as_ref().expect("translated");
    let (written, log_prob) = explained(Some(&made));
    assert_eq!(written, translation.text);
    let difference = (log_prob - translation.log_prob).abs();
    assert!(
        difference < 1e-3,
        "{log_prob}, not {}",
        translation.log_prob
    );
    let (_, alone) = explained(None);
    assert!(
        (alone - log_prob).abs() > 1e-3,
        "nothing was looked up: {alone}"
    );
}
