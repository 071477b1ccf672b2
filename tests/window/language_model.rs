//! A large language model: named in the menu, requested for the selected sentence, its suggestion used.

use std::time::Duration;

use canopy::app::{DocumentEvent, EditCommand, GoCommand, LanguageModel, LanguageModelCommand};
use canopy::llm::{Suggestion, Usage};

use super::*;

pub(super) fn chosen() -> Command {
    let model = LanguageModel {
        address: "http://localhost:11434/v1".to_owned(),
        model: "small".to_owned(),
    };
    Command::from(LanguageModelCommand::Choose(Some(model)))
}

#[test]
fn nothing_is_requested_before_a_model_is_named() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    assert!(harness.query_by_label("Suggest").is_none());
    harness.get_by_label("Resources").click();
    harness.run();
    harness.get_by_label("Language model…").click();
    harness.run_steps(4);
    for (at, text) in ["http://localhost:11434/v1", "small"]
        .into_iter()
        .enumerate()
    {
        let role = egui::accesskit::Role::TextInput;
        let field = harness.get_all_by_role(role).nth(at);
        field.expect("a field").focus();
        harness.run_steps(2);
        let field = harness.get_all_by_role(role).nth(at);
        field.expect("a field").type_text(text);
        harness.run_steps(2);
    }
    harness.get_by_label("Use this model").click();
    harness.run_steps(4);
    assert!(harness.state().commands.contains(&chosen()));
    assert!(
        harness
            .state()
            .state
            .shared
            .settings
            .language_model
            .is_some()
    );
    assert!(
        harness
            .state()
            .state
            .document
            .suggestions
            .requests
            .is_empty()
    );
}

#[test]
fn an_address_that_is_none_is_not_taken() {
    let mut window = Window::with_document(PAGE);
    let wrong = LanguageModel {
        address: "ftp://api.example.org/v1".to_owned(),
        model: "large".to_owned(),
    };
    let command = LanguageModelCommand::Choose(Some(wrong));
    window.state.apply(Command::from(command));
    assert!(window.state.shared.settings.language_model.is_none());
    assert_eq!(window.state.shared.notices.len(), 1);
}

#[test]
fn a_suggestion_stands_below_with_its_cost_and_can_be_used() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(chosen());
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Suggestion of small");
    harness.get_by_label("Suggest").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let request = state
        .document
        .suggestions
        .requests
        .pop()
        .expect("a request");
    assert_eq!(
        (request.source.as_str(), request.target.as_str()),
        ("English", "German")
    );
    assert_eq!(request.question.source, "Click ⟨1⟩File⟨/1⟩ now.");
    assert_eq!(request.question.before[0].target.as_deref(), Some("PRINT"));
    let stored = request
        .question
        .stored
        .replace("Click", "Klicken Sie jetzt auf");
    let suggestion = Suggestion {
        text: stored.replace(" now", ""),
        elapsed: Duration::from_millis(1_500),
        usage: Usage {
            prompt_tokens: 1_200,
            completion_tokens: 9,
        },
        retries: 0,
        is_repaired: true,
    };
    let job = request.job;
    let suggestion = Ok(Box::new(suggestion));
    state.receive(DocumentEvent::Suggested { job, suggestion });
    harness.run();
    harness.get_by_label("1.5 s, 1,200 tokens read, 9 written, markup repaired");
    // The open model says which is better.
    let state = &mut harness.state_mut().state;
    let Some(Request::Rank {
        job,
        sentence,
        candidates,
        known,
        ..
    }) = state.shared.requests.pop()
    else {
        panic!("{:?}", state.shared.requests)
    };
    assert_eq!((sentence, known.len()), (1, 4));
    assert!(candidates[0].starts_with("CLICK") && candidates[1].starts_with("Klicken"));
    let mean_log_probs = Some([-1.5, -0.5]);
    state.receive(DocumentEvent::Ranked {
        job,
        mean_log_probs,
    });
    harness.run();
    harness.get_by_label("better than the translation");
    harness.get_by_label("Use suggestion").click();
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
    assert_eq!(editor.text, "Klicken Sie jetzt auf ⟨1⟩File⟨/1⟩.");
    // Another sentence has no suggestion yet.
    harness.state_mut().state.apply(EditCommand::Discard);
    harness.state_mut().state.apply(GoCommand::Select(2));
    harness.run();
    assert!(harness.query_by_label("Use suggestion").is_none());
}

#[test]
fn a_failure_is_reported_and_an_old_answer_dropped() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(chosen());
    window.state.apply(GoCommand::Select(1));
    let request = || Command::from(LanguageModelCommand::Suggest);
    window.state.apply(request());
    window.state.apply(request());
    let last = window
        .state
        .document
        .suggestions
        .requests
        .pop()
        .expect("a request")
        .job;
    let first = window
        .state
        .document
        .suggestions
        .requests
        .pop()
        .expect("a request")
        .job;
    let failed = || {
        Err(canopy::errors::qa::Error::LlmSilent {
            model: "small".to_owned(),
        }
        .into())
    };
    window.state.receive(DocumentEvent::Suggested {
        job: first,
        suggestion: failed(),
    });
    assert!(window.state.shared.notices.is_empty());
    assert_eq!(window.state.document.suggestions.pending(), Some(1));
    window.state.receive(DocumentEvent::Suggested {
        job: last,
        suggestion: failed(),
    });
    assert_eq!(window.state.shared.notices.len(), 1);
    assert_eq!(window.state.document.suggestions.pending(), None);
}

#[test]
fn the_models_of_a_server_are_listed_and_enter_takes_the_chosen_one() {
    use std::io::{Read, Write};
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/v1", server.local_addr().expect("an address"));
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().expect("somebody asks");
        let mut request = [0; 4096];
        let read = stream.read(&mut request).expect("a request");
        let body = r#"{"data": [{"id": "small"}, {"id": "large"}]}"#;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).expect("sent");
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let mut window = Window::with_document(PAGE);
    let open = Command::from(LanguageModelCommand::Name);
    window.state.apply(open);
    let test = LanguageModelCommand::Test(address.clone());
    window.state.apply(Command::from(test));
    let (sender, events) = std::sync::mpsc::channel();
    let pool = canopy::jobs::Pool::new("test", sender, || ()).expect("a thread");
    let servers = canopy::jobs::ServerLane::new(&pool);
    let request = window.state.document.suggestions.server_requests.pop();
    servers.send(request.expect("a request"));
    window.state.receive(events.recv().expect("an answer"));
    assert!(
        answering
            .join()
            .expect("answered")
            .starts_with("GET /v1/models ")
    );
    let mut harness = window.harness();
    harness.run_steps(4);
    let role = egui::accesskit::Role::TextInput;
    let field = harness.get_all_by_role(role).next().expect("a field");
    field.focus();
    harness.run_steps(2);
    let field = harness.get_all_by_role(role).next().expect("a field");
    field.type_text(&address);
    harness.run_steps(2);
    harness.get_by_label("Models of the server").click();
    harness.run_steps(4);
    harness.get_by_label("large").click();
    harness.run_steps(4);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(4);
    let chosen = harness.state().state.shared.settings.language_model.clone();
    let chosen = chosen.expect("one is chosen");
    assert_eq!(
        (chosen.address, chosen.model),
        (address, "large".to_owned())
    );
}

#[test]
fn a_missing_server_is_reported_in_words() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(chosen());
    window.state.apply(GoCommand::Select(1));
    let request = Command::from(LanguageModelCommand::Suggest);
    window.state.apply(request);
    let request = window
        .state
        .document
        .suggestions
        .requests
        .pop()
        .expect("a request");
    let place = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", place.local_addr().expect("an address"));
    drop(place);
    let wait = Duration::from_secs(5);
    let endpoint = canopy::llm::Endpoint::new(&address, "small", None, wait).expect("an address");
    let error = endpoint.models().expect_err("nobody is there");
    window.state.receive(DocumentEvent::Suggested {
        job: request.job,
        suggestion: Err(error.into()),
    });
    let notice = window.state.shared.notices.last().expect("it is reported");
    assert!(
        notice.detail.contains("is the server running?"),
        "{}",
        notice.detail
    );
    assert!(!notice.detail.contains("os error"), "{}", notice.detail);
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("Settings…").click();
    harness.run_steps(4);
    assert!(harness.state().state.document.suggestions.is_naming);
    assert!(harness.state().state.shared.notices.is_empty());
}
