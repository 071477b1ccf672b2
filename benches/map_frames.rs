//! Frame times of the largest map while it is moved about in, on every available adapter, compared with the plain picture.
//!
//! `cargo bench --bench map_frames -- [--rows 16384] [--top-t 8] [--size 1280x720] [--device gpu]`
//!
//! With `--device gpu` also while a model learns on the same card: drawn by a device of its own, and by that of the model.

#[path = "support/memory.rs"]
mod memory;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

use canopy::charts::Theme;
use canopy::explain::{DocumentMap, MapColours, MapFrame, MapView, Scale, Strip};
use canopy::gui::Offscreen;
use canopy::inference::{ComputeDevice, DeviceChoice};
use canopy::kernels::DropoutSource;
use canopy::kernels::gpu::Gpu;
use canopy::model::{Model, Preset};
use canopy::training::{Adam, Example, ExampleSet};
use memory::resident_mib;

/// Frames of panning, and as many of zooming.
const FRAMES: u32 = 240;
const STRIP: Strip = Strip { gap: 10, width: 34 };

fn main() {
    let (mut rows, mut top_t, mut size, mut gpu) = (16_384, 8, (1_280, 720), false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            "--rows" => rows = number().expect("a number of rows"),
            "--top-t" => top_t = number().expect("a number of cells a row"),
            "--size" => {
                let text = arguments.next().unwrap_or_default();
                let sides = text.split_once('x').expect("such as 1280x720");
                size = (
                    sides.0.parse().expect("pixels"),
                    sides.1.parse().expect("pixels"),
                );
            }
            "gpu" => gpu = true,
            _ => {}
        }
    }
    let before = resident_mib();
    let map = Arc::new(DocumentMap::generated(rows, top_t as usize, 1));
    let ink = MapColours::new(
        &Scale::new(0.0, map.largest(), &Theme::LIGHT),
        &Theme::LIGHT,
    );
    println!(
        "{rows} × {rows}, {} cells, {} × {} pixels; the map takes {:.1} MiB",
        map.num_cells(),
        size.0,
        size.1,
        resident_mib() - before
    );
    println!(
        "drawn by                              median      99 %   GPU memory  host memory  plain/this"
    );
    let plain = times(&map, size, |frame| {
        std::hint::black_box(frame.picture(&map, &ink));
    });
    line(
        "plain picture, one thread",
        &plain,
        0.0,
        resident_mib() - before,
        &plain,
    );
    let format = wgpu::TextureFormat::Bgra8Unorm;
    let whole = (size.0 + STRIP.gap + STRIP.width, size.1);
    let adapters = Offscreen::all(format, whole);
    if adapters.is_empty() {
        println!("no adapter that computes");
    }
    for screen in adapters {
        let before = resident_mib();
        let mut drawing = screen.upload(&map);
        let drawn = times(&map, size, |frame| screen.draw(&mut drawing, frame, &ink));
        #[expect(clippy::cast_precision_loss, reason = "bytes")]
        let gpu = drawing.bytes() as f64 / f64::from(1 << 20);
        let name = format!("{} ({:?})", screen.adapter.name, screen.adapter.backend);
        line(&name, &drawn, gpu, resident_mib() - before, &plain);
    }
    if gpu {
        while_it_learns(&map, size, format, &ink, &plain);
    }
}

/// Times the same frames while a model is trained on the first GPU.
fn while_it_learns(
    map: &Arc<DocumentMap>,
    size: (u32, u32),
    format: wgpu::TextureFormat,
    ink: &MapColours,
    plain: &[f64],
) {
    let compute = ComputeDevice::open(DeviceChoice::Gpu).expect("a GPU");
    let whole = (size.0 + STRIP.gap + STRIP.width, size.1);
    let own = Offscreen::all(format, whole).into_iter().next();
    let own = own.expect("an adapter");
    let card = Gpu::from_device(&compute.device).expect("a GPU");
    let shared = Offscreen::on(own.adapter.clone(), card.device_and_queue(), format, whole);
    println!("while a model learns on {}", compute.name);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (begun, waits) = std::sync::mpsc::channel();
        let (compute, is_over) = (&compute, &is_over);
        scope.spawn(move || learn(compute, is_over, &begun));
        waits.recv().expect("the first update");
        for (name, screen) in [("a device of its own", own), ("the model's device", shared)] {
            let mut drawing = screen.upload(map);
            let drawn = times(map, size, |frame| screen.draw(&mut drawing, frame, ink));
            line(name, &drawn, 0.0, 0.0, plain);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

/// Updates of `x-transformer-small` by 48 sentences of 85 tokens, one after the other.
fn learn(compute: &ComputeDevice, is_over: &AtomicBool, begun: &Sender<()>) {
    let device = compute.device.clone().autodiff();
    let config = Preset::named("x-transformer-small").expect("a preset");
    let mut model = Model::new(&config.config(8_000), &device).expect("a model");
    let mut adam = Adam::default();
    let ids: Vec<u32> = (40..125).collect();
    let example = Example {
        source: ids.clone(),
        target: ids,
        place: (0, 0),
        headings: [0; 3],
        counts: true,
    };
    let runs: Vec<_> = (0..48).map(|number| number..number + 1).collect();
    let set = ExampleSet {
        documents: runs.clone(),
        examples: vec![example; 48],
        ..ExampleSet::default()
    };
    let batch = set.batch(&runs);
    while !is_over.load(Ordering::Relaxed) {
        let loss = model.loss(&batch, 0.1, &DropoutSource::new(0.1, 1));
        let mut gradients = loss.backward();
        model = adam.update(model, &mut gradients, 1e-4, None).0;
        compute.device.sync().expect("the device works");
        begun.send(()).ok();
    }
}

/// Seconds of every frame, sorted: everything shown and moved a little each time, then zooming in to a few cells and
/// out again while moving.
fn times(map: &DocumentMap, size: (u32, u32), mut draw: impl FnMut(&Arc<MapFrame>)) -> Vec<f64> {
    let all = MapView::all(map);
    let (rows, columns) = all.spans();
    let panning = (0..FRAMES).map(|step| {
        let mut view = all;
        view.zoom(view.middle(), (0.9, 0.9), map);
        let turn = f64::from(step) / f64::from(FRAMES) * std::f64::consts::TAU;
        view.pan(0.05 * rows * turn.sin(), 0.05 * columns * turn.cos(), map);
        view
    });
    let zooming = (0..FRAMES).map(|step| {
        let share = f64::from(step) / f64::from(FRAMES);
        let depth = 1.0 - (2.0 * share - 1.0).abs();
        let factor = (8.0 / rows).powf(depth);
        let mut view = all;
        view.zoom((0.37 * rows, 0.37 * columns), (factor, factor), map);
        view
    });
    let views: Vec<MapView> = panning.chain(zooming).collect();
    let mut secs: Vec<f64> = views
        .iter()
        .map(|view| {
            let begun = Instant::now();
            draw(&Arc::new(MapFrame::new(map, view, size, Some(STRIP))));
            begun.elapsed().as_secs_f64()
        })
        .collect();
    // The first frame builds pipelines.
    secs.remove(0);
    secs.sort_by(f64::total_cmp);
    secs
}

fn line(name: &str, secs: &[f64], gpu_mib: f64, host_mib: f64, plain: &[f64]) {
    let middle = secs.len() / 2;
    let (median, late) = (secs[middle], secs[secs.len() * 99 / 100]);
    println!(
        "{name:34} {:8.2} ms {:6.2} ms {gpu_mib:8.1} MiB {host_mib:8.1} MiB {:10.2}",
        median * 1e3,
        late * 1e3,
        plain[middle] / median
    );
}
