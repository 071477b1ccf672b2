//! Models are compared on a contrastive set.

use canopy::app::EvaluateEvent;
use canopy::contrastive::{
    Accuracies, Contrast, ContrastiveSet, Item, SetDocument, SetScores, SetSentence, TargetContext,
};
use canopy::jobs::{ContrastResult, ContrastedModel};

use super::*;

/// A set of two items in a document, on which the first model is wrong once and the second one never.
fn contrasted(home: &std::path::Path) -> ContrastResult {
    let sentence = |source: &str, place: usize| SetSentence {
        source: source.to_owned(),
        reference: None,
        place: (0, place),
    };
    let item = |number: usize, right: &str, wrong: &str, distance: usize| Item {
        id: format!("item-{number}"),
        sentence: number,
        correct: right.to_owned(),
        contrasts: vec![Contrast {
            text: wrong.to_owned(),
            ..Contrast::default()
        }],
        category: Some("it".to_owned()),
        distance: Some(distance),
        ..Item::default()
    };
    let set = ContrastiveSet {
        name: "pronouns".to_owned(),
        documents: vec![SetDocument {
            id: "one".to_owned(),
            sentences: vec![
                sentence("The cat sleeps.", 0),
                sentence("It is black.", 1),
                sentence("It purrs.", 2),
            ],
        }],
        items: vec![
            item(1, "Sie ist schwarz.", "Er ist schwarz.", 1),
            item(2, "Dann schnurrt sie.", "Dann schnurrt er.", 2),
        ],
        ..ContrastiveSet::default()
    };
    let model = |name: &str, scores: [[f64; 2]; 2]| {
        let items: Vec<Option<Vec<f64>>> = scores.iter().map(|it| Some(it.to_vec())).collect();
        ContrastedModel {
            name: name.to_owned(),
            folder: home.join(name),
            accuracies: Accuracies::from_scores(&set, &items),
            scores: SetScores {
                items,
                target_context: TargetContext::None,
            },
        }
    };
    let models = vec![
        model("plain", [[-4.0, -3.0], [-5.0, -5.5]]),
        model("context", [[-2.0, -6.0], [-3.0, -8.0]]),
    ];
    ContrastResult { set, models }
}

/// With the result of a contrastive set.
pub(crate) fn contrast(home: &std::path::Path) -> Harness<'static, Window> {
    let mut window = page(home);
    let contrast = &mut window.state.evaluate.contrast;
    contrast.result = Some(Arc::new(contrasted(home)));
    contrast.is_shown = true;
    contrast.items = vec![0, 1];
    window.harness()
}

#[test]
fn models_choose_in_a_contrastive_set_and_an_item_leads_to_what_was_read() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = page(home.path()).harness();
    harness.run();
    for name in ["plain", "context"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    harness.get_by_label("Choose a set…").click();
    harness.run();
    let state = &mut harness.state_mut().state;
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer(home.path().join("pronouns.json"), false));
    harness.run();
    harness.get_by_label("Score").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let Some(EvaluationRequest::Contrast(contrast)) = state.evaluate.requests.pop() else {
        panic!("{:?}", state.evaluate.requests)
    };
    assert_eq!(contrast.models.len(), 2);
    let job = contrast.job;
    let progress = EvaluationProgress {
        model: 0,
        num_models: 2,
        done: 3,
        num: 4,
    };
    state.receive(EvaluateEvent::Progressed { job, progress });
    harness.run();
    harness.get_by_label("Model 1 of 2: 3 of 4 translations");
    let state = &mut harness.state_mut().state;
    let result = Arc::new(contrasted(home.path()));
    state.receive(EvaluateEvent::Contrasted { job, result });
    harness.run();
    harness.get_by_label("pronouns");
    harness.get_by_label("By category");
    harness.get_all_by_label("1 of 2").next().expect("of plain");
    harness
        .get_all_by_label("2 of 2")
        .next()
        .expect("of context");
    // Only what the model that is looked at chose wrongly.
    harness.get_by_label("Wrong choices").click();
    harness.run();
    assert!(harness.query_by_label("It purrs.").is_none());
    harness.get_by_label("It is black.").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let written = state
        .shared
        .file_requests
        .iter()
        .find_map(|request| match request {
            FileRequest::Write { path, bytes, .. } => Some((path, bytes)),
            _ => None,
        });
    let (path, bytes) = written.expect("its document");
    assert!(path.starts_with(home.path().join("data/evaluated")));
    let text = String::from_utf8(bytes.clone()).expect("text");
    assert_eq!(text, "The cat sleeps.\n\nIt is black.\n\nIt purrs.\n");
    let opens = state.shared.requests.iter().any(
        |request| matches!(request, Request::OpenModel { folder, .. } if *folder == home.path().join("plain")),
    );
    assert!(opens, "{:?}", state.shared.requests);
}
