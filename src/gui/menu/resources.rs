//! The menu of resources: translation memories, termbases, dictionaries, the language model that suggests.

use std::path::Path;

use egui::{Checkbox, RichText, Ui};

use super::file_name;
use crate::labels;
use crate::terms::terms_menu_ui;
use crate::theme::Palette;
use canopy_app::{AppState, CheckCommand, Command, LanguageModelCommand, ModelsCommand};

/// Memories, termbases and other resources of a translation.
pub(super) fn resources_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
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
        commands.push(LanguageModelCommand::Name.into());
    }
}

/// Where dictionaries of the check of spelling are.
fn dictionaries_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let own = state.shared.settings.dictionaries.as_deref();
    if ui.radio(own.is_none(), "Those of the system").clicked() && own.is_some() {
        commands.push(CheckCommand::UseDictionaries(None).into());
    }
    if let Some(own) = own {
        let hint = own.display().to_string();
        ui.radio(true, file_name(own)).on_hover_text(hint);
    }
    let hint = "A folder with .dic and .aff files, such as those of LibreOffice or Firefox";
    let button = ui.button("Choose a dictionary folder…");
    if button.on_hover_text(hint).clicked() {
        commands.push(CheckCommand::ChooseDictionaries.into());
    }
}

fn memory_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let current = state.shared.settings.memory.as_deref();
    let mut entry = |ui: &mut Ui, memory: Option<&Path>, label: String, hint: String| {
        let button = ui.radio(current == memory, label).on_hover_text(hint);
        if button.clicked() && current != memory {
            commands.push(ModelsCommand::UseMemory(memory.map(Path::to_owned)).into());
        }
    };
    entry(ui, None, "None".to_owned(), labels::NO_MEMORY.to_owned());
    for path in &state.shared.settings.recent_memories {
        let hint = format!("{}\n{}", path.display(), labels::MEMORY);
        entry(ui, Some(path), file_name(path), hint);
    }
    further_memories_ui(ui, state, commands);
    for (label, command) in [
        (
            "Choose a TMX, TSV or PO file…",
            Command::Models(ModelsCommand::ChooseMemory),
        ),
        (
            "Choose a corpus or folder of PO files…",
            Command::Models(ModelsCommand::ChooseMemoryFolder),
        ),
    ] {
        if ui.button(label).clicked() {
            commands.push(command);
        }
    }
    let mut learns = state.shared.settings.learns_from_memory;
    let checkbox = Checkbox::new(&mut learns, "Adapt the model to this memory (slower)");
    let checkbox = ui.add_enabled(current.is_some(), checkbox);
    if checkbox.on_hover_text(labels::LEARNING).changed() {
        commands.push(ModelsCommand::LearnFromMemory(learns).into());
    }
}

/// Other memories of this user, each of which may be looked up after the one in use.
fn further_memories_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    const PENALTIES: [u8; 5] = [0, 5, 10, 20, 30];
    let first = state.shared.settings.memory.as_deref();
    if first.is_none() || state.projects.open.is_some() {
        return;
    }
    let further = state
        .models
        .further_memories(&state.shared, &state.document);
    let mut paths: Vec<&Path> = further.iter().map(|memory| &*memory.path).collect();
    for path in &state.shared.settings.recent_memories {
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
                commands.push(ModelsCommand::UseFurtherMemory(path.to_owned(), penalty).into());
            }
            if let Some(memory) = used {
                let menu = ui.menu_button(format!("−{} %", memory.penalty), |ui| {
                    for penalty in PENALTIES {
                        let is_it = memory.penalty == penalty;
                        if ui.radio(is_it, format!("−{penalty} %")).clicked() && !is_it {
                            let path = path.to_owned();
                            commands
                                .push(ModelsCommand::UseFurtherMemory(path, Some(penalty)).into());
                        }
                    }
                });
                menu.response.on_hover_text(labels::PENALTY);
            }
        });
    }
}
