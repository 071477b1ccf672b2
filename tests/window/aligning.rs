//! The page on which an alignment is corrected.

use canopy::app::{AlignCommand, AlignEvent, DialogRequest, Page, WindowCommand};
use canopy::corpus::{Column, RowState};
use canopy::jobs::Alignment;
use egui::{Key, Modifiers};

use super::*;

const ENGLISH: &str = "Open the file menu. Choose 17 pages.\n\nClose every window of the program.\n\nPrint it all on paper.\n";
const GERMAN: &str = "Öffnen Sie das Menü Datei. Wählen Sie 17 Seiten.\n\nSchließen Sie alle Fenster des Programms.\n";

/// A window in which both documents lie side by side; the folder holds them, and what is kept.
pub(super) fn window() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("a.txt", ENGLISH), ("a.de.txt", GERMAN)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let folders = Folders {
        data: Some(folder.path().join("data")),
        config: None,
    };
    let mut window = Window {
        state: AppState::new(folders, Settings::default(), Shipped::default()),
        ..Window::default()
    };
    window.state.apply(Command::Align(AlignCommand::Show));
    open(&folder, &mut window.state);
    (folder, window)
}

fn open(folder: &tempfile::TempDir, state: &mut AppState) {
    let paths = ["a.txt", "a.de.txt"].map(|name| folder.path().join(name));
    state.apply(WindowCommand::Drop(paths.to_vec()));
    let request = state.aligning.requests.pop().expect("requested");
    let job = request.job;
    let alignment = Alignment::open(request.source, request.target, request.kept);
    let alignment = alignment.map(Box::new).map_err(Into::into);
    state.receive(AlignEvent::Aligned { job, alignment });
}

fn sizes(state: &AppState) -> Vec<(usize, usize)> {
    let open = state.aligning.open.as_ref().expect("aligned");
    let rows = open.table.rows().iter();
    rows.map(|row| (row.source.len(), row.target.len()))
        .collect()
}

#[test]
fn an_alignment_is_corrected_by_keys_and_buttons() {
    let (_folder, window) = window();
    let mut harness = window.harness();
    harness.run_steps(4);
    assert_eq!(harness.state().state.shared.page, Page::Align);
    // The last sentence has no translation: there is where to look.
    assert_eq!(
        sizes(&harness.state().state),
        [(1, 1), (1, 1), (1, 1), (1, 0)]
    );
    assert_eq!(harness.state().state.aligning.selected.0, 3);
    harness.get_by_label("3 pairs  ·  1 sentence without the other side");
    harness.get_by_label("Nothing on the other side matches it");
    harness
        .get_by_label("Row 2, target: Wählen Sie 17 Seiten.")
        .click();
    harness.run_steps(3);
    harness.key_press(Key::G);
    harness.run_steps(3);
    assert_eq!(
        sizes(&harness.state().state),
        [(1, 1), (1, 0), (1, 1), (1, 1)]
    );
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(3);
    harness.get_by_label("Join with next").click();
    harness.run_steps(3);
    assert_eq!(sizes(&harness.state().state), [(1, 1), (2, 2), (1, 0)]);
    harness.get_by_label("Right");
    harness.key_press(Key::S);
    harness.run_steps(3);
    assert_eq!(
        sizes(&harness.state().state),
        [(1, 1), (1, 1), (1, 1), (1, 0)]
    );
    // Enter says that nothing belongs to the last row.
    harness
        .state_mut()
        .state
        .apply(Command::Align(AlignCommand::Select(3, Column::Source)));
    harness.key_press(Key::Enter);
    harness.run_steps(3);
    let aligning = &harness.state().state.aligning;
    assert_eq!(
        aligning.open.as_ref().expect("aligned").table.next_open(0),
        None
    );
    harness.get_by_label("Every row is reviewed or certain");
}

#[test]
fn corrections_are_kept_and_pairs_are_written() {
    let (folder, mut window) = window();
    let state = &mut window.state;
    let edits = [
        AlignCommand::Select(0, Column::Source),
        AlignCommand::Join,
        AlignCommand::SetLanguage(Column::Source, "en".to_owned()),
        AlignCommand::SetLanguage(Column::Target, "de".to_owned()),
        AlignCommand::Select(1, Column::Source),
        AlignCommand::ToggleLeftOut,
    ];
    for edit in edits {
        state.apply(Command::Align(edit));
    }
    assert_eq!(state.tick(0.5), Some(0.5));
    state.tick(1.5);
    let Some(FileRequest::Write { path, bytes, .. }) = state.shared.file_requests.pop() else {
        panic!("{:?}", state.shared.file_requests)
    };
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, bytes).expect("written");
    state.apply(Command::Align(AlignCommand::Close));
    assert!(state.aligning.open.is_none());
    open(&folder, state);
    assert_eq!(sizes(state), [(2, 2), (1, 1), (1, 0)]);
    let rows = state.aligning.open.as_ref().expect("aligned").table.rows();
    assert_eq!(rows[1].state, RowState::LeftOut);
    state.apply(Command::Align(AlignCommand::SaveAs));
    let Some(ask @ DialogRequest::AlignedPairs { .. }) = state.shared.asks.pop() else {
        panic!("{:?}", state.shared.asks)
    };
    state.apply(ask.answer("a.tmx".into(), true));
    let Some(FileRequest::Export { bytes, .. }) = state.shared.file_requests.pop() else {
        panic!("{:?}", state.shared.file_requests)
    };
    let tmx = String::from_utf8(bytes).expect("UTF-8");
    assert!(
        tmx.contains("<seg>Open the file menu. Choose 17 pages.</seg>"),
        "{tmx}"
    );
    assert!(!tmx.contains("Close every window"), "{tmx}");
}

#[test]
fn pairs_without_languages_are_not_written() {
    let (_folder, mut window) = window();
    let state = &mut window.state;
    state.apply(Command::Align(AlignCommand::SetLanguage(
        Column::Target,
        String::new(),
    )));
    state.apply(Command::Align(AlignCommand::SaveAs));
    assert!(state.shared.asks.is_empty());
    let mut harness = window.harness();
    harness.run_steps(3);
    harness.get_by_label("Which languages are they?");
}
