//! Sentences: split at the caret, joined with the next one, found by rules.

use canopy::app::{DialogRequest, SegmentsCommand, SourceSelection};
use canopy::text::document::SegmentEdit;

use super::*;

fn segment_edit(harness: &mut Harness<'_, Window>) -> Option<SegmentEdit> {
    let requests = harness.state_mut().state.shared.file_requests.drain(..);
    let mut edits = requests.filter_map(|request| match request {
        FileRequest::Recut { edit, .. } => Some(edit),
        _ => None,
    });
    edits.next_back()
}

fn press(harness: &mut Harness<'_, Window>, modifiers: egui::Modifiers, key: egui::Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(3);
}

#[test]
fn a_click_puts_the_caret_and_keys_split_and_join() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    let cell = harness.get_by_label("Click File now.").rect();
    let at = egui::pos2(cell.left() + 100.0, cell.center().y);
    harness.drag_at(at);
    harness.run_steps(1);
    harness.drop_at(at);
    harness.run_steps(3);
    let caret = harness.state().state.document.terms.selected.clone();
    let caret = caret.expect("a caret");
    assert!(caret.sentence == 1 && caret.chars.is_empty(), "{caret:?}");
    press(&mut harness, egui::Modifiers::NONE, egui::Key::ArrowRight);
    press(&mut harness, egui::Modifiers::NONE, egui::Key::ArrowLeft);
    press(&mut harness, egui::Modifiers::NONE, egui::Key::ArrowLeft);
    let moved = harness.state().state.document.terms.selected.clone();
    let moved = moved.expect("a caret");
    assert!(moved.chars.start < caret.chars.start.max(7), "{moved:?}");
    let word = SourceSelection {
        sentence: 1,
        chars: 6..6,
    };
    harness
        .state_mut()
        .state
        .apply(Command::from(canopy::app::TermsCommand::SelectSource(word)));
    press(&mut harness, egui::Modifiers::COMMAND, egui::Key::B);
    // Before the tag that begins there.
    let split = SegmentEdit::Split {
        sentence: 1,
        chars: 6,
    };
    assert_eq!(segment_edit(&mut harness), Some(split));
    let both = egui::Modifiers::COMMAND | egui::Modifiers::SHIFT;
    press(&mut harness, both, egui::Key::B);
    assert_eq!(
        segment_edit(&mut harness),
        Some(SegmentEdit::Join { sentence: 1 })
    );
}

#[test]
fn rules_are_chosen_among_the_options_of_a_document() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    harness.get_by_label_contains("Options").click();
    harness.run();
    harness
        .get_by_label("Sentence splitting: SRX rules…")
        .click();
    harness.run_steps(3);
    let state = &mut harness.state_mut().state;
    assert!(
        state
            .shared
            .asks
            .contains(&DialogRequest::SegmentationRules)
    );
    let answer = DialogRequest::SegmentationRules.answer("office.srx".into(), true);
    let chosen = SegmentsCommand::UseRules(Some("office.srx".into()));
    assert_eq!(answer, Command::from(chosen));
    state.apply(answer);
    let reading = state
        .shared
        .file_requests
        .drain(..)
        .find_map(|request| match request {
            FileRequest::OpenDocument { reading, .. } => reading,
            _ => None,
        });
    let reading = reading.expect("it is read once more");
    assert_eq!(reading.srx, Some("office.srx".into()));
    assert_eq!(reading.language.as_deref(), Some("en"));
}
