//! The cost of watching a run: target tokens a second while the window draws its charts and while there is no frame, in
//! turn, in one run.
//!
//! Opens a window for some minutes. Where there is no display: `xvfb-run -s "-screen 0 1280x820x24" cargo bench --bench
//! charts_cost -- --corpus DIR [--preset x-transformer-small] [--turns 10] [--steps 20]`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use canopy::app::settings::Device;
use canopy::app::training::{NewRun, TrainingCommand};
use canopy::app::{AppState, Command, Folders, Page, Settings, Shipped, WindowCommand};
use canopy::gui::{Panels, install_theme, workbench_ui};
use canopy::inference::{ComputeDevice, DeviceChoice};
use canopy::jobs::{Event, Pool, RunFolders, Trainings};
use canopy::training::{DeviceLock, TrainingEvent, train};
use egui::vec2;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Steps before anything counts: the first ones build what the later ones use.
const BEFORE: usize = 10;

#[derive(Debug)]
struct Arguments {
    corpus: PathBuf,
    preset: String,
    turns: usize,
    steps: usize,
}

/// Target tokens and seconds of steps without the window's frames, and with them.
#[derive(Debug, Default)]
struct Measured {
    tokens: [u64; 2],
    secs: [f64; 2],
    frames: u64,
    /// Time that the window's thread had worked before the first of these frames.
    nanoseconds_before: Option<u64>,
}

fn main() -> ExitCode {
    canopy::never_purge_memory();
    let mut parsed = Arguments {
        corpus: "corpora/help-en-de".into(),
        preset: "x-transformer-small".to_owned(),
        turns: 10,
        steps: 20,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut text = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--corpus" => parsed.corpus = text().into(),
            "--preset" => parsed.preset = text(),
            "--turns" => parsed.turns = text().parse().expect("a number of turns"),
            "--steps" => parsed.steps = text().parse().expect("a number of steps"),
            _ => {}
        }
    }
    match run(parsed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("charts_cost: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(parsed: Arguments) -> eframe::Result {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().to_owned();
    let measured = Arc::new(Mutex::new(Measured::default()));
    let own = Arc::clone(&measured);
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size(vec2(1280.0, 820.0)),
        persist_window: false,
        ..Default::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |context| {
        install_theme(&context.egui_ctx);
        if let Some(state) = &context.wgpu_render_state {
            println!("drawn by {}", state.adapter.get_info().name);
        }
        let window = Window::new(&context.egui_ctx, data, &parsed, own)?;
        Ok(Box::new(window))
    });
    eframe::run_native("canopy-charts", options, create)?;
    let measured = measured.lock().expect("nobody panicked");
    let [without, with] = [0, 1].map(|turn| {
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let tokens = measured.tokens[turn] as f64;
        tokens / measured.secs[turn]
    });
    println!("without the window {without:7.0} target tokens a second");
    println!("with the window    {with:7.0}");
    println!("ratio {:.4}, {} frames", with / without, measured.frames);
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of minutes")]
    if let (Some(before), Some(nanoseconds)) = (measured.nanoseconds_before, own_nanoseconds()) {
        let share = (nanoseconds - before) as f64 * 1e-9 / measured.secs[1];
        println!("the window's thread was busy {:.2} %", 100.0 * share);
    }
    Ok(())
}

/// Processor time of this thread, where the system reports it.
fn own_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

struct Window {
    state: AppState,
    panels: Panels,
    trainings: Trainings,
    runs: RunFolders,
    events: Receiver<Event>,
    /// Whether it is the turn of the window.
    shown: Arc<AtomicBool>,
    measured: Arc<Mutex<Measured>>,
}

impl Window {
    fn new(
        ctx: &egui::Context,
        data: PathBuf,
        parsed: &Arguments,
        measured: Arc<Mutex<Measured>>,
    ) -> canopy::app::error::Result<Self> {
        let (sender, events) = channel();
        let shown = Arc::new(AtomicBool::new(true));
        // As the program's own window is woken.
        let wake = |delay: u64| {
            let (ctx, shown) = (ctx.clone(), Arc::clone(&shown));
            move || {
                if shown.load(Ordering::Relaxed) {
                    ctx.request_repaint_after(Duration::from_millis(delay));
                }
            }
        };
        let watch = Watch {
            steps: parsed.steps,
            shown: Arc::clone(&shown),
            measured: Arc::clone(&measured),
        };
        let trainings = Trainings::spawn_with(
            move |job, control, observe| {
                let compute = ComputeDevice::open(DeviceChoice::Cpu)?;
                let mut clock = watch.clock();
                let mut observe = |event: &TrainingEvent| {
                    clock.see(event);
                    observe(event);
                };
                train(
                    &job.config,
                    &job.run,
                    job.resume,
                    &compute.device,
                    &compute.name,
                    control,
                    &mut observe,
                )
            },
            DeviceLock::default(),
            sender.clone(),
            wake(0),
        )?;
        let runs = RunFolders::follow(&Pool::new("bench", sender, wake(1))?, Some(data.clone()));
        let folders = Folders {
            data: Some(data),
            config: None,
        };
        let mut state = AppState::new(folders, Settings::default(), Shipped::default());
        state.apply(WindowCommand::ShowPage(Page::Training));
        let mut form = NewRun::new(parsed.corpus.clone(), Device::Cpu);
        form.choose_preset(&parsed.preset);
        form.config.steps = BEFORE + parsed.steps * 2 * parsed.turns;
        (form.config.validate_every, form.config.checkpoint_every) = (0, usize::MAX);
        for command in [
            TrainingCommand::Fill(Box::new(form)),
            TrainingCommand::Start,
        ] {
            state.apply(Command::Training(command));
        }
        Ok(Self {
            state,
            panels: Panels::default(),
            trainings,
            runs,
            events,
            shown,
            measured,
        })
    }

    fn send(&mut self) {
        for request in self.state.training.runs.requests.drain(..) {
            self.trainings.send(request);
        }
        for request in self.state.shared.run_requests.drain(..) {
            self.runs.send(request);
        }
    }
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        for event in self.events.try_iter() {
            let ends = matches!(event, Event::Finished { .. } | Event::Failed { .. });
            if let Event::Failed { error, .. } = &event {
                eprintln!("charts_cost: {error}");
            }
            self.state.receive(event);
            if ends {
                ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
        self.send();
        if !self.shown.load(Ordering::Relaxed) {
            return;
        }
        let mut measured = self.measured.lock().expect("nobody panicked");
        if measured.secs[0] > 0.0 {
            measured.frames += 1;
            if measured.nanoseconds_before.is_none() {
                measured.nanoseconds_before = own_nanoseconds();
            }
        }
        drop(measured);
        let mut commands = vec![];
        workbench_ui(ui, &self.state, &mut self.panels, &mut commands);
        for command in commands {
            self.state.apply(command);
        }
    }
}

/// Whose turn it is, by the steps of the run.
struct Watch {
    /// In a turn.
    steps: usize,
    shown: Arc<AtomicBool>,
    measured: Arc<Mutex<Measured>>,
}

impl Watch {
    fn clock(&self) -> Clock<'_> {
        Clock {
            watch: self,
            before: None,
        }
    }
}

struct Clock<'a> {
    watch: &'a Watch,
    /// When the step before ended, and the tokens until then.
    before: Option<(Instant, u64)>,
}

impl Clock<'_> {
    fn see(&mut self, event: &TrainingEvent) {
        let &TrainingEvent::Step {
            step,
            target_tokens,
            ..
        } = event
        else {
            // The run begins or ends.
            self.watch.shown.store(true, Ordering::Relaxed);
            return;
        };
        let now = (Instant::now(), target_tokens);
        let before = self.before.replace(now);
        let Some(place) = step.checked_sub(BEFORE + 1) else {
            return;
        };
        let with = place / self.watch.steps % 2 == 1;
        if let Some((begun, tokens)) = before {
            let mut measured = self.watch.measured.lock().expect("nobody panicked");
            measured.tokens[usize::from(with)] += target_tokens - tokens;
            measured.secs[usize::from(with)] += (now.0 - begun).as_secs_f64();
        }
        let next = (place + 1) / self.watch.steps % 2 == 1;
        self.watch.shown.store(next, Ordering::Relaxed);
    }
}
