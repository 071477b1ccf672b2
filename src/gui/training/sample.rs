//! The sample run on the training page: how it is offered, and what to look for while it runs.

use egui::{Align, Button, Layout, RichText, Sense, Ui, UiBuilder, vec2};

use crate::icons;
use crate::theme::{Palette, add_primary, card, primary, semibold};
use canopy_app::jobs::State;
use canopy_app::training::{NounScores, Sample, SampleStage, TrainingCommand};
use canopy_app::{AppState, Command};

const WIDTH: f32 = 800.0;
const HEIGHT: f32 = 182.0;
const GAP: f32 = 18.0;

/// Label of the button that begins it, wherever it is.
pub(crate) const TRY: &str = "Try a sample run";

const STEPS: [&str; 4] = [
    "Tales written",
    "Sentence by sentence",
    "Whole document",
    "Compared",
];

/// Before the first run: two ways to begin, side by side.
pub(super) fn ways_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let area = ui.available_rect_before_wrap();
    let width = WIDTH.min(area.width() - 48.0);
    let top = ui.cursor().top();
    let left = area.center().x - width / 2.0;
    let each = (width - GAP) / 2.0;
    let place = |number: f32| {
        let corner = egui::pos2(left + number * (each + GAP), top);
        UiBuilder::new()
            .max_rect(egui::Rect::from_min_size(corner, vec2(each, HEIGHT)))
            .layout(Layout::top_down(Align::Min))
    };
    ui.scope_builder(place(0.0), |ui| {
        way_ui(
            ui,
            "See how a model learns",
            "In a made-up language, the endings of nouns depend on another sentence of the document. Two small models \
             learn it in a minute or two: one reads sentence by sentence, the other the whole document.",
            |ui| {
                let button = primary(ui, TRY);
                if ui.add(button).clicked() {
                    commands.push(Command::Training(TrainingCommand::TrySample));
                }
            },
        );
    });
    ui.scope_builder(place(1.0), |ui| {
        way_ui(
            ui,
            "Train on your own documents",
            "They stay on this machine. Drop a translation memory (TMX), a table (TSV) or two folders of documents \
             here: you see what is in them before anything begins.",
            |ui| {
                for (label, command) in [
                    ("Choose files…", TrainingCommand::NewCorpus),
                    ("New run…", TrainingCommand::NewRun),
                ] {
                    let button = Button::new(label).min_size(vec2(110.0, 31.0));
                    if ui.add(button).clicked() {
                        commands.push(Command::Training(command));
                    }
                }
            },
        );
    });
}

fn way_ui(ui: &mut Ui, title: &str, text: &str, buttons: impl FnOnce(&mut Ui)) {
    let palette = Palette::from_ui(ui);
    card(ui, |ui| {
        ui.set_min_size(ui.available_size());
        ui.label(
            RichText::new(title)
                .font(semibold(15.0))
                .color(palette.strong),
        );
        ui.add_space(2.0);
        ui.label(RichText::new(text).color(palette.text));
        ui.with_layout(Layout::bottom_up(Align::Min), |ui| {
            ui.horizontal(buttons);
        });
    });
}

/// The present step of the sample run, and where to look.
pub(super) fn tour_ui(ui: &mut Ui, state: &AppState, sample: &Sample, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let share = sample.learning().and_then(|number| {
        let run = state.training.runs.get(sample.runs.get(number)?)?;
        run.summary.share()
    });
    egui::Frame::NONE
        .fill(palette.selected)
        .corner_radius(10)
        .inner_margin(egui::Margin::symmetric(16, 11))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                steps_ui(ui, sample, share.unwrap_or(0.0), &palette);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    buttons_ui(ui, state, sample, commands);
                });
            });
            ui.add_space(3.0);
            let waits = state.training.runs.queue.first();
            let waits = waits.is_some_and(|first| !sample.has_run(&first.folder));
            let text = if waits && matches!(sample.stage, SampleStage::Learning) {
                "It starts when the runs before it have ended.".to_owned()
            } else {
                explanation(sample)
            };
            ui.label(RichText::new(text).color(palette.text));
        });
}

fn steps_ui(ui: &mut Ui, sample: &Sample, share: f32, palette: &Palette) {
    let now = match &sample.stage {
        SampleStage::Writing(..) => 0,
        SampleStage::Learning => 1 + sample.learning().unwrap_or(0),
        SampleStage::Learned | SampleStage::Comparing(_) => 3,
        SampleStage::Compared(_) => 4,
        SampleStage::Stopped => usize::MAX,
    };
    ui.label(
        RichText::new("Sample run")
            .font(semibold(14.0))
            .color(palette.strong),
    );
    ui.add_space(10.0);
    for (number, step) in STEPS.iter().enumerate() {
        let (place, _) = ui.allocate_exact_size(vec2(14.0, 18.0), Sense::hover());
        let is_done = now != usize::MAX && number < now;
        if is_done {
            icons::state(ui.painter(), place.center(), State::Confirmed, palette);
        } else if number == now {
            let share = if (1..3).contains(&now) { share } else { 0.5 };
            icons::ring(ui.painter(), place.center(), (share, 0.0), palette);
        } else {
            icons::state(ui.painter(), place.center(), State::Untranslated, palette);
        }
        let text = RichText::new(*step).size(12.5);
        ui.label(if number == now {
            text.font(semibold(12.5)).color(palette.strong)
        } else {
            text.color(palette.weak)
        });
        ui.add_space(6.0);
    }
}

fn buttons_ui(ui: &mut Ui, state: &AppState, sample: &Sample, commands: &mut Vec<Command>) {
    let mut push = |command| commands.push(Command::Training(command));
    match &sample.stage {
        SampleStage::Writing(..) | SampleStage::Learning | SampleStage::Comparing(_) => {
            let button = ui.add(plain("Stop the sample"));
            if button
                .on_hover_text("Ends both runs at once; they can be deleted or resumed")
                .clicked()
            {
                push(TrainingCommand::StopSample);
            }
        }
        SampleStage::Learned => {
            let is_free = state.evaluate.running.is_none();
            let button = add_primary(ui, is_free, "Compare both");
            let button = button.on_disabled_hover_text("An evaluation is under way.");
            if button.clicked() {
                push(TrainingCommand::CompareSample);
            }
        }
        SampleStage::Compared(_) => {
            if ui.add(plain("Close")).clicked() {
                push(TrainingCommand::CloseSample);
            }
            if ui.add(primary(ui, "See both side by side")).clicked() {
                push(TrainingCommand::ShowSample);
            }
        }
        SampleStage::Stopped => {
            if ui.add(plain("Close")).clicked() {
                push(TrainingCommand::CloseSample);
            }
            if ui.add(plain("Try again")).clicked() {
                push(TrainingCommand::TrySample);
            }
        }
    }
}

/// As high as the label of the one that matters, next to it.
fn plain(label: &str) -> Button<'_> {
    Button::new(label).min_size(vec2(70.0, 31.0))
}

fn explanation(sample: &Sample) -> String {
    let text = match (&sample.stage, sample.learning()) {
        (SampleStage::Writing(..), _) => {
            "Tales of six animals are written in English and in a language that Canopy made up."
        }
        (_, Some(0)) => {
            "Every noun ends in -a, -o or -i, depending on a title in another sentence of the tale. This model reads one sentence at a time: watch BLEU stop rising where nouns are guessed, right in one case of three."
        }
        (_, Some(_)) => {
            "This model reads the whole tale through a tree of its sentences. At first it guesses too. Once it has learned where to look, its BLEU overtakes that of the first model."
        }
        (SampleStage::Learned, _) => {
            "Both have learned. Compare them on tales that neither has seen."
        }
        (SampleStage::Comparing(_), _) => {
            "Both translate 50 tales that neither has seen, with animals under titles they did not have in training."
        }
        (SampleStage::Compared(_), _) => return noun_scores(&sample.nouns),
        (SampleStage::Stopped, _) | (SampleStage::Learning, None) => {
            "It was stopped. Its runs stay in the list, where they can be resumed or deleted."
        }
    };
    text.to_owned()
}

/// Such as `Nouns right in new tales: 34 % sentence by sentence, 99 % with the whole document; a guess is right in 33 %.`
fn noun_scores(nouns: &[NounScores]) -> String {
    match nouns {
        [alone, whole] => format!(
            "Endings of nouns right in tales that neither has seen: {} sentence by sentence, {} with the whole document. A \
             guess is right in 33 %.",
            percent(alone),
            percent(whole)
        ),
        _ => String::new(),
    }
}

/// The share of a model's nouns, in whole percent.
pub(crate) fn percent(nouns: &NounScores) -> String {
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let share = 100.0 * nouns.right as f64 / nouns.all.max(1) as f64;
    format!("{share:.0} %")
}
