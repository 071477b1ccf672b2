//! The menu of models, and the button that opens it.

use std::path::Path;

use egui::{Button, Popup, RichText, Ui};

use super::{arrow, file_name, within_window_ui};
use crate::theme::Palette;
use canopy_app::{AppState, Command, ModelState, ModelsCommand, Page, WindowCommand};
use canopy_translate::inference::InstalledModel;

pub(super) fn model_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    ui.set_min_width(210.0);
    let caption = |text: &str| RichText::new(text).size(12.0).color(palette.weak);
    let current = match &state.models.in_use.current {
        ModelState::None => None,
        ModelState::Opening { folder, .. } => Some(folder.as_path()),
        ModelState::Open { info, .. } => Some(info.folder.as_path()),
    };
    let mut entry = |ui: &mut Ui, folder: &Path| {
        let model = state.models.library.get(folder);
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
            commands.push(ModelsCommand::Open(folder.to_owned()).into());
        }
    };
    if !state.shared.shipped.models.is_empty() {
        ui.label(caption("Shipped"));
        for folder in &state.shared.shipped.models {
            entry(ui, folder);
        }
    }
    let is_shipped = |folder: &Path| {
        state
            .shared
            .shipped
            .models
            .iter()
            .any(|shipped| shipped == folder)
    };
    let installed = state.models.library.all.iter().filter(|model| {
        model.is_removable() && !state.models.library.is_external(model) && model.problem.is_none()
    });
    let installed: Vec<&Path> = installed.map(|model| model.folder.as_path()).collect();
    if !installed.is_empty() {
        ui.label(caption("Installed"));
        for folder in &installed {
            entry(ui, folder);
        }
    }
    let mut recent = state
        .shared
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
        commands.push(ModelsCommand::Choose.into());
    }
    if ui.button("Installed models…").clicked() {
        commands.push(WindowCommand::ShowPage(Page::Models).into());
    }
}

pub(super) fn model_button_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let (text, color) = match &state.models.in_use.current {
        ModelState::None => ("No model".to_owned(), palette.warning),
        ModelState::Opening { .. } => ("Opening model…".to_owned(), palette.weak),
        ModelState::Open { info, .. } => (info.name.clone(), palette.text),
    };
    let button = Button::new(RichText::new(text).color(color)).right_text(arrow(&palette));
    let response = ui.add(button.truncate()).on_hover_text("Choose a model");
    Popup::menu(&response).show(|ui| within_window_ui(ui, |ui| model_menu_ui(ui, state, commands)));
}
