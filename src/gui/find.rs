//! The bar in which a person looks for words and replaces them.

use egui::text_selection::CCursorRange;
use egui::{
    Align, Button, Context, EventFilter, Id, Key, Layout, Margin, Modifiers, Response, RichText,
    TextEdit, Ui,
};

use super::theme::Palette;
use crate::app::{Command, FindCommand, OpenDocument};

/// Width of the two fields.
const FIELD: f32 = 210.0;

/// Whether the keyboard writes into the bar.
pub fn has_keyboard(ctx: &Context) -> bool {
    ctx.memory(|memory| memory.has_focus(query_id()) || memory.has_focus(replacement_id()))
}

pub fn find_ui(ui: &mut Ui, open: &mut OpenDocument, commands: &mut Vec<Command>) {
    let palette = Palette::of(ui);
    // What Enter does comes after what was written in the same frame.
    let (mut told, mut keys) = (vec![], vec![]);
    let takes_focus = std::mem::take(&mut open.find.wants_focus);
    let find = &open.find;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.spacing_mut().button_padding = egui::vec2(9.0, 4.0);
        keys_ui(ui, query_id(), FindCommand::Next, &mut keys);
        keys_ui(ui, replacement_id(), FindCommand::Replace, &mut keys);
        let mut query = find.query.clone();
        if field_ui(ui, &mut query, "Find", query_id(), takes_focus).changed() {
            told.push(FindCommand::Query(query));
        }
        let count = count(find.current, find.matches.len(), &find.query);
        let width = 84.0;
        ui.allocate_ui_with_layout(
            egui::vec2(width, 22.0),
            Layout::left_to_right(Align::Center),
            |ui| {
                ui.set_width(width);
                ui.label(RichText::new(count).size(12.5).color(palette.weak));
            },
        );
        let mut button = |ui: &mut Ui, label: &str, enabled: bool, command: FindCommand| {
            if ui.add_enabled(enabled, Button::new(label)).clicked() {
                told.push(command);
            }
        };
        let (is_found, has_targets) = (!find.matches.is_empty(), find.has_targets());
        button(ui, "Previous", is_found, FindCommand::Previous);
        button(ui, "Next", is_found, FindCommand::Next);
        ui.add_space(10.0);
        let mut replacement = find.replacement.clone();
        let hint = "Replace in translations with";
        let field = field_ui(ui, &mut replacement, hint, replacement_id(), false);
        button(ui, "Replace", has_targets, FindCommand::Replace);
        button(ui, "Replace all", has_targets, FindCommand::ReplaceAll);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            button(ui, "Close", true, FindCommand::Close);
        });
        if field.changed() {
            told.push(FindCommand::Replacement(replacement));
        }
    });
    commands.extend(told.into_iter().chain(keys).map(Command::Find));
}

fn query_id() -> Id {
    Id::unique("find")
}

fn replacement_id() -> Id {
    Id::unique("replace with")
}

fn field_ui(ui: &mut Ui, text: &mut String, hint: &str, id: Id, takes_focus: bool) -> Response {
    let filter = EventFilter {
        horizontal_arrows: true,
        // Closes the bar, see `keys_ui`.
        escape: true,
        ..EventFilter::default()
    };
    let mut output = TextEdit::singleline(text)
        .id(id)
        .hint_text(hint)
        .desired_width(FIELD)
        .margin(Margin::symmetric(8, 4))
        .align(egui::Align2::LEFT_CENTER)
        .event_filter(filter)
        .show(ui);
    if takes_focus {
        let all = CCursorRange::select_all_str(text);
        output.state.cursor.set_char_range(Some(all));
        output.state.store(ui.ctx(), id);
        output.response.response.request_focus();
    }
    output.response.response
}

/// Enter in the field `id` does `enter`, with Shift it goes back; Escape closes the bar.
fn keys_ui(ui: &Ui, id: Id, enter: FindCommand, keys: &mut Vec<FindCommand>) {
    if !ui.memory(|memory| memory.has_focus(id)) {
        return;
    }
    for (modifiers, key, command) in [
        (Modifiers::SHIFT, Key::Enter, FindCommand::Previous),
        (Modifiers::NONE, Key::Enter, enter),
        (Modifiers::NONE, Key::Escape, FindCommand::Close),
    ] {
        let pressed = ui.input_mut(|input| input.count_and_consume_key(modifiers, key));
        keys.extend(std::iter::repeat_n(command, pressed));
    }
}

fn count(current: Option<usize>, matches: usize, query: &str) -> String {
    match current {
        _ if query.is_empty() => String::new(),
        Some(at) => format!("{} of {matches}", at + 1),
        None if matches == 0 => "Not found".to_owned(),
        None => format!("{matches} found"),
    }
}
