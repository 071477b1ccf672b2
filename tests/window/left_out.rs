//! The view that leaves sentences out: progress, its list, an edited sentence, and an end before the end.

use canopy::app::{ExploreCommand, ExploreEvent};
use canopy::errors::translate::Error;
use canopy::explain::{
    ContextChange, ContextEdit, Explanation, LeaveOneOut, ModelView, ScoredWord,
};
use canopy::jobs::{JobControl, JobId};
use egui_kittest::kittest::NodeT;

use super::explore::Explored;
use super::*;

/// The view of the first of three sentences: the translation loses most without the third.
fn left_out() -> LeaveOneOut {
    let words = vec![ScoredWord {
        label: "x".to_owned(),
        begins: true,
        log_prob: -0.5,
    }];
    let change = |sentence, after: f32, attention| ContextChange {
        attention: Some(attention),
        ..ContextChange::new(sentence, format!("S{sentence}"), &words, &[after])
    };
    LeaveOneOut {
        model: "tiny".to_owned(),
        sentence: 0,
        source: "A b".to_owned(),
        translation: "X".to_owned(),
        changes: vec![change(1, -0.5, 0.75), change(2, -1.5, 0.25)],
        words,
        attention: Some("layer 2".to_owned()),
        rank_correlation: None,
        selected: None,
    }
}

fn edited() -> ContextEdit {
    ContextEdit {
        sentence: 1,
        source: Some("Q".to_owned()),
        target: None,
    }
}

/// The request to the model.
fn explain_request(explored: &mut Explored) -> (JobId, Option<ContextEdit>, JobControl) {
    let requests = &mut explored.harness.state_mut().state.shared.requests;
    match requests.pop() {
        Some(Request::Explain {
            job,
            view: ModelView::LeaveOneOut,
            edit,
            control,
            ..
        }) => (job, edit, control),
        other => panic!("the model is used, not {other:?}"),
    }
}

fn answer_with(explored: &mut Explored, job: JobId, explanation: Result<LeaveOneOut, Error>) {
    let explanation = explanation.map(|view| Box::new(Explanation::LeaveOneOut(view)));
    let state = &mut explored.harness.state_mut().state;
    let explanation = explanation.map_err(Into::into);
    state.receive(ExploreEvent::Explained { job, explanation });
    explored.answer();
}

#[test]
fn the_sentence_that_matters_most_stands_first_and_an_edited_one_above_it() {
    let mut explored = Explored::page();
    explored.click("Leave one out");
    let (job, edit, _) = explain_request(&mut explored);
    assert_eq!(edit, None);
    answer_with(&mut explored, job, Ok(left_out()));
    let figure = explored.figure();
    assert!(
        figure.contains("Without sentence 3 the likelihood changes most: −63 %"),
        "{figure}"
    );
    explored
        .harness
        .get_by_label_contains("Click a sentence to edit it");
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::EditContext(edited())));
    let (job, edit, _) = explain_request(&mut explored);
    assert_eq!(edit, Some(edited()));
    let mut answer = left_out();
    answer.changes.truncate(1);
    answer.changes[0].edit = edit;
    answer_with(&mut explored, job, Ok(answer));
    let shown = |explored: &Explored| {
        let answer = &explored.harness.state().state.explorer.answer;
        match answer
            .as_ref()
            .expect("one")
            .as_ref()
            .map(|it| it.explanation.clone())
        {
            Ok(Explanation::LeaveOneOut(view)) => view.changes.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(shown(&explored), 3, "beside the others");
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::EditContext(edited())));
    let (job, ..) = explain_request(&mut explored);
    let problem = Error::NotLeftOut {
        problem: "it does not read it",
    };
    answer_with(&mut explored, job, Err(problem));
    assert_eq!(shown(&explored), 3, "what is shown stays");
    explored
        .harness
        .get_by_label_contains("The edited sentence could not be scored");
}

#[test]
fn it_shows_its_progress_and_can_be_stopped() {
    let mut explored = Explored::page();
    explored.click("Leave one out");
    let (job, _, control) = explain_request(&mut explored);
    let state = &mut explored.harness.state_mut().state;
    state.receive(Event::Adapting {
        job,
        done: 1,
        num: 2,
    });
    explored.harness.run_steps(3);
    explored
        .harness
        .get_by_label("The translation is scored without each sentence, 1 of 2…");
    explored.harness.get_by_label("Stop").click();
    explored.harness.run_steps(3);
    assert!(control.is_cancelled());
    explored.harness.get_by_label("Try again").click();
    explored.harness.run_steps(3);
    let (again, _, control) = explain_request(&mut explored);
    assert!(again != job && !control.is_cancelled());
    // Another sentence does not wait for this one.
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::NextSentence));
    assert!(control.is_cancelled());
}

#[test]
fn a_model_that_reads_sentences_has_nothing_to_leave_out() {
    let mut trace = small::trace(false);
    trace
        .maps
        .retain(|map| map.info.kind == canopy::trace::MapKind::Cross);
    let explored = Explored::page_with(trace);
    let button = explored.harness.get_by_label("Leave one out");
    assert!(button.accesskit_node().is_disabled());
}
