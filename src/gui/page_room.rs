//! The room of a page: where the window is smaller than a page can be, or everything in it larger, the page scrolls.

use egui::style::ScrollAnimation;
use egui::{Context, Rect, ScrollArea, Sense, Ui, UiBuilder, Vec2, vec2};

use canopy_app::{AppState, Page};

/// Width of the window from which there is room for the outline beside both columns of the document.
const WITH_OUTLINE: f32 = 560.0;

/// Whether the outline is drawn beside the document.
pub(crate) fn shows_outline(ctx: &Context, state: &AppState) -> bool {
    state.shared.settings.shows_outline && ctx.content_rect().width() >= WITH_OUTLINE
}

/// The least size in which nothing of a page is cut off.
pub(crate) fn least_size(ctx: &Context, state: &AppState) -> Vec2 {
    let settings = &state.shared.settings;
    let Some(open) = &state.document.editing.open else {
        return match state.shared.page {
            Page::Document => vec2(600.0, 330.0),
            _ => OTHER_PAGES,
        };
    };
    if state.shared.page != Page::Document {
        return OTHER_PAGES;
    }
    let panel = |shown: bool, size: f32| if shown { size } else { 0.0 };
    let texts = if settings.shows_history { 480.0 } else { 350.0 };
    let width =
        texts + panel(shows_outline(ctx, state), 268.0) + panel(settings.shows_checks, 300.0);
    let height = 190.0
        + panel(open.find.is_open, 80.0)
        + panel(
            settings.shows_similar && state.document.pair(&state.models).memory().is_some(),
            116.0,
        )
        + panel(settings.shows_history, 132.0)
        + panel(settings.language_model.is_some(), 80.0)
        + panel(state.document.alternatives.is_open, 116.0);
    vec2(width, height)
}

const OTHER_PAGES: Vec2 = vec2(1000.0, 480.0);

/// Draws a page that needs at least this size; `out_of_sight` is the place of the control with the keyboard focus, if it is
/// not visible.
pub(crate) fn page_room_ui(
    ui: &mut Ui,
    least: Vec2,
    out_of_sight: impl Fn(&Ui) -> Option<Rect>,
    page_ui: impl FnOnce(&mut Ui),
) {
    let room = ui.available_size();
    if room.x >= least.x && room.y >= least.y {
        page_ui(ui);
        return;
    }
    ScrollArea::both()
        .id_salt("page room")
        .auto_shrink(false)
        .show(ui, |ui| {
            let (place, _) = ui.allocate_exact_size(room.max(least), Sense::hover());
            page_ui(&mut ui.new_child(UiBuilder::new().max_rect(place)));
            if let Some(place) = out_of_sight(ui) {
                ui.scroll_to_rect_animation(place, None, ScrollAnimation::none());
            }
        });
}
