//! The translation memory: chosen in the menu, its similar sentences below the document.

use canopy::app::{
    DialogKind, DocumentCommand, EditCommand, GoCommand, ModelsCommand, ModelsEvent,
};
use canopy::inference::FormalityOption;
use canopy::memory::TranslationMemory;

use super::*;

/// With a memory, of which `pairs` are distinguished from those of the model.
pub(super) fn with_memory(memory: Option<TranslationMemory>, pairs: usize) -> Window {
    let mut window = Window::with_document(PAGE);
    let state = &mut window.state;
    state.apply(ModelsCommand::UseMemory(Some("mine.tmx".into())));
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    let pairs = Ok(pairs);
    state.receive(ModelsEvent::MemoryOpened { job, pairs });
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU (2 threads)".to_owned(),
        memory: memory.map(Arc::new),
    });
    window
}

#[test]
fn a_memory_is_chosen_in_the_menu_and_shown_below() {
    let mut harness = with_memory(None, 12_345).harness();
    harness.run();
    harness.get_by_label("memory of 12,345 pairs");
    harness.get_by_label("Resources").click();
    harness.run();
    harness.get_by_label("mine.tmx");
    harness.get_by_label("None").click();
    harness.run_steps(3);
    let commands = &harness.state().commands;
    assert!(commands.contains(&Command::Models(ModelsCommand::UseMemory(None))));
}

#[test]
fn a_folder_is_chosen_in_the_menu() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    harness.get_by_label("Resources").click();
    harness.run();
    let label = "Choose a corpus or folder of PO files…";
    harness.get_by_label(label).click();
    harness.run_steps(3);
    let ask = harness
        .state_mut()
        .state
        .shared
        .asks
        .pop()
        .expect("a question");
    assert!(matches!(ask.pick(), Some((_, DialogKind::Folder))));
    let command = ask.answer("corpora/help".into(), true);
    assert_eq!(
        command,
        Command::Models(ModelsCommand::UseMemory(Some("corpora/help".into())))
    );
}

#[test]
fn a_form_of_address_is_chosen_in_the_menu_and_requested() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    harness.get_by_label_contains("Options").click();
    harness.run();
    harness.get_by_label("Form of address: automatic").click();
    harness.run();
    harness.get_by_label("Sie").click();
    harness.run_steps(3);
    let choice = Some(FormalityOption::Sie);
    let commands = &harness.state().commands;
    assert!(commands.contains(&Command::Document(DocumentCommand::SetFormality(choice))));
    let state = &mut harness.state_mut().state;
    state.apply(DocumentCommand::SetFormality(choice));
    state.apply(DocumentCommand::Translate(Scope::Document));
    let chosen = state
        .shared
        .requests
        .iter()
        .rev()
        .find_map(|request| match request {
            Request::Translate { formality, .. } => Some(*formality),
            _ => None,
        });
    assert_eq!(chosen, Some(choice));
}

#[test]
fn similar_sentences_stand_below_and_can_be_used() {
    let pairs = [
        ("Click Edit now.", "Klicken Sie jetzt auf Bearbeiten."),
        ("Then wait.", "Dann warten Sie."),
    ];
    let pairs = pairs.map(|(source, target)| (source.to_owned(), target.to_owned()));
    let mut window = with_memory(Some(TranslationMemory::new(pairs)), 2);
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("75 %");
    // Both words that differ, that of the sentence first.
    harness.get_by_label("Click File Edit now.");
    harness.get_by_label("Use 1").click();
    harness.run_steps(4);
    let document = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let editor = document.editor.as_ref().expect("the editor is open");
    assert_eq!(
        (editor.sentence, editor.text.as_str()),
        (1, "Klicken Sie jetzt auf Bearbeiten.")
    );
    harness.state_mut().state.apply(EditCommand::Discard);
    harness.state_mut().state.apply(GoCommand::Select(3));
    harness.run();
    harness.get_by_label("No match of 50 % or more");
    harness
        .state_mut()
        .state
        .apply(DocumentCommand::ToggleSimilar);
    harness.run();
    assert!(
        harness
            .query_by_label("Translation memory matches")
            .is_none()
    );
}

#[test]
fn a_match_names_its_origin_and_a_key_uses_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.tmx");
    let unit = |date: &str, source: &str, target: &str| {
        format!(
            "<tu creationdate=\"{date}\"><tuv xml:lang=\"en\"><seg>{source}</seg></tuv>\
             <tuv xml:lang=\"de\" changeid=\"Ada\"><seg>{target}</seg></tuv></tu>"
        )
    };
    let units = unit(
        "20240131T120000Z",
        "Click Edit now.",
        "Auf Bearbeiten klicken.",
    ) + &unit(
        "2023",
        "Click Print now then.",
        "Jetzt auf Drucken klicken.",
    );
    let file = format!("<tmx version=\"1.4\"><header/><body>{units}</body></tmx>");
    std::fs::write(&path, file).expect("written");
    let memory = TranslationMemory::read(&path, "en", "de").expect("a memory");
    let mut window = with_memory(Some(memory), 2);
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    let place = harness.get_by_label("75 %").rect().center();
    harness.hover_at(place);
    harness.run_steps(40);
    harness.get_by_label_contains("Memory: mine.tmx\nAuthor: Ada\nDate: 2024-01-31");
    let modifiers = egui::Modifiers::COMMAND | egui::Modifiers::ALT;
    harness.key_press_modifiers(modifiers, egui::Key::Num2);
    harness.run_steps(4);
    let document = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let editor = document.editor.as_ref().expect("the editor is open");
    assert_eq!(editor.text, "Jetzt auf Drucken klicken.");
}

#[test]
fn without_a_match_the_panel_is_one_line() {
    let pairs = [(
        "Click Edit now.".to_owned(),
        "Jetzt auf Bearbeiten.".to_owned(),
    )];
    let mut window = with_memory(Some(TranslationMemory::new(pairs)), 1);
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run_steps(4);
    let top = |harness: &Harness<'static, Window>| {
        let title = harness.get_by_label("Translation memory matches");
        title.rect().top()
    };
    let with_match = top(&harness);
    harness.state_mut().state.apply(GoCommand::Select(3));
    harness.run_steps(4);
    let without = top(&harness);
    assert!(without - with_match > 50.0, "{with_match} {without}");
    // The status bar is right below.
    assert!(800.0 - without < 70.0, "{without}");
}

#[test]
fn memories_are_used_after_another_with_a_penalty() {
    let mut window = with_memory(None, 12);
    window
        .state
        .shared
        .settings
        .remember_memory("old.tmx".as_ref());
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Resources").click();
    harness.run();
    harness.get_by_label("Then old.tmx").click();
    harness.run_steps(3);
    let command = Command::Models(ModelsCommand::UseFurtherMemory("old.tmx".into(), Some(0)));
    let window = harness.state_mut();
    assert!(window.commands.contains(&command));
    let Some(Request::OpenModel {
        job,
        folder,
        memory,
        ..
    }) = window.state.shared.requests.pop()
    else {
        panic!("the model is opened with both")
    };
    assert_eq!(memory.as_ref().map(|it| it.further.len()), Some(1));
    window.state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU (2 threads)".to_owned(),
        memory: None,
    });
    harness.run();
    harness.get_by_label("Resources").click();
    harness.run();
    harness.get_by_label("−0 %");
}
