//! A document that was worked on under another name.

use canopy::app::{DocumentCommand, DocumentEvent, EditCommand};
use canopy::jobs::project::source_hash;
use canopy::jobs::{Project, SavedTarget, State};
use egui_kittest::kittest::Queryable;

use crate::{PAGE, Window};

/// A window with a page of which two sentences were edited in another place.
pub(super) fn window() -> Window {
    let mut window = Window::with_document(PAGE);
    let document = &window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("it is open")
        .document;
    let edit = |index: usize, text: &str| {
        SavedTarget::by_hand(
            index,
            source_hash(&document.sentences[index].text),
            text,
            State::Edited,
        )
    };
    let targets = vec![edit(0, "Drucken"), edit(2, "Dann warten.")];
    let project = Box::new(Project::new("old/name.html".into(), String::new(), targets));
    let path = "page.html".into();
    window
        .state
        .receive(DocumentEvent::MovedWork { path, project });
    window
}

fn texts(window: &Window) -> [String; 2] {
    let document = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("it is open");
    [0, 2].map(|sentence| document.target(sentence).text.clone())
}

#[test]
fn work_under_another_name_is_taken_over_in_one_step() {
    let mut harness = window().harness();
    harness.run_steps(4);
    assert!(harness.query_by_label_contains("old/name.html").is_some());
    assert!(
        harness
            .query_by_label_contains("2 of 5 sentences")
            .is_some()
    );
    harness.get_by_label("Use these translations").click();
    harness.run_steps(4);
    assert_eq!(texts(harness.state()), ["Drucken", "Dann warten."]);
    assert!(harness.query_by_label("Use these translations").is_none());
    harness.state_mut().state.apply(EditCommand::Undo);
    assert_eq!(texts(harness.state()), ["", ""]);
}

#[test]
fn what_a_person_has_done_here_stays() {
    let mut window = window();
    window.state.apply(EditCommand::Start(0));
    window.state.apply(EditCommand::Write("Druck".to_owned()));
    window.state.apply(DocumentCommand::TakeOver);
    assert_eq!(texts(&window), ["Druck", "Dann warten."]);
}

#[test]
fn work_under_another_name_may_stay_there() {
    let mut harness = window().harness();
    harness.run_steps(4);
    harness.get_by_label("Ignore").click();
    harness.run_steps(4);
    assert_eq!(texts(harness.state()), ["", ""]);
    assert!(harness.query_by_label("Use these translations").is_none());
}
