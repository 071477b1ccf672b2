//! The window: receives events, applies commands, then draws.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use egui::{Context, Ui};

use super::closing::{self, CloseState};
use super::dialogs::{Answer, Dialogs};
use super::path_question::PathQuestion;
use super::system_fonts::WindowFonts;
use super::workbench::{Panels, workbench_ui};
use super::{file_manager, theme, welcome};
use crate::error::{BaseError, Result};
use canopy_app::jobs::{Event, PoolFolders, Pools};
use canopy_app::{
    AppState, Command, DialogRequest, DocumentCommand, Folders, ModelsCommand, Page, Settings,
    Shipped, WindowCommand,
};
use canopy_translate::inference::DeviceChoice;
use canopy_translate::remote::{keys_file, read_keys};

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
    /// egui's own clock stops while the window is hidden.
    started: Instant,
    /// Whether a frame was handed to the graphics driver.
    has_drawn: bool,
}

impl CanopyApp {
    /// Starts the pools and opens the requested files.
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
        let (sender, events) = channel();
        let folders = Folders::for_user();
        let shipped = Shipped::find();
        let pool_folders = PoolFolders {
            data: folders.data.clone(),
            library: folders.models(),
            shipped: shipped.models.clone(),
        };
        let (waking, curves) = (ctx.clone(), ctx.clone());
        let wake = move || waking.request_repaint();
        // Several times a second during a run; without a delay egui would draw two frames each time.
        let draw_once = move || curves.request_repaint_after(Duration::from_millis(1));
        let pools = Pools::spawn(pool_folders, sender, wake, draw_once)?;
        let fonts = WindowFonts::install(ctx, pools.font_finder());
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
        state.open_first_model(model);
        if let Some(path) = open {
            state.apply(WindowCommand::OpenPath(path));
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
                DialogRequest::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
                DialogRequest::ShowFolder(folder) => {
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
        let title = match &self.state.document.editing.open {
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
        let mut commands = vec![];
        closing::intercept_close(ctx, &self.state, &mut self.closing, &mut commands);
        for command in commands {
            self.state.apply(command);
        }
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
            commands.push(WindowCommand::Drop(dropped).into());
        }
        workbench_ui(ui, &self.state, &mut self.panels, &mut commands);
        closing::close_dialog_ui(&ctx, &self.state, &mut self.closing, &mut commands);
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
        self.state.apply(DocumentCommand::Cancel);
        self.state
            .apply(Command::Models(ModelsCommand::CancelAdding));
        self.state.flush();
        self.pools.send(&mut self.state);
        self.pools.finish();
    }
}
