//! A day's work in one window: documents opened, translated, edited, saved and closed, one after the other, cost neither
//! memory nor threads nor file handles.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use canopy::app::settings::Device;
use canopy::app::{
    AppState, CheckCommand, Command, DocumentCommand, EditCommand, Folders, GoCommand,
    ModelsCommand, SaveCommand, Scope, Settings, Shipped, WindowCommand,
};
use canopy::gui::{Panels, install_theme, workbench_ui};
use canopy::jobs::{CheckLane, Event, FileLane, Pool, State, Worker};
use canopy::training::DeviceLock;
use egui_kittest::Harness;
use tempfile::TempDir;

use crate::support::alone::alone;
use crate::support::tiny;

/// The window with the threads that it needs for documents.
struct Desk {
    state: AppState,
    panels: Panels,
    commands: Vec<Command>,
    files: FileLane,
    worker: Worker,
    checks: CheckLane,
    events: Receiver<Event>,
    /// A second passes in each frame.
    now_secs: f64,
}

impl Desk {
    fn new(home: &Path) -> Self {
        let (sender, events) = channel();
        let folders = Folders {
            data: Some(home.join("data")),
            config: Some(home.join("config")),
        };
        let settings = Settings {
            device: Device::Cpu,
            ..Settings::default()
        };
        Self {
            state: AppState::new(folders, settings, Shipped::default()),
            panels: Panels::default(),
            commands: vec![],
            files: FileLane::new(&Pool::new("test", sender.clone(), || ()).expect("a thread")),
            worker: Worker::spawn(DeviceLock::default(), sender.clone(), || ()).expect("a thread"),
            checks: CheckLane::new(&Pool::new("test", sender, || ()).expect("a thread")),
            events,
            now_secs: 0.0,
        }
    }

    /// As the application does it.
    fn frame(ui: &mut egui::Ui, desk: &mut Self) {
        desk.now_secs += 1.0;
        desk.state.tick(desk.now_secs);
        for event in desk.events.try_iter() {
            desk.state.receive(event);
        }
        workbench_ui(ui, &desk.state, &mut desk.panels, &mut desk.commands);
        for command in desk.commands.drain(..) {
            desk.state.apply(command);
        }
        for request in desk.state.shared.requests.drain(..) {
            desk.worker.send(request);
        }
        for request in desk.state.shared.file_requests.drain(..) {
            desk.files.send(request);
        }
        for request in desk.state.document.checking.requests.drain(..) {
            desk.checks.send(request);
        }
    }
}

struct Day {
    harness: Harness<'static, Desk>,
    home: TempDir,
}

/// The resources that a process holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    resident_kib: usize,
    threads: usize,
    handles: usize,
}

impl Held {
    /// Once those threads are done that write settings and lists behind what is seen: the least handles of half a second.
    fn at_rest() -> Self {
        let readings = (0..10).map(|_| {
            std::thread::sleep(Duration::from_millis(50));
            Self::now()
        });
        let least = readings.min_by_key(|held| (held.handles, held.threads));
        least.expect("ten of them")
    }

    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let number = |name: &str| -> usize {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let word = line.and_then(|line| line.split_whitespace().next());
            word.and_then(|word| word.parse().ok()).expect("a number")
        };
        Self {
            resident_kib: number("VmRSS:"),
            threads: number("Threads:"),
            handles: std::fs::read_dir("/proc/self/fd").expect("Linux").count(),
        }
    }
}

impl Day {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let harness = Harness::builder()
            .with_size([1200.0, 800.0])
            .with_context_setup(install_theme)
            // What an untrained model writes.
            .allow_missing_glyphs()
            .build_ui_state(Desk::frame, Desk::new(home.path()));
        let mut day = Self { harness, home };
        let model = tiny::model_folder();
        day.apply(DocumentCommand::SetBeamSize(1));
        day.apply(ModelsCommand::Open(model.path().to_owned()));
        day.until("the model is open", |state| {
            matches!(
                state.models.in_use.current,
                canopy::app::ModelState::Open { .. }
            )
        });
        // It is in memory.
        drop(model);
        day
    }

    fn apply(&mut self, command: impl Into<Command>) {
        self.harness.state_mut().state.apply(command);
        self.harness.step();
    }

    /// Draws frames until something is so.
    fn until(&mut self, goal: &str, is_so: impl Fn(&AppState) -> bool) {
        for _ in 0..60_000 {
            self.harness.step();
            let state = &self.harness.state().state;
            assert!(
                !state
                    .shared
                    .notices
                    .iter()
                    .any(|it| it.kind == canopy::app::NoticeKind::Error),
                "{goal}: {:?}",
                state.shared.notices
            );
            if is_so(state) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("{goal}: it takes more than a minute");
    }

    /// A page that no other is like.
    fn page(&self, number: usize) -> PathBuf {
        let path = self.home.path().join(format!("page {number}.html"));
        let sentences = (0..8).map(|line| {
            let line = number * 8 + line;
            format!("<p>Open the <b>file {line}</b>. Close window {number}.</p>\n")
        });
        let text = format!("<h1>Page {number}</h1>{}", sentences.collect::<String>());
        std::fs::write(&path, text).expect("written");
        path
    }

    /// One document from its opening to its closing.
    fn document(&mut self, number: usize) {
        let path = self.page(number);
        self.apply(WindowCommand::OpenPath(path.clone()));
        self.until("it is open", |state| {
            state
                .document
                .editing
                .open
                .as_ref()
                .is_some_and(|open| open.path == path)
        });
        self.apply(DocumentCommand::Translate(Scope::Document));
        self.until("it is translated", |state| {
            !state.document.translations.is_busy()
        });
        for sentence in [2, 4] {
            self.apply(GoCommand::Select(sentence));
            self.apply(EditCommand::Start(sentence));
            self.apply(EditCommand::Write(format!("Satz {number} {sentence}")));
            self.apply(EditCommand::KeepAndConfirm);
        }
        self.apply(EditCommand::Discard);
        self.apply(EditCommand::Undo);
        self.apply(EditCommand::Redo);
        self.apply(GoCommand::ScrollTo(8));
        let open = self.harness.state().state.document.editing.open.as_ref();
        let target = open.expect("it is open").target(4);
        assert_eq!(target.state, State::Confirmed);
        assert_eq!(target.text, format!("Satz {number} 4"));
        let to = path.with_extension("de.html");
        self.apply(SaveCommand::SaveTo {
            document: path,
            path: to.clone(),
            overwrite: true,
        });
        self.until("it is saved", |state| {
            !state.document.saving.is_running() && to.is_file()
        });
        self.apply(DocumentCommand::Close);
        self.until("it is closed", |state| {
            state.document.editing.open.is_none()
        });
    }
}

/// `CANOPY_DOCUMENTS` says how many documents a day has: eight hours have some 5,000. What the first ones fill, such as
/// tables of letters, is no leak: a hundred, or half of a short day.
#[test]
fn a_day_of_documents_costs_no_memory_threads_or_handles() {
    let name = "long_day::a_day_of_documents_costs_no_memory_threads_or_handles";
    alone(name, work_all_day);
}

fn work_all_day() {
    let documents = std::env::var("CANOPY_DOCUMENTS");
    let documents: usize = documents.map_or(60, |it| it.parse().expect("a number"));
    let first = (documents / 2).min(100);
    let mut day = Day::new();
    day.apply(CheckCommand::ToggleList);
    let mut after_first = None;
    for number in 0..documents {
        day.document(number);
        let done = number + 1;
        if done == first {
            after_first = Some(Held::at_rest());
        }
        if done == first || done % 500 == 0 {
            println!("{done} documents: {:?}", Held::now());
        }
    }
    let (before, after) = (after_first.expect("more than one"), Held::at_rest());
    println!("{documents} documents: {after:?}");
    let grown = after.resident_kib.saturating_sub(before.resident_kib);
    assert!(
        grown * 10 <= before.resident_kib,
        "{before:?} became {after:?}"
    );
    assert_eq!(after.threads, before.threads, "threads");
    assert_eq!(after.handles, before.handles, "file handles");
}
