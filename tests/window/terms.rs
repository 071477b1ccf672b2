//! Terms: shown in the source, written with a key, added with two.

use canopy::app::{
    DocumentEvent, EditCommand, GoCommand, SourceSelection, TermsCommand, WindowCommand,
};
use canopy::jobs::Worker;
use canopy::terms::{Term, TermIndex, Termbase};
use canopy::training::DeviceLock;
use egui_kittest::kittest::NodeT;

use super::*;

fn index() -> Arc<TermIndex> {
    let mut base = Termbase::empty("en", "de");
    base.terms = vec![Term::new("file", "Datei"), Term::new("click", "klicken")];
    Arc::new(TermIndex::new(Arc::new(base)))
}

/// With a termbase that was dropped into the window.
pub(super) fn with_terms() -> Window {
    let mut window = Window::with_document(PAGE);
    let state = &mut window.state;
    state.apply(WindowCommand::Drop(vec!["office.tbx".into()]));
    read_terms(state);
    window
}

fn read_terms(state: &mut AppState) {
    let Some(FileRequest::ReadTerms { job, paths, .. }) = state.shared.file_requests.pop() else {
        panic!("{:?}", state.shared.file_requests)
    };
    assert_eq!(paths, [PathBuf::from("office.tbx")]);
    let index = Ok(index());
    state.receive(DocumentEvent::TermsRead { job, index });
}

fn editor(harness: &Harness<'_, Window>) -> (usize, String) {
    let document = harness
        .state()
        .state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document");
    let editor = document.editor.as_ref().expect("the editor is open");
    (editor.sentence, editor.text.clone())
}

fn press(harness: &mut Harness<'_, Window>, key: egui::Key) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, key);
    harness.run_steps(4);
}

#[test]
fn a_term_shows_its_translation_where_the_pointer_is() {
    let mut harness = with_terms().harness();
    harness.run();
    let cell = harness.get_by_label("Click File now.").rect();
    let mut seen = Vec::new();
    for step in 0_u8..16 {
        let x = cell.left() + 60.0 + 10.0 * f32::from(step);
        harness.hover_at(egui::pos2(x, cell.center().y));
        harness.run_steps(16);
        for term in ["klicken", "Datei"] {
            if harness.query_by_label(term).is_some() && !seen.contains(&term) {
                seen.push(term);
            }
        }
    }
    assert_eq!(seen, ["klicken", "Datei"]);
}

#[test]
fn terms_are_written_with_a_key_one_after_the_other() {
    let mut window = with_terms();
    window.state.apply(GoCommand::Select(1));
    let mut harness = window.harness();
    harness.run();
    press(&mut harness, egui::Key::I);
    assert_eq!(editor(&harness), (1, "klicken".to_owned()));
    press(&mut harness, egui::Key::I);
    assert_eq!(editor(&harness), (1, "klicken Datei".to_owned()));
    press(&mut harness, egui::Key::I);
    assert_eq!(editor(&harness).1, "klicken Datei");
    harness.get_by_label("No term to insert");
}

#[test]
fn what_is_selected_on_both_sides_becomes_a_term_in_two_keystrokes() {
    let mut harness = with_terms().harness();
    harness.run();
    let cell = harness.get_by_label("Then wait.").rect();
    let at = |x: f32| egui::pos2(cell.left() + x, cell.center().y);
    harness.drag_at(at(58.0));
    harness.run_steps(2);
    for x in [80.0, 150.0, 300.0] {
        harness.hover_at(at(x));
        harness.run_steps(1);
    }
    harness.drop_at(at(300.0));
    harness.run_steps(2);
    let selected = SourceSelection {
        sentence: 2,
        chars: 0..10,
    };
    assert_eq!(
        harness.state().state.document.terms.selected,
        Some(selected)
    );
    harness.state_mut().state.apply(GoCommand::Select(2));
    harness
        .state_mut()
        .state
        .apply(EditCommand::StartWith("dann warten".to_owned()));
    harness.run_steps(4);
    press(&mut harness, egui::Key::A);
    press(&mut harness, egui::Key::K);
    harness.get_by_label("New term");
    harness.key_press(egui::Key::Enter);
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let Some(FileRequest::AddTerm {
        job,
        paths,
        languages,
        term,
    }) = state.shared.file_requests.pop()
    else {
        panic!("{:?}", state.shared.file_requests)
    };
    assert_eq!(paths, [PathBuf::from("office.tbx")]);
    assert_eq!(languages, ("en".to_owned(), "de".to_owned()));
    assert_eq!(term, Term::new("Then wait.", "dann warten"));
    // It can be looked up as soon as it is written.
    let index = Ok(index());
    state.receive(DocumentEvent::TermsRead { job, index });
    assert!(state.document.terms.new.is_none() && state.document.terms.index.is_some());
}

#[test]
fn a_termbase_belongs_to_its_document_and_is_chosen_in_the_menu() {
    let mut harness = with_terms().harness();
    harness.run();
    harness.get_by_label("Resources").click();
    harness.run();
    harness.get_by_label("office.tbx");
    harness.get_by_label("2 terms");
    harness.get_by_label("No terms").click();
    harness.run_steps(3);
    let use_none = Command::from(TermsCommand::Use(vec![]));
    assert!(harness.state().commands.contains(&use_none));
    let state = &mut harness.state_mut().state;
    assert!(state.document.terms.index.is_none());
    let document = state.document.editing.open.as_ref().expect("a document");
    assert!(document.terms.is_empty());
    state.apply(WindowCommand::Drop(vec!["other.tbx".into()]));
    let project = state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document")
        .project();
    assert_eq!(project.terms, ["other.tbx"]);
}

#[test]
fn several_termbases_are_used_together_and_new_terms_go_to_the_first() {
    let mut window = with_terms();
    window.state.apply(TermsCommand::Choose);
    let ask = window.state.shared.asks.pop().expect("a question");
    window.state.apply(ask.answer("vendor.csv".into(), true));
    let state = &mut window.state;
    let Some(FileRequest::ReadTerms { job, paths, .. }) = state.shared.file_requests.pop() else {
        panic!("{:?}", state.shared.file_requests)
    };
    let [office, vendor] = ["office.tbx", "vendor.csv"].map(PathBuf::from);
    assert_eq!(paths, [office, vendor.clone()]);
    let index = Ok(index());
    state.receive(DocumentEvent::TermsRead { job, index });
    let kept = state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document")
        .project();
    assert_eq!(kept.terms, ["office.tbx", "vendor.csv"]);
    state.apply(TermsCommand::New);
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Goes to office.tbx");
    harness.key_press(egui::Key::Escape);
    harness.run_steps(4);
    // Without the first one, the other one stays.
    harness.get_by_label("Resources").click();
    harness.run();
    harness.get_by_label("new terms");
    harness.get_by_label("office.tbx").click();
    harness.run_steps(3);
    assert_eq!(harness.state().state.document.terms.paths, [vendor]);
}

#[test]
fn a_double_click_selects_a_word_of_the_source() {
    let mut harness = with_terms().harness();
    harness.run();
    let cell = harness.get_by_label("Then wait.").rect();
    let pos = egui::pos2(cell.left() + 118.0, cell.center().y);
    harness.hover_at(pos);
    for pressed in [true, false, true, false] {
        harness.event(egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
        harness.run_steps(1);
    }
    harness.run_steps(2);
    press(&mut harness, egui::Key::K);
    let new = harness
        .state()
        .state
        .document
        .terms
        .new
        .clone()
        .expect("a term");
    assert_eq!(new.source, "wait");
}

#[test]
fn a_term_is_typed_where_nothing_is_selected() {
    let mut window = with_terms();
    window.state.apply(GoCommand::Select(2));
    let mut harness = window.harness();
    harness.run();
    press(&mut harness, egui::Key::K);
    let add = harness.get_by_label("Add term");
    assert!(add.accesskit_node().is_disabled());
    harness.key_press(egui::Key::Escape);
    harness.run_steps(4);
    assert!(harness.query_by_label("New term").is_none());
}

#[test]
fn an_added_term_is_one_line_more_of_a_table() {
    use canopy::terms::{Term, Termbase};
    let folder = tempfile::tempdir().expect("a folder");
    for (name, before, line) in [
        (
            "a.tsv",
            "license\tlicença\nfile\tarquivo\r\n",
            "page\tpágina\r\n",
        ),
        (
            "b.csv",
            "note;target;source\n;licença;license",
            "\n;página;page\n",
        ),
        (
            "c.txt",
            "# Glossary\nlicense\tlicença\tof software\n",
            "page\tpágina\n",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, before).expect("written");
        let mut base = Termbase::read(&path, "en", "pt").expect("a termbase");
        let term = Term::new("page", "página");
        base.add(term.clone());
        base.save_added(&path, &term).expect("written");
        let after = std::fs::read_to_string(&path).expect("readable");
        assert_eq!(after, format!("{before}{line}"), "{name}");
        let read = Termbase::read(&path, "en", "pt").expect("a termbase");
        assert_eq!(read.len(), base.len(), "{name}");
    }
}

/// The hints of a document with terms that a language model translates.
fn hints_of(model: &str) -> Vec<String> {
    let mut window = with_terms();
    let state = &mut window.state;
    let (sender, events) = std::sync::mpsc::channel();
    let worker = Worker::spawn(DeviceLock::default(), sender, || ()).expect("a thread");
    let next = || {
        let event = events.recv_timeout(std::time::Duration::from_mins(2));
        event.expect("an event")
    };
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data");
    state.apply(ModelsCommand::Open(folder.join(model)));
    let mut request = state.shared.requests.pop().expect("a request");
    if let Request::OpenModel { languages, .. } = &mut request {
        *languages = ["en", "de"].map(|code| Some(code.to_owned()));
    }
    worker.send(request);
    state.receive(next());
    // The pair is that of the model now.
    read_terms(state);
    state.apply(DocumentCommand::Translate(Scope::Document));
    worker.send(state.shared.requests.pop().expect("a translation"));
    loop {
        let event = next();
        let is_last = matches!(event, Event::Finished { .. });
        state.receive(event);
        if is_last {
            break;
        }
    }
    let notices = state.shared.notices.iter();
    notices.map(|it| it.title.clone()).collect()
}

#[test]
fn a_model_that_reads_single_sentences_tells_that_it_reads_no_terms() {
    assert_eq!(hints_of("folders/madlad"), ["madlad reads no terms"]);
    assert!(hints_of("tiny.gguf").is_empty());
    let mut window = with_terms();
    let model = "madlad".to_owned();
    window.state.receive(ModelsEvent::TermsUnread { model });
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("madlad reads no terms");
}
