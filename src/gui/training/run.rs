//! One run: how far it is, its charts, what it translates now, its settings and its log.

use egui::{Align, Align2, Button, Layout, ProgressBar, RichText, ScrollArea, Sense, Ui, vec2};

use super::list::state_words;
use crate::chart::{ChartAction, ChartViewState, chart_view};
use crate::theme::{self, Palette};
use canopy_app::Command;
use canopy_app::jobs::RunSnapshot;
use canopy_app::progress::duration;
use canopy_app::training::{ChartKey, Training, TrainingCommand};
use canopy_chart::charts::{Chart, XAxis, thousands};
use canopy_train::{Order, Phase, RunState, Sample};

/// Maximum characters of sentences that are shown side by side.
const SHORT: usize = 44;

/// The tab below the charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Below {
    #[default]
    Samples,
    Settings,
    Log,
}

#[derive(Default)]
pub(super) struct RunPanel {
    charts: ChartViewState,
    /// Rebuilt when a run has new events.
    drawn: Option<(ChartKey, Chart)>,
    below: Below,
}

impl RunPanel {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        training: &Training,
        run: &RunSnapshot,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let room = ui.available_height();
        let page = ScrollArea::vertical().id_salt("run").auto_shrink(false);
        page.show(ui, |ui| {
            egui::Frame::NONE
                .inner_margin(egui::Margin::symmetric(24, 0))
                .show(ui, |ui| {
                    let top = ui.cursor().top();
                    ui.add_space(14.0);
                    header_ui(ui, run, commands);
                    notes_ui(ui, run, &palette);
                    ui.add_space(6.0);
                    axis_ui(ui, training, commands);
                    let left = room - (ui.cursor().top() - top);
                    let below = (left * 0.3).clamp(120.0, 320.0);
                    let height = (left - below - 14.0).max(160.0);
                    self.charts_ui(ui, training, run, height, commands);
                    ui.add_space(6.0);
                    ui.allocate_ui(vec2(ui.available_width(), below), |ui| {
                        self.below_ui(ui, run, &palette);
                    });
                });
        });
    }

    fn charts_ui(
        &mut self,
        ui: &mut Ui,
        training: &Training,
        run: &RunSnapshot,
        height: f32,
        commands: &mut Vec<Command>,
    ) {
        ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
            let key = training.runs.chart_key(run);
            if self.drawn.as_ref().is_none_or(|(drawn, _)| *drawn != key) {
                self.drawn = Some((key, training.runs.chart(run)));
            }
            let Some((_, chart)) = &self.drawn else {
                return;
            };
            let mut ask = |extension| {
                let command = TrainingCommand::AskSaveChart(extension);
                commands.push(Command::Training(command));
            };
            match chart_view(ui, &mut self.charts, chart) {
                Some(ChartAction::SaveSvg) => ask("svg"),
                Some(ChartAction::SavePng) => ask("png"),
                Some(ChartAction::CopyCsv) => ui.ctx().copy_text(chart.csv(&self.charts.view)),
                None => {}
            }
        });
    }

    fn below_ui(&mut self, ui: &mut Ui, run: &RunSnapshot, palette: &Palette) {
        ui.horizontal(|ui| {
            for (below, label) in [
                (Below::Samples, "Translations now"),
                (Below::Settings, "Settings"),
                (Below::Log, "Log"),
            ] {
                ui.selectable_value(&mut self.below, below, label);
            }
        });
        ui.add_space(4.0);
        ScrollArea::vertical()
            .id_salt("below")
            .auto_shrink(false)
            .stick_to_bottom(self.below == Below::Log)
            .show(ui, |ui| match self.below {
                Below::Samples => samples_ui(ui, run, palette),
                Below::Settings => settings_ui(ui, run),
                Below::Log => {
                    for line in &run.summary.log {
                        ui.label(RichText::new(line).size(12.5));
                    }
                }
            });
    }
}

fn axis_ui(ui: &mut Ui, training: &Training, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let palette = Palette::from_ui(ui);
        let weak = |text: &str| RichText::new(text).size(12.5).color(palette.weak);
        ui.label(weak("Over"));
        for (axis, label) in [
            (XAxis::Steps, "steps"),
            (XAxis::Minutes, "minutes"),
            (XAxis::Tokens, "target tokens"),
        ] {
            let button = Button::selectable(training.runs.x == axis, label).small();
            if ui.add(button).clicked() {
                commands.push(Command::Training(TrainingCommand::SetAxis(axis)));
            }
        }
        ui.add_space(14.0);
        ui.label(weak("Smoothing"));
        let mut smoothing = training.runs.smoothing;
        ui.spacing_mut().slider_width = 110.0;
        let slider = egui::Slider::new(&mut smoothing, 0.0..=0.99).show_value(false);
        if ui.add(slider).accessible_name("Smoothing").changed() {
            commands.push(Command::Training(TrainingCommand::SetSmoothing(smoothing)));
        }
    });
    ui.add_space(4.0);
}

fn header_ui(ui: &mut Ui, run: &RunSnapshot, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let summary = &run.summary;
    ui.horizontal(|ui| {
        ui.heading(run.name());
        let (words, color) = state_words(&run.state, &palette);
        ui.label(RichText::new(words).color(color));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            controls_ui(ui, run, commands);
        });
    });
    let mut facts = Vec::new();
    if let Some(config) = &run.config {
        facts.push(config.preset.clone());
    }
    if summary.parameters > 0 {
        facts.push(format!("{} parameters", thousands(summary.parameters)));
    }
    if !summary.device.is_empty() {
        facts.push(summary.device.clone());
    }
    if summary.step > 0 {
        facts.push(format!("step {}", thousands(summary.step)));
        facts.push(format!("epoch {}", summary.epoch + 1));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rounded speed"
        )]
        let speed = summary.target_tokens_per_second.round() as usize;
        facts.push(format!("{} tokens/s", thousands(speed)));
        facts.push(duration(summary.elapsed_secs));
    }
    if let Some(scores) = summary.whole.or(summary.best) {
        let of = if summary.whole.is_some() {
            "on all development documents"
        } else {
            "at best, on a sample"
        };
        facts.push(format!("BLEU {:.2} {of}", scores.dev_bleu));
    }
    let right = summary.contrastive_accuracy;
    facts.extend(right.map(|share| format!("{:.1} % of the contrastive set", 100.0 * share)));
    ui.label(RichText::new(facts.join("  ·  ")).color(palette.weak));
    if matches!(run.state, RunState::Running | RunState::Paused) {
        let phase = phase_words(summary.phase);
        let left = summary
            .remaining_secs
            .map_or_else(String::new, |secs| format!(", {} left", duration(secs)));
        match summary.share() {
            Some(share) => {
                ui.horizontal(|ui| {
                    let bar = ProgressBar::new(share)
                        .desired_width(320.0)
                        .desired_height(7.0)
                        .fill(palette.accent);
                    ui.add(bar);
                    let text = format!("{:.0} %{left} · {phase}", 100.0 * share);
                    ui.label(RichText::new(text).size(12.5).color(palette.weak));
                });
            }
            None => {
                ui.label(RichText::new(phase).size(12.5).color(palette.weak));
            }
        }
    }
}

fn controls_ui(ui: &mut Ui, run: &RunSnapshot, commands: &mut Vec<Command>) {
    let mut button = |ui: &mut Ui, label: &str, hint: &str, command: TrainingCommand| {
        if ui
            .add(Button::new(label).min_size(vec2(76.0, 30.0)))
            .on_hover_text(hint)
            .clicked()
        {
            commands.push(Command::Training(command));
        }
    };
    let folder = || run.folder.clone();
    match &run.state {
        RunState::Running => {
            button(
                ui,
                "Stop now",
                "Ends it at once; it can be resumed from its last checkpoint",
                TrainingCommand::Order(folder(), Order::Abandon),
            );
            button(
                ui,
                "Stop",
                "Saves, then ends; it can be resumed later",
                TrainingCommand::Order(folder(), Order::Stop),
            );
            button(
                ui,
                "Pause",
                "Saves, then waits",
                TrainingCommand::Order(folder(), Order::Pause),
            );
        }
        RunState::Paused => {
            button(
                ui,
                "Stop",
                "Ends it; it can be resumed later",
                TrainingCommand::Order(folder(), Order::Stop),
            );
            button(
                ui,
                "Resume",
                "Continues with the next step",
                TrainingCommand::Order(folder(), Order::Resume),
            );
        }
        RunState::NeverBegun => {}
        RunState::Interrupted | RunState::Failed { .. } | RunState::Finished(_) => {
            if run.has_model {
                let promote = theme::primary(ui, "Use for this document");
                let hint = "Adds its best model to your models and opens it now; the defaults stay as they are";
                if ui.add(promote).on_hover_text(hint).clicked() {
                    commands.push(Command::Training(TrainingCommand::Promote(folder())));
                }
                let mut button = |label: &str, hint: &str, command: TrainingCommand| {
                    let widget = Button::new(label).min_size(vec2(76.0, 30.0));
                    if ui.add(widget).on_hover_text(hint).clicked() {
                        commands.push(Command::Training(command));
                    }
                };
                button(
                    "Export…",
                    "Writes the model folder to another place",
                    TrainingCommand::Export(folder()),
                );
                button(
                    "Resume",
                    "From the last checkpoint",
                    TrainingCommand::GoOn(folder()),
                );
            }
        }
    }
}

fn phase_words(phase: Option<Phase>) -> &'static str {
    match phase {
        None | Some(Phase::Read) => "reading the corpus",
        Some(Phase::Tokenise) => "preparing the development documents",
        Some(Phase::Draft) => "writing drafts of the training pairs",
        Some(Phase::Train) => "training",
        Some(Phase::Validate) => "validating",
        Some(Phase::Save) => "saving",
        Some(Phase::Paused) => "paused",
    }
}

/// Problems of the run, if there are any.
fn notes_ui(ui: &mut Ui, run: &RunSnapshot, palette: &Palette) {
    let failed = run.summary.failed.iter().map(|text| (text, palette.error));
    // The log has those before it.
    let warnings = run.summary.warnings.last();
    let warnings = warnings.map(|text| (text, palette.warning));
    for (text, color) in failed.chain(warnings) {
        ui.label(RichText::new(text).size(12.5).color(color));
    }
}

/// Scores before and after a run that began with a trained model.
fn compared_ui(ui: &mut Ui, run: &RunSnapshot, palette: &Palette) {
    let sets = &run.summary.compared;
    if sets.is_empty() {
        return;
    }
    egui::Grid::new("compared").striped(true).show(ui, |ui| {
        for caption in [
            "",
            "segments",
            "BLEU before",
            "after",
            "loss before",
            "after",
        ] {
            ui.label(RichText::new(caption).size(11.5).color(palette.weak));
        }
        ui.end_row();
        for set in sets {
            let ([before, after], [less, more]) = (set.bleu, set.loss);
            let name = match set.name.as_str() {
                "general" => "General documents",
                _ => "Held-out documents",
            };
            ui.label(name);
            ui.label(set.segments.to_string());
            ui.label(format!("{before:.1}"));
            ui.label(format!("{after:.1}"));
            ui.label(format!("{less:.3}"));
            ui.label(format!("{more:.3}"));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

fn samples_ui(ui: &mut Ui, run: &RunSnapshot, palette: &Palette) {
    compared_ui(ui, run, palette);
    if run.summary.samples.is_empty() {
        ui.label(RichText::new("They come with the first validation.").color(palette.weak));
    }
    let samples = &run.summary.samples;
    let length = |sample: &Sample| {
        sample
            .source
            .chars()
            .count()
            .max(sample.reference.chars().count())
    };
    if !samples.is_empty() && samples.iter().all(|sample| length(sample) <= SHORT) {
        ui.columns(samples.len(), |columns| {
            for (ui, sample) in columns.iter_mut().zip(samples) {
                sample_ui(ui, sample, palette);
            }
        });
        return;
    }
    for sample in samples {
        sample_ui(ui, sample, palette);
        ui.add_space(8.0);
    }
}

/// A sentence, and what it becomes now: in another colour once that is the reference.
fn sample_ui(ui: &mut Ui, sample: &Sample, palette: &Palette) {
    ui.spacing_mut().item_spacing.y = 2.0;
    let now = if sample.translation == sample.reference {
        palette.accent
    } else {
        palette.text
    };
    for (caption, text, color) in [
        ("source", &sample.source, palette.weak),
        ("reference", &sample.reference, palette.weak),
        ("now", &sample.translation, now),
    ] {
        ui.horizontal_top(|ui| {
            let (place, _) = ui.allocate_exact_size(vec2(64.0, 18.0), Sense::hover());
            let font = egui::FontId::proportional(11.5);
            let painter = ui.painter();
            painter.text(
                place.left_center(),
                Align2::LEFT_CENTER,
                caption,
                font,
                palette.weak,
            );
            ui.add(egui::Label::new(RichText::new(text).color(color)).wrap());
        });
    }
}

fn settings_ui(ui: &mut Ui, run: &RunSnapshot) {
    let text = run
        .config
        .as_ref()
        .and_then(|config| toml::to_string(config).ok())
        .unwrap_or_default();
    ui.label(RichText::new(text).monospace().size(12.0));
}
