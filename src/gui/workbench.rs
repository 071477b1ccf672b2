//! The content of the window: the page, and the panels and bars around it.

use egui::{CentralPanel, Frame, Margin, Panel, Ui};

use crate::aligning::AlignPanel;
use crate::alternatives::AlternativesPanel;
use crate::checks::ChecksPanel;
use crate::document::{DocumentPanel, Seen};
use crate::evaluate::evaluate_ui;
use crate::explore::ExplorePanel;
use crate::focus::FocusFollower;
use crate::language_model::{LanguageModelForm, suggestion_ui};
use crate::languages::LanguageLine;
use crate::machines::MachineForm;
use crate::merging::merging_ui;
use crate::models::ModelsPanel;
use crate::moved_work::moved_work_ui;
use crate::outline::OutlinePanel;
use crate::page_room::{least_size, page_room_ui, shows_outline};
use crate::path_question::PathQuestion;
use crate::project::{ProjectSettingsForm, project_ui};
use crate::segment_history::HistoryPanel;
use crate::sentence_row::TermContext;
use crate::shading::MarginShading;
use crate::similar::SimilarPanel;
use crate::theme::Palette;
use crate::training::TrainingPanel;
use crate::{clipboard, filter, find, help, menu, notices, shortcuts, status, terms, welcome};
use canopy_app::{AppState, Checking, Command, DocumentCommand, ModelState, Page};
use canopy_document::placeholder::stripped;
use canopy_qa::checks::Finding;

/// State of the panels between frames.
#[derive(Default)]
pub struct Panels {
    pub(crate) document: DocumentPanel,
    pub(crate) outline: OutlinePanel,
    pub(crate) training: TrainingPanel,
    pub(crate) explore: ExplorePanel,
    pub(crate) checks: ChecksPanel,
    pub(crate) similar: SimilarPanel,
    pub(crate) history: HistoryPanel,
    pub(crate) alternatives: AlternativesPanel,
    pub(crate) models: ModelsPanel,
    pub(crate) align: AlignPanel,
    pub(crate) language_model: LanguageModelForm,
    pub(crate) machine: MachineForm,
    pub(crate) project_settings: ProjectSettingsForm,
    /// A path to be typed, where the system has no dialogs.
    pub path: Option<PathQuestion>,
    pub(crate) focus: FocusFollower,
    /// The number of a sentence that is being written.
    pub sentence: String,
}

/// Draws everything; what a person does comes back as commands.
pub fn workbench_ui(
    ui: &mut Ui,
    state: &AppState,
    panels: &mut Panels,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    // Keys are read first, so that the editor does not take them, and carried out last: a letter typed in the same
    // frame as Enter belongs to the edit that Enter keeps.
    panels.focus.follow(ui.ctx());
    let mut keys = vec![];
    shortcuts::receive_keys(ui.ctx(), state, &mut keys);
    clipboard::follow(ui.ctx());
    let bar = |x: i8, y: i8| {
        Frame::NONE
            .fill(palette.panel)
            .inner_margin(Margin::symmetric(x, y))
    };
    Panel::top("menu")
        .frame(bar(10, 7))
        .show(ui, |ui| menu::menu_ui(ui, state, commands));
    Panel::bottom("status")
        .exact_size(32.0)
        .frame(bar(14, 0))
        .show(ui, |ui| status::status_ui(ui, state, commands));
    let focus = std::mem::take(&mut panels.focus);
    let out_of_sight = |ui: &Ui| focus.out_of_sight(ui);
    let mut bottom = ui.available_rect_before_wrap().bottom();
    page_room_ui(
        ui,
        least_size(ui.ctx(), state),
        out_of_sight,
        |ui| match state.shared.page {
            Page::Document => bottom = bottom.min(document_page_ui(ui, state, panels, commands)),
            Page::Explore => panels.explore.ui(ui, state, commands),
            Page::Training => panels.training.ui(ui, state, commands),
            Page::Evaluate => evaluate_ui(ui, state, commands),
            Page::Models => panels.models.ui(ui, state, commands),
            Page::Project => project_ui(ui, state, commands),
            Page::Align => panels.align.ui(ui, state, commands),
        },
    );
    panels.focus = focus;
    notices::notices_ui(ui.ctx(), &state.shared.notices, bottom, commands);
    if panels
        .path
        .as_mut()
        .is_some_and(|question| question.ui(ui.ctx(), commands))
    {
        panels.path = None;
    }
    if let Some(merging) = &state.document.merges.shown {
        merging_ui(
            ui.ctx(),
            merging,
            state.document.editing.open.as_ref(),
            commands,
        );
    }
    panels.language_model.ui(ui.ctx(), state, commands);
    panels.machine.ui(ui.ctx(), state, commands);
    let settings = &mut panels.project_settings;
    settings.ui(ui.ctx(), state, commands);
    if state.shows_shortcuts {
        shortcuts::shortcuts_ui(ui.ctx(), commands);
    }
    help::help_ui(ui.ctx(), state, commands);
    if let Some(document) = state
        .document
        .editing
        .open
        .as_ref()
        .filter(|_| state.document.editing.asks_for_sentence)
    {
        let text = &mut panels.sentence;
        filter::sentence_question_ui(ui.ctx(), document, text, commands);
    }
    match &state.document.terms.new {
        Some(new) => terms::new_term_ui(ui.ctx(), &state.document.terms, new, commands),
        None => terms::new_term_closed(ui.ctx()),
    }
    commands.extend(keys);
}

/// Returns the lower edge of the document: below it are panels.
fn document_page_ui(
    ui: &mut Ui,
    state: &AppState,
    panels: &mut Panels,
    commands: &mut Vec<Command>,
) -> f32 {
    let palette = Palette::from_ui(ui);
    let can_translate = state.is_enabled(&Command::Document(DocumentCommand::Translate(
        canopy_app::Scope::Document,
    )));
    let margin = state.explorer.margin().cloned();
    let is_old = margin.is_some()
        && state
            .explorer
            .inquiry
            .is_old(&state.shared, state.present());
    let margin = margin
        .as_ref()
        .map(|margin| MarginShading::new(ui, margin, is_old));
    let margin = margin.as_ref();
    if let Some(document) = state
        .document
        .editing
        .open
        .as_ref()
        .filter(|_| shows_outline(ui.ctx(), state))
    {
        let panel = Panel::left("outline")
            .default_size(268.0)
            .size_range(180.0..=520.0)
            .frame(Frame::NONE.fill(palette.panel));
        panel.show(ui, |ui| {
            let outline = &mut panels.outline;
            outline.ui(ui, document, margin, can_translate, commands);
        });
    }
    if state.document.editing.open.is_some() && state.shared.settings.shows_checks {
        let panel = Panel::right("checks")
            .default_size(300.0)
            .size_range(220.0..=520.0)
            .frame(Frame::NONE.fill(palette.panel));
        panel.show(ui, |ui| panels.checks.ui(ui, state, commands));
    }
    panels_below_ui(ui, state, panels, commands);
    if let Some(document) = &state.document.editing.open
        && let Some(moved_work) = &document.moved_work
    {
        let panel = Panel::top("elsewhere").frame(
            Frame::NONE
                .fill(palette.panel)
                .inner_margin(Margin::symmetric(14, 8)),
        );
        let count = document.num_sentences();
        panel.show(ui, |ui| moved_work_ui(ui, moved_work, count, commands));
    }
    bars_ui(ui, state, commands);
    let central = CentralPanel::default()
        .frame(Frame::NONE.fill(palette.page))
        .show(ui, |ui| {
            let (languages, note) = (
                state.document.languages(&state.models),
                state.document.pair(&state.models).note(&state.shared),
            );
            let running = state.document.translations.running.is_some();
            let has_memory = state.document.pair(&state.models).memory().is_some();
            let line = LanguageLine {
                languages: languages
                    .as_ref()
                    .map(|(source, target)| (source.as_str(), target.as_str())),
                note: note.as_ref(),
                model: match &state.models.in_use.current {
                    ModelState::Open { info, .. } => &info.name,
                    ModelState::None | ModelState::Opening { .. } => "",
                },
                models: &state.models,
                settings: &state.shared.settings,
            };
            let term_context = TermContext {
                index: state.document.terms.index.as_ref(),
                selected: state.document.terms.selected.as_ref(),
                selected_target: &state.document.terms.selected_target,
            };
            match &state.document.editing.open {
                Some(document) => {
                    let panel = &mut panels.document;
                    let seen = Seen {
                        line,
                        margin,
                        terms: term_context,
                        findings: shown_findings(
                            &state.document.checking,
                            state.shared.settings.shows_checks,
                        ),
                        running,
                        has_memory,
                    };
                    panel.ui(ui, document, seen, commands);
                }
                None => welcome::welcome_ui(ui, state, commands),
            }
        });
    central.response.rect.bottom()
}

/// The bars above the document: words to look for, and which sentences are shown.
fn bars_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    if let Some(document) = state
        .document
        .editing
        .open
        .as_ref()
        .filter(|open| open.find.is_open)
    {
        let panel = Panel::top("find").frame(
            Frame::NONE
                .fill(palette.panel)
                .inner_margin(Margin::symmetric(14, 6)),
        );
        panel.show(ui, |ui| find::find_ui(ui, document, commands));
    }
    if let Some(document) = state
        .document
        .editing
        .open
        .as_ref()
        .filter(|it| it.filtered.is_some())
    {
        let frame = Frame::NONE.fill(palette.panel);
        let panel = Panel::top("filter").frame(frame.inner_margin(Margin::symmetric(14, 6)));
        panel.show(ui, |ui| filter::filter_ui(ui, document, commands));
    }
}

/// The panels about the selected sentence, from the lower edge of the page up.
fn panels_below_ui(
    ui: &mut Ui,
    state: &AppState,
    panels: &mut Panels,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    if state.document.editing.open.is_some() && state.shared.settings.language_model.is_some() {
        let frame = Frame::NONE.fill(palette.panel);
        let panel = Panel::bottom("suggestion").frame(frame.inner_margin(Margin::symmetric(0, 8)));
        panel.show(ui, |ui| suggestion_ui(ui, state, commands));
    }
    similar_panel_ui(ui, state, panels, commands);
    history_panel_ui(ui, state, panels, commands);
    alternatives_panel_ui(ui, state, panels, commands);
}

/// Findings to mark in the document: none while their list is closed or the document has changed.
fn shown_findings(checking: &Checking, is_shown: bool) -> &[Finding] {
    if is_shown && !checking.is_running() {
        &checking.findings
    } else {
        &[]
    }
}

/// Translation memory matches of the selected sentence, below the document.
fn similar_panel_ui(
    ui: &mut Ui,
    state: &AppState,
    panels: &mut Panels,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    if let Some((memory, document)) = state
        .document
        .pair(&state.models)
        .memory()
        .zip(state.document.editing.open.as_ref())
        && state.shared.settings.shows_similar
    {
        let sentence = document.selected.map(|sentence| {
            let text = document.document.sentences[sentence].plain_text();
            text.trim().to_owned()
        });
        let selected = document.selected.map(|sentence| document.target(sentence));
        let translation = selected.map_or(String::new(), |target| stripped(&target.text));
        let similar = &mut panels.similar;
        similar.find(
            memory,
            sentence.as_deref().unwrap_or_default(),
            &translation,
        );
        let has_sentence = sentence.is_some();
        if similar.is_empty() {
            // One line, whatever size it has when there is something to see.
            let frame = Frame::NONE.fill(palette.panel);
            let panel =
                Panel::bottom("no similar").frame(frame.inner_margin(Margin::symmetric(0, 5)));
            panel.show(ui, |ui| similar.head_ui(ui, has_sentence));
            return;
        }
        let panel = Panel::bottom("similar")
            .resizable(true)
            .default_size(116.0)
            .size_range(64.0..=420.0)
            .frame(
                Frame::NONE
                    .fill(palette.panel)
                    .inner_margin(Margin::symmetric(0, 8)),
            );
        panel.show(ui, |ui| similar.ui(ui, has_sentence, commands));
    }
}

/// The texts that the selected sentence has had, below the document.
fn history_panel_ui(
    ui: &mut Ui,
    state: &AppState,
    panels: &mut Panels,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    if let Some(document) = &state.document.editing.open
        && state.shared.settings.shows_history
    {
        let frame = Frame::NONE.fill(palette.panel);
        // The document keeps the larger part of a small window.
        let most = (0.45 * ui.available_height()).clamp(64.0, 420.0);
        let panel = Panel::bottom("history")
            .resizable(true)
            .default_size(190.0)
            .size_range(64.0..=most)
            .frame(frame.inner_margin(Margin::symmetric(0, 8)));
        panel.show(ui, |ui| panels.history.ui(ui, document, commands));
    }
}

/// Alternatives of the selected sentence, below the document: as high as they are.
fn alternatives_panel_ui(
    ui: &mut Ui,
    state: &AppState,
    panels: &mut Panels,
    commands: &mut Vec<Command>,
) {
    if let Some(document) = &state.document.editing.open
        && state.document.alternatives.is_open
    {
        let frame = Frame::NONE.fill(Palette::from_ui(ui).panel);
        // The document keeps the larger part of a small window.
        let most = (0.45 * ui.available_height()).clamp(64.0, 420.0);
        let panel = Panel::bottom("alternatives")
            .resizable(false)
            .frame(frame.inner_margin(Margin::symmetric(0, 8)));
        panel.show(ui, |ui| {
            panels
                .alternatives
                .ui(ui, state, (document, most), commands);
        });
    }
}
