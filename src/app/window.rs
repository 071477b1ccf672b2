//! Commands of the window itself: what it opens, which page it shows, how it looks.

use std::path::PathBuf;

use super::ask::DialogRequest;
use super::command::{HelpPage, Page};
use super::machines::MachineCommand;
use super::settings::Theme;
use super::state::AppState;

/// A command of no page.
#[derive(Debug, Clone, PartialEq)]
pub enum WindowCommand {
    /// Asks for a file.
    Open,
    /// Opens the file or folder at this path.
    OpenPath(PathBuf),
    /// Files and folders that were dropped together.
    Drop(Vec<PathBuf>),
    /// Asks to end the program.
    Quit,
    /// Writes everything before the window closes.
    WriteLast,
    /// Shows a folder in the system's file manager.
    ShowFolder(PathBuf),
    /// Shows the folder of work, models and the log.
    ShowDataFolder,
    /// Shows this page.
    ShowPage(Page),
    /// Shows a page of help over the window, or none.
    ShowHelp(Option<HelpPage>),
    /// Shows the list of shortcuts, or hides it.
    ShowShortcuts(bool),
    /// Shows the list of shortcuts if it is hidden, else hides it.
    ToggleShortcuts,
    /// Closes the message of this number.
    DismissNotice(u64),
    /// Chooses the colours of the window.
    SetTheme(Theme),
    /// Draws everything one step larger.
    ScaleUp,
    /// Draws everything one step smaller.
    ScaleDown,
    /// Draws everything in the usual size.
    ScaleToUsual,
    /// A command on machines that compute for this one.
    Machine(MachineCommand),
}

impl AppState {
    pub(super) fn execute_window(&mut self, command: WindowCommand) {
        use WindowCommand as C;
        let shared = &mut self.shared;
        match command {
            C::Open => {
                let folder = self.document.editing.document_folder(shared);
                shared.asks.push(DialogRequest::OpenDocument { folder });
            }
            C::OpenPath(path) => self.open(path),
            C::Drop(paths) => self.open_dropped(paths),
            C::Quit => shared.asks.push(DialogRequest::Quit),
            C::WriteLast => self.write_last(),
            C::ShowFolder(folder) => shared.asks.push(DialogRequest::ShowFolder(folder)),
            C::ShowDataFolder => {
                let folder = shared.folders.data.clone();
                shared.asks.extend(folder.map(DialogRequest::ShowFolder));
            }
            C::ShowPage(page) => self.show_page(page),
            C::ShowHelp(page) => self.help = page,
            C::ShowShortcuts(shows) => self.shows_shortcuts = shows,
            C::ToggleShortcuts => self.shows_shortcuts = !self.shows_shortcuts,
            C::DismissNotice(id) => shared.notices.retain(|notice| notice.id != id),
            C::SetTheme(theme) => shared.set(|settings| settings.theme = theme),
            C::ScaleUp => shared.scale(true),
            C::ScaleDown => shared.scale(false),
            C::ScaleToUsual => shared.set(|settings| settings.scale = 100),
            C::Machine(command) => self.execute_machine(command),
        }
    }

    fn show_page(&mut self, page: Page) {
        match page {
            Page::Explore => {
                self.with_explorer(|explorer, models, work| explorer.show_page(work, models));
            }
            Page::Project => self
                .projects
                .show_project(&mut self.shared, &mut self.document),
            Page::Training | Page::Evaluate => {
                self.look_for_missing();
                self.shared.page = page;
            }
            Page::Document | Page::Models | Page::Align => self.shared.page = page,
        }
    }

    /// Whether the command would do something now.
    pub(super) fn is_enabled_window(&self, command: &WindowCommand) -> bool {
        let settings = &self.shared.settings;
        match command {
            WindowCommand::ScaleUp => settings.stepped_scale(true) != settings.scale,
            WindowCommand::ScaleDown => settings.stepped_scale(false) != settings.scale,
            WindowCommand::ScaleToUsual => settings.scale != 100,
            WindowCommand::ShowPage(Page::Project) => self.projects.open.is_some(),
            _ => true,
        }
    }
}
