//! Writing the translation, again and under another name.

use super::*;
use crate::jobs::{FileLane, Overwrite, Pool};
use crate::{DocumentCommand, DocumentEvent, EditCommand, ModelsEvent, SaveCommand, WindowCommand};

/// The last request to write a translation: where, and what it may replace.
fn save_request(state: &mut AppState) -> Option<(JobId, PathBuf, Overwrite)> {
    let mut requests = state.shared.file_requests.drain(..);
    requests.find_map(|request| match request {
        FileRequest::SaveDocument {
            job,
            path,
            overwrite,
            ..
        } => Some((job, path, overwrite)),
        _ => None,
    })
}

fn saved(state: &mut AppState, job: JobId, path: PathBuf, digest: &str) {
    state.receive(DocumentEvent::TranslationSaved {
        job,
        path,
        digest: digest.to_owned(),
        language: Some("de".to_owned()),
    });
}

#[test]
fn saving_asks_for_a_name_once_and_writes_there_again() {
    let mut state = with_page();
    state.apply(SaveCommand::Save);
    let ask = state.shared.asks.pop().expect("the first time it asks");
    state.apply(ask.answer("there.html".into(), false));
    let (job, path, overwrite) = save_request(&mut state).expect("it is written");
    assert_eq!(overwrite, Overwrite::Nothing);
    saved(&mut state, job, path, "0123");
    state.apply(SaveCommand::Save);
    assert!(state.shared.asks.is_empty());
    let (job, path, overwrite) = save_request(&mut state).expect("it is written");
    assert_eq!(path, PathBuf::from("there.html"));
    assert_eq!(overwrite, Overwrite::Own("0123".to_owned()));
    // Another person has changed it: it stays as it is.
    state.receive(DocumentEvent::TranslationChanged { job, path });
    assert!(!state.document.saving.is_running());
    assert_eq!(state.shared.asks.len(), 1);
    state.shared.asks.clear();
    state.apply(SaveCommand::SaveAs);
    assert_eq!(state.shared.asks.len(), 1);
}

#[test]
fn what_is_saved_is_summed_up_and_its_folder_can_be_shown() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    state.apply(EditCommand::Confirm);
    state.apply(SaveCommand::SaveAs);
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer("/out/there.html".into(), false));
    let (job, path, _) = save_request(&mut state).expect("it is written");
    saved(&mut state, job, path, "0123");
    let notice = state.shared.notices.last().expect("a notice").clone();
    let drafts = document(&state).num_sentences() - 1;
    let drafts = format!("Drafts that nobody has confirmed: {drafts} sentences.");
    assert!(notice.detail.contains(&drafts), "{}", notice.detail);
    let (_, command) = notice.button.expect("a button");
    state.apply(command);
    let folder = PathBuf::from("/out");
    assert!(
        matches!(state.shared.asks.pop(), Some(crate::ask::DialogRequest::ShowFolder(it)) if it == folder)
    );
}

#[test]
fn a_variant_of_the_target_language_is_named_and_written() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    let command = crate::models::ModelsCommand::TranslateTo("de-AT".to_owned());
    state.apply(Command::Models(command));
    let target = state
        .document
        .languages(&state.models)
        .map(|(_, target)| target);
    assert_eq!(target.as_deref(), Some("de-AT"));
    assert_eq!(
        document(&state).progress.counts().untranslated,
        0,
        "the work is its"
    );
    state.apply(SaveCommand::SaveAs);
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer("/out/there.html".into(), false));
    let language = state
        .shared
        .file_requests
        .iter()
        .rev()
        .find_map(|it| match it {
            FileRequest::SaveDocument { language, .. } => language.clone(),
            _ => None,
        });
    assert_eq!(language.as_deref(), Some("de-AT"));
}

#[test]
fn a_document_that_is_opened_again_is_saved_where_it_was() {
    let mut state = with_page();
    state.apply(SaveCommand::SaveAs);
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer("there.html".into(), false));
    let (job, path, _) = save_request(&mut state).expect("it is written");
    saved(&mut state, job, path, "0123");
    state.apply(DocumentCommand::Close);
    let bytes = state.shared.settings.to_bytes();
    let settings: Settings = serde_json::from_slice(&bytes).expect("settings");
    let mut later = AppState::new(Folders::default(), settings, Shipped::default());
    open(&mut later, parsed(PAGE), None);
    let Some(Request::OpenModel { job, folder, .. }) = open_model(&mut later) else {
        panic!("it is opened")
    };
    later.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    later.apply(SaveCommand::Save);
    let (_, path, overwrite) = save_request(&mut later).expect("it is written");
    assert_eq!(path, PathBuf::from("there.html"));
    assert_eq!(overwrite, Overwrite::Own("0123".to_owned()));
}

#[test]
fn a_translated_file_that_was_changed_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("page.de.html");
    let (sender, events) = std::sync::mpsc::channel();
    let files = FileLane::new(&Pool::new("test", sender, || ()).expect("a thread"));
    let save = |overwrite: Overwrite| {
        files.send(FileRequest::SaveDocument {
            job: JobId(1),
            path: place.clone(),
            overwrite,
            document: parsed(PAGE),
            targets: vec![None; document(&with_page()).num_sentences()],
            language: None,
        });
        events.recv().expect("an answer")
    };
    let Event::Document(DocumentEvent::TranslationSaved { digest, .. }) = save(Overwrite::Nothing)
    else {
        panic!("it is not there yet")
    };
    let again = save(Overwrite::Own(digest.clone()));
    assert!(matches!(
        again,
        Event::Document(DocumentEvent::TranslationSaved { .. })
    ));
    std::fs::write(&place, "mine").expect("written");
    let changed = save(Overwrite::Own(digest));
    assert!(matches!(
        changed,
        Event::Document(DocumentEvent::TranslationChanged { .. })
    ));
    assert_eq!(std::fs::read_to_string(&place).expect("text"), "mine");
}

#[test]
fn what_is_gone_leaves_the_lists_of_what_was_used_lately() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().join("page.html");
    std::fs::write(&here, PAGE).expect("written");
    let gone = folder.path().join("gone");
    let mut state = AppState::default();
    state.shared.settings.recent_documents = vec![here.clone(), gone.clone()];
    state.shared.settings.recent_models = vec![gone.clone()];
    state.evaluate.models = vec![gone.clone()];
    state.apply(WindowCommand::ShowPage(Page::Evaluate));
    let (sender, events) = std::sync::mpsc::channel();
    let files = FileLane::new(&Pool::new("test", sender, || ()).expect("a thread"));
    for request in state.shared.file_requests.drain(..) {
        files.send(request);
    }
    state.receive(events.recv().expect("an answer"));
    assert_eq!(state.shared.settings.recent_documents, [here]);
    assert!(state.shared.settings.recent_models.is_empty());
    assert!(
        state
            .evaluate
            .testable_models(&state.shared, &state.models, &state.training)
            .is_empty()
            && state.evaluate.models.is_empty()
    );
}
