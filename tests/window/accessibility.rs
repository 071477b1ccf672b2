//! For users who see little, or use no mouse: every control has a name and is reached by Tab, every text stands out from its
//! ground, and nothing is cut off or out of reach when everything is twice as large.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use canopy::gui::contrast_ratio;
use egui::accessibility::is_input;
use egui::accesskit::{Action, Role};
use egui_kittest::kittest::NodeT;

use super::painting::Painting;
use super::views::{self, View};
use super::*;

/// Least contrast of a text and its background: WCAG 2.2, criterion 1.4.3.
const LEAST_CONTRAST: f32 = 4.5;

/// More than any view has controls.
const TABS: usize = 400;

/// A control as a screen reader announces it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Control {
    role: String,
    name: String,
    place: [i32; 4],
}

fn control(node: &egui_kittest::Node<'_>) -> Control {
    let rect = node.rect();
    let node = node.accesskit_node();
    // What is written is the name of a text, a hint that of a field without one.
    let hint = || node.data().placeholder().map(str::to_owned);
    let names = [node.label(), node.value(), hint()];
    let name = names
        .into_iter()
        .flatten()
        .find(|name| !name.trim().is_empty());
    #[expect(clippy::cast_possible_truncation, reason = "points of a window")]
    let place = [rect.left(), rect.top(), rect.right(), rect.bottom()].map(|edge| edge as i32);
    Control {
        role: format!("{:?}", node.role()),
        name: name.unwrap_or_default(),
        place,
    }
}

/// The controls that can be acted upon; under a question only its own.
fn controls(harness: &Harness<'static, Window>) -> Vec<(u64, Control)> {
    let root = harness.root();
    let question = root
        .children_recursive()
        .find(|node| node.accesskit_node().role() == Role::Dialog && is_modal(harness));
    let top = question.unwrap_or(root);
    top.children_recursive()
        .filter(|node| {
            let node = node.accesskit_node();
            let acts = is_input(node.role()) || node.data().supports_action(Action::Click);
            // What it moves is scrolled to by Tab.
            let is_bar = node.role() == Role::ScrollBar;
            let is_shown = !node.is_hidden() && !node.is_disabled();
            // A text of which parts can be selected is none.
            let is_text = node.children().any(|child| child.role() == Role::TextRun);
            let is_text = is_text && node.role() == Role::Label;
            acts && is_shown && !is_bar && !is_text && !node.data().is_read_only()
        })
        .map(|node| (id(&node), control(&node)))
        .collect()
}

fn id(node: &egui_kittest::Node<'_>) -> u64 {
    node.accesskit_node().locate().0.0
}

fn is_modal(harness: &Harness<'static, Window>) -> bool {
    harness
        .ctx
        .memory(|memory| memory.top_modal_layer().is_some())
}

fn focused(harness: &Harness<'static, Window>) -> Option<u64> {
    let id = harness.ctx.memory(egui::Memory::focused)?;
    Some(id.accesskit_id().0)
}

/// Problems by view.
#[derive(Default)]
struct Problems(BTreeMap<String, Vec<String>>);

impl Problems {
    fn add(&mut self, problem: String, view: &str) {
        let views = self.0.entry(problem).or_default();
        if views.last().is_none_or(|last| last != view) {
            views.push(view.to_owned());
        }
    }

    #[track_caller]
    fn none(self) {
        let mut list = String::new();
        for (problem, views) in &self.0 {
            writeln!(list, "{problem} [{}]", views.join(", ")).expect("a string");
        }
        assert!(self.0.is_empty(), "{} problems\n{list}", self.0.len());
    }
}

#[test]
fn every_control_has_a_name() {
    let mut problems = Problems::default();
    for view in views::all() {
        let controls = controls(&view.harness);
        assert!(!controls.is_empty(), "{}", view.name);
        for (_, control) in controls {
            if control.name.trim().is_empty() {
                problems.add(format!("{} {:?}", control.role, control.place), view.name);
            }
        }
    }
    problems.none();
}

/// Goes through the view by Tab, and reports each step.
fn tab_through(view: &mut View, mut seen: impl FnMut(&Harness<'static, Window>, u64)) {
    let mut first = None;
    for _ in 0..TABS {
        view.harness.key_press(egui::Key::Tab);
        view.harness.run_steps(8);
        let Some(id) = focused(&view.harness) else {
            continue;
        };
        if first == Some(id) {
            return;
        }
        first = first.or(Some(id));
        seen(&view.harness, id);
    }
    panic!("{}: Tab never comes back", view.name);
}

#[test]
fn every_control_is_reached_by_tab() {
    let mut problems = Problems::default();
    for mut view in views::all() {
        let mut reached = vec![];
        tab_through(&mut view, |_, id| reached.push(id));
        for (id, control) in controls(&view.harness) {
            if !reached.contains(&id) {
                problems.add(format!("{} {:?}", control.role, control.name), view.name);
            }
        }
    }
    problems.none();
}

const THEMES: [egui::Theme; 2] = [egui::Theme::Light, egui::Theme::Dark];

#[test]
fn every_text_stands_out_from_its_ground_in_both_themes() {
    let mut problems = Problems::default();
    let mut texts = 0;
    for mut view in views::all() {
        for theme in THEMES {
            view.harness.ctx.set_theme(theme);
            view.settle();
            let painting = Painting::capture(&view.harness, &view.harness.state().atlas);
            texts += painting.texts.len();
            for text in painting.texts {
                if text.contrast < LEAST_CONTRAST {
                    let problem = format!(
                        "{theme:?} {:.2} : 1, {:?} on {:?}: {:?}",
                        text.contrast, text.color, text.ground, text.text
                    );
                    problems.add(problem, view.name);
                }
            }
        }
    }
    println!("{texts} texts");
    assert!(texts > 2_000, "{texts} texts");
    problems.none();
}

#[test]
fn the_ratio_is_that_of_wcag() {
    let gray = egui::Color32::from_gray(118);
    assert!((contrast_ratio(gray, egui::Color32::WHITE) - 4.54).abs() < 0.005);
    assert!((contrast_ratio(egui::Color32::BLACK, egui::Color32::WHITE) - 21.0).abs() < 1e-3);
}

const SCALES: [f32; 3] = [1.0, 1.5, 2.0];

/// A window of 1,280 × 820 pixels.
fn scaled(view: &mut View, scale: f32) {
    view.harness.set_size(egui::vec2(1280.0, 820.0) / scale);
    view.harness.set_pixels_per_point(scale);
    view.settle();
}

/// Texts of which the left end is out of sight, the right one, and that are there at all.
fn cut_ends(view: &View, scale: f32, side: &str) -> [BTreeSet<String>; 3] {
    let window = view.harness.ctx.content_rect();
    let painting = Painting::capture(&view.harness, &view.harness.state().atlas);
    if let Ok(folder) = std::env::var("CANOPY_SCREENSHOTS") {
        let name = format!("{} {scale} {side}.png", view.name);
        painting.save(&std::path::Path::new(&folder).join(name));
    }
    // What lies below a question cannot be scrolled now.
    let ctx = &view.harness.ctx;
    let question = ctx.memory(|memory| memory.area_rect(memory.top_modal_layer()?.id));
    let mut ends: [BTreeSet<String>; 3] = Default::default();
    for text in painting.texts {
        let is_below = |question: egui::Rect| {
            let is_its_own =
                text.clip.contains_rect(question) || question.expand(1.0).contains_rect(text.clip);
            !question.contains(text.place.center()) || !is_its_own
        };
        if question.is_some_and(is_below) {
            continue;
        }
        let room = text.clip.intersect(window).expand(1.0);
        let are_cut = [
            text.place.left() < room.left(),
            text.place.right() > room.right(),
            true,
        ];
        for (end, is_cut) in ends.iter_mut().zip(are_cut) {
            if is_cut {
                end.insert(text.text.clone());
            }
        }
    }
    ends
}

/// Turns the wheel at this height to an end of a page, or of a table on it.
fn scroll(view: &mut View, y: f32, by: f32) {
    let middle = view.harness.ctx.content_rect().center().x;
    view.harness.hover_at(egui::pos2(middle, y));
    view.harness.run_steps(2);
    view.harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(by, 0.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Trackpad,
        modifiers: egui::Modifiers::NONE,
    });
    view.harness.run_steps(20);
    view.harness.remove_cursor();
    view.settle();
}

/// Texts of which one end is out of sight in each of these pictures.
fn never_whole(pictures: &[[BTreeSet<String>; 3]]) -> BTreeSet<String> {
    let texts = pictures.iter().flat_map(|[_, _, there]| there);
    let is_seen = |text: &String, end: usize| {
        let seen = |picture: &[BTreeSet<String>; 3]| {
            picture[2].contains(text) && !picture[end].contains(text)
        };
        pictures.iter().any(seen)
    };
    texts
        .filter(|text| !(is_seen(text, 0) && is_seen(text, 1)))
        .cloned()
        .collect()
}

/// A page that is wider than the window is seen whole from its left end and its right one.
#[test]
fn no_text_is_cut_at_its_side_however_large_everything_is() {
    let mut problems = Problems::default();
    for mut view in views::all() {
        for scale in SCALES {
            scaled(&mut view, scale);
            // Above figures and charts, which the wheel zooms; then where tables are.
            let heights = [105.0, 0.6 * view.harness.ctx.content_rect().height()];
            scroll(&mut view, heights[0], 2_000.0);
            let mut pictures = vec![cut_ends(&view, scale, "left")];
            for (height, side) in heights.into_iter().zip(["right", "end of a table"]) {
                if never_whole(&pictures).is_empty() {
                    break;
                }
                scroll(&mut view, height, -2_000.0);
                pictures.push(cut_ends(&view, scale, side));
            }
            for text in never_whole(&pictures) {
                problems.add(format!("{scale}: {text:?}"), view.name);
            }
        }
    }
    problems.none();
}

/// A control that has the keyboard is in sight: what it lies in has scrolled to it.
#[test]
fn what_has_the_keyboard_is_seen_however_large_everything_is() {
    let mut problems = Problems::default();
    for mut view in views::all() {
        for scale in SCALES {
            scaled(&mut view, scale);
            let name = view.name;
            tab_through(&mut view, |harness, id| {
                let focused = harness.ctx.memory(egui::Memory::focused);
                let widget = focused.and_then(|id| {
                    harness
                        .ctx
                        .viewport(|viewport| viewport.prev_pass.widgets.get(id).copied())
                });
                let Some(widget) = widget else { return };
                let window = harness.ctx.content_rect();
                let seen = widget.interact_rect.intersect(window);
                let least = egui::vec2(
                    (widget.rect.width() - 2.0).min(window.width() / 4.0),
                    (widget.rect.height() - 2.0).min(window.height() / 4.0),
                );
                if seen.width() < least.x || seen.height() < least.y {
                    let control = controls(harness).into_iter().find(|(at, _)| *at == id);
                    let control = control.map_or_else(
                        || format!("{:?}", widget.rect),
                        |(_, it)| format!("{} {:?}", it.role, it.name),
                    );
                    problems.add(
                        format!("{scale}: {control}: {seen:?} of {:?}", widget.rect),
                        name,
                    );
                }
            });
        }
    }
    problems.none();
}

#[test]
fn no_question_is_larger_than_the_window() {
    let mut problems = Problems::default();
    for mut view in views::all() {
        for scale in SCALES {
            scaled(&mut view, scale);
            let ctx = &view.harness.ctx;
            let window = ctx.content_rect().expand(1.0);
            let layers = ctx.memory(|memory| memory.layer_ids().collect::<Vec<_>>());
            for layer in layers {
                let rect = ctx.memory(|memory| memory.area_rect(layer.id));
                let shown = ctx.memory(|memory| memory.areas().is_visible(&layer));
                if let Some(rect) = rect.filter(|_| shown)
                    && !window.contains_rect(rect)
                {
                    problems.add(format!("{scale}: {rect:?} in {window:?}"), view.name);
                }
            }
        }
    }
    problems.none();
}
