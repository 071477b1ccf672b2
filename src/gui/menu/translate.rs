//! The button that translates the document, or cancels what is running.

use egui::{Button, RichText, Ui};

use crate::theme::Palette;
use canopy_app::actions::label_of;
use canopy_app::{AppState, Command, DocumentCommand, Scope};

/// Translates, or cancels what is running.
pub(super) fn primary_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    if state.document.translations.is_busy() {
        let cancelling = state
            .document
            .translations
            .running
            .as_ref()
            .is_some_and(|running| running.control.is_cancelled());
        let label = if cancelling {
            "Cancelling…"
        } else {
            "Cancel"
        };
        if ui
            .add_enabled(!cancelling, cancel_button(label, &palette))
            .clicked()
        {
            commands.push(DocumentCommand::Cancel.into());
        }
        return;
    }
    ui.scope(|ui| translate_button_ui(ui, state, &palette, commands));
}

/// With a frame of its own: buttons of a menu bar have none.
fn cancel_button<'a>(label: &'a str, palette: &Palette) -> Button<'a> {
    let fill = crate::theme::blend(palette.panel, palette.text, 0.1);
    Button::new(label)
        .fill(fill)
        .min_size(egui::vec2(150.0, 28.0))
}

fn translate_button_ui(
    ui: &mut Ui,
    state: &AppState,
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let command = Command::Document(DocumentCommand::Translate(Scope::Document));
    let enabled = state.is_enabled(&command);
    if enabled {
        let visuals = ui.visuals_mut();
        let widgets = &mut visuals.widgets;
        for (widget, share) in [
            (&mut widgets.inactive, 0.0),
            (&mut widgets.hovered, 0.15),
            (&mut widgets.active, 0.3),
        ] {
            widget.fg_stroke.color = palette.on_accent;
            widget.weak_bg_fill = crate::theme::blend(palette.accent, palette.strong, share);
        }
    }
    let button = Button::new(RichText::new(label_of(&command)).font(crate::theme::semibold(13.5)))
        .frame_when_inactive(true)
        .min_size(egui::vec2(150.0, 28.0));
    if ui.add_enabled(enabled, button).clicked() {
        commands.push(command);
    }
}
