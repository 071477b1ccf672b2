//! In addition to loss and BLEU a validation reports how the model chooses in a contrastive set, and how far its gates are open.

use canopy::contrastive::{Contrast, ContrastiveSet, Item, SetDocument, SetSentence};

use super::*;

/// A set of one document in the file `set.json` of a place.
fn set(place: &Place) -> PathBuf {
    let sentence = |source: &str, line: usize| SetSentence {
        source: source.to_owned(),
        reference: None,
        place: (0, line),
    };
    let item = |sentence: usize, right: &str, wrong: &str| Item {
        id: format!("item-{sentence}"),
        sentence,
        correct: right.to_owned(),
        contrasts: vec![Contrast {
            text: wrong.to_owned(),
            ..Contrast::default()
        }],
        ..Item::default()
    };
    let set = ContrastiveSet {
        name: "pages".to_owned(),
        documents: vec![SetDocument {
            id: "one".to_owned(),
            sentences: vec![
                sentence("Open the page.", 0),
                sentence("Close the page.", 1),
            ],
        }],
        items: vec![
            item(0, "Öffnen Sie die Seite.", "Drucken Sie das Fenster."),
            item(1, "Schließen Sie die Seite.", "Drucken Sie das Bild."),
        ],
        ..ContrastiveSet::default()
    };
    let path = place.run("set.json");
    set.save(&path, false).expect("written");
    path
}

/// Accuracy, items and gate opening after each validation.
fn contrasts(events: &[TrainingEvent]) -> Vec<(Option<f64>, usize, Option<f64>)> {
    let of = |event: &TrainingEvent| match event {
        TrainingEvent::Contrasted {
            accuracy,
            items,
            gate_opening,
            ..
        } => Some((*accuracy, *items, *gate_opening)),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn a_run_reports_contrastive_accuracy_and_open_gates_after_each_validation() {
    let place = Place(tempfile::tempdir().expect("a folder"));
    validation::corpus(&place.corpus());
    let plain = TrainingConfig {
        validate_every: 2,
        ..place.config(4)
    };
    let events = trained(&plain, &place.run("plain"), false).expect("trains");
    assert!(contrasts(&events).is_empty(), "neither a set nor a gate");

    let scored = TrainingConfig {
        contrastive_set: set(&place),
        ..plain.clone()
    };
    let events = trained(&scored, &place.run("scored"), false).expect("trains");
    let found = contrasts(&events);
    assert_eq!(found.len(), 2, "{found:?}");
    for (accuracy, items, opening) in &found {
        let accuracy = accuracy.expect("of the set");
        assert!([0.0, 0.5, 1.0].contains(&accuracy), "{accuracy}");
        assert_eq!((*items, *opening), (2, None));
    }

    let gated = TrainingConfig {
        preset: "han-small".to_owned(),
        from: place.run("plain").join("checkpoints/last"),
        ..scored
    };
    let events = trained(&gated, &place.run("gated"), false).expect("trains");
    for (accuracy, _, opening) in contrasts(&events) {
        let opening = opening.expect("of its gates");
        assert!(
            accuracy.is_some() && 0.0 < opening && opening < 1.0,
            "{opening}"
        );
    }
    assert_eq!(contrasts(&events).len(), 2);
}

#[test]
fn a_set_that_is_not_there_is_refused_before_the_run_begins() {
    let place = Place::new();
    let config = TrainingConfig {
        contrastive_set: place.run("nothing.json"),
        ..place.config(1)
    };
    let run = place.run("refused");
    let refused = trained(&config, &run, false).expect_err("no set");
    assert!(refused.to_string().contains("nothing.json"), "{refused}");
    assert!(!run.exists());
}
