//! Help over the window: the guide, licences, and what this program is.

use egui::{Context, Id, Key, Label, RichText, ScrollArea, Ui};

use super::theme::{self, Palette, semibold};
use canopy_app::{AppState, Command, HelpPage, WindowCommand};

const GUIDE: &str = include_str!("../../docs/guide/translating.md");
const LICENCE: &str = include_str!("../../LICENSE-MIT");

/// The requested page of help.
pub(super) fn help_ui(ctx: &Context, state: &AppState, commands: &mut Vec<Command>) {
    let Some(page) = state.help else { return };
    let title = match page {
        HelpPage::Guide => "Guide",
        HelpPage::About => "About Canopy",
        HelpPage::Licences => "Licences",
    };
    let width = if page == HelpPage::About {
        460.0
    } else {
        760.0
    };
    let modal = theme::modal(ctx, Id::unique("help")).show(ctx, |ui| {
        ui.set_width(f32::min(width, ctx.content_rect().width() - 60.0));
        ui.horizontal(|ui| {
            ui.heading(title);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("Close").clicked() {
                    commands.push(WindowCommand::ShowHelp(None).into());
                }
            });
        });
        ui.add_space(8.0);
        let height = (ctx.content_rect().height() - 150.0).max(160.0);
        let scrolls = ScrollArea::vertical().max_height(height).id_salt(title);
        scrolls.show(ui, |ui| match page {
            HelpPage::Guide => guide_ui(ui, GUIDE),
            HelpPage::About => about_ui(ui, state, commands),
            HelpPage::Licences => licences_ui(ui),
        });
    });
    let leaves = ctx.input(|input| input.key_pressed(Key::Escape));
    if modal.backdrop_response.clicked() || leaves {
        commands.push(WindowCommand::ShowHelp(None).into());
    }
}

fn about_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let version = format!("Canopy {}", env!("CARGO_PKG_VERSION"));
    ui.label(
        RichText::new(version)
            .font(semibold(15.0))
            .color(palette.strong),
    );
    ui.add_space(4.0);
    ui.label("Translates documents with models that read the whole document, on your own machine.");
    ui.add_space(10.0);
    let folders = [
        ("Your work and models", state.shared.data_folder()),
        ("Settings", state.shared.config_folder()),
    ];
    for (name, folder) in folders {
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).size(12.5).color(palette.weak));
            let show = folder.map(|folder| (folder, ui.small_button("Show")));
            if let Some((folder, response)) = show
                && response.clicked()
            {
                commands.push(WindowCommand::ShowFolder(folder.to_owned()).into());
            }
        });
        let text = folder.map_or_else(|| "none".to_owned(), |it| it.display().to_string());
        ui.add(Label::new(text).selectable(true).wrap());
        ui.add_space(6.0);
    }
    if let Some(log) = canopy_app::log_file() {
        ui.label(
            RichText::new("Log of this run")
                .size(12.5)
                .color(palette.weak),
        );
        let text = log.display().to_string();
        ui.add(Label::new(text).selectable(true).wrap());
        ui.add_space(6.0);
    }
    let mut licences =
        "Licence: MIT or Apache-2.0. Models have their own licences, shown on the Models page."
            .to_owned();
    for model in state
        .models
        .library
        .all
        .iter()
        .filter(|model| model.is_shipped)
    {
        let (pair, licence) = (model.pair(), model.licence_or_unknown());
        licences.extend(["\n", &model.name, " (", &pair, "): ", licence]);
    }
    ui.label(RichText::new(licences).size(12.5).color(palette.weak));
}

fn licences_ui(ui: &mut Ui) {
    ui.label("Canopy is licensed under the MIT licence or the Apache Licence 2.0, as you choose. The licence of a model is on its page under Models.");
    ui.add_space(10.0);
    ui.add(
        Label::new(RichText::new(LICENCE).size(12.5))
            .wrap()
            .selectable(true),
    );
}

/// A page of the documentation: headings, paragraphs, lists and code.
fn guide_ui(ui: &mut Ui, text: &str) {
    let palette = Palette::from_ui(ui);
    let mut paragraph = String::new();
    let mut is_code = false;
    for line in text.lines().chain([""]) {
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            ui.add(Label::new(RichText::new(line).monospace().size(12.5)).selectable(true));
            continue;
        }
        let starts = line.starts_with(['#', '|']) || line.starts_with("- ");
        if (line.is_empty() || starts) && !paragraph.is_empty() {
            let text = plain(&std::mem::take(&mut paragraph));
            ui.add(
                Label::new(RichText::new(text).size(13.5))
                    .wrap()
                    .selectable(true),
            );
            ui.add_space(5.0);
        }
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() {
            let size = if line.starts_with("## ") { 15.5 } else { 18.0 };
            ui.add_space(8.0);
            let text = RichText::new(plain(heading.trim())).font(semibold(size));
            ui.label(text.color(palette.strong));
        } else if let Some(row) = line.strip_prefix('|') {
            let cells: Vec<&str> = row
                .trim_end_matches('|')
                .split(" | ")
                .map(str::trim)
                .collect();
            if !row.starts_with("---") {
                ui.add(Label::new(RichText::new(plain(&cells.join("   "))).size(13.0)).wrap());
            }
        } else if !line.is_empty() {
            let item = line.strip_prefix("- ").map(|rest| format!("•  {rest}"));
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph += item.as_deref().unwrap_or(line.trim());
        }
    }
}

/// Text without the marks of emphasis, code and links.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, behind) = rest.split_at(at);
        let end = behind.find(')').map_or(behind.len(), |end| end + 1);
        plain += before;
        rest = &behind[end..];
    }
    plain += rest;
    plain.replace(['`', '*', '['], "")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn marks_of_markdown_are_left_out() {
        let text = "**Open** [a page](models.md#x) with `canopy`.";
        assert_eq!(plain(text), "Open a page with canopy.");
    }
}
