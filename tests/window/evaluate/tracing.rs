//! A sentence of an evaluation leads to its trace.

use super::*;
use canopy::app::{DocumentEvent, ModelsEvent};

/// The page after a trace was requested.
fn tracing(home: &std::path::Path) -> Harness<'static, Window> {
    let mut harness = evaluated(home);
    harness
        .get_all_by_label("Sentences")
        .last()
        .expect("a tab")
        .click();
    harness.run();
    let button = harness.get_all_by_label("Show its trace").next();
    button.expect("a button").click();
    harness.run_steps(3);
    harness
}

/// Opens the document that was written for a trace.
fn open_written(state: &mut AppState) {
    let mut requests = state.shared.file_requests.drain(..);
    let text = requests.find_map(|request| match request {
        FileRequest::Write { bytes, .. } => String::from_utf8(bytes).ok(),
        _ => None,
    });
    let opens = requests.find_map(|request| match request {
        FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
        _ => None,
    });
    drop(requests);
    let ((job, path), text) = (opens.expect("it is opened"), text.expect("it is written"));
    let document = Document::parse("one.txt", Format::Text, text).expect("a document");
    assert_eq!(document.paragraphs.len(), 4);
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: Arc::new(document),
        project: None,
        project_error: None,
    });
}

#[test]
fn nothing_is_traced_without_its_model() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = tracing(home.path());
    let state = &mut harness.state_mut().state;
    let Some(Request::OpenModel { job, .. }) = state.shared.requests.pop() else {
        panic!("its model is opened");
    };
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    open_written(state);
    let [notice] = &state.shared.notices[..] else {
        panic!("{:?}", state.shared.notices);
    };
    assert_eq!(notice.title, "The model could not be opened");
}

#[test]
fn a_sentence_leads_to_its_trace() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = tracing(home.path());
    let state = &mut harness.state_mut().state;
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!("its model is opened");
    };
    assert!(folder.ends_with("context"));
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    open_written(state);
    let Some(Request::Translate { job, .. }) = state.shared.requests.pop() else {
        panic!("it is translated");
    };
    let translation = Translation::written("Öffnen".to_owned());
    state.receive(DocumentEvent::SentenceTranslated {
        job,
        index: 0,
        translation,
    });
    state.receive(Event::Finished { job });
    assert_eq!(state.shared.page, Page::Explore);
    assert!(matches!(
        state.shared.requests.pop(),
        Some(Request::Trace { .. })
    ));
}
