//! The bar at the top: menus, the model, and the one button that matters.

mod models;
mod options;
mod resources;
mod translate;

use std::path::Path;

use egui::containers::menu::{MenuBar, MenuButton, MenuConfig};
use egui::{Align, Button, Layout, Popup, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use self::models::{model_button_ui, model_menu_ui};
use self::options::{options_content_ui, options_ui};
use self::resources::resources_menu_ui;
use self::translate::primary_ui;
use super::shortcuts::written;
use super::theme::Palette;
use super::{clipboard, icons, labels, menu_keys};
use canopy_app::actions::label_of;
use canopy_app::jobs::RunSnapshot;
use canopy_app::{
    ACTIONS, Action, AppState, Command, EditCommand, Group, Page, SaveCommand, Theme, WindowCommand,
};
use canopy_document::export::ExportFormat;

/// Below this width the pages are in a line of their own.
const ONE_LINE: f32 = 1180.0;

/// Below this width the button that translates does, too.
const TWO_LINES: f32 = 570.0;

/// Below this width the menus are closer.
const MENUS_WIDTH: f32 = 480.0;

/// Width of the pages' tabs.
const PAGES: f32 = 540.0;

/// The menus of the bar; each has a letter of its own in front.
const MENUS: [&str; 7] = [
    "File",
    "Edit",
    "Translate",
    "Model",
    "Resources",
    "View",
    "Help",
];

pub(crate) fn menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let width = ui.available_width();
    let (is_narrow, is_tiny) = (width < ONE_LINE, width < TWO_LINES);
    let opens = menu_keys::take(ui.ctx(), &MENUS);
    let mut popups = Vec::new();
    MenuBar::new().config(MenuConfig::new()).ui(ui, |ui| {
        let padding = if width < MENUS_WIDTH { 4.0 } else { 9.0 };
        ui.spacing_mut().button_padding = egui::vec2(padding, 5.0);
        for label in MENUS {
            let (response, _) = MenuButton::new(label).ui(ui, |ui| {
                within_window_ui(ui, |ui| {
                    menu_keys::focus_first(ui);
                    entries_ui(ui, label, state, commands);
                });
            });
            popups.push(Popup::default_response_id(&response));
        }
        if !is_narrow {
            ui.add_space(18.0);
            pages_ui(ui, state, commands);
        }
        if !is_tiny {
            right_ui(ui, state, commands);
        }
    });
    menu_keys::open(ui.ctx(), opens, popups);
    if is_narrow {
        MenuBar::new().config(MenuConfig::new()).ui(ui, |ui| {
            ui.spacing_mut().button_padding = egui::vec2(9.0, 5.0);
            if width > PAGES {
                pages_ui(ui, state, commands);
            } else {
                let scrolls = ScrollArea::horizontal().id_salt("pages");
                scrolls.show(ui, |ui| pages_ui(ui, state, commands));
            }
        });
    }
    if is_tiny {
        MenuBar::new().config(MenuConfig::new()).ui(ui, |ui| {
            ui.spacing_mut().button_padding = egui::vec2(9.0, 5.0);
            right_ui(ui, state, commands);
        });
    }
}

/// Entries of a menu of the bar.
fn entries_ui(ui: &mut Ui, label: &str, state: &AppState, commands: &mut Vec<Command>) {
    match label {
        "File" => file_menu_ui(ui, state, commands),
        "Edit" => edit_menu_ui(ui, state, commands),
        "Translate" => {
            actions_ui(ui, state, Group::Translate, commands);
            ui.separator();
            ui.menu_button("Options", |ui| options_content_ui(ui, state, commands));
        }
        "Model" => model_menu_ui(ui, state, commands),
        "Resources" => resources_menu_ui(ui, state, commands),
        "View" => view_menu_ui(ui, state, commands),
        _ => actions_ui(ui, state, Group::Help, commands),
    }
}

/// The button that translates, the options and the model, from the right.
fn right_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if state.shared.page == Page::Document {
            primary_ui(ui, state, commands);
            ui.add_space(4.0);
        }
        // The menus at the left have the same.
        if ui.available_width() > 100.0 {
            options_ui(ui, state, commands);
        }
        if ui.available_width() > 90.0 {
            model_button_ui(ui, state, commands);
        }
    });
}

/// Entries of a menu, which scroll where the window is lower than they are.
fn within_window_ui(ui: &mut Ui, entries: impl FnOnce(&mut Ui)) {
    let height = ui.ctx().content_rect().height() - 72.0;
    ScrollArea::vertical()
        .max_height(height)
        .min_scrolled_height(height)
        .show(ui, entries);
}

/// The pages of the window.
fn pages_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let is_there = |page: Page| match page {
        Page::Project => state.projects.open.is_some(),
        Page::Align => state.shared.page == page || state.aligning.is_in_use(),
        _ => true,
    };
    for page in Page::ALL.into_iter().filter(|page| is_there(*page)) {
        let command = Command::Window(WindowCommand::ShowPage(page));
        let mut text = RichText::new(label_of(&command));
        if state.shared.page == page {
            text = text.font(super::theme::semibold(13.5));
        }
        let button = Button::selectable(state.shared.page == page, text);
        if ui.add(button).clicked() {
            commands.push(command);
        }
    }
    if let Some(queued) = state.training.runs.queue.first()
        && state.shared.page != Page::Training
    {
        run_under_way_ui(ui, state.training.runs.get(&queued.folder), commands);
    }
}

/// How far a run is. It does not move by itself: every frame would take time from the run.
fn run_under_way_ui(ui: &mut Ui, run: Option<&RunSnapshot>, commands: &mut Vec<Command>) {
    let share = run.and_then(|run| run.summary.share()).unwrap_or_default();
    let name = run.map_or_else(|| "A run".to_owned(), RunSnapshot::name);
    let text = format!("{name} is being trained: {:.0} %", 100.0 * share);
    let (place, response) = ui.allocate_exact_size(vec2(24.0, 24.0), Sense::click());
    icons::ring(
        ui.painter(),
        place.center(),
        (0.0, share),
        &Palette::from_ui(ui),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &text));
    if response.on_hover_text(text).clicked() {
        commands.push(WindowCommand::ShowPage(Page::Training).into());
    }
}

fn action_ui(ui: &mut Ui, state: &AppState, action: &Action, commands: &mut Vec<Command>) {
    let is_mac = ui.ctx().os().is_mac();
    let shortcut = action
        .shortcut
        .map_or_else(String::new, |shortcut| written(shortcut, is_mac));
    let mut shortcut = RichText::new(shortcut).size(12.5);
    let enabled = state.is_enabled(&action.command);
    if !enabled {
        // What is weak already would be too weak.
        shortcut = shortcut.color(Palette::from_ui(ui).text);
    }
    let button = Button::new(action.label).shortcut_text(shortcut);
    let mut response = ui.add_enabled(enabled, button);
    if let Some(explanation) = labels::explanation(&action.command) {
        response = response.on_hover_text(explanation);
    }
    if let Some(reason) = state.why_not(&action.command) {
        response = response.on_disabled_hover_text(reason);
    }
    if response.clicked() {
        commands.push(action.command.clone());
    }
}

fn actions_ui(ui: &mut Ui, state: &AppState, group: Group, commands: &mut Vec<Command>) {
    ui.set_min_width(230.0);
    for action in ACTIONS.iter().filter(|action| action.group == group) {
        if action.begins_part {
            ui.separator();
        }
        action_ui(ui, state, action, commands);
    }
}

fn edit_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    ui.set_min_width(230.0);
    for action in ACTIONS.iter().filter(|action| action.group == Group::Edit) {
        if action.begins_part {
            ui.separator();
        }
        action_ui(ui, state, action, commands);
        if action.command == Command::from(EditCommand::Redo) {
            ui.separator();
            clipboard::entries_ui(ui, state);
        }
    }
    ui.separator();
    ui.menu_button(Group::Go.label(), |ui| {
        actions_ui(ui, state, Group::Go, commands);
    });
}

fn file_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    ui.set_min_width(230.0);
    for action in ACTIONS.iter().filter(|action| action.group == Group::File) {
        if action.begins_part {
            ui.separator();
        }
        action_ui(ui, state, action, commands);
        if action.command == Command::from(SaveCommand::SaveAs) {
            export_menu_ui(ui, state, commands);
        }
        if action.command == Command::Window(WindowCommand::Open) {
            ui.menu_button("Open recent", |ui| {
                paths_ui(
                    ui,
                    &state.shared.settings.recent_documents,
                    |path| WindowCommand::OpenPath(path).into(),
                    commands,
                );
            });
            ui.menu_button("Open sample", |ui| {
                paths_ui(
                    ui,
                    &state.shared.shipped.samples,
                    |path| WindowCommand::OpenPath(path).into(),
                    commands,
                );
            });
        }
    }
}

/// The formats of exports.
fn export_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    ui.add_enabled_ui(state.document.editing.open.is_some(), |ui| {
        ui.menu_button("Export", |ui| {
            for format in ExportFormat::ALL {
                let mut label = format.label().to_owned();
                label[..1].make_ascii_uppercase();
                if ui.button(format!("{label}…")).clicked() {
                    commands.push(SaveCommand::Export(format).into());
                }
            }
        });
    });
}

fn paths_ui(
    ui: &mut Ui,
    paths: &[std::path::PathBuf],
    command: fn(std::path::PathBuf) -> Command,
    commands: &mut Vec<Command>,
) {
    if paths.is_empty() {
        ui.add_enabled(false, Button::new("None yet"));
    }
    for path in paths {
        if ui
            .button(file_name(path))
            .on_hover_text(path.display().to_string())
            .clicked()
        {
            commands.push(command(path.clone()));
        }
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

fn view_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    actions_ui(ui, state, Group::View, commands);
    ui.separator();
    ui.label(RichText::new("Theme").size(12.0).color(palette.weak));
    for (theme, label) in [
        (Theme::System, "Follow the system"),
        (Theme::Light, "Light"),
        (Theme::Dark, "Dark"),
    ] {
        if ui
            .radio(state.shared.settings.theme == theme, label)
            .clicked()
        {
            commands.push(WindowCommand::SetTheme(theme).into());
        }
    }
}

/// Says that a menu follows.
fn arrow(palette: &Palette) -> RichText {
    RichText::new("▾").size(11.0).color(palette.weak)
}
