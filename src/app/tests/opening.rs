//! Documents, memories and models that are opened, chosen or dropped.

use super::*;
use crate::{EditCommand, ModelsCommand, ModelsEvent, WindowCommand};

#[test]
fn a_dropped_memory_is_used_and_one_that_cannot_be_read_is_not() {
    let mut state = with_page();
    let open = |state: &mut AppState| match state.shared.requests.pop() {
        Some(Request::OpenModel { job, memory, .. }) => (job, memory),
        other => panic!("{other:?}"),
    };
    state.apply(WindowCommand::OpenPath("mine.tmx".into()));
    assert!(state.shared.file_requests.is_empty(), "it is no document");
    let (job, memory) = open(&mut state);
    let used = |path: &str, learns: bool| {
        Some(UserMemory {
            path: path.into(),
            further: Vec::new(),
            learns,
        })
    };
    assert_eq!(memory, used("mine.tmx", false));
    state.receive(ModelsEvent::MemoryOpened { job, pairs: Ok(12) });
    assert_eq!(state.models.memory_pairs, Some(12));
    let also =
        |penalty| Command::Models(ModelsCommand::UseFurtherMemory("old.tmx".into(), penalty));
    state.apply(also(Some(0)));
    state.apply(also(Some(99)));
    let memory = open(&mut state).1.expect("memories");
    assert_eq!(memory.path, Path::new("mine.tmx"));
    let further = FurtherMemory {
        path: "old.tmx".into(),
        penalty: 50,
    };
    assert_eq!(memory.further, [further], "at most half is subtracted");
    state.apply(also(None));
    state.apply(ModelsCommand::LearnFromMemory(true));
    assert_eq!(open(&mut state).1, used("mine.tmx", true));
    state.apply(ModelsCommand::UseMemory(Some("other.tsv".into())));
    let (job, _) = open(&mut state);
    let error = crate::error::Error::Base(crate::error::BaseError::NoModel);
    let pairs = Err(error);
    state.receive(ModelsEvent::MemoryOpened { job, pairs });
    assert_eq!(state.models.memory_pairs, None);
    assert!(state.shared.notices.last().is_some_and(|notice| {
        notice.kind == NoticeKind::Error && notice.title == "No translation memory could be read"
    }));
    let error = crate::error::Error::Base(crate::error::BaseError::NoModel);
    state.receive(ModelsEvent::MemoryLeftOut { job, error });
    state.receive(ModelsEvent::MemoryOpened { job, pairs: Ok(7) });
    assert_eq!(state.models.memory_pairs, Some(7), "the others are used");
    assert_eq!(
        state.shared.settings.memory,
        Some("other.tsv".into()),
        "a file that cannot be read may come back"
    );
    assert_eq!(
        state.shared.notices.last().expect("a notice").kind,
        NoticeKind::Error
    );
    let recent: [PathBuf; 2] = ["other.tsv".into(), "mine.tmx".into()];
    assert_eq!(state.shared.settings.recent_memories, recent);
}

#[test]
fn of_files_dropped_together_each_kind_is_opened_once() {
    let mut state = with_page();
    let paths = ["a.html", "mine.tmx", "b.html"].map(PathBuf::from);
    state.apply(WindowCommand::Drop(paths.into()));
    let opening = state
        .document
        .opening
        .as_ref()
        .map(|(_, path)| path.clone());
    assert_eq!(opening, Some("a.html".into()));
    assert_eq!(state.shared.settings.memory, Some("mine.tmx".into()));
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.detail, "Not opened: b.html");
}

#[test]
fn a_folder_is_opened_as_what_lies_in_it() {
    let home = tempfile::tempdir().expect("a folder");
    let mut state = with_page();
    let mut open = |name: &str, file: &str| {
        let folder = home.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join(file), "").expect("a file");
        state.apply(WindowCommand::OpenPath(folder.clone()));
        assert!(
            state.shared.file_requests.is_empty(),
            "{name} is no document"
        );
        let opened = match state.shared.requests.pop() {
            Some(Request::OpenModel { folder, memory, .. }) => {
                Some((folder, memory.map(|memory| memory.path)))
            }
            _ => None,
        };
        (
            folder,
            opened,
            state.shared.page,
            state.shared.notices.len(),
        )
    };
    let (model, opened, ..) = open("model", "model.toml");
    assert_eq!(opened, Some((model.clone(), None)));
    for (name, file) in [("corpus", "corpus.json"), ("strings", "writer.po")] {
        let (memory, opened, ..) = open(name, file);
        assert_eq!(opened, Some((model.clone(), Some(memory))));
    }
    let (_, opened, page, notices) = open("run", "config.toml");
    assert_eq!((opened, page, notices), (None, Page::Training, 0));
    let (_, opened, _, notices) = open("other", "page.html");
    assert_eq!((opened, notices), (None, 1));
}

#[test]
fn a_po_file_is_opened_as_a_document_and_a_tmx_file_as_a_memory() {
    let mut state = with_page();
    for (name, is_document) in [("strings.po", true), ("old.tmx", false)] {
        state.apply(WindowCommand::OpenPath(name.into()));
        let request = state.shared.file_requests.pop();
        let opens =
            matches!(request, Some(FileRequest::OpenDocument { path, .. }) if path.ends_with(name));
        assert_eq!(opens, is_document, "{name}");
    }
}

#[test]
fn a_model_that_cannot_be_opened_leaves_the_one_before() {
    let mut state = with_page();
    let Some(Request::OpenModel { job, .. }) = open_model(&mut state) else {
        panic!()
    };
    state.receive(Event::Failed {
        job,
        error: crate::error::Error::Base(crate::error::BaseError::NoModel),
    });
    assert!(matches!(
        state.models.in_use.current,
        ModelState::Open { .. }
    ));
    assert_eq!(
        state.shared.notices.last().expect("a notice").kind,
        NoticeKind::Error
    );
}

#[test]
fn a_model_that_was_overtaken_stays_where_the_next_one_cannot_be_opened() {
    let mut state = AppState::default();
    state.apply(ModelsCommand::Open("model".into()));
    // Before it is open.
    state.apply(ModelsCommand::SetDevice(DeviceChoice::Gpu));
    let mut requests = state.shared.requests.drain(..);
    let [first, second] = [requests.next(), requests.next()].map(|request| match request {
        Some(Request::OpenModel { job, folder, .. }) => (job, folder),
        other => panic!("{other:?}"),
    });
    drop(requests);
    state.receive(ModelsEvent::Opened {
        job: first.0,
        info: info(first.1),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    assert!(matches!(
        state.models.in_use.current,
        ModelState::Opening { .. }
    ));
    let error = crate::error::Error::from(canopy_translate::error::Error::NoGpu);
    state.receive(Event::Failed {
        job: second.0,
        error,
    });
    assert!(matches!(
        state.models.in_use.current,
        ModelState::Open { .. }
    ));
}

#[test]
fn a_document_that_is_opened_is_shown() {
    let mut state = with_page();
    for page in [Page::Training, Page::Evaluate] {
        state.apply(WindowCommand::ShowPage(page));
        open(&mut state, parsed(PAGE), None);
        assert_eq!(state.shared.page, Page::Document);
    }
    // It waits there for a translation to trace.
    state.apply(WindowCommand::ShowPage(Page::Explore));
    open(&mut state, parsed(PAGE), None);
    assert_eq!(state.shared.page, Page::Explore);
}

#[test]
fn only_an_error_outlives_the_document_before() {
    let mut state = with_page();
    state.apply(EditCommand::Confirm);
    assert_eq!(state.shared.notices[0].kind, NoticeKind::Hint);
    let error = crate::error::Error::Base(crate::error::BaseError::NoModel);
    state.shared.show_error("The run stopped", &error);
    state.apply(WindowCommand::OpenPath("gone.html".into()));
    let job = state.document.opening.as_ref().expect("it is opened").0;
    state.shared.file_requests.clear();
    state.receive(Event::Failed { job, error });
    assert_eq!(state.shared.notices.len(), 3);
    open(&mut state, parsed(PAGE), None);
    let titles: Vec<&str> = state
        .shared
        .notices
        .iter()
        .map(|it| it.title.as_str())
        .collect();
    assert_eq!(titles, ["The run stopped"]);
}

#[test]
fn the_window_begins_with_the_starter() {
    let shipped = Shipped::find();
    assert!(shipped.models.len() > 1, "{:?}", shipped.models);
    let mut state = AppState::new(Folders::default(), Settings::default(), shipped);
    state.open_first_model(None);
    let Some(Request::OpenModel { folder, .. }) = state.shared.requests.pop() else {
        panic!()
    };
    let starter = canopy_translate::inference::starter_model().expect("the shipped model");
    assert_eq!(folder.canonicalize().ok(), starter.canonicalize().ok());
}
