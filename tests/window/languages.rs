//! The languages of a document: its file declares them, each target has its own work, and a model may be lacking.

use std::path::PathBuf;

use canopy::app::{
    DocumentCommand, DocumentEvent, EditCommand, GoCommand, ModelsCommand, ModelsEvent, Page,
    SaveCommand, Settings, WindowCommand,
};
use canopy::inference::InstalledModel;
use canopy::jobs::{ModelRequest, Project};
use canopy::memory::TranslationMemory;
use egui::accesskit::Role;

use super::models::{page, several, with_models};
use super::*;

const FRENCH: &str = r#"<?xml version="1.0"?>
<xliff version="1.2"><file original="a" source-language="en" target-language="fr" datatype="plaintext"><body>
<trans-unit id="1"><source>Hello world</source><target>Bonjour le monde</target></trans-unit>
<trans-unit id="2"><source>Open the window</source></trans-unit>
</body></file></xliff>"#;

/// A user whose work is kept.
fn user() -> Window {
    let folders = Folders {
        data: Some("data".into()),
        config: None,
    };
    Window {
        state: AppState::new(folders, Settings::default(), Shipped::default()),
        ..Window::default()
    }
}

fn opens(mut window: Window, name: &str, text: &str, project: Option<Project>) -> Window {
    let state = &mut window.state;
    state.apply(WindowCommand::OpenPath(name.into()));
    let mut requests = state.shared.file_requests.drain(..);
    let opened = requests.find_map(|request| match request {
        FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
        _ => None,
    });
    drop(requests);
    let (job, path) = opened.expect("a question for");
    let document = Document::from_bytes(
        name,
        Format::from_path(&path).expect("a format"),
        text.into(),
    );
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: Arc::new(document.expect("a document")),
        project: project.map(Box::new),
        project_error: None,
    });
    window
}

/// Opens the requested model, between the requested languages.
fn answered(window: &mut Window) {
    let opens = |request: &Request| matches!(request, Request::OpenModel { .. });
    let place = window.state.shared.requests.iter().rposition(opens);
    let place = place.expect("a model is requested");
    let Request::OpenModel {
        job,
        folder,
        languages: [source, target],
        ..
    } = window.state.shared.requests.remove(place)
    else {
        unreachable!()
    };
    let info = ModelInfo {
        source_language: source.unwrap_or_else(|| "en".to_owned()),
        target_language: target.unwrap_or_else(|| "de".to_owned()),
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

/// An English page with models to German and French, German first.
fn english() -> Window {
    let mut window = opens(user(), "page.html", PAGE, None);
    window
        .state
        .apply(ModelsCommand::Open("opus-mt-gem".into()));
    answered(&mut window);
    with_models(window, several())
}

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

/// The work that is kept now.
fn kept(window: &mut Window) -> Project {
    window.state.flush();
    let mut requests = window.state.shared.file_requests.drain(..);
    let saved = requests.rfind(|it| matches!(it, FileRequest::SaveProject { .. }));
    match saved {
        Some(FileRequest::SaveProject { project, .. }) => project,
        _ => panic!("nothing is kept"),
    }
}

fn to(target: &str) -> Command {
    Command::Models(ModelsCommand::TranslateTo(target.to_owned()))
}

fn edit(window: &mut Window, sentence: usize, text: &str) {
    window.state.apply(EditCommand::Start(sentence));
    window.state.apply(EditCommand::Write(text.to_owned()));
    window.state.apply(EditCommand::Keep);
}

#[test]
fn another_target_begins_its_own_drafts_and_both_are_kept() {
    let mut window = english().translated();
    window.state.apply(EditCommand::ToggleConfirmed(2));
    edit(&mut window, 0, "Drucken");
    let german = texts(&window);
    let mut harness = window.harness();
    harness.run_steps(4);
    harness
        .get_by_label("The language of the translation: German")
        .click();
    harness.run_steps(4);
    harness.get_by_label_contains("French").click();
    harness.run_steps(4);
    harness.get_by_label("The language of the translation: French");
    let window = harness.state_mut();
    answered(window);
    let open = |window: &Window| texts(window).iter().all(|(text, _)| text.is_empty());
    assert!(open(window), "nothing German stands under French");
    assert!(
        !window
            .state
            .document
            .editing
            .open
            .as_ref()
            .expect("open")
            .history
            .can_undo()
    );
    edit(window, 0, "Imprimer");

    let project = kept(window);
    assert_eq!(project.target_language.as_deref(), Some("fr"));
    let all = project
        .targets
        .iter()
        .chain(&project.other_languages[0].targets);
    let texts_of: Vec<&str> = all.map(|it| it.text.as_str()).collect();
    assert!(texts_of.contains(&"Imprimer") && texts_of.contains(&"Drucken"));

    // Back, with what can be undone.
    window.state.apply(to("de"));
    answered(window);
    assert_eq!(texts(window), german);
    window.state.apply(EditCommand::Undo);
    assert_eq!(texts(window)[0].0, "PRINT");
    window.state.apply(EditCommand::Redo);
    window.state.apply(to("fr"));
    answered(window);
    assert_eq!(texts(window)[0], ("Imprimer".to_owned(), State::Edited));

    // The next session begins where this one ended, and finds both.
    let project = kept(window);
    let mut next = opens(user(), "page.html", PAGE, Some(project));
    next.state.apply(ModelsCommand::Open("opus-mt-gem".into()));
    // It begins with whatever model was used last, which is not chosen by hand.
    next = with_models(next, several());
    assert_eq!(texts(&next)[0].0, "Imprimer");
    next.state.apply(to("de"));
    assert_eq!(texts(&next), german);
}

#[test]
fn what_is_translated_meanwhile_never_stands_under_another_language() {
    let mut window = english();
    window
        .state
        .apply(DocumentCommand::Translate(Scope::Document));
    let Some(Request::Translate { job, .. }) = window.state.shared.requests.pop() else {
        panic!("a translation is requested")
    };
    window.state.apply(to("fr"));
    window.state.receive(DocumentEvent::SentenceTranslated {
        job,
        index: 0,
        translation: Translation::written("Drucken".to_owned()),
    });
    assert_eq!(texts(&window)[0].0, "");
    assert_eq!(
        window
            .state
            .document
            .languages(&window.state.models)
            .expect("a pair")
            .1,
        "fr"
    );
}

#[test]
fn a_model_chosen_for_another_language_takes_the_document_along() {
    let mut window = english().translated();
    window
        .state
        .apply(ModelsCommand::Open("opus-mt-en-fr".into()));
    let all = several().into_iter().map(|model| InstalledModel {
        folder: std::path::absolute(&model.folder).expect("a path"),
        ..model
    });
    window = with_models(window, all.collect());
    for request in &mut window.state.shared.requests {
        if let Request::OpenModel { languages, .. } = request {
            languages[1] = Some("fr".to_owned());
        }
    }
    answered(&mut window);
    assert_eq!(
        window
            .state
            .document
            .languages(&window.state.models)
            .expect("a pair")
            .1,
        "fr"
    );
    assert!(texts(&window).iter().all(|(text, _)| text.is_empty()));
    let open = window
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    assert_eq!(open.others.names().collect::<Vec<_>>(), ["de"]);
}

#[test]
fn a_file_opens_with_the_languages_that_it_declares() {
    let german = || vec![several().remove(0)];
    let mut window = user();
    window.state.apply(ModelsCommand::Open("help-en-de".into()));
    answered(&mut window);
    let mut window = with_models(opens(window, "a.xlf", FRENCH, None), german());
    let pair = Some(("en".to_owned(), "fr".to_owned()));
    assert_eq!(window.state.document.languages(&window.state.models), pair);
    assert_eq!(texts(&window)[0].0, "Bonjour le monde");
    window
        .state
        .apply(DocumentCommand::Translate(Scope::Document));
    let requests_translation = |window: &Window| {
        let mut requests = window.state.shared.requests.iter();
        requests.any(|it| matches!(it, Request::Translate { .. }))
    };
    assert!(!requests_translation(&window), "no German in a French file");
    edit(&mut window, 1, "Ouvrez la fenêtre");

    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("The language of the translation: French");
    harness
        .get_all_by_label_contains("No model for English → French")
        .next()
        .expect("it is said")
        .click();
    harness.run_steps(4);
    let window = harness.state_mut();
    let getting = &window.state.models.getting;
    assert!(window.state.shared.page == Page::Models && getting.is_open);
    assert_eq!(
        (getting.from.as_deref(), getting.to.as_deref()),
        (Some("en"), Some("fr"))
    );
    window.state.apply(WindowCommand::ShowPage(Page::Document));
    window.state.apply(SaveCommand::SaveTo {
        document: "a.xlf".into(),
        path: "b.xlf".into(),
        overwrite: false,
    });
    let requests = window.state.shared.file_requests.iter();
    let language = { requests }.find_map(|request| match request {
        FileRequest::SaveDocument { language, .. } => Some(language.clone()),
        _ => None,
    });
    assert_eq!(language.expect("saved").as_deref(), Some("fr"));

    // A model that is added is taken.
    window.state.apply(Command::Models(ModelsCommand::Add {
        path: "opus-mt-en-fr".into(),
        languages: None,
    }));
    let Some(ModelRequest::Add { job, .. }) = window.state.models.installing.requests.pop() else {
        panic!("it is added")
    };
    let models = several();
    let model = Box::new(models[2].clone());
    window.state.receive(ModelsEvent::Listed { models });
    window.state.receive(ModelsEvent::Added { job, model });
    answered(window);
    assert_eq!(texts(window)[1].0, "Ouvrez la fenêtre", "work stays");
    assert!(
        window
            .state
            .document
            .pair(&window.state.models)
            .without_model()
            .is_none()
    );
}

#[test]
fn a_file_that_is_translated_into_another_language_is_not_mixed() {
    let mut window = user();
    window
        .state
        .apply(ModelsCommand::Open("opus-mt-gem".into()));
    answered(&mut window);
    let mut window = with_models(opens(window, "a.xlf", FRENCH, None), several());
    window.state.apply(to("de"));
    answered(&mut window);
    assert_eq!(texts(&window)[0].0, "", "what the file has is French");
    edit(&mut window, 1, "Öffnen Sie das Fenster");
    let save = |window: &mut Window| {
        window.state.apply(SaveCommand::SaveTo {
            document: "a.xlf".into(),
            path: "b.xlf".into(),
            overwrite: true,
        });
        let requests = window.state.shared.file_requests.drain(..);
        { requests }
            .filter(|it| matches!(it, FileRequest::SaveDocument { .. }))
            .count()
    };
    assert_eq!(save(&mut window), 0);
    edit(&mut window, 0, "Hallo Welt");
    assert_eq!(save(&mut window), 1);
    window.state.apply(to("fr"));
    assert_eq!(texts(&window)[0].0, "Bonjour le monde");
}

#[test]
fn a_memory_serves_a_document_without_a_model_and_each_pair_has_its_own() {
    let mut window = user();
    window.state.apply(ModelsCommand::Open("help-en-de".into()));
    answered(&mut window);
    window
        .state
        .apply(ModelsCommand::UseMemory(Some("german.tmx".into())));
    answered(&mut window);
    let german = || vec![several().remove(0)];
    let mut window = with_models(opens(window, "a.xlf", FRENCH, None), german());
    window
        .state
        .apply(ModelsCommand::UseMemory(Some("french.tmx".into())));
    let Some(ModelRequest::ReadMemory { job, languages, .. }) =
        window.state.models.installing.requests.pop()
    else {
        panic!("the memory is read")
    };
    assert_eq!(languages, ["en", "fr"]);
    let pairs = [("Open the window".to_owned(), "Ouvrez la fenêtre".to_owned())];
    let memory = Ok(Arc::new(TranslationMemory::new(pairs)));
    window
        .state
        .receive(ModelsEvent::MemoryRead { job, memory });
    window.state.apply(GoCommand::Select(1));
    assert_eq!(
        window
            .state
            .document
            .pair(&window.state.models)
            .memory()
            .expect("a memory")
            .len(),
        1
    );
    let mut harness = window.harness();
    harness.run_steps(4);
    harness
        .get_all_by_label_contains("Ouvrez la fenêtre")
        .next()
        .expect("it is offered");
    // A document in German has the other one again.
    let window = harness.state_mut();
    window.state.apply(to("de"));
    assert_eq!(
        window.state.shared.settings.memory,
        Some("german.tmx".into())
    );
    assert_eq!(
        window.state.shared.settings.memories["en-fr"],
        PathBuf::from("french.tmx")
    );
}

/// Writes the beginning of a language into the field of a menu that is open, and clicks it.
fn look_for(harness: &mut Harness<'static, Window>, language: &str) {
    let field = |harness: &Harness<'static, Window>, text: Option<&str>| {
        let field = harness.get_by_label("Language to look for");
        text.map_or_else(|| field.focus(), |text| field.type_text(text));
    };
    field(harness, None);
    harness.run_steps(3);
    field(harness, Some(&language[..5]));
    harness.run_steps(5);
    harness.get_by_label(language).click();
    harness.run_steps(5);
}

#[test]
fn the_languages_of_a_model_are_said_on_its_page() {
    let unknown = InstalledModel {
        sources: Vec::new(),
        targets: Vec::new(),
        ..several().remove(2)
    };
    let folder = unknown.folder.clone();
    let mut window = page(vec![unknown]);
    let select = ModelsCommand::Select(folder);
    window.state.apply(Command::Models(select));
    let mut harness = window.harness();
    harness.run_steps(5);
    harness.get_by_label("The languages of this model are not stated. Choose them here.");
    for (menu, language) in [
        ("Source language of the model", "English"),
        ("Target language of the model", "Portuguese"),
    ] {
        harness.get_by_role_and_label(Role::ComboBox, menu).click();
        harness.run_steps(5);
        look_for(&mut harness, language);
    }
    harness.get_by_label("Set languages").click();
    harness.run_steps(3);
    let Some(ModelRequest::State { languages, .. }) =
        harness.state_mut().state.models.installing.requests.pop()
    else {
        panic!("they are kept")
    };
    assert_eq!(languages, ["en", "pt"]);
    assert_eq!(harness.state().state.shared.page, Page::Models);
}

#[test]
fn a_model_without_languages_is_added_with_those_that_are_chosen() {
    let mut window = page(several());
    window
        .state
        .apply(Command::Models(ModelsCommand::Bring("firefox".into())));
    let Some(ModelRequest::Inspect { job, path }) = window.state.models.installing.requests.pop()
    else {
        panic!("it is looked at")
    };
    let model = InstalledModel {
        sources: vec!["en".to_owned()],
        targets: Vec::new(),
        ..several().remove(2)
    };
    let model = Ok(Box::new(model));
    window
        .state
        .receive(ModelsEvent::Inspected { job, path, model });
    let mut harness = window.harness();
    harness.run_steps(5);
    // What is known is chosen already.
    harness
        .get_by_role_and_label(Role::ComboBox, "Target language of the model")
        .click();
    harness.run_steps(5);
    look_for(&mut harness, "Portuguese");
    harness.get_by_label("Add the model").click();
    harness.run_steps(3);
    let Some(ModelRequest::Add { languages, .. }) =
        harness.state_mut().state.models.installing.requests.pop()
    else {
        panic!("it is added")
    };
    assert_eq!(languages, Some(["en".to_owned(), "pt".to_owned()]));
}
