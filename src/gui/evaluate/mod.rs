//! The page of evaluations: models and test documents at the left, scores or a blind judgement in the middle.

mod contrast;
mod form;
mod judge;
mod sample;
mod scores;
mod sentences;

use egui::{CentralPanel, Frame, Margin, Panel, RichText, Ui};

use super::theme::Palette;
use super::training::TRY;
use canopy_app::training::TrainingCommand;
use canopy_app::{AppState, Command};

pub(crate) fn evaluate_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let side = Frame::NONE
        .fill(palette.panel)
        .inner_margin(Margin::symmetric(14, 10));
    Panel::left("evaluation")
        .default_size(290.0)
        .size_range(220.0..=520.0)
        .frame(side)
        .show(ui, |ui| form::form_ui(ui, state, commands));
    let frame = Frame::NONE
        .fill(palette.page)
        .inner_margin(Margin::symmetric(24, 14));
    CentralPanel::default().frame(frame).show(ui, |ui| {
        let page = &state.evaluate;
        if let Some(judgement) = &page.judgement {
            judge::judge_ui(ui, judgement, commands);
        } else if let Some(result) = page
            .contrast
            .result
            .as_ref()
            .filter(|_| page.contrast.is_shown)
        {
            contrast::contrast_ui(ui, &page.contrast, result, commands);
        } else if let Some(evaluation) = page.evaluation() {
            let sample = state.training.sample.as_ref();
            if let Some(sample) = sample.filter(|sample| sample.is_shown(&state.evaluate)) {
                sample::sample_ui(ui, sample, commands);
            }
            scores::evaluation_ui(ui, page, evaluation, commands);
        } else {
            empty_ui(ui, commands);
        }
    });
}

fn empty_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.3);
        ui.heading("Which model translates better?");
        ui.add_space(6.0);
        for text in [
            "Choose models and a corpus: each translates its test documents, and the differences come with their significance.",
            "Then compare documents and sentences, or judge whole documents blind.",
        ] {
            ui.label(RichText::new(text).color(palette.weak));
        }
        ui.add_space(18.0);
        let text = "No models of your own yet? Two small ones learn a made-up language in a minute or two.";
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(4.0);
        if ui.button(TRY).clicked() {
            commands.push(Command::Training(TrainingCommand::TrySample));
        }
    });
}
