use egui::{Event, MouseWheelUnit};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use wgpu::TextureFormat;
use wgpu::naga;

use super::*;

#[test]
fn the_shader_is_valid() {
    let source = include_str!("../../../shaders/sparse_map.wgsl");
    let module = naga::front::wgsl::parse_str(source);
    let module = module.unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let flags = naga::valid::ValidationFlags::all();
    let capabilities = naga::valid::Capabilities::empty();
    let checked = naga::valid::Validator::new(flags, capabilities).validate(&module);
    checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
}

/// Share of pixels whose parts differ by 2 of 255 at most.
fn alike(one: &[u8], other: &[u8]) -> f64 {
    assert_eq!(one.len(), other.len());
    let (pixels, _) = one.as_chunks::<4>();
    let (others, _) = other.as_chunks::<4>();
    let near = |a: &[u8; 4], b: &[u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 2);
    let same = pixels.iter().zip(others).filter(|(a, b)| near(a, b));
    #[expect(clippy::cast_precision_loss, reason = "pixels of a picture")]
    let share = same.count() as f64 / pixels.len() as f64;
    share
}

/// Everything, a part, a few cells, and few columns of many rows.
fn views(map: &DocumentMap) -> Vec<MapView> {
    let all = MapView::all(map);
    let zoomed = |rows, columns| {
        let mut view = all;
        view.zoom(
            (0.2 * view.rows.1, 0.3 * view.columns.1),
            (rows, columns),
            map,
        );
        view
    };
    vec![
        all,
        zoomed(0.31, 0.77),
        zoomed(0.006, 0.006),
        zoomed(0.9, 0.004),
    ]
}

#[test]
fn the_shader_draws_the_plain_picture() {
    let strip = Strip { gap: 5, width: 20 };
    let (width, height) = (300, 200);
    let mut drawn = 0;
    for format in [TextureFormat::Rgba8Unorm, TextureFormat::Rgba8UnormSrgb] {
        for screen in Offscreen::all(format, (width + 25, height)) {
            for map in [DocumentMap::generated(3_000, 8, 5), DocumentMap::empty(0)] {
                let map = Arc::new(map);
                let mut drawing = screen.upload(&map);
                for (view, theme) in views(&map)
                    .iter()
                    .zip([Theme::LIGHT, Theme::DARK].iter().cycle())
                {
                    let scale = Scale::new(0.0, map.largest(), theme);
                    let ink = MapColours::new(&scale, theme);
                    let frame = MapFrame::new(&map, view, (width, height), Some(strip));
                    let frame = Arc::new(frame);
                    screen.draw(&mut drawing, &frame, &ink);
                    let share = alike(&screen.read(), &frame.picture(&map, &ink));
                    assert!(share >= 0.999, "{share} on {:?}, {view:?}", screen.adapter);
                    drawn += 1;
                }
            }
        }
    }
    assert!(drawn > 0, "an adapter, Mesa's lavapipe at least");
}

#[derive(Default)]
struct Page {
    state: SparseMapState,
    map: Option<Arc<DocumentMap>>,
    responses: Vec<MapResponse>,
}

impl Page {
    fn view(&self) -> MapView {
        self.state.shown.as_ref().expect("shown").view
    }
}

/// Without a GPU.
fn shown(map: DocumentMap) -> Harness<'static, Page> {
    let page = Page {
        map: Some(Arc::new(map)),
        ..Page::default()
    };
    let mut harness = Harness::builder()
        .with_size(Vec2::new(640.0, 480.0))
        .with_step_dt(0.02)
        .with_max_steps(200)
        .with_context_setup(crate::install_theme)
        .build_ui_state(
            |ui, page: &mut Page| {
                let map = page.map.clone().expect("a map");
                let response = sparse_map_view(ui, &mut page.state, &map, Marked::default());
                page.responses.push(response);
            },
            page,
        );
    harness.run();
    harness
}

/// A map with one cell, in the middle.
fn one_cell() -> DocumentMap {
    let mut map = DocumentMap::empty(9);
    for row in 0..9 {
        map.push_row((row == 4).then_some((4, 0.5)), 0.0);
    }
    map
}

/// Where the middle of the cells is in the window.
fn middle(harness: &Harness<Page>) -> Pos2 {
    let map = harness.state().map.as_ref().expect("a map");
    let figure = harness.get_by_role(egui::accesskit::Role::Figure).rect();
    let sheet = MapSheet::new(area(figure.size()), map);
    #[expect(clippy::cast_possible_truncation, reason = "a place in the window")]
    let at = Vec2::new(
        f64::midpoint(sheet.cells.left, sheet.cells.right) as f32,
        f64::midpoint(sheet.cells.top, sheet.cells.bottom) as f32,
    );
    figure.min + at
}

#[test]
fn a_cell_is_hovered_and_clicked() {
    let mut harness = shown(one_cell());
    let at = middle(&harness);
    harness.hover_at(at);
    harness.run();
    let cell = MapCell {
        row: 4,
        column: 4,
        weight: 0.5,
    };
    let last = |harness: &Harness<Page>| *harness.state().responses.last().expect("a frame");
    assert_eq!(last(&harness).cell, Some(cell));
    for pressed in [true, false] {
        harness.event(Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
        harness.step();
    }
    harness.run();
    let clicks = harness.state().responses.iter();
    let clicks: Vec<_> = clicks.filter(|response| response.clicked).collect();
    assert_eq!(clicks.len(), 1);
    assert_eq!(clicks[0].cell, Some(cell));
    harness.hover_at(Pos2::new(3.0, 470.0));
    harness.run();
    assert_eq!(last(&harness).cell, None, "the legend is no cell");
}

#[test]
fn the_wheel_zooms_about_the_pointer_and_keys_move() {
    let mut harness = shown(DocumentMap::generated(1_000, 4, 0));
    let all = harness.state().view();
    let at = middle(&harness);
    harness.hover_at(at);
    harness.run();
    harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: Vec2::new(0.0, 300.0),
        modifiers: egui::Modifiers::NONE,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
    });
    harness.run();
    let near = harness.state().view();
    assert!(near.spans().0 < 0.5 * all.spans().0, "{near:?}");
    assert!((near.middle().0 - 500.0).abs() < 5.0, "{near:?}");
    assert!((near.middle().1 - 500.0).abs() < 5.0, "{near:?}");

    harness.get_by_role(egui::accesskit::Role::Figure).focus();
    harness.run();
    harness.key_press(egui::Key::ArrowDown);
    harness.run();
    let lower = harness.state().view();
    assert!(lower.rows.0 > near.rows.0 && same(lower.columns, near.columns));
    harness.event(Event::Text("+".to_owned()));
    harness.run();
    assert!(harness.state().view().spans().0 < lower.spans().0);
    harness.key_press(egui::Key::Home);
    harness.run();
    assert_eq!(harness.state().view(), all);
}

fn same(one: (f64, f64), other: (f64, f64)) -> bool {
    (one.0 - other.0).abs() < 1e-9 && (one.1 - other.1).abs() < 1e-9
}

#[test]
fn another_map_is_shown_from_its_beginning() {
    let mut harness = shown(DocumentMap::generated(1_000, 4, 0));
    let map = Arc::new(one_cell());
    harness.state_mut().map = Some(map.clone());
    harness.run();
    assert_eq!(harness.state().view(), MapView::all(&map));
    harness.get_by_label_contains("9 rows, 9 columns, 1 cells with weight");
}

mod window;
