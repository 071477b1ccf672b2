//! Which models are tested on what.

use egui::{Align, Button, ComboBox, Layout, ProgressBar, RichText, ScrollArea, Ui};

use crate::labels;
use crate::menu::file_name;
use crate::theme::{Palette, add_primary, semibold};
use canopy_app::progress::duration;
use canopy_app::settings::beam_name;
use canopy_app::{AppState, Command, ContrastCommand, EvaluateCommand};
use canopy_corpus::Split;

pub(super) fn form_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let mut push = |command| commands.push(Command::Evaluate(command));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        caption(ui, "Models");
        models_ui(ui, state, &mut push);
        ui.add_space(10.0);
        caption(ui, "Test documents");
        documents_ui(ui, state, &mut push);
        ui.add_space(14.0);
        start_ui(ui, state, &mut push);
        ui.add_space(18.0);
        if state.evaluate.done.len() > 1 {
            caption(ui, "Evaluations");
            evaluations_ui(ui, state, &mut push);
            ui.add_space(18.0);
        }
        caption(ui, "Contrastive set");
        contrast_ui(ui, state, &mut push);
        ui.add_space(18.0);
        caption(ui, "Blind judgement");
        let open = ui.button("Open a judgement…");
        if open.on_hover_text("Continue a saved judgement").clicked() {
            push(EvaluateCommand::AskJudgement);
        }
    });
}

fn caption(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).font(semibold(13.5)));
    ui.add_space(2.0);
}

fn models_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(EvaluateCommand)) {
    let palette = Palette::from_ui(ui);
    let page = &state.evaluate;
    for folder in state
        .evaluate
        .testable_models(&state.shared, &state.models, &state.training)
    {
        let place = page.models.iter().position(|chosen| *chosen == folder);
        let mut chosen = place.is_some();
        ui.horizontal(|ui| {
            let response = ui.checkbox(&mut chosen, labels::model(state, &folder));
            if response
                .on_hover_text(folder.display().to_string())
                .changed()
            {
                push(EvaluateCommand::ToggleModel(folder.clone()));
            }
            if place == Some(0) && page.models.len() > 1 {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let text = RichText::new("baseline").size(12.0).color(palette.weak);
                    ui.label(text)
                        .on_hover_text("The baseline: the others are compared with it");
                });
            }
        });
    }
    if ui.button("Add a model folder…").clicked() {
        push(EvaluateCommand::AskModel);
    }
}

fn documents_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(EvaluateCommand)) {
    let page = &state.evaluate;
    let name = page
        .corpus
        .as_deref()
        .map_or("choose a corpus".to_owned(), file_name);
    let combo = ComboBox::from_id_salt("test corpus")
        .width(ui.available_width() - 24.0)
        .selected_text(name);
    let response = combo.show_ui(ui, |ui| {
        for folder in state.evaluate.known_corpora(&state.shared, &state.training) {
            let is_chosen = page.corpus.as_ref() == Some(&folder);
            let entry = ui.selectable_label(is_chosen, file_name(&folder));
            if entry.on_hover_text(folder.display().to_string()).clicked() {
                push(EvaluateCommand::UseCorpus(folder));
            }
        }
        if ui.selectable_label(false, "Other folder…").clicked() {
            push(EvaluateCommand::AskCorpus);
        }
    });
    response.response.accessible_name("Corpus");
    ui.horizontal(|ui| {
        for (split, label, about) in [
            (
                Split::Test,
                "Test",
                "Documents that no training has seen: for published results",
            ),
            (
                Split::Dev,
                "Development",
                "Documents for choosing among models",
            ),
        ] {
            let response = ui.radio(page.split.0 == split, label);
            if response.on_hover_text(about).clicked() {
                push(EvaluateCommand::UseSplit(split));
            }
        }
    });
    let mut cut = page.cut_sentences;
    let about = "Translates each sentence of a paragraph by itself, as in a document; they are scored together";
    let response = ui.checkbox(&mut cut, "Cut into sentences");
    if response.on_hover_text(about).changed() {
        push(EvaluateCommand::CutSentences(cut));
    }
    let palette = Palette::from_ui(ui);
    let beam = format!(
        "Beam size {}, as in Options",
        beam_name(state.shared.settings.beam_size)
    );
    ui.label(RichText::new(beam).size(12.5).color(palette.weak));
}

/// The file of a set of right and wrong translations, and the button that has the models choose.
fn contrast_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(EvaluateCommand)) {
    let page = &state.evaluate.contrast;
    let palette = Palette::from_ui(ui);
    let mut contrast = |command| push(EvaluateCommand::Contrast(command));
    let about = "Right and wrong translations that only the document distinguishes: a file written by canopy contrast make, \
        ContraPro, or the sets of Bawden et al. and Voita et al.";
    if let Some(path) = &page.set {
        let label = egui::Label::new(file_name(path)).truncate();
        ui.add(label).on_hover_text(path.display().to_string());
    } else {
        let text = "Does a model prefer the right pronoun?";
        ui.label(RichText::new(text).size(12.5).color(palette.weak));
    }
    ui.horizontal(|ui| {
        if ui.button("Choose a set…").on_hover_text(about).clicked() {
            contrast(ContrastCommand::AskSet);
        }
        let why_not = state.evaluate.why_no_contrast();
        let score = ui.add_enabled(why_not.is_none(), Button::new("Score"));
        if score.clicked() {
            contrast(ContrastCommand::Start);
        }
        if let Some(why_not) = why_not {
            score.on_disabled_hover_text(why_not);
        }
        let is_hidden = page.result.is_some() && !page.is_shown;
        if is_hidden && ui.button("Show").clicked() {
            contrast(ContrastCommand::Show);
        }
    });
}

/// Earlier evaluations, the newest first.
fn evaluations_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(EvaluateCommand)) {
    let page = &state.evaluate;
    for (number, done) in page.done.iter().enumerate().rev() {
        let systems = done.evaluation.comparison.systems.iter();
        let systems: Vec<&str> = systems.map(|system| system.name.as_str()).collect();
        let plural = if systems.len() == 1 { "" } else { "s" };
        let text = format!(
            "{}. {}, {} model{plural}",
            number + 1,
            done.evaluation.test,
            systems.len()
        );
        let is_shown = number == page.shown && page.judgement.is_none() && !page.contrast.is_shown;
        let entry = ui.add(Button::selectable(is_shown, text).truncate());
        if entry.on_hover_text(systems.join(", ")).clicked() {
            push(EvaluateCommand::ShowEvaluation(number));
        }
    }
}

fn start_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(EvaluateCommand)) {
    let page = &state.evaluate;
    let Some(running) = &page.running else {
        let why_not = state.evaluate.why_no_evaluation();
        let response = ui.horizontal(|ui| add_primary(ui, why_not.is_none(), "Evaluate"));
        let response = response.inner;
        if response.clicked() {
            push(EvaluateCommand::Start);
        }
        if let Some(why_not) = why_not {
            response.on_disabled_hover_text(why_not);
        }
        return;
    };
    let text = match running.progress {
        None => "Reading…".to_owned(),
        Some(progress) => format!(
            "Model {} of {}: {} of {} {}",
            progress.model + 1,
            progress.num_models,
            progress.done,
            progress.num,
            running.unit
        ),
    };
    ui.label(text);
    ui.add(ProgressBar::new(running.share()).desired_height(8.0));
    let left = running.remaining_secs();
    ui.horizontal(|ui| {
        let cancelling = running.control.is_cancelled();
        let label = if cancelling {
            "Cancelling…"
        } else {
            "Cancel"
        };
        if ui.add_enabled(!cancelling, Button::new(label)).clicked() {
            push(EvaluateCommand::Cancel);
        }
        if let Some(left) = left {
            let palette = Palette::from_ui(ui);
            let text = format!("{} left", duration(left));
            ui.label(RichText::new(text).size(12.5).color(palette.weak));
        }
    });
}
