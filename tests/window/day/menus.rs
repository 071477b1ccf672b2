//! Menus, and windows that are too small for them.

use super::*;
use canopy::app::{EditCommand, GoCommand, WindowCommand};

#[test]
fn help_has_a_menu_of_its_own() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run_steps(4);
    harness.get_by_label("Help").click();
    harness.run_steps(4);
    harness.get_by_label_contains("Guide").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.help, Some(HelpPage::Guide));
    harness.get_by_label("Close").click();
    harness.run_steps(4);
    harness
        .state_mut()
        .state
        .apply(WindowCommand::ShowHelp(Some(HelpPage::About)));
    harness.run_steps(4);
    harness.get_by_label(concat!("Canopy ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_small_window_reaches_menus_pages_and_the_button() {
    for (width, height) in [(1200.0, 800.0), (900.0, 600.0), (640.0, 410.0)] {
        let window = Window::with_document(PAGE);
        let mut harness = Harness::builder()
            .with_size([width, height])
            .with_step_dt(0.05)
            .with_max_steps(40)
            .with_context_setup(install_theme)
            .renderer(window.atlas.clone())
            .build_ui_state(Window::frame, window);
        harness.run_steps(4);
        let mut places = Vec::new();
        for label in ["File", "Help", "Models", "Translate document"] {
            let node = harness.get_all_by_label(label).next().expect(label);
            let rect = node.rect();
            assert!(
                rect.right() <= width && rect.left() >= 0.0,
                "{label}: {rect:?}"
            );
            places.push(rect.shrink(1.0));
        }
        for (at, one) in places.iter().enumerate() {
            let mut others = places[at + 1..].iter();
            assert!(!others.any(|other| one.intersects(*other)), "{width}");
        }
    }
}

#[test]
fn at_200_percent_a_window_of_900_by_600_shows_menus_both_columns_and_the_filter() {
    const SIZE: [f32; 2] = [450.0, 300.0];
    let mut window = Window::with_document(PAGE).translated();
    let drafts = Filter::State(State::Draft);
    window.state.apply(GoCommand::Filter(Some(drafts)));
    let mut harness = Harness::builder()
        .with_size(SIZE)
        .with_step_dt(0.05)
        .with_max_steps(40)
        .with_context_setup(install_theme)
        .renderer(window.atlas.clone())
        .build_ui_state(Window::frame, window);
    harness.run_steps(6);
    for label in ["File", "Help", "Translate document", "Show all", "PRINT"] {
        let node = harness.get_all_by_label(label).next().expect(label);
        let rect = node.rect();
        assert!(
            rect.right() <= SIZE[0] && rect.left() >= 0.0 && rect.width() > 20.0,
            "{label}: {rect:?}"
        );
    }
}

#[test]
fn the_menu_of_a_sentence_has_what_is_done_with_it() {
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run_steps(4);
    harness.get_by_label("THEN WAIT.").click_secondary();
    harness.run_steps(4);
    for entry in [
        "Use best match",
        "Clear translation",
        "Confirm / Unconfirm",
        "Copy source text",
        "Copy translation",
        "Add term…",
        "History of the sentence",
    ] {
        assert!(harness.query_by_label_contains(entry).is_some(), "{entry}");
    }
    harness
        .get_by_label_contains("Copy source to target")
        .click();
    harness.run_steps(4);
    let kept = ("Then wait.".to_owned(), State::Edited);
    assert_eq!(texts(harness.state())[2], kept);
    // The same by its key, for the next sentence.
    harness.key_press(Key::ArrowDown);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Insert);
    harness.run_steps(4);
    assert_eq!(texts(harness.state())[3].0, "Preview");
}

#[test]
fn the_menu_of_a_sentence_copies_its_translation() {
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run_steps(4);
    harness.get_by_label("THEN WAIT.").click_secondary();
    harness.run_steps(4);
    harness.get_by_label("Copy translation").click();
    let mut copied = Vec::new();
    for _ in 0..4 {
        harness.step();
        let commands = &harness.output().platform_output.commands;
        copied.extend(commands.iter().cloned());
    }
    let text = egui::OutputCommand::CopyText("THEN WAIT.".to_owned());
    assert!(copied.contains(&text), "{copied:?}");
}

#[test]
fn alt_with_a_letter_and_f10_open_menus() {
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run_steps(4);
    harness.key_press_modifiers(Modifiers::ALT, Key::E);
    harness.run_steps(6);
    assert!(
        harness
            .query_by_label_contains("Find and replace…")
            .is_some()
    );
    // Its first entry has the keyboard; arrows go on from there.
    harness.key_press(Key::Escape);
    harness.run_steps(6);
    assert!(
        harness
            .query_by_label_contains("Find and replace…")
            .is_none()
    );
    harness.key_press(Key::F10);
    harness.run_steps(6);
    assert!(harness.get_by_label_contains("Open…").is_focused());
    harness.key_press(Key::Enter);
    harness.run_steps(6);
    assert!(
        harness
            .state()
            .commands
            .contains(&Command::Window(WindowCommand::Open))
    );
}

#[test]
fn the_edit_menu_acts_on_the_field_that_was_written_in() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(2));
    let mut harness = window.harness();
    harness.run_steps(4);
    let choose = |harness: &mut Harness<'static, Window>, label: &str| {
        harness.get_by_label("Edit").click();
        harness.run_steps(4);
        let entry = harness.query_all_by_label_contains(label).next();
        entry.expect(label).click();
        let (mut copied, mut commands) = (Vec::new(), Vec::new());
        for _ in 0..6 {
            harness.step();
            let output = harness.output();
            for command in &output.platform_output.commands {
                if let egui::OutputCommand::CopyText(text) = command {
                    copied.push(text.clone());
                }
            }
            let outputs = output.viewport_output.values();
            commands.extend(outputs.flat_map(|output| output.commands.clone()));
        }
        let field = harness.get_by_role(Role::MultilineTextInput);
        assert!(field.is_focused(), "{label}");
        (copied, commands)
    };
    let text = |harness: &Harness<'static, Window>| {
        let open = harness.state().state.document.editing.open.as_ref();
        let editor = open.and_then(|open| open.editor.as_ref());
        editor.expect("an editor").text.clone()
    };
    choose(&mut harness, "Select all");
    assert_eq!(
        harness.state().state.document.terms.selected_target,
        "THEN WAIT."
    );
    assert_eq!(choose(&mut harness, "Copy").0, ["THEN WAIT."]);
    assert_eq!(choose(&mut harness, "Cut").0, ["THEN WAIT."]);
    assert_eq!(text(&harness), "");
    let (_, commands) = choose(&mut harness, "Paste");
    assert!(commands.contains(&egui::ViewportCommand::RequestPaste));
    harness
        .get_by_role(Role::MultilineTextInput)
        .type_text("Neu");
    harness.run_steps(4);
    assert_eq!(text(&harness), "Neu");
}

#[test]
fn menus_are_grey_where_there_is_nothing_to_do() {
    let mut harness = Window::default().harness();
    harness.run_steps(4);
    harness.get_by_label("Edit").click();
    harness.run_steps(4);
    for label in [
        "Cut",
        "Paste",
        "Select all",
        "Clear translation",
        "Apply suggested fix",
        "Undo",
    ] {
        let entry = harness.get_by_label_contains(label);
        assert!(entry.accesskit_node().is_disabled(), "{label}");
    }
    assert!(
        harness
            .query_by_label_contains("Try a sample run")
            .is_none()
    );
    harness.key_press(Key::Escape);
    harness
        .state_mut()
        .state
        .apply(WindowCommand::ShowPage(canopy::app::Page::Training));
    harness.run_steps(6);
    assert!(harness.query_all_by_label("Try a sample run").count() > 0);
}
