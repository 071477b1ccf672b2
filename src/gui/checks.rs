//! Findings of the quality checks in the open document, each a click from its place.

use std::collections::HashSet;

use egui::text::LayoutJob;
use egui::{
    Align, Align2, Button, FontId, Id, Label, Layout, Popup, PopupCloseBehavior, Rect, RichText,
    Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, vec2,
};

use super::labels::capitalised;
use super::theme::{self, Palette};
use super::{icons, labels};
use canopy_app::{AppState, CheckCommand, Checking, Command, FindingGroup, OpenDocument};
use canopy_document::placeholder;
use canopy_qa::checks::{CheckKind, Finding, Severity};

/// Two lines of a message, and the sentence.
const ROW_HEIGHT: f32 = 64.0;
const HEAD_HEIGHT: f32 = 28.0;
const BUTTONS_WIDTH: f32 = 76.0;

/// View state of the list: the checks whose findings are hidden.
#[derive(Default)]
pub(crate) struct ChecksPanel {
    closed: HashSet<CheckKind>,
}

impl ChecksPanel {
    pub(super) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let Some(document) = &state.document.editing.open else {
            return;
        };
        let palette = Palette::from_ui(ui);
        let checking = &state.document.checking;
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
        ignored_ui(ui, checking, &palette, commands);
        ui.add_space(4.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("checks")
            .show_viewport(ui, |ui, viewport| {
                self.groups_ui(ui, viewport, (document, checking), &palette, commands);
            });
    }

    /// The findings check by check; only what is in view is laid out.
    fn groups_ui(
        &mut self,
        ui: &mut Ui,
        viewport: Rect,
        (document, checking): (&OpenDocument, &Checking),
        palette: &Palette,
        commands: &mut Vec<Command>,
    ) {
        let origin = ui.max_rect().left_top();
        let width = ui.available_width();
        let mut top = 0.0;
        let mut place = |height: f32| {
            let is_seen = top + height > viewport.top() && top < viewport.bottom();
            let rect = Rect::from_min_size(origin + vec2(0.0, top), vec2(width, height));
            top += height;
            is_seen.then_some(rect)
        };
        for group in &checking.groups {
            if let Some(rect) = place(HEAD_HEIGHT) {
                self.head_ui(ui, rect, group, palette);
            }
            if self.closed.contains(&group.check) {
                continue;
            }
            for &number in &group.findings {
                if let Some(rect) = place(ROW_HEIGHT) {
                    let finding = &checking.findings[number];
                    finding_ui(ui, rect, (document, finding, number), palette, commands);
                }
            }
        }
        ui.set_height(top);
    }

    /// The name of a check with how much it has found; a click hides that, or shows it.
    fn head_ui(&mut self, ui: &Ui, rect: Rect, group: &FindingGroup, palette: &Palette) {
        let (check, count) = (group.check, group.findings.len());
        let id = Id::unique("findings of").with(check);
        let response = ui.interact(rect, id, Sense::click());
        let is_open = !self.closed.contains(&check);
        let label = format!("{} ({count})", labels::check(check));
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_open, &label));
        if response.clicked() && !self.closed.remove(&check) {
            self.closed.insert(check);
        }
        let middle = rect.left_center() + vec2(18.0, 0.0);
        icons::chevron(ui.painter(), middle, is_open, palette.weak);
        let at = middle + vec2(12.0, 0.0);
        let font = theme::semibold(12.5);
        ui.painter()
            .text(at, Align2::LEFT_CENTER, &label, font, palette.text);
    }
}

/// How many findings are not shown, and the way back to them.
fn ignored_ui(ui: &mut Ui, checking: &Checking, palette: &Palette, commands: &mut Vec<Command>) {
    if checking.ignored == 0 {
        return;
    }
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        let text = format!("{} ignored", checking.ignored);
        ui.label(RichText::new(text).size(12.5).color(palette.weak));
        if ui.add(Button::new("Show").small()).clicked() {
            commands.push(CheckCommand::ShowIgnored.into());
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
            commands.push(CheckCommand::GoToUntranslated.into());
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
                let mut is_on = document.checks.kinds().contains(&kind);
                if ui.checkbox(&mut is_on, labels::check(kind)).changed() {
                    commands.push(CheckCommand::Toggle(kind).into());
                }
            }
        });
}

fn finding_ui(
    ui: &mut Ui,
    rect: Rect,
    (document, finding, number): (&OpenDocument, &Finding, usize),
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let sentence = finding.segment;
    let is_selected = document.selected == Some(sentence);
    let id = Id::unique("finding").with(number);
    let response = ui.interact(rect, id, Sense::click());
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
    let has_buttons = is_selected || hovered || finding.repaired.is_some();
    let mut place = row.with_min_x(row.left() + 28.0).shrink2(vec2(4.0, 4.0));
    if has_buttons {
        place.max.x -= BUTTONS_WIDTH;
    }
    message_ui(ui, place, (document, finding), palette);
    if response.clicked() {
        commands.push(CheckCommand::GoTo(sentence).into());
    }
    response.context_menu(|ui| finding_menu_ui(ui, finding, commands));
    if has_buttons {
        let place = row.with_min_x(row.right() - BUTTONS_WIDTH).shrink(4.0);
        let layout = Layout::top_down(Align::Max);
        let salt = ("buttons of a finding", number);
        let builder = UiBuilder::new().max_rect(place).layout(layout);
        let mut right = ui.new_child(builder.id_salt(salt));
        buttons_ui(&mut right, finding, is_selected || hovered, commands);
    }
}

/// The message in two lines, and the translation that it is about.
fn message_ui(
    ui: &mut Ui,
    place: Rect,
    (document, finding): (&OpenDocument, &Finding),
    palette: &Palette,
) {
    let layout = Layout::top_down(Align::Min);
    let mut text = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    text.spacing_mut().item_spacing.y = 2.0;
    let message = capitalised(&finding.message);
    let mut job = LayoutJob::simple(
        message,
        FontId::proportional(13.0),
        palette.text,
        place.width(),
    );
    job.wrap.max_rows = 2;
    let galley = text.painter().layout_job(job);
    text.add(Label::new(galley).selectable(false));
    let shown = target(document, finding.segment);
    let under = RichText::new(format!("{}  {shown}", finding.segment + 1)).size(12.0);
    text.add(
        Label::new(under.color(palette.weak))
            .truncate()
            .selectable(false),
    );
}

fn finding_menu_ui(ui: &mut Ui, finding: &Finding, commands: &mut Vec<Command>) {
    let ignore = CheckCommand::Ignore(finding.clone());
    let all = CheckCommand::RepairAll(finding.check);
    let off = CheckCommand::Toggle(finding.check);
    for (label, is_shown, command) in [
        ("Ignore", true, ignore),
        ("Repair all of this kind", finding.repaired.is_some(), all),
        ("Do not check this here", true, off),
    ] {
        if is_shown && ui.button(label).clicked() {
            commands.push(Command::from(command));
        }
    }
}

fn buttons_ui(ui: &mut Ui, finding: &Finding, can_ignore: bool, commands: &mut Vec<Command>) {
    ui.spacing_mut().item_spacing.y = 4.0;
    if let Some(proposal) = &finding.repaired {
        let proposal = placeholder::stripped(proposal);
        let button = ui.add(Button::new("Repair").small());
        if button.on_hover_text(proposal).clicked() {
            commands.push(CheckCommand::Repair(finding.clone()).into());
        }
    }
    let hint = "Hides this finding in this document";
    if can_ignore
        && ui
            .add(Button::new("Ignore").small())
            .on_hover_text(hint)
            .clicked()
    {
        commands.push(CheckCommand::Ignore(finding.clone()).into());
    }
}

/// The translation, or the source without one.
fn target(document: &OpenDocument, sentence: usize) -> String {
    let text = placeholder::stripped(&document.target(sentence).text);
    if text.trim().is_empty() {
        return document.document.sentences[sentence].plain_text();
    }
    text
}
