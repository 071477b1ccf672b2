//! The words of the selected sentence and of its translation, each to be pointed at and chosen.

use egui::{Align, Align2, FontId, Layout, Rect, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use crate::theme::{self, Palette};
use crate::typeset;
use canopy_app::explorer::Explorer;
use canopy_app::{Command, ExploreCommand};
use canopy_chart::typesetting::Direction;
use canopy_explain::TextPosition;
use canopy_explain::trace::{Side, TraceSource, TracedSentence};

const SIZE: f32 = 14.0;
const LINE: f32 = 24.0;
/// Name of the language.
const GUTTER: f32 = 34.0;
/// Longer sentences scroll.
const MOST_HEIGHT: f32 = 132.0;

pub(super) fn words_ui(
    ui: &mut Ui,
    explorer: &Explorer,
    source: &TraceSource,
    hovered: Option<TextPosition>,
    pointed: &mut Option<TextPosition>,
    commands: &mut Vec<Command>,
) {
    let overview = source.overview();
    let sentence = explorer.inquiry.selected().sentence;
    ScrollArea::vertical()
        .id_salt("words")
        .max_height(MOST_HEIGHT)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (side, language) in [
                (Side::Source, &overview.source_language),
                (Side::Target, &overview.target_language),
            ] {
                let Some(traced) = overview.sentences(side).get(sentence) else {
                    continue;
                };
                if traced.tokens.is_empty() {
                    continue;
                }
                let strip = Strip {
                    side,
                    sentence,
                    selected: explorer.inquiry.selected(),
                    hovered,
                };
                strip.ui(ui, language, traced, pointed, commands);
            }
        });
}

/// A token without the sign that a word begins.
fn bare(token: &str) -> &str {
    token.trim_start_matches('▁')
}

struct Strip {
    side: Side,
    sentence: usize,
    selected: TextPosition,
    hovered: Option<TextPosition>,
}

impl Strip {
    fn ui(
        &self,
        ui: &mut Ui,
        language: &str,
        traced: &TracedSentence,
        pointed: &mut Option<TextPosition>,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let tokens = &traced.tokens;
        ui.spacing_mut().interact_size.y = LINE;
        ui.horizontal_top(|ui| {
            let (gutter, _) = ui.allocate_exact_size(vec2(GUTTER, LINE), Sense::hover());
            ui.painter().text(
                gutter.left_center(),
                Align2::LEFT_CENTER,
                language,
                FontId::proportional(12.0),
                palette.weak,
            );
            ui.scope(|ui| {
                ui.spacing_mut().item_spacing = vec2(0.0, 1.0);
                // Words follow one another as their language runs.
                let runs_left = Direction::from_text(&tokens.concat(), Some(language))
                    == Direction::RightToLeft;
                let layout = if runs_left {
                    Layout::right_to_left(Align::Min)
                } else {
                    Layout::left_to_right(Align::Min)
                };
                ui.with_layout(layout.with_main_wrap(true), |ui| {
                    for (word, token) in tokens.iter().enumerate() {
                        let begins = word > 0 && (token.starts_with('▁') || token.starts_with('<'));
                        if begins {
                            ui.add_space(6.0);
                        }
                        let whole = traced.word(word);
                        let is_piece = whole.is_some_and(|it| it != bare(token));
                        self.word_ui(ui, word, (token, is_piece), &palette, pointed, commands);
                    }
                });
            });
        });
    }

    fn word_ui(
        &self,
        ui: &mut Ui,
        word: usize,
        (token, is_piece): (&str, bool),
        palette: &Palette,
        pointed: &mut Option<TextPosition>,
        commands: &mut Vec<Command>,
    ) {
        let spot = TextPosition::word(self.side, self.sentence, word);
        let is_selected = self.selected == spot;
        let text = bare(token);
        let text = if text.is_empty() { "␣" } else { text };
        let is_sign = text.starts_with('<') && text.ends_with('>');
        let text = if ["<eos>", "</s>"].contains(&text) {
            "end of sentence"
        } else {
            text
        };
        let color = if is_selected {
            palette.on_accent
        } else if is_sign {
            palette.weak
        } else {
            palette.strong
        };
        let font = if is_sign {
            FontId::proportional(SIZE - 2.5)
        } else {
            FontId::proportional(SIZE)
        };
        let galley = typeset::line(ui.painter(), text, font, color);
        let size = vec2(galley.size().x, LINE - 2.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let label = || WidgetInfo::selected(egui::accesskit::Role::Button, true, is_selected, text);
        response.widget_info(label);
        let is_hovered = response.hovered() || self.hovered == Some(spot);
        if is_selected {
            ui.painter().rect_filled(rect, 3.0, palette.accent);
        } else if is_hovered {
            let fill = theme::blend(palette.page, palette.accent, 0.25);
            ui.painter().rect_filled(rect, 3.0, fill);
        }
        if response.has_focus() {
            let stroke = ui.visuals().selection.stroke;
            ui.painter()
                .rect_stroke(rect, 3.0, stroke, egui::StrokeKind::Outside);
        }
        let at = Align2::CENTER_CENTER
            .anchor_size(Rect::center(&rect), galley.size())
            .min;
        ui.painter().galley(at, galley, color);
        if is_piece {
            // Pieces are as close as letters: a line under each shows where it ends.
            let x = rect.x_range().shrink(1.0);
            let y = rect.bottom() - 2.0;
            ui.painter().hline(x, y, (1.0, palette.weak));
        }
        if response.hovered() {
            *pointed = Some(spot);
        }
        if response.clicked() {
            commands.push(Command::Explore(ExploreCommand::Select(spot)));
        }
    }
}
