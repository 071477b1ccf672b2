//! The explorer: from a page to its trace, a word, the tree, and a figure on disk.

mod margin;
mod similarity;

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use canopy::app::{
    DialogRequest, DocumentEvent, EditCommand, ExploreCommand, ExploreEvent, ModelsCommand,
    ModelsEvent, Page, WindowCommand,
};
use canopy::explain::{
    AgreeingWord, ContextDifference, Explanation, Heads, MemoryPair, MemoryView, MemoryWord,
    ModelView, PairWord, ViewKind, WordDifference,
};
use canopy::inference::InstalledModel;
use canopy::interchange::{Archive, Encoder};
use canopy::jobs::{ExplainLane, Pool, Worker};
use canopy::similarity::Measure;
use canopy::trace::Trace;
use canopy::training::DeviceLock;
use canopy::weights::Precision;
use egui::accesskit::Role;
use egui_kittest::kittest::NodeT;

use super::*;

/// The explorer with the thread that answers it.
pub(super) struct Explored {
    pub(super) harness: Harness<'static, Window>,
    thread: ExplainLane,
    events: Receiver<Event>,
}

impl Explored {
    fn new(window: Window) -> Self {
        let (sender, events) = channel();
        let thread = ExplainLane::new(&Pool::new("test", sender, || ()).expect("a thread"));
        let mut harness = window.harness();
        // Not until it rests: what is awaited spins.
        harness.run_steps(2);
        Self {
            harness,
            thread,
            events,
        }
    }

    /// A page of three sentences that was translated and traced.
    pub(super) fn page() -> Self {
        Self::page_with(small::trace(true))
    }

    pub(super) fn page_with(trace: Trace) -> Self {
        let mut window = Window::with_document("<p>A b</p><p>C</p><p>D e</p>").translated();
        window.state.apply(WindowCommand::ShowPage(Page::Explore));
        let Some(Request::Trace { job, targets, .. }) = window.state.shared.requests.pop() else {
            panic!("the document is traced when the page is shown");
        };
        assert_eq!(targets[0].as_deref(), Some("A B"));
        let source = Arc::new(trace.into());
        window.state.receive(ExploreEvent::Traced { job, source });
        let mut explored = Self::new(window);
        explored.answer();
        explored
    }

    /// Until all questions are answered and drawn.
    pub(super) fn answer(&mut self) {
        self.harness.run_steps(3);
        let state = &mut self.harness.state_mut().state;
        while let Some(request) = state.explorer.requests.pop() {
            self.thread.send(request);
            let event = self.events.recv_timeout(Duration::from_mins(2));
            state.receive(event.expect("an answer"));
        }
        self.harness.run();
    }

    pub(super) fn click(&mut self, label: &str) {
        // A page of the window and a view have the same name.
        let found = self.harness.get_all_by_label(label).last();
        found.expect("it is there").click();
        self.answer();
    }

    /// The figure in words, for those who cannot see it.
    pub(super) fn figure(&self) -> String {
        let figure = self.harness.get_by_role(Role::Figure);
        figure.accesskit_node().label().unwrap_or_default()
    }
}

#[test]
fn a_model_that_reads_sentences_offers_one_that_reads_the_document() {
    let window = Window::with_document("<p>A b</p><p>C</p><p>D e</p>").translated();
    let reader = InstalledModel {
        reads_documents: true,
        ..models::model("reader", &["en"], &["de"])
    };
    let mut window = models::with_models(window, vec![reader]);
    window.state.apply(WindowCommand::ShowPage(Page::Explore));
    let Some(Request::Trace { job, .. }) = window.state.shared.requests.pop() else {
        panic!("the document is traced when the page is shown");
    };
    let mut trace = small::trace(false);
    trace.maps.clear();
    let source = Arc::new(trace.into());
    window.state.receive(ExploreEvent::Traced { job, source });
    let mut explored = Explored::new(window);
    // What such a trace has to show is awaited, which spins.
    explored.harness.run_steps(3);
    explored.harness.get_by_label("Trace with reader").click();
    explored.harness.run_steps(3);
    let state = &mut explored.harness.state_mut().state;
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!("the model is opened");
    };
    let info = ModelInfo {
        reads: Reads::Source,
        ..info(folder)
    };
    state.receive(ModelsEvent::Opened {
        job,
        info,
        device_name: "CPU (2 threads)".to_owned(),
        memory: None,
    });
    let requests = &state.shared.requests;
    let is_traced = requests
        .iter()
        .any(|it| matches!(it, Request::Trace { .. }));
    assert!(is_traced, "and the document with it");
    assert_eq!(state.explorer.inquiry.question.view, ViewKind::Tree);
    assert!(state.present().model_of_documents().is_none());
}

#[test]
fn a_word_is_chosen_and_the_tree_shows_what_it_kept() {
    let mut explored = Explored::page();
    assert!(explored.figure().starts_with("Content tree"));
    explored.click("b");
    let figure = explored.figure();
    assert!(
        figure.contains("word 2 “b” · layer 2 · head 1 · T = 1"),
        "{figure}"
    );
    assert!(
        figure.contains("Sentences read: 2 (0.50), 3 (0.50)"),
        "{figure}"
    );
    explored.click("Back");
    let figure = explored.figure();
    assert!(figure.contains("word 1 “A”"), "{figure}");
}

#[test]
fn arrows_go_through_words_and_sentences() {
    let mut explored = Explored::page();
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::NextWord));
    explored.answer();
    assert!(
        explored.figure().contains("word 2"),
        "{}",
        explored.figure()
    );
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::NextWord));
    explored.answer();
    let figure = explored.figure();
    assert!(figure.contains("sentence 2 · word 1 “C”"), "{figure}");
}

#[test]
fn every_view_has_something_to_show_or_says_why_not() {
    let mut explored = Explored::page();
    for (view, expected) in [
        ("Sentences", "Context: words × sentences"),
        ("Document", "Context: sentences × sentences"),
        ("Words", "Context: words × words"),
        ("Context", "layer 2"),
        ("Cross-attention", "Cross-attention: target × source"),
        ("Gates", "gate: A"),
        ("Zeros", "zeros"),
    ] {
        explored.click(view);
        let figure = explored.figure();
        assert!(figure.contains(expected), "{view}: {figure}");
    }
    let itself = explored.harness.get_by_label("Self-attention");
    assert!(itself.accesskit_node().is_disabled(), "it was not traced");
}

#[test]
fn a_figure_is_saved_where_the_dialog_said() {
    let mut explored = Explored::page();
    explored.harness.get_by_label_contains("Save").click();
    explored.answer();
    explored.click("Figure as SVG…");
    let state = &mut explored.harness.state_mut().state;
    let name = "small.svg".to_owned();
    assert_eq!(
        state.shared.asks.pop(),
        Some(DialogRequest::Explanation { name })
    );
    let folder = tempfile::tempdir().expect("a folder");
    for (name, expected) in [("small.svg", "Content tree"), ("small.csv", "cumulative")] {
        let path = folder.path().join(name);
        let state = &mut explored.harness.state_mut().state;
        state.apply(Command::Explore(ExploreCommand::SaveFigure(path.clone())));
        explored.answer();
        assert!(
            explored
                .harness
                .query_all_by_label("Saved")
                .next()
                .is_some()
        );
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains(expected), "{name}");
    }
}

#[test]
fn an_edit_makes_the_trace_an_old_one() {
    let mut explored = Explored::page();
    assert!(explored.harness.query_by_label("Recompute").is_none());
    let state = &mut explored.harness.state_mut().state;
    state.apply(EditCommand::Start(1));
    state.apply(EditCommand::Write("Zeh".to_owned()));
    state.apply(EditCommand::Keep);
    explored.harness.run();
    explored.harness.get_by_label("Recompute").click();
    explored.harness.run_steps(3);
    let request = explored.harness.state_mut().state.shared.requests.pop();
    let Some(Request::Trace { targets, .. }) = request else {
        panic!("it is traced again");
    };
    assert_eq!(targets[1].as_deref(), Some("Zeh"));
}

#[test]
fn a_sentence_of_a_trace_is_shown_in_no_other_document() {
    let mut explored = Explored::page();
    let state = &mut explored.harness.state_mut().state;
    let shown = |state: &mut AppState, sentence: usize| {
        state.apply(WindowCommand::ShowPage(Page::Explore));
        state.apply(Command::Explore(ExploreCommand::ShowInDocument(sentence)));
        state.shared.page == Page::Document
    };
    assert!(shown(state, 1));
    assert_eq!(
        state
            .explorer
            .inquiry
            .why_old(&state.shared, state.present()),
        None
    );
    let open = |state: &mut AppState, path: &str, html: &str| {
        state.apply(WindowCommand::ShowPage(Page::Explore));
        state.apply(WindowCommand::OpenPath(path.into()));
        let opening = state.document.opening.as_ref().map(|opening| opening.0);
        let document = Document::parse("page.html", Format::Html, html.to_owned());
        state.receive(DocumentEvent::Opened {
            job: opening.expect("it is opened"),
            path: path.into(),
            document: Arc::new(document.expect("a page")),
            project: None,
            project_error: None,
        });
    };
    let title = "The open document has no such sentence there";
    let page = "<p>A b</p><p>C</p><p>D e</p>";
    open(state, "other/page.html", page);
    let reason = state
        .explorer
        .inquiry
        .why_old(&state.shared, state.present())
        .expect("a reason");
    assert!(reason.contains("another document"), "{reason}");
    assert!(!shown(state, 1));
    assert_eq!(state.shared.notices.last().expect("a notice").title, title);
    // Read again with a change: the sentence is identified by its text.
    open(state, "page.html", &page.replace("D e", "F"));
    let reason = state
        .explorer
        .inquiry
        .why_old(&state.shared, state.present())
        .expect("a reason");
    assert!(reason.contains("has changed"), "{reason}");
    assert!(shown(state, 1) && !shown(state, 2));
}

#[test]
fn a_saved_trace_opens_without_model_and_document() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.trace");
    canopy::trace::save(&small::trace(false), &path, false).expect("a file");
    let mut window = Window::default();
    window.state.apply(WindowCommand::OpenPath(path));
    let mut explored = Explored::new(window);
    explored.answer();
    assert!(explored.figure().starts_with("Document tree"));
    let broken = folder.path().join("broken.trace");
    std::fs::write(&broken, b"{\"version\": 99}").expect("a file");
    let state = &mut explored.harness.state_mut().state;
    state.apply(WindowCommand::OpenPath(broken));
    explored.answer();
    explored
        .harness
        .get_by_label("The trace could not be opened");
    assert!(
        explored.figure().starts_with("Document tree"),
        "the other one stays"
    );
}

#[test]
fn maps_of_another_model_stand_beside_those_of_the_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut other = small::trace(true);
    other.overview.model.name = "Other".to_owned();
    let same = folder.path().join("other.trace");
    canopy::trace::save(&other, &same, false).expect("a file");
    other.overview.source[0].text = "Another text".to_owned();
    let wrong = folder.path().join("wrong.trace");
    canopy::trace::save(&other, &wrong, false).expect("a file");
    let mut explored = Explored::page();
    explored.click("Cross-attention");
    for (path, both) in [(wrong, false), (same, true)] {
        let state = &mut explored.harness.state_mut().state;
        state.apply(Command::Explore(ExploreCommand::CompareWith(path)));
        explored.answer();
        let figure = explored.figure();
        assert_eq!(figure.contains("Other · Cross-attention"), both, "{figure}");
    }
    explored
        .harness
        .get_by_label("This trace cannot be compared");
    explored
        .harness
        .get_by_label_contains("compared with Other")
        .click();
    explored.answer();
    assert!(!explored.figure().contains("Other"));
}

#[test]
fn the_model_looks_once_at_a_sentence_whichever_of_its_words_is_selected() {
    let mut explored = Explored::page();
    let state = &mut explored.harness.state_mut().state;
    let explore = |state: &mut AppState, command| state.apply(Command::Explore(command));
    explore(state, ExploreCommand::View(ViewKind::Difference));
    let Some(Request::Explain { job, sentence, .. }) = state.shared.requests.pop() else {
        panic!("the model is used");
    };
    let word = WordDifference {
        label: "x".to_owned(),
        in_document: -1.0,
        alone: -1.5,
        shuffled: -1.25,
    };
    let difference = ContextDifference {
        model: "tiny".to_owned(),
        sentence,
        source: "A b".to_owned(),
        translation: "X".to_owned(),
        written: Vec::new(),
        words: vec![word],
        selected: None,
    };
    let explanation = Ok(Box::new(Explanation::Difference(difference)));
    state.receive(ExploreEvent::Explained { job, explanation });
    explore(state, ExploreCommand::SelectWholeSentence);
    assert!(state.shared.requests.is_empty());
    let shown = state
        .explorer
        .answer
        .as_ref()
        .and_then(|answer| answer.as_ref().ok());
    assert_eq!(shown.map(|answer| answer.question.query.word), Some(None));
    explore(state, ExploreCommand::NextSentence);
    assert!(matches!(
        state.shared.requests.pop(),
        Some(Request::Explain { sentence: 1, .. })
    ));
}

#[test]
fn another_memory_makes_the_trace_an_old_one() {
    let mut explored = Explored::page();
    let state = &mut explored.harness.state_mut().state;
    assert!(state.explorer.is_traced(&state.shared, state.present()));
    for memory in [Some("mine.tmx"), None] {
        state.apply(ModelsCommand::UseMemory(memory.map(PathBuf::from)));
        let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
            panic!("the model is opened with it");
        };
        state.receive(ModelsEvent::Opened {
            job,
            info: info(folder),
            device_name: "CPU".to_owned(),
            memory: None,
        });
        let reason = state
            .explorer
            .inquiry
            .why_old(&state.shared, state.present());
        assert_eq!(
            state.explorer.is_traced(&state.shared, state.present()),
            memory.is_none()
        );
        assert_eq!(reason.is_some(), memory.is_some(), "{reason:?}");
    }
}

#[test]
fn what_was_looked_up_stands_with_its_pairs_word_by_word() {
    let mut trace = small::trace(true);
    trace.overview.model.looks_up = true;
    let mut explored = Explored::page_with(trace);
    explored.click("Memory");
    let state = &mut explored.harness.state_mut().state;
    let Some(Request::Explain { job, view, .. }) = state.shared.requests.pop() else {
        panic!("the model is used");
    };
    assert_eq!(view, ModelView::Memory);
    let view = MemoryView {
        model: "tiny".to_owned(),
        sentence: 0,
        source: "A b".to_owned(),
        words: vec![MemoryWord {
            label: "x".to_owned(),
            begins: true,
            weight: 0.5,
            alone: 0.25,
            mixed: 0.625,
            agreeing: vec![AgreeingWord {
                pair: 0,
                word: 0,
                weight: 0.5,
            }],
        }],
        pairs: vec![MemoryPair {
            source: "Not a".to_owned(),
            words: vec![PairWord {
                label: "x".to_owned(),
                begins: true,
            }],
        }],
        selected: None,
    };
    let explanation = Ok(Box::new(Explanation::Memory(view)));
    state.receive(ExploreEvent::Explained { job, explanation });
    explored.answer();
    let figure = explored.figure();
    assert!(figure.contains("0.62 with its memory"), "{figure}");
    assert!(figure.contains("0.500  Not a"), "{figure}");
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::SelectWholeSentence));
    assert!(state.shared.requests.is_empty(), "its words are known");
    explored.answer();
    let figure = explored.figure();
    assert!(figure.contains("0.50 of its words"), "{figure}");

    let explored = Explored::page();
    let button = explored.harness.get_all_by_label("Memory").last();
    let is_disabled = button.is_some_and(|it| it.accesskit_node().is_disabled());
    assert!(is_disabled, "nothing was looked up for this trace");
}
