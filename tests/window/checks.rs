//! Findings of the quality checks next to the document: each a click from its place, repaired by a key.

use std::sync::mpsc::channel;
use std::time::Duration;

use canopy::app::{CheckCommand, DocumentEvent, EditCommand, GoCommand, WindowCommand};
use canopy::checks::CheckKind;
use canopy::jobs::{CheckLane, Pool};
use canopy::terms::{Term, TermIndex, Termbase};

use super::*;

/// A page whose translations have faults, with the list open.
pub(super) fn window() -> Window {
    let page = "<p>Press 3 keys now.</p><p>Wait a moment.</p><p>Then print it.</p>";
    let mut window = Window::with_document(page);
    for (sentence, text) in [
        (0, "Drücken Sie 4 Tasten."),
        (1, "warten Sie etwas."),
        (2, "Dann drucken."),
    ] {
        window.state.apply(EditCommand::Start(sentence));
        window.state.apply(EditCommand::Write(text.to_owned()));
        window.state.apply(EditCommand::Keep);
    }
    window.state.apply(CheckCommand::ToggleList);
    window
}

/// Checks what was requested, until there are no more requests.
pub(super) fn check(window: &mut Window) {
    let (sender, events) = channel();
    let checks = CheckLane::new(&Pool::new("test", sender, || ()).expect("a thread"));
    while let Some(request) = window.state.document.checking.requests.pop() {
        checks.send(request);
        let event = events.recv_timeout(Duration::from_mins(1));
        window.state.receive(event.expect("an event"));
    }
}

fn target(window: &Window, sentence: usize) -> String {
    let document = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    document.target(sentence).text.clone()
}

#[test]
fn a_finding_leads_to_its_sentence() {
    let mut window = window();
    check(&mut window);
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("1 error  ·  1 warning");
    harness.get_by_label_contains("Sentence 1:").click();
    harness.run();
    assert_eq!(harness.state().state.document.editing.selected(), Some(0));
    // F8 goes on to the next one.
    harness.key_press(egui::Key::F8);
    harness.run();
    assert_eq!(harness.state().state.document.editing.selected(), Some(1));
}

#[test]
fn a_key_repairs_what_is_selected_and_it_can_be_undone() {
    let mut window = window();
    check(&mut window);
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Repair");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::R);
    harness.run();
    let window = harness.state_mut();
    assert_eq!(target(window, 1), "Warten Sie etwas.");
    check(window);
    let left: Vec<CheckKind> = { &window.state.document.checking.findings }
        .iter()
        .map(|it| it.check)
        .collect();
    assert_eq!(left, [CheckKind::Numbers]);
    window.state.apply(EditCommand::Undo);
    assert_eq!(target(window, 1), "warten Sie etwas.");
}

#[test]
fn a_proposal_for_what_has_changed_since_is_not_taken() {
    let mut window = window();
    check(&mut window);
    let finding = window
        .state
        .document
        .checking
        .findings
        .iter()
        .find(|it| it.repaired.is_some());
    let finding = finding.expect("a small letter").clone();
    window.state.apply(EditCommand::Start(1));
    window
        .state
        .apply(EditCommand::Write("bitte warten.".to_owned()));
    window.state.apply(EditCommand::Keep);
    window.state.apply(CheckCommand::Repair(finding));
    assert_eq!(target(&window, 1), "bitte warten.");
}

#[test]
fn a_check_is_switched_off_for_this_document_and_stays_so() {
    let mut window = window();
    check(&mut window);
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label_contains("Filter").click();
    harness.run();
    harness.get_by_label("Numbers").click();
    harness.run();
    let window = harness.state_mut();
    check(window);
    let findings = &window.state.document.checking.findings;
    assert!(
        findings.iter().all(|it| it.check != CheckKind::Numbers),
        "{findings:?}"
    );
    let document = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let kept = document.project();
    let (path, page) = (document.path.clone(), document.document.clone());
    let again = canopy::app::OpenDocument::new(path, page, Some(&kept));
    assert!(!again.checks.kinds().contains(&CheckKind::Numbers));
    assert!(again.checks.kinds().contains(&CheckKind::Tags));
}

#[test]
fn translations_are_held_against_the_termbase_of_the_document() {
    let mut window = window();
    check(&mut window);
    let found = |window: &Window| {
        let findings = window.state.document.checking.findings.iter();
        findings.filter(|it| it.check == CheckKind::Terms).count()
    };
    assert_eq!(found(&window), 0);
    let state = &mut window.state;
    state.apply(WindowCommand::Drop(vec!["office.tbx".into()]));
    let reads = state
        .shared
        .file_requests
        .drain(..)
        .find_map(|request| match request {
            FileRequest::ReadTerms { job, .. } => Some(job),
            _ => None,
        });
    let mut base = Termbase::empty("en", "de");
    base.terms = vec![Term::new("key", "Taste"), Term::new("moment", "Augenblick")];
    let (job, index) = (reads.expect("it is read"), TermIndex::new(Arc::new(base)));
    let index = Ok(Arc::new(index));
    state.receive(DocumentEvent::TermsRead { job, index });
    state.apply(GoCommand::Select(0));
    check(&mut window);
    assert_eq!(found(&window), 1);
    assert_eq!(target(&window, 1), "warten Sie etwas.");
}

#[test]
fn a_language_without_a_dictionary_is_reported() {
    let mut window = Window::with_document("<p>Press it now.</p>");
    let (sender, events) = channel();
    let checks = CheckLane::new(&Pool::new("test", sender, || ()).expect("a thread"));
    window.state.apply(CheckCommand::ToggleList);
    window
        .state
        .apply(CheckCommand::Toggle(CheckKind::Spelling));
    let mut request = window
        .state
        .document
        .checking
        .requests
        .pop()
        .expect("a request");
    request.checks.kinds = vec![CheckKind::Spelling];
    request.checks.target_language = Some("tlh".to_owned());
    checks.send(request);
    let event = events
        .recv_timeout(Duration::from_mins(1))
        .expect("an event");
    assert!(
        matches!(event, Event::Document(DocumentEvent::NotSpelled { .. })),
        "{event:?}"
    );
    window.state.receive(event);
    let notice = window.state.shared.notices.last().expect("it is reported");
    assert_eq!(notice.title, "Spelling is not checked");
}

#[test]
fn findings_stand_check_by_check_and_are_ignored_for_good() {
    let mut window = window();
    check(&mut window);
    window.state.apply(GoCommand::Select(0));
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("Numbers (1)").click();
    harness.run_steps(4);
    assert!(harness.query_by_label_contains("Sentence 1:").is_none());
    harness.get_by_label("Numbers (1)").click();
    harness.run_steps(4);
    harness.get_by_label_contains("Sentence 1:");
    harness.get_by_label("Ignore").click();
    harness.run_steps(4);
    assert!(harness.query_by_label_contains("Sentence 1:").is_none());
    harness.get_by_label("1 ignored");
    // Opened again it stays so.
    let window = harness.state_mut();
    let document = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let kept = document.project();
    let (path, page) = (document.path.clone(), document.document.clone());
    let again = canopy::app::OpenDocument::new(path, page, Some(&kept));
    assert_eq!(again.project().ignored, kept.ignored);
    assert_eq!(kept.ignored.len(), 1);
    check(window);
    assert!(
        window
            .state
            .document
            .checking
            .findings
            .iter()
            .all(|it| it.check != CheckKind::Numbers)
    );
    harness.run_steps(4);
    harness.get_by_label("Show").click();
    harness.run_steps(4);
    check(harness.state_mut());
    harness.run_steps(4);
    harness.get_by_label("Numbers (1)");
}

#[test]
fn spelling_goes_by_a_folder_that_a_person_chooses() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tlh.aff"), "SET UTF-8\n").expect("written");
    std::fs::write(folder.path().join("tlh.dic"), "2\nnuqneH\nqapla\n").expect("written");
    let mut window = Window::with_document("<p>Press it now.</p>");
    window.state.apply(EditCommand::Start(0));
    window
        .state
        .apply(EditCommand::Write("nuqneH qaplo.".to_owned()));
    window.state.apply(EditCommand::Keep);
    window.state.apply(CheckCommand::ToggleList);
    window.state.apply(CheckCommand::ChooseDictionaries);
    let ask = window.state.shared.asks.pop().expect("a question");
    window.state.document.checking.requests.clear();
    let (sender, events) = channel();
    let checks = CheckLane::new(&Pool::new("test", sender, || ()).expect("a thread"));
    window
        .state
        .apply(ask.answer(folder.path().to_owned(), false));
    assert!(window.state.shared.settings.dictionaries.is_some());
    let request = canopy::jobs::CheckRequest {
        job: canopy::jobs::JobId(1),
        pairs: window
            .state
            .document
            .editing
            .open
            .as_ref()
            .expect("a page")
            .pairs(),
        checks: canopy::checks::Checks {
            kinds: vec![CheckKind::Spelling],
            source_language: None,
            target_language: Some("tlh".to_owned()),
        },
        terms: None,
        dictionaries: window.state.shared.settings.dictionaries.clone(),
    };
    checks.send(request);
    let event = events.recv_timeout(Duration::from_mins(1));
    let Ok(Event::Document(DocumentEvent::Checked { findings, .. })) = event else {
        panic!("{event:?}")
    };
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].message.contains("qaplo"), "{findings:?}");
}
