//! Other translations of the selected sentence: searched when a person asks, listed with how likely they are, used by a click
//! or a key.

use std::sync::mpsc::channel;
use std::time::Duration;

use canopy::app::{
    AlternativesCommand, AlternativesState, DocumentCommand, DocumentEvent, EditCommand, GoCommand,
    ModelsCommand,
};
use canopy::error::Error;
use canopy::jobs::{JobControl, JobId, Worker};
use canopy::text::placeholder::stripped;
use canopy::training::DeviceLock;
use egui::{Key, Modifiers};

use super::support::tiny;
use super::*;

const FIND: Command = Command::Document(DocumentCommand::Alternatives(AlternativesCommand::Find));

/// The search that is requested of the worker.
fn requested(state: &mut AppState) -> (JobId, Vec<usize>, JobControl) {
    match state.shared.requests.pop() {
        Some(Request::Translate {
            job,
            sentences,
            fixed,
            options,
            control,
            ..
        }) => {
            assert!(options.alternatives >= 2 && fixed.is_empty());
            (job, sentences, control)
        }
        other => panic!("a search, not {other:?}"),
    }
}

/// A translation of the second sentence of the page, with its markup.
fn translation(document: &Document, text: &str, log_prob: f32) -> Translation {
    let file = document.sentences[1].text.replace("Click ", "");
    let file = file.replace(" now.", "");
    Translation {
        log_prob,
        num_tokens: 10,
        ..Translation::written(text.replace("FILE", &file.to_uppercase()))
    }
}

/// Answers a search with the translation as it is and two others.
fn answer(state: &mut AppState, job: JobId) {
    let open = state.document.editing.open.as_ref().expect("a document");
    let document = Arc::clone(&open.document);
    let one = |text, log_prob| translation(&document, text, log_prob);
    let translations = vec![
        one("PRESS FILE NOW.", -2.0),
        one("FILE IS TO BE CLICKED.", -9.0),
    ];
    state.receive(DocumentEvent::OthersFound { job, translations });
    state.receive(DocumentEvent::SentenceTranslated {
        job,
        index: 1,
        translation: one("CLICK FILE NOW.", -1.0),
    });
    state.receive(Event::Finished { job });
}

fn target(harness: &Harness<'static, Window>) -> (String, State) {
    let open = harness.state().state.document.editing.open.as_ref();
    let target = open.expect("a document").target(1);
    (stripped(&target.text), target.state)
}

/// A window in which the second sentence is selected and its alternatives are listed.
pub(super) fn listed() -> Window {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(GoCommand::Select(1));
    window.state.apply(FIND);
    let (job, ..) = requested(&mut window.state);
    answer(&mut window.state, job);
    window
}

#[test]
fn alternatives_are_searched_by_a_key_listed_by_likelihood_and_used() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    assert!(
        harness
            .query_by_label("Alternatives of the sentence")
            .is_none()
    );
    assert!(harness.state().state.shared.requests.is_empty());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::L);
    harness.run_steps(4);
    harness.get_by_label("Alternatives of the sentence");
    harness.get_by_label_contains("Searching");
    let state = &mut harness.state_mut().state;
    let (job, sentences, _) = requested(state);
    assert_eq!(sentences, [1]);
    answer(state, job);
    harness.run_steps(4);
    harness.get_by_label("by tiny");
    harness.get_by_label("94 %");
    harness.get_by_label("88 %");
    harness.get_by_label("current");
    assert!(harness.query_by_label("Use 1").is_none(), "it is there");
    harness.get_by_label("Use 2").click();
    harness.run_steps(4);
    assert_eq!(
        target(&harness),
        ("PRESS FILE NOW.".to_owned(), State::Edited)
    );
    let open = harness.state().state.document.editing.open.as_ref();
    let open = open.expect("a document");
    let [source, target_text] = [&open.document.sentences[1].text, &open.target(1).text]
        .map(|text| text.matches(|it: char| !it.is_ascii()).collect::<String>());
    assert_eq!(source, target_text, "its markup");
    // The list stays, and so does the way back.
    harness.get_by_label("Use 1");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(4);
    assert_eq!(
        target(&harness),
        ("CLICK FILE NOW.".to_owned(), State::Draft)
    );
    harness.key_press_modifiers(Modifiers::ALT, Key::Num3);
    harness.run_steps(4);
    assert_eq!(target(&harness).0, "FILE IS TO BE CLICKED.");
    harness.key_press(Key::Escape);
    harness.run_steps(4);
    assert!(
        harness
            .query_by_label("Alternatives of the sentence")
            .is_none()
    );
    harness.key_press_modifiers(Modifiers::ALT, Key::Num2);
    harness.run_steps(4);
    assert_eq!(target(&harness).0, "FILE IS TO BE CLICKED.", "no list");
}

#[test]
fn a_list_goes_with_its_sentence_and_when_the_text_is_edited() {
    let is_empty = |state: &AppState| {
        let alternatives = &state.document.alternatives;
        alternatives.is_open && matches!(alternatives.state, AlternativesState::None)
    };
    let mut state = listed().state;
    state.apply(GoCommand::Select(2));
    assert!(is_empty(&state));
    assert!(state.shared.requests.is_empty(), "nobody has asked");

    let mut state = listed().state;
    state.apply(EditCommand::Start(1));
    assert!(!is_empty(&state), "nothing is written yet");
    state.apply(EditCommand::Write("Jetzt".to_owned()));
    assert!(is_empty(&state));

    let mut state = listed().state;
    state.apply(EditCommand::Clear(1));
    assert!(is_empty(&state));
    state.apply(DocumentCommand::Close);
    assert!(!state.document.alternatives.is_open);
}

#[test]
fn a_search_is_broken_off_with_its_sentence_and_by_a_translation() {
    for command in [
        Command::from(GoCommand::Select(2)),
        Command::from(AlternativesCommand::Stop),
        Command::from(AlternativesCommand::Close),
        Command::Document(DocumentCommand::Translate(Scope::Document)),
    ] {
        let mut window = Window::with_document(PAGE).translated();
        window.state.apply(EditCommand::Clear(0));
        window.state.apply(GoCommand::Select(1));
        window.state.apply(FIND);
        let (job, _, control) = requested(&mut window.state);
        window.state.apply(command.clone());
        assert!(control.is_cancelled(), "{command:?}");
        answer(&mut window.state, job);
        assert!(window.state.document.alternatives.list().is_empty());
        let open = window.state.document.editing.open.as_ref();
        assert_eq!(open.expect("a document").target(1).state, State::Draft);
    }
}

#[test]
fn the_panel_says_why_there_are_none() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(GoCommand::Select(1));
    window.state.apply(FIND);
    let (job, ..) = requested(&mut window.state);
    let error = Error::NoModel.into();
    window.state.receive(Event::Failed { job, error });
    assert!(window.state.shared.notices.is_empty(), "it is in the panel");
    let AlternativesState::Failed(reason) = &window.state.document.alternatives.state else {
        panic!("it has failed");
    };
    let reason = reason[1..].to_owned();
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label_contains(&reason);
    harness.get_by_label("Find alternatives").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let (job, ..) = requested(state);
    let open = state.document.editing.open.as_ref().expect("a document");
    let translation = Translation::written(open.target(1).text.clone());
    state.receive(DocumentEvent::SentenceTranslated {
        job,
        index: 1,
        translation,
    });
    state.receive(Event::Finished { job });
    harness.run();
    harness.get_by_label("There is nothing to translate in this sentence");
    // While a document is translated the worker has no time.
    let state = &mut harness.state_mut().state;
    state.apply(EditCommand::Clear(0));
    state.apply(GoCommand::Select(2));
    state.apply(DocumentCommand::Translate(Scope::Document));
    let requests = state.shared.requests.len();
    state.apply(FIND);
    assert_eq!(state.shared.requests.len(), requests);
    harness.run_steps(4);
    harness.get_by_label("A translation is running");
}

/// Searches with a model that computes.
fn searched(model: PathBuf, languages: [&str; 2]) -> Window {
    let html = "<p>Open the <b>file</b>.</p><p>Close the window.</p>";
    let mut window = Window::with_document(html);
    let state = &mut window.state;
    let (sender, events) = channel();
    let worker = Worker::spawn(DeviceLock::default(), sender, || ()).expect("a thread");
    let next = || {
        let event = events.recv_timeout(Duration::from_mins(2));
        event.expect("an event")
    };
    state.apply(ModelsCommand::Open(model));
    let mut request = state.shared.requests.pop().expect("a request");
    if let Request::OpenModel {
        languages: wanted, ..
    } = &mut request
    {
        *wanted = languages.map(|code| Some(code.to_owned()));
    }
    worker.send(request);
    state.receive(next());
    state.apply(GoCommand::Select(0));
    state.apply(FIND);
    worker.send(state.shared.requests.pop().expect("a search"));
    while let AlternativesState::Running(_) = state.document.alternatives.state {
        state.receive(next());
    }
    window
}

#[test]
fn a_model_finds_others_with_all_of_their_markup() {
    let folder = tiny::model_folder();
    let window = searched(folder.path().to_owned(), ["en", "de"]);
    let list = window.state.document.alternatives.list();
    assert!(list.len() > 2, "{list:?}");
    let open = window.state.document.editing.open.as_ref();
    let source = &open.expect("a document").document.sentences[0].text;
    let marks = |text: &str| text.replace(|it: char| it.is_ascii(), "").len();
    for one in list {
        assert!(one.confidence().is_some(), "{one:?}");
        assert!(
            one.text != *source && marks(&one.text) >= marks(source),
            "{one:?}"
        );
    }
    let mut state = window.state;
    state.apply(AlternativesCommand::Use(1));
    let open = state.document.editing.open.as_ref().expect("a document");
    assert_eq!(open.target(0).state, State::Edited);
    assert_eq!(
        open.target(0).text,
        state.document.alternatives.list()[1].text
    );
}

#[test]
fn a_language_model_draws_others_and_counts_its_tokens() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/tiny.gguf");
    let window = searched(path, ["en", "pt"]);
    let state = &window.state.document.alternatives.state;
    assert!(matches!(state, AlternativesState::Found(_)), "{state:?}");
}
