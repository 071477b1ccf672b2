//! The explorer: sentences at the left, the words of the selected one above the view of what the model looked at.

mod controls;
mod details;
mod empty;
mod figure;
mod leave_one_out;
mod sample;
mod sentences;
mod similarity;
mod words;

use std::sync::Arc;

use egui::{CentralPanel, Frame, Margin, Panel, RichText, Ui, vec2};
use figure::{FigureView, Seen};
use leave_one_out::ContextEditor;
use sentences::SentenceList;

use super::sparse_map::{MapResponse, Marked, SparseMapState, sparse_map_view};
use super::theme::Palette;
use canopy_app::explorer::Awaited;
use canopy_app::{AppState, Command, ExploreCommand, Explorer};
use canopy_explain::trace::TraceSource;
use canopy_explain::{DocumentMap, Explanation, HitArea, TextPosition, TreeView, ViewKind};

/// State of the page between frames.
#[derive(Default)]
pub(crate) struct ExplorePanel {
    figure: FigureView,
    map: SparseMapState,
    sentences: SentenceList,
    editor: ContextEditor,
    /// The spot under the pointer in the last frame, wherever it is drawn.
    hovered: Option<TextPosition>,
    /// Its area in the figure.
    marked: Option<HitArea>,
    /// Since when an answer is awaited, on egui's clock.
    behind_since: Option<f64>,
}

/// Answers that come sooner need no sign that they are awaited.
const SLOW_SECS: f64 = 0.3;

impl ExplorePanel {
    pub(crate) fn ui(&mut self, ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
        let palette = Palette::from_ui(ui);
        let explorer = &state.explorer;
        let Some(source) = explorer.inquiry.source() else {
            CentralPanel::default()
                .frame(Frame::NONE.fill(palette.page))
                .show(ui, |ui| empty::empty_ui(ui, state, commands));
            return;
        };
        let mut hovered = None;
        Panel::left("explored sentences")
            .default_size(300.0)
            .size_range(200.0..=560.0)
            .frame(Frame::NONE.fill(palette.panel))
            .show(ui, |ui| {
                let list = &mut self.sentences;
                let marked = self.marked.as_ref();
                list.ui(ui, explorer, source, marked, &mut hovered, commands);
            });
        let frame = Frame::NONE
            .fill(palette.page)
            .inner_margin(Margin::symmetric(18, 10));
        CentralPanel::default().frame(frame).show(ui, |ui| {
            news_ui(ui, state, commands);
            sentence_level_ui(ui, state, commands);
            sample::hint_ui(ui, state);
            let is_slow = self.is_slow(ui, explorer.is_behind());
            controls::controls_ui(ui, state, is_slow, commands);
            ui.add_space(2.0);
            if explorer.inquiry.question.view == ViewKind::Similarity {
                if similarity::waiting_ui(ui, state, commands) {
                    return;
                }
                if let Some(Ok(answer)) = &explorer.answer
                    && let Explanation::Similarity(view) = &answer.explanation
                {
                    similarity::nearest_ui(ui, explorer, view, &mut hovered, commands);
                }
            } else {
                words::words_ui(ui, explorer, source, self.hovered, &mut hovered, commands);
            }
            ui.add_space(4.0);
            let below = details::HEIGHT;
            match &explorer.answer {
                Some(Ok(answer)) => {
                    if let Explanation::Tree(tree) = &answer.explanation {
                        summary_ui(ui, explorer, source, tree);
                    }
                    if let Explanation::LeaveOneOut(view) = &answer.explanation {
                        self.editor.ui(ui, explorer, view, commands);
                    }
                    let seen = match &answer.explanation {
                        Explanation::Document(map) => self.map_ui(ui, explorer, map, below),
                        _ => self.figure.ui(ui, explorer, answer, self.hovered, below),
                    };
                    self.marked = seen.hovered;
                    if let Some(spot) = seen.hovered.and_then(|mark| mark.key.or(mark.query)) {
                        hovered = Some(spot);
                    }
                    // Selects what the view can select; otherwise only the list moves there.
                    if let Some(HitArea { query, key, .. }) = seen.clicked {
                        match (query, key) {
                            (Some(spot), _) => {
                                commands.push(Command::Explore(ExploreCommand::Select(spot)));
                            }
                            (None, Some(spot)) => {
                                self.sentences.show(spot.sentence);
                                if matches!(answer.explanation, Explanation::LeaveOneOut(_)) {
                                    self.editor.open(state, source, spot.sentence);
                                }
                            }
                            (None, None) => {}
                        }
                    }
                    details::details_ui(ui, source, answer, self.marked.as_ref());
                }
                Some(Err(_))
                    if !source
                        .overview()
                        .is_recorded(explorer.inquiry.selected().sentence) =>
                {
                    empty::other_part_ui(ui, state, commands);
                }
                Some(Err(problem)) => empty::problem_ui(ui, explorer, problem, commands),
                None => {
                    ui.centered_and_justified(egui::Ui::spinner);
                }
            }
        });
        if hovered != self.hovered {
            self.hovered = hovered;
            // What was drawn before the pointer was known.
            ui.ctx().request_repaint();
        }
    }

    /// The map of the whole document, which the GPU draws.
    fn map_ui(
        &mut self,
        ui: &mut Ui,
        explorer: &Explorer,
        map: &Arc<DocumentMap>,
        below: f32,
    ) -> Seen {
        let side = explorer.inquiry.selected().side;
        let hovered = self.hovered.map(|spot| spot.sentence);
        let marked = Marked {
            row: Some(explorer.inquiry.selected().sentence),
            column: hovered,
        };
        let room = ui.available_size() - vec2(0.0, below + ui.spacing().item_spacing.y);
        let shown = ui.allocate_ui(room, |ui| sparse_map_view(ui, &mut self.map, map, marked));
        let MapResponse { cell, clicked } = shown.inner;
        let mark = cell.map(|cell| HitArea {
            query: Some(TextPosition::sentence(side, cell.row)),
            key: Some(TextPosition::sentence(map.column_side, cell.column)),
            last: cell.column,
            weight: Some(cell.weight),
            ..HitArea::default()
        });
        Seen {
            hovered: mark,
            clicked: mark.filter(|_| clicked),
        }
    }

    fn is_slow(&mut self, ui: &Ui, is_behind: bool) -> bool {
        if !is_behind {
            self.behind_since = None;
            return false;
        }
        let now = ui.input(|input| input.time);
        let waited = now - *self.behind_since.get_or_insert(now);
        let wake = std::time::Duration::from_secs_f64(SLOW_SECS);
        ui.ctx().request_repaint_after(wake);
        waited >= SLOW_SECS
    }
}

/// The tree in a sentence.
fn summary_ui(ui: &mut Ui, explorer: &Explorer, source: &TraceSource, tree: &TreeView) {
    let spot = explorer.inquiry.selected();
    let sentence = source.overview().sentences(spot.side).get(spot.sentence);
    let word = sentence.zip(spot.word).and_then(|(it, word)| it.word(word));
    let selection = match word.as_deref() {
        Some("<eos>" | "</s>") => format!("the end of sentence {}", spot.sentence + 1),
        Some(word) => format!("“{word}”"),
        None => format!("sentence {}", spot.sentence + 1),
    };
    let summary = tree.summary(spot.side, &selection);
    ui.label(RichText::new(summary).color(Palette::from_ui(ui).text));
    ui.add_space(2.0);
}

/// The frame of a line above the views.
fn band(ui: &Ui) -> Frame {
    Frame::NONE
        .fill(Palette::from_ui(ui).selected)
        .corner_radius(super::theme::RADIUS)
        .inner_margin(Margin::symmetric(10, 4))
}

/// Note that the traced model reads single sentences, and the offer of one that reads documents.
fn sentence_level_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let explorer = &state.explorer;
    let is_idle = explorer.awaited.is_none()
        && state
            .explorer
            .inquiry
            .why_old(&state.shared, state.present())
            .is_none();
    let has_tree = !explorer.inquiry.choices(ViewKind::Tree).sides.is_empty();
    if !is_idle || has_tree {
        return;
    }
    band(ui)
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.horizontal_wrapped(|ui| {
                if !empty::other_model_ui(ui, state, commands) {
                    let text = "This model reads each sentence by itself: there is no tree of the document. Cross-attention \
                                and similarity show what there is.";
                    ui.label(RichText::new(text).color(Palette::from_ui(ui).text));
                }
            });
        });
    ui.add_space(4.0);
}

/// Note that another trace is computed or should be.
fn news_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let explorer = &state.explorer;
    let text = match (&explorer.awaited, explorer.taking_in) {
        (Some(Awaited::Trace { .. }), _) => "The model reads the document once more…".to_owned(),
        (Some(Awaited::File { .. }), _) => "The trace is being read…".to_owned(),
        (None, Some((done, num))) if explorer.inquiry.question.view == ViewKind::LeaveOneOut => {
            format!("The translation is scored without each sentence, {done} of {num}…")
        }
        (None, Some((done, num))) => {
            format!("The model adapts to similar sentences, {done} of {num}…")
        }
        (None, None) => match state
            .explorer
            .inquiry
            .why_old(&state.shared, state.present())
        {
            Some(reason) => reason.to_owned(),
            None => return,
        },
    };
    let is_awaited = explorer.awaited.is_some() || explorer.taking_in.is_some();
    band(ui).show(ui, |ui| {
        ui.horizontal(|ui| {
            if is_awaited {
                ui.spinner();
            }
            ui.label(RichText::new(text).color(palette.text));
            if explorer.taking_in.is_some() && ui.button("Stop").clicked() {
                commands.push(Command::Explore(ExploreCommand::Cancel));
            }
            if !is_awaited {
                let why_not = state.present().why_no_trace();
                let button = egui::Button::new("Recompute");
                let response = ui.add_enabled(why_not.is_none(), button);
                if response.clicked() {
                    commands.push(Command::Explore(ExploreCommand::Trace(None)));
                }
                if let Some(why_not) = why_not {
                    response.on_disabled_hover_text(why_not);
                }
            }
            ui.set_width(ui.available_width());
        });
    });
    ui.add_space(4.0);
}
