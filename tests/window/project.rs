//! The page of a project.

use canopy::app::{
    DocumentEvent, EditCommand, ModelsEvent, Page, ProjectCommand, ProjectEvent, SettingsCommand,
    WindowCommand,
};
use canopy::jobs::{DocumentStatus, Head, ProjectFolder, ProjectRequest, ProjectStatus};

use egui::Key;
use egui::accesskit::Role;

use super::*;

fn status() -> ProjectStatus {
    let mut head = Head::new("Handbook".to_owned(), "en".to_owned(), "de".to_owned());
    head.documents = vec!["sources/a.html".to_owned(), "sources/b.html".to_owned()];
    head.memory = Some("old.tmx".to_owned());
    let row = |document: &String, confirmed: usize| DocumentStatus {
        document: document.clone(),
        untranslated: 3,
        draft: 2,
        edited: 1,
        confirmed,
        words: 57,
        ..DocumentStatus::default()
    };
    let documents = vec![row(&head.documents[0], 4), row(&head.documents[1], 7)];
    let folder = "book".into();
    ProjectStatus {
        project: ProjectFolder { folder, head },
        documents,
    }
}

/// A window that has opened the project.
pub(super) fn window() -> Window {
    let mut window = Window::with_document(PAGE);
    let state = &mut window.state;
    let open = ProjectCommand::Open("book".into());
    state.apply(Command::Project(open));
    let Some(ProjectRequest::Look { job, .. }) = state.projects.requests.pop() else {
        panic!("{:?}", state.projects.requests)
    };
    let status = Ok(Box::new(status()));
    state.receive(ProjectEvent::Seen { job, status });
    window
}

#[test]
fn a_project_shows_a_row_for_each_document_and_opens_one_by_a_click() {
    let mut window = window();
    // The project is the memory of its documents.
    let Some(Request::OpenModel { memory, .. }) = window.state.shared.requests.pop() else {
        panic!("{:?}", window.state.shared.requests)
    };
    assert_eq!(memory.expect("a memory").path, PathBuf::from("book"));
    let mut harness = window.harness();
    harness.run_steps(4);
    assert_eq!(harness.state().state.shared.page, Page::Project);
    harness.get_by_label("Handbook");
    harness.get_by_label("4 of 10");
    harness.get_by_label("2 documents");
    harness.get_by_label("11 of 23");
    harness.get_by_label("114");
    harness.get_by_label("b.html").click();
    harness.run_steps(4);
    let opens = Command::Window(WindowCommand::OpenPath(PathBuf::from(
        "book/sources/b.html",
    )));
    assert!(harness.state().commands.contains(&opens));
}

#[test]
fn documents_are_dropped_on_the_page_and_added() {
    let mut window = window();
    window.state.apply(WindowCommand::Drop(vec![
        "new.html".into(),
        "other.md".into(),
    ]));
    let Some(ProjectRequest::Add { documents, .. }) = window.state.projects.requests.pop() else {
        panic!("{:?}", window.state.projects.requests)
    };
    assert_eq!(documents.len(), 2);
}

#[test]
fn a_document_of_the_project_has_what_was_confirmed_in_another_and_a_foreign_one_ends_it() {
    let mut window = window();
    let opened = |state: &mut AppState, path: &str| {
        state.shared.requests.clear();
        state.apply(WindowCommand::OpenPath(path.into()));
        let opens = |request: FileRequest| match request {
            FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
            _ => None,
        };
        let (job, path) = state
            .shared
            .file_requests
            .drain(..)
            .find_map(opens)
            .expect("it opens");
        let document = Document::parse("a.html", Format::Html, PAGE.to_owned()).expect("a page");
        state.receive(DocumentEvent::Opened {
            job,
            path,
            document: Arc::new(document),
            project: None,
            project_error: None,
        });
        state
            .shared
            .requests
            .iter()
            .any(|it| matches!(it, Request::OpenModel { .. }))
    };
    let state = &mut window.state;
    assert!(!opened(state, "book/sources/a.html"));
    state.apply(EditCommand::Start(0));
    state.apply(EditCommand::Write("Drucken".to_owned()));
    state.apply(EditCommand::KeepAndConfirm);
    assert!(
        opened(state, "book/sources/b.html"),
        "with the memory as it is now"
    );
    assert!(!opened(state, "book/sources/a.html"));
    assert!(opened(state, "elsewhere.html"), "without it");
    assert!(state.projects.open.is_none());
}

#[test]
fn a_folder_that_is_dropped_opens_as_a_project_and_a_menu_asks_for_one() {
    let home = tempfile::tempdir().expect("a folder");
    let project = ProjectFolder::create(home.path(), status().project.head).expect("begins");
    let mut window = Window::with_document(PAGE);
    let dropped = Command::Window(WindowCommand::Drop(vec![project.folder.clone()]));
    window.state.apply(dropped);
    let Some(ProjectRequest::Look { folder, .. }) = window.state.projects.requests.pop() else {
        panic!("{:?}", window.state.projects.requests)
    };
    assert_eq!(folder, project.folder);
    let mut harness = window.harness();
    harness.run();
    assert!(
        harness.query_by_label("Project").is_none(),
        "none is open yet"
    );
    harness.get_by_label("File").click();
    harness.run();
    harness.get_by_label_contains("Open project…").click();
    harness.run_steps(3);
    let command = Command::Project(ProjectCommand::Choose);
    assert!(harness.state().commands.contains(&command));
}

#[test]
fn documents_are_moved_and_removed_and_the_count_is_written_as_a_table() {
    let mut harness = window().harness();
    harness.run_steps(4);
    harness.get_by_label("Actions for b.html").click();
    harness.run_steps(4);
    harness.get_by_label("Move up").click();
    harness.run_steps(4);
    let moves = ProjectCommand::Move("sources/b.html".to_owned(), -1);
    assert!(harness.state().commands.contains(&Command::Project(moves)));
    harness.get_by_label("Word count as CSV…").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer("count.csv".into(), true));
    let Some(FileRequest::Export { bytes, .. }) = state.shared.file_requests.pop() else {
        panic!("it is written")
    };
    let table = String::from_utf8(bytes).expect("text");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(
        lines[0].starts_with("\"document\",\"confirmed\""),
        "{table}"
    );
    assert!(
        lines[1].starts_with("\"sources/a.html\",4,1,2,3,57"),
        "{table}"
    );
    assert!(lines[3].starts_with("\"all\",11,2,4,6,114"), "{table}");
}

#[test]
fn a_project_takes_the_work_on_a_document_along_and_keeps_its_files_when_it_is_removed() {
    let home = tempfile::tempdir().expect("a folder");
    let page = home.path().join("page.html");
    std::fs::write(&page, PAGE).expect("written");
    let (sender, events) = std::sync::mpsc::channel();
    let pool = canopy::jobs::Pool::new("test", sender, || ()).expect("a thread");
    let projects = canopy::jobs::ProjectLane::new(&pool);
    let mut window = Window::with_document(PAGE).translated();
    let place = page.canonicalize().expect("it is there");
    window
        .state
        .document
        .editing
        .open
        .as_mut()
        .expect("a document")
        .path = place;
    let folder = home.path().join("book");
    let create = ProjectCommand::Create(folder.clone());
    window.state.apply(Command::Project(create));
    let answer = |window: &mut Window| {
        let request = window.state.projects.requests.pop().expect("a request");
        projects.send(request);
        window.state.receive(events.recv().expect("an answer"));
        let status = window.state.projects.open.clone();
        status.expect("a project")
    };
    let status = answer(&mut window);
    assert_eq!(status.documents[0].draft, 5);
    let document = status.documents[0].document.clone();
    let remove = ProjectCommand::Remove(document.clone());
    window.state.apply(Command::Project(remove));
    let status = answer(&mut window);
    assert!(status.documents.is_empty());
    assert!(status.project.path(&document).is_file());
    assert!(status.project.work_place(&document).is_file());
}

#[test]
fn all_documents_are_translated_one_after_the_other() {
    let mut window = window();
    let state = &mut window.state;
    let job = match state.shared.requests.pop() {
        Some(Request::OpenModel { job, .. }) => job,
        other => panic!("{other:?}"),
    };
    state.receive(ModelsEvent::Opened {
        job,
        info: info("model".into()),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    let all = ProjectCommand::TranslateAll;
    state.apply(Command::Project(all));
    for name in ["a", "b"] {
        let expected = PathBuf::from(format!("book/sources/{name}.html"));
        let opens = |request: FileRequest| match request {
            FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
            _ => None,
        };
        let opened = state.shared.file_requests.drain(..).find_map(opens);
        let (job, path) = opened.expect("it is opened");
        assert_eq!(path, expected);
        let document = Document::parse("a.html", Format::Html, PAGE.to_owned()).expect("a page");
        state.receive(DocumentEvent::Opened {
            job,
            path,
            document: Arc::new(document),
            project: None,
            project_error: None,
        });
        if let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.last() {
            let (job, info) = (*job, info(folder.clone()));
            state.shared.requests.clear();
            state.receive(ModelsEvent::Opened {
                job,
                info,
                device_name: "CPU".to_owned(),
                memory: None,
            });
        }
        let Some(Request::Translate { job, sentences, .. }) = state.shared.requests.pop() else {
            panic!("{name} is translated")
        };
        for index in sentences {
            let translation = Translation {
                text: "Text".to_owned(),
                log_prob: 0.0,
                num_tokens: 1,
                flags: vec![],
                parts: vec![],
            };
            state.receive(DocumentEvent::SentenceTranslated {
                job,
                index,
                translation,
            });
        }
        state.receive(Event::Finished { job });
    }
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.title, "2 documents are translated");
    assert_eq!(state.shared.page, Page::Project);
}

#[test]
fn settings_are_changed_in_a_dialog_and_kept_in_the_project() {
    let mut harness = window().harness();
    harness.run_steps(4);
    harness.get_by_label("Project settings…").click();
    harness.run_steps(6);
    harness.get_by_label("old.tmx");
    harness.get_by_label("Add a memory…").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer("/memories/vendor.tmx".into(), false));
    harness.run_steps(4);
    harness.get_by_label("Move up vendor.tmx").click();
    harness.run_steps(4);
    let penalty = harness.get_by_role_and_label(Role::SpinButton, "Penalty of old.tmx");
    penalty.focus();
    harness.run_steps(4);
    let penalty = harness.get_by_role_and_label(Role::SpinButton, "Penalty of old.tmx");
    penalty.type_text("1");
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    for path in ["/terms/own.csv", "/terms/vendor.tbx"] {
        harness.get_by_label("Add a termbase…").click();
        harness.run_steps(4);
        let state = &mut harness.state_mut().state;
        let ask = state.shared.asks.pop().expect("a question");
        state.apply(ask.answer(path.into(), false));
        harness.run_steps(4);
    }
    harness.get_by_label("Move down own.csv").click();
    harness.run_steps(4);
    harness.get_by_label("Save").click();
    harness.run_steps(4);
    let state = &harness.state().state;
    assert!(state.projects.settings.is_none());
    let Some(ProjectRequest::Configure { settings, .. }) = state.projects.requests.last() else {
        panic!("{:?}", state.projects.requests)
    };
    let memories: Vec<(&str, u8)> = settings
        .memories
        .iter()
        .map(|memory| (memory.path.as_str(), memory.penalty))
        .collect();
    assert_eq!(memories, [("/memories/vendor.tmx", 0), ("old.tmx", 1)]);
    assert_eq!(settings.terms, ["/terms/vendor.tbx", "/terms/own.csv"]);
}

#[test]
fn other_settings_of_a_project_open_its_model_and_memory_anew() {
    let home = tempfile::tempdir().expect("a folder");
    let project = ProjectFolder::create(home.path(), status().project.head).expect("begins");
    let mut window = window();
    let state = &mut window.state;
    for command in [
        SettingsCommand::Show,
        SettingsCommand::RemoveMemory(0),
        SettingsCommand::Keep,
    ] {
        state.apply(Command::Project(command.into()));
    }
    let Some(ProjectRequest::Configure { job, settings, .. }) = state.projects.requests.pop()
    else {
        panic!("{:?}", state.projects.requests)
    };
    assert!(settings.memories.is_empty());
    state.shared.requests.clear();
    let mut changed = status();
    changed.project.folder = project.folder;
    changed.project.head.memory = None;
    let status = Ok(Box::new(changed));
    state.receive(ProjectEvent::Seen { job, status });
    let opens = |request: &Request| matches!(request, Request::OpenModel { .. });
    assert!(state.shared.requests.iter().any(opens));
}

#[test]
fn closing_says_that_the_translations_of_a_project_are_being_written() {
    let state = &mut window().state;
    assert_eq!(state.lost_by_closing(), None);
    state.projects.requests.clear();
    state.apply(Command::Project(ProjectCommand::Export));
    let requests = &mut state.projects.requests;
    let Some(ProjectRequest::Export { job, .. }) = requests.pop() else {
        panic!("{requests:?}")
    };
    let lost = state.lost_by_closing().expect("files are not written yet");
    assert!(lost.contains("project"), "{lost}");
    let files = Ok(vec!["book/translated/a.html".into()]);
    state.receive(ProjectEvent::Exported { job, files });
    assert_eq!(state.lost_by_closing(), None);
}
