//! Frame times of the whole window while the explorer's tree and its map of all sentences are moved about in: from one frame
//! to the next, with layout, drawing, the graphics adapter and the display, which is not waited for.
//!
//! Opens a window for some seconds. Where there is no display: `xvfb-run -s "-screen 0 1920x1080x24" cargo bench --bench
//! window_frames -- [--sentences 16384] [--size 1280x720]`

#[path = "support/memory.rs"]
mod memory;
#[path = "../tests/support/sketch.rs"]
mod sketch;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use canopy::app::{AppState, Command, ExploreCommand, ExploreEvent, WindowCommand};
use canopy::explain::{Explanation, ViewKind};
use canopy::gui::{Panels, install_sparse_map, install_theme, workbench_ui};
use canopy::jobs::{Event, ExplainLane, ExplainRequest, Pool};

use egui::{
    Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase,
    Vec2, vec2,
};
use memory::resident_mib;
use sketch::Sketch;

/// Frames that are timed while one thing is done.
const FRAMES: u16 = 200;
/// Before them: pipelines are built, letters are drawn for the first time, and the view is zoomed into.
const BEFORE: u16 = 60;
const VIEWS: [(ViewKind, &str); 2] = [
    (ViewKind::Tree, "tree"),
    (ViewKind::Document, "map of all sentences"),
];

fn main() -> ExitCode {
    canopy::never_purge_memory();
    let (mut sentences, mut size) = (16_384, vec2(1280.0, 720.0));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut text = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--sentences" => sentences = text().parse().expect("a number of sentences"),
            "--size" => {
                let text = text();
                let sides = text.split_once('x').expect("such as 1280x720");
                size = vec2(
                    sides.0.parse().expect("pixels"),
                    sides.1.parse().expect("pixels"),
                );
            }
            _ => {}
        }
    }
    let has = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !has("DISPLAY") && !has("WAYLAND_DISPLAY") {
        eprintln!("window_frames: there is no display; run it under Xvfb (xvfb-run)");
        return ExitCode::FAILURE;
    }
    match run(sentences, size) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("window_frames: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(sentences: usize, size: Vec2) -> eframe::Result {
    let mut sketch = Sketch::new(1, sentences);
    sketch.kept_sentences = 8;
    let trace = sketch.trace();
    println!("{sentences} sentences, T = 8");
    let mut options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_inner_size(size)
            .with_position(Pos2::ZERO)
            .with_decorations(false),
        persist_window: false,
        ..Default::default()
    };
    options.wgpu_options.surface.present_mode = wgpu::PresentMode::AutoNoVsync;
    let create: eframe::AppCreator<'_> = Box::new(move |context| {
        install_theme(&context.egui_ctx);
        if let Some(state) = &context.wgpu_render_state {
            install_sparse_map(&context.egui_ctx, state);
            let adapter = state.adapter.get_info();
            println!("drawn by {} ({:?})", adapter.name, adapter.backend);
        }
        Ok(Box::new(Window::new(trace)?))
    });
    eframe::run_native("canopy-frames", options, create)
}

/// The action on a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Still,
    Panning,
}

struct Window {
    state: AppState,
    panels: Panels,
    thread: ExplainLane,
    events: Receiver<Event>,
    view: usize,
    act: Act,
    step: u16,
    /// When the frame before began.
    begun: Option<Instant>,
    secs: Vec<f64>,
    middle: Pos2,
}

impl Window {
    fn new(trace: canopy::trace::Trace) -> canopy::app::error::Result<Self> {
        let mut state = AppState::default();
        // As if it had been read from a file.
        let path = std::path::PathBuf::from("sketch.trace");
        state.apply(WindowCommand::OpenPath(path.clone()));
        let Some(ExplainRequest::Open { job, .. }) = state.explorer.requests.pop() else {
            panic!("a trace is opened");
        };
        let source = Arc::new(trace.into());
        state.receive(ExploreEvent::TraceOpened { job, path, source });
        let (sender, events) = channel();
        let mut window = Self {
            state,
            panels: Panels::default(),
            thread: ExplainLane::new(&Pool::new("bench", sender, || ())?),
            events,
            view: 0,
            act: Act::Still,
            step: 0,
            begun: None,
            secs: Vec::new(),
            middle: Pos2::ZERO,
        };
        window.answer();
        Ok(window)
    }

    fn answer(&mut self) {
        while let Some(request) = self.state.explorer.requests.pop() {
            self.thread.send(request);
            self.state.receive(self.events.recv().expect("an answer"));
        }
    }

    /// After the last frame of an act: reports it and starts the next one; `false` if there is none.
    fn next_act(&mut self) -> bool {
        let mut secs = std::mem::take(&mut self.secs);
        secs.sort_by(f64::total_cmp);
        let (median, late) = (secs[secs.len() / 2], secs[secs.len() * 99 / 100]);
        let name = format!("{}, {:?}", VIEWS[self.view].1, self.act).to_lowercase();
        println!("{name:32} {:6.2} ms {:6.2} ms", median * 1e3, late * 1e3);
        (self.step, self.begun) = (0, None);
        if self.act == Act::Still {
            self.act = Act::Panning;
            return true;
        }
        (self.act, self.view) = (Act::Still, self.view + 1);
        let Some(&(view, _)) = VIEWS.get(self.view) else {
            println!("memory {:.0} MiB", resident_mib());
            return false;
        };
        self.state
            .apply(Command::Explore(ExploreCommand::View(view)));
        self.answer();
        if let Some(Ok(answer)) = &self.state.explorer.answer
            && let Explanation::Document(map) = &answer.explanation
        {
            println!("the map has {} cells with weight", map.num_cells());
        }
        true
    }
}

impl eframe::App for Window {
    /// The hand at the mouse.
    fn raw_input_hook(&mut self, _ctx: &egui::Context, input: &mut egui::RawInput) {
        let middle = self.middle;
        let press = |pressed| Input::PointerButton {
            pos: middle,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        // The display's own pointer lies somewhere.
        input.events.clear();
        let turn = f32::from(self.step) / f32::from(FRAMES) * 2.0 * std::f32::consts::TAU;
        let place = match (self.act, self.step >= BEFORE) {
            (Act::Panning, true) => middle + vec2(200.0 * turn.sin(), 120.0 * turn.cos()),
            _ => middle,
        };
        input.events.push(Input::PointerMoved(place));
        match (self.act, self.step) {
            (Act::Panning, 10..40) => input.events.push(Input::MouseWheel {
                unit: MouseWheelUnit::Point,
                delta: vec2(0.0, 12.0),
                phase: TouchPhase::Move,
                source: MouseWheelSource::Wheel,
                modifiers: Modifiers::NONE,
            }),
            (Act::Panning, BEFORE) => input.events.push(press(true)),
            (Act::Still, 0) => input.events.push(press(false)),
            _ => {}
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let now = Instant::now();
        let whole = ui.max_rect();
        self.middle = whole.lerp_inside(vec2(0.6, 0.6));
        if self.view == 0 && self.act == Act::Still && self.step == 0 {
            let size = whole.size() * ui.pixels_per_point();
            println!("{} × {} pixels", size.x, size.y);
            println!("{:32}    median      99 %", "");
        }
        let before = self.begun.replace(now);
        if let Some(before) = before.filter(|_| self.step > BEFORE) {
            self.secs.push((now - before).as_secs_f64());
        }
        self.step += 1;
        if self.step > BEFORE + FRAMES && !self.next_act() {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
            self.step = 1;
        }
        let mut commands = vec![];
        if self.view < VIEWS.len() {
            workbench_ui(ui, &self.state, &mut self.panels, &mut commands);
        }
        for command in commands {
            self.state.apply(command);
        }
        self.answer();
        ui.ctx().request_repaint();
    }
}
