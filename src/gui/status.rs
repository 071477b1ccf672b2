//! The bar at the bottom: what runs, how fast, how far the document is, and with which model.

use egui::{Align, Id, Label, Layout, ProgressBar, RichText, Role, Sense, Ui, WidgetInfo, vec2};

use super::theme::Palette;
use super::{icons, labels};
use canopy_app::jobs::State;
use canopy_app::progress::{Preparation, Progress, duration};
use canopy_app::{AppState, Command, Counts, Filter, GoCommand, ModelState, Page, WindowCommand};
use canopy_chart::charts::thousands;

pub(crate) fn status_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    ui.horizontal_centered(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 14.0;
            model_ui(ui, state, &palette);
            if let Some(document) = &state.document.editing.open {
                ui.separator();
                counts_ui(ui, document.progress.counts(), &palette, commands);
            }
            // Last, since it can do with less.
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                phase_ui(ui, state, &palette);
            });
        });
    });
}

fn text(text: impl Into<String>, palette: &Palette) -> RichText {
    RichText::new(text).size(12.5).color(palette.weak)
}

fn phase_ui(ui: &mut Ui, state: &AppState, palette: &Palette) {
    if let Some(running) = &state.document.translations.running {
        let progress = &running.progress;
        #[expect(clippy::cast_precision_loss, reason = "sentence counts become f32")]
        let share = |(_, done, num): (Preparation, usize, usize)| done as f32 / num.max(1) as f32;
        let fraction = running.preparing.map_or(progress.fraction(), share);
        let bar = ProgressBar::new(fraction)
            .desired_width(140.0)
            .desired_height(6.0)
            .fill(palette.accent);
        ui.scope(|ui| {
            ui.visuals_mut().extreme_bg_color = palette.line;
            ui.add(bar);
        });
        let phase = if running.control.is_cancelled() {
            "Cancelling"
        } else {
            "Translating"
        };
        if let (Some((what, done, num)), false) =
            (running.preparing, running.control.is_cancelled())
        {
            let what = match what {
                Preparation::Adapting => "Adapting to similar sentences",
                Preparation::Drafting => "First pass over the document",
            };
            phrase_ui(ui, format!("{what}, {done} of {num}"), palette);
            return;
        }
        let mut parts = vec![format!(
            "{phase} {} of {}",
            progress.done_sentences, progress.num_sentences
        )];
        parts.extend(
            progress
                .remaining_secs()
                .map(|secs| format!("{} left", duration(secs))),
        );
        parts.extend(rates(progress));
        phrase_ui(ui, parts.join("  ·  "), palette);
        return;
    }
    let phase = if let Some((_, path)) = &state.document.opening {
        format!("Opening {}", super::menu::file_name(path))
    } else if state.document.translations.is_waiting_for_model() {
        "Opening the model, then the translation starts".to_owned()
    } else if matches!(state.models.in_use.current, ModelState::Opening { .. }) {
        "Opening the model".to_owned()
    } else if state.document.saving.is_running() {
        "Saving".to_owned()
    } else {
        let last = state
            .document
            .translations
            .last_progress
            .as_ref()
            .and_then(rates);
        let ready = last.map_or_else(|| "Ready".to_owned(), |rates| format!("Ready  ·  {rates}"));
        phrase_ui(ui, ready, palette);
        return;
    };
    ui.add(egui::Spinner::new().size(12.0).color(palette.accent));
    phrase_ui(ui, phase, palette);
}

/// A line as far as there is room for it.
fn phrase_ui(ui: &mut Ui, phrase: String, palette: &Palette) {
    ui.add(Label::new(text(phrase, palette)).truncate());
}

fn rates(progress: &Progress) -> Option<String> {
    let (sentences, words) = progress.rates()?;
    Some(format!("{sentences:.1} sentences/s, {words:.0} words/s"))
}

/// Sentences by their states; a click shows those alone.
fn counts_ui(ui: &mut Ui, counts: Counts, palette: &Palette, commands: &mut Vec<Command>) {
    // Right to left, so the last one first.
    for state in [
        State::Confirmed,
        State::Edited,
        State::Draft,
        State::Untranslated,
    ] {
        let response = ui.scope(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            ui.label(text(counts.get(state).to_string(), palette));
            let (rect, _) = ui.allocate_exact_size(vec2(14.0, 16.0), egui::Sense::hover());
            icons::state(ui.painter(), rect.center(), state, palette);
        });
        let label = format!(
            "{} {}",
            counts.get(state),
            Filter::State(state).label().to_lowercase()
        );
        let response = ui.interact(
            response.response.rect.expand2(vec2(3.0, 0.0)),
            Id::unique("count").with(labels::state(state)),
            Sense::click(),
        );
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        if response.clicked() && counts.get(state) > 0 {
            commands.push(WindowCommand::ShowPage(Page::Document).into());
            commands.push(GoCommand::Filter(Some(Filter::State(state))).into());
        }
        response
            .on_hover_cursor(egui::CursorIcon::PointingHand)
            .on_hover_text(format!("{label}: click to show these alone"));
    }
}

fn memory_ui(ui: &mut Ui, state: &AppState, palette: &Palette) {
    if let (Some(pairs), Some(path)) = (state.models.memory_pairs, &state.shared.settings.memory) {
        let memory = format!("memory of {} pairs", thousands(pairs));
        let hint = format!("{}\n{}", path.display(), labels::MEMORY);
        ui.label(text(memory, palette)).on_hover_text(hint);
    }
}

fn model_ui(ui: &mut Ui, state: &AppState, palette: &Palette) {
    match &state.models.in_use.current {
        ModelState::Open {
            info, device_name, ..
        } => {
            ui.label(text(device_name.as_str(), palette));
            memory_ui(ui, state, palette);
            ui.label(text(info.name.as_str(), palette))
                .on_hover_text(format!(
                    "{}\n{} thousand parameters\n{} to {}",
                    info.folder.display(),
                    info.num_parameters / 1000,
                    canopy_app::language::name(&info.source_language),
                    canopy_app::language::name(&info.target_language),
                ));
        }
        ModelState::Opening { folder, .. } => {
            ui.label(text(super::menu::file_name(folder), palette));
        }
        ModelState::None => {
            ui.label(text("No model", palette));
        }
    }
}
