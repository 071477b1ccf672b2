//! The texts that a sentence has had, below the document.

use super::*;
use canopy::app::{EditCommand, GoCommand};

#[test]
fn earlier_texts_are_shown_by_a_key_and_used_by_a_click() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(2));
    window
        .state
        .apply(EditCommand::Write("Dann warten.".to_owned()));
    window.state.apply(EditCommand::Keep);
    window.state.apply(GoCommand::Select(2));
    let mut harness = window.harness();
    harness.run();
    assert!(harness.query_by_label("History of the sentence").is_none());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::H);
    harness.run_steps(4);
    harness.get_by_label("History of the sentence");
    harness.get_by_label("current");
    harness.get_by_label_contains("Machine (tiny)");
    harness.get_by_label("Use this").click();
    harness.run_steps(4);
    let target = |harness: &Harness<'static, Window>| {
        let document = harness.state().state.document.editing.open.as_ref();
        document.expect("a document").target(2).text.clone()
    };
    assert_eq!(target(&harness), "THEN WAIT.");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    harness.run_steps(4);
    assert_eq!(target(&harness), "Dann warten.");
    harness.state_mut().state.apply(GoCommand::Select(0));
    harness.run_steps(4);
    harness.get_by_label("current");
    assert!(harness.query_by_label("Use this").is_none());
}
