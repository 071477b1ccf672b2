//! Where one system is better and where it is worse than the first, sentence by sentence.

use egui::text::{LayoutJob, TextFormat};
use egui::{Button, FontId, RichText, Ui};

use crate::theme::{Palette, blend, semibold};
use crate::typeset;
use canopy_app::{Command, EvaluateCommand};
use canopy_metrics::comparison::{Change, Comparison, Extreme, Piece};

pub(super) fn sentences_ui(
    ui: &mut Ui,
    comparison: &Comparison,
    system: usize,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let extremes = comparison
        .extremes
        .iter()
        .find(|extremes| extremes.system == system);
    let Some(extremes) = extremes else {
        let text = "Evaluate two models or more to see where they differ.";
        ui.label(RichText::new(text).color(palette.weak));
        return;
    };
    let names = (
        &comparison.systems[0].name,
        &comparison.systems[system].name,
    );
    for (title, all) in [("wins", &extremes.wins), ("losses", &extremes.losses)] {
        let title = format!("Largest {title} of {} over {}", names.1, names.0);
        ui.label(RichText::new(title).font(semibold(15.0)));
        ui.add_space(4.0);
        for extreme in all {
            extreme_ui(ui, comparison, extreme, &palette, commands);
        }
        if all.is_empty() {
            ui.label(RichText::new("None.").color(palette.weak));
        }
        ui.add_space(12.0);
    }
}

fn extreme_ui(
    ui: &mut Ui,
    comparison: &Comparison,
    extreme: &Extreme,
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let found = &comparison.segments[extreme.segment].segment;
    let document = comparison
        .documents
        .iter()
        .find(|document| document.document == found.document);
    let name = document.map_or("", |document| document.name.as_str());
    let width = (ui.clip_rect().width() - 24.0).max(240.0);
    ui.set_max_width(width);
    let head = format!(
        "{:+.1} chrF · {name}, segment {}",
        extreme.difference,
        found.position + 1
    );
    ui.horizontal(|ui| {
        ui.label(RichText::new(head).size(12.5).color(palette.weak));
        let about = "Translates the document with this model and shows what it read there: its scored paragraphs without markup; the translation may differ";
        let trace = ui.add(Button::new("Show its trace").small());
        if trace.on_hover_text(about).clicked() {
            let command = EvaluateCommand::Trace(extreme.segment);
            commands.push(Command::Evaluate(command));
        }
    });
    for (label, text) in [("source", &found.source), ("reference", &found.reference)] {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(label).size(12.5).color(palette.weak));
            let font = egui::TextStyle::Body.resolve(ui.style());
            typeset::label(ui, text, font, palette.text);
        });
    }
    let mut job = difference(&extreme.diff, palette);
    job.wrap.max_width = ui.available_width();
    ui.label(typeset::galley(ui, typeset::Text::new(job)));
    ui.add_space(10.0);
}

/// The words of both, those of one alone on a colour of their own.
fn difference(pieces: &[Piece], palette: &Palette) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (place, piece) in pieces.iter().enumerate() {
        let space = if place > 0 { 5.0 } else { 0.0 };
        let plain = TextFormat::simple(FontId::proportional(13.5), palette.strong);
        let format = match piece.change {
            Change::Kept => plain,
            Change::Removed => TextFormat {
                strikethrough: egui::Stroke::new(1.0, palette.error),
                color: palette.weak,
                ..plain
            },
            Change::Added => TextFormat {
                background: blend(palette.page, palette.accent, 0.25),
                ..plain
            },
        };
        job.append(&piece.text, space, format);
    }
    job
}
