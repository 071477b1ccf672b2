//! The bar at the top: menus, the model, and the one button that matters.

use std::path::Path;

use egui::containers::menu::{MenuBar, MenuButton, MenuConfig};
use egui::{
    Align, Button, Checkbox, Layout, Popup, PopupCloseBehavior, RichText, Role, ScrollArea, Sense,
    Ui, WidgetInfo, vec2,
};

use super::machines::device_ui;
use super::reading::reading_ui;
use super::shortcuts::written;
use super::terms::terms_menu_ui;
use super::theme::Palette;
use super::{clipboard, icons, labels, menu_keys};
use canopy_app::actions::label_of;
use canopy_app::jobs::RunSnapshot;
use canopy_app::{
    ACTIONS, Action, AppState, CheckCommand, Command, Group, LanguageModelCommand, ModelState,
    Page, Scope, Theme,
};
use canopy_corpus::is_same_language;
use canopy_document::document::SubtitleLayout;
use canopy_document::export::ExportFormat;
use canopy_translate::inference::{AddressChoice, InstalledModel};

/// Below this width the pages stand in a line of their own.
const ONE_LINE: f32 = 1180.0;

/// Below this width the button that translates does, too.
const TWO_LINES: f32 = 570.0;

/// Below this width the menus stand closer.
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

pub fn menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
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
        if state.page == Page::Document {
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
        Page::Align => state.page == page || state.aligning.is_in_use(),
        _ => true,
    };
    for page in Page::ALL.into_iter().filter(|page| is_there(*page)) {
        let command = Command::ShowPage(page);
        let mut text = RichText::new(label_of(&command));
        if state.page == page {
            text = text.font(super::theme::semibold(13.5));
        }
        let button = Button::selectable(state.page == page, text);
        if ui.add(button).clicked() {
            commands.push(command);
        }
    }
    if let Some(queued) = state.training.queue.first()
        && state.page != Page::Training
    {
        run_under_way_ui(ui, state.training.run(&queued.folder), commands);
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
        commands.push(Command::ShowPage(Page::Training));
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
        if action.command == Command::Redo {
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
        if action.command == Command::SaveAs {
            export_menu_ui(ui, state, commands);
        }
        if action.command == Command::Open {
            ui.menu_button("Open recent", |ui| {
                paths_ui(
                    ui,
                    &state.settings.recent_documents,
                    Command::OpenPath,
                    commands,
                );
            });
            ui.menu_button("Open sample", |ui| {
                paths_ui(ui, &state.shipped.samples, Command::OpenPath, commands);
            });
        }
    }
}

/// The formats of exports.
fn export_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    ui.add_enabled_ui(state.document.is_some(), |ui| {
        ui.menu_button("Export", |ui| {
            for format in ExportFormat::ALL {
                let mut label = format.label().to_owned();
                label[..1].make_ascii_uppercase();
                if ui.button(format!("{label}…")).clicked() {
                    commands.push(Command::Export(format));
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
pub fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

fn model_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    ui.set_min_width(210.0);
    let caption = |text: &str| RichText::new(text).size(12.0).color(palette.weak);
    let current = match &state.model {
        ModelState::None => None,
        ModelState::Opening { folder, .. } => Some(folder.as_path()),
        ModelState::Open { info, .. } => Some(info.folder.as_path()),
    };
    let mut entry = |ui: &mut Ui, folder: &Path| {
        let model = state.models.get(folder);
        let name = model.map_or_else(|| file_name(folder), |model| model.name.clone());
        let pair = model.map_or_else(String::new, InstalledModel::pair);
        let is_current = current == Some(folder);
        let color = if is_current {
            palette.text
        } else {
            palette.weak
        };
        let pair = RichText::new(pair).size(12.0).color(color);
        let button = Button::selectable(is_current, name).right_text(pair);
        if ui
            .add(button)
            .on_hover_text(folder.display().to_string())
            .clicked()
        {
            commands.push(Command::OpenModel(folder.to_owned()));
        }
    };
    if !state.shipped.models.is_empty() {
        ui.label(caption("Shipped"));
        for folder in &state.shipped.models {
            entry(ui, folder);
        }
    }
    let is_shipped = |folder: &Path| state.shipped.models.iter().any(|shipped| shipped == folder);
    let installed = state.models.all.iter().filter(|model| {
        model.is_removable() && !state.models.is_external(model) && model.problem.is_none()
    });
    let installed: Vec<&Path> = installed.map(|model| model.folder.as_path()).collect();
    if !installed.is_empty() {
        ui.label(caption("Installed"));
        for folder in &installed {
            entry(ui, folder);
        }
    }
    let mut recent = state
        .settings
        .recent_models
        .iter()
        .filter(|folder| !is_shipped(folder) && !installed.contains(&folder.as_path()))
        .peekable();
    if recent.peek().is_some() {
        ui.label(caption("Recent"));
        for folder in recent {
            entry(ui, folder);
        }
    }
    ui.separator();
    if ui.button("Other folder…").clicked() {
        commands.push(Command::ChooseModel);
    }
    if ui.button("Installed models…").clicked() {
        commands.push(Command::ShowPage(Page::Models));
    }
}

/// Memories, termbases and other resources of a translation.
fn resources_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    ui.set_min_width(240.0);
    let caption = |text: &str| RichText::new(text).size(12.0).color(palette.weak);
    ui.label(caption("Translation memory"));
    memory_ui(ui, state, commands);
    ui.separator();
    ui.label(caption("Termbases"));
    terms_menu_ui(ui, state, commands);
    ui.separator();
    ui.label(caption("Spelling dictionaries"));
    dictionaries_ui(ui, state, commands);
    ui.separator();
    ui.label(caption("Suggestions"));
    if ui.button("Language model…").clicked() {
        commands.push(Command::LanguageModel(LanguageModelCommand::Name));
    }
}

/// Where dictionaries of the check of spelling are.
fn dictionaries_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let own = state.settings.dictionaries.as_deref();
    if ui.radio(own.is_none(), "Those of the system").clicked() && own.is_some() {
        commands.push(Command::Check(CheckCommand::UseDictionaries(None)));
    }
    if let Some(own) = own {
        let hint = own.display().to_string();
        ui.radio(true, file_name(own)).on_hover_text(hint);
    }
    let hint = "A folder with .dic and .aff files, such as those of LibreOffice or Firefox";
    let button = ui.button("Choose a dictionary folder…");
    if button.on_hover_text(hint).clicked() {
        commands.push(Command::Check(CheckCommand::ChooseDictionaries));
    }
}

/// The form of address of German translations from English.
fn address_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let ModelState::Open { info, .. } = &state.model else {
        return;
    };
    let is_heard = is_same_language(&info.source_language, "en")
        && is_same_language(&info.target_language, "de");
    if !is_heard {
        return;
    }
    let current = state.settings.address;
    let title = format!("Form of address: {}", labels::address(current));
    ui.menu_button(title, |ui| {
        let choices = AddressChoice::ALL.map(Some);
        for choice in std::iter::once(None).chain(choices) {
            let button = ui.radio(current == choice, labels::address(choice));
            if button.on_hover_text(labels::ADDRESS).clicked() {
                commands.push(Command::SetAddress(choice));
            }
        }
    });
}

fn memory_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let current = state.settings.memory.as_deref();
    let mut entry = |ui: &mut Ui, memory: Option<&Path>, label: String, hint: String| {
        let button = ui.radio(current == memory, label).on_hover_text(hint);
        if button.clicked() && current != memory {
            commands.push(Command::UseMemory(memory.map(Path::to_owned)));
        }
    };
    entry(ui, None, "None".to_owned(), labels::NO_MEMORY.to_owned());
    for path in &state.settings.recent_memories {
        let hint = format!("{}\n{}", path.display(), labels::MEMORY);
        entry(ui, Some(path), file_name(path), hint);
    }
    further_memories_ui(ui, state, commands);
    for (label, command) in [
        ("Choose a TMX, TSV or PO file…", Command::ChooseMemory),
        (
            "Choose a corpus or folder of PO files…",
            Command::ChooseMemoryFolder,
        ),
    ] {
        if ui.button(label).clicked() {
            commands.push(command);
        }
    }
    let mut learns = state.settings.learns_from_memory;
    let checkbox = Checkbox::new(&mut learns, "Adapt the model to this memory (slower)");
    let checkbox = ui.add_enabled(current.is_some(), checkbox);
    if checkbox.on_hover_text(labels::LEARNING).changed() {
        commands.push(Command::LearnFromMemory(learns));
    }
}

/// Other memories of this user, each of which may be looked up after the one in use.
fn further_memories_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    const PENALTIES: [u8; 5] = [0, 5, 10, 20, 30];
    let first = state.settings.memory.as_deref();
    if first.is_none() || state.projects.open.is_some() {
        return;
    }
    let further = state.further_memories();
    let mut paths: Vec<&Path> = further.iter().map(|memory| &*memory.path).collect();
    for path in &state.settings.recent_memories {
        if !paths.contains(&path.as_path()) {
            paths.push(path);
        }
    }
    for path in paths.into_iter().filter(|path| Some(*path) != first) {
        let used = further.iter().find(|memory| memory.path == path);
        let hint = format!("{}\n{}", path.display(), labels::FURTHER_MEMORY);
        ui.horizontal(|ui| {
            let mut is_used = used.is_some();
            let checkbox = Checkbox::new(&mut is_used, format!("Then {}", file_name(path)));
            if ui.add(checkbox).on_hover_text(hint).changed() {
                let penalty = is_used.then_some(0);
                commands.push(Command::UseFurtherMemory(path.to_owned(), penalty));
            }
            if let Some(memory) = used {
                let menu = ui.menu_button(format!("−{} %", memory.penalty), |ui| {
                    for penalty in PENALTIES {
                        let is_it = memory.penalty == penalty;
                        if ui.radio(is_it, format!("−{penalty} %")).clicked() && !is_it {
                            let path = path.to_owned();
                            commands.push(Command::UseFurtherMemory(path, Some(penalty)));
                        }
                    }
                });
                menu.response.on_hover_text(labels::PENALTY);
            }
        });
    }
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
        if ui.radio(state.settings.theme == theme, label).clicked() {
            commands.push(Command::SetTheme(theme));
        }
    }
}

fn model_button_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let (text, color) = match &state.model {
        ModelState::None => ("No model".to_owned(), palette.warning),
        ModelState::Opening { .. } => ("Opening model…".to_owned(), palette.weak),
        ModelState::Open { info, .. } => (info.name.clone(), palette.text),
    };
    let button = Button::new(RichText::new(text).color(color)).right_text(arrow(&palette));
    let response = ui.add(button.truncate()).on_hover_text("Choose a model");
    Popup::menu(&response).show(|ui| within_window_ui(ui, |ui| model_menu_ui(ui, state, commands)));
}

/// Says that a menu follows.
fn arrow(palette: &Palette) -> RichText {
    RichText::new("▾").size(11.0).color(palette.weak)
}

fn options_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let response = ui.add(Button::new("Options").right_text(arrow(&Palette::from_ui(ui))));
    let popup = Popup::menu(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .width(280.0);
    popup.show(|ui| options_content_ui(ui, state, commands));
}

fn options_content_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let mut beam_size = state.settings.beam_size;
    ui.add_space(4.0);
    if ui
        .add(egui::Slider::new(&mut beam_size, 0..=16).text("Beam size"))
        .changed()
    {
        commands.push(Command::SetBeamSize(beam_size));
    }
    let explanation =
        "Search width: 1 is fastest, 4 slightly better; more rarely helps. 0 is that of the model.";
    // A menu justifies its contents, which tears a paragraph apart.
    ui.with_layout(Layout::top_down(Align::Min), |ui| {
        ui.label(RichText::new(explanation).size(12.5).color(palette.weak));
    });
    address_ui(ui, state, commands);
    if let Some(open) = &state.document {
        let document = &open.document;
        if document.format.is_subtitles() {
            ui.separator();
            subtitle_layout_ui(ui, state.settings.subtitles, commands);
        }
        ui.separator();
        reading_ui(ui, document, commands);
    }
    ui.separator();
    ui.label(RichText::new("Run on").size(12.5).color(palette.weak));
    device_ui(ui, state, commands);
}

/// How much room translated subtitles have.
fn subtitle_layout_ui(ui: &mut Ui, current: SubtitleLayout, commands: &mut Vec<Command>) {
    let mut layout = current;
    ui.add(egui::Slider::new(&mut layout.max_chars, 10..=80).text("Characters in a line"));
    ui.add(egui::Slider::new(&mut layout.max_lines, 1..=4).text("Lines in a cue"));
    if layout != current {
        commands.push(Command::SetSubtitleLayout(layout));
    }
}

/// Translates, or cancels what is running.
fn primary_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    if state.is_busy() {
        let cancelling = state
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
            commands.push(Command::Cancel);
        }
        return;
    }
    ui.scope(|ui| translate_button_ui(ui, state, &palette, commands));
}

/// With a frame of its own: buttons of a menu bar have none.
fn cancel_button<'a>(label: &'a str, palette: &Palette) -> Button<'a> {
    let fill = super::theme::blend(palette.panel, palette.text, 0.1);
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
    let command = Command::Translate(Scope::Document);
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
            widget.weak_bg_fill = super::theme::blend(palette.accent, palette.strong, share);
        }
    }
    let button = Button::new(RichText::new(label_of(&command)).font(super::theme::semibold(13.5)))
        .frame_when_inactive(true)
        .min_size(egui::vec2(150.0, 28.0));
    if ui.add_enabled(enabled, button).clicked() {
        commands.push(command);
    }
}
