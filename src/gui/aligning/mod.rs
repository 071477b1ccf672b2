//! The page of an alignment: two documents side by side, a row for what belongs together, and what can be done to a row.

mod table;

use egui::{Align, Button, Checkbox, Frame, Layout, Panel, RichText, Ui, vec2};

use super::labels;
use super::menu::file_name;
use super::shortcuts::written;
use super::theme::{self, Palette, semibold};
use canopy_app::jobs::Alignment;
use canopy_app::{ACTIONS, AlignCommand, Aligning, AppState, Command, Group};
use canopy_corpus::{Column, RowState};
use table::AlignmentRows;

/// View state of the page.
#[derive(Default)]
pub(crate) struct AlignPanel {
    rows: AlignmentRows,
    /// Typed codes of the languages.
    codes: [String; 2],
}

impl AlignPanel {
    pub(crate) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        let frame = Frame::NONE.fill(palette.page).inner_margin(20);
        if state.aligning.open.is_none() {
            let page = egui::CentralPanel::default().frame(frame);
            page.show(ui, |ui| choice_ui(ui, &state.aligning, commands));
            return;
        }
        let bar = Frame::NONE.fill(palette.panel).inner_margin(12);
        Panel::top("alignment").frame(bar).show(ui, |ui| {
            if let Some(open) = &state.aligning.open {
                self.head_ui(ui, open, state.aligning.keeps_doubtful, commands);
            }
            ui.add_space(6.0);
            edits_ui(ui, state, commands);
        });
        let page = egui::CentralPanel::default().frame(Frame::NONE.fill(palette.page));
        page.show(ui, |ui| {
            self.rows.ui(ui, &state.aligning, commands);
        });
    }

    fn head_ui(
        &mut self,
        ui: &mut Ui,
        open: &Alignment,
        keeps_doubtful: bool,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let mut push = |command| commands.push(Command::Align(command));
        ui.horizontal(|ui| {
            for (index, column) in [Column::Source, Column::Target].into_iter().enumerate() {
                let path = match column {
                    Column::Source => &open.source,
                    Column::Target => &open.target,
                };
                let name = RichText::new(file_name(path)).font(semibold(14.0));
                ui.label(name).on_hover_text(path.display().to_string());
                let code = match column {
                    Column::Source => &open.languages.source,
                    Column::Target => &open.languages.target,
                };
                let typed = &mut self.codes[index];
                let (label, id) = match column {
                    Column::Source => ("Language of the document", "source language"),
                    Column::Target => ("Language of the translation", "target language"),
                };
                let id = egui::Id::unique(id);
                if !ui.memory(|memory| memory.has_focus(id)) {
                    typed.clone_from(code);
                }
                let field = theme::text_field(ui, typed)
                    .id(id)
                    .hint_text("code")
                    .desired_width(46.0);
                let response = ui.add(field).on_hover_text(label);
                if response.changed() {
                    push(AlignCommand::SetLanguage(column, typed.trim().to_owned()));
                }
                if column == Column::Source {
                    ui.label(RichText::new("and").color(palette.weak));
                }
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(theme::primary(ui, "Save pairs…")).clicked() {
                    push(AlignCommand::SaveAs);
                }
                if ui.button("Other documents").clicked() {
                    push(AlignCommand::Close);
                }
                let mut keeps = keeps_doubtful;
                let checkbox = Checkbox::new(&mut keeps, "Include doubtful pairs");
                let hint = "Also write pairs that may not belong together";
                if ui.add(checkbox).on_hover_text(hint).changed() {
                    push(AlignCommand::KeepDoubtful(keeps));
                }
            });
        });
        ui.label(RichText::new(progress(open)).size(12.5).color(palette.weak));
    }
}

/// How far the alignment is.
fn progress(open: &Alignment) -> String {
    let counts = open.table.counts();
    let alone = counts.unpaired_source + counts.unpaired_target;
    let mut parts = vec![labels::count(counts.pairs, "pair")];
    for (count, text) in [(counts.doubtful, "doubtful"), (counts.left_out, "left out")] {
        if count > 0 {
            parts.push(format!("{count} {text}"));
        }
    }
    if alone > 0 {
        parts.push(format!(
            "{} without the other side",
            labels::count(alone, "sentence")
        ));
    }
    parts.join("  ·  ")
}

/// Actions on the selected row, with their keys.
fn edits_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let is_mac = ui.ctx().os().is_mac();
    let row = state.aligning.row();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for action in ACTIONS.iter().filter(|it| it.group == Group::Align) {
            let Command::Align(command) = &action.command else {
                continue;
            };
            let state_of = match command {
                AlignCommand::ToggleRight => Some(RowState::Right),
                AlignCommand::ToggleLeftOut => Some(RowState::LeftOut),
                AlignCommand::SelectNext
                | AlignCommand::SelectPrevious
                | AlignCommand::SelectColumn(_)
                | AlignCommand::SaveAs => continue,
                _ => None,
            };
            let is_on = state_of.is_some_and(|it| row.is_some_and(|row| row.state == it));
            let button = Button::new(RichText::new(action.label).size(12.5)).selected(is_on);
            let keys = action.shortcut.map(|shortcut| written(shortcut, is_mac));
            let hint = [
                labels::explanation(&action.command).map(str::to_owned),
                keys,
            ];
            let hint = hint.into_iter().flatten().collect::<Vec<_>>().join("\n");
            let response = ui.add_enabled(state.is_enabled(&action.command), button);
            if response.on_hover_text(hint).clicked() {
                commands.push(action.command.clone());
            }
        }
    });
}

/// Before both documents are known.
fn choice_ui(ui: &mut Ui, aligning: &Aligning, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    ui.heading("Align two documents");
    let about = "Turns a document and its translation, in any formats, into a translation memory: sentences are aligned, and you correct the pairs in a table";
    ui.label(RichText::new(about).color(palette.weak));
    ui.add_space(16.0);
    if aligning.is_busy() {
        ui.horizontal(|ui| {
            ui.spinner();
            ui.label("Reading and aligning both documents…");
        });
        return;
    }
    for (column, label) in [
        (Column::Source, "Choose the document…"),
        (Column::Target, "Choose its translation…"),
    ] {
        ui.horizontal(|ui| {
            let button = Button::new(label).min_size(vec2(190.0, 31.0));
            if ui.add(button).clicked() {
                commands.push(Command::Align(AlignCommand::Choose(column)));
            }
            if let Some(path) = aligning.document(column) {
                ui.label(file_name(path))
                    .on_hover_text(path.display().to_string());
            }
        });
        ui.add_space(6.0);
    }
    let drop = "Or drop them here, the document first";
    ui.label(RichText::new(drop).size(12.5).color(palette.weak));
}
