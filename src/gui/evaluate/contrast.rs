//! The choices of models in a contrastive set: a table by distance and phenomenon, and the items one by one.

use egui::{Align, Button, Grid, Layout, RichText, ScrollArea, Ui};

use crate::theme::{Palette, semibold};
use canopy_app::jobs::ContrastResult;
use canopy_app::{Command, Contrast, ContrastCommand, EvaluateCommand, Listed, deciding_word};
use canopy_document::placeholder::stripped;
use canopy_evaluate::contrastive::{Cell, TargetContext};

/// Height of an item's row.
const ROW: f32 = 46.0;

pub(super) fn contrast_ui(
    ui: &mut Ui,
    page: &Contrast,
    result: &ContrastResult,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let mut push = |command| {
        commands.push(Command::Evaluate(EvaluateCommand::Contrast(command)));
    };
    ui.horizontal(|ui| {
        ui.heading(result.set.name.as_str());
        let (items, documents) = (result.set.items.len(), result.set.documents.len());
        let about = format!("{items} items in {documents} documents");
        let about = ui.label(RichText::new(about).color(palette.weak));
        if !result.set.about.is_empty() {
            about.on_hover_text(&result.set.about);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("Close").clicked() {
                push(ContrastCommand::Close);
            }
        });
    });
    let meaning = "How often a model gives the right translation a higher probability than every wrong one. Other sentences \
        decide which is right, so a model that does not read them is left with chance.";
    ui.label(RichText::new(meaning).color(palette.weak));
    if result.set.needs_target_context {
        let text = "In this set only the translations before decide, and models read their own: expect chance.";
        ui.label(RichText::new(text).color(palette.warning));
    }
    ui.add_space(8.0);
    let height = (0.5 * ui.available_height()).max(140.0);
    ScrollArea::both()
        .id_salt("accuracies")
        .max_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| accuracies_ui(ui, result));
    ui.add_space(10.0);
    items_head_ui(ui, page, result, &mut push);
    ui.add_space(4.0);
    ScrollArea::vertical()
        .id_salt("items")
        .auto_shrink(false)
        .show_rows(ui, ROW, page.items.len(), |ui, rows| {
            for row in rows {
                if item_ui(ui, page, result, page.items[row]) {
                    push(ContrastCommand::Explore(page.items[row]));
                }
            }
        });
}

fn accuracies_ui(ui: &mut Ui, result: &ContrastResult) {
    let palette = Palette::from_ui(ui);
    let Some(first) = result.models.first() else {
        return;
    };
    Grid::new("accuracies")
        .striped(true)
        .spacing([22.0, 7.0])
        .show(ui, |ui| {
            let head = |text: &str| RichText::new(text).font(semibold(12.5)).color(palette.weak);
            ui.label(head("Items"));
            for title in ["Number", "Chance"] {
                right_ui(ui, head(title));
            }
            for model in &result.models {
                let own = match model.scores.target_context {
                    TargetContext::Own => " *",
                    TargetContext::None | TargetContext::Gold => "",
                };
                right_ui(ui, head(&format!("{}{own}", model.name)));
            }
            ui.end_row();
            let total = result
                .models
                .iter()
                .map(|model| Some(&model.accuracies.total));
            row_ui(ui, "All", total.collect(), true);
            for (by, cells) in first.accuracies.groups() {
                ui.label(RichText::new(title_of(by)).font(semibold(13.0)));
                ui.end_row();
                for cell in cells {
                    let same = result.models.iter().map(|model| {
                        let groups = model.accuracies.groups();
                        let (_, cells) = groups.into_iter().find(|(other, _)| *other == by)?;
                        cells.iter().find(|other| other.name == cell.name)
                    });
                    row_ui(ui, &format!("    {}", cell.name), same.collect(), false);
                }
            }
        });
    let notes = result.models.iter().filter_map(|model| {
        let found = &model.accuracies;
        let mut notes = Vec::new();
        if model.scores.target_context == TargetContext::Own {
            notes.push("* reads its own translations of the sentences before".to_owned());
        }
        if found.left_out > 0 {
            notes.push(format!("{} items are too long for it", found.left_out));
        }
        if found.ties > 0 {
            notes.push(format!("{} ties count as wrong", found.ties));
        }
        (!notes.is_empty()).then(|| format!("{}: {}", model.name, notes.join("; ")))
    });
    for note in notes {
        ui.label(RichText::new(note).size(12.0).color(palette.weak));
    }
}

/// The name of a group of cells for display.
fn title_of(by: &str) -> String {
    let mut title = by.to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

fn row_ui(ui: &mut Ui, name: &str, cells: Vec<Option<&Cell>>, is_total: bool) {
    let palette = Palette::from_ui(ui);
    let name = RichText::new(name);
    ui.label(if is_total {
        name.font(semibold(13.5))
    } else {
        name
    });
    let some = cells.iter().flatten().next();
    let number = some.map_or(String::new(), |cell| cell.items.to_string());
    right_ui(ui, RichText::new(number));
    let chance = some.map_or(String::new(), |cell| {
        format!("{:.1} %", 100.0 * cell.chance)
    });
    right_ui(ui, RichText::new(chance).color(palette.weak));
    for cell in cells {
        let Some(cell) = cell else {
            ui.label("");
            continue;
        };
        let (text, hint, color) = match (cell.accuracy, cell.interval) {
            (Some(accuracy), Some((lower, upper))) => (
                format!("{:.1} %", 100.0 * accuracy),
                format!(
                    "{} of {}; 95 % interval {:.1} to {:.1} %",
                    cell.right,
                    cell.items,
                    100.0 * lower,
                    100.0 * upper
                ),
                if lower > cell.chance {
                    palette.accent
                } else {
                    palette.text
                },
            ),
            _ => (
                format!("{} of {}", cell.right, cell.items),
                "Too few items for a share".to_owned(),
                palette.weak,
            ),
        };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(text).color(color))
                .on_hover_text(hint);
        });
    }
    ui.end_row();
}

fn right_ui(ui: &mut Ui, text: RichText) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(text));
}

fn items_head_ui(
    ui: &mut Ui,
    page: &Contrast,
    result: &ContrastResult,
    push: &mut impl FnMut(ContrastCommand),
) {
    let palette = Palette::from_ui(ui);
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Items").font(semibold(15.0)));
        ui.add_space(8.0);
        if result.models.len() > 1 {
            for (number, model) in result.models.iter().enumerate() {
                let button = Button::selectable(page.selected == number, &model.name);
                if ui.add(button).clicked() {
                    push(ContrastCommand::Select(number));
                }
            }
            ui.separator();
        }
        for (listed, label) in [(Listed::All, "All"), (Listed::Wrong, "Wrong choices")] {
            let button = Button::selectable(page.listed == listed, label);
            if ui.add(button).clicked() {
                push(ContrastCommand::List(listed));
            }
        }
        let count = format!(
            "{} shown. A click shows what the model read there.",
            page.items.len()
        );
        ui.label(RichText::new(count).size(12.5).color(palette.weak));
    });
}

/// A row; returns whether it was clicked.
fn item_ui(ui: &mut Ui, page: &Contrast, result: &ContrastResult, number: usize) -> bool {
    let palette = Palette::from_ui(ui);
    let item = &result.set.items[number];
    let margin = result
        .models
        .get(page.selected)
        .and_then(|model| model.margin(number));
    let (verdict, color) = match margin {
        Some(margin) if margin > 0.0 => ("right", palette.accent),
        Some(_) => ("wrong", palette.error),
        None => ("too long", palette.weak),
    };
    let sentences = &result.set.documents[item.document].sentences;
    let source = stripped(&sentences[item.sentence].source);
    let wrong = item.contrasts.first();
    let wrong = wrong.map_or(String::new(), |contrast| stripped(&contrast.text));
    let mut about = vec![item.id.clone()];
    about.extend(item.category.clone());
    about.extend(item.distance.map(|distance| match distance {
        0 => "decided in the sentence".to_owned(),
        1 => "decided 1 sentence before".to_owned(),
        far => format!("decided {far} sentences before"),
    }));
    about.extend(deciding_word(item).map(|word| format!("the word {word}")));
    let hint = match margin {
        Some(margin) => format!(
            "Right: {}\nWrong: {wrong}\nThe right one is {} by {:.2} nats",
            stripped(&item.correct),
            if margin > 0.0 {
                "likelier"
            } else {
                "less likely"
            },
            margin.abs()
        ),
        None => format!("Right: {}\nWrong: {wrong}", stripped(&item.correct)),
    };
    let inner = ui.horizontal(|ui| {
        ui.set_height(ROW - 6.0);
        ui.allocate_ui(egui::vec2(64.0, ROW - 6.0), |ui| {
            ui.set_width(64.0);
            ui.label(RichText::new(verdict).font(semibold(12.5)).color(color));
        });
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let button = Button::new(source).frame(false).truncate();
            let clicked = ui.add(button).on_hover_text(hint).clicked();
            let about = RichText::new(about.join("  ·  ")).size(12.0);
            ui.add(egui::Label::new(about.color(palette.weak)).truncate());
            clicked
        })
        .inner
    });
    inner.inner
}
