//! Without training: memories that are looked up, re-ranking, long sentences, the segmentation of the source.

use canopy::inference::{Reads, SearchOptions};
use canopy::memory::TranslationMemory;
use canopy::model::{ExecutorKind, MemoryUse};
use canopy::training::{for_document, with_fixed};
use canopy::weights::RerankerFolder;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::cases::{all, greedy, opened, shared, text, translations};

/// One made-up translation that no model writes by itself.
const PAIR: (&str, &str) = (
    "The red house is very small.",
    "Das kleine Buch ist nicht da.",
);

fn memory() -> TranslationMemory {
    TranslationMemory::new(vec![(PAIR.0.to_owned(), PAIR.1.to_owned())])
}

#[test]
fn what_a_memory_holds_is_looked_up_word_by_word() {
    for folder in all() {
        let mut translator = opened(&folder);
        let document = text("The red house is very small now.");
        let alone = translations(&translator, &document, &greedy());
        translator.set_memory(memory());
        let used = translator.description().model.memory_use;
        assert_eq!(used, Some(MemoryUse::KnnMt), "{}", folder.display());
        let made = for_document(
            &translator,
            &document,
            &mut |_, _| ControlFlow::Continue(()),
        );
        let made = made.expect("something resembles the document");
        let datastore = made.model().datastore().expect("a datastore");
        let tokens = made
            .tokenizer()
            .encode(canopy::tokenizers::Side::Target, PAIR.1);
        let begun = made.tokenizer().special().target_prefix.len();
        assert_eq!(
            datastore.num_states(),
            tokens.len() + begun + 1,
            "{}",
            folder.display()
        );
        let mixed = translations(&made, &document, &greedy());
        assert_ne!(
            (alone[0].log_prob, &alone[0].text),
            (mixed[0].log_prob, &mixed[0].text),
            "{}",
            folder.display()
        );
        let kind = made.model().executor().kind();
        assert_eq!(kind, ExecutorKind::Cpu, "{}", folder.display());
        let exact = translations(&translator, &text(PAIR.0), &greedy());
        assert_eq!(exact[0].text, PAIR.1, "exact matches are taken over");
    }
}

#[test]
fn confirmed_sentences_are_looked_up_for_the_rest() {
    for folder in all() {
        let translator = opened(&folder);
        assert_eq!(
            translator.info().reads,
            Reads::Confirmed,
            "{}",
            folder.display()
        );
        let document = text(&format!("{} The house is small.", PAIR.0));
        let fixed = BTreeMap::from([(0, PAIR.1.to_owned())]);
        let go_on = &mut |_, _| ControlFlow::Continue(());
        assert!(with_fixed(&translator, &document, &BTreeMap::new(), go_on).is_none());
        let made = with_fixed(&translator, &document, &fixed, go_on);
        let made = made.expect("a confirmed sentence");
        assert!(made.model().datastore().is_some(), "{}", folder.display());
        let document = text("The house is small.");
        let (alone, mixed) = (
            translations(&translator, &document, &greedy()),
            translations(&made, &document, &greedy()),
        );
        assert_ne!(
            (alone[0].log_prob, &alone[0].text),
            (mixed[0].log_prob, &mixed[0].text),
            "{}",
            folder.display()
        );
    }
}

/// The same files may be read as a model of the other direction: with texts the direction matters.
#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_model_of_another_program_chooses_among_hypotheses() {
    let (first, second) = (shared("marian-base-1"), shared("marian-native-align-1"));
    let mut translator = opened(&first);
    // The case translates from English; the name of a folder says that it translates back.
    let back = tempfile::tempdir().expect("a folder");
    let reverse = back.path().join("opus-de-en");
    copy(&second, &reverse);
    let own = translator.info().clone();
    let options = SearchOptions::default();
    let document = text("The house is small. I see a red book on the table.");
    let alone = translations(&translator, &document, &options);
    let chosen = translator.loaded_mut().choose_by(RerankerFolder {
        weight: 5.0,
        ..RerankerFolder::new(reverse)
    });
    chosen.expect("it translates back");
    let reranker = translator.model().reranker.as_ref().expect("a re-ranker");
    assert!(reranker.tokenizer.is_some(), "it reads texts, not ids");
    let ranked = translations(&translator, &document, &options);
    assert_eq!(ranked.len(), alone.len());
    assert_eq!(
        (own.source_language.as_str(), own.target_language.as_str()),
        ("en", "de")
    );
    assert!(
        ranked
            .iter()
            .all(|it| it.log_prob.is_finite() && !it.text.is_empty())
    );
    // The most probable one cannot be less probable than the one that is chosen.
    for (most_probable, chosen) in alone.iter().zip(&ranked) {
        let tokens = |it: &canopy::inference::Translation| {
            f32::from(u16::try_from(it.num_tokens).expect("few"))
        };
        let slack = 1e-3;
        assert!(
            chosen.log_prob / tokens(chosen)
                <= most_probable.log_prob / tokens(most_probable) + slack
        );
    }
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::write(to.join(path.file_name().expect("a name")), bytes).expect("writable");
    }
}

#[test]
fn sentences_are_separated_and_long_ones_translated_in_parts() {
    let long: Vec<String> = (0..400)
        .map(|number| format!("word {number} and a small tree,"))
        .collect();
    let source = format!(
        "Dr. Smith lives here. It costs 3.5 euros. Then {}.",
        long.join(" ")
    );
    for folder in all() {
        let translator = opened(&folder);
        let document = text(&source);
        assert_eq!(
            document.sentences.len(),
            3,
            "abbreviations and numbers end no sentence"
        );
        let found = translations(&translator, &document, &greedy());
        let parts: Vec<usize> = found.iter().map(|it| it.parts.len()).collect();
        assert_eq!(parts[..2], [1, 1], "{}", folder.display());
        let longest = translator.description().model.max_tokens;
        let tokens = translator.tokenizer().encode(
            canopy::tokenizers::Side::Source,
            &document.sentences[2].text,
        );
        assert!(
            tokens.len() > longest,
            "{}: {} tokens",
            folder.display(),
            tokens.len()
        );
        assert!(parts[2] > 1, "{}", folder.display());
        assert!(found[2].flags.contains(&canopy::inference::Flag::Split));
    }
}

#[test]
fn what_a_model_attends_to_is_recorded() {
    for folder in all() {
        let translator = opened(&folder);
        let document = text("The house is small.");
        let found = translations(&translator, &document, &greedy());
        let translations: Vec<_> = found.into_iter().map(Some).collect();
        let trace = translator.trace(&document, &translations);
        let trace = trace.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        assert!(!format!("{trace:?}").is_empty());
    }
}
