//! The texts that the selected sentence has had, the newest first.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{Align, Button, FontId, Layout, RichText, ScrollArea, Stroke, TextFormat, Ui, vec2};
use jiff::tz::TimeZone;

use super::theme::Palette;
use super::{labels, typeset};
use canopy_app::jobs::{Origin, Version};
use canopy_app::{Command, EditCommand, OpenDocument};
use canopy_document::changes::{Part, changes};
use canopy_document::document::Document;
use canopy_document::placeholder::stripped;

/// Width of what is before a text.
const HEAD: f32 = 290.0;
/// Width of the button behind it.
const BUTTON: f32 = 74.0;

/// The rows last shown; kept until the sentence or its versions change.
#[derive(Default)]
pub(crate) struct HistoryPanel {
    of: Option<(Arc<Document>, usize, u32)>,
    rows: Vec<Row>,
}

struct Row {
    version: usize,
    /// When it came, and where from.
    head: String,
    hint: String,
    /// Parts that it has in place of the text before.
    parts: Vec<(Part, String)>,
    is_present: bool,
}

impl HistoryPanel {
    pub(crate) fn ui(&mut self, ui: &mut Ui, document: &OpenDocument, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        let small = |text: &str| RichText::new(text).size(12.5).color(palette.weak);
        let selected = document.selected;
        if let Some(sentence) = selected {
            self.follow(document, sentence);
        }
        let is_empty = selected.is_none() || self.rows.is_empty();
        ui.horizontal(|ui| {
            ui.add_space(14.0);
            ui.label(small("History of the sentence"));
            if is_empty {
                ui.label(small("·"));
                ui.label(small(match selected {
                    Some(_) => "It has no earlier translations",
                    None => "Select a sentence",
                }));
            }
        });
        let Some(sentence) = selected else { return };
        ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("history")
            .show(ui, |ui| {
                for row in &self.rows {
                    ui.add_space(4.0);
                    row.ui(ui, sentence, &palette, commands);
                }
            });
    }

    fn follow(&mut self, open: &OpenDocument, sentence: usize) {
        let (document, revision) = (&open.document, open.targets.revision(sentence));
        let is_same = self.of.as_ref().is_some_and(|(known, of, at)| {
            Arc::ptr_eq(known, document) && (*of, *at) == (sentence, revision)
        });
        if is_same {
            return;
        }
        self.of = Some((Arc::clone(document), sentence, revision));
        let history = open.targets.history(sentence);
        let text = |version: &Version| stripped(&version.text);
        let row = |(number, version): (usize, &Version)| {
            let before = number.checked_sub(1).map(|before| text(&history[before]));
            let present = open.target(sentence);
            Row {
                version: number,
                head: head(version),
                hint: hint(version),
                parts: match before {
                    Some(before) => readable_changes(&before, &text(version)),
                    None => vec![(Part::Same, text(version))],
                },
                is_present: version.text == present.text,
            }
        };
        self.rows = history.iter().enumerate().map(row).rev().collect();
    }
}

impl Row {
    fn ui(&self, ui: &mut Ui, sentence: usize, palette: &Palette, commands: &mut Vec<Command>) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(14.0);
            let mut cell = |width: f32, content: &mut dyn FnMut(&mut Ui)| {
                let layout = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
                    ui.set_width(width);
                    content(ui);
                });
            };
            cell(HEAD, &mut |ui| {
                let head = RichText::new(&self.head).size(12.5).color(palette.weak);
                ui.label(head).on_hover_text(&self.hint);
            });
            let width = (ui.available_width() - BUTTON - 14.0).max(80.0);
            let mut cell = |width: f32, content: &mut dyn FnMut(&mut Ui)| {
                let layout = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
                    ui.set_width(width);
                    content(ui);
                });
            };
            cell(width, &mut |ui| {
                let mut job = marked(&self.parts, palette);
                job.wrap.max_width = ui.available_width();
                ui.label(typeset::galley(ui, typeset::Text::new(job)));
            });
            cell(BUTTON, &mut |ui| {
                let layout = Layout::right_to_left(Align::Min);
                ui.with_layout(layout, |ui| {
                    if self.is_present {
                        let there = RichText::new("current").size(12.0);
                        ui.label(there.color(palette.weak));
                    } else if !self.text().trim().is_empty()
                        && ui.add(Button::new("Use this").small()).clicked()
                    {
                        commands.push(
                            EditCommand::UseVersion {
                                sentence,
                                version: self.version,
                            }
                            .into(),
                        );
                    }
                });
            });
        });
    }

    fn text(&self) -> String {
        let parts = self.parts.iter().filter(|(part, _)| *part != Part::Removed);
        parts.map(|(_, text)| text.as_str()).collect()
    }
}

/// Where two texts differ, word by word; one part where most of them does: such a mixture is unreadable.
pub(crate) fn readable_changes(before: &str, after: &str) -> Vec<(Part, String)> {
    let parts = changes(before, after);
    let letters = |text: &str| text.chars().filter(|it| it.is_alphanumeric()).count();
    let same = parts.iter().filter(|(part, _)| *part == Part::Same);
    let same: usize = same.map(|(_, text)| letters(text)).sum();
    if 2 * same < letters(before).max(letters(after)) {
        return vec![(Part::Same, after.to_owned())];
    }
    parts
}

/// Parts with what was removed struck through and what was added in another colour. Space at the edges of a part is not
/// marked, and a removed word is apart from the one in its place.
pub(crate) fn marked(parts: &[(Part, String)], palette: &Palette) -> LayoutJob {
    let mut job = LayoutJob::default();
    let plain = TextFormat::simple(FontId::proportional(14.0), palette.text);
    let mut last = Part::Same;
    for (part, text) in parts {
        let mut format = plain.clone();
        match part {
            Part::Same => {}
            Part::Removed => {
                format.color = palette.weak;
                format.strikethrough = Stroke::new(1.0, palette.weak);
            }
            Part::Added => {
                format.color = palette.edited;
                format.underline = Stroke::new(1.0, palette.edited);
            }
        }
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let touches = is_letter(job.text.chars().next_back()) && is_letter(text.chars().next());
        if last == Part::Removed && *part != Part::Removed && touches {
            job.append(" ", 0.0, plain.clone());
        }
        let words = text.trim();
        let start = text.len() - text.trim_start().len();
        for (stretch, format) in [
            (&text[..start], &plain),
            (words, &format),
            (&text[start + words.len()..], &plain),
        ] {
            if !stretch.is_empty() {
                job.append(stretch, 0.0, format.clone());
            }
        }
        last = *part;
    }
    job
}

/// `2026-11-25 09:30  Machine (help-en-de)`
fn head(version: &Version) -> String {
    let time = version.time.map_or_else(
        || "earlier".to_owned(),
        |time| {
            time.to_zoned_datetime(TimeZone::system())
                .strftime("%Y-%m-%d %H:%M")
                .to_string()
        },
    );
    let origin = labels::origin(version.origin);
    match (&version.model, version.origin) {
        (Some(model), Origin::Machine) => format!("{time}  {origin} ({model})"),
        _ => format!("{time}  {origin}"),
    }
}

fn hint(version: &Version) -> String {
    match (&version.model, version.origin) {
        (Some(model), Origin::Machine) => format!("Translated by {model}"),
        (Some(model), _) => format!("First translated by {model}"),
        (None, _) => labels::origin(version.origin).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struck_word_stands_apart_from_the_next_one() {
        let palette = crate::theme::LIGHT;
        let shown = |before: &str, after: &str| {
            let job = marked(&changes(before, after), &palette);
            let mut shown = String::new();
            for section in &job.sections {
                let is_struck = section.format.strikethrough != Stroke::NONE;
                let text = &job.text[section.byte_range.start.0..section.byte_range.end.0];
                let [open, close] = if is_struck { ["[", "]"] } else { ["", ""] };
                shown.extend([open, text, close]);
            }
            shown
        };
        assert_eq!(
            shown("Die Datei öffnen", "Die Akte öffnen"),
            "Die [Datei] Akte öffnen"
        );
        assert_eq!(shown("the other users", "the users"), "the [other] users");
        assert_eq!(shown("Open it now.", "Open it."), "Open it [now].");
    }

    #[test]
    fn texts_that_have_little_in_common_are_not_mixed() {
        let plain = |text: &str| vec![(Part::Same, text.to_owned())];
        let other = "Por favor, feche a porta.";
        assert_eq!(
            readable_changes("Bitte schließen Sie die Tür.", other),
            plain(other)
        );
        assert_eq!(readable_changes("", other), plain(other));
        let parts = readable_changes("Die Datei öffnen.", "Die Akte öffnen.");
        assert!(parts.contains(&(Part::Removed, "Datei".to_owned())));
        assert!(parts.contains(&(Part::Added, "Akte".to_owned())));
    }
}
