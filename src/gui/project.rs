//! The page of a project: a row for each document, how far it is and how much there is to translate.

mod settings;

pub(crate) use settings::ProjectSettingsForm;

use egui::{Align, Button, Grid, Layout, RichText, ScrollArea, Sense, Ui, vec2};

use super::labels;
use super::menu::file_name;
use super::theme::{self, Palette, semibold};
use canopy_app::jobs::{DocumentStatus, ProjectStatus, State};
use canopy_app::{
    AppState, Command, OpenDocument, ProjectCommand, SettingsCommand, WindowCommand, language,
};
use canopy_corpus::memory::Band;

const BAR: f32 = 120.0;
const NAME: f32 = 250.0;

pub(crate) fn project_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let frame = egui::Frame::NONE.fill(palette.page).inner_margin(20);
    egui::CentralPanel::default().frame(frame).show(ui, |ui| {
        let Some(status) = &state.projects.open else {
            ui.label(RichText::new("No project is open").color(palette.weak));
            return;
        };
        head_ui(ui, status, state, commands);
        ui.add_space(12.0);
        if status.documents.is_empty() {
            let empty = "Drop documents here, or add them: they are copied into the project";
            ui.label(RichText::new(empty).color(palette.weak));
            return;
        }
        ScrollArea::both().auto_shrink(false).show(ui, |ui| {
            documents_ui(ui, status, state.document.editing.open.as_ref(), commands);
        });
    });
}

fn head_ui(ui: &mut Ui, status: &ProjectStatus, state: &AppState, commands: &mut Vec<Command>) {
    let (is_looking, can_translate) = (
        state.projects.is_looking(),
        !state.document.translations.is_busy(),
    );
    let palette = Palette::from_ui(ui);
    let head = &status.project.head;
    ui.horizontal(|ui| {
        ui.heading(&head.name);
        if is_looking {
            ui.spinner();
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let mut button = |ui: &mut Ui, label: &str, command: ProjectCommand| {
                if ui.button(label).clicked() {
                    commands.push(Command::Project(command));
                }
            };
            button(ui, "Close project", ProjectCommand::Close);
            button(ui, "Write translations", ProjectCommand::Export);
            button(ui, "Word count as CSV…", ProjectCommand::CountWords);
            button(ui, "Project settings…", SettingsCommand::Show.into());
            button(ui, "Add a document…", ProjectCommand::ChooseDocument);
            let translates = theme::primary(ui, "Translate all");
            if ui.add_enabled(can_translate, translates).clicked() {
                commands.push(Command::Project(ProjectCommand::TranslateAll));
            }
        });
    });
    let [from, to] = [&head.source_language, &head.target_language].map(|it| language::name(it));
    let mut about = vec![format!("{from} to {to}")];
    about.extend(head.model.iter().map(|name| format!("model {name}")));
    let memories = head.all_memories();
    let names: Vec<&str> = memories.iter().map(|memory| memory.path.as_str()).collect();
    match names.as_slice() {
        [] => {}
        [one] => about.push(format!("memory {one}")),
        several => about.push(format!("memories {}", several.join(", "))),
    }
    match head.terms.as_slice() {
        [] => {}
        [one] => about.push(format!("termbase {one}")),
        several => about.push(format!("termbases {}", several.join(", "))),
    }
    about.push(status.project.folder.display().to_string());
    ui.label(RichText::new(about.join("  ·  ")).color(palette.weak));
}

fn documents_ui(
    ui: &mut Ui,
    status: &ProjectStatus,
    open: Option<&OpenDocument>,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let rows: Vec<DocumentStatus> = status
        .documents
        .iter()
        .map(|row| with_open(row, status, open))
        .collect();
    let total = ProjectStatus {
        documents: rows.clone(),
        project: status.project.clone(),
    }
    .total();
    Grid::new("documents")
        .striped(true)
        .spacing([18.0, 9.0])
        .show(ui, |ui| {
            let head = |title: &str| {
                let title = RichText::new(title).font(semibold(12.5));
                title.color(palette.weak)
            };
            for title in ["Document", "Progress", "Confirmed"] {
                ui.label(head(title));
            }
            let bands = Band::ALL.iter().map(|band| band.label());
            for title in ["Edited", "Drafts", "Words"].into_iter().chain(bands) {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.label(head(title))
                });
            }
            ui.end_row();
            for row in &rows {
                let path = status.project.path(&row.document);
                let name = file_name(&path);
                let button = Button::new(name.clone()).truncate().frame(false);
                let response = ui.horizontal(|ui| {
                    ui.set_width(NAME);
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        let menu = ui.menu_button("…", |ui| row_menu_ui(ui, row, commands));
                        menu.response.accessible_name(format!("Actions for {name}"));
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(button))
                            .inner
                    })
                    .inner
                });
                let response = response.inner;
                response.context_menu(|ui| row_menu_ui(ui, row, commands));
                let hint = row.problem.as_ref().unwrap_or(&row.document);
                if response.on_hover_text(hint).clicked() {
                    commands.push(WindowCommand::OpenPath(path).into());
                }
                numbers_ui(ui, row, &palette);
            }
            let all = labels::count(rows.len(), "document");
            ui.label(RichText::new(all).font(semibold(13.5)));
            numbers_ui(ui, &total, &palette);
        });
    ui.add_space(10.0);
    let explained = "Words by the matches of their sentences: repetitions in these documents, exact or fuzzy matches in the memory, or new";
    ui.label(RichText::new(explained).size(12.5).color(palette.weak));
}

/// Actions on a document of the list.
fn row_menu_ui(ui: &mut Ui, row: &DocumentStatus, commands: &mut Vec<Command>) {
    let document = || row.document.clone();
    for (label, hint, command) in [
        ("Move up", "", ProjectCommand::Move(document(), -1)),
        ("Move down", "", ProjectCommand::Move(document(), 1)),
        (
            "Remove from project",
            "Its file and the work on it stay in the folder",
            ProjectCommand::Remove(document()),
        ),
    ] {
        let mut response = ui.button(label);
        if !hint.is_empty() {
            response = response.on_hover_text(hint);
        }
        if response.clicked() {
            commands.push(Command::Project(command));
        }
    }
}

/// The row of the open document shows its current progress.
fn with_open(
    row: &DocumentStatus,
    status: &ProjectStatus,
    open: Option<&OpenDocument>,
) -> DocumentStatus {
    let path = status.project.path(&row.document);
    let Some(open) = open.filter(|open| open.path == path) else {
        return row.clone();
    };
    let counts = open.progress.counts();
    DocumentStatus {
        untranslated: counts.untranslated,
        draft: counts.draft,
        edited: counts.edited,
        confirmed: counts.confirmed,
        ..row.clone()
    }
}

fn numbers_ui(ui: &mut Ui, row: &DocumentStatus, palette: &Palette) {
    if let Some(problem) = &row.problem {
        ui.label(RichText::new("cannot be read").color(palette.error))
            .on_hover_text(problem);
        ui.end_row();
        return;
    }
    bar_ui(ui, row, palette);
    let segments = row.segments();
    let confirmed = format!("{} of {segments}", row.confirmed);
    ui.label(confirmed);
    for number in [row.edited, row.draft, row.words] {
        number_ui(ui, number, palette);
    }
    for amount in &row.bands {
        number_ui(ui, amount.words, palette);
    }
    ui.end_row();
}

fn number_ui(ui: &mut Ui, number: usize, palette: &Palette) {
    let color = if number == 0 {
        palette.weak
    } else {
        palette.text
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.label(RichText::new(number.to_string()).color(color));
    });
}

/// Confirmed, edited and drafted sentences, from the left.
#[expect(clippy::cast_precision_loss, reason = "shares of a bar")]
fn bar_ui(ui: &mut Ui, row: &DocumentStatus, palette: &Palette) {
    let (rect, response) = ui.allocate_exact_size(vec2(BAR, 10.0), Sense::hover());
    let fill = theme::blend(palette.page, palette.text, 0.1);
    ui.painter().rect_filled(rect, 4.0, fill);
    let all = row.segments().max(1) as f32;
    let mut left = rect.left();
    for (state, count) in [
        (State::Confirmed, row.confirmed),
        (State::Edited, row.edited),
        (State::Draft, row.draft),
    ] {
        let right = left + rect.width() * count as f32 / all;
        let part = rect.with_min_x(left).with_max_x(right);
        ui.painter().rect_filled(part, 4.0, palette.state(state));
        left = right;
    }
    let open = labels::count(row.untranslated, "sentence");
    response.on_hover_text(format!("{open} without a translation"));
}
