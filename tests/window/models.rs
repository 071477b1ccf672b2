//! The page of models: they are listed, added, made default and removed; languages above the document choose among them.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use canopy::app::error::{BaseError, Error};
use canopy::app::training::TrainingCommand;
use canopy::app::{EditCommand, ModelsCommand, ModelsEvent, Page, WindowCommand};
use canopy::inference::{InstalledModel, starter_model_for};
use canopy::jobs::{ModelLane, ModelRequest, Pool};
use egui::accesskit::Role;
use tempfile::TempDir;

use super::*;
use crate::support::tiny;

const GERMAN: &str = "<p>Sie können ein Textdokument als Broschüre drucken. Zwei Seiten werden auf jede Seite eines \
    Blatts gedruckt, so dass Sie das Blatt wie ein Buch falten können.</p>";

pub(super) fn model(name: &str, sources: &[&str], targets: &[&str]) -> InstalledModel {
    let codes = |codes: &[&str]| codes.iter().map(|&code| code.to_owned()).collect();
    InstalledModel {
        folder: PathBuf::from(name),
        name: name.to_owned(),
        sources: codes(sources),
        targets: codes(targets),
        format: "Marian v1.12".to_owned(),
        num_bytes: 78_000_000,
        num_parameters: Some(62_000_000),
        ..InstalledModel::default()
    }
}

pub(super) fn several() -> Vec<InstalledModel> {
    vec![
        InstalledModel {
            is_shipped: true,
            origin: "Canopy".to_owned(),
            ..model("help-en-de", &["en"], &["de"])
        },
        InstalledModel {
            licence: "CC-BY-4.0".to_owned(),
            licence_text: Some("You are free to share.".to_owned()),
            copied_from: Some("downloads/opus-mt-de-en".into()),
            ..model("opus-mt-de-en", &["de"], &["en"])
        },
        model("opus-mt-en-fr", &["en"], &["fr"]),
        model("opus-mt-gem", &["en"], &["de", "nl", "sv"]),
        InstalledModel {
            problem: Some("decoder.yml: models: model.npz is not there".to_owned()),
            ..model("broken", &["en"], &["it"])
        },
    ]
}

pub(super) fn with_models(mut window: Window, models: Vec<InstalledModel>) -> Window {
    window.state.receive(ModelsEvent::Listed { models });
    window
}

pub(super) fn page(models: Vec<InstalledModel>) -> Window {
    let mut window = with_models(Window::with_document(PAGE), models);
    window.state.apply(WindowCommand::ShowPage(Page::Models));
    window
}

fn opened(window: &mut Window) -> Option<(PathBuf, [Option<String>; 2], Option<PathBuf>)> {
    match window.state.shared.requests.pop() {
        Some(Request::OpenModel {
            folder,
            languages,
            second,
            ..
        }) => Some((folder, languages, second.map(|second| second.folder))),
        _ => None,
    }
}

/// A line of the list.
fn row<'h>(harness: &'h Harness<'_, Window>, name: &'h str) -> egui_kittest::Node<'h> {
    harness.get_by_role_and_label(Role::ListItem, name)
}

fn some(codes: [&str; 2]) -> [Option<String>; 2] {
    codes.map(|code| Some(code.to_owned()))
}

#[test]
fn models_are_listed_with_what_is_known_of_them() {
    let mut harness = page(several()).harness();
    harness.run_steps(5);
    for title in ["Came with Canopy", "Yours"] {
        harness.get_by_label(title);
    }
    row(&harness, "help-en-de");
    row(&harness, "opus-mt-de-en").click();
    harness.run_steps(5);
    for text in [
        "German → English",
        "Marian v1.12",
        "62,000,000",
        "78 MB",
        "CC-BY-4.0",
        "You are free to share.",
        "downloads/opus-mt-de-en",
    ] {
        assert!(harness.query_all_by_label(text).next().is_some(), "{text}");
    }
    // What is broken stays in the list, with its error.
    row(&harness, "broken").click();
    harness.run_steps(5);
    harness.get_by_label("decoder.yml: models: model.npz is not there");
}

#[test]
fn a_model_is_made_the_default_of_a_pair_and_used_for_it() {
    let mut harness = page(several()).harness();
    harness.run_steps(5);
    row(&harness, "opus-mt-gem").click();
    harness.run_steps(5);
    harness
        .get_by_label("Use by default for English → German")
        .click();
    harness.run_steps(5);
    let window = harness.state_mut();
    let defaults = &window.state.shared.settings.default_models;
    assert_eq!(defaults["en-de"], PathBuf::from("opus-mt-gem"));
    let expected = ("opus-mt-gem".into(), some(["en", "de"]), None);
    assert_eq!(opened(window), Some(expected));
    harness.get_by_label("Stop using as default").click();
    harness.run_steps(5);
    assert!(
        harness
            .state()
            .state
            .shared
            .settings
            .default_models
            .is_empty()
    );
}

#[test]
fn a_run_begins_with_an_installed_model() {
    let mut window = page(several());
    window.state.apply(WindowCommand::ShowPage(Page::Training));
    window
        .state
        .apply(Command::Training(TrainingCommand::NewRun));
    let mut harness = window.harness();
    harness.run();
    harness
        .get_by_label("Improve a model (recommended)")
        .click();
    harness.run();
    harness
        .get_by_role_and_label(Role::ComboBox, "Model")
        .click();
    harness.run();
    assert!(
        harness.query_by_label_contains("broken").is_none(),
        "it cannot be opened"
    );
    harness.get_by_label_contains("opus-mt-gem (").click();
    harness.run();
    let form = harness.state().state.training.form.as_ref();
    let form = form.expect("a form");
    assert_eq!(form.config.from, PathBuf::from("opus-mt-gem"));
}

#[test]
fn the_language_of_a_document_chooses_the_model() {
    let mut window = with_models(Window::with_document(GERMAN), several());
    let expected = ("opus-mt-de-en".into(), some(["de", "en"]), None);
    assert_eq!(opened(&mut window), Some(expected));
    // An English one keeps what translates it, but for the default of its pair.
    let mut window = with_models(Window::with_document(PAGE), several());
    assert_eq!(opened(&mut window), None);
    // A model that was named when the program was started stays.
    let mut window = Window::default();
    window.state.open_first_model(Some("model".into()));
    let window = window.model_opened();
    let mut window = with_models(Window::opened_in(window, GERMAN), several());
    assert_eq!(opened(&mut window), None);
}

#[test]
fn a_text_that_the_model_does_not_know_is_marked_above_it() {
    let page = "<p>Click here to print the page.</p>".repeat(10);
    let label = "Unlike the model's training texts";
    let known = with_models(Window::with_document(&page), several());
    let mut harness = known.translated_with(-0.1).harness();
    harness.run();
    assert!(harness.query_by_label_contains(label).is_none());
    let unknown = with_models(Window::with_document(&page), several());
    let mut harness = unknown.translated_with(-1.0).harness();
    harness.run();
    harness.get_by_label_contains(label).click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.shared.page, Page::Models);
}

#[test]
fn two_models_in_a_row_are_offered_where_no_model_knows_both_languages() {
    let mut window = with_models(Window::with_document(GERMAN), several());
    answer(&mut window);
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("detected");
    harness
        .get_by_label("The language of the translation: English")
        .click();
    harness.run_steps(4);
    // Nothing translates from German to French, and English lies between.
    harness.get_by_label_contains("French").click();
    harness.run_steps(4);
    let window = harness.state_mut();
    let expected = (
        "opus-mt-de-en".into(),
        some(["de", "en"]),
        Some("opus-mt-en-fr".into()),
    );
    assert_eq!(opened(window), Some(expected));
    assert_eq!(
        window.state.shared.settings.target_language.as_deref(),
        Some("fr")
    );
}

#[test]
fn a_model_of_several_languages_gets_its_language_in_the_menu() {
    let mut window = with_models(Window::with_document(PAGE), several());
    let multi = Command::Models(ModelsCommand::Open("opus-mt-gem".into()));
    window.state.models.library.all =
        Arc::new(vec![model("opus-mt-gem", &["en"], &["de", "nl", "sv"])]);
    window
        .state
        .apply(Command::Models(ModelsCommand::TranslateTo("nl".to_owned())));
    let expected = ("opus-mt-gem".into(), some(["en", "nl"]), None);
    assert_eq!(opened(&mut window), Some(expected));
    // Opened again by its name it keeps the language that was chosen last.
    let all = vec![InstalledModel {
        folder: std::path::absolute("opus-mt-gem").expect("a path"),
        ..model("opus-mt-gem", &["en"], &["de", "nl", "sv"])
    }];
    window.state.models.library.all = Arc::new(all);
    window.state.apply(multi);
    let (_, [_, target], _) = opened(&mut window).expect("a model");
    assert_eq!(target.as_deref(), Some("nl"));
}

/// Reports that the requested model is open.
fn answer(window: &mut Window) {
    let Some(Request::OpenModel {
        job,
        folder,
        languages: [source, target],
        ..
    }) = window.state.shared.requests.pop()
    else {
        panic!("no model was requested")
    };
    let info = ModelInfo {
        source_language: source.expect("a language"),
        target_language: target.expect("a language"),
        name: folder.display().to_string(),
        ..info(folder)
    };
    window.state.receive(ModelsEvent::Opened {
        job,
        info,
        device_name: "CPU".to_owned(),
        memory: None,
    });
}

#[test]
fn a_language_that_no_model_translates_is_said() {
    let czech = "<p>Textový dokument můžete vytisknout jako brožuru. Na každou stranu listu se vytisknou dvě stránky, \
                 takže list můžete složit jako knihu.</p>";
    let mut harness = with_models(Window::with_document(czech), several()).harness();
    harness.run_steps(5);
    harness
        .get_by_label("No model for Czech → German. Get one…")
        .click();
    harness.run_steps(5);
    let state = &harness.state().state;
    assert_eq!(state.shared.page, Page::Models);
    let getting = &state.models.getting;
    assert!(getting.is_open);
    assert_eq!(
        (getting.from.as_deref(), getting.to.as_deref()),
        (Some("cs"), Some("de"))
    );
}

#[test]
fn a_translation_names_its_model() {
    let mut window = Window::with_document(PAGE).translated();
    let document = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    assert_eq!(document.target(0).model.as_deref(), Some("tiny"));
    let kept = document.project();
    assert!(
        kept.targets
            .iter()
            .all(|it| it.model.as_deref() == Some("tiny"))
    );
    // What a person writes anew is no model's, what they change began as one's.
    window.state.apply(EditCommand::CopySource(1));
    window.state.apply(EditCommand::Start(2));
    window
        .state
        .apply(EditCommand::Write("DANN WARTEN.".to_owned()));
    window.state.apply(EditCommand::Keep);
    let document = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    assert_eq!(document.target(1).model, None);
    assert_eq!(document.target(2).model.as_deref(), Some("tiny"));
}

/// A lane that keeps models below a folder of its own, and a window that shows them.
struct Kept {
    home: TempDir,
    lane: ModelLane,
    events: Receiver<Event>,
}

impl Kept {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let (sender, events) = channel();
        let library = home.path().join("models");
        let shipped = starter_model_for(None, None).expect("in the repository");
        let pool = Pool::new("test", sender, || ()).expect("a thread");
        Self {
            home,
            lane: ModelLane::new(&pool, Some(library), vec![shipped]),
            events,
        }
    }

    fn library(&self) -> PathBuf {
        self.home.path().join("models")
    }

    /// Sends the window's requests, and receives events until `done`.
    fn follow(&self, window: &mut Window, done: impl Fn(&Event) -> bool) {
        for request in window.state.models.installing.requests.drain(..) {
            self.lane.send(request);
        }
        loop {
            let event = self.events.recv_timeout(Duration::from_mins(2));
            let event = event.expect("an event");
            let is_last = done(&event);
            window.state.receive(event);
            if is_last {
                return;
            }
        }
    }
}

#[test]
fn a_folder_that_is_dropped_is_offered_added_and_removed() {
    let kept = Kept::new();
    let original = tiny::model_folder();
    let mut harness = Window::with_document(PAGE).harness();
    kept.follow(harness.state_mut(), |event| {
        matches!(event, Event::Models(ModelsEvent::Listed { .. }))
    });
    let state = &mut harness.state_mut().state;
    state.apply(WindowCommand::ShowPage(Page::Models));
    state.apply(WindowCommand::Drop(vec![original.path().to_owned()]));
    harness.run_steps(3);
    harness.get_by_label_contains("Reading");
    // Another one that is open where it lies is read, too.
    kept.follow(
        harness.state_mut(),
        |event| matches!(event, Event::Models(ModelsEvent::Inspected { path, .. }) if path == original.path()),
    );
    harness.run_steps(5);
    harness.get_by_label("Add the model").click();
    harness.run_steps(3);
    assert!(harness.state().state.models.installing.adding.is_some());
    kept.follow(harness.state_mut(), |event| {
        matches!(event, Event::Models(ModelsEvent::Added { .. }))
    });
    harness.run_steps(3);
    let name = original.path().file_name().expect("a name");
    let copy = kept.library().join(name);
    assert!(copy.join("model.toml").is_file());
    assert_eq!(harness.state().state.models.selected.as_ref(), Some(&copy));

    // The same once more: it is not overwritten.
    let again = ModelsCommand::Add {
        path: original.path().to_owned(),
        languages: None,
    };
    harness.state_mut().state.apply(Command::Models(again));
    kept.follow(harness.state_mut(), |event| {
        matches!(
            event,
            Event::Failed {
                error: Error::Base(BaseError::Exists { .. }),
                ..
            }
        )
    });
    let notice = harness
        .state()
        .state
        .shared
        .notices
        .last()
        .expect("a notice");
    assert!(notice.title.contains("installed already"), "{notice:?}");

    harness.get_by_label("Remove…").click();
    harness.run_steps(3);
    harness.get_by_label("Remove the model").click();
    harness.run_steps(3);
    kept.follow(harness.state_mut(), |event| {
        matches!(event, Event::Models(ModelsEvent::Removed { .. }))
    });
    harness.run_steps(3);
    assert!(!copy.exists() && original.path().join("model.toml").is_file());
    assert!(
        harness.query_by_label("Remove…").is_none(),
        "the starter stays"
    );
}

#[test]
fn what_is_dropped_is_distinguished_from_documents_wherever_it_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("opus")).expect("a folder");
    std::fs::write(path("opus/decoder.yml"), "models: [model.npz]\n").expect("written");
    std::fs::write(path("translate-en_de.argosmodel"), "no zip file").expect("written");
    for (name, from) in [
        ("opus", Page::Document),
        ("opus", Page::Training),
        ("translate-en_de.argosmodel", Page::Explore),
    ] {
        let mut window = Window::with_document(PAGE);
        window.state.apply(WindowCommand::ShowPage(from));
        window.state.apply(WindowCommand::Drop(vec![path(name)]));
        assert_eq!(window.state.shared.page, Page::Models, "{name}");
        let Some(ModelRequest::Inspect { job, path }) =
            window.state.models.installing.requests.pop()
        else {
            panic!("{name} is not looked at")
        };
        // What cannot be read says why.
        let reason = "decoder.yml: models: model.npz is not there".to_owned();
        let model = Err(canopy::errors::models::Error::Foreign {
            reason,
            path: path.clone(),
        }
        .into());
        window
            .state
            .receive(ModelsEvent::Inspected { job, path, model });
        let mut harness = window.harness();
        harness.run_steps(5);
        harness.get_by_label_contains("is not a readable model");
        harness.get_by_label_contains("model.npz is not there");
    }
}

#[test]
fn the_dialogs_of_the_page_add_models() {
    let mut harness = page(Vec::new()).harness();
    harness.run_steps(5);
    let buttons = [("Add a folder…", true), ("Add a file…", false)];
    for (label, is_folder) in buttons {
        let mut found = harness.get_all_by_label(label);
        found.next().expect("a button").click();
        drop(found);
        harness.run_steps(5);
        let state = &mut harness.state_mut().state;
        let ask = state.shared.asks.pop().expect("a question");
        let pick = ask.pick().expect("about a path").1;
        assert_eq!(pick == canopy::app::DialogKind::Folder, is_folder);
        let command = ask.answer(Path::new("there").to_owned(), true);
        let expected = ModelsCommand::Bring("there".into());
        assert_eq!(command, Command::Models(expected));
    }
}
