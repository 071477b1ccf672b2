//! Two translations of a document side by side, without the names of who made them.

use egui::{Align, Button, Color32, FontId, Layout, RichText, ScrollArea, Ui, vec2};

use crate::theme::{Palette, semibold};
use crate::typeset;
use canopy_app::evaluating::OpenJudgement;
use canopy_app::{Command, EvaluateCommand};
use canopy_metrics::judgement::{Criterion, JudgedDocument, Judgement, Tally, Vote};

pub(super) fn judge_ui(ui: &mut Ui, open: &OpenJudgement, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let judgement = &open.judgement;
    let mut push = |command| commands.push(Command::Evaluate(command));
    let count = judgement.documents.len();
    let document = judgement.documents.get(open.current);
    ui.horizontal(|ui| {
        ui.heading("Blind judgement");
        if let Some(document) = document {
            let about = format!(
                "document {} of {count} · {}",
                open.current + 1,
                document.name
            );
            ui.label(RichText::new(about).color(palette.weak));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("Close").clicked() {
                push(EvaluateCommand::CloseJudgement);
            }
            if ui.button("Save votes…").clicked() {
                push(EvaluateCommand::AskExportVotes);
            }
            let is_complete = judgement.next_open().is_none();
            let reveal = ui.add_enabled(!open.revealed, Button::new("Reveal"));
            let about = if is_complete {
                "Shows whose translations they were"
            } else {
                "Shows whose translations they were; nothing can be judged after that"
            };
            if reveal.on_hover_text(about).clicked() {
                push(EvaluateCommand::Reveal);
            }
        });
    });
    let Some(document) = document else {
        ui.label("This judgement has no documents.");
        return;
    };
    if open.revealed {
        tallies_ui(ui, judgement, &palette);
    }
    ui.add_space(6.0);
    votes_ui(ui, open, document, &mut push);
    ui.add_space(8.0);
    texts_ui(ui, open, document, &palette);
}

fn tallies_ui(ui: &mut Ui, judgement: &Judgement, palette: &Palette) {
    for criterion in [Criterion::Adequacy, Criterion::Fluency] {
        let Tally {
            first,
            second,
            ties,
            p,
        } = judgement.tally(criterion);
        let [one, other] = &judgement.systems;
        let text = format!(
            "{}: {one} {first}, {other} {second}, ties {ties} · two-sided sign test, ties split: p = {p:.4}",
            criterion.name()
        );
        ui.label(RichText::new(text).color(palette.text));
    }
}

/// A line for each question, and the way to the other documents.
fn votes_ui(
    ui: &mut Ui,
    open: &OpenJudgement,
    document: &JudgedDocument,
    push: &mut impl FnMut(EvaluateCommand),
) {
    for (criterion, question) in [
        (
            Criterion::Adequacy,
            "Which says better what the source says?",
        ),
        (
            Criterion::Fluency,
            "Which reads better, from its beginning to its end?",
        ),
    ] {
        ui.horizontal(|ui| {
            let label = ui.label(question);
            ui.add_space((340.0 - label.rect.width()).max(0.0));
            for (vote, name) in [
                (Vote::Left, "Left"),
                (Vote::Tie, "Equal"),
                (Vote::Right, "Right"),
            ] {
                let is_chosen = document.vote(criterion) == Some(vote);
                let button = Button::selectable(is_chosen, name).min_size(vec2(70.0, 26.0));
                let response = ui.add_enabled(!open.revealed, button);
                if response.clicked() {
                    push(EvaluateCommand::Vote(criterion, vote));
                }
            }
        });
    }
    ui.horizontal(|ui| {
        let last = open.judgement.documents.len() - 1;
        let previous = ui.add_enabled(open.current > 0, Button::new("Previous document"));
        if previous.clicked() {
            push(EvaluateCommand::GoTo(open.current - 1));
        }
        let next = ui.add_enabled(open.current < last, Button::new("Next document"));
        if next.clicked() {
            push(EvaluateCommand::GoTo(open.current + 1));
        }
        let documents = open.judgement.documents.iter();
        let done = documents.filter(|it| it.adequacy.is_some() && it.fluency.is_some());
        let palette = Palette::from_ui(ui);
        let text = format!("{} judged", done.count());
        ui.label(RichText::new(text).color(palette.weak));
    });
}

/// Source, left and right, paragraph by paragraph.
fn texts_ui(ui: &mut Ui, open: &OpenJudgement, document: &JudgedDocument, palette: &Palette) {
    let [left, right] = document.sides();
    let names = if open.revealed {
        let [first, second] = &open.judgement.systems;
        if document.swapped {
            [second, first]
        } else {
            [first, second]
        }
        .map(String::as_str)
    } else {
        ["Left", "Right"]
    };
    let spacing = 20.0;
    let width = ((ui.available_width() - 2.0 * spacing - 14.0) / 3.0).max(120.0);
    let row = |ui: &mut Ui, texts: [(&str, FontId, Color32); 3]| {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = spacing;
            for (text, font, color) in texts {
                ui.vertical(|ui| {
                    ui.set_width(width);
                    typeset::label(ui, text, font, color);
                });
            }
        });
    };
    let headings = ["Source", names[0], names[1]];
    row(
        ui,
        headings.map(|text| (text, semibold(13.5), palette.weak)),
    );
    let font = egui::TextStyle::Body.resolve(ui.style());
    ScrollArea::vertical()
        .id_salt(("judged", open.current))
        .auto_shrink(false)
        .show(ui, |ui| {
            for (place, source) in document.source.iter().enumerate() {
                let text = |side: &[String]| side.get(place).cloned().unwrap_or_default();
                let (left, right) = (text(left), text(right));
                let texts = [
                    (source.as_str(), palette.text),
                    (left.as_str(), palette.strong),
                    (right.as_str(), palette.strong),
                ];
                row(ui, texts.map(|(text, color)| (text, font.clone(), color)));
                ui.add_space(6.0);
            }
        });
}
