//! Frame times of the largest map while it is moved about in, on every adapter that there is, beside the plain picture.
//!
//! `cargo bench --bench map_frames -- [--rows 16384] [--top-t 8] [--size 1280x720]`

#[path = "support/memory.rs"]
mod memory;

use std::sync::Arc;
use std::time::Instant;

use canopy::charts::Theme;
use canopy::explain::{DocumentMap, MapColours, MapFrame, MapView, Scale, Strip};
use canopy::gui::Offscreen;
use memory::resident_mib;

/// Frames of panning, and as many of zooming.
const FRAMES: u32 = 240;
const STRIP: Strip = Strip { gap: 10, width: 34 };

fn main() {
    let (mut rows, mut top_t, mut size) = (16_384, 8, (1_280, 720));
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
