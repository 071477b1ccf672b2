//! Another person's changes, sentence by sentence, to accept or ignore.

use egui::{Checkbox, Context, Id, RichText, ScrollArea, Ui};

use super::segment_history::marked;
use super::theme::{self, Palette};
use super::{labels, typeset};
use canopy_app::markup::to_editable;
use canopy_app::{ChangeKind, Command, IncomingChange, MergeCommand, Merging, OpenDocument};

const WIDTH: f32 = 860.0;
const HEIGHT: f32 = 420.0;
/// Width of a change's checkbox with its number.
const NUMBER: f32 = 64.0;

pub(crate) fn merging_ui(
    ctx: &Context,
    merging: &Merging,
    document: Option<&OpenDocument>,
    commands: &mut Vec<Command>,
) {
    let modal = theme::modal(ctx, Id::unique("merge")).show(ctx, |ui| {
        let window = ctx.content_rect().size();
        ui.set_width(WIDTH.min(window.x - 80.0));
        let height = HEIGHT.min((window.y - 280.0).max(80.0));
        let changes = &merging.incoming.changes;
        let name = merging
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        ui.heading(format!(
            "{} in {name}",
            labels::count(changes.len(), "change")
        ));
        about_ui(ui, merging);
        ui.add_space(8.0);
        all_ui(ui, commands);
        ui.add_space(6.0);
        let list = ScrollArea::vertical()
            .max_height(height)
            .min_scrolled_height(height);
        list.show(ui, |ui| {
            for (number, (change, taken)) in changes.iter().zip(&merging.taken).enumerate() {
                change_ui(ui, number, change, *taken, document, commands);
            }
        });
        ui.add_space(12.0);
        let count = merging.taken.iter().filter(|taken| **taken).count();
        ui.horizontal(|ui| {
            let noun = if count == 1 { "change" } else { "changes" };
            let label = format!("Accept {count} {noun}");
            if theme::add_primary(ui, count > 0, &label).clicked() {
                commands.push(MergeCommand::Apply.into());
            }
            if ui.button("Cancel").clicked() {
                commands.push(MergeCommand::Discard.into());
            }
        });
    });
    if modal.should_close() {
        commands.push(MergeCommand::Discard.into());
    }
}

fn about_ui(ui: &mut Ui, merging: &Merging) {
    let palette = Palette::from_ui(ui);
    let mut about = Vec::new();
    match merging.incoming.conflicts() {
        0 => {}
        1 => {
            about.push("One is a conflict: both sides have changed it since the export".to_owned());
        }
        count => about.push(format!(
            "{count} are conflicts: both sides have changed them since the export"
        )),
    }
    let unmatched = merging.incoming.unmatched;
    if unmatched > 0 {
        about.push(format!(
            "{} of the file match nothing in the document",
            labels::count(unmatched, "translation")
        ));
    }
    if !about.is_empty() {
        ui.label(RichText::new(about.join(". ")).color(palette.warning));
    }
}

fn all_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let clean = vec![ChangeKind::Changed, ChangeKind::Approved];
    let all = [clean.clone(), vec![ChangeKind::Conflict]].concat();
    ui.horizontal(|ui| {
        for (label, kinds) in [("All but conflicts", clean), ("All", all), ("None", vec![])] {
            if ui.button(label).clicked() {
                commands.push(MergeCommand::TakeAll(kinds).into());
            }
        }
    });
}

fn change_ui(
    ui: &mut Ui,
    number: usize,
    change: &IncomingChange,
    taken: bool,
    document: Option<&OpenDocument>,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    ui.add_space(6.0);
    ui.horizontal_top(|ui| {
        let text = ui.cursor().left() + NUMBER;
        let mut is_taken = taken;
        let label = format!("{}", change.sentence + 1);
        let checkbox = ui.add(Checkbox::new(&mut is_taken, label));
        if checkbox.on_hover_text("Accept this change").changed() {
            commands.push(MergeCommand::Take(number, is_taken).into());
        }
        ui.add_space((text - ui.cursor().left()).max(0.0));
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let source = document.and_then(|open| open.document.sentences.get(change.sentence));
            let source = source.map_or(String::new(), |sentence| to_editable(&sentence.text));
            ui.label(RichText::new(source).size(12.5).color(palette.weak));
            let mut job = marked(&change.parts, &palette);
            job.wrap.max_width = ui.available_width();
            ui.label(typeset::galley(ui, typeset::Text::new(job)));
            let (text, color) = match change.kind {
                ChangeKind::Conflict => ("Both sides have changed it", palette.error),
                ChangeKind::Approved => ("Approved unchanged", palette.weak),
                ChangeKind::Changed if change.is_approved => ("Changed and approved", palette.weak),
                ChangeKind::Changed => return,
            };
            ui.label(RichText::new(text).size(12.5).color(color));
        });
    });
}
