//! The training page: runs at the left, the selected one in the middle.

mod beside;
mod corpus;
mod fields;
mod found;
mod list;
mod new_run;
mod questions;
mod run;
mod sample;
mod table;

use egui::{CentralPanel, Frame, Margin, Panel, RichText, Ui};

pub(crate) use questions::{Closing, closing_ui, losing_ui};
use run::RunPanel;
pub(crate) use sample::{TRY, percent};

use super::theme::Palette;
use canopy_app::{AppState, Command};

/// State of the page between frames.
#[derive(Default)]
pub(crate) struct TrainingPanel {
    run: RunPanel,
    list: list::RunList,
}

impl TrainingPanel {
    pub(crate) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        Panel::left("runs")
            .default_size(268.0)
            .size_range(200.0..=520.0)
            .frame(Frame::NONE.fill(palette.panel))
            .show(ui, |ui| self.list.ui(ui, state, commands));
        CentralPanel::default()
            .frame(Frame::NONE.fill(palette.page))
            .show(ui, |ui| {
                let training = &state.training;
                if let Some(form) = &training.corpus_form {
                    corpus::new_corpus_ui(ui, form, commands);
                } else if let Some(form) = &training.form {
                    new_run::new_run_ui(ui, state, form, commands);
                } else if training.runs.shows_table {
                    table::table_ui(ui, training, commands);
                } else {
                    self.run_ui(ui, state, commands);
                }
            });
        questions::trash_ui(ui.ctx(), &state.training, commands);
    }

    /// The selected run, below what there is to say of it as a part of the sample.
    fn run_ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let training = &state.training;
        let sample = training.sample.as_ref();
        let selected = training.runs.selected.as_deref();
        let shown = sample.filter(|sample| selected.is_none_or(|run| sample.has_run(run)));
        // Before its runs begin it is above all else.
        let shown = shown.or(sample.filter(|sample| sample.runs.is_empty()));
        if let Some(sample) = shown {
            let margin = Margin {
                left: 24,
                right: 24,
                top: 14,
                bottom: 0,
            };
            Frame::NONE.inner_margin(margin).show(ui, |ui| {
                sample::tour_ui(ui, state, sample, commands);
            });
        }
        match training.runs.selected() {
            Some(run) => self.run.ui(ui, training, run, commands),
            None if shown.is_none() => empty_ui(ui, commands),
            None => {}
        }
    }
}

/// Before the first run.
fn empty_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space((height * 0.2).max(24.0));
        ui.heading("Train a model");
        ui.add_space(4.0);
        let text = "It learns from documents with their translations, while you watch.";
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(22.0);
    });
    sample::ways_ui(ui, commands);
}

/// The heading of a part of a form.
fn caption(ui: &mut Ui, text: &str) {
    let palette = Palette::from_ui(ui);
    ui.add_space(10.0);
    ui.label(RichText::new(text).font(super::theme::semibold(14.5)));
    ui.add_space(1.0);
    let line = ui.available_rect_before_wrap();
    ui.painter()
        .hline(line.x_range(), line.top(), (1.0, palette.line));
    ui.add_space(9.0);
}
