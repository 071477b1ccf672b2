//! The editor of a target sentence, in place of its text.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::text_edit::TextEditState;
use egui::{
    FontFamily, FontId, Galley, Id, Rect, RichText, TextBuffer, TextEdit, Ui, UiBuilder, vec2,
};

use super::labels;
use super::row_layout::PADDING;
use super::sentence_row::paint_editor_frame;
use super::shortcuts::written;
use super::theme::Palette;
use crate::app::command::action_for;
use crate::app::markup::{self, Piece, Token};
use crate::app::{Command, Editor};

const SIZE: f32 = 14.5;

/// Shows the editor in `rect`, which it may exceed downwards; returns the height it needs.
pub fn editor_ui(
    ui: &mut Ui,
    rect: Rect,
    editor: &Editor,
    source: &str,
    palette: &Palette,
    commands: &mut Vec<Command>,
) -> f32 {
    let frame = rect.expand2(vec2(8.0, 0.0));
    paint_editor_frame(ui, frame, palette, !editor.problems.is_empty());
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(frame.shrink2(vec2(8.0, PADDING)))
            .id_salt("editor"),
    );
    let mut text = editor.text.clone();
    let id = Id::unique("target editor");
    let is_new = ui.ctx().data(|data| data.get_temp::<usize>(id)) != Some(editor.sentence);
    if is_new {
        // Caret and undo are of the sentence before.
        TextEditState::default().store(ui.ctx(), id);
    }
    let mut layouter =
        |ui: &Ui, text: &dyn TextBuffer, width: f32| layout(ui, text.as_str(), width, palette);
    let output = TextEdit::multiline(&mut text)
        .id(id)
        .frame(egui::Frame::NONE)
        .margin(egui::Margin::ZERO)
        .desired_width(f32::INFINITY)
        .desired_rows(1)
        .return_key(None)
        .hint_text("Write the translation")
        .cursor_at_end(true)
        .layouter(&mut layouter)
        .show(&mut child);
    let response = output.response.response;
    if is_new {
        ui.ctx()
            .data_mut(|data| data.insert_temp(id, editor.sentence));
        response.request_focus();
    }
    if response.changed() {
        commands.push(Command::Editing(text.clone()));
    }
    if let Some(token) = footer_ui(&mut child, editor, source, palette, commands) {
        let at = output
            .cursor_range
            .map_or(text.chars().count(), |range| range.primary.index.0);
        let at = text
            .char_indices()
            .nth(at)
            .map_or(text.len(), |(byte, _)| byte);
        text.insert_str(at, &token.to_string());
        commands.push(Command::Editing(text));
        response.request_focus();
    }
    child.min_rect().height() + 4.0
}

/// Forgets which sentence was edited, so that the next editor takes the keyboard.
pub fn closed(ui: &Ui) {
    ui.ctx()
        .data_mut(|data| data.remove::<usize>(Id::unique("target editor")));
}

/// Missing tokens and problems; returns the token to insert.
fn footer_ui(
    ui: &mut Ui,
    editor: &Editor,
    source: &str,
    palette: &Palette,
    commands: &mut Vec<Command>,
) -> Option<Token> {
    let present = markup::edited_pieces(&editor.text);
    let missing = markup::tokens(source)
        .into_iter()
        .filter(|token| !present.contains(&Piece::Token(*token)));
    let missing = missing.collect::<Vec<_>>();
    let mut inserted = None;
    ui.add_space(2.0);
    ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
    ui.spacing_mut().button_padding = vec2(6.0, 1.0);
    ui.spacing_mut().interact_size.y = 20.0;
    let small = |text: &str| RichText::new(text).size(12.0);
    if !editor.problems.is_empty() {
        let text = format!("Not kept: {}", labels::problems(&editor.problems));
        ui.add(egui::Label::new(small(&text).color(palette.error)).wrap());
    }
    ui.horizontal_wrapped(|ui| {
        if !missing.is_empty() {
            ui.label(small("Insert markup").color(palette.weak));
            for token in missing {
                let text = RichText::new(token.to_string())
                    .size(12.5)
                    .color(palette.chip_text);
                if ui.add(egui::Button::new(text).fill(palette.chip)).clicked() {
                    inserted = Some(token);
                }
            }
        }
        if !editor.problems.is_empty() && ui.button(small("Repair")).clicked() {
            commands.push(Command::RepairEdit);
        }
        ui.label(small(&hint(ui)).color(palette.weak));
    });
    inserted
}

/// The editor's keys, as the table of actions names them.
fn hint(ui: &Ui) -> String {
    let is_mac = ui.ctx().os().is_mac();
    let key = |command: &Command| {
        let shortcut = action_for(command).and_then(|action| action.shortcut);
        shortcut.map_or_else(String::new, |shortcut| written(shortcut, is_mac))
    };
    let [keep, confirm, discard] = [
        Command::KeepEdit,
        Command::KeepEditAndConfirm,
        Command::DiscardEdit,
    ]
    .map(|command| key(&command));
    format!("{keep} keeps, {confirm} confirms and goes on, {discard} discards")
}

/// Tokens in the colour of chips, the rest as text.
fn layout(ui: &Ui, text: &str, width: f32, palette: &Palette) -> Arc<Galley> {
    let mut job = LayoutJob {
        wrap: TextWrapping::wrap_at_width(width),
        ..LayoutJob::default()
    };
    let format = |color| TextFormat {
        font_id: FontId::new(SIZE, FontFamily::Proportional),
        line_height: Some(23.0),
        color,
        ..TextFormat::default()
    };
    for piece in markup::edited_pieces(text) {
        match piece {
            Piece::Text(run) => job.append(run, 0.0, format(palette.text)),
            Piece::Token(token) => job.append(&token.to_string(), 0.0, format(palette.draft)),
        }
    }
    if job.sections.is_empty() {
        job.append("", 0.0, format(palette.text));
    }
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}
