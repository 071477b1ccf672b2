//! Words are found and replaced, and nothing else changes.

use super::*;
use crate::find::{FindCommand, Side};
use crate::markup::tokens;
use crate::{DocumentCommand, EditCommand, GoCommand};
use canopy_document::placeholder::stripped;

fn find(state: &mut AppState, command: FindCommand) {
    state.apply(Command::from(command));
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
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    find(&mut state, FindCommand::Open);
    state.apply(GoCommand::Select(1));
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
    state.apply(GoCommand::Select(0));
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
    state.apply(DocumentCommand::Translate(Scope::Document));
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
    state.apply(EditCommand::Undo);
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
            .shared
            .notices
            .iter()
            .any(|notice| notice.title.starts_with("Replaced "))
    );
    state.apply(EditCommand::Undo);
    assert_eq!(texts(&state), before);
    // Nothing is left of this one.
    find(&mut state, FindCommand::Query("print".to_owned()));
    find(&mut state, FindCommand::Replacement(String::new()));
    find(&mut state, FindCommand::ReplaceAll);
    assert_eq!(states(&state)[0], State::Untranslated);
}
