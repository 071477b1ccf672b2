//! What quality checks found in the open document, each a click from its place.

use egui::{
    Align, Button, Label, Layout, Popup, PopupCloseBehavior, RichText, ScrollArea, Sense, Ui,
    UiBuilder, WidgetInfo, vec2,
};

use super::labels::capitalised;
use super::theme::{self, Palette};
use super::{icons, labels};
use canopy_app::{AppState, CheckCommand, Checking, Command, OpenDocument};
use canopy_document::placeholder;
use canopy_qa::checks::{CheckKind, Finding, Severity};

const ROW_HEIGHT: f32 = 46.0;
const REPAIR_WIDTH: f32 = 62.0;

pub(super) fn checks_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let Some(document) = &state.document else {
        return;
    };
    let palette = Palette::of(ui);
    let checking = &state.checking;
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        ui.label(RichText::new("Checks").size(12.5).color(palette.weak));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(8.0);
            which_ui(ui, document, &palette, commands);
        });
    });
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        ui.label(
            RichText::new(summary(checking))
                .size(12.5)
                .color(palette.text),
        );
    });
    untranslated_ui(ui, checking, &palette, commands);
    ui.add_space(4.0);
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt("checks")
        .show_rows(ui, ROW_HEIGHT, checking.findings.len(), |ui, rows| {
            for finding in &checking.findings[rows] {
                finding_ui(ui, document, finding, &palette, commands);
            }
        });
}

/// How much was found, in a line.
fn summary(checking: &Checking) -> String {
    if checking.findings.is_empty() {
        let text = if checking.is_running() {
            "Looking…"
        } else {
            "Nothing found"
        };
        return text.to_owned();
    }
    let errors = labels::count(checking.count(Severity::Error), "error");
    let warnings = labels::count(checking.count(Severity::Warning), "warning");
    format!("{errors}  ·  {warnings}")
}

/// The sentences that no check can look at yet, in one line that leads to the next of them.
fn untranslated_ui(
    ui: &mut Ui,
    checking: &Checking,
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let text = match checking.untranslated {
        0 => return,
        1 => "1 sentence is not translated".to_owned(),
        count => format!("{count} sentences are not translated"),
    };
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        let text = RichText::new(text).size(12.5).color(palette.weak);
        let label = Label::new(text).sense(Sense::click()).truncate();
        let response = ui
            .add(label)
            .on_hover_text("Go to the next one")
            .on_hover_cursor(egui::CursorIcon::PointingHand);
        if response.clicked() {
            commands.push(Command::Check(CheckCommand::GoToUntranslated));
        }
    });
}

/// Which checks are made in this document.
fn which_ui(ui: &mut Ui, document: &OpenDocument, palette: &Palette, commands: &mut Vec<Command>) {
    let arrow = RichText::new("▾").size(11.0).color(palette.weak);
    let text = RichText::new("Filter").size(12.5).color(palette.text);
    let button = Button::new((text, arrow)).frame_when_inactive(false);
    let response = ui
        .add(button)
        .on_hover_text("Which checks are made in this document");
    Popup::menu(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .width(250.0)
        .show(|ui| {
            for &kind in CheckKind::ALL {
                let mut is_on = document.checks().contains(&kind);
                if ui.checkbox(&mut is_on, labels::check(kind)).changed() {
                    commands.push(Command::Check(CheckCommand::Toggle(kind)));
                }
            }
        });
}

fn finding_ui(
    ui: &mut Ui,
    document: &OpenDocument,
    finding: &Finding,
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let sentence = finding.segment;
    let is_selected = document.selected == Some(sentence);
    let size = vec2(ui.available_width(), ROW_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let label = format!("Sentence {}: {}", sentence + 1, finding.message);
    response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::ListItem, true, &label));
    let row = rect.shrink2(vec2(8.0, 1.0));
    let hovered = ui.rect_contains_pointer(rect);
    if is_selected || hovered {
        let fill = if is_selected {
            palette.selected
        } else {
            theme::blend(palette.panel, palette.text, 0.05)
        };
        let radius = f32::from(theme::RADIUS);
        ui.painter().rect_filled(row, radius, fill);
    }
    let color = match finding.severity {
        Severity::Error => palette.error,
        Severity::Warning => palette.warning,
    };
    let mark = egui::pos2(row.left() + 14.0, row.top() + 14.0);
    icons::warning(ui.painter(), mark, color);
    let repairable = finding.repaired.is_some();
    let mut place = row.with_min_x(row.left() + 28.0).shrink2(vec2(4.0, 4.0));
    if repairable {
        place.max.x -= REPAIR_WIDTH;
    }
    let layout = Layout::top_down(Align::Min);
    let mut text = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    text.spacing_mut().item_spacing.y = 2.0;
    let first = RichText::new(capitalised(&finding.message)).size(13.0);
    text.add(
        Label::new(first.color(palette.text))
            .truncate()
            .selectable(false),
    );
    let shown = target(document, sentence);
    let under = RichText::new(format!("{}  {shown}", sentence + 1)).size(12.0);
    text.add(
        Label::new(under.color(palette.weak))
            .truncate()
            .selectable(false),
    );
    let response = response.on_hover_text(labels::check(finding.check));
    if response.clicked() {
        commands.push(Command::Check(CheckCommand::GoTo(sentence)));
    }
    response.context_menu(|ui| {
        let off = CheckCommand::Toggle(finding.check);
        let all = CheckCommand::RepairAll(finding.check);
        for (label, is_shown, command) in [
            ("Repair all of this kind", repairable, all),
            ("Do not check this here", true, off),
        ] {
            if is_shown && ui.button(label).clicked() {
                commands.push(Command::Check(command));
            }
        }
    });
    if repairable {
        let place = row.with_min_x(row.right() - REPAIR_WIDTH);
        let layout = Layout::right_to_left(Align::Center);
        let mut right = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
        right.add_space(4.0);
        let proposal = finding.repaired.as_deref().unwrap_or_default();
        let proposal = placeholder::stripped(proposal);
        let button = right.add(Button::new("Repair").small());
        if button.on_hover_text(proposal).clicked() {
            commands.push(Command::Check(CheckCommand::Repair(finding.clone())));
        }
    }
}

/// The translation, or the source where there is none.
fn target(document: &OpenDocument, sentence: usize) -> String {
    let text = placeholder::stripped(&document.target(sentence).text);
    if text.trim().is_empty() {
        return document.document.sentences[sentence].plain_text();
    }
    text
}
