//! The window: receives events, applies commands, then draws.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use egui::{CentralPanel, Context, Frame, Margin, Panel, Ui};

use super::aligning::AlignPanel;
use super::checks::ChecksPanel;
use super::closing::{self, CloseState};
use super::dialogs::{Answer, Dialogs};
use super::document::{DocumentPanel, Seen};
use super::evaluate::evaluate_ui;
use super::explore::ExplorePanel;
use super::focus::FocusFollower;
use super::language_model::{LanguageModelForm, suggestion_ui};
use super::languages::LanguageLine;
use super::machines::MachineForm;
use super::merging::merging_ui;
use super::models::ModelsPanel;
use super::moved_work::moved_work_ui;
use super::outline::OutlinePanel;
use super::page_room::{least_size, page_room_ui, shows_outline};
use super::path_question::PathQuestion;
use super::project::{ProjectSettingsForm, project_ui};
use super::segment_history::HistoryPanel;
use super::sentence_row::TermContext;
use super::shading::MarginShading;
use super::similar::SimilarPanel;
use super::system_fonts::WindowFonts;
use super::theme::{self, Palette};
use super::training::TrainingPanel;
use super::{
    clipboard, file_manager, filter, find, help, menu, notices, shortcuts, status, terms, welcome,
};
use crate::error::{BaseError, Result};
use canopy_app::jobs::{Event, PoolFolders, Pools};
use canopy_app::{
    AppState, Ask, Checking, Command, Folders, ModelState, ModelsCommand, Page, Settings, Shipped,
};
use canopy_document::placeholder::stripped;
use canopy_qa::checks::Finding;
use canopy_translate::inference::DeviceChoice;
use canopy_translate::remote::{keys_file, read_keys};

/// State of the panels between frames.
#[derive(Default)]
pub struct Panels {
    pub document: DocumentPanel,
    pub outline: OutlinePanel,
    pub training: TrainingPanel,
    pub explore: ExplorePanel,
    pub checks: ChecksPanel,
    pub similar: SimilarPanel,
    pub history: HistoryPanel,
    pub models: ModelsPanel,
    pub align: AlignPanel,
    pub language_model: LanguageModelForm,
    pub machine: MachineForm,
    pub project_settings: ProjectSettingsForm,
    /// A path to be typed, where the system has no dialogs.
    pub path: Option<PathQuestion>,
    pub focus: FocusFollower,
    /// The number of a sentence that is being written.
    pub sentence: String,
}

/// The state of the workbench with its threads and panels.
pub struct CanopyApp {
    state: AppState,
    panels: Panels,
    dialogs: Dialogs,
    events: Receiver<Event>,
    pools: Pools,
    fonts: WindowFonts,
    closing: Option<CloseState>,
    title: String,
    theme: Option<canopy_app::Theme>,
    scale: u16,
    /// egui's own clock stands still while the window is hidden.
    started: Instant,
    /// Whether a frame was handed to the graphics driver.
    has_drawn: bool,
}

impl CanopyApp {
    /// Starts the threads and opens the requested files.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn new(
        ctx: &Context,
        open: Option<PathBuf>,
        model: Option<PathBuf>,
        languages: [Option<String>; 2],
        device: DeviceChoice,
    ) -> Result<Self> {
        theme::install(ctx);
        let fonts = WindowFonts::install(ctx)?;
        let (sender, events) = channel();
        let folders = Folders::of_user();
        let shipped = Shipped::find();
        let pool_folders = PoolFolders {
            data: folders.data.clone(),
            library: folders.models(),
            shipped: shipped.models.clone(),
        };
        let (waking, curves) = (ctx.clone(), ctx.clone());
        let wake = move || waking.request_repaint();
        // Several times a second while a run goes on; without a delay egui would draw two frames each time.
        let draw_once = move || curves.request_repaint_after(Duration::from_millis(1));
        let pools = Pools::spawn(pool_folders, sender, wake, draw_once)?;
        let mut settings = folders
            .settings_file()
            .map(|file| Settings::read(&file))
            .unwrap_or_default();
        if let Some(config) = &folders.config {
            read_keys(&keys_file(config));
        }
        if device != DeviceChoice::Auto {
            settings.device = device.into();
        }
        let mut state = AppState::new(folders, settings, shipped);
        state.models.said = languages;
        state.look_for_missing();
        state.models.open_first_model(
            &mut state.shared,
            &mut state.document,
            &state.projects,
            model,
        );
        if let Some(path) = open {
            state.apply(Command::OpenPath(path));
        }
        Ok(Self {
            state,
            panels: Panels::default(),
            dialogs: Dialogs::default(),
            events,
            pools,
            fonts,
            closing: None,
            title: String::new(),
            theme: None,
            scale: 100,
            started: Instant::now(),
            has_drawn: false,
        })
    }

    /// Hands out what the state wants done.
    fn send(&mut self, ctx: &Context) {
        self.pools.send(&mut self.state);
        for ask in std::mem::take(&mut self.state.shared.asks) {
            match ask {
                Ask::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
                Ask::ShowFolder(folder) => {
                    if let Err(cause) = file_manager::show(&folder) {
                        let path = folder;
                        let error = BaseError::Read { path, cause };
                        let error = crate::error::Error::Base(error);
                        self.state
                            .shared
                            .show_error("The folder could not be shown", &error);
                    }
                }
                ask => {
                    if let Err(cause) = self.dialogs.open(ctx, ask) {
                        let error = crate::error::Error::Base(BaseError::Thread { cause });
                        self.state
                            .shared
                            .show_error("The dialog could not be opened", &error);
                    }
                }
            }
        }
    }

    fn update_title(&mut self, ctx: &Context) {
        let title = match &self.state.document.open {
            Some(document) => format!("{} - Canopy", document.document.name),
            None => "Canopy".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

impl eframe::App for CanopyApp {
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        if !self.has_drawn && ctx.cumulative_frame_nr() > 0 {
            self.has_drawn = true;
            tracing::info!("the first frame is drawn");
        }
        self.fonts.refresh(ctx);
        if self.theme != Some(self.state.shared.settings.theme) {
            theme::choose(ctx, self.state.shared.settings.theme);
            self.theme = Some(self.state.shared.settings.theme);
        }
        if self.scale != self.state.shared.settings.scale {
            ctx.set_zoom_factor(self.state.shared.settings.scale_factor());
            self.scale = self.state.shared.settings.scale;
        }
        self.state.tick(self.started.elapsed().as_secs_f64());
        for event in self.events.try_iter() {
            self.state.receive(event);
        }
        for answer in self.dialogs.answers() {
            match answer {
                Answer::Command(command) => self.state.apply(command),
                Answer::Unavailable(ask) => self.panels.path = PathQuestion::new(ask),
                Answer::Cancelled => {}
            }
        }
        self.update_title(ctx);
        closing::hold(ctx, &mut self.state, &mut self.closing);
        // Once more: what the events have changed is to be saved in time.
        if let Some(secs) = self.state.tick(self.started.elapsed().as_secs_f64()) {
            ctx.request_repaint_after(Duration::from_secs_f64(secs));
        }
        self.send(ctx);
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let mut commands = vec![];
        let ctx = ui.ctx().clone();
        let dropped = ctx.input(|input| {
            let files = input.raw.dropped_files.iter();
            files.map(|file| file.path().to_owned()).collect::<Vec<_>>()
        });
        if !dropped.is_empty() {
            commands.push(Command::Drop(dropped));
        }
        workbench_ui(ui, &self.state, &mut self.panels, &mut commands);
        if let Some(order) = closing::ask(&ctx, &mut self.state, &mut self.closing) {
            self.pools.order_all(&self.state, order);
        }
        self.send(&ctx);
        if ctx.input(|input| !input.raw.hovered_files.is_empty()) {
            let text = match self.state.shared.page {
                Page::Training => "Drop to train on it",
                Page::Models => "Drop to add the model",
                Page::Project => "Drop to add to the project",
                Page::Align => "Drop to align",
                _ => "Drop to open",
            };
            welcome::drop_ui(&ctx, text);
        }
        if !commands.is_empty() {
            for command in commands {
                self.state.apply(command);
            }
            self.send(&ctx);
            ctx.request_repaint();
        }
    }

    fn on_exit(&mut self) {
        self.state.apply(Command::Cancel);
        self.state
            .apply(Command::Models(ModelsCommand::CancelAdding));
        self.state.flush();
        self.pools.send(&mut self.state);
        self.pools.finish();
    }
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
        merging_ui(ui.ctx(), merging, state.document.open.as_ref(), commands);
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
        .open
        .as_ref()
        .filter(|_| state.document.asks_for_sentence)
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
    let can_translate = state.is_enabled(&Command::Translate(canopy_app::Scope::Document));
    let margin = state.explorer.margin().cloned();
    let is_old = margin.is_some() && state.explorer.is_margin_old(&state.shared, state.present());
    let margin = margin
        .as_ref()
        .map(|margin| MarginShading::new(ui, margin, is_old));
    let margin = margin.as_ref();
    if let Some(document) = state
        .document
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
    if state.document.open.is_some() && state.shared.settings.shows_checks {
        let panel = Panel::right("checks")
            .default_size(300.0)
            .size_range(220.0..=520.0)
            .frame(Frame::NONE.fill(palette.panel));
        panel.show(ui, |ui| panels.checks.ui(ui, state, commands));
    }
    if state.document.open.is_some() && state.shared.settings.language_model.is_some() {
        let frame = Frame::NONE.fill(palette.panel);
        let panel = Panel::bottom("suggestion").frame(frame.inner_margin(Margin::symmetric(0, 8)));
        panel.show(ui, |ui| suggestion_ui(ui, state, commands));
    }
    similar_panel_ui(ui, state, panels, commands);
    history_panel_ui(ui, state, panels, commands);
    if let Some(document) = &state.document.open
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
                state.document.language_note(&state.shared, &state.models),
            );
            let running = state.document.running.is_some();
            let has_memory = state.document.memory(&state.models).is_some();
            let line = LanguageLine {
                languages: languages
                    .as_ref()
                    .map(|(source, target)| (source.as_str(), target.as_str())),
                note: note.as_ref(),
                model: match &state.models.current {
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
            match &state.document.open {
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
        .open
        .as_ref()
        .filter(|it| it.filtered.is_some())
    {
        let frame = Frame::NONE.fill(palette.panel);
        let panel = Panel::top("filter").frame(frame.inner_margin(Margin::symmetric(14, 6)));
        panel.show(ui, |ui| filter::filter_ui(ui, document, commands));
    }
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
        .memory(&state.models)
        .zip(state.document.open.as_ref())
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
    if let Some(document) = &state.document.open
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
