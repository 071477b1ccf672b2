//! The rest follows what was edited.

use super::*;
use crate::{DocumentCommand, DocumentEvent, EditCommand, ModelsEvent};

/// Translates everything, edits the first sentence and confirms the third.
fn worked_on() -> AppState {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 0, "Drucken");
    state.apply(EditCommand::ToggleConfirmed(2));
    state
}

/// Another model in place of the one that is open.
fn open_reading(state: &mut AppState, reads: Reads) {
    let Some(Request::OpenModel { job, folder, .. }) = open_model(state) else {
        panic!()
    };
    state.receive(ModelsEvent::Opened {
        job,
        info: ModelInfo {
            reads,
            ..info(folder)
        },
        device_name: "CPU".to_owned(),
        memory: None,
    });
}

/// Carries the update out: every other draft gets another text. Returns those drafts.
fn update(state: &mut AppState) -> Vec<usize> {
    let Some(Request::Translate { job, sentences, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    let mut changed = vec![];
    for (place, &index) in sentences.iter().enumerate() {
        let mut text = document(state).target(index).text.clone();
        if place % 2 == 0 {
            text.insert(0, 'X');
            changed.push(index);
        }
        receive(state, job, index, text);
    }
    state.receive(Event::Finished { job });
    changed
}

fn receive(state: &mut AppState, job: JobId, index: usize, text: String) {
    let translation = Translation {
        text,
        log_prob: -1.0,
        num_tokens: 3,
        parts: vec![],
        flags: vec![],
    };
    state.receive(DocumentEvent::SentenceTranslated {
        job,
        index,
        translation,
    });
}

fn marks(state: &AppState) -> Vec<usize> {
    let document = document(state);
    (0..document.num_sentences())
        .filter(|&sentence| document.targets.is_changed(sentence))
        .collect()
}

#[test]
fn an_update_requests_the_drafts_and_reports_what_is_fixed() {
    let mut state = worked_on();
    state.apply(DocumentCommand::UpdateRest);
    let Some(Request::Translate {
        sentences, fixed, ..
    }) = state.shared.requests.last()
    else {
        panic!()
    };
    assert_eq!(sentences, &document(&state).targets.drafts());
    assert!(!sentences.contains(&0) && !sentences.contains(&2) && !sentences.is_empty());
    assert_eq!(fixed.keys().copied().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(fixed[&0], "Drucken");
}

#[test]
fn an_update_is_one_step_and_marks_what_it_changed() {
    let mut state = worked_on();
    let before = document(&state).targets.texts();
    state.apply(DocumentCommand::UpdateRest);
    let changed = update(&mut state);
    let after = document(&state).targets.texts();
    assert_eq!(marks(&state), changed);
    for sentence in 0..before.len() {
        assert_eq!(
            before[sentence] != after[sentence],
            changed.contains(&sentence)
        );
    }
    state.apply(EditCommand::Undo);
    assert_eq!(document(&state).targets.texts(), before);
    assert!(marks(&state).is_empty());
    state.apply(EditCommand::Redo);
    assert_eq!(document(&state).targets.texts(), after);
}

#[test]
fn a_mark_goes_when_its_sentence_is_reviewed() {
    let mut state = worked_on();
    state.apply(DocumentCommand::UpdateRest);
    let changed = update(&mut state);
    state.apply(EditCommand::ToggleConfirmed(changed[0]));
    assert_eq!(marks(&state), changed[1..]);
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    assert!(marks(&state).is_empty());
}

#[test]
fn what_was_edited_during_an_update_is_not_taken_back_with_it() {
    let mut state = worked_on();
    state.apply(DocumentCommand::UpdateRest);
    let Some(Request::Translate { job, sentences, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    let [first, second] = [sentences[0], sentences[1]];
    let draft = document(&state).target(second).text.clone();
    receive(&mut state, job, first, "Eins".to_owned());
    receive(&mut state, job, second, "Zwei".to_owned());
    state.apply(EditCommand::ToggleConfirmed(first));
    state.apply(DocumentCommand::Cancel);
    state.receive(Event::Cancelled { job });
    state.apply(EditCommand::Undo);
    assert_eq!(document(&state).target(second).text, draft);
    assert_eq!(states(&state)[first], State::Confirmed);
}

#[test]
fn an_update_that_would_change_nothing_says_why() {
    let mut state = worked_on();
    let why = |state: &AppState| state.why_not(&Command::Document(DocumentCommand::UpdateRest));
    assert_eq!(why(&state), None);
    for reads in [Reads::Nothing, Reads::Source] {
        open_reading(&mut state, reads);
        assert!(why(&state).expect("a reason").contains("This model"));
        assert!(!state.is_enabled(&Command::Document(DocumentCommand::UpdateRest)));
        state.apply(DocumentCommand::UpdateRest);
        assert!(state.shared.requests.is_empty());
    }
    open_reading(&mut state, Reads::Translations);
    assert!(state.is_enabled(&Command::Document(DocumentCommand::UpdateRest)));
    state.apply(DocumentCommand::UpdateRest);
    assert_eq!(why(&state), Some("A translation is running"));
    update(&mut state);
    for sentence in document(&state).targets.drafts() {
        state.apply(EditCommand::ToggleConfirmed(sentence));
    }
    assert_eq!(why(&state), Some("There are no drafts left"));

    let mut fresh = with_page();
    assert_eq!(why(&fresh), Some("No sentence is edited or confirmed yet"));
    fresh.apply(DocumentCommand::Close);
    assert_eq!(why(&fresh), Some("No document is open"));
}

#[test]
fn the_first_pass_shows_until_sentences_come() {
    let mut state = worked_on();
    state.tick(100.0);
    state.apply(DocumentCommand::UpdateRest);
    let Some(Request::Translate { job, sentences, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    state.tick(130.0);
    state.receive(DocumentEvent::Drafted {
        job,
        done: 1,
        num: 4,
    });
    let running = state
        .document
        .translations
        .running
        .as_ref()
        .expect("it runs");
    assert_eq!(running.preparing, Some((Preparation::Drafting, 1, 4)));
    state.tick(131.0);
    receive(&mut state, job, sentences[0], "Eins".to_owned());
    let running = state
        .document
        .translations
        .running
        .as_ref()
        .expect("it runs");
    assert_eq!(running.preparing, None);
    assert!((running.progress.elapsed_secs() - 1.0).abs() < 1e-9);
}
