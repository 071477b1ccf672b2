//! The window while no document is open.

use std::path::{Path, PathBuf};

use egui::{Align, Button, Frame, Label, Layout, RichText, Sense, Ui, UiBuilder, vec2};

use super::icons;
use super::menu::file_name;
use super::theme::{self, Palette};
use canopy_app::{AppState, Command, DocumentNote, ModelsCommand, Settings, WindowCommand};

const WIDTH: f32 = 560.0;

/// Height of a document with what is said of it.
const DOCUMENT: f32 = 72.0;

/// Samples that are shown first: file, language of the translation, what is said above and below them.
const SHOWN: [(&str, &str, &str, &str); 2] = [
    (
        "letter.docx",
        "pt",
        "A Word letter, English → Portuguese",
        "The starter on top of Firefox's model, for letters, news, web pages",
    ),
    (
        "printing-a-brochure.html",
        "de",
        "A help page, English → German",
        "The starter, for texts about software",
    ),
];

pub(crate) fn welcome_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let area = ui.available_rect_before_wrap();
    let width = WIDTH.min(area.width() - 32.0);
    let top = (area.height() * 0.16).max(16.0);
    let rect = egui::Rect::from_min_size(
        egui::pos2(area.center().x - width / 2.0, area.top() + top),
        vec2(width, (area.height() - top).max(0.0)),
    );
    ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
        ui.horizontal(|ui| {
            let (mark, _) = ui.allocate_exact_size(vec2(46.0, 46.0), Sense::hover());
            icons::leaf(ui.painter(), mark, palette.accent);
            ui.add_space(6.0);
            ui.vertical(|ui| {
                ui.add_space(1.0);
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.label(
                    RichText::new("Canopy")
                        .font(theme::semibold(25.0))
                        .color(palette.strong),
                );
                ui.label(
                    RichText::new("Translate whole documents, on your own machine")
                        .color(palette.weak),
                );
            });
        });
        ui.add_space(22.0);
        ui.horizontal(|ui| {
            let button = theme::primary(ui, "Open a document…");
            if ui.add(button.min_size(vec2(190.0, 38.0))).clicked() {
                commands.push(WindowCommand::Open.into());
            }
            ui.add_space(6.0);
            let text = "or drop one here: a web page, an Office file, a PDF, subtitles, strings of a program, …";
            ui.add(Label::new(RichText::new(text).color(palette.weak)).wrap());
        });
        ui.add_space(26.0);
        ui.columns(2, |columns| {
            samples_ui(&mut columns[0], &state.shared.shipped.samples, commands);
            recent_ui(&mut columns[1], &state.shared.settings, commands);
        });
    });
}

/// The documents that show what the shipped models are for, then the other samples.
fn samples_ui(ui: &mut Ui, samples: &[PathBuf], commands: &mut Vec<Command>) {
    let mut rest = samples.to_vec();
    for (name, target, title, about) in SHOWN {
        let is_it = |path: &PathBuf| path.file_name().is_some_and(|it| it == name);
        let Some(place) = rest.iter().position(is_it) else {
            continue;
        };
        let path = [rest.remove(place)];
        let first = commands.len();
        list_ui(ui, title, (&path, ""), commands);
        if commands.len() > first {
            let target = ModelsCommand::TranslateTo(target.to_owned());
            commands.insert(first, Command::Models(target));
        }
        let about = RichText::new(about)
            .size(12.5)
            .color(Palette::from_ui(ui).weak);
        // Columns would spread its words over the line.
        ui.with_layout(Layout::top_down(Align::LEFT), |ui| ui.label(about));
        ui.add_space(10.0);
    }
    list_ui(
        ui,
        "Other samples",
        (&rest, "No samples were found"),
        commands,
    );
}

/// Projects and documents that were opened lately; of a document its folder, its languages and its progress.
fn recent_ui(ui: &mut Ui, settings: &Settings, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let projects: Vec<PathBuf> = settings.recent_projects.iter().take(3).cloned().collect();
    if !projects.is_empty() {
        list_ui(ui, "Projects", (&projects, ""), commands);
        ui.add_space(10.0);
    }
    let documents = &settings.recent_documents;
    if documents.is_empty() {
        list_ui(ui, "Recent", (&[], "No recent documents"), commands);
        return;
    }
    ui.label(RichText::new("Recent").size(12.5).color(palette.weak));
    ui.add_space(2.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    // As many as there is room for.
    for (place, path) in documents.iter().take(6).enumerate() {
        let room = ui.max_rect().bottom() - ui.cursor().top();
        if place > 0 && room < DOCUMENT {
            break;
        }
        entry_ui(ui, path, &palette, commands);
        let about = about(path, settings, std::env::home_dir().as_deref());
        let about = RichText::new(about).size(12.0).color(palette.weak);
        ui.with_layout(Layout::top_down(Align::LEFT), |ui| ui.label(about));
        ui.add_space(8.0);
    }
}

/// `~/texts  ·  English → German  ·  35 of 48 translated`
fn about(path: &Path, settings: &Settings, home: Option<&Path>) -> String {
    let folder = path.parent().unwrap_or(path);
    let below = home.and_then(|home| folder.strip_prefix(home).ok());
    let folder = match below {
        Some(below) => Path::new("~").join(below).display().to_string(),
        None => folder.display().to_string(),
    };
    let folder = folder
        .trim_end_matches(std::path::MAIN_SEPARATOR)
        .to_owned();
    let note = settings.note(path);
    let known = note.map_or_else(Vec::new, DocumentNote::about);
    let parts: Vec<String> = [folder].into_iter().chain(known).collect();
    parts.join("  ·  ")
}

fn list_ui(
    ui: &mut Ui,
    title: &str,
    (paths, empty): (&[PathBuf], &str),
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    ui.label(RichText::new(title).size(12.5).color(palette.weak));
    ui.add_space(2.0);
    if paths.is_empty() {
        ui.label(RichText::new(empty).color(palette.weak));
    }
    ui.spacing_mut().item_spacing.y = 2.0;
    for path in paths.iter().take(6) {
        entry_ui(ui, path, &palette, commands);
    }
}

fn entry_ui(ui: &mut Ui, path: &Path, palette: &Palette, commands: &mut Vec<Command>) {
    let widgets = &mut ui.visuals_mut().widgets;
    widgets.inactive.weak_bg_fill = egui::Color32::TRANSPARENT;
    widgets.hovered.weak_bg_fill = theme::blend(palette.page, palette.text, 0.06);
    let padding = 8.0;
    ui.spacing_mut().button_padding.x = padding;
    // Its text, not its frame, is below the title.
    let (mut place, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    place.min.x -= padding;
    let button = Button::new(file_name(path))
        .truncate()
        .min_size(place.size())
        .right_text("");
    // In a room of its own, which does not widen that of the list.
    let mut room = ui.new_child(UiBuilder::new().max_rect(place));
    let response = room.add(button);
    if response.on_hover_text(path.display().to_string()).clicked() {
        commands.push(WindowCommand::OpenPath(path.to_owned()).into());
    }
}

/// While a file hovers over the window; `text` says what becomes of it.
pub(crate) fn drop_ui(ctx: &egui::Context, text: &str) {
    let painter = ctx.layer_painter(egui::LayerId::new(
        egui::Order::Foreground,
        egui::Id::unique("drop"),
    ));
    let rect = ctx.content_rect();
    let dark = ctx.theme() == egui::Theme::Dark;
    let veil = if dark {
        egui::Color32::from_black_alpha(190)
    } else {
        egui::Color32::from_white_alpha(215)
    };
    painter.rect_filled(rect, 0.0, veil);
    let color = ctx.global_style().visuals.hyperlink_color;
    let frame = Frame::NONE
        .stroke(egui::Stroke::new(2.0, color))
        .corner_radius(12);
    painter.add(frame.paint(rect.shrink(24.0)));
    let font = egui::FontId::proportional(22.0);
    painter.text(
        rect.center(),
        egui::Align2::CENTER_CENTER,
        text,
        font,
        color,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_distinguished_from_others_of_its_name() {
        let settings = Settings {
            documents: vec![DocumentNote {
                document: "/home/ada/texts/cla.docx".into(),
                languages: Some(("en".to_owned(), "pt".to_owned())),
                translated: 35,
                sentences: 48,
                ..DocumentNote::default()
            }],
            ..Settings::default()
        };
        let home = Some(Path::new("/home/ada"));
        let shown = |path: &str| about(Path::new(path), &settings, home);
        assert_eq!(
            shown("/home/ada/texts/cla.docx"),
            "~/texts  ·  English → Portuguese  ·  35 of 48 translated"
        );
        assert_eq!(shown("/home/ada/cla.docx"), "~");
        assert_eq!(shown("/srv/cla.docx"), "/srv");
    }
}
