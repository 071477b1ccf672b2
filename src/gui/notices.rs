//! Messages at the lower right: what was done, what could not be, and what helps.

use egui::{
    Align, Area, Context, Frame, Id, Layout, Margin, Order, RichText, Sense, Ui, WidgetInfo, vec2,
};

use super::icons;
use super::theme::Palette;
use canopy_app::jobs::State;
use canopy_app::{Command, Notice, NoticeKind, WindowCommand};

const WIDTH: f32 = 400.0;

/// Width and height of the button that dismisses a notice.
const DISMISS: f32 = 22.0;

/// `bottom` is the lower edge of what is read: what is below it stays free.
pub(crate) fn notices_ui(
    ctx: &Context,
    notices: &[Notice],
    bottom: f32,
    commands: &mut Vec<Command>,
) {
    if notices.is_empty() {
        return;
    }
    let area = Area::new(Id::unique("notices")).order(Order::Foreground);
    let above = bottom - ctx.content_rect().bottom();
    area.anchor(egui::Align2::RIGHT_BOTTOM, vec2(-18.0, above - 14.0))
        .show(ctx, |ui| {
            ui.set_max_width(WIDTH);
            for notice in notices {
                notice_ui(ui, notice, commands);
                ui.add_space(4.0);
            }
        });
}

fn notice_ui(ui: &mut Ui, notice: &Notice, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let color = match notice.kind {
        NoticeKind::Done => palette.accent,
        NoticeKind::Hint => palette.draft,
        NoticeKind::Error => palette.error,
    };
    let visuals = ui.visuals();
    let frame = Frame::NONE
        .fill(visuals.window_fill)
        .stroke(visuals.window_stroke)
        .shadow(visuals.popup_shadow)
        .corner_radius(10)
        .inner_margin(Margin {
            left: 16,
            right: 10,
            top: 10,
            bottom: 12,
        });
    let response = frame.show(ui, |ui| {
        ui.set_width(WIDTH - 30.0);
        ui.spacing_mut().item_spacing.y = 3.0;
        ui.horizontal(|ui| {
            let (mark, _) = ui.allocate_exact_size(vec2(16.0, 20.0), Sense::hover());
            match notice.kind {
                NoticeKind::Done => {
                    icons::state(ui.painter(), mark.center(), State::Confirmed, &palette);
                }
                NoticeKind::Hint | NoticeKind::Error => {
                    icons::warning(ui.painter(), mark.center(), color);
                }
            }
            // The button to dismiss it comes after.
            let room = ui.available_width() - DISMISS - ui.spacing().item_spacing.x;
            ui.scope(|ui| {
                ui.set_max_width(room);
                let title = RichText::new(&notice.title).font(super::theme::semibold(13.5));
                ui.add(egui::Label::new(title.color(palette.strong)).wrap());
            });
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let (rect, response) =
                    ui.allocate_exact_size(vec2(DISMISS, DISMISS), Sense::click());
                response.widget_info(|| {
                    WidgetInfo::labeled(egui::accesskit::Role::Button, true, "Dismiss")
                });
                let color = if response.hovered() {
                    palette.strong
                } else {
                    palette.weak
                };
                icons::cross(ui.painter(), rect.center(), color);
                if response.clicked() {
                    commands.push(WindowCommand::DismissNotice(notice.id).into());
                }
            });
        });
        if !notice.detail.is_empty() {
            ui.horizontal(|ui| {
                ui.add_space(24.0);
                let detail = RichText::new(&notice.detail).size(13.0);
                ui.add(egui::Label::new(detail.color(palette.text)).wrap());
            });
        }
        if let Some((label, command)) = &notice.button {
            ui.horizontal(|ui| {
                ui.add_space(24.0);
                if ui.button(*label).clicked() {
                    commands.push(command.clone());
                    commands.push(WindowCommand::DismissNotice(notice.id).into());
                }
            });
        }
    });
    let rect = response.response.rect;
    let bar = egui::Rect::from_x_y_ranges(
        rect.left() + 5.0..=rect.left() + 8.0,
        rect.y_range().shrink(9.0),
    );
    ui.painter().rect_filled(bar, 1.5, color);
}
