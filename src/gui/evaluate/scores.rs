//! Results of an evaluation: scores with their intervals, documents, buckets.

use egui::{Align, Button, Grid, Layout, Popup, RichText, ScrollArea, Ui};

use super::sentences::sentences_ui;
use crate::labels;
use crate::theme::{Palette, semibold};
use canopy_app::settings::beam_name;
use canopy_app::{Command, Evaluate, EvaluateCommand, EvaluateView};
use canopy_evaluate::evaluation::{Evaluation, ExpectedForms};
use canopy_metrics::comparison::{Comparison, SIGNIFICANT, SystemScore, p_number};

pub(super) fn evaluation_ui(
    ui: &mut Ui,
    page: &Evaluate,
    evaluation: &Evaluation,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let comparison = &evaluation.comparison;
    ui.horizontal(|ui| {
        ui.heading(evaluation.test.as_str());
        let (segments, documents) = (comparison.segments.len(), comparison.documents.len());
        let about = format!(
            "{} in {} · beam {}",
            labels::count(segments, "segment"),
            labels::count(documents, "document"),
            beam_name(evaluation.beam_size)
        );
        ui.label(RichText::new(about).color(palette.weak));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            save_ui(ui, commands);
            judge_ui(ui, page, comparison, commands);
        });
    });
    ui.add_space(4.0);
    let several = comparison.systems.len() > 1;
    ui.horizontal(|ui| {
        for (view, label) in [
            (EvaluateView::Scores, "Scores"),
            (EvaluateView::Documents, "Documents"),
            (EvaluateView::Buckets, "Where"),
            (EvaluateView::Sentences, "Sentences"),
            (EvaluateView::Words, "Expected words"),
        ] {
            if view == EvaluateView::Words && page.expected().is_none() {
                continue;
            }
            let button = Button::selectable(page.view == view, label);
            if ui.add(button).clicked() {
                commands.push(Command::Evaluate(EvaluateCommand::Show(view)));
            }
        }
        if several && matches!(page.view, EvaluateView::Sentences) {
            ui.separator();
            for (number, system) in comparison.systems.iter().enumerate().skip(1) {
                let button = Button::selectable(page.selected == number, &system.name);
                if ui.add(button).clicked() {
                    commands.push(Command::Evaluate(EvaluateCommand::Select(number)));
                }
            }
        }
    });
    ui.add_space(8.0);
    ScrollArea::both()
        .auto_shrink(false)
        .id_salt(page.view as u8)
        .show(ui, |ui| match page.view {
            EvaluateView::Scores => scores_ui(ui, evaluation),
            EvaluateView::Documents => documents_ui(ui, comparison),
            EvaluateView::Buckets => buckets_ui(ui, comparison),
            EvaluateView::Sentences => sentences_ui(ui, comparison, page.selected, commands),
            EvaluateView::Words => {
                if let Some(expected) = page.expected() {
                    words_ui(ui, expected);
                }
            }
        });
}

/// How often translations have the words that earlier sentences decide, in total and by distance.
fn words_ui(ui: &mut Ui, expected: &ExpectedForms) {
    let palette = Palette::from_ui(ui);
    let about = format!(
        "The word that the sentences before decide is in the translation: {} in {}.",
        labels::count(expected.segments, "segment"),
        labels::count(expected.origins, "text")
    );
    ui.label(RichText::new(about).color(palette.weak));
    ui.add_space(6.0);
    Grid::new("expected words")
        .striped(true)
        .spacing([22.0, 7.0])
        .show(ui, |ui| {
            let head = |text: &str| RichText::new(text).font(semibold(12.5)).color(palette.weak);
            ui.label(head("Decided by"));
            ui.label(head("Segments"));
            for system in &expected.systems {
                ui.label(head(&system.name));
            }
            ui.end_row();
            ui.label(RichText::new("All").font(semibold(13.5)));
            ui.label(expected.segments.to_string());
            for system in &expected.systems {
                let (lower, upper) = system.interval;
                let p = system.p.map_or_else(String::new, |p| {
                    let number = p_number(p);
                    let is = if number.starts_with('<') { "" } else { "= " };
                    format!("; p {is}{number} against the first")
                });
                let hint = format!("95 % interval {lower:.1} to {upper:.1} %{p}");
                ui.label(format!("{:.1} %", system.accuracy))
                    .on_hover_text(hint);
            }
            ui.end_row();
            for bucket in &expected.distances {
                ui.label(format!("    {}", bucket.name));
                ui.label(bucket.segments.to_string());
                for accuracy in &bucket.systems {
                    ui.label(format!("{accuracy:.1} %"));
                }
                ui.end_row();
            }
        });
}

fn save_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let arrow = RichText::new("▾").size(11.0).color(palette.weak);
    let response = ui.add(Button::new("Save").right_text(arrow));
    Popup::menu(&response).show(|ui| {
        ui.set_min_width(200.0);
        for (label, extension) in [
            ("Table as CSV…", "csv"),
            ("Table as LaTeX…", "tex"),
            ("Everything as JSON…", "json"),
            ("Figure as SVG…", "svg"),
            ("Figure as PNG…", "png"),
        ] {
            if ui.button(label).clicked() {
                commands.push(Command::Evaluate(EvaluateCommand::AskSave(extension)));
            }
        }
    });
}

fn judge_ui(ui: &mut Ui, page: &Evaluate, comparison: &Comparison, commands: &mut Vec<Command>) {
    let other = comparison
        .systems
        .get(page.selected)
        .filter(|_| page.selected > 0);
    let response = ui.add_enabled(other.is_some(), Button::new("Judge blindly…"));
    if response.clicked() {
        commands.push(Command::Evaluate(EvaluateCommand::Judge));
    }
    let about = other.map(|other| {
        format!(
            "Whole documents of {} and {} side by side, without names",
            comparison.systems[0].name, other.name
        )
    });
    if let Some(about) = about {
        response.on_hover_text(about);
    } else {
        response.on_disabled_hover_text("Needs two models");
    }
}

fn head(ui: &mut Ui, texts: impl IntoIterator<Item = impl Into<String>>) {
    let palette = Palette::from_ui(ui);
    for text in texts {
        let text = RichText::new(text).font(semibold(12.5)).color(palette.weak);
        ui.label(text);
    }
    ui.end_row();
}

fn scores_ui(ui: &mut Ui, evaluation: &Evaluation) {
    let palette = Palette::from_ui(ui);
    let comparison = &evaluation.comparison;
    for (at, metric) in comparison.metrics.iter().enumerate() {
        ui.label(RichText::new(&metric.name).font(semibold(15.0)));
        Grid::new(&metric.name)
            .num_columns(6)
            .spacing([26.0, 7.0])
            .show(ui, |ui| {
                head(
                    ui,
                    [
                        "System",
                        "Score",
                        "95 % interval",
                        "Difference",
                        "p",
                        "Words/s",
                    ],
                );
                for (system, speed) in comparison.systems.iter().zip(&evaluation.words_per_second) {
                    let score = &system.scores[at];
                    ui.label(&system.name);
                    let number = format!("{:.2}", score.score);
                    ui.label(RichText::new(number).font(semibold(13.5)));
                    interval_ui(ui, comparison, at, score);
                    difference_ui(ui, score, comparison.documents.len() > 1);
                    ui.label(format!("{speed:.0}"));
                    ui.end_row();
                }
            });
        let signature = RichText::new(&metric.signature)
            .size(12.0)
            .color(palette.weak);
        ui.label(signature);
        ui.add_space(16.0);
    }
    if comparison.documents.len() < 2 {
        let about = "One document: no interval and no significance. Documents are drawn for both, so test on several.";
        ui.label(RichText::new(about).size(12.5).color(palette.weak));
        return;
    }
    let about = format!(
        "Intervals hold 95 of 100 test sets drawn from the documents; p: against the first system, approximate randomisation of whole documents, corrected for the number of systems (Holm); * p < {SIGNIFICANT}."
    );
    ui.label(RichText::new(about).size(12.5).color(palette.weak));
}

/// The interval as a line on the scale of all systems, with its ends as numbers.
#[expect(clippy::cast_possible_truncation, reason = "places in a window")]
fn interval_ui(ui: &mut Ui, comparison: &Comparison, metric: usize, score: &SystemScore) {
    const WIDTH: f32 = 190.0;
    let palette = Palette::from_ui(ui);
    if comparison.documents.len() < 2 {
        ui.label(RichText::new("One document: no interval").color(palette.weak));
        return;
    }
    let all = comparison
        .systems
        .iter()
        .map(|system| system.scores[metric].interval);
    let low = all
        .clone()
        .map(|interval| interval.0)
        .fold(f64::INFINITY, f64::min);
    let high = all
        .map(|interval| interval.1)
        .fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(1e-9);
    let size = egui::vec2(WIDTH + 110.0, 18.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let x = |value: f64| rect.left() + ((value - low) / span) as f32 * WIDTH;
    let y = rect.center().y;
    let (lower, upper) = score.interval;
    let painter = ui.painter();
    painter.hline(x(lower)..=x(upper), y, (2.0, palette.accent));
    painter.circle_filled(egui::pos2(x(score.score), y), 4.0, palette.accent);
    let text = format!("{lower:.2} to {upper:.2}");
    painter.text(
        egui::pos2(rect.right(), y),
        egui::Align2::RIGHT_CENTER,
        &text,
        egui::FontId::proportional(12.5),
        palette.weak,
    );
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, text.as_str())
    });
}

/// Nothing is significant with a single document.
fn difference_ui(ui: &mut Ui, score: &SystemScore, is_tested: bool) {
    let (Some(difference), Some(p)) = (score.difference, score.p) else {
        ui.label("baseline");
        ui.label("");
        return;
    };
    let palette = Palette::from_ui(ui);
    let is_significant = is_tested && score.is_significant();
    let color = if !is_significant {
        palette.text
    } else if difference > 0.0 {
        palette.accent
    } else {
        palette.error
    };
    ui.label(RichText::new(format!("{difference:+.2}")).color(color));
    if !is_tested {
        ui.label("");
        return;
    }
    let star = if is_significant { " *" } else { "" };
    ui.label(RichText::new(p_number(p) + star).color(color));
}

/// Names of systems and metrics, one column each.
fn columns(comparison: &Comparison) -> impl Iterator<Item = String> {
    comparison.systems.iter().flat_map(|system| {
        let metrics = comparison.metrics.iter();
        metrics.map(|metric| format!("{} {}", system.name, metric.name))
    })
}

fn numbers_ui(ui: &mut Ui, scores: &[Vec<f64>]) {
    for score in scores.iter().flatten() {
        ui.label(format!("{score:.1}"));
    }
    ui.end_row();
}

fn documents_ui(ui: &mut Ui, comparison: &Comparison) {
    Grid::new("documents")
        .striped(true)
        .spacing([22.0, 6.0])
        .show(ui, |ui| {
            let first = ["Document".to_owned(), "Segments".to_owned()];
            head(ui, first.into_iter().chain(columns(comparison)));
            for document in &comparison.documents {
                ui.label(&document.name);
                ui.label(document.segments.to_string());
                numbers_ui(ui, &document.scores);
            }
        });
}

fn buckets_ui(ui: &mut Ui, comparison: &Comparison) {
    for bucketing in &comparison.buckets {
        ui.label(RichText::new(format!("By {}", bucketing.by)).font(semibold(14.0)));
        Grid::new(bucketing.by)
            .striped(true)
            .spacing([22.0, 6.0])
            .show(ui, |ui| {
                let first = ["From".to_owned(), "Segments".to_owned()];
                head(ui, first.into_iter().chain(columns(comparison)));
                for bucket in &bucketing.buckets {
                    ui.label(match bucket.to {
                        Some(to) if to == bucket.from => to.to_string(),
                        Some(to) => format!("{} to {to}", bucket.from),
                        None => format!("{} and more", bucket.from),
                    });
                    ui.label(bucket.segments.to_string());
                    numbers_ui(ui, &bucket.scores);
                }
            });
        ui.add_space(14.0);
    }
}
