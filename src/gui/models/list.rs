//! The list of models: name, languages and size of each.

use std::path::Path;

use egui::{
    Align, Button, Layout, RichText, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::{ADD_FILE, ADD_FOLDER, GET, shown};
use crate::theme::{self, Palette};
use crate::{icons, labels};
use canopy_app::models::GettingCommand;
use canopy_app::{AppState, Command, ModelsCommand, language};
use canopy_translate::inference::InstalledModel;

const ROW_HEIGHT: f32 = 50.0;

pub(super) fn list_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        let width = ui.available_width() - 14.0;
        let button = theme::primary(ui, GET).min_size(vec2(width, 31.0));
        if ui.add(button).clicked() {
            commands.push(get_models());
        }
    });
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        let buttons = [
            (ADD_FOLDER, ModelsCommand::AskFolder),
            (ADD_FILE, ModelsCommand::AskFile),
        ];
        let width = (ui.available_width() - 14.0 - ui.spacing().item_spacing.x) / 2.0;
        for (label, command) in buttons {
            let button = Button::new(label).min_size(vec2(width, 31.0));
            if ui.add(button).clicked() {
                commands.push(Command::Models(command));
            }
        }
    });
    ui.add_space(8.0);
    ui.spacing_mut().item_spacing.y = 0.0;
    let models = &state.models;
    let part = |wanted: fn(&AppState, &InstalledModel) -> bool| {
        models
            .library
            .all
            .iter()
            .filter(move |model| wanted(state, model))
    };
    ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt("models")
        .show(ui, |ui| {
            let shipped = part(|_, model| model.is_shipped);
            part_ui(ui, "Came with Canopy", shipped, state, commands);
            let added = part(|state, model| {
                model.is_removable() && !state.models.library.is_external(model)
            });
            part_ui(ui, "Yours", added, state, commands);
            let external = part(|state, model| state.models.library.is_external(model));
            part_ui(ui, "Opened without copying", external, state, commands);
        });
}

/// Opens the page of catalogues.
pub(super) fn get_models() -> Command {
    Command::Models(ModelsCommand::Get(GettingCommand::Open {
        from: None,
        to: None,
    }))
}

fn part_ui<'a>(
    ui: &mut Ui,
    title: &str,
    models: impl Iterator<Item = &'a InstalledModel>,
    state: &AppState,
    commands: &mut Vec<Command>,
) {
    let mut models = models.peekable();
    if models.peek().is_none() {
        return;
    }
    let palette = Palette::from_ui(ui);
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.add_space(16.0);
        ui.label(RichText::new(title).size(12.0).color(palette.weak));
    });
    let is_shown = !state.models.getting.is_open;
    let selected = shown(state).filter(|_| is_shown);
    let selected = selected.map(|model| model.folder.as_path());
    for model in models {
        row_ui(ui, state, model, selected, commands);
    }
}

fn row_ui(
    ui: &mut Ui,
    state: &AppState,
    model: &InstalledModel,
    selected: Option<&Path>,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let is_selected = selected == Some(&model.folder);
    let size = vec2(ui.available_width(), ROW_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::ListItem, true, &model.name));
    let row = rect.shrink2(vec2(8.0, 1.0));
    if is_selected || response.contains_pointer() {
        let fill = if is_selected {
            palette.selected
        } else {
            theme::blend(palette.panel, palette.text, 0.05)
        };
        let radius = f32::from(theme::RADIUS);
        ui.painter().rect_filled(row, radius, fill);
    }
    let mark = pos2(row.left() + 13.0, row.top() + 12.5);
    let is_broken = state.models.library.problem(model).is_some();
    if is_broken {
        icons::warning(ui.painter(), mark, palette.error);
    } else if state
        .models
        .in_use
        .folders()
        .any(|used| used == model.folder)
    {
        ui.painter().circle_filled(mark, 4.0, palette.accent);
    } else {
        let stroke = (1.3, palette.weak.gamma_multiply(0.6));
        ui.painter().circle_stroke(mark, 3.5, stroke);
    }
    let place = row.with_min_x(row.left() + 26.0).shrink2(vec2(8.0, 4.0));
    let layout = Layout::top_down(Align::Min);
    let mut text = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    text.spacing_mut().item_spacing.y = 2.0;
    let line = |text: &mut Ui, line: RichText| {
        text.add(egui::Label::new(line).truncate().selectable(false));
    };
    let color = if is_selected {
        palette.strong
    } else {
        palette.text
    };
    line(
        &mut text,
        RichText::new(&model.name).size(13.5).color(color),
    );
    let under = if is_broken {
        RichText::new("cannot be opened").color(palette.error)
    } else {
        let about = format!(
            "{}  ·  {}",
            languages(model),
            labels::bytes(model.num_bytes)
        );
        RichText::new(about).color(palette.weak)
    };
    line(&mut text, under.size(12.0));
    if response.clicked() {
        let command = ModelsCommand::Select(model.folder.clone());
        commands.push(Command::Models(command));
    }
}

/// `English → German`, `English → 12 languages`.
pub(super) fn languages(model: &InstalledModel) -> String {
    let some = |codes: &[String]| match codes {
        [] => "unknown".to_owned(),
        [one] => language::name(one),
        [one, other] => format!("{}, {}", language::name(one), language::name(other)),
        many => format!("{} languages", many.len()),
    };
    match (model.sources.as_slice(), model.targets.as_slice()) {
        ([], []) if model.is_language_model() => "any language → any language".to_owned(),
        ([], []) => "languages unknown".to_owned(),
        (sources, targets) => format!("{} → {}", some(sources), some(targets)),
    }
}
