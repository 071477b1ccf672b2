//! A translation without each sentence of its context, for every system there is.

use std::ops::ControlFlow;

use canopy::explain::{ContextEdit, LeaveOneOut};
use canopy::inference::{ChangedContext, SearchOptions, Translation};
use canopy::text::document::Document;

use crate::tracing::{document, systems, translated, translator};

/// Short, so that every sentence has room for what is read after it.
fn page() -> Document {
    let text = "Open the file.\n\nClose it.\n\nSave the page. Print you.\n\nCopy the cell.";
    let format = canopy::text::document::Format::Text;
    Document::from_bytes("page.txt", format, text.into()).expect("a document")
}

fn left_out(
    translator: &canopy::inference::Translator,
    (document, translations): (&Document, &[Option<Translation>]),
    sentence: usize,
) -> Result<LeaveOneOut, String> {
    let change = ChangedContext {
        document,
        translations,
        sentence,
    };
    let mut steps = Vec::new();
    let mut step = |done, num| {
        steps.push((done, num));
        ControlFlow::Continue(())
    };
    let options = SearchOptions::default();
    let view = translator.probe(change, &options).leave_one_out(&mut step);
    let view = view.map_err(|error| error.to_string())?;
    let num = view.changes.len();
    assert_eq!(steps.first(), Some(&(0, num)), "the progress begins");
    assert_eq!(steps.last(), Some(&(num, num)), "and comes to its end");
    Ok(view)
}

#[test]
fn with_everything_there_a_translation_is_as_probable_as_in_its_document() {
    let options = SearchOptions::default();
    for (name, config) in systems() {
        let (translator, document) = (translator(config), document());
        let translations = translated(&translator, &document);
        let change = ChangedContext {
            document: &document,
            translations: &translations,
            sentence: 5,
        };
        let whole = translator.probe(change, &options).difference();
        let whole = whole.expect("the device computes");
        let view = match left_out(&translator, (&document, &translations), 5) {
            Ok(view) => view,
            Err(problem) => {
                assert!(
                    ["sentence", "rnnsearch"].contains(&name),
                    "{name}: {problem}"
                );
                assert!(
                    problem.contains("reads each sentence by itself"),
                    "{problem}"
                );
                continue;
            }
        };
        assert_eq!(view.words.len(), whole.words.len(), "{name}");
        for (word, expected) in view.words.iter().zip(&whole.words) {
            assert_eq!(word.label, expected.label, "{name}");
            let difference = (word.log_prob - expected.in_document).abs();
            assert!(difference < 1e-3, "{name}: {difference}");
        }
    }
}

#[test]
fn each_sentence_in_reach_is_left_out_and_no_other_takes_its_place() {
    for (name, config) in systems() {
        let windowed = [
            "concatenation",
            "han",
            "zhang",
            "capsules",
            "translations before",
        ];
        let (translator, page) = (translator(config), page());
        let translations = translated(&translator, &page);
        let Ok(view) = left_out(&translator, (&page, &translations), 3) else {
            continue;
        };
        let sentences: Vec<usize> = view.changes.iter().map(|change| change.sentence).collect();
        let before = ["selective, soft", "flat over sentences", "form of address"];
        let expected = match name {
            _ if windowed.contains(&name) => vec![1, 2],
            _ if before.contains(&name) => vec![0, 1, 2],
            _ => vec![0, 1, 2, 4],
        };
        assert_eq!(sentences, expected, "{name}");
        // With both left out nothing is read: of two that are left out one after the other, the first would come in else.
        if windowed.contains(&name) {
            let (mut without, mut left) = (page.clone(), translations.clone());
            without.sentences[0].text = "Delete the table.".to_owned();
            left[0] = None;
            let other = left_out(&translator, (&without, &left), 3).expect("it reads others");
            for (one, other) in view.changes.iter().zip(&other.changes) {
                let difference = (one.nats - other.nats).abs();
                assert!(
                    difference < 1e-4,
                    "{name}: sentence 1 was read: {difference}"
                );
            }
        }
        let changed = view.changes.iter().any(|change| change.nats.abs() > 1e-5);
        assert!(
            changed || name == "form of address",
            "{name}: nothing mattered"
        );
        let masses = view
            .changes
            .iter()
            .filter(|change| change.attention.is_some());
        assert_eq!(masses.count() > 0, view.attention.is_some(), "{name}");
        assert_eq!(
            view.attention.is_none(),
            name == "form of address",
            "{name}"
        );
    }
}

#[test]
fn a_sentence_that_is_edited_to_its_own_text_changes_nothing() {
    let options = SearchOptions::default();
    for (name, config) in systems() {
        let (translator, page) = (translator(config), page());
        let translations = translated(&translator, &page);
        let change = ChangedContext {
            document: &page,
            translations: &translations,
            sentence: 3,
        };
        let edited = |source: &str, target: Option<&str>| {
            let edit = ContextEdit {
                sentence: 2,
                source: Some(source.to_owned()),
                target: target.map(str::to_owned),
            };
            let view = translator.probe(change, &options).edit(&edit);
            view.map(|view| view.changes[0].nats)
        };
        if ["sentence", "rnnsearch"].contains(&name) {
            assert!(edited("Save the page.", None).is_err());
            continue;
        }
        let own = edited("Save the page.", None).expect(name);
        assert!(own.abs() < 1e-5, "{name}: {own}");
        let other = edited("Delete the window now.", Some("Löschen Sie das Fenster."));
        let other = other.expect(name);
        assert!(other.abs() > 1e-6 || name == "form of address", "{name}");
    }
}

#[test]
fn it_can_be_stopped_and_says_what_it_needs() {
    let (_, config) = systems()
        .into_iter()
        .find(|(name, _)| *name == "han")
        .expect("one");
    let (translator, page) = (translator(config), page());
    let mut translations = translated(&translator, &page);
    let problem = left_out(&translator, (&page, &translations), 0).expect_err("nothing before");
    assert!(
        problem.contains("no other sentence is in the model's reach"),
        "{problem}"
    );
    let change = ChangedContext {
        document: &page,
        translations: &translations,
        sentence: 3,
    };
    let options = SearchOptions::default();
    let probe = translator.probe(change, &options);
    let stopped = probe.leave_one_out(&mut |_, _| ControlFlow::Break(()));
    assert!(stopped.is_err());
    let far = ContextEdit {
        sentence: 0,
        source: Some("Copy it.".to_owned()),
        target: None,
    };
    let far = probe.edit(&far);
    assert!(far.is_err(), "it reads two sentences before");
    translations[3] = None;
    let problem = left_out(&translator, (&page, &translations), 3).expect_err("not translated");
    assert!(
        problem.contains("the sentence is not translated"),
        "{problem}"
    );
}
