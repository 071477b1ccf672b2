//! What a user writes is neither lost nor replaced.

use super::*;
use crate::app::finding::{FindCommand, Side};
use crate::app::markup::tokens;
use crate::text::placeholder::stripped;

#[test]
fn an_edit_with_lost_markup_is_refused_until_repaired() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 1, "Klicke auf Datei");
    let editor = document(&state).editor.as_ref().expect("an editor");
    assert!(!editor.problems.is_empty());
    assert_eq!(states(&state)[1], State::Draft);
    // Another sentence cannot be selected over it.
    state.apply(Command::Select(0));
    assert_eq!(document(&state).selected, Some(1));
    state.apply(Command::RepairEdit);
    state.apply(Command::KeepEdit);
    assert!(document(&state).editor.is_none());
    assert_eq!(states(&state)[1], State::Edited);
}

#[test]
fn closing_flushes_an_open_edit() {
    let mut state = with_page();
    state.apply(Command::EditSentence(0));
    state.apply(Command::Editing("Drucken".to_owned()));
    state.flush();
    let saves = |request: &FileRequest| matches!(request, FileRequest::SaveProject { project, .. } if project.targets[0].text == "Drucken");
    assert!(state.file_requests.iter().any(saves));
}

/// The text of a sentence as the project file has it that is due now.
fn saved(state: &mut AppState, sentence: usize) -> Option<String> {
    state.tick(state.now_secs + 10.0);
    let saves = |request: FileRequest| match request {
        FileRequest::SaveProject { project, .. } => Some(project),
        _ => None,
    };
    let project = state.file_requests.drain(..).find_map(saves);
    let mut targets = project.expect("it is saved").targets.into_iter();
    let target = targets.find(|target| target.index == sentence);
    target.map(|target| target.text)
}

#[test]
fn what_is_typed_is_saved_before_it_is_kept() {
    let mut state = with_page();
    state.apply(Command::EditSentence(0));
    state.apply(Command::Editing("Druck".to_owned()));
    assert_eq!(saved(&mut state, 0).as_deref(), Some("Druck"));
    assert_eq!(states(&state)[0], State::Untranslated);
    state.apply(Command::DiscardEdit);
    assert_eq!(saved(&mut state, 0), None);
    // Its markup is not there yet.
    state.apply(Command::EditSentence(1));
    state.apply(Command::Editing("Klicke auf Datei".to_owned()));
    let text = saved(&mut state, 1).expect("it is saved");
    assert!(text.starts_with("Klicke auf Datei"), "{text}");
    let editor = document(&state).editor.as_ref().expect("it is open");
    assert_eq!(editor.text, "Klicke auf Datei");
    assert!(editor.problems.is_empty());
}

#[test]
fn edits_are_undone_and_done_again() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 0, "Drucken");
    state.apply(Command::Confirm);
    assert_eq!(states(&state)[0], State::Confirmed);
    state.apply(Command::Undo);
    assert_eq!(
        (states(&state)[0], document(&state).target(0).text.as_str()),
        (State::Edited, "Drucken")
    );
    state.apply(Command::Undo);
    assert_eq!(
        (states(&state)[0], document(&state).target(0).text.as_str()),
        (State::Draft, "PRINT")
    );
    assert!(!state.is_enabled(&Command::Undo));
    state.apply(Command::Redo);
    state.apply(Command::Redo);
    assert_eq!(
        (states(&state)[0], document(&state).target(0).text.as_str()),
        (State::Confirmed, "Drucken")
    );
    assert_eq!(document(&state).counts().confirmed, 1);
}

#[test]
fn a_sentence_edited_while_the_model_works_stays_edited() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    edit(&mut state, 0, "Drucken");
    work(&mut state);
    assert_eq!(document(&state).target(0).text, "Drucken");
}

#[test]
fn an_editor_in_which_nothing_was_written_changes_nothing() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    state.apply(Command::EditSentence(0));
    work(&mut state);
    state.apply(Command::KeepEdit);
    let target = document(&state).target(0);
    assert_eq!(
        (target.text.as_str(), target.state),
        ("PRINT", State::Draft)
    );
}

#[test]
fn what_stands_in_the_editor_is_confirmed_taken_back_and_cleared() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    work(&mut state);
    let text = |state: &AppState| document(state).target(0).text.clone();
    let write = |state: &mut AppState, text: &str| {
        state.apply(Command::EditSentence(0));
        state.apply(Command::Editing(text.to_owned()));
    };
    write(&mut state, "Drucken");
    state.apply(Command::Select(0));
    state.apply(Command::ToggleConfirmed(0));
    assert_eq!(
        (text(&state).as_str(), states(&state)[0]),
        ("Drucken", State::Confirmed)
    );
    write(&mut state, "Gedruckt");
    state.apply(Command::Undo);
    assert_eq!(text(&state), "Drucken");
    state.apply(Command::Redo);
    assert_eq!(text(&state), "Gedruckt");
    for replaces in [Command::Clear(0), Command::CopySource(0)] {
        write(&mut state, "Neu");
        state.apply(replaces);
        assert_ne!(text(&state), "Neu");
        state.apply(Command::Undo);
        assert_eq!(text(&state), "Neu");
    }
}

#[test]
fn an_edit_with_lost_markup_is_repaired_when_its_document_closes() {
    let mut state = with_page();
    edit(&mut state, 1, "Klicke auf Datei");
    state.apply(Command::CloseDocument);
    let saves = |request: &FileRequest| match request {
        FileRequest::SaveProject { project, .. } => {
            let mut targets = project.targets.iter();
            targets.any(|target| target.text.contains("Klicke auf Datei"))
        }
        _ => false,
    };
    assert!(state.file_requests.iter().any(saves));
}

fn find(state: &mut AppState, command: FindCommand) {
    state.apply(Command::Find(command));
}

/// Sentence and side of the match that was gone to.
fn found(state: &AppState) -> Option<(usize, Side)> {
    let find = &document(state).find;
    let found = &find.matches[find.current?];
    Some((found.sentence, found.side))
}

#[test]
fn words_are_found_in_both_sides_around_the_end() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    work(&mut state);
    find(&mut state, FindCommand::Open);
    state.apply(Command::Select(1));
    find(&mut state, FindCommand::Query("n".to_owned()));
    assert_eq!(found(&state), Some((2, Side::Source)));
    assert_eq!(document(&state).selected, Some(2));
    find(&mut state, FindCommand::Next);
    assert_eq!(found(&state), Some((2, Side::Target)));
    find(&mut state, FindCommand::Next);
    assert_eq!(found(&state), Some((0, Side::Source)));
    find(&mut state, FindCommand::Previous);
    assert_eq!(found(&state), Some((2, Side::Target)));
    // From where a person has gone since.
    state.apply(Command::Select(0));
    find(&mut state, FindCommand::Next);
    assert_eq!(found(&state), Some((0, Side::Source)));
    find(&mut state, FindCommand::Query("nowhere".to_owned()));
    for command in [
        FindCommand::Next,
        FindCommand::Previous,
        FindCommand::Replace,
    ] {
        find(&mut state, command);
        assert_eq!(found(&state), None);
    }
    assert_eq!(document(&state).selected, Some(0));
}

#[test]
fn replacing_goes_on_and_all_is_one_step() {
    let mut state = with_page();
    state.apply(Command::Translate(Scope::Document));
    work(&mut state);
    let texts = |state: &AppState| -> Vec<String> {
        let sentences = 0..document(state).num_sentences();
        sentences
            .map(|sentence| stripped(&document(state).target(sentence).text))
            .collect()
    };
    let before = texts(&state);
    assert_eq!(before[..2], ["PRINT", "CLICK FILE."]);
    find(&mut state, FindCommand::Query("i".to_owned()));
    find(&mut state, FindCommand::Replacement("ii".to_owned()));
    // The first match is in a source, which stays.
    find(&mut state, FindCommand::Replace);
    assert_eq!(
        (texts(&state), found(&state)),
        (before.clone(), Some((0, Side::Target)))
    );
    find(&mut state, FindCommand::Replace);
    assert_eq!(texts(&state)[0], "PRiiNT");
    assert_eq!(
        (states(&state)[0], found(&state)),
        (State::Edited, Some((1, Side::Target)))
    );
    state.apply(Command::Undo);
    assert_eq!(texts(&state), before);

    find(&mut state, FindCommand::ReplaceAll);
    let after: Vec<String> = before.iter().map(|text| text.replace('I', "ii")).collect();
    assert_eq!(texts(&state), after);
    let markup = |sentence: usize| tokens(&document(&state).target(sentence).text);
    assert_eq!(
        markup(1),
        tokens(&document(&state).document.sentences[1].text)
    );
    assert!(
        state
            .notices
            .iter()
            .any(|notice| notice.title.starts_with("Replaced "))
    );
    state.apply(Command::Undo);
    assert_eq!(texts(&state), before);
    // Nothing is left of this one.
    find(&mut state, FindCommand::Query("print".to_owned()));
    find(&mut state, FindCommand::Replacement(String::new()));
    find(&mut state, FindCommand::ReplaceAll);
    assert_eq!(states(&state)[0], State::Untranslated);
}
