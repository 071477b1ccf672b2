//! All sentences of the document, and in the margin how much of its attention the selected word gave to each.

use egui::{Align2, Color32, FontId, Rect, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::shading::Shading;
use crate::theme::{self, Palette};
use crate::typeset;
use canopy_app::explorer::Explorer;
use canopy_app::{Command, ExploreCommand};
use canopy_explain::trace::{Side, TraceSource};
use canopy_explain::{HitArea, TextPosition};

const ROW: f32 = 42.0;
const HEADER: f32 = 44.0;
/// The whole document next to the list.
const OVERVIEW: f32 = 14.0;

#[derive(Default)]
pub(super) struct SentenceList {
    /// The selected sentence, when it was last brought into view.
    shown: Option<usize>,
    /// Is to be brought into view.
    wanted: Option<usize>,
}

impl SentenceList {
    /// Goes to a sentence without selecting it.
    pub(super) fn show(&mut self, sentence: usize) {
        self.wanted = Some(sentence);
    }

    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        explorer: &Explorer,
        source: &TraceSource,
        marked: Option<&HitArea>,
        pointed: &mut Option<TextPosition>,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let overview = source.overview();
        header_ui(ui, source, &palette);
        let weights: &[(u32, f32)] = match &explorer.answer {
            // Shares of attention are no similarities, nor the other way round.
            Some(Ok(answer)) if answer.is_of(explorer.inquiry.question.view) => &answer.weights,
            _ => &[],
        };
        let rows = Rows {
            source,
            shading: Shading::new(ui, weights),
            selected: explorer.inquiry.selected().sentence,
            marked,
            palette,
        };
        let count = overview.source.len();
        let area = ui.available_rect_before_wrap();
        rows.overview_ui(ui, area, count, commands);
        let left = area.left() + OVERVIEW;
        let list = Rect::from_min_max(pos2(left, area.top()), area.max);
        ui.scope_builder(egui::UiBuilder::new().max_rect(list), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let mut scroll = ScrollArea::vertical()
                .auto_shrink(false)
                .id_salt("explored");
            let selected = rows.selected;
            if self.shown != Some(selected) {
                // Who clicks in the list sees the sentence already.
                let is_seen = self.shown.is_some() && ui.rect_contains_pointer(list);
                self.shown = Some(selected);
                if !is_seen {
                    self.wanted = Some(selected);
                }
            }
            if let Some(wanted) = self.wanted.take() {
                #[expect(clippy::cast_precision_loss, reason = "rows of a list")]
                let top = wanted as f32 * ROW - 0.4 * list.height();
                scroll = scroll.vertical_scroll_offset(top.max(0.0));
            }
            scroll.show_rows(ui, ROW, count, |ui, range| {
                for sentence in range {
                    rows.row_ui(ui, sentence, pointed, commands);
                }
            });
        });
    }
}

fn header_ui(ui: &mut Ui, source: &TraceSource, palette: &Palette) {
    let overview = source.overview();
    let size = vec2(ui.available_width(), HEADER);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let line = |text: &str, y: f32, font: FontId, color: Color32| {
        let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font, color);
        job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width() - 28.0);
        let galley = typeset::galley(ui, typeset::Text::new(job));
        let at = pos2(rect.left() + 14.0, rect.top() + y);
        ui.painter().galley(at, galley, color);
    };
    line(
        &overview.document,
        6.0,
        theme::semibold(13.5),
        palette.strong,
    );
    let named = [&overview.model.name, &overview.model.system];
    let named = named.map(String::as_str).into_iter();
    let model: Vec<&str> = named.filter(|name| !name.is_empty()).collect();
    let model = model.join(" · ");
    line(&model, 24.0, FontId::proportional(12.0), palette.weak);
}

struct Rows<'a> {
    source: &'a TraceSource,
    shading: Shading<'a>,
    selected: usize,
    marked: Option<&'a HitArea>,
    palette: Palette,
}

impl Rows<'_> {
    /// The document as a strip, every sentence with weight as a line: where the context is, at a glance.
    #[expect(clippy::cast_precision_loss, reason = "sentences of a document")]
    fn overview_ui(&self, ui: &Ui, area: Rect, count: usize, commands: &mut Vec<Command>) {
        let strip =
            Rect::from_min_size(area.min, vec2(OVERVIEW, area.height())).shrink2(vec2(3.0, 4.0));
        let painter = ui.painter();
        let rail = theme::blend(self.palette.panel, self.palette.text, 0.07);
        painter.rect_filled(strip, 2.0, rail);
        let step = strip.height() / count.max(1) as f32;
        let place = |sentence: usize| {
            let top = strip.top() + sentence as f32 * step;
            let height = (step - 1.0).clamp(2.0, 12.0);
            Rect::from_min_size(pos2(strip.left(), top), vec2(strip.width(), height))
        };
        let mut weights: Vec<&(u32, f32)> = self.shading.weights().iter().collect();
        weights.sort_by(|a, b| a.1.total_cmp(&b.1));
        for &&(sentence, weight) in &weights {
            painter.rect_filled(place(sentence as usize), 1.0, self.shading.colour(weight));
        }
        let here = place(self.selected);
        let tip = pos2(strip.left() - 3.0, here.center().y);
        let stroke = (2.0, self.palette.accent);
        painter.line_segment([tip, pos2(strip.right() + 3.0, tip.y)], stroke);
        let id = egui::Id::unique("overview of sentences");
        let response = ui.interact(strip.expand(3.0), id, Sense::click());
        response.widget_info(|| {
            let text = "Where in the document the attention is";
            WidgetInfo::labeled(egui::accesskit::Role::Button, true, text)
        });
        if let Some(at) = response
            .interact_pointer_pos()
            .filter(|_| response.clicked())
        {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a place on the strip"
            )]
            let sentence = ((at.y - strip.top()).max(0.0) / step) as usize;
            let sentence = sentence.min(count.saturating_sub(1));
            let spot = TextPosition::sentence(Side::Source, sentence);
            commands.push(Command::Explore(ExploreCommand::Select(spot)));
        }
    }

    fn row_ui(
        &self,
        ui: &mut Ui,
        sentence: usize,
        pointed: &mut Option<TextPosition>,
        commands: &mut Vec<Command>,
    ) {
        let palette = &self.palette;
        let size = vec2(ui.available_width(), ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let text = self.source.overview().source[sentence].plain_text();
        let is_selected = sentence == self.selected;
        let weight = self.shading.weight(sentence);
        response.widget_info(|| {
            let label = format!("Sentence {}: {text}", sentence + 1);
            WidgetInfo::selected(egui::accesskit::Role::ListItem, true, is_selected, label)
        });
        let spot = TextPosition::sentence(Side::Source, sentence);
        let is_marked = |mark: &HitArea| {
            let key = mark.key.filter(|key| key.side == Side::Source);
            key.is_some_and(|key| (key.sentence..=mark.last).contains(&sentence))
        };
        let is_hovered = response.hovered() || self.marked.is_some_and(is_marked);
        if is_selected {
            ui.painter().rect_filled(rect, 0.0, palette.selected);
        } else if is_hovered {
            let fill = theme::blend(palette.panel, palette.text, 0.05);
            ui.painter().rect_filled(rect, 0.0, fill);
        }
        let mut job = egui::text::LayoutJob::simple(
            text,
            FontId::proportional(13.0),
            if weight > 0.0 || is_selected {
                palette.strong
            } else {
                palette.text
            },
            rect.width() - 56.0,
        );
        job.wrap.max_rows = 2;
        let galley = typeset::galley(ui, typeset::Text::new(job));
        let top = rect.center().y - galley.size().y / 2.0;
        // Right of the first line, or above the weight.
        let line = galley.pos_from_cursor(egui::text::CCursor::default());
        let middle = if weight > 0.0 {
            rect.top() + 14.0
        } else {
            top + line.center().y
        };
        let number = pos2(rect.left() + 34.0, middle);
        let font = if is_selected {
            theme::semibold(12.0)
        } else {
            FontId::proportional(12.0)
        };
        let color = if is_selected || weight > 0.0 {
            palette.strong
        } else {
            palette.weak
        };
        let label = (sentence + 1).to_string();
        ui.painter()
            .text(number, Align2::RIGHT_CENTER, label, font, color);
        if weight > 0.0 {
            let under = pos2(rect.left() + 34.0, rect.top() + 29.0);
            let written = format!("{weight:.2}");
            let font = FontId::proportional(11.0);
            ui.painter()
                .text(under, Align2::RIGHT_CENTER, written, font, palette.text);
            let bar = Rect::from_min_size(rect.min, vec2(5.0, ROW)).shrink2(vec2(0.0, 2.0));
            ui.painter()
                .rect_filled(bar, 1.5, self.shading.colour(weight));
        }
        ui.painter()
            .galley(pos2(rect.left() + 44.0, top), galley, palette.text);
        if response.hovered() {
            *pointed = Some(spot);
        }
        if response.clicked() {
            commands.push(Command::Explore(ExploreCommand::Select(spot)));
        }
        response.context_menu(|ui| {
            if ui.button("Show in the document").clicked() {
                let command = ExploreCommand::ShowInDocument(sentence);
                commands.push(Command::Explore(command));
            }
        });
    }
}
