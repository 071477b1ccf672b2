//! Options of a translation.

use egui::{Align, Button, Layout, Popup, PopupCloseBehavior, RichText, Ui};

use super::arrow;
use crate::labels;
use crate::machines::device_ui;
use crate::reading::reading_ui;
use crate::theme::Palette;
use canopy_app::{AppState, Command, DocumentCommand, ModelState};
use canopy_corpus::is_same_language;
use canopy_document::document::SubtitleLayout;
use canopy_translate::inference::FormalityOption;

pub(super) fn options_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let response = ui.add(Button::new("Options").right_text(arrow(&Palette::from_ui(ui))));
    let popup = Popup::menu(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .width(280.0);
    popup.show(|ui| options_content_ui(ui, state, commands));
}

pub(super) fn options_content_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let mut beam_size = state.shared.settings.beam_size;
    ui.add_space(4.0);
    if ui
        .add(egui::Slider::new(&mut beam_size, 0..=16).text("Beam size"))
        .changed()
    {
        commands.push(DocumentCommand::SetBeamSize(beam_size).into());
    }
    let explanation =
        "Search width: 1 is fastest, 4 slightly better; more rarely helps. 0 is that of the model.";
    // A menu justifies its contents, which tears a paragraph apart.
    ui.with_layout(Layout::top_down(Align::Min), |ui| {
        ui.label(RichText::new(explanation).size(12.5).color(palette.weak));
    });
    formality_ui(ui, state, commands);
    if let Some(open) = &state.document.editing.open {
        let document = &open.document;
        if document.format.is_subtitles() {
            ui.separator();
            subtitle_layout_ui(ui, state.shared.settings.subtitles, commands);
        }
        ui.separator();
        reading_ui(ui, document, commands);
    }
    ui.separator();
    ui.label(RichText::new("Run on").size(12.5).color(palette.weak));
    device_ui(ui, state, commands);
}

/// The form of address of German translations from English.
fn formality_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let ModelState::Open { info, .. } = &state.models.in_use.current else {
        return;
    };
    let is_heard = is_same_language(&info.source_language, "en")
        && is_same_language(&info.target_language, "de");
    if !is_heard {
        return;
    }
    let current = state.shared.settings.formality;
    let title = format!("Form of address: {}", labels::formality(current));
    ui.menu_button(title, |ui| {
        let choices = FormalityOption::ALL.map(Some);
        for choice in std::iter::once(None).chain(choices) {
            let button = ui.radio(current == choice, labels::formality(choice));
            if button.on_hover_text(labels::ADDRESS).clicked() {
                commands.push(DocumentCommand::SetFormality(choice).into());
            }
        }
    });
}

/// How much room translated subtitles have.
fn subtitle_layout_ui(ui: &mut Ui, current: SubtitleLayout, commands: &mut Vec<Command>) {
    let mut layout = current;
    ui.add(egui::Slider::new(&mut layout.max_chars, 10..=80).text("Characters in a line"));
    ui.add(egui::Slider::new(&mut layout.max_lines, 1..=4).text("Lines in a cue"));
    if layout != current {
        commands.push(DocumentCommand::SetSubtitleLayout(layout).into());
    }
}
