//! Another person's changes, over the document.

use canopy::app::{ChangeKind, DocumentCommand, DocumentEvent, EditCommand, MergeCommand};
use canopy::text::export::{ExportFormat, Languages};

use super::*;

/// A window to which two changed sentences come back.
pub(super) fn window() -> Window {
    let mut window = Window::with_document(PAGE).translated();
    let open = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let languages = Languages {
        source: "en".to_owned(),
        target: "de".to_owned(),
    };
    let xml = open
        .document
        .exported(&open.targets.texts(), ExportFormat::Xliff, &languages);
    let xml = String::from_utf8(xml.expect("written")).expect("UTF-8");
    let xml = xml
        .replace(">THEN WAIT.<", ">DANN WARTEN.<")
        .replace(">PRINT<", ">DRUCKEN<");
    std::thread::sleep(std::time::Duration::from_millis(3));
    window.state.apply(EditCommand::Start(0));
    window.state.apply(EditCommand::Write("Druck".to_owned()));
    window.state.apply(EditCommand::Keep);
    window.state.apply(MergeCommand::Read("page.xlf".into()));
    let Some(FileRequest::ReadExchange { job, .. }) = window.state.shared.file_requests.pop()
    else {
        panic!("{:?}", window.state.shared.file_requests)
    };
    let format = Format::from_ending("xlf").expect("a format");
    let file = Document::parse("page.xlf", format, xml).expect("XLIFF");
    let file = Ok(Arc::new(file));
    window
        .state
        .receive(DocumentEvent::ExchangeRead { job, file });
    window
}

fn texts(harness: &Harness<'static, Window>) -> [String; 2] {
    let document = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    [0, 2].map(|sentence| document.target(sentence).text.clone())
}

#[test]
fn changes_are_shown_and_accepted_and_conflicts_only_on_request() {
    let mut harness = window().harness();
    harness.run_steps(4);
    harness.get_by_label("2 changes in page.xlf");
    harness.get_by_label("Both sides have changed it");
    harness.get_by_label("Accept 1 change").click();
    harness.run_steps(4);
    assert_eq!(texts(&harness), ["Druck", "DANN WARTEN."]);
    assert!(harness.query_by_label("2 changes in page.xlf").is_none());
}

#[test]
fn all_are_taken_or_none() {
    let mut harness = window().harness();
    harness.run_steps(4);
    harness.get_by_label("All").click();
    harness.run_steps(4);
    harness.get_by_label("Accept 2 changes");
    let first = harness.get_by_role_and_label(egui::accesskit::Role::CheckBox, "1");
    first.click();
    harness.run_steps(4);
    harness.get_by_label("Accept 1 change").click();
    harness.run_steps(4);
    assert_eq!(texts(&harness), ["Druck", "DANN WARTEN."]);
    let kinds = harness
        .state()
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::Document(DocumentCommand::Merge(MergeCommand::TakeAll(kinds))) => {
                Some(kinds.clone())
            }
            _ => None,
        });
    let all = [
        ChangeKind::Changed,
        ChangeKind::Approved,
        ChangeKind::Conflict,
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), [all.to_vec()]);
}
