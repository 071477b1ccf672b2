//! The survey of texts that are to become a corpus, before anything begins.

use egui::{CollapsingHeader, Grid, ProgressBar, RichText, Ui};

use crate::labels::count;
use crate::theme::{Palette, card, semibold};
use canopy_app::Command;
use canopy_app::training::{NewCorpus, SurveyState, TrainingCommand};
use canopy_chart::charts::thousands;
use canopy_corpus::survey::{DoubtfulPair, PairDefect, Survey};

/// The label of each kind of doubtful pair, and the fate of such pairs.
const DEFECTS: [(PairDefect, &str, &str); 5] = [
    (
        PairDefect::Identical,
        "with the same text in both languages",
        "context only",
    ),
    (
        PairDefect::Length,
        "with one side several times as long as the other",
        "",
    ),
    (
        PairDefect::Script,
        "written in the script of another language",
        "",
    ),
    (
        PairDefect::Alignment,
        "that do not seem to match",
        "context only",
    ),
    (PairDefect::Empty, "without a counterpart", "left out"),
];

/// The look under way, or what it found; `filled` is the form as it is being changed.
pub(super) fn found_ui(
    ui: &mut Ui,
    form: &NewCorpus,
    filled: &mut NewCorpus,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    match &form.survey {
        SurveyState::None => {}
        SurveyState::Running(_, _, share) => {
            ui.horizontal(|ui| {
                #[expect(clippy::cast_possible_truncation, reason = "a share of a bar")]
                let bar = ProgressBar::new(*share as f32)
                    .desired_width(260.0)
                    .desired_height(7.0)
                    .fill(palette.accent);
                ui.label(RichText::new("Checking its content").color(palette.weak));
                ui.add(bar);
                if ui.button("Skip").on_hover_text("Skips the check").clicked() {
                    commands.push(Command::Training(TrainingCommand::StopLooking));
                }
            });
            ui.add_space(14.0);
        }
        SurveyState::Failed(reason) => {
            ui.label(RichText::new(reason).color(palette.error));
            ui.add_space(4.0);
            again_ui(ui, commands);
            ui.add_space(14.0);
        }
        SurveyState::Found(survey) if form.found().is_some() => {
            card(ui, |ui| {
                ui.set_width(ui.available_width());
                survey_ui(ui, survey, filled);
            });
            ui.add_space(14.0);
        }
        SurveyState::Found(_) => {
            let text = "The languages have changed since the check.";
            ui.label(RichText::new(text).color(palette.weak));
            ui.add_space(4.0);
            again_ui(ui, commands);
            ui.add_space(14.0);
        }
    }
}

fn again_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    if ui.button("Look again").clicked() {
        commands.push(Command::Training(TrainingCommand::LookAgain));
    }
}

fn survey_ui(ui: &mut Ui, survey: &Survey, filled: &mut NewCorpus) {
    let palette = Palette::from_ui(ui);
    // Its rows are read, not clicked.
    ui.spacing_mut().interact_size.y = 20.0;
    ui.label(
        RichText::new("What is in it")
            .font(semibold(14.5))
            .color(palette.strong),
    );
    ui.add_space(4.0);
    Grid::new("found")
        .num_columns(2)
        .spacing([22.0, 7.0])
        .show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.label(RichText::new(name).color(palette.weak));
                ui.label(value);
                ui.end_row();
            };
            let (all, sure) = (thousands(survey.pairs), thousands(survey.sure()));
            let pairs = format!("{all}  ·  {sure} for training and scoring");
            row("Pairs", pairs);
            row("Documents", documents(survey));
            if !survey.languages.is_empty() {
                row("Languages", languages(survey));
            }
        });
    if let Some(sampled) = survey.sampled {
        let text = format!(
            "Pairs are those of {} that were checked.",
            count(sampled, "document")
        );
        ui.label(RichText::new(text).size(12.5).color(palette.weak));
    }
    ui.add_space(8.0);
    if survey.doubtful.is_empty() {
        ui.label(RichText::new("No pair looks doubtful.").color(palette.text));
        return;
    }
    ui.label(
        RichText::new("Doubtful")
            .font(semibold(13.5))
            .color(palette.strong),
    );
    defects_ui(ui, survey, filled, &palette);
}

fn defects_ui(ui: &mut Ui, survey: &Survey, filled: &mut NewCorpus, palette: &Palette) {
    let fate = |fate: &'static str| match fate {
        "" if filled.keeps_doubtful => "learned from",
        "" => "context only",
        fate => fate,
    };
    for (defect, about, becomes) in DEFECTS {
        let Some(&number) = survey.doubtful.get(&defect) else {
            continue;
        };
        let noun = if defect == PairDefect::Empty {
            "text"
        } else {
            "pair"
        };
        let text = format!("{} {about}", counted(number, noun));
        let mine = survey
            .examples
            .iter()
            .filter(|example| example.defect == defect);
        let mine: Vec<&DoubtfulPair> = mine.collect();
        let line = RichText::new(format!("{text}: {}", fate(becomes))).size(13.0);
        if mine.is_empty() {
            ui.horizontal(|ui| {
                ui.add_space(18.0);
                ui.label(line.color(palette.text));
            });
            continue;
        }
        CollapsingHeader::new(line.color(palette.text))
            .id_salt(about)
            .show(ui, |ui| examples_ui(ui, &mine, palette));
    }
    let has = |defect: PairDefect| survey.doubtful.contains_key(&defect);
    if has(PairDefect::Length) || has(PairDefect::Script) {
        ui.add_space(4.0);
        let label = "Learn from pairs of very different length or another script too";
        ui.checkbox(&mut filled.keeps_doubtful, label);
    }
}

fn examples_ui(ui: &mut Ui, examples: &[&DoubtfulPair], palette: &Palette) {
    for example in examples {
        for (text, color) in [
            (&example.source, palette.text),
            (&example.target, palette.weak),
        ] {
            let text = RichText::new(shortened(text)).size(12.5).color(color);
            ui.add(egui::Label::new(text).wrap());
        }
        ui.add_space(5.0);
    }
}

fn documents(survey: &Survey) -> String {
    let mut text = format!(
        "{}  ·  {} for tests and {} for development",
        thousands(survey.documents),
        thousands(survey.test_documents),
        thousands(survey.dev_documents)
    );
    if survey.unpaired_documents > 0 {
        let more = counted(survey.unpaired_documents, "document");
        text = format!("{text}  ·  {more} in one language only");
    }
    if survey.dev_documents == 0 {
        text += "  ·  too few documents for validation: no BLEU";
    }
    text
}

fn languages(survey: &Survey) -> String {
    let languages = survey.languages.iter();
    let languages = languages.map(|(language, texts)| format!("{language} {}", thousands(*texts)));
    languages.collect::<Vec<_>>().join("  ·  ")
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
