//! The workbench without a window: commands in, requests and state out.

mod confidence;
mod editing;
mod find;
mod merging;
mod opening;
mod saving;
mod segment_history;
mod segments;
mod tracing;
mod training;
mod update;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::document::progress::Preparation;
use crate::jobs::{
    Event, FileRequest, FurtherMemory, JobId, MergedWork, Project, Request, State, UserMemory,
};
use crate::{
    DocumentCommand, DocumentEvent, EditCommand, GoCommand, ModelsCommand, ModelsEvent,
    SaveCommand, WindowCommand,
};
use canopy_document::document::{Document, Format};
use canopy_document::export::ExportFormat;
use canopy_translate::inference::{DeviceChoice, Flag, ModelInfo, Reads, TraceCost, Translation};

const PAGE: &str =
    "<h1>Print</h1><p>Click <b>File</b>. Then wait.</p><h2>Preview</h2><p>Look at it.</p>";

fn parsed(html: &str) -> Arc<Document> {
    Arc::new(Document::parse("page.html", Format::Html, html.to_owned()).expect("a page"))
}

fn with_page() -> AppState {
    let folders = Folders {
        data: Some(PathBuf::from("data")),
        config: None,
    };
    let mut state = AppState::new(folders, Settings::default(), Shipped::default());
    open(&mut state, parsed(PAGE), None);
    let Some(Request::OpenModel { job, folder, .. }) = open_model(&mut state) else {
        panic!()
    };
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    state
}

fn open(state: &mut AppState, document: Arc<Document>, project: Option<Project>) {
    state.apply(WindowCommand::OpenPath("page.html".into()));
    let opens = |request: FileRequest| match request {
        FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
        _ => None,
    };
    let (job, path) = state
        .shared
        .file_requests
        .drain(..)
        .find_map(opens)
        .expect("it exists");
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document,
        project: project.map(Box::new),
        project_error: None,
    });
}

fn open_model(state: &mut AppState) -> Option<Request> {
    state.apply(ModelsCommand::Open("model".into()));
    state.shared.requests.pop()
}

fn info(folder: PathBuf) -> ModelInfo {
    ModelInfo {
        name: "tiny".to_owned(),
        folder,
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        num_parameters: 1,
        reads: Reads::Translations,
        trace_cost: TraceCost::default(),
    }
}

/// Carries the requested translation out, in upper case.
fn work(state: &mut AppState) -> Vec<usize> {
    let Some(Request::Translate {
        job,
        document,
        sentences,
        ..
    }) = state.shared.requests.pop()
    else {
        return vec![];
    };
    for &index in &sentences {
        let text = document.sentences[index].text.to_uppercase();
        let translation = Translation {
            text,
            log_prob: -1.0,
            num_tokens: 3,
            flags: vec![Flag::Split],
            parts: vec![],
        };
        state.receive(DocumentEvent::SentenceTranslated {
            job,
            index,
            translation,
        });
    }
    state.receive(Event::Finished { job });
    sentences
}

fn document(state: &AppState) -> &OpenDocument {
    state.document.editing.open.as_ref().expect("a document")
}

fn states(state: &AppState) -> Vec<State> {
    let document = document(state);
    (0..document.num_sentences())
        .map(|sentence| document.target(sentence).state)
        .collect()
}

fn edit(state: &mut AppState, sentence: usize, text: &str) {
    state.apply(EditCommand::Start(sentence));
    state.apply(EditCommand::Write(text.to_owned()));
    state.apply(EditCommand::Keep);
}

#[test]
fn translating_makes_drafts() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    assert!(state.document.translations.is_busy());
    let num_sentences = work(&mut state).len();
    assert_eq!(num_sentences, document(&state).num_sentences());
    assert!(states(&state).iter().all(|state| *state == State::Draft));
    assert_eq!(document(&state).progress.counts().draft, num_sentences);
    assert_eq!(
        document(&state).progress.section_counts(0),
        document(&state).progress.counts()
    );
    assert!(!state.document.translations.is_busy());
}

#[test]
fn retranslating_leaves_edited_and_confirmed_sentences_alone() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 0, "Drucken");
    state.apply(EditCommand::ToggleConfirmed(2));
    let before = document(&state).targets.texts();
    state.apply(DocumentCommand::Translate(Scope::Document));
    let again = work(&mut state);
    assert!(!again.contains(&0) && !again.contains(&2) && again.contains(&1));
    assert_eq!(document(&state).targets.texts(), before);
    assert_eq!(
        (states(&state)[0], states(&state)[2]),
        (State::Edited, State::Confirmed)
    );
}

#[test]
fn a_section_is_translated_alone() {
    let mut state = with_page();
    let last = document(&state).progress.sections().len() - 1;
    state.apply(DocumentCommand::Translate(Scope::Section(last)));
    let sentences = work(&mut state);
    assert_eq!(
        sentences,
        document(&state).progress.sections()[last]
            .sentences
            .clone()
            .collect::<Vec<_>>()
    );
    assert_eq!(states(&state)[0], State::Untranslated);
}

#[test]
fn translating_before_the_model_is_there_waits_for_it() {
    let mut state = with_page();
    let Some(Request::OpenModel { job, folder, .. }) = open_model(&mut state) else {
        panic!()
    };
    state.apply(DocumentCommand::Translate(Scope::Document));
    assert!(state.shared.requests.is_empty() && state.document.translations.is_waiting_for_model());
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    assert!(matches!(
        state.shared.requests.last(),
        Some(Request::Translate { .. })
    ));
}

#[test]
fn events_of_an_older_job_are_dropped() {
    let mut state = with_page();
    let translation = Translation {
        text: "alt".to_owned(),
        log_prob: 0.0,
        num_tokens: 1,
        flags: vec![],
        parts: vec![],
    };
    state.receive(DocumentEvent::SentenceTranslated {
        job: JobId(999),
        index: 0,
        translation,
    });
    assert_eq!(states(&state)[0], State::Untranslated);
}

#[test]
fn work_is_saved_a_second_after_the_last_change_and_comes_back() {
    let mut state = with_page();
    state.tick(100.0);
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 0, "Drucken");
    assert!(state.tick(100.5).is_some());
    assert!(state.shared.file_requests.is_empty());
    assert_eq!(state.tick(101.1), None);
    let Some(FileRequest::SaveProject { project, .. }) = state.shared.file_requests.pop() else {
        panic!()
    };
    let bytes = project.to_bytes("page.json".as_ref());
    let read = serde_json::from_slice::<Project>(&bytes.expect("plain data")).expect("it exists");
    assert_eq!(read, project);

    let mut later = with_page();
    open(&mut later, parsed(PAGE), Some(read));
    assert_eq!(states(&later), states(&state));
    assert_eq!(document(&later).target(0), document(&state).target(0));
    assert_eq!(document(&later).target(1).flags, [Flag::Split]);
}

#[test]
fn a_changed_document_keeps_what_still_matches() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    let project = document(&state).project();
    let changed = PAGE
        .replace("<p>Click", "<p>A new first sentence.</p><p>Click")
        .replace("Look at", "Look well at");
    let mut later = with_page();
    open(&mut later, parsed(&changed), Some(project));
    let document = document(&later);
    assert_eq!(document.target(0).text, "PRINT");
    assert_eq!(document.target(1).state, State::Untranslated);
    assert!(document.target(2).text.starts_with("CLICK"));
    assert_eq!(states(&later).last(), Some(&State::Untranslated));
}

#[test]
fn the_translation_is_saved_under_a_name_with_the_language() {
    let mut state = with_page();
    state.apply(SaveCommand::SaveAs);
    let Some(ask) = state.shared.asks.pop() else {
        panic!()
    };
    assert_eq!(
        ask.pick().expect("a name").1,
        DialogKind::NewFile("page.de.html".to_owned())
    );
    state.apply(ask.answer("there.html".into(), true));
    assert!(matches!(
        state.shared.file_requests.last(),
        Some(FileRequest::SaveDocument { .. })
    ));
}

#[test]
fn a_translation_is_exported_with_its_languages() {
    let mut state = with_page();
    state.apply(SaveCommand::Export(ExportFormat::Tmx));
    let ask = state.shared.asks.pop().expect("a question");
    assert_eq!(
        ask.pick().expect("a name").1,
        DialogKind::NewFile("page.html.tmx".to_owned())
    );
    state.apply(ask.clone().answer("there.tmx".into(), true));
    let Some(FileRequest::ExportDocument {
        format, languages, ..
    }) = state.shared.file_requests.pop()
    else {
        panic!()
    };
    assert_eq!(format, ExportFormat::Tmx);
    assert_eq!(
        (languages.source.as_str(), languages.target.as_str()),
        ("en", "de")
    );
    state.apply(ask.answer("page.html".into(), true));
    assert!(state.shared.file_requests.is_empty(), "over the source");
}

#[test]
fn a_translation_is_saved_neither_as_that_of_another_document_nor_over_its_source() {
    let mut state = with_page();
    state.apply(SaveCommand::SaveAs);
    let ask = state.shared.asks.pop().expect("a question");
    state.shared.file_requests.clear();
    state.apply(ask.clone().answer("page.html".into(), true));
    assert!(state.shared.file_requests.is_empty() && !state.document.saving.is_running());
    // Meanwhile another one is opened.
    state
        .document
        .editing
        .with_document(|document| document.path = "other.html".into());
    state.apply(ask.answer("there.html".into(), true));
    assert!(state.shared.file_requests.is_empty() && !state.document.saving.is_running());
    let [source, other] = &state.shared.notices[..] else {
        panic!("{:?}", state.shared.notices);
    };
    assert!(source.detail.contains("source document"), "{source:?}");
    assert!(
        other.detail.contains("Open its document again"),
        "{other:?}"
    );
}

#[test]
fn confirming_goes_on_to_the_next_sentence() {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    state.apply(EditCommand::Confirm);
    state.apply(EditCommand::Confirm);
    assert_eq!(document(&state).selected, Some(2));
    assert_eq!(document(&state).progress.counts().confirmed, 2);
    state.apply(GoCommand::Previous);
    state.apply(GoCommand::NextUnconfirmed);
    assert_eq!(document(&state).selected, Some(2));
}

#[test]
fn the_window_reports_that_the_cpu_went_on() {
    let mut state = with_page();
    let error = crate::error::Error::Base(crate::error::BaseError::InvalidScores {
        sentence: "2 (\"neu\")".to_owned(),
        found: f32::NAN,
    });
    state.receive(ModelsEvent::CpuTookOver {
        job: JobId(1),
        device_name: "CPU, 64 threads".to_owned(),
        error,
    });
    let ModelState::Open { device_name, .. } = &state.models.in_use.current else {
        panic!()
    };
    assert_eq!(device_name, "CPU, 64 threads");
    let notice = state.shared.notices.last().expect("a notice");
    assert!(notice.title.contains("CPU"));
    assert!(notice.detail.contains("2 (\"neu\")"), "{}", notice.detail);
}
