//! The page of evaluations: models are chosen, tested and compared.

mod contrast;
mod judgement;
mod tracing;

use canopy::app::{EvaluateCommand, EvaluateEvent, EvaluateView, Page, WindowCommand};
use canopy::corpus::Split;
use canopy::error::Error;
use canopy::evaluation::Evaluation;
use canopy::jobs::{EvaluationProgress, EvaluationRequest};
use canopy::metrics::comparison::{
    ComparedSegment, ComparedSystem, ComparedTest, ComparisonOptions, compare,
};

use super::*;

pub(super) use contrast::contrast;

fn evaluation() -> Evaluation {
    let segments: Vec<ComparedSegment> = (0..12)
        .map(|number| ComparedSegment {
            source: format!("Open the file number {number}"),
            reference: format!("Öffnen Sie die Datei Nummer {number}"),
            document: number / 4,
            position: number % 4,
            rarest: None,
        })
        .collect();
    let system = |name: &str, text: fn(&ComparedSegment) -> String| ComparedSystem {
        name: name.to_owned(),
        hypotheses: segments.iter().map(text).collect(),
    };
    let test = ComparedTest {
        documents: ["one", "two", "three"].map(str::to_owned).into(),
        systems: vec![
            system("plain", |segment| {
                segment.reference.replace("Datei", "Akte")
            }),
            system("context", |segment| segment.reference.clone()),
        ],
        segments: segments.clone(),
    };
    let options = ComparisonOptions {
        samples: 50,
        trials: 200,
        ..ComparisonOptions::default()
    };
    Evaluation {
        test: "letters, test".to_owned(),
        words_per_second: vec![100.0, 80.0],
        beam_size: 4,
        comparison: compare(&test, &options),
    }
}

/// The page with two models and a corpus below `home`.
pub(super) fn page(home: &std::path::Path) -> Window {
    let shipped = ["plain", "context"].map(|name| home.join(name));
    for folder in &shipped {
        std::fs::create_dir(folder).expect("a folder");
    }
    let folders = Folders {
        data: Some(home.join("data")),
        config: None,
    };
    let shipped = Shipped {
        models: shipped.into(),
        ..Shipped::default()
    };
    let mut window = Window {
        state: AppState::new(folders, Settings::default(), shipped),
        ..Window::default()
    };
    window.state.apply(WindowCommand::ShowPage(Page::Evaluate));
    let corpus = home.join("letters");
    let command = EvaluateCommand::UseCorpus(corpus);
    window.state.apply(Command::Evaluate(command));
    window
}

/// With a finished evaluation.
pub(super) fn evaluated(home: &std::path::Path) -> Harness<'static, Window> {
    let mut harness = page(home).harness();
    harness.run();
    for name in ["plain", "context"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    evaluate(&mut harness);
    harness
}

/// Evaluates what is chosen.
fn evaluate(harness: &mut Harness<'static, Window>) {
    harness
        .get_all_by_label("Evaluate")
        .last()
        .expect("a button")
        .click();
    harness.run();
    let state = &mut harness.state_mut().state;
    let Some(EvaluationRequest::Evaluate(job)) = state.evaluate.requests.pop() else {
        panic!("an evaluation is requested");
    };
    assert_eq!(job.models.len(), 2);
    assert_eq!(job.split, Split::Test);
    assert!(!job.cut_sentences);
    let job = job.job;
    let progress = EvaluationProgress {
        model: 1,
        num_models: 2,
        done: 6,
        num: 12,
    };
    state.receive(EvaluateEvent::Progressed { job, progress });
    harness.run();
    harness.get_by_label("Model 2 of 2: 6 of 12 sentences");
    let state = &mut harness.state_mut().state;
    let evaluation = Arc::new(evaluation());
    state.receive(EvaluateEvent::Evaluated {
        job,
        evaluation,
        expected: None,
    });
    harness.run();
}

#[test]
fn scores_documents_and_sentences_of_two_models_are_shown() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    assert!(harness.query_all_by_label("100.00").next().is_some());
    assert_eq!(
        harness.query_all_by_label("baseline").count(),
        3,
        "the form, two metrics"
    );
    for (view, label) in [
        ("Documents", "three"),
        ("Where", "By source words"),
        ("Sentences", "Largest wins of context over plain"),
    ] {
        harness
            .get_all_by_label(view)
            .last()
            .expect("a tab")
            .click();
        harness.run();
        assert!(harness.query_all_by_label(label).next().is_some(), "{view}");
    }
    assert_eq!(harness.state().state.evaluate.view, EvaluateView::Sentences);
}

#[test]
fn units_are_cut_into_sentences_on_request() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = page(home.path()).harness();
    harness.run();
    for name in ["plain", "Cut into sentences"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    let job = {
        let buttons = harness.get_all_by_label("Evaluate");
        buttons.last().expect("a button").click();
        harness.run();
        match harness.state_mut().state.evaluate.requests.pop() {
            Some(EvaluationRequest::Evaluate(job)) => job,
            other => panic!("{other:?}"),
        }
    };
    assert!(job.cut_sentences);
}

#[test]
fn scores_that_were_not_saved_are_not_lost_without_a_question() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    let state = &mut harness.state_mut().state;
    let lost = Some("The scores of an evaluation are not saved");
    assert_eq!(state.lost_by_closing(), lost);
    let path = home.path().join("scores.csv");
    let save = |state: &mut AppState| {
        let save = EvaluateCommand::Save(path.clone());
        state.apply(Command::Evaluate(save));
        match state.evaluate.requests.pop() {
            Some(EvaluationRequest::Save { job, .. }) => job,
            other => panic!("{other:?}"),
        }
    };
    let (job, error) = (save(state), Error::NoModel.into());
    state.receive(Event::Failed { job, error });
    assert_eq!(state.lost_by_closing(), lost);
    let job = save(state);
    assert_eq!(state.lost_by_closing(), lost);
    state.receive(EvaluateEvent::Saved { job, path });
    assert_eq!(state.lost_by_closing(), None);
}

#[test]
fn an_earlier_evaluation_is_shown_again_and_not_lost() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    let first = "1. letters, test, 2 models";
    assert!(harness.query_by_label(first).is_none(), "there is only one");
    evaluate(&mut harness);
    assert_eq!(harness.state().state.evaluate.shown, 1);
    harness.get_by_label("Sentences").click();
    harness.run();
    harness.get_by_label(first).click();
    harness.run();
    let page = &mut harness.state_mut().state.evaluate;
    assert_eq!((page.shown, page.view), (0, EvaluateView::Scores));
    let state = &mut harness.state_mut().state;
    for shown in [0, 1] {
        assert!(state.lost_by_closing().is_some());
        let save = EvaluateCommand::Save(home.path().join("scores.csv"));
        for command in [EvaluateCommand::ShowEvaluation(shown), save] {
            state.apply(Command::Evaluate(command));
        }
        let Some(EvaluationRequest::Save { job, path, .. }) = state.evaluate.requests.pop() else {
            panic!("it is saved");
        };
        state.receive(EvaluateEvent::Saved { job, path });
    }
    assert_eq!(state.lost_by_closing(), None);
}
