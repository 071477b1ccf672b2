//! Frame times of the explorer's tree on a long document: everything shown, zoomed in and panned, and other words chosen.
//!
//! Work of the processor for a frame (layout, drawing, tessellation), without the display; the map that a GPU draws has
//! `map_frames`.
//!
//! `cargo bench --bench explorer_frames -- [--sentences 16384]`

#[path = "support/memory.rs"]
mod memory;
#[path = "../tests/support/sketch.rs"]
mod sketch;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

use canopy::app::{AppState, Command, ExploreCommand, ExploreEvent, WindowCommand};
use canopy::gui::{Panels, install_theme, workbench_ui};
use canopy::jobs::{ExplainLane, ExplainRequest, Pool};
use egui::{
    Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase,
    vec2,
};
use egui_kittest::Harness;
use memory::resident_mib;
use sketch::Sketch;

const FRAMES: u16 = 200;
/// On the figure.
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
    let mut sentences = 16_384;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--sentences" {
            let number = arguments.next().and_then(|text| text.parse().ok());
            sentences = number.expect("a number of sentences");
        }
    }
    let mut sketch = Sketch::new(1, sentences);
    sketch.kept_sentences = 8;
    let trace = sketch.trace();
    println!(
        "{sentences} sentences, T = 8; memory {:.0} MiB",
        resident_mib()
    );

    let mut window = Window::default();
    // As if it had been read from a file.
    let path = std::path::PathBuf::from("sketch.trace");
    window.state.apply(WindowCommand::OpenPath(path.clone()));
    let Some(ExplainRequest::Open { job, .. }) = window.state.explorer.requests.pop() else {
        panic!("a trace is opened");
    };
    let source = Arc::new(trace.into());
    window
        .state
        .receive(ExploreEvent::TraceOpened { job, path, source });
    let (sender, events) = channel();
    let thread = ExplainLane::new(&Pool::new("bench", sender, || ()).expect("a thread"));
    let answer = |state: &mut AppState| {
        let begun = Instant::now();
        while let Some(request) = state.explorer.requests.pop() {
            thread.send(request);
            state.receive(events.recv().expect("an answer"));
        }
        begun.elapsed().as_secs_f64()
    };
    answer(&mut window.state);
    let mut harness = Harness::builder()
        .with_size([1280.0, 720.0])
        .with_context_setup(install_theme)
        .build_ui_state(frame, window);
    harness.run_steps(3);

    println!("{:28} median      99 %", "");
    let still = times(&mut harness, |_, _| ());
    line("nothing moves", still);
    let zoom = |harness: &mut Harness<'_, Window>, step: u16| {
        harness.event(Input::PointerMoved(MIDDLE));
        harness.event(Input::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, if step < FRAMES / 2 { 12.0 } else { -12.0 }),
            phase: TouchPhase::Move,
            source: MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
    };
    line("zooming in and out", times(&mut harness, zoom));
    for _ in 0..40 {
        zoom(&mut harness, 0);
        harness.step();
    }
    let press = |pressed| Input::PointerButton {
        pos: MIDDLE,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.event(press(true));
    let pan = |harness: &mut Harness<'_, Window>, step: u16| {
        let turn = f32::from(step) / f32::from(FRAMES) * std::f32::consts::TAU;
        harness.event(Input::PointerMoved(MIDDLE + vec2(300.0 * turn.sin(), 0.0)));
    };
    line("panning", times(&mut harness, pan));
    harness.event(press(false));
    let mut answers = Vec::new();
    let choose = |harness: &mut Harness<'_, Window>, _| {
        let state = &mut harness.state_mut().state;
        state.apply(Command::Explore(ExploreCommand::NextWord));
        answers.push(answer(state));
    };
    line("another word, with answer", times(&mut harness, choose));
    line("  of that the answer", answers);
    println!("memory {:.0} MiB", resident_mib());
}

/// Seconds of every frame.
fn times(
    harness: &mut Harness<'_, Window>,
    mut prepare: impl FnMut(&mut Harness<'_, Window>, u16),
) -> Vec<f64> {
    let frames = (0..FRAMES).map(|step| {
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
    println!("{name:28} {:5.1} ms {:7.1} ms", median * 1e3, late * 1e3);
}
