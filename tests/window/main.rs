//! The window as a user sees it, drawn without a display: find by label, click, look at the requests.

mod accessibility;
mod aligning;
mod alternatives;
mod checks;
mod day;
mod evaluate;
mod explore;
mod fonts;
mod getting;
mod language_model;
mod languages;
mod left_out;
#[cfg(target_os = "linux")]
mod long_day;
mod machines;
mod material;
mod memory;
mod merging;
mod models;
mod moved;
mod painting;
mod project;
mod reading;
mod sample;
mod segment_history;
mod segments;
#[path = "../support/mod.rs"]
mod support;
mod terms;
mod training;
mod views;

use support::small;

use std::path::PathBuf;
use std::sync::Arc;

use canopy::app::{
    AppState, Command, DocumentCommand, DocumentEvent, EditCommand, Folders, GoCommand,
    ModelsCommand, ModelsEvent, Scope, Settings, Shipped, WindowCommand,
};
use canopy::gui::{CloseState, Panels, close_dialog_ui, install_theme, workbench_ui};
use canopy::inference::{Flag, ModelInfo, Reads, TraceCost, Translation};
use canopy::jobs::{Event, FileRequest, Request, State};
use canopy::text::document::{Document, Format};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

const PAGE: &str = "<h1>Print</h1><p>Click <b>File</b> now.</p><p>Then wait.</p><h2>Preview</h2><p>Look at it.</p>";

#[derive(Default)]
struct Window {
    state: AppState,
    panels: Panels,
    commands: Vec<Command>,
    atlas: painting::Atlas,
    closing: Option<CloseState>,
}

impl Window {
    /// Commands of the frame are carried out after it, as the application does.
    fn frame(ui: &mut egui::Ui, window: &mut Self) {
        let mut commands = vec![];
        workbench_ui(ui, &window.state, &mut window.panels, &mut commands);
        close_dialog_ui(ui.ctx(), &window.state, &mut window.closing, &mut commands);
        for command in &commands {
            window.state.apply(command.clone());
        }
        window.commands.extend(commands);
    }

    fn harness(self) -> Harness<'static, Self> {
        Harness::builder()
            .with_size([1200.0, 800.0])
            .with_step_dt(0.05)
            .with_max_steps(40)
            .with_context_setup(install_theme)
            .renderer(self.atlas.clone())
            .build_ui_state(Self::frame, self)
    }

    fn with_document(html: &str) -> Self {
        let window = Self {
            state: AppState::new(Folders::default(), Settings::default(), Shipped::default()),
            ..Self::default()
        };
        let mut window = Self::opened_in(window, html);
        let state = &mut window.state;
        state.apply(ModelsCommand::Open("model".into()));
        window.model_opened()
    }

    /// Opens a page.
    fn opened_in(mut self, html: &str) -> Self {
        let window = &mut self;
        let state = &mut window.state;
        state.apply(WindowCommand::OpenPath("page.html".into()));
        let Some(FileRequest::OpenDocument { job, path, .. }) = state.shared.file_requests.pop()
        else {
            panic!()
        };
        let document =
            Arc::new(Document::parse("page.html", Format::Html, html.to_owned()).expect("a page"));
        state.receive(DocumentEvent::Opened {
            job,
            path,
            document,
            project: None,
            project_error: None,
        });
        self
    }

    /// Reports that the requested model is open.
    fn model_opened(mut self) -> Self {
        let state = &mut self.state;
        let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
            panic!()
        };
        state.receive(ModelsEvent::Opened {
            job,
            info: info(folder),
            device_name: "CPU (2 threads)".to_owned(),
            memory: None,
        });
        self
    }

    /// Translates everything into upper case; the first sentence gets a flag.
    fn translated(self) -> Self {
        self.translated_with(0.0)
    }

    /// The same; the log-probability of each translation's only token says how sure the model is.
    fn translated_with(mut self, log_prob: f32) -> Self {
        self.state
            .apply(DocumentCommand::Translate(Scope::Document));
        let Some(Request::Translate {
            job,
            document,
            sentences,
            ..
        }) = self.state.shared.requests.pop()
        else {
            panic!()
        };
        for index in sentences {
            let text = document.sentences[index].text.to_uppercase();
            let flags = if index == 0 {
                vec![Flag::Repetition]
            } else {
                vec![]
            };
            let translation = Translation {
                text,
                log_prob,
                num_tokens: 1,
                flags,
                parts: vec![],
            };
            self.state.receive(DocumentEvent::SentenceTranslated {
                job,
                index,
                translation,
            });
        }
        self.state.receive(Event::Finished { job });
        self
    }
}

fn info(folder: PathBuf) -> ModelInfo {
    ModelInfo {
        name: "tiny".to_owned(),
        folder,
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        num_parameters: 1000,
        reads: Reads::Nothing,
        trace_cost: TraceCost::default(),
    }
}

#[test]
fn an_empty_window_offers_to_open_a_document() {
    let mut harness = Window::default().harness();
    harness.run();
    harness.get_by_label("Open a document…").click();
    harness.run();
    assert_eq!(
        harness.state().commands,
        [Command::Window(WindowCommand::Open)]
    );
}

#[test]
fn the_translate_button_translates_the_document() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    harness.get_by_label("Translate document").click();
    harness.run_steps(3);
    assert!(
        harness
            .state()
            .commands
            .contains(&Command::Document(DocumentCommand::Translate(
                Scope::Document
            )))
    );
    assert!(matches!(
        harness.state().state.shared.requests.last(),
        Some(Request::Translate { .. })
    ));
    harness.get_by_label("Cancel").click();
    harness.run_steps(3);
    assert!(
        harness
            .state()
            .commands
            .contains(&Command::Document(DocumentCommand::Cancel))
    );
}

#[test]
fn a_click_selects_a_sentence_and_a_double_click_edits_it() {
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run();
    harness.get_by_label("THEN WAIT.").click();
    harness.run();
    assert_eq!(
        harness
            .state()
            .state
            .document
            .editing
            .open
            .as_ref()
            .expect("a document")
            .selected,
        Some(2)
    );
    // Long enough for the next click to be a first one.
    harness.run_steps(20);
    for _ in 0..2 {
        harness.get_by_label("THEN WAIT.").click();
        harness.step();
    }
    harness.run_steps(4);
    let document = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    assert_eq!(
        document.editor.as_ref().map(|editor| editor.sentence),
        Some(2)
    );
}

#[test]
fn typing_in_the_editor_changes_the_target() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(2));
    let mut harness = window.harness();
    harness.run_steps(4);
    harness
        .get_by_role(egui::accesskit::Role::MultilineTextInput)
        .type_text(" Now");
    harness.run_steps(4);
    harness.state_mut().state.apply(EditCommand::Keep);
    harness.run_steps(2);
    let target = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document")
        .target(2);
    assert_eq!(
        (target.text.as_str(), target.state),
        ("THEN WAIT. Now", State::Edited)
    );
}

#[test]
fn words_are_looked_for_and_replaced_by_keys() {
    use egui::accesskit::Role;
    use egui::{Key, Modifiers};
    let document = |harness: &Harness<'static, Window>| {
        let document = harness.state().state.document.editing.open.as_ref();
        let document = document.expect("a document");
        let matches = document.find.matches.len();
        (document.find.is_open, document.selected, matches)
    };
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::F);
    harness.run_steps(3);
    let field = |harness: &Harness<'static, Window>, at: usize, text: &str| {
        let field = harness.get_all_by_role(Role::TextInput).nth(at);
        field.expect("a field").type_text(text);
    };
    field(&harness, 0, "w");
    harness.run_steps(3);
    assert_eq!(document(&harness), (true, Some(1), 6));
    harness.get_by_label("1 of 6");
    for (modifiers, label, sentence) in [
        (Modifiers::NONE, "2 of 6", 1),
        (Modifiers::NONE, "3 of 6", 2),
        (Modifiers::SHIFT, "2 of 6", 1),
    ] {
        harness.key_press_modifiers(modifiers, Key::Enter);
        harness.run_steps(3);
        harness.get_by_label(label);
        assert_eq!(document(&harness).1, Some(sentence));
    }
    // Undo of the field, not of the sentence.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Delete);
    harness.run_steps(3);
    assert_eq!(document(&harness).2, 6);
    harness.get_by_label("Replace all").click();
    harness.run_steps(3);
    let target = |sentence: usize, harness: &Harness<'static, Window>| {
        let document = harness.state().state.document.editing.open.as_ref();
        document.expect("a document").target(sentence).text.clone()
    };
    assert_eq!(target(2, &harness), "THEN AIT.");
    assert_eq!(document(&harness).2, 3);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(!document(&harness).0);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(3);
    assert_eq!(target(2, &harness), "THEN WAIT.");
}

#[test]
fn undo_in_the_editor_stays_in_its_sentence() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(EditCommand::Start(1));
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.state_mut().state.apply(EditCommand::Keep);
    harness.state_mut().state.apply(EditCommand::Start(2));
    harness.run_steps(4);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    harness.run_steps(4);
    let document = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let editor = document.editor.as_ref().expect("an editor");
    assert_eq!((editor.sentence, editor.text.as_str()), (2, "THEN WAIT."));
}

#[test]
fn a_click_on_the_state_confirms_the_sentence() {
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run();
    let drafts = harness.get_all_by_label("Draft").collect::<Vec<_>>();
    drafts[0].click();
    harness.run();
    assert_eq!(
        harness
            .state()
            .state
            .document
            .editing
            .open
            .as_ref()
            .expect("it is there")
            .progress
            .counts()
            .confirmed,
        1
    );
}

#[test]
fn flags_are_explained() {
    let mut harness = Window::with_document(PAGE).translated().harness();
    harness.run();
    harness.get_by_label("Repeats the same words");
}

#[test]
fn the_outline_goes_to_its_section() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    let section = harness.get_by_role_and_label(egui::accesskit::Role::TreeItem, "Preview");
    section.click();
    harness.run();
    assert_eq!(
        harness
            .state()
            .state
            .document
            .editing
            .open
            .as_ref()
            .expect("a document")
            .selected,
        Some(3)
    );
}

#[test]
fn the_list_of_shortcuts_opens_and_closes() {
    let mut window = Window::with_document(PAGE);
    window.state.apply(WindowCommand::ShowShortcuts(true));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Confirm and go to next");
    harness.get_by_label("Close").click();
    harness.run();
    assert!(!harness.state().state.shows_shortcuts);
}

#[test]
fn only_visible_sentences_of_a_long_document_are_drawn() {
    let page = (0..16_000).fold(String::new(), |page, number| {
        format!("{page}<p>Sentence {number} of a long page.</p>")
    });
    let mut harness = Window::with_document(&page).harness();
    harness.run();
    assert!(
        harness
            .query_by_label("Sentence 0 of a long page.")
            .is_some()
    );
    assert!(
        harness
            .query_by_label("Sentence 15999 of a long page.")
            .is_none()
    );
    harness.state_mut().state.apply(GoCommand::Select(15_999));
    harness.state_mut().state.apply(GoCommand::ScrollTo(15_999));
    harness.run();
    assert!(
        harness
            .query_by_label("Sentence 15999 of a long page.")
            .is_some()
    );
    assert!(
        harness
            .query_by_label("Sentence 0 of a long page.")
            .is_none()
    );
}

#[test]
fn what_is_read_stays_in_place_while_sentences_above_are_translated() {
    let page = (0..400).fold(String::new(), |page, number| {
        format!("{page}<p>Sentence {number} of a page.</p>")
    });
    let mut harness = Window::with_document(&page).harness();
    harness.run();
    harness.state_mut().state.apply(GoCommand::ScrollTo(200));
    harness.run();
    let label = "Sentence 203 of a page.";
    let before = harness.get_by_label(label).rect();
    let state = &mut harness.state_mut().state;
    state.apply(DocumentCommand::Translate(Scope::Document));
    let Some(Request::Translate { job, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    for index in 0..100 {
        let text = "A very long translation. ".repeat(20);
        let translation = Translation {
            text,
            log_prob: 0.0,
            num_tokens: 1,
            flags: vec![],
            parts: vec![],
        };
        state.receive(DocumentEvent::SentenceTranslated {
            job,
            index,
            translation,
        });
    }
    harness.run();
    let after = harness.get_by_label(label).rect();
    assert!(
        (before.top() - after.top()).abs() < 1.0,
        "{before:?} became {after:?}"
    );
}
