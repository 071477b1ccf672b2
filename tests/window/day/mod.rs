//! A translator's everyday tasks: confirmed sentences fill identical ones, filters, going to a sentence, warnings in one list.

mod menus;

use canopy::app::{
    CheckCommand, DocumentCommand, EditCommand, Filter, FindCommand, GoCommand, HelpPage,
};
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;

use super::*;

const REPEATED: &str =
    "<p>Open the file.</p><p>Then wait.</p><p>Open the file.</p><p>Open the file.</p>";

fn texts(window: &Window) -> Vec<(String, State)> {
    let open = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let target = |index| open.target(index).clone();
    let targets = (0..open.num_sentences()).map(target);
    targets.map(|it| (it.text, it.state)).collect()
}

fn edit(window: &mut Window, sentence: usize, text: &str) {
    window.state.apply(EditCommand::Start(sentence));
    window.state.apply(EditCommand::Write(text.to_owned()));
    window.state.apply(EditCommand::Keep);
}

#[test]
fn a_confirmed_sentence_fills_identical_ones_and_undo_takes_both_back() {
    let mut window = Window::with_document(REPEATED);
    edit(&mut window, 3, "Meine Datei");
    let before = texts(&window);
    edit(&mut window, 0, "Öffnen Sie die Datei.");
    window.state.apply(EditCommand::ToggleConfirmed(0));
    let after = texts(&window);
    let filled = ("Öffnen Sie die Datei.".to_owned(), State::Draft);
    assert_eq!(after[0], (filled.0.clone(), State::Confirmed));
    assert_eq!(after[1], before[1], "another sentence");
    assert_eq!(after[2], filled);
    assert_eq!(after[3], before[3], "somebody has written it");
    let open = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    assert_eq!(open.target(2).flags, [Flag::Memory]);
    window.state.apply(EditCommand::Undo);
    assert_eq!(texts(&window)[2], before[2]);
    assert_eq!(texts(&window)[0], (filled.0, State::Edited));
}

#[test]
fn a_counter_shows_its_sentences_alone() {
    let mut window = Window::with_document(PAGE).translated();
    edit(&mut window, 2, "Dann warten.");
    let mut harness = window.harness();
    harness.run_steps(4);
    harness
        .get_by_role_and_label(Role::Button, "1 edited")
        .click();
    harness.run_steps(4);
    harness.get_by_label("1 of 5 sentences");
    assert!(harness.query_by_label("PRINT").is_none());
    harness.get_by_label("Dann warten.");
    let state = &harness.state().state;
    assert_eq!(state.document.editing.selected(), Some(2));
    // Going to a hidden one shows all of them again.
    harness.state_mut().state.apply(GoCommand::ToNumber(1));
    harness.run_steps(4);
    assert!(harness.query_by_label("1 of 5 sentences").is_none());
    harness.get_by_label("PRINT");
    harness
        .state_mut()
        .state
        .apply(GoCommand::Filter(Some(Filter::State(State::Draft))));
    harness.run_steps(4);
    // The arrow keys step over what is hidden.
    harness.key_press(Key::ArrowDown);
    harness.key_press(Key::ArrowDown);
    harness.run_steps(4);
    assert_eq!(harness.state().state.document.editing.selected(), Some(3));
    harness.get_by_label("Show all").click();
    harness.run_steps(4);
    harness.get_by_label("Dann warten.");
}

#[test]
fn a_sentence_is_gone_to_by_its_number() {
    let page = "<p>Look at it.</p>".repeat(200);
    let mut harness = Window::with_document(&page).translated().harness();
    harness.run_steps(4);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::G);
    harness.run_steps(4);
    harness
        .get_by_role_and_label(Role::TextInput, "Number of the sentence")
        .type_text("150");
    harness.run_steps(2);
    harness.get_by_label("Go").click();
    harness.run_steps(6);
    let state = &harness.state().state;
    assert_eq!(state.document.editing.selected(), Some(149));
    let open = state.document.editing.open.as_ref().expect("a document");
    assert!(
        (100..=149).contains(&open.first_visible),
        "{}",
        open.first_visible
    );
}

#[test]
fn a_finding_scrolls_to_its_sentence_and_the_list_has_what_the_model_noted() {
    let page = "<p>Look at it.</p>".repeat(199) + "<p>Press 3 keys.</p>";
    let mut window = Window::with_document(&page).translated();
    edit(&mut window, 199, "Drücken Sie 4 Tasten.");
    window.state.apply(CheckCommand::ToggleList);
    super::checks::check(&mut window);
    let mut harness = window.harness();
    harness.run_steps(4);
    // The mark between the columns is in the list: the first sentence repeats itself.
    harness.get_by_label("Sentence 1: repeats itself");
    harness.state_mut().state.apply(CheckCommand::GoTo(199));
    harness.run_steps(6);
    let state = &harness.state().state;
    assert_eq!(state.document.editing.selected(), Some(199));
    let open = state.document.editing.open.as_ref().expect("a document");
    assert!(open.first_visible > 150, "{}", open.first_visible);
}

#[test]
fn what_is_not_translated_is_one_line_of_the_checks() {
    let mut window = Window::with_document(PAGE);
    window.state.apply(CheckCommand::ToggleList);
    super::checks::check(&mut window);
    assert!(window.state.document.checking.findings.is_empty());
    window.state.apply(GoCommand::Select(4));
    let mut harness = window.harness();
    harness.run_steps(4);
    harness
        .get_by_label("5 sentences are not translated")
        .click();
    harness.run_steps(4);
    assert_eq!(
        harness.state().state.document.editing.selected(),
        Some(0),
        "the next one"
    );
}

#[test]
fn a_replacement_is_seen_before_it_is_made() {
    let mut window = Window::with_document(PAGE).translated();
    for command in [
        FindCommand::Open,
        FindCommand::Query("wait".to_owned()),
        FindCommand::Replacement("stop".to_owned()),
    ] {
        window.state.apply(Command::from(command));
    }
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("Sentence 3 becomes: THEN STOP.");
    assert_eq!(texts(harness.state())[2].0, "THEN WAIT.");
}

#[test]
fn keys_go_to_the_ends_of_the_document_and_by_pages() {
    let page = "<p>Look at it.</p>".repeat(200);
    let mut harness = Window::with_document(&page).translated().harness();
    harness.run_steps(4);
    let selected =
        |harness: &Harness<'static, Window>| harness.state().state.document.editing.selected();
    harness.key_press(Key::End);
    harness.run_steps(6);
    assert_eq!(selected(&harness), Some(199));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Home);
    harness.run_steps(6);
    assert_eq!(selected(&harness), Some(0));
    harness.key_press(Key::PageDown);
    harness.run_steps(6);
    let page = selected(&harness).expect("a sentence");
    assert!((10..60).contains(&page), "{page}");
    harness.key_press(Key::PageUp);
    harness.run_steps(6);
    assert_eq!(selected(&harness), Some(0));
    // Undo of the text, while a sentence is edited.
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    harness.key_press(Key::End);
    harness.run_steps(4);
    assert_eq!(selected(&harness), Some(0));
}

#[test]
fn undo_in_an_editor_without_changes_is_that_of_the_document() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(1));
    window.state.apply(EditCommand::KeepAndConfirm);
    let mut harness = window.harness();
    harness.run_steps(4);
    assert_eq!(texts(harness.state())[1].1, State::Confirmed);
    let editing = |harness: &Harness<'static, Window>| {
        let open = harness.state().state.document.editing.open.as_ref();
        let editor = open.and_then(|open| open.editor.as_ref());
        editor.map(|editor| (editor.sentence, editor.text.clone()))
    };
    assert_eq!(editing(&harness), Some((2, "THEN WAIT.".to_owned())));
    // What was written there is taken back first.
    harness
        .get_by_role(Role::MultilineTextInput)
        .type_text(" Now");
    harness.run_steps(60);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(4);
    assert_eq!(editing(&harness), Some((2, "THEN WAIT.".to_owned())));
    assert_eq!(texts(harness.state())[1].1, State::Confirmed);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(4);
    assert_eq!(texts(harness.state())[1].1, State::Draft);
    assert_eq!(harness.state().state.document.editing.selected(), Some(1));
}

#[test]
fn a_key_writes_the_next_tag_and_a_pair_around_what_is_selected() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(1));
    window
        .state
        .apply(EditCommand::Write("Klicken auf Datei".to_owned()));
    let mut harness = window.harness();
    harness.run_steps(4);
    let text = |harness: &Harness<'static, Window>| {
        let open = harness.state().state.document.editing.open.as_ref();
        let editor = open.and_then(|open| open.editor.as_ref());
        editor.expect("an editor").text.clone()
    };
    let comma = |harness: &mut Harness<'static, Window>| {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
        harness.run_steps(4);
    };
    // The last word is selected.
    for _ in 0.."Datei".len() {
        harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowLeft);
    }
    harness.run_steps(4);
    comma(&mut harness);
    assert_eq!(text(&harness), "Klicken auf ⟨1⟩Datei⟨/1⟩");
    // Nothing is missing.
    comma(&mut harness);
    assert_eq!(text(&harness), "Klicken auf ⟨1⟩Datei⟨/1⟩");
    harness
        .state_mut()
        .state
        .apply(EditCommand::Write("Klicken ".to_owned()));
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::End);
    harness.run_steps(2);
    comma(&mut harness);
    comma(&mut harness);
    assert_eq!(text(&harness), "Klicken ⟨1⟩⟨/1⟩");
}

#[test]
fn a_tag_in_the_editor_is_one_character() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(1));
    let start = Command::from(EditCommand::Write("⟨1⟩Datei⟨/1⟩ jetzt".to_owned()));
    window.state.apply(start);
    let mut harness = window.harness();
    harness.run_steps(4);
    let press = |harness: &mut Harness<'static, Window>, modifiers, key, times: usize| {
        for _ in 0..times {
            harness.key_press_modifiers(modifiers, key);
            harness.run_steps(3);
        }
    };
    let text = |harness: &Harness<'static, Window>| {
        let open = harness.state().state.document.editing.open.as_ref();
        let editor = open.and_then(|open| open.editor.as_ref());
        editor.expect("an editor").text.clone()
    };
    press(&mut harness, Modifiers::COMMAND, Key::Home, 1);
    press(&mut harness, Modifiers::NONE, Key::ArrowRight, 1);
    harness.get_by_role(Role::MultilineTextInput).type_text("x");
    harness.run_steps(4);
    assert_eq!(text(&harness), "⟨1⟩xDatei⟨/1⟩ jetzt");
    press(&mut harness, Modifiers::NONE, Key::Backspace, 2);
    assert_eq!(text(&harness), "Datei⟨/1⟩ jetzt");
    press(&mut harness, Modifiers::NONE, Key::ArrowRight, 6);
    press(&mut harness, Modifiers::NONE, Key::ArrowLeft, 1);
    press(&mut harness, Modifiers::NONE, Key::Delete, 1);
    assert_eq!(text(&harness), "Datei jetzt");
    // The chips below write a tag where the caret is, and leave it after the tag.
    harness.get_by_role_and_label(Role::Button, "⟨1⟩").click();
    harness.run_steps(4);
    harness.get_by_role_and_label(Role::Button, "⟨/1⟩").click();
    harness.run_steps(4);
    assert_eq!(text(&harness), "Datei⟨1⟩⟨/1⟩ jetzt");
}

#[test]
fn a_document_opens_at_the_sentence_where_the_user_was() {
    let page = "<p>Look at it.</p>".repeat(200);
    let mut window = Window::with_document(&page).translated();
    window.state.apply(GoCommand::ToNumber(150));
    window.state.apply(DocumentCommand::Close);
    let settings = window.state.shared.settings.to_bytes();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings.json");
    std::fs::write(&file, settings).expect("written");
    let settings = Settings::read(&file);
    let state = AppState::new(Folders::default(), settings, Shipped::default());
    let later = Window {
        state,
        ..Window::default()
    };
    let mut harness = later.opened_in(&page).harness();
    harness.run_steps(6);
    let state = &harness.state().state;
    assert_eq!(state.document.editing.selected(), Some(149));
    let open = state.document.editing.open.as_ref().expect("a document");
    assert!(
        (100..=149).contains(&open.first_visible),
        "{}",
        open.first_visible
    );
    // One that has become shorter begins at its head.
    harness.state_mut().state.apply(DocumentCommand::Close);
    let later = harness.into_state().opened_in("<p>Look at it.</p>");
    assert_eq!(later.state.document.editing.selected(), Some(0));
}

#[test]
fn messages_stand_above_the_panels_and_go_with_what_they_report() {
    let mut window = Window::with_document(REPEATED);
    window.state.apply(DocumentCommand::ToggleHistory);
    edit(&mut window, 0, "Öffnen Sie die Datei.");
    window.state.apply(EditCommand::ToggleConfirmed(0));
    let mut harness = window.harness();
    harness.run_steps(4);
    let message = harness
        .get_by_label("2 identical sentences are filled")
        .rect();
    let panel = harness.get_by_label("History of the sentence").rect();
    assert!(message.bottom() < panel.top(), "{message:?} {panel:?}");
    harness.state_mut().state.apply(EditCommand::Undo);
    harness.run_steps(4);
    let left = harness.query_by_label("2 identical sentences are filled");
    assert!(left.is_none());
}
