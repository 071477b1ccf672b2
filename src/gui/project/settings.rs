//! The settings of the open project: languages, model, memories in their order with penalties, termbases in theirs.

use egui::{
    Align, Button, ComboBox, Context, DragValue, Frame, Layout, RichText, ScrollArea, Ui, vec2,
};

use crate::menu::file_name;
use crate::models::language_ui;
use crate::theme::{self, Palette, add_primary};
use canopy_app::jobs::project_folder::MAX_PENALTY;
use canopy_app::jobs::{ProjectMemory, ProjectSettings};
use canopy_app::{AppState, Command, ProjectCommand, SettingsCommand, language};
use canopy_translate::inference::InstalledModel;

const WIDTH: f32 = 560.0;
const LABEL: f32 = 116.0;

/// The dialog of a project's settings, with the texts typed into its two language menus.
#[derive(Default)]
pub(crate) struct ProjectSettingsForm {
    wanted: [String; 2],
}

impl ProjectSettingsForm {
    pub(crate) fn ui(&mut self, ctx: &Context, state: &AppState, commands: &mut Vec<Command>) {
        let Some(settings) = &state.projects.settings else {
            *self = Self::default();
            return;
        };
        let mut filled = settings.clone();
        let mut requests: Vec<SettingsCommand> = Vec::new();
        let modal = theme::modal(ctx, egui::Id::unique("project settings")).show(ctx, |ui| {
            let room = ui.ctx().content_rect().size();
            ui.set_width(WIDTH.min(room.x - 90.0));
            ui.heading("Project settings");
            ui.add_space(10.0);
            let scroll = ScrollArea::vertical().max_height(room.y - 240.0);
            scroll.show(ui, |ui| {
                self.languages_ui(ui, &mut filled);
                row_ui(ui, "Model", |ui| model_ui(ui, state, &mut filled));
                row_ui(ui, "Memories", |ui| {
                    memories_ui(ui, &mut filled.memories, &mut requests);
                });
                row_ui(ui, "Termbases", |ui| {
                    terms_ui(ui, &filled.terms, &mut requests);
                });
            });
            ui.add_space(12.0);
            let palette = Palette::from_ui(ui);
            let kept =
                "Kept in canopy-project.toml, and used by Translate all and by canopy project.";
            ui.label(RichText::new(kept).size(12.5).color(palette.weak));
            ui.add_space(10.0);
            let is_pair = filled.source_language != filled.target_language;
            ui.horizontal(|ui| {
                if add_primary(ui, is_pair, "Save").clicked() {
                    requests.push(SettingsCommand::Keep);
                }
                if ui.button("Cancel").clicked() {
                    requests.push(SettingsCommand::Discard);
                }
                if !is_pair {
                    let text = "Both languages are the same";
                    ui.label(RichText::new(text).color(palette.error));
                }
            });
        });
        if filled != *settings {
            requests.insert(0, SettingsCommand::Fill(Box::new(filled)));
        }
        if modal.should_close() {
            requests.push(SettingsCommand::Discard);
        }
        let requests = requests.into_iter().map(ProjectCommand::from);
        commands.extend(requests.map(Command::Project));
    }

    fn languages_ui(&mut self, ui: &mut Ui, filled: &mut ProjectSettings) {
        let [from, to] = &mut self.wanted;
        row_ui(ui, "Languages", |ui| {
            ui.horizontal(|ui| {
                let source = &mut filled.source_language;
                language_ui(ui, "Source language of the project", source, from);
                ui.label("to");
                let target = &mut filled.target_language;
                language_ui(ui, "Target language of the project", target, to);
            });
        });
    }
}

/// A label, and its control to the right.
fn row_ui(ui: &mut Ui, label: &str, content: impl FnOnce(&mut Ui)) {
    ui.horizontal_top(|ui| {
        let place = vec2(LABEL, 28.0);
        let layout = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(place, layout, |ui| {
            ui.set_width(LABEL);
            ui.label(RichText::new(label).color(Palette::from_ui(ui).weak));
        });
        ui.vertical(content);
    });
    ui.add_space(8.0);
}

fn model_ui(ui: &mut Ui, state: &AppState, filled: &mut ProjectSettings) {
    let fits = |model: &&InstalledModel| {
        let has = |codes: &[String], code: &str| {
            let mut codes = codes.iter();
            codes.any(|it| canopy_corpus::is_same_language(it, code))
        };
        model.problem.is_none()
            && has(&model.sources, &filled.source_language)
            && has(&model.targets, &filled.target_language)
    };
    let automatic = "The default of these languages";
    let shown = filled.model.clone();
    let combo = ComboBox::from_id_salt("project model")
        .width(340.0)
        .selected_text(shown.unwrap_or_else(|| automatic.to_owned()));
    let fitting: Vec<&InstalledModel> = state.models.library.all.iter().filter(fits).collect();
    let response = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut filled.model, None, automatic);
        for model in &fitting {
            let name = Some(model.name.clone());
            ui.selectable_value(&mut filled.model, name, &model.name);
        }
    });
    response.response.accessible_name("Model of the project");
    let palette = Palette::from_ui(ui);
    let named = filled.model.as_ref();
    let is_other = named.is_some_and(|name| !fitting.iter().any(|model| model.is_called(name)));
    if is_other || fitting.is_empty() {
        let [from, to] = [&filled.source_language, &filled.target_language];
        let pair = format!("{} to {}", language::name(from), language::name(to));
        let text = match named.filter(|_| is_other) {
            Some(name) => format!("{name} is not installed, or not for {pair}"),
            None => format!("No installed model translates {pair}"),
        };
        ui.label(RichText::new(text).size(12.5).color(palette.warning));
    }
}

/// The memories in the order in which they count.
fn memories_ui(ui: &mut Ui, memories: &mut [ProjectMemory], requests: &mut Vec<SettingsCommand>) {
    let palette = Palette::from_ui(ui);
    let about = "Confirmed sentences of the project come first, then these from the top. A penalty is subtracted from the matches of a memory, so that none is exact.";
    ui.label(RichText::new(about).size(12.5).color(palette.weak));
    ui.add_space(4.0);
    let count = memories.len();
    for (number, memory) in memories.iter_mut().enumerate() {
        memory_ui(ui, (number, count), memory, requests);
    }
    if ui.button("Add a memory…").clicked() {
        requests.push(SettingsCommand::AskMemory);
    }
}

fn memory_ui(
    ui: &mut Ui,
    place: (usize, usize),
    memory: &mut ProjectMemory,
    requests: &mut Vec<SettingsCommand>,
) {
    let number = place.0;
    let penalty = &mut memory.penalty;
    let step = file_ui(ui, place, &memory.path, |ui, name| {
        let field = DragValue::new(penalty)
            .range(0..=MAX_PENALTY)
            .speed(0.2)
            .suffix(" %");
        let field = ui.add_sized(vec2(62.0, 24.0), field);
        field
            .accessible_name(format!("Penalty of {name}"))
            .on_hover_text("Subtracted from the matches of this memory");
    });
    requests.extend(step.map(|step| match step {
        Step::Move(by) => SettingsCommand::MoveMemory(number, by),
        Step::Remove => SettingsCommand::RemoveMemory(number),
    }));
}

/// The termbases in the order in which they count.
fn terms_ui(ui: &mut Ui, terms: &[String], requests: &mut Vec<SettingsCommand>) {
    let palette = Palette::from_ui(ui);
    let about = "Terms of all are underlined and checked. New terms are added to the first.";
    ui.label(RichText::new(about).size(12.5).color(palette.weak));
    ui.add_space(4.0);
    for (number, path) in terms.iter().enumerate() {
        let step = file_ui(ui, (number, terms.len()), path, |ui, _| {
            // As wide as the penalty of a memory.
            ui.allocate_space(vec2(62.0, 24.0));
        });
        requests.extend(step.map(|step| match step {
            Step::Move(by) => SettingsCommand::MoveTerms(number, by),
            Step::Remove => SettingsCommand::RemoveTerms(number),
        }));
    }
    if ui.button("Add a termbase…").clicked() {
        requests.push(SettingsCommand::AskTerms);
    }
}

/// The step of a button in a file's row.
enum Step {
    /// So many rows down.
    Move(isize),
    Remove,
}

/// A row with the place of a file in its list, its name, what belongs to it, and buttons that move and remove it.
fn file_ui(
    ui: &mut Ui,
    (number, count): (usize, usize),
    path: &str,
    rest: impl FnOnce(&mut Ui, &str),
) -> Option<Step> {
    let palette = Palette::from_ui(ui);
    let name = file_name(path.as_ref());
    let mut step = None;
    let frame = Frame::NONE
        .fill(palette.panel)
        .corner_radius(6)
        .inner_margin(6);
    frame.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(RichText::new(format!("{}.", number + 1)).color(palette.weak));
            let width = (ui.available_width() - 226.0).max(60.0);
            let label = egui::Label::new(&name).truncate();
            ui.allocate_ui_with_layout(
                vec2(width, 24.0),
                Layout::left_to_right(Align::Center),
                |ui| {
                    ui.set_width(width);
                    ui.add(label).on_hover_text(path);
                },
            );
            rest(ui, &name);
            for (text, is_enabled, hint, pressed) in [
                ("↑", number > 0, "Move up", Step::Move(-1)),
                ("↓", number + 1 < count, "Move down", Step::Move(1)),
                ("×", true, "Remove", Step::Remove),
            ] {
                let response = ui.add_enabled(is_enabled, Button::new(text).small());
                let response = response.accessible_name(format!("{hint} {name}"));
                if response.on_hover_text(hint).clicked() {
                    step = Some(pressed);
                }
            }
        });
    });
    ui.add_space(2.0);
    step
}
