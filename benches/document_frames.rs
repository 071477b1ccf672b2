//! Frame times of the document page on a long document: at rest, scrolled, jumping, while one types, filtered, and on the
//! first frame with it.
//!
//! Work of the processor for a frame (layout, drawing, tessellation), without the display.
//!
//! `cargo bench --bench document_frames -- [--sentences 5000]`

#[path = "support/memory.rs"]
mod memory;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use canopy::app::{
    AppState, DocumentCommand, DocumentEvent, EditCommand, Filter, GoCommand, ModelsCommand,
    ModelsEvent, Scope, WindowCommand,
};
use canopy::gui::{Panels, install_theme, workbench_ui};
use canopy::inference::{ModelInfo, Reads, TraceCost, Translation};
use canopy::jobs::{Event, FileRequest, Request, State};
use canopy::text::document::{Document, Format};
use egui::{Event as Input, Modifiers, MouseWheelUnit, Pos2, TouchPhase, vec2};
use egui_kittest::Harness;
use memory::resident_mib;

const FRAMES: u16 = 200;
/// On the document.
const MIDDLE: Pos2 = Pos2::new(760.0, 420.0);

#[derive(Default)]
struct Window {
    state: AppState,
    panels: Panels,
}

fn frame(ui: &mut egui::Ui, window: &mut Window) {
    let mut commands = vec![];
    workbench_ui(ui, &window.state, &mut window.panels, &mut commands);
    for command in commands {
        window.state.apply(command);
    }
}

fn main() {
    canopy::never_purge_memory();
    let mut sentences = 5_000;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--sentences" {
            let number = arguments.next().and_then(|text| text.parse().ok());
            sentences = number.expect("a number of sentences");
        }
    }
    let mut window = Window::default();
    open(&mut window.state, sentences);
    translate(&mut window.state);
    let mut harness = Harness::builder()
        .with_size([1280.0, 820.0])
        .with_context_setup(install_theme)
        .build_ui_state(frame, window);
    println!("{sentences} sentences  median      99 %");
    let first = times(1, &mut harness, |_, _| ());
    line("first frame", first);
    harness.run_steps(3);
    line("nothing moves", times(FRAMES, &mut harness, |_, _| ()));
    let scroll = |harness: &mut Harness<'_, Window>, step: u16| {
        harness.event(Input::PointerMoved(MIDDLE));
        harness.event(Input::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, if step < FRAMES / 2 { -60.0 } else { 60.0 }),
            phase: TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
    };
    line("scrolling", times(FRAMES, &mut harness, scroll));
    let jump = |harness: &mut Harness<'_, Window>, step: u16| {
        let number = 1 + usize::from(step) * 7_919 % sentences;
        let state = &mut harness.state_mut().state;
        state.apply(GoCommand::ToNumber(number));
    };
    line("another place", times(FRAMES, &mut harness, jump));
    let state = &mut harness.state_mut().state;
    state.apply(EditCommand::Start(sentences / 2));
    state.apply(GoCommand::ScrollTo(sentences / 2));
    harness.run_steps(3);
    let write = |harness: &mut Harness<'_, Window>, _| {
        harness.event(Input::Text("a".to_owned()));
    };
    line("typing", times(FRAMES, &mut harness, write));
    let state = &mut harness.state_mut().state;
    state.apply(EditCommand::Discard);
    state.apply(GoCommand::Filter(Some(Filter::State(State::Draft))));
    harness.run_steps(3);
    line("filtered, scrolling", times(FRAMES, &mut harness, scroll));
    println!("memory {:.0} MiB", resident_mib());
}

/// Opens a page of paragraphs with a sentence each, some of them long.
fn open(state: &mut AppState, sentences: usize) {
    let page = (0..sentences).fold(String::new(), |page, number| {
        let long = " with a clause that makes it as long as three lines are".repeat(number % 4);
        let heading = if number % 40 == 0 {
            format!("<h2>Part {number}</h2>")
        } else {
            String::new()
        };
        format!("{page}{heading}<p>Sentence {number} has <b>markup</b>{long}.</p>")
    });
    state.apply(WindowCommand::OpenPath("page.html".into()));
    let Some(FileRequest::OpenDocument { job, path, .. }) = state.shared.file_requests.pop() else {
        panic!("a document is opened");
    };
    let document = Document::parse("page.html", Format::Html, page).expect("a page");
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: Arc::new(document),
        project: None,
        project_error: None,
    });
    state.apply(ModelsCommand::Open("model".into()));
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!("a model is opened");
    };
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
}

fn info(folder: PathBuf) -> ModelInfo {
    ModelInfo {
        name: "tiny".to_owned(),
        folder,
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        num_parameters: 1000,
        reads: Reads::Nothing,
        trace_cost: TraceCost::default(),
    }
}

/// Translates everything into upper case.
fn translate(state: &mut AppState) {
    state.apply(DocumentCommand::Translate(Scope::Document));
    let Some(Request::Translate {
        job,
        document,
        sentences,
        ..
    }) = state.shared.requests.pop()
    else {
        panic!("it is translated");
    };
    for index in sentences {
        let translation = Translation {
            text: document.sentences[index].text.to_uppercase(),
            log_prob: -0.1,
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

/// Seconds of every frame.
fn times(
    frames: u16,
    harness: &mut Harness<'_, Window>,
    mut prepare: impl FnMut(&mut Harness<'_, Window>, u16),
) -> Vec<f64> {
    let frames = (0..frames).map(|step| {
        let begun = Instant::now();
        prepare(harness, step);
        harness.step();
        begun.elapsed().as_secs_f64()
    });
    frames.collect()
}

fn line(name: &str, mut secs: Vec<f64>) {
    secs.sort_by(f64::total_cmp);
    let (median, late) = (secs[secs.len() / 2], secs[secs.len() * 99 / 100]);
    println!("{name:20} {:5.1} ms {:7.1} ms", median * 1e3, late * 1e3);
}
