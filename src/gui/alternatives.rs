//! Other translations of the selected sentence, and where they differ from the present one.

use egui::{Align, Button, Label, Layout, RichText, ScrollArea, Sense, Spinner, Ui, vec2};

use super::icons;
use super::labels::{self, capitalised};
use super::listed_row::{BUTTON, cell, end_ui, row, share_ui, text_ui};
use super::segment_history::readable_changes;
use super::shortcuts::hint_with_key;
use super::theme::Palette;
use canopy_app::document::alternatives::Search;
use canopy_app::jobs::JobId;
use canopy_app::progress::{Preparation, duration};
use canopy_app::{AlternativesCommand, AlternativesState, AppState, Command, OpenDocument, Shared};
use canopy_chart::charts::thousands;
use canopy_document::changes::Part;
use canopy_document::placeholder::stripped;
use canopy_translate::inference::{Flag, Translation};

/// The rows last shown; kept until the list, or the translation, is another one.
#[derive(Default)]
pub(crate) struct AlternativesPanel {
    of: Option<(JobId, String)>,
    rows: Vec<Row>,
}

struct Row {
    /// How likely it is to be good.
    percent: String,
    hint: String,
    /// Its warnings, a line each.
    warnings: String,
    /// Its text, in which words that the translation lacks are marked.
    parts: Vec<(Part, String)>,
    is_present: bool,
}

impl AlternativesPanel {
    /// The list as far as it is no higher than `most`, below its head.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        state: &AppState,
        (document, most): (&OpenDocument, f32),
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let alternatives = &state.document.alternatives;
        let present = document
            .selected
            .map(|it| document.target(it).text.as_str());
        self.follow(alternatives.found_by(), alternatives.list(), present);
        head_ui(
            ui,
            state,
            self.rows.iter().any(|row| !row.is_present),
            commands,
        );
        if let AlternativesState::Failed(reason) = &alternatives.state {
            ui.horizontal_wrapped(|ui| {
                ui.add_space(14.0);
                ui.label(RichText::new(capitalised(reason)).color(palette.error));
            });
        }
        if self.rows.is_empty() {
            return;
        }
        ScrollArea::vertical()
            .auto_shrink([false, true])
            .max_height(most)
            // Else no higher than the panel was in the last frame.
            .min_scrolled_height(most)
            .id_salt("alternatives")
            .show(ui, |ui| {
                for (place, row) in self.rows.iter().enumerate() {
                    ui.add_space(4.0);
                    row.ui(ui, place, &palette, commands);
                }
            });
    }

    fn follow(&mut self, found_by: Option<JobId>, list: &[Translation], present: Option<&str>) {
        let (Some(job), Some(present), false) = (found_by, present, list.is_empty()) else {
            (self.of, self.rows) = (None, Vec::new());
            return;
        };
        let is_same = |(known, text): &(JobId, String)| *known == job && text == present;
        if self.of.as_ref().is_some_and(is_same) {
            return;
        }
        self.rows = list.iter().map(|it| Row::new(it, present)).collect();
        self.of = Some((job, present.to_owned()));
    }
}

/// The line above the list: what it is, what can be done, and what is under way as far as there is room for it.
fn head_ui(ui: &mut Ui, state: &AppState, has_others: bool, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let small = |text: &str| RichText::new(text).size(12.5).color(palette.weak);
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        ui.label(small("Alternatives of the sentence"));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(14.0);
            buttons_ui(ui, state, commands);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let alternatives = &state.document.alternatives;
                let status = match &alternatives.state {
                    AlternativesState::Running(search) => {
                        ui.add(Spinner::new().size(12.0).color(palette.accent));
                        progress(search, &state.shared)
                    }
                    AlternativesState::Found(found) if !has_others => why_none(found).to_owned(),
                    AlternativesState::Found(_) => format!("by {}", alternatives.model()),
                    AlternativesState::None => {
                        let reason = state.document.why_no_alternatives(&state.models);
                        reason.unwrap_or("Not searched for yet").to_owned()
                    }
                    AlternativesState::Failed(_) => return,
                };
                ui.label(small("·"));
                ui.add(Label::new(small(&status)).truncate());
            });
        });
    });
}

/// Buttons from the right: the list is closed, a search ended or begun.
fn buttons_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let mut push = |command| commands.push(Command::from(command));
    let close = ui.add(Button::new("Close").small());
    if close.on_hover_text("Closes the list (Esc)").clicked() {
        push(AlternativesCommand::Close);
    }
    match state.document.alternatives.state {
        AlternativesState::Running(_) => {
            if ui.add(Button::new("Stop").small()).clicked() {
                push(AlternativesCommand::Stop);
            }
        }
        AlternativesState::None | AlternativesState::Failed(_) => {
            let reason = state.document.why_no_alternatives(&state.models);
            let find = AlternativesCommand::Find;
            let hint = "Searches for other translations";
            let hint = hint_with_key(ui, hint, &Command::from(find.clone()));
            let button = Button::new("Find alternatives").small();
            let button = ui.add_enabled(reason.is_none(), button);
            let button = button.on_hover_text(hint);
            let button = button.on_disabled_hover_text(reason.unwrap_or_default());
            if button.clicked() {
                push(find);
            }
        }
        AlternativesState::Found(_) => {}
    }
}

/// How far a search is.
fn progress(search: &Search, shared: &Shared) -> String {
    let mut parts = vec![match search.preparing {
        Some((what, done, num)) => {
            let what = match what {
                Preparation::Adapting => "Adapting to similar sentences",
                Preparation::Drafting => "First pass over the document",
            };
            format!("{what}, {done} of {num}")
        }
        None => "Searching".to_owned(),
    }];
    if search.tokens > 0 {
        parts.push(format!("{} tokens", thousands(search.tokens)));
    }
    parts.push(duration(search.secs(shared)));
    parts.join("  ·  ")
}

/// Why a search has found no other translation.
fn why_none(found: &[Translation]) -> &'static str {
    let own = found.first();
    let has = |flag: Flag| own.is_some_and(|own| own.flags.contains(&flag));
    if has(Flag::Memory) {
        "The sentence is in the translation memory: the model does not translate it"
    } else if has(Flag::Split) {
        "The sentence is too long for the model, which translates it in parts: they have none"
    } else if own.is_some_and(|own| own.num_tokens == 0) {
        "There is nothing to translate in this sentence"
    } else {
        "The model has found no other translation"
    }
}

impl Row {
    fn new(one: &Translation, present: &str) -> Self {
        let (text, present) = (stripped(&one.text), stripped(present));
        let confidence = one.confidence();
        let percent = confidence.map(|share| format!("{:.0} %", share * 100.0));
        #[expect(clippy::cast_precision_loss, reason = "of a sentence's tokens")]
        let mean = one.log_prob / one.num_tokens.max(1) as f32;
        let hint = percent.as_ref().map(|percent| {
            format!("{percent} likely to be good\nMean log-probability of a token: {mean:.2}")
        });
        let warnings = one.flags.iter().filter(|flag| flag.warns());
        let warnings: Vec<&str> = warnings.map(|flag| labels::flag(*flag)).collect();
        let is_present = text == present;
        let parts = match present.trim() {
            "" => vec![(Part::Same, text)],
            _ => replaced(readable_changes(&present, &text)),
        };
        Self {
            percent: percent.unwrap_or_default(),
            hint: hint.unwrap_or_default(),
            warnings: warnings.join("\n"),
            parts,
            is_present,
        }
    }

    fn ui(&self, ui: &mut Ui, place: usize, palette: &Palette, commands: &mut Vec<Command>) {
        row(ui, |ui, columns| {
            let first = columns.source.min;
            share_ui(ui, first, (&self.percent, &self.hint), palette);
            let mark = if self.warnings.is_empty() { 0.0 } else { 20.0 };
            cell(ui, mark, |ui| {
                if mark > 0.0 {
                    let (rect, response) = ui.allocate_exact_size(vec2(14.0, 17.0), Sense::hover());
                    icons::warning(ui.painter(), rect.center(), palette.warning);
                    response.on_hover_text(&self.warnings);
                }
            });
            let width = columns.target.max - first - mark - BUTTON;
            text_ui(ui, width.max(80.0), &self.parts, palette);
            end_ui(ui, |ui| self.button_ui(ui, place, palette, commands));
        });
    }

    fn button_ui(&self, ui: &mut Ui, place: usize, palette: &Palette, commands: &mut Vec<Command>) {
        if self.is_present {
            ui.label(RichText::new("current").size(12.0).color(palette.weak));
            return;
        }
        let take = Command::from(AlternativesCommand::Use(place));
        let hint = "Puts it in place of the translation; Undo brings that back";
        let hint = hint_with_key(ui, hint, &take);
        let button = Button::new(format!("Use {}", place + 1)).small();
        if ui.add(button).on_hover_text(hint).clicked() {
            commands.push(take);
        }
    }
}

/// Changes without the removed words that added ones replace, so that the text can be read; words removed without a replacement
/// stay, struck through.
fn replaced(parts: Vec<(Part, String)>) -> Vec<(Part, String)> {
    let is_added = |place: Option<usize>| {
        let part = place.and_then(|place| parts.get(place));
        part.is_some_and(|(part, _)| *part == Part::Added)
    };
    let places = parts.iter().enumerate();
    let is_read = |(place, (part, _)): &(usize, &(Part, String))| {
        let has_other = is_added(place.checked_sub(1)) || is_added(Some(place + 1));
        *part != Part::Removed || !has_other
    };
    let kept = places.filter(is_read);
    kept.map(|(_, part)| part.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_document::changes::changes;

    #[test]
    fn words_that_others_replace_are_left_out_and_those_that_are_gone_stay() {
        let shown = |before: &str, after: &str| {
            let parts = replaced(changes(before, after)).into_iter();
            let shown = parts.map(|(part, text)| match part {
                Part::Same => text,
                Part::Added => format!("+{text}+"),
                Part::Removed => format!("-{text}-"),
            });
            shown.collect::<String>()
        };
        assert_eq!(
            shown("Die Datei öffnen.", "Die Akte öffnen."),
            "Die +Akte+ öffnen."
        );
        assert_eq!(shown("the other users", "the users"), "the -other -users");
    }
}
