//! The bar in which a person looks for words and replaces them.

use egui::text_selection::CCursorRange;
use egui::{
    Align, Button, ComboBox, Context, EventFilter, Id, Key, Layout, Margin, Modifiers, Response,
    RichText, Role, TextEdit, Ui, WidgetInfo, vec2,
};

use super::theme::Palette;
use super::typeset;
use canopy_app::find::{Find, Match, Side};
use canopy_app::{Command, FindCommand, OpenDocument};
use canopy_document::placeholder::stripped;

/// Width of the two fields.
const FIELD: f32 = 210.0;

/// Width of the number of matches.
const COUNT: f32 = 84.0;

/// Width of the bar from which it is one line.
const ONE_LINE: f32 = 1_130.0;

/// Whether the keyboard writes into the bar.
pub(crate) fn has_keyboard(ctx: &Context) -> bool {
    ctx.memory(|memory| memory.has_focus(query_id()) || memory.has_focus(replacement_id()))
}

/// In one line, or in two where there is no room for that.
pub(crate) fn find_ui(ui: &mut Ui, open: &OpenDocument, commands: &mut Vec<Command>) {
    let takes_focus = open.find.wants_focus.take().is_some();
    let mut bar = Bar {
        find: &open.find,
        commands_of_bar: vec![],
    };
    // What Enter does comes after what was written in the same frame.
    let mut keys = vec![];
    keys_ui(ui, query_id(), FindCommand::Next, &mut keys);
    keys_ui(ui, replacement_id(), FindCommand::Replace, &mut keys);
    ui.spacing_mut().item_spacing.x = 6.0;
    ui.spacing_mut().button_padding = vec2(9.0, 4.0);
    let is_wide = ui.available_width() > ONE_LINE;
    let wraps = Layout::left_to_right(Align::Center).with_main_wrap(!is_wide);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 28.0), wraps, |ui| {
        bar.query_ui(ui, takes_focus);
        if is_wide {
            ui.add_space(10.0);
            bar.replacement_ui(ui);
        }
        if is_wide {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                bar.button_ui(ui, "Close", true, FindCommand::Close);
            });
        }
    });
    if !is_wide {
        ui.horizontal_wrapped(|ui| {
            bar.replacement_ui(ui);
            bar.button_ui(ui, "Close", true, FindCommand::Close);
        });
    }
    let commands_of_bar = bar.commands_of_bar.into_iter().chain(keys);
    commands.extend(commands_of_bar.map(Command::from));
    preview_ui(ui, open);
}

/// The sentence that *Replace* changes next, as it becomes.
fn preview_ui(ui: &mut Ui, open: &OpenDocument) {
    /// Characters before the replacement.
    const BEFORE: usize = 40;
    let find = &open.find;
    if find.replacement.is_empty() {
        return;
    }
    let of_target = |found: &&Match| found.side == Side::Target;
    let current = find.current.map(|at| &find.matches[at]).filter(of_target);
    let Some(found) = current.or_else(|| find.matches.iter().find(of_target)) else {
        return;
    };
    let becomes = open.find.replaced_in(
        open.target(found.sentence),
        std::slice::from_ref(&found.chars),
    );
    let becomes: Vec<char> = stripped(&becomes.text).chars().collect();
    let start = found.chars.start.saturating_sub(BEFORE);
    let cut = if start > 0 { "…" } else { "" };
    let text: String = becomes[start.min(becomes.len())..].iter().collect();
    let text = format!("Sentence {} becomes: {cut}{text}", found.sentence + 1);
    let text = RichText::new(text)
        .size(12.5)
        .color(Palette::from_ui(ui).weak);
    ui.add(egui::Label::new(text).truncate());
}

/// The parts of the bar, and the commands of the user.
struct Bar<'a> {
    find: &'a Find,
    commands_of_bar: Vec<FindCommand>,
}

impl Bar<'_> {
    fn query_ui(&mut self, ui: &mut Ui, takes_focus: bool) {
        let palette = Palette::from_ui(ui);
        let mut query = self.find.query.clone();
        if field_ui(ui, &mut query, "Find", query_id(), takes_focus).changed() {
            self.commands_of_bar.push(FindCommand::Query(query));
        }
        self.options_ui(ui);
        let count = count(self.find);
        let layout = Layout::left_to_right(Align::Center);
        // The buttons stay where they are.
        ui.allocate_ui_with_layout(vec2(COUNT, 22.0), layout, |ui| {
            ui.set_width(COUNT);
            ui.label(RichText::new(count).size(12.5).color(palette.weak));
        });
        let is_found = !self.find.matches.is_empty();
        self.button_ui(ui, "Previous", is_found, FindCommand::Previous);
        self.button_ui(ui, "Next", is_found, FindCommand::Next);
    }

    /// Three switches, and the side that is looked through.
    fn options_ui(&mut self, ui: &mut Ui) {
        let mut options = self.find.options;
        for (is_on, label, hint) in [
            (&mut options.matches_case, "Aa", "Match case"),
            (&mut options.whole_words, "W", "Whole words"),
            (&mut options.is_regex, ".*", "Regular expression"),
        ] {
            let button = Button::selectable(*is_on, label).min_size(vec2(28.0, 24.0));
            let response = ui.add(button);
            response.widget_info(|| WidgetInfo::labeled(Role::CheckBox, true, hint));
            if response.on_hover_text(hint).clicked() {
                *is_on = !*is_on;
            }
        }
        let sides = [
            (None, "Both sides"),
            (Some(Side::Source), "Source"),
            (Some(Side::Target), "Translation"),
        ];
        let shown = sides.iter().find(|(side, _)| *side == options.side);
        let combo = ComboBox::from_id_salt("find in")
            .width(92.0)
            .selected_text(shown.map_or("", |(_, label)| label));
        let response = combo.show_ui(ui, |ui| {
            for (side, label) in sides {
                ui.selectable_value(&mut options.side, side, label);
            }
        });
        response.response.accessible_name("Look in");
        if options != self.find.options {
            self.commands_of_bar.push(FindCommand::Options(options));
        }
    }

    fn replacement_ui(&mut self, ui: &mut Ui) {
        let mut replacement = self.find.replacement.clone();
        let hint = "Replace in translations with";
        if field_ui(ui, &mut replacement, hint, replacement_id(), false).changed() {
            self.commands_of_bar
                .push(FindCommand::Replacement(replacement));
        }
        let has_targets = self.find.has_targets();
        self.button_ui(ui, "Replace", has_targets, FindCommand::Replace);
        self.button_ui(ui, "Replace all", has_targets, FindCommand::ReplaceAll);
    }

    fn button_ui(&mut self, ui: &mut Ui, label: &str, enabled: bool, command: FindCommand) {
        if ui.add_enabled(enabled, Button::new(label)).clicked() {
            self.commands_of_bar.push(command);
        }
    }
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
        .layouter(&mut typeset::one_line)
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

fn count(find: &Find) -> String {
    let matches = find.matches.len();
    match find.current {
        _ if find.query.is_empty() => String::new(),
        _ if find.problem.is_some() => "No expression".to_owned(),
        Some(at) => format!("{} of {matches}", at + 1),
        None if matches == 0 => "Not found".to_owned(),
        None => format!("{matches} found"),
    }
}
