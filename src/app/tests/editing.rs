//! Text that a user writes is neither lost nor replaced.

use super::*;
use crate::{DocumentCommand, DocumentEvent, EditCommand, GoCommand, SaveCommand, WindowCommand};

#[test]
fn an_edit_with_lost_markup_is_refused_until_repaired() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 1, "Klicke auf Datei");
    let editor = document(&state).editor.as_ref().expect("an editor");
    assert!(!editor.problems.is_empty());
    assert_eq!(states(&state)[1], State::Draft);
    // Another sentence cannot be selected over it.
    state.apply(GoCommand::Select(0));
    assert_eq!(document(&state).selected, Some(1));
    state.apply(EditCommand::Repair);
    state.apply(EditCommand::Keep);
    assert!(document(&state).editor.is_none());
    assert_eq!(states(&state)[1], State::Edited);
}

#[test]
fn closing_flushes_an_open_edit() {
    let mut state = with_page();
    state.apply(EditCommand::Start(0));
    state.apply(EditCommand::Write("Drucken".to_owned()));
    state.flush();
    let saves = |request: &FileRequest| matches!(request, FileRequest::SaveProject { project, .. } if project.targets[0].text == "Drucken");
    assert!(state.shared.file_requests.iter().any(saves));
}

/// The text of a sentence as the project file has it that is due now.
fn saved(state: &mut AppState, sentence: usize) -> Option<String> {
    state.tick(state.shared.now_secs + 10.0);
    let saves = |request: FileRequest| match request {
        FileRequest::SaveProject { project, .. } => Some(project),
        _ => None,
    };
    let project = state.shared.file_requests.drain(..).find_map(saves);
    let mut targets = project.expect("it is saved").targets.into_iter();
    let target = targets.find(|target| target.index == sentence);
    target.map(|target| target.text)
}

#[test]
fn what_is_typed_is_saved_before_it_is_kept() {
    let mut state = with_page();
    state.apply(EditCommand::Start(0));
    state.apply(EditCommand::Write("Druck".to_owned()));
    assert_eq!(saved(&mut state, 0).as_deref(), Some("Druck"));
    assert_eq!(states(&state)[0], State::Untranslated);
    state.apply(EditCommand::Discard);
    // The history of the sentence has it, the translation has not.
    assert_eq!(saved(&mut state, 0).as_deref(), Some(""));
    // Its markup is not there yet.
    state.apply(EditCommand::Start(1));
    state.apply(EditCommand::Write("Klicke auf Datei".to_owned()));
    let text = saved(&mut state, 1).expect("it is saved");
    assert!(text.starts_with("Klicke auf Datei"), "{text}");
    let editor = document(&state).editor.as_ref().expect("it is open");
    assert_eq!(editor.text, "Klicke auf Datei");
    assert!(editor.problems.is_empty());
}

#[test]
fn work_that_could_not_be_kept_is_written_again_when_the_window_closes() {
    let mut state = with_page();
    edit(&mut state, 0, "Drucken");
    state.tick(10.0);
    let Some(FileRequest::SaveProject { job, .. }) = state.shared.file_requests.pop() else {
        panic!("it is saved");
    };
    let error = crate::error::Error::Base(crate::error::BaseError::NoModel);
    state.receive(Event::Failed { job, error });
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.title, "Your work could not be saved");
    assert_eq!(state.tick(20.0), None);
    assert!(state.shared.file_requests.is_empty());
    for is_saved in [true, false] {
        state.flush();
        let saves = |request: FileRequest| matches!(request, FileRequest::SaveProject { .. });
        assert_eq!(state.shared.file_requests.drain(..).any(saves), is_saved);
    }
}

#[test]
fn edits_are_undone_and_done_again() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 0, "Drucken");
    state.apply(EditCommand::Confirm);
    assert_eq!(states(&state)[0], State::Confirmed);
    state.apply(EditCommand::Undo);
    assert_eq!(
        (states(&state)[0], document(&state).target(0).text.as_str()),
        (State::Edited, "Drucken")
    );
    state.apply(EditCommand::Undo);
    assert_eq!(
        (states(&state)[0], document(&state).target(0).text.as_str()),
        (State::Draft, "PRINT")
    );
    assert!(!state.is_enabled(&Command::from(EditCommand::Undo)));
    state.apply(EditCommand::Redo);
    state.apply(EditCommand::Redo);
    assert_eq!(
        (states(&state)[0], document(&state).target(0).text.as_str()),
        (State::Confirmed, "Drucken")
    );
    assert_eq!(document(&state).progress.counts().confirmed, 1);
}

#[test]
fn another_translation_in_an_open_edit_is_undone() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    let text = |state: &AppState, sentence: usize| document(state).target(sentence).text.clone();
    let draft = text(&state, 1);
    // Both sentences of the memory and what was written before lack the markup.
    state.apply(EditCommand::Start(1));
    state.apply(EditCommand::Write("Klicke auf Datei".to_owned()));
    state.apply(EditCommand::StartWith("Auf Datei klicken".to_owned()));
    let editor = document(&state).editor.as_ref().expect("an editor");
    assert_eq!(
        (editor.sentence, editor.text.as_str()),
        (1, "Auf Datei klicken")
    );
    state.apply(EditCommand::Undo);
    assert!(
        text(&state, 1).starts_with("Klicke auf Datei"),
        "{}",
        text(&state, 1)
    );
    state.apply(EditCommand::Undo);
    assert_eq!(text(&state, 1), draft);
    state.apply(EditCommand::Redo);
    state.apply(EditCommand::Redo);
    assert!(
        text(&state, 1).starts_with("Auf Datei klicken"),
        "{}",
        text(&state, 1)
    );
}

#[test]
fn another_translation_that_reads_like_markup_is_text() {
    let mut state = with_page();
    state.apply(GoCommand::Select(0));
    state.apply(EditCommand::StartWith("⟨1⟩ drucken".to_owned()));
    state.apply(EditCommand::Keep);
    assert_eq!(document(&state).target(0).text, "⟨1⟩ drucken");
    state.apply(EditCommand::Start(0));
    state.apply(EditCommand::KeepAndConfirm);
    assert_eq!(document(&state).target(0).text, "⟨1⟩ drucken");
    // Confirming what is confirmed takes nothing back.
    state.apply(GoCommand::Select(0));
    state.apply(EditCommand::Confirm);
    assert_eq!(states(&state)[0], State::Confirmed);
    assert_eq!(document(&state).selected, Some(1));
}

#[test]
fn a_sentence_edited_while_the_model_works_stays_edited() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    edit(&mut state, 0, "Drucken");
    work(&mut state);
    assert_eq!(document(&state).target(0).text, "Drucken");
}

#[test]
fn an_editor_in_which_nothing_was_written_changes_nothing() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    state.apply(EditCommand::Start(0));
    work(&mut state);
    state.apply(EditCommand::Keep);
    let target = document(&state).target(0);
    assert_eq!(
        (target.text.as_str(), target.state),
        ("PRINT", State::Draft)
    );
}

#[test]
fn going_on_keeps_the_edit_and_goes_nowhere_with_lost_markup() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    for command in [
        Command::from(GoCommand::NextUnconfirmed),
        Command::from(GoCommand::Next),
        Command::from(GoCommand::Previous),
    ] {
        state.apply(EditCommand::Start(0));
        state.apply(EditCommand::Write(format!("{command:?}")));
        state.apply(command.clone());
        assert!(document(&state).editor.is_none(), "{command:?}");
        assert_eq!(document(&state).target(0).text, format!("{command:?}"));
        state.apply(EditCommand::Start(1));
        state.apply(EditCommand::Write("Klicke auf Datei".to_owned()));
        state.apply(command);
        assert_eq!(document(&state).selected, Some(1));
        state.apply(EditCommand::Discard);
    }
}

#[test]
fn a_translation_is_saved_with_what_stands_in_the_editor_or_not_at_all() {
    let mut state = with_page();
    state.apply(EditCommand::Start(1));
    state.apply(EditCommand::Write("Klicke auf Datei".to_owned()));
    state.apply(WindowCommand::ShowPage(Page::Evaluate));
    state.apply(SaveCommand::SaveAs);
    assert!(state.shared.asks.is_empty());
    assert_eq!(state.shared.page, Page::Document);
    let editor = document(&state).editor.as_ref().expect("it is open");
    assert!(!editor.problems.is_empty());
    state.apply(EditCommand::Discard);
    state.apply(SaveCommand::SaveAs);
    assert_eq!(state.shared.asks.len(), 1);
    // The dialog is still open.
    state.apply(EditCommand::Start(0));
    state.apply(EditCommand::Write("Drucken".to_owned()));
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer("there.html".into(), true));
    let Some(FileRequest::SaveDocument { targets, .. }) = state.shared.file_requests.pop() else {
        panic!("it is saved");
    };
    assert_eq!(targets[0].as_deref(), Some("Drucken"));
}

#[test]
fn what_stands_in_the_editor_is_confirmed_taken_back_and_cleared() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    let text = |state: &AppState| document(state).target(0).text.clone();
    let write = |state: &mut AppState, text: &str| {
        state.apply(EditCommand::Start(0));
        state.apply(EditCommand::Write(text.to_owned()));
    };
    write(&mut state, "Drucken");
    state.apply(GoCommand::Select(0));
    state.apply(EditCommand::ToggleConfirmed(0));
    assert_eq!(
        (text(&state).as_str(), states(&state)[0]),
        ("Drucken", State::Confirmed)
    );
    write(&mut state, "Gedruckt");
    state.apply(EditCommand::Undo);
    assert_eq!(text(&state), "Drucken");
    state.apply(EditCommand::Redo);
    assert_eq!(text(&state), "Gedruckt");
    for replaces in [
        Command::from(EditCommand::Clear(0)),
        Command::from(EditCommand::CopySource(0)),
    ] {
        write(&mut state, "Neu");
        state.apply(replaces);
        assert_ne!(text(&state), "Neu");
        state.apply(EditCommand::Undo);
        assert_eq!(text(&state), "Neu");
    }
}

#[test]
fn an_edit_with_lost_markup_is_repaired_when_its_document_closes() {
    let mut state = with_page();
    edit(&mut state, 1, "Klicke auf Datei");
    state.apply(DocumentCommand::Close);
    let saves = |request: &FileRequest| match request {
        FileRequest::SaveProject { project, .. } => {
            let mut targets = project.targets.iter();
            targets.any(|target| target.text.contains("Klicke auf Datei"))
        }
        _ => false,
    };
    assert!(state.shared.file_requests.iter().any(saves));
}

#[test]
fn what_is_done_while_a_document_is_opened_again_is_not_lost() {
    let mut state = with_page();
    edit(&mut state, 0, "Drucken");
    let read = document(&state).project();
    state.apply(WindowCommand::OpenPath("page.html".into()));
    let opens = |request: FileRequest| match request {
        FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
        _ => None,
    };
    let found = state.shared.file_requests.drain(..).find_map(opens);
    let (job, path) = found.expect("it is opened");
    edit(&mut state, 3, "Sehen Sie es an.");
    edit(&mut state, 1, "Klicke auf Datei");
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: parsed(PAGE),
        project: Some(Box::new(read)),
        project_error: None,
    });
    let text = |sentence: usize| document(&state).target(sentence).text.clone();
    assert_eq!(text(0), "Drucken");
    assert!(text(1).starts_with("Klicke auf Datei"));
    assert_eq!(text(3), "Sehen Sie es an.");
}

#[test]
fn edits_of_sentences_that_are_gone_for_a_while_come_back() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 4, "Sehen Sie es an.");
    let project = document(&state).project();
    let truncated = PAGE.replace("<h2>Preview</h2><p>Look at it.</p>", "");
    let mut later = with_page();
    open(&mut later, parsed(&truncated), Some(project));
    assert_eq!(document(&later).num_sentences(), 3);
    edit(&mut later, 0, "Drucken");
    let project = document(&later).project();
    let indices: Vec<usize> = project.targets.iter().map(|it| it.index).collect();
    assert_eq!(indices, [0, 1, 2, 4, 3], "edits before drafts");
    open(&mut later, parsed(PAGE), Some(project));
    assert_eq!(document(&later).target(0).text, "Drucken");
    assert_eq!(document(&later).target(4).text, "Sehen Sie es an.");
    let [.., preview, last] = states(&later)[..] else {
        panic!("it has five sentences");
    };
    assert_eq!((preview, last), (State::Draft, State::Edited));
    assert_eq!(document(&later).project().targets.len(), 5);
}

#[test]
fn earlier_work_that_cannot_be_read_is_named() {
    let mut state = with_page();
    state.apply(WindowCommand::OpenPath("page.html".into()));
    let opens = |request: FileRequest| match request {
        FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
        _ => None,
    };
    let found = state.shared.file_requests.drain(..).find_map(opens);
    let (job, path) = found.expect("it is opened");
    let damaged = canopy_project::error::Error::Project {
        reason: "it ends in the middle".to_owned(),
        path: "projects/1234.json".into(),
    };
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: parsed(PAGE),
        project: None,
        project_error: Some(damaged.into()),
    });
    let notice = state.shared.notices.last().expect("it is reported");
    assert_eq!(notice.kind, NoticeKind::Error);
    assert!(notice.detail.contains("1234.json"), "{}", notice.detail);
    assert!(
        notice.detail.contains("stays as it is"),
        "{}",
        notice.detail
    );
}
