//! How sure the model is: which draft to read first, and whether it knows such texts at all.

use super::*;
use crate::models::LanguageNote;
use crate::{DocumentCommand, DocumentEvent, EditCommand, GoCommand};

/// Ten drafts, of which the model is as sure as `log_prob` of a token says.
fn drafted(log_prob: impl Fn(usize) -> f32) -> AppState {
    let mut state = with_page();
    let text = "<p>Click here to print the page now.</p>".repeat(10);
    open(&mut state, parsed(&text), None);
    state.apply(DocumentCommand::Translate(Scope::Document));
    let Some(Request::Translate { job, sentences, .. }) = state.shared.requests.pop() else {
        panic!("nothing is translated");
    };
    for index in sentences {
        let translation = Translation {
            log_prob: log_prob(index) * 6.0,
            num_tokens: 6,
            ..Translation::written("Klicken Sie hier.".to_owned())
        };
        state.receive(DocumentEvent::SentenceTranslated {
            job,
            index,
            translation,
        });
    }
    state.receive(Event::Finished { job });
    state
}

#[test]
fn the_least_certain_drafts_come_first_and_what_is_edited_not_at_all() {
    let log_probs = [-0.0, -0.1, -0.2, -0.3, -0.4, -0.5, -2.0, -0.7, -0.8, -0.9];
    let mut state = drafted(|index| log_probs[index]);
    edit(&mut state, 9, "Drucken Sie.");
    state.apply(EditCommand::Keep);
    let mut order = Vec::new();
    for _ in 0..3 {
        state.apply(GoCommand::LeastSure);
        order.extend(document(&state).selected);
    }
    assert_eq!(order, [6, 8, 7]);
    assert_eq!(document(&state).target(9).confidence, None);
    let saved = document(&state).project();
    let saved = saved.targets.iter().find(|target| target.index == 6);
    assert!(saved.expect("a draft").confidence < Some(5));
}

#[test]
fn a_text_that_the_model_does_not_know_is_reported() {
    let note = |log_prob: f32| {
        let state = drafted(|_| log_prob);
        state.document.pair(&state.models).note(&state.shared)
    };
    assert!(!matches!(note(-0.1), Some(LanguageNote::Unlike { .. })));
    let unlike = note(-0.9);
    assert!(
        matches!(unlike, Some(LanguageNote::Unlike { percent: 2 })),
        "{unlike:?}"
    );
}
