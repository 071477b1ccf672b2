//! Get models: what catalogues list between two languages, what is being downloaded, and the catalogues themselves.

use egui::{
    Align, Button, ComboBox, Frame, Label, Layout, Margin, ProgressBar, RichText, Ui, vec2,
};

use super::offers::offers_ui;
use crate::labels;
use crate::theme::{self, Palette, card, semibold};
use canopy_app::models::{Downloading, Getting, GettingCommand, Lists};
use canopy_app::{AppState, Command, ModelsCommand, language};
use canopy_translate::catalogue::DEFAULT_CATALOGUES;

/// View state of the page.
#[derive(Default)]
pub(super) struct GettingPanel {
    shows_catalogues: bool,
    address: String,
}

impl GettingPanel {
    pub(super) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let getting = &state.models.getting;
        let mut requests = Vec::new();
        self.head_ui(ui, &mut requests);
        if self.shows_catalogues {
            self.catalogues_ui(ui, state, &mut requests);
        }
        filter_ui(ui, getting, &mut requests);
        if let Some(downloading) = &getting.downloading {
            downloading_ui(ui, downloading, &mut requests);
        }
        failures_ui(ui, getting, &mut requests);
        match getting.lists {
            Lists::NotRead => not_read_ui(ui, &mut requests),
            Lists::Reading(_) if getting.look.models.is_empty() => reading_ui(ui),
            Lists::Reading(_) | Lists::Read => offers_ui(ui, state, &mut requests),
        }
        let requests = requests.into_iter().map(ModelsCommand::Get);
        commands.extend(requests.map(Command::Models));
    }

    fn head_ui(&mut self, ui: &mut Ui, requests: &mut Vec<GettingCommand>) {
        let palette = Palette::from_ui(ui);
        ui.horizontal(|ui| {
            ui.heading("Get models");
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.button("Done").clicked() {
                    requests.push(GettingCommand::Close);
                }
                let button = Button::selectable(self.shows_catalogues, "Catalogues…");
                if ui.add(button).clicked() {
                    self.shows_catalogues = !self.shows_catalogues;
                }
                if ui.button("Look again").clicked() {
                    requests.push(GettingCommand::Look);
                }
            });
        });
        let text = "Translation models that others publish. A model is downloaded from its publisher and computes on this machine.";
        ui.add(Label::new(RichText::new(text).color(palette.weak)).wrap());
        ui.add_space(10.0);
    }

    fn catalogues_ui(&mut self, ui: &mut Ui, state: &AppState, requests: &mut Vec<GettingCommand>) {
        let palette = Palette::from_ui(ui);
        card(ui, |ui| {
            ui.set_width(ui.available_width());
            for known in DEFAULT_CATALOGUES {
                let off = &state.shared.settings.catalogues_off;
                let mut on = !off.iter().any(|name| name == known.name);
                let address = RichText::new(known.address).size(12.0).color(palette.weak);
                ui.horizontal(|ui| {
                    if ui.checkbox(&mut on, known.title).changed() {
                        let name = known.name.to_owned();
                        requests.push(GettingCommand::Switch { name, on });
                    }
                    ui.add(Label::new(address).truncate());
                });
            }
            for own in &state.shared.settings.catalogues {
                ui.horizontal(|ui| {
                    if ui.button("Remove").clicked() {
                        requests.push(GettingCommand::Remove(own.clone()));
                    }
                    ui.add(Label::new(own).truncate());
                });
            }
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                let field = theme::text_field(ui, &mut self.address)
                    .hint_text("https://…, a file or a folder")
                    .desired_width(360.0);
                ui.add(field).accessible_name("Address of a catalogue");
                let button = Button::new("Add a catalogue").min_size(vec2(0.0, 29.0));
                let is_there = !self.address.trim().is_empty();
                if ui.add_enabled(is_there, button).clicked() {
                    requests.push(GettingCommand::Add(std::mem::take(&mut self.address)));
                }
            });
        });
        ui.add_space(12.0);
    }
}

/// Between which languages models are shown.
fn filter_ui(ui: &mut Ui, getting: &Getting, requests: &mut Vec<GettingCommand>) {
    let palette = Palette::from_ui(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        ui.label(RichText::new("From").color(palette.weak));
        let from = language_ui(ui, "From", getting, true);
        ui.label(RichText::new("to").color(palette.weak));
        let to = language_ui(ui, "To", getting, false);
        requests.extend(from.map(GettingCommand::From));
        requests.extend(to.map(GettingCommand::To));
        let is_reading = matches!(getting.lists, Lists::Reading(_));
        ui.add_space(8.0);
        if is_reading {
            ui.add(egui::Spinner::new().size(14.0).color(palette.accent));
            ui.label(RichText::new("Reading the catalogues").color(palette.weak));
        } else if getting.lists == Lists::Read {
            let text = labels::count(getting.shown().len(), "model");
            ui.label(RichText::new(text).color(palette.weak));
        }
    });
    ui.add_space(10.0);
}

/// A menu of languages; some other one if it was chosen.
#[expect(
    clippy::option_option,
    reason = "whether something was chosen, and whether that is a language"
)]
fn language_ui(
    ui: &mut Ui,
    name: &str,
    getting: &Getting,
    is_source: bool,
) -> Option<Option<String>> {
    let current = if is_source {
        &getting.from
    } else {
        &getting.to
    };
    let any = "Any language";
    let shown = current
        .as_deref()
        .map_or_else(|| any.to_owned(), language::name);
    let combo = ComboBox::from_id_salt(name)
        .width(170.0)
        .height(380.0)
        .selected_text(shown);
    let mut chosen = None;
    let response = combo.show_ui(ui, |ui| {
        if ui.selectable_label(current.is_none(), any).clicked() {
            chosen = Some(None);
        }
        for (code, name) in getting.languages(is_source) {
            let is_current = current.as_deref() == Some(&code);
            if ui.selectable_label(is_current, name).clicked() {
                chosen = Some(Some(code));
            }
        }
    });
    response.response.accessible_name(name);
    chosen
}

fn downloading_ui(ui: &mut Ui, downloading: &Downloading, requests: &mut Vec<GettingCommand>) {
    let palette = Palette::from_ui(ui);
    let progress = downloading.progress;
    Frame::NONE
        .fill(palette.selected)
        .corner_radius(10)
        .inner_margin(Margin::symmetric(18, 14))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            let title = RichText::new(format!("Downloading {}", downloading.model.name));
            ui.label(title.font(semibold(14.5)).color(palette.strong));
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                ui.visuals_mut().extreme_bg_color = palette.line;
                let bar = ProgressBar::new(progress.share().unwrap_or(0.0))
                    .desired_width(320.0)
                    .desired_height(7.0)
                    .fill(palette.accent);
                ui.add(bar);
                let is_cancelled = downloading.control.is_cancelled();
                let label = if is_cancelled {
                    "Cancelling…"
                } else {
                    "Cancel"
                };
                if ui.add_enabled(!is_cancelled, Button::new(label)).clicked() {
                    requests.push(GettingCommand::Cancel);
                }
            });
            let line = RichText::new(progress_line(downloading)).size(12.5);
            ui.label(line.color(palette.weak));
        });
    ui.add_space(12.0);
}

/// `12.3 of 22.4 MB · 3.1 MB/s · 4 s left`.
#[expect(clippy::cast_precision_loss, reason = "bytes become f64")]
fn progress_line(downloading: &Downloading) -> String {
    let progress = downloading.progress;
    if progress.is_checking {
        return "Checking the download".to_owned();
    }
    if progress.done == 0 {
        return format!("Connecting to {}", downloading.model.catalogue);
    }
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
    let mut line = match progress.total {
        Some(total) => format!("{} of {} MB", megabytes(progress.done), megabytes(total)),
        None => format!("{} MB", megabytes(progress.done)),
    };
    if progress.speed > 0.0 {
        line = format!("{line}  ·  {:.1} MB/s", progress.speed / 1e6);
    }
    if let Some(left) = progress.seconds_left() {
        line = format!("{line}  ·  {}", time_left(left));
    }
    line
}

/// `12 s left`, `3 min left`.
fn time_left(secs: f64) -> String {
    if secs < 90.0 {
        format!("{secs:.0} s left")
    } else if secs < 5400.0 {
        format!("{:.0} min left", secs / 60.0)
    } else {
        format!("{:.1} h left", secs / 3600.0)
    }
}

/// The download that failed, and catalogues that gave no list.
fn failures_ui(ui: &mut Ui, getting: &Getting, requests: &mut Vec<GettingCommand>) {
    let palette = Palette::from_ui(ui);
    if let Some((name, reason)) = &getting.failure {
        Frame::NONE
            .stroke((1.0, palette.error))
            .corner_radius(8)
            .inner_margin(Margin::symmetric(14, 10))
            .show(ui, |ui| {
                ui.set_width(ui.available_width());
                ui.horizontal(|ui| {
                    let title = RichText::new(format!("{name} is not installed"));
                    ui.label(title.font(semibold(13.5)).color(palette.error));
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        let close = Button::new("Close").frame_when_inactive(false);
                        if ui.add(close).clicked() {
                            requests.push(GettingCommand::DismissFailure);
                        }
                    });
                });
                ui.add(Label::new(RichText::new(reason).color(palette.text)).wrap());
            });
        ui.add_space(12.0);
    }
    let failed = getting
        .look
        .failed
        .iter()
        .map(|(name, error)| (name.clone(), error.to_string()));
    for (name, reason) in failed {
        let text = RichText::new(format!("{name} gave no list: {reason}")).size(12.5);
        ui.add(Label::new(text.color(palette.warning)).truncate())
            .on_hover_text(reason);
    }
    if !getting.look.failed.is_empty() {
        ui.add_space(8.0);
    }
}

fn not_read_ui(ui: &mut Ui, requests: &mut Vec<GettingCommand>) {
    ui.add_space(30.0);
    ui.vertical_centered(|ui| {
        if ui.add(theme::primary(ui, "Look for models")).clicked() {
            requests.push(GettingCommand::Look);
        }
    });
}

fn reading_ui(ui: &mut Ui) {
    let palette = Palette::from_ui(ui);
    ui.add_space(60.0);
    ui.vertical_centered(|ui| {
        ui.label(RichText::new("The lists of all catalogues are being read.").color(palette.weak));
    });
}
