//! The tree of the document's sections with their progress.

use std::collections::HashSet;
use std::path::PathBuf;

use egui::{Align2, FontId, Id, Pos2, Rect, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::sentence_row::margin_bar_ui;
use super::shading::{self, MarginShading};
use super::theme::{self, Palette};
use super::typeset;
use super::{icons, labels};
use canopy_app::actions::label_of;
use canopy_app::{Command, DocumentCommand, GoCommand, OpenDocument, Scope};
use canopy_explain::Scale;

const ROW_HEIGHT: f32 = 30.0;

/// View state of the outline: which sections are closed.
#[derive(Default)]
pub(crate) struct OutlinePanel {
    path: PathBuf,
    closed: HashSet<usize>,
}

impl OutlinePanel {
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        open: &OpenDocument,
        margin: Option<&MarginShading<'_>>,
        can_translate: bool,
        commands: &mut Vec<Command>,
    ) {
        if self.path != open.path {
            *self = Self {
                path: open.path.clone(),
                ..Self::default()
            };
        }
        let palette = Palette::from_ui(ui);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            ui.add_space(14.0);
            ui.label(
                egui::RichText::new("Outline")
                    .size(12.5)
                    .color(palette.weak),
            );
        });
        let visible = self.visible_sections(open);
        let current = open
            .selected
            .map(|sentence| open.progress.section_of(sentence));
        let weights = margin.map(|margin| SectionWeights::new(ui, margin, open, &visible));
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .auto_shrink(false)
            .id_salt("outline")
            .show_rows(ui, ROW_HEIGHT, visible.len(), |ui, rows| {
                for row in rows {
                    let section = visible[row];
                    let at = ui.cursor().min;
                    let shown = SectionRow {
                        section,
                        current: current == Some(section),
                        weight: weights
                            .as_ref()
                            .and_then(|weights| weights.weight_label(row)),
                    };
                    self.section_ui(ui, open, &shown, can_translate, commands);
                    if let Some(weights) = &weights {
                        weights.paint(ui, at, row);
                    }
                }
            });
    }

    /// Sections whose parents are all open.
    fn visible_sections(&self, open: &OpenDocument) -> Vec<usize> {
        let sections = &open.document.sections;
        let mut hidden = vec![false; sections.len()];
        for (index, section) in sections.iter().enumerate() {
            if let Some(parent) = section.parent {
                hidden[index] = hidden[parent] || self.closed.contains(&parent);
            }
        }
        (0..sections.len())
            .filter(|&index| !hidden[index])
            .collect()
    }

    fn section_ui(
        &mut self,
        ui: &mut Ui,
        open: &OpenDocument,
        row: &SectionRow,
        can_translate: bool,
        commands: &mut Vec<Command>,
    ) {
        let &SectionRow {
            section, current, ..
        } = row;
        let weight = row.weight.as_deref().unwrap_or_default();
        let palette = Palette::from_ui(ui);
        let outline = &open.progress.sections()[section];
        let counts = open.progress.section_counts(section);
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::click());
        response.widget_info(|| {
            WidgetInfo::labeled(egui::accesskit::Role::TreeItem, true, &outline.title)
        });
        let row = rect.shrink2(vec2(8.0, 1.0));
        let hovered = response.contains_pointer();
        if current || hovered {
            let fill = if current {
                palette.selected
            } else {
                theme::blend(palette.panel, palette.text, 0.05)
            };
            ui.painter()
                .rect_filled(row, f32::from(theme::RADIUS), fill);
        }

        let x = row.left() + 8.0 + indent(outline.depth);
        let middle = row.center().y;
        if outline.has_children {
            self.chevron_ui(ui, section, pos2(x + 4.0, middle), &palette);
        }
        let runs = hovered && can_translate && counts.total() > 0;
        let right = row.right() - if runs { 44.0 } else { 22.0 };
        paint_title(
            ui,
            Rect::from_x_y_ranges(x + 14.0..=right - 4.0, row.y_range()),
            outline,
            current,
            &palette,
        );
        if counts.total() > 0 {
            icons::ring(
                ui.painter(),
                pos2(row.right() - 14.0, middle),
                counts.shares(),
                &palette,
            );
        }
        if runs {
            run_ui(
                ui,
                section,
                pos2(row.right() - 36.0, middle),
                &palette,
                commands,
            );
        }

        if response.clicked() && !outline.sentences.is_empty() {
            commands.push(GoCommand::Select(outline.sentences.start).into());
            commands.push(GoCommand::ScrollTo(outline.sentences.start).into());
        }
        response.context_menu(|ui| {
            if ui
                .add_enabled(
                    can_translate,
                    egui::Button::new(label_of(&Command::Document(DocumentCommand::Translate(
                        Scope::SelectedSection,
                    )))),
                )
                .clicked()
            {
                commands.push(DocumentCommand::Translate(Scope::Section(section)).into());
            }
        });
        response.on_hover_text(format!(
            "{}\n{}, {} translated, {} confirmed{weight}",
            outline.title,
            labels::count(counts.total(), "sentence"),
            counts.total() - counts.untranslated,
            counts.confirmed,
        ));
    }

    fn chevron_ui(&mut self, ui: &Ui, section: usize, center: egui::Pos2, palette: &Palette) {
        let id = Id::unique("outline chevron").with(section);
        let response = ui.interact(
            Rect::from_center_size(center, vec2(18.0, 24.0)),
            id,
            Sense::click(),
        );
        let is_closed = self.closed.contains(&section);
        let label = if is_closed { "Expand" } else { "Collapse" };
        response.widget_info(|| WidgetInfo::labeled(egui::accesskit::Role::Button, true, label));
        if response.clicked() && !self.closed.remove(&section) {
            self.closed.insert(section);
        }
        let color = if response.hovered() {
            palette.strong
        } else {
            palette.weak
        };
        icons::chevron(ui.painter(), center, !is_closed, color);
    }
}

/// The attention to the part of each row of the outline: its section down to the next row.
struct SectionWeights<'a> {
    margin: &'a MarginShading<'a>,
    weights: Vec<f32>,
    scale: Scale,
}

impl<'a> SectionWeights<'a> {
    fn new(ui: &Ui, margin: &'a MarginShading<'_>, open: &OpenDocument, visible: &[usize]) -> Self {
        let start = |row: usize| {
            let section = visible.get(row);
            section.map_or(open.num_sentences(), |&section| {
                open.progress.sections()[section].sentences.start
            })
        };
        let weights = (0..visible.len()).map(|row| margin.total(start(row)..start(row + 1)));
        let weights: Vec<f32> = weights.collect();
        let scale = shading::scale(ui, weights.iter().copied().fold(0.0, f32::max));
        Self {
            margin,
            weights,
            scale,
        }
    }

    /// An addition to the explanation of a row.
    fn weight_label(&self, row: usize) -> Option<String> {
        let weight = self.weights[row];
        (weight > 0.0).then(|| format!("\n{}", self.margin.weight_label(weight)))
    }

    fn paint(&self, ui: &Ui, at: Pos2, row: usize) {
        let weight = self.weights[row];
        if weight > 0.0 {
            let bar = Rect::from_min_size(at + vec2(2.0, 0.0), vec2(5.0, ROW_HEIGHT));
            let id = Id::unique("outline margin").with(row);
            let label = self.margin.weight_label(weight);
            margin_bar_ui(ui, bar, id, shading::colour(&self.scale, weight), &label);
        }
    }
}

/// A row of the outline.
struct SectionRow {
    section: usize,
    current: bool,
    /// Label of its weight.
    weight: Option<String>,
}

/// Deep nesting must leave room for the titles.
fn indent(depth: usize) -> f32 {
    14.0 * f32::from(u8::try_from(depth.min(8)).unwrap_or(u8::MAX))
}

fn paint_title(
    ui: &Ui,
    rect: Rect,
    outline: &canopy_app::open_document::SectionOutline,
    current: bool,
    palette: &Palette,
) {
    let color = if current || outline.depth == 0 {
        palette.strong
    } else {
        palette.text
    };
    let font = if outline.depth == 0 {
        theme::semibold(13.0)
    } else {
        FontId::proportional(13.0)
    };
    let mut job = egui::text::LayoutJob::simple_singleline(outline.title.clone(), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width().max(20.0));
    let galley = typeset::galley(ui, typeset::Text::new(job));
    let pos = Align2::LEFT_CENTER
        .anchor_size(rect.left_center(), galley.size())
        .min;
    ui.painter().galley(pos, galley, color);
}

fn run_ui(
    ui: &Ui,
    section: usize,
    center: egui::Pos2,
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    let id = Id::unique("outline run").with(section);
    let response = ui.interact(
        Rect::from_center_size(center, vec2(20.0, 22.0)),
        id,
        Sense::click(),
    );
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::accesskit::Role::Button,
            true,
            label_of(&Command::Document(DocumentCommand::Translate(
                Scope::SelectedSection,
            ))),
        )
    });
    if response.clicked() {
        commands.push(DocumentCommand::Translate(Scope::Section(section)).into());
    }
    let color = if response.hovered() {
        palette.accent
    } else {
        palette.weak
    };
    icons::play(ui.painter(), center, color);
    response.on_hover_text(label_of(&Command::Document(DocumentCommand::Translate(
        Scope::SelectedSection,
    ))));
}
