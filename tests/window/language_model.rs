//! A large language model: named in the menu, asked for the selected sentence, its suggestion used.

use std::time::Duration;

use canopy::app::{LanguageModel, LanguageModelCommand};
use canopy::llm::{Suggestion, Usage};

use super::*;

pub(super) fn chosen() -> Command {
    let model = LanguageModel {
        address: "http://localhost:11434/v1".to_owned(),
        model: "small".to_owned(),
    };
    Command::LanguageModel(LanguageModelCommand::Choose(Some(model)))
}

#[test]
fn nothing_is_asked_before_a_model_is_named() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(Command::Select(1));
    let mut harness = window.harness();
    harness.run();
    assert!(harness.query_by_label("Ask").is_none());
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
    assert!(harness.state().state.settings.language_model.is_some());
    assert!(harness.state().state.suggestions.requests.is_empty());
}

#[test]
fn an_address_that_is_none_is_not_taken() {
    let mut window = Window::with_document(PAGE);
    let wrong = LanguageModel {
        address: "https://api.example.org/v1".to_owned(),
        model: "large".to_owned(),
    };
    let command = LanguageModelCommand::Choose(Some(wrong));
    window.state.apply(Command::LanguageModel(command));
    assert!(window.state.settings.language_model.is_none());
    assert_eq!(window.state.notices.len(), 1);
}

#[test]
fn a_suggestion_stands_below_with_its_cost_and_can_be_used() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(chosen());
    window.state.apply(Command::Select(1));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Suggestion of small");
    harness.get_by_label("Ask").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let request = state.suggestions.requests.pop().expect("a request");
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
    state.receive(Event::Suggested { job, suggestion });
    harness.run();
    harness.get_by_label("1.5 s, 1,200 tokens read, 9 written, markup put right");
    // The open model says which is better.
    let state = &mut harness.state_mut().state;
    let Some(Request::Rank {
        job,
        sentence,
        candidates,
        known,
        ..
    }) = state.requests.pop()
    else {
        panic!("{:?}", state.requests)
    };
    assert_eq!((sentence, known.len()), (1, 4));
    assert!(candidates[0].starts_with("CLICK") && candidates[1].starts_with("Klicken"));
    let mean_log_probs = Some([-1.5, -0.5]);
    state.receive(Event::Ranked {
        job,
        mean_log_probs,
    });
    harness.run();
    harness.get_by_label("better than the translation");
    harness.get_by_label("Use suggestion").click();
    harness.run_steps(4);
    let document = harness.state().state.document.as_ref().expect("a document");
    let editor = document.editor.as_ref().expect("the editor is open");
    assert_eq!(editor.text, "Klicken Sie jetzt auf ⟨1⟩File⟨/1⟩.");
    // Another sentence has no suggestion yet.
    harness.state_mut().state.apply(Command::DiscardEdit);
    harness.state_mut().state.apply(Command::Select(2));
    harness.run();
    assert!(harness.query_by_label("Use suggestion").is_none());
}

#[test]
fn a_failure_is_told_and_an_old_answer_dropped() {
    let mut window = Window::with_document(PAGE).translated();
    window.state.apply(chosen());
    window.state.apply(Command::Select(1));
    let ask = || Command::LanguageModel(LanguageModelCommand::Ask);
    window.state.apply(ask());
    window.state.apply(ask());
    let last = window
        .state
        .suggestions
        .requests
        .pop()
        .expect("a request")
        .job;
    let first = window
        .state
        .suggestions
        .requests
        .pop()
        .expect("a request")
        .job;
    let failed = || {
        Err(canopy::error::Error::LlmSilent {
            model: "small".to_owned(),
        }
        .into())
    };
    window.state.receive(Event::Suggested {
        job: first,
        suggestion: failed(),
    });
    assert!(window.state.notices.is_empty());
    assert_eq!(window.state.suggestions.asked(), Some(1));
    window.state.receive(Event::Suggested {
        job: last,
        suggestion: failed(),
    });
    assert_eq!(window.state.notices.len(), 1);
    assert_eq!(window.state.suggestions.asked(), None);
}
