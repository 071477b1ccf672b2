//! Keys: the table of actions in egui's terms, and the window that lists them.

use egui::{Context, Grid, Id, KeyboardShortcut, Modifiers, RichText, Ui};

use super::theme::{self, Palette};
use super::{editor, find};
use canopy_app::actions::action_for;
use canopy_app::{
    ACTIONS, Action, AlternativesCommand, AppState, Command, DocumentCommand, EditCommand,
    FindCommand, Group, Key, OpenDocument, Page, Shortcut, WindowCommand,
};

/// egui's name for a shortcut of the table.
pub(crate) fn keyboard_shortcut(shortcut: Shortcut) -> KeyboardShortcut {
    let mut modifiers = Modifiers::NONE;
    modifiers.command = shortcut.command;
    modifiers.shift = shortcut.shift;
    modifiers.alt = shortcut.alt;
    let key = match shortcut.key {
        Key::Letter(letter) => egui::Key::from_name(&letter.to_string()).unwrap_or(egui::Key::F35),
        Key::Enter => egui::Key::Enter,
        Key::Escape => egui::Key::Escape,
        Key::Up => egui::Key::ArrowUp,
        Key::Down => egui::Key::ArrowDown,
        Key::Left => egui::Key::ArrowLeft,
        Key::Right => egui::Key::ArrowRight,
        Key::Delete => egui::Key::Delete,
        Key::Insert => egui::Key::Insert,
        Key::Home => egui::Key::Home,
        Key::End => egui::Key::End,
        Key::PageUp => egui::Key::PageUp,
        Key::PageDown => egui::Key::PageDown,
        Key::Plus => egui::Key::Plus,
        Key::Minus => egui::Key::Minus,
        Key::Comma => egui::Key::Comma,
        Key::F1 => egui::Key::F1,
        Key::F3 => egui::Key::F3,
        Key::F7 => egui::Key::F7,
        Key::F8 => egui::Key::F8,
        Key::F9 => egui::Key::F9,
    };
    KeyboardShortcut::new(modifiers, key)
}

/// The key of a command; empty if it has none.
pub(crate) fn written_key(ui: &Ui, command: &Command) -> String {
    let is_mac = ui.ctx().os().is_mac();
    let shortcut = action_for(command).and_then(|action| action.shortcut);
    shortcut.map_or_else(String::new, |shortcut| written(shortcut, is_mac))
}

/// A tooltip with the key of its command.
pub(crate) fn hint_with_key(ui: &Ui, hint: &str, command: &Command) -> String {
    match written_key(ui, command).as_str() {
        "" => hint.to_owned(),
        key => format!("{hint} ({key})"),
    }
}

/// How a shortcut is written, in words where the fonts have no sign.
pub(crate) fn written(shortcut: Shortcut, is_mac: bool) -> String {
    let mut parts = vec![];
    if shortcut.command {
        parts.push(if is_mac {
            "Cmd".to_owned()
        } else {
            "Ctrl".to_owned()
        });
    }
    if shortcut.alt {
        let name = if is_mac { "Option" } else { "Alt" };
        parts.push(name.to_owned());
    }
    if shortcut.shift {
        parts.push("Shift".to_owned());
    }
    parts.push(match shortcut.key {
        Key::Letter(letter) => letter.to_string(),
        Key::Enter => "Enter".to_owned(),
        Key::Escape => "Esc".to_owned(),
        Key::Up => "Up".to_owned(),
        Key::Down => "Down".to_owned(),
        Key::Left => "Left".to_owned(),
        Key::Right => "Right".to_owned(),
        Key::Delete => "Delete".to_owned(),
        Key::Insert => "Ins".to_owned(),
        Key::Home => "Home".to_owned(),
        Key::End => "End".to_owned(),
        Key::PageUp => "Page Up".to_owned(),
        Key::PageDown => "Page Down".to_owned(),
        Key::Plus => "Plus".to_owned(),
        Key::Minus => "Minus".to_owned(),
        Key::Comma => ",".to_owned(),
        Key::F1 => "F1".to_owned(),
        Key::F3 => "F3".to_owned(),
        Key::F7 => "F7".to_owned(),
        Key::F8 => "F8".to_owned(),
        Key::F9 => "F9".to_owned(),
    });
    parts.join("+")
}

/// Pushes the commands of the keys that were pressed.
pub(crate) fn receive_keys(ctx: &Context, state: &AppState, commands: &mut Vec<Command>) {
    if state.shows_shortcuts {
        let closes = [egui::Key::Escape, egui::Key::F1];
        if closes
            .iter()
            .any(|key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, *key)))
        {
            commands.push(WindowCommand::ShowShortcuts(false).into());
        }
        return;
    }
    if egui::Popup::is_any_open(ctx) || ctx.memory(|memory| memory.top_modal_layer().is_some()) {
        return;
    }
    let shown = state
        .document
        .editing
        .open
        .as_ref()
        .filter(|_| state.shared.page == Page::Document);
    let keyboard = Keyboard {
        editing: shown.is_some_and(|document| document.editor.is_some()),
        own_changes: shown
            .and_then(|document| document.editor.as_ref())
            // Its steps are looked through for their keys alone.
            .filter(|_| ctx.input(|input| input.key_pressed(egui::Key::Z)))
            .map_or((false, false), |open| editor::own_changes(ctx, open)),
        finding: find::has_keyboard(ctx),
        focused: ctx.memory(|memory| memory.focused().is_some()),
    };
    let is_free = !keyboard.editing && !state.document.translations.is_busy();
    let closes = shown.filter(|_| is_free);
    let closes = closes.and_then(|document| closed_by_escape(state, document));
    // In the order they were pressed, and each as often: a slow frame may hold several.
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let egui::Event::Key {
                key,
                modifiers,
                pressed: true,
                ..
            } = event
            else {
                return true;
            };
            if let Some(closes) = &closes
                && *key == egui::Key::Escape
                && modifiers.is_none()
            {
                commands.push(closes.clone());
                return false;
            }
            let modifiers = match key {
                // In a list of sentences both mean the ends.
                egui::Key::Home | egui::Key::End if keyboard.is_free() && modifiers.is_none() => {
                    Modifiers::COMMAND
                }
                _ => *modifiers,
            };
            // Actions of one page come after those of all.
            let action = ACTIONS.iter().rfind(|action| {
                is_of_page(action.group, state.shared.page)
                    && applies(action, keyboard)
                    && matches(action, *key, modifiers)
            });
            let Some(action) = action else { return true };
            if state.is_enabled(&action.command) {
                commands.push(action.command.clone());
            }
            false
        });
    });
}

/// Closes the bar for words to look for, else the list of alternatives.
fn closed_by_escape(state: &AppState, document: &OpenDocument) -> Option<Command> {
    if document.find.is_open {
        return Some(Command::from(FindCommand::Close));
    }
    let close = Command::from(AlternativesCommand::Close);
    state.document.alternatives.is_open.then_some(close)
}

const LARGER: Shortcut = Shortcut {
    command: true,
    shift: false,
    alt: false,
    key: Key::Plus,
};

/// Exactly, so that Ctrl+Shift+Z is not taken for Ctrl+Z.
fn matches(action: &Action, key: egui::Key, modifiers: Modifiers) -> bool {
    // Many keyboards have the plus sign above the equals sign.
    if action.shortcut == Some(LARGER) && modifiers.command && !modifiers.alt {
        return matches!(key, egui::Key::Plus | egui::Key::Equals);
    }
    action
        .shortcut
        .map(keyboard_shortcut)
        .is_some_and(|shortcut| {
            shortcut.logical_key == key && modifiers.matches_exact(shortcut.modifiers)
        })
}

fn is_of_page(group: Group, page: Page) -> bool {
    match group {
        Group::File | Group::View | Group::Help => true,
        Group::Edit
        | Group::Go
        | Group::Translate
        | Group::Matches
        | Group::Alternatives
        | Group::Editor => page == Page::Document,
        Group::Explore => page == Page::Explore,
        Group::Align => page == Page::Align,
    }
}

/// Fields that the keyboard writes into.
#[derive(Debug, Clone, Copy)]
struct Keyboard {
    /// A target sentence is in the editor.
    editing: bool,
    /// Whether the focused editor can undo and redo by itself.
    own_changes: (bool, bool),
    /// The bar for words to look for has the keyboard, be a sentence in the editor or not.
    finding: bool,
    /// Anything has it.
    focused: bool,
}

impl Keyboard {
    /// Whether no text takes its keys.
    fn is_free(self) -> bool {
        !self.editing && !self.finding && !self.focused
    }
}

/// Whether an action's keys count now: the editor has its own, and text has undo of its own.
fn applies(action: &Action, keyboard: Keyboard) -> bool {
    let Some(shortcut) = action.shortcut else {
        return false;
    };
    let of_text = [
        Key::Letter('Z'),
        Key::Delete,
        Key::Enter,
        Key::Home,
        Key::End,
    ];
    let (can_undo, can_redo) = keyboard.own_changes;
    let of_text = match action.command {
        Command::Document(DocumentCommand::Edit(EditCommand::Undo))
            if keyboard.editing && !keyboard.finding =>
        {
            can_undo
        }
        Command::Document(DocumentCommand::Edit(EditCommand::Redo))
            if keyboard.editing && !keyboard.finding =>
        {
            can_redo
        }
        _ => of_text.contains(&shortcut.key),
    };
    let is_writing = keyboard.editing || keyboard.finding;
    let in_general = is_function_key(shortcut.key)
        || (shortcut.command && !(is_writing && of_text))
        || (!is_writing && !keyboard.focused);
    if action.group == Group::Editor {
        keyboard.editing && !keyboard.finding
    } else {
        in_general
    }
}

fn is_function_key(key: Key) -> bool {
    matches!(key, Key::F1 | Key::F3 | Key::F7 | Key::F8 | Key::F9)
}

/// The least width of a column of the list.
const COLUMN: f32 = 300.0;

/// The list of shortcuts, over the window.
pub(crate) fn shortcuts_ui(ctx: &Context, commands: &mut Vec<Command>) {
    let modal = theme::modal(ctx, Id::unique("shortcuts")).show(ctx, |ui| {
        ui.set_width(960.0_f32.min(ctx.content_rect().width() - 60.0));
        ui.horizontal(|ui| {
            ui.heading("Keyboard shortcuts");
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("Close").clicked() {
                    commands.push(WindowCommand::ShowShortcuts(false).into());
                }
            });
        });
        ui.add_space(10.0);
        // Below a small window's height the rest is a scroll away, and the button stays.
        let height = (ctx.content_rect().height() - 140.0).max(200.0);
        let list = egui::ScrollArea::vertical()
            .max_height(height)
            .min_scrolled_height(height);
        list.show(ui, |ui| {
            let parts: [&[Group]; 3] = [
                &[Group::File, Group::Go, Group::Translate, Group::Explore],
                &[Group::Edit, Group::Align],
                &[
                    Group::View,
                    Group::Help,
                    Group::Editor,
                    Group::Matches,
                    Group::Alternatives,
                ],
            ];
            let width = ui.available_width();
            let in_columns: Vec<Vec<Group>> = if width >= 3.0 * COLUMN {
                parts.map(<[Group]>::to_vec).into()
            } else if width >= 2.0 * COLUMN {
                vec![[parts[0], parts[2]].concat(), parts[1].to_vec()]
            } else {
                vec![parts.concat()]
            };
            ui.columns(in_columns.len(), |columns| {
                for (column, groups) in columns.iter_mut().zip(&in_columns) {
                    for &group in groups {
                        group_ui(column, group);
                    }
                }
            });
        });
    });
    if modal.backdrop_response.clicked() {
        commands.push(WindowCommand::ShowShortcuts(false).into());
    }
}

fn group_ui(ui: &mut Ui, group: Group) {
    let palette = Palette::from_ui(ui);
    let is_mac = ui.ctx().os().is_mac();
    ui.label(
        RichText::new(group.label())
            .font(theme::semibold(12.5))
            .color(palette.accent),
    );
    ui.add_space(2.0);
    ui.spacing_mut().interact_size.y = 20.0;
    Grid::new(group.label())
        .num_columns(2)
        .min_col_width(88.0)
        .spacing([12.0, 5.0])
        .show(ui, |ui| {
            for action in ACTIONS.iter().filter(|action| action.group == group) {
                let Some(shortcut) = action.shortcut else {
                    continue;
                };
                ui.label(
                    RichText::new(written(shortcut, is_mac))
                        .size(12.5)
                        .color(palette.weak),
                );
                ui.label(RichText::new(action.label.trim_end_matches('…')).size(13.0));
                ui.end_row();
            }
            if group == Group::View && !is_mac {
                for (keys, label) in [("F10", "Menus"), ("Alt+letter", "Menu of this letter")] {
                    ui.label(RichText::new(keys).size(12.5).color(palette.weak));
                    ui.label(RichText::new(label).size(13.0));
                    ui.end_row();
                }
            }
        });
    ui.add_space(14.0);
}
