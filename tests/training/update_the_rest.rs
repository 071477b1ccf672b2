//! Updating the rest at the window: the menu says when it can be done and why not, rows show what it changed.

use std::path::PathBuf;
use std::sync::Arc;

use canopy::app::{
    AppState, Command, DocumentCommand, DocumentEvent, EditCommand, Folders, ModelsCommand,
    ModelsEvent, Scope, Settings, Shipped, WindowCommand,
};
use canopy::gui::{Panels, install_theme, workbench_ui};
use canopy::inference::{ModelInfo, Reads, TraceCost, Translation};
use canopy::jobs::{Event, FileRequest, Request};
use canopy::text::document::{Document, Format};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

const PAGE: &str = "<h1>Print</h1><p>Click <b>File</b> now.</p><p>Then wait.</p>";
const LABEL: &str = "Retranslate drafts using my edits";
const CHANGED: &str = "Changed by the last update of the rest";

struct Window {
    state: AppState,
    panels: Panels,
    commands: Vec<Command>,
}

/// Commands of the frame are carried out after it, as the application does.
fn frame(ui: &mut egui::Ui, window: &mut Window) {
    let mut commands = vec![];
    workbench_ui(ui, &window.state, &mut window.panels, &mut commands);
    for command in &commands {
        window.state.apply(command.clone());
    }
    window.commands.extend(commands);
}

/// The page with drafts of all sentences, and a model.
fn window(reads: Reads) -> Harness<'static, Window> {
    let mut state = AppState::new(Folders::default(), Settings::default(), Shipped::default());
    state.apply(WindowCommand::OpenPath("page.html".into()));
    let Some(FileRequest::OpenDocument { job, path, .. }) = state.shared.file_requests.pop() else {
        panic!()
    };
    let document = Document::parse("page.html", Format::Html, PAGE.to_owned()).expect("a page");
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: Arc::new(document),
        project: None,
        project_error: None,
    });
    state.apply(ModelsCommand::Open("model".into()));
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder, reads),
        device_name: "CPU (2 threads)".to_owned(),
        memory: None,
    });
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state, str::to_uppercase);
    let window = Window {
        state,
        panels: Panels::default(),
        commands: vec![],
    };
    let mut harness = Harness::builder()
        .with_size([1200.0, 800.0])
        .with_step_dt(0.05)
        .with_max_steps(40)
        .with_context_setup(install_theme)
        .build_ui_state(frame, window);
    harness.run();
    harness
}

fn info(folder: PathBuf, reads: Reads) -> ModelInfo {
    ModelInfo {
        name: "tiny".to_owned(),
        folder,
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        num_parameters: 1000,
        reads,
        trace_cost: TraceCost::default(),
    }
}

/// Carries the requested translation out.
fn work(state: &mut AppState, translate: impl Fn(&str) -> String) {
    let Some(Request::Translate {
        job,
        document,
        sentences,
        ..
    }) = state.shared.requests.pop()
    else {
        panic!()
    };
    for index in sentences {
        let translation = Translation {
            text: translate(&document.sentences[index].text),
            log_prob: 0.0,
            num_tokens: 1,
            parts: vec![],
            flags: vec![],
        };
        state.receive(DocumentEvent::SentenceTranslated {
            job,
            index,
            translation,
        });
    }
    state.receive(Event::Finished { job });
}

fn open_menu(harness: &mut Harness<'static, Window>) {
    harness.get_by_label("Translate").click();
    harness.run();
}

fn pressed(harness: &Harness<'static, Window>) -> bool {
    harness
        .state()
        .commands
        .contains(&Command::Document(DocumentCommand::UpdateRest))
}

#[test]
fn the_menu_updates_the_rest_once_a_sentence_is_confirmed() {
    // A model that reads translations, and one of another program that looks up confirmed ones.
    for reads in [Reads::Translations, Reads::Confirmed] {
        updates_the_rest(reads);
    }
}

fn updates_the_rest(reads: Reads) {
    let mut harness = window(reads);
    open_menu(&mut harness);
    harness.get_by_label_contains(LABEL).click();
    harness.run();
    assert!(!pressed(&harness), "nothing is edited yet");
    let state = &mut harness.state_mut().state;
    state.apply(EditCommand::ToggleConfirmed(0));
    harness.run();
    if harness.query_by_label_contains(LABEL).is_none() {
        open_menu(&mut harness);
    }
    harness.get_by_label_contains(LABEL).click();
    harness.run_steps(3);
    assert!(pressed(&harness));
    let request = harness.state().state.shared.requests.last();
    let Some(Request::Translate { fixed, .. }) = request else {
        panic!()
    };
    assert!(fixed.keys().eq([&0]));
}

#[test]
fn the_menu_says_why_nothing_would_change() {
    let mut harness = window(Reads::Source);
    harness
        .state_mut()
        .state
        .apply(EditCommand::ToggleConfirmed(0));
    harness.run();
    open_menu(&mut harness);
    harness.get_by_label_contains(LABEL).hover();
    harness.run_steps(30);
    harness.get_by_label_contains("not their translations");
    harness.get_by_label_contains(LABEL).click();
    harness.run();
    assert!(!pressed(&harness));
}

#[test]
fn changed_drafts_have_a_mark_until_they_are_confirmed() {
    let mut harness = window(Reads::Translations);
    let state = &mut harness.state_mut().state;
    state.apply(EditCommand::ToggleConfirmed(0));
    state.apply(DocumentCommand::UpdateRest);
    work(state, |text| match text {
        "Then wait." => "Warten Sie.".to_owned(),
        same => same.to_uppercase(),
    });
    harness.run();
    assert_eq!(harness.get_all_by_label(CHANGED).count(), 1);
    harness
        .state_mut()
        .state
        .apply(EditCommand::ToggleConfirmed(2));
    harness.run();
    assert!(harness.query_by_label(CHANGED).is_none());
}
