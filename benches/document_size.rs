//! A Word document of 500 pages, made by repeating a real one: how long it takes to be opened and written, in how much
//! memory, and how long a frame of the window takes while it is scrolled through.
//!
//! `cargo bench --bench document_size -- [--docx FILE] [--pages 500] [--save FILE]`; without a file the one of
//! ../shared/documents.

#[path = "support/memory.rs"]
mod memory;

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use canopy::app::{AppState, DocumentEvent, Folders, GoCommand, Settings, Shipped, WindowCommand};
use canopy::gui::{Panels, install_theme, workbench_ui};
use canopy::jobs::FileRequest;
use canopy::text::document::{Document, Format};
use canopy::text::pseudo::Pseudo;
use egui::{Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, Pos2, TouchPhase, vec2};
use egui_kittest::Harness;
use memory::resident_mib;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Letters on a page of an ordinary letter or manual.
const PAGE_CHARS: usize = 2_500;
const FRAMES: u16 = 200;
const MIB: f64 = 1024.0 * 1024.0;

fn main() -> ExitCode {
    canopy::never_purge_memory();
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/documents/docx");
    let mut path = shared.join("omegat--file-OpenXMLFilter-tables.docx");
    let (mut pages, mut save) = (500, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut text = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--docx" => path = PathBuf::from(text()),
            "--pages" => pages = text().parse().expect("a number of pages"),
            "--save" => save = Some(PathBuf::from(text())),
            _ => {}
        }
    }
    let Ok(original) = fs::read(&path) else {
        eprintln!("document_size: skipped, there is no {}", path.display());
        return ExitCode::SUCCESS;
    };
    let (bytes, unpacked) = repeated(&original, pages);
    println!(
        "{pages} pages of {}: {:.1} MiB, unpacked {unpacked:.1} MiB",
        path.display(),
        mib(bytes.len())
    );
    if let Some(save) = save {
        fs::write(save, &bytes).expect("saved");
    }
    let document = open_and_write(bytes, unpacked);
    scroll(document);
    ExitCode::SUCCESS
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn mib(bytes: usize) -> f64 {
    bytes as f64 / MIB
}

/// The document with its text so often that it fills these pages; and its size when it is unpacked, in MiB.
fn repeated(original: &[u8], pages: usize) -> (Vec<u8>, f64) {
    let document =
        Document::from_bytes("a.docx", Format::Docx, original.to_vec()).expect("a document");
    let letters: usize = document
        .sentences
        .iter()
        .map(|it| it.text.chars().count())
        .sum();
    let times = (pages * PAGE_CHARS).div_ceil(letters.max(1));
    let mut archive = ZipArchive::new(Cursor::new(original)).expect("an archive");
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut unpacked = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let name = entry.name().expect("a name").into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("unpacked");
        if name == "word/document.xml" {
            content =
                repeated_body(&String::from_utf8(content).expect("UTF-8"), times).into_bytes();
        }
        unpacked += content.len();
        writer
            .start_file(name, SimpleFileOptions::default())
            .expect("an entry");
        writer.write_all(&content).expect("written");
    }
    let bytes = writer.finish().expect("an archive").into_inner();
    (bytes, mib(unpacked))
}

fn repeated_body(xml: &str, times: usize) -> String {
    let start = xml.find("<w:body>").expect("a body") + "<w:body>".len();
    let body_end = xml.rfind("</w:body>").expect("its end");
    let last = xml[start..body_end].rfind("<w:sectPr");
    let end = last.map_or(body_end, |last| start + last);
    [&xml[..start], &xml[start..end].repeat(times), &xml[end..]].concat()
}

/// The most memory that this process had, since [`forget_peak`].
fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

fn forget_peak() {
    // Where the system has no such thing the peak is that of the whole run.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn open_and_write(bytes: Vec<u8>, unpacked: f64) -> Arc<Document> {
    let before = resident_mib();
    forget_peak();
    let begun = Instant::now();
    let document = Document::from_bytes("long.docx", Format::Docx, bytes).expect("a document");
    let secs = begun.elapsed().as_secs_f64();
    let (kept, most) = (resident_mib() - before, peak_mib() - before);
    println!(
        "opened in {secs:.2} s: {} sentences, {kept:.0} MiB ({:.1} times its unpacked size), at most {most:.0} MiB ({:.1} times)",
        document.sentences.len(),
        kept / unpacked,
        most / unpacked
    );
    let accents: Vec<Option<String>> = document
        .sentences
        .iter()
        .map(|sentence| Some(Pseudo::Accents.translated(&sentence.text)))
        .collect();
    forget_peak();
    let before = resident_mib();
    let begun = Instant::now();
    let written = document.written(&accents, Some("de")).expect("written");
    println!(
        "written in {:.2} s: {:.1} MiB, at most {:.0} MiB more",
        begun.elapsed().as_secs_f64(),
        mib(written.len()),
        peak_mib() - before
    );
    Arc::new(document)
}

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

/// Times the processor's share of a frame, without the display.
fn scroll(document: Arc<Document>) {
    let mut window = Window {
        state: AppState::new(Folders::default(), Settings::default(), Shipped::default()),
        panels: Panels::default(),
    };
    window
        .state
        .apply(WindowCommand::OpenPath("long.docx".into()));
    let Some(FileRequest::OpenDocument { job, path, .. }) = window.state.shared.file_requests.pop()
    else {
        panic!("a document is opened");
    };
    window.state.receive(DocumentEvent::Opened {
        job,
        path,
        document,
        project: None,
        project_error: None,
    });
    // An empty window first: fonts are read, letters drawn.
    let mut harness = Harness::builder()
        .with_size([1280.0, 720.0])
        .with_context_setup(install_theme)
        .build_ui_state(
            frame,
            Window {
                state: AppState::new(Folders::default(), Settings::default(), Shipped::default()),
                panels: Panels::default(),
            },
        );
    harness.run_steps(3);
    *harness.state_mut() = window;
    let begun = Instant::now();
    harness.step();
    println!("first frame {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    harness.run_steps(3);
    let middle = Pos2::new(640.0, 400.0);
    let wheel = |harness: &mut Harness<'_, Window>, points: f32| {
        harness.event(Input::PointerMoved(middle));
        harness.event(Input::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, points),
            phase: TouchPhase::Move,
            source: MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
    };
    println!("{:28} median      99 %", "");
    line("nothing moves", times(&mut harness, |_, _| ()));
    line(
        "scrolling",
        times(&mut harness, |harness, _| wheel(harness, -90.0)),
    );
    let far = |harness: &mut Harness<'_, Window>, step: u16| {
        let count = harness
            .state()
            .state
            .document
            .editing
            .open
            .as_ref()
            .map_or(1, |it| it.document.sentences.len());
        let row = usize::from(step) * 7919 % count;
        harness.state_mut().state.apply(GoCommand::Select(row));
    };
    line("jumping about", times(&mut harness, far));
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
