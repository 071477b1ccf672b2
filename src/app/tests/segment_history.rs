//! Earlier translations of a sentence are never lost.

use super::*;
use crate::jobs::{Origin, Version};
use crate::{DocumentCommand, DocumentEvent, EditCommand};

fn origins(state: &AppState, sentence: usize) -> Vec<(Origin, String)> {
    let history = document(state).targets.history(sentence).iter();
    history.map(|it| (it.origin, it.text.clone())).collect()
}

fn version(origin: Origin, text: &str) -> (Origin, String) {
    (origin, text.to_owned())
}

#[test]
fn every_text_of_a_sentence_is_kept_and_comes_back_with_the_document() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    let draft = document(&state).target(2).text.clone();
    edit(&mut state, 2, "Dann warten.");
    state.apply(EditCommand::Keep);
    state.apply(EditCommand::ToggleConfirmed(2));
    state.apply(EditCommand::Clear(2));
    state.apply(EditCommand::Undo);
    let expected = [
        version(Origin::Machine, &draft),
        version(Origin::Hand, "Dann warten."),
        version(Origin::Confirmed, "Dann warten."),
        version(Origin::Cleared, ""),
        version(Origin::Confirmed, "Dann warten."),
    ];
    assert_eq!(origins(&state, 2), expected);
    let history = document(&state).targets.history(2).to_vec();
    assert_eq!(history[0].model.as_deref(), Some("tiny"));
    assert!(history.iter().all(|it| it.time.is_some()));
    let bytes = document(&state).project().to_bytes("work".as_ref());
    let project: Project = serde_json::from_slice(&bytes.expect("bytes")).expect("a project");
    let mut again = with_page();
    open(&mut again, parsed(PAGE), Some(project.clone()));
    assert_eq!(document(&again).targets.history(2), history);
    // The sentence is gone for a while, and comes back.
    let without = PAGE.replace(" Then wait.", "");
    open(&mut again, parsed(&without), Some(project));
    let kept = document(&again).project();
    open(&mut again, parsed(PAGE), Some(kept));
    assert_eq!(document(&again).targets.history(2), history);
}

#[test]
fn a_cleared_sentence_keeps_its_history() {
    let mut state = with_page();
    edit(&mut state, 0, "Drucken");
    state.apply(EditCommand::Keep);
    state.apply(EditCommand::Clear(0));
    let project = document(&state).project();
    let mut again = with_page();
    open(&mut again, parsed(PAGE), Some(project));
    assert_eq!(states(&again)[0], State::Untranslated);
    let expected = [
        version(Origin::Hand, "Drucken"),
        version(Origin::Cleared, ""),
    ];
    assert_eq!(origins(&again, 0), expected);
}

#[test]
fn an_earlier_text_is_used_again_and_that_is_undone() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    let draft = document(&state).target(2).text.clone();
    edit(&mut state, 2, "Dann warten.");
    state.apply(EditCommand::Keep);
    state.apply(EditCommand::UseVersion {
        sentence: 2,
        version: 0,
    });
    let target = document(&state).target(2);
    assert_eq!(
        (target.text.as_str(), target.state),
        (draft.as_str(), State::Edited)
    );
    assert_eq!(target.model.as_deref(), Some("tiny"));
    state.apply(EditCommand::Undo);
    assert_eq!(document(&state).target(2).text, "Dann warten.");
}

#[test]
fn work_of_older_versions_begins_a_history_without_a_time() {
    let mut state = with_page();
    edit(&mut state, 0, "Drucken");
    state.apply(EditCommand::Keep);
    let mut project = document(&state).project();
    for target in &mut project.targets {
        target.history.clear();
    }
    let mut again = with_page();
    open(&mut again, parsed(PAGE), Some(project));
    let expected = Version {
        origin: Origin::Hand,
        text: "Drucken".to_owned(),
        model: None,
        time: None,
    };
    assert_eq!(document(&again).targets.history(0), [expected]);
}

#[test]
fn work_of_another_person_is_merged_and_ours_stays_where_both_have_changed_a_sentence() {
    let mut state = with_page();
    for (sentence, text) in [(0, "Drucken"), (2, "Dann warten."), (3, "Vorschau")] {
        edit(&mut state, sentence, text);
        state.apply(EditCommand::Keep);
    }
    let saved = document(&state).project().targets;
    let theirs = |index: usize, text: &str| {
        let mut target = saved
            .iter()
            .find(|it| it.index == index)
            .expect("saved")
            .clone();
        target.text = text.to_owned();
        target
    };
    // The third was changed here after it was saved.
    edit(&mut state, 3, "Die Vorschau");
    state.apply(EditCommand::Keep);
    let merged = MergedWork {
        project: document(&state).project(),
        taken: vec![
            (Some("Drucken".to_owned()), theirs(0, "Ausdrucken")),
            (Some("Vorschau".to_owned()), theirs(3, "Voransicht")),
        ],
        conflicts: vec![theirs(2, "Danach warten.")],
    };
    let path = document(&state).path.clone();
    let merged = Box::new(merged);
    state.receive(DocumentEvent::WorkMerged { path, merged });
    let text = |state: &AppState, sentence: usize| document(state).target(sentence).text.clone();
    assert_eq!(
        [0, 2, 3].map(|sentence| text(&state, sentence)),
        ["Ausdrucken", "Dann warten.", "Die Vorschau"]
    );
    for (sentence, theirs, ours) in [
        (2, "Danach warten.", "Dann warten."),
        (3, "Voransicht", "Die Vorschau"),
    ] {
        let texts: Vec<String> = origins(&state, sentence)
            .into_iter()
            .map(|it| it.1)
            .collect();
        assert!(texts.contains(&theirs.to_owned()), "{texts:?}");
        assert_eq!(texts.last().map(String::as_str), Some(ours));
    }
    let notice = state.shared.notices.last().expect("a notice");
    assert!(notice.detail.contains("2 sentences"), "{}", notice.detail);
    state.apply(EditCommand::Undo);
    assert_eq!(text(&state, 0), "Drucken");
}

#[test]
fn what_was_written_before_escape_is_in_the_history() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    state.apply(EditCommand::Start(0));
    state.apply(EditCommand::Write("Drucken und warten".to_owned()));
    let revision = document(&state).targets.revision(0);
    state.apply(EditCommand::Discard);
    let open = document(&state);
    assert_eq!(open.target(0).text, "PRINT");
    assert!(open.targets.revision(0) > revision, "the panel notices");
    let texts: Vec<&str> = open
        .targets
        .history(0)
        .iter()
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(texts, ["PRINT", "Drucken und warten", "PRINT"]);
    state.apply(EditCommand::UseVersion {
        sentence: 0,
        version: 1,
    });
    assert_eq!(document(&state).target(0).text, "Drucken und warten");
    // Nothing was written: nothing is added.
    state.apply(EditCommand::Start(2));
    state.apply(EditCommand::Discard);
    assert_eq!(document(&state).targets.history(2).len(), 1);
}
