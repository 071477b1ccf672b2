//! The menu of a sentence, and what a click on its row does.

use egui::{Button, Response, RichText, Ui};

use crate::shortcuts::written;
use canopy_app::actions::action_for;
use canopy_app::{
    AlternativesCommand, Command, DocumentCommand, EditCommand, GoCommand, Scope, SegmentsCommand,
    TermsCommand,
};

pub(super) fn clicks(
    source: &Response,
    target: &Response,
    menu: SentenceMenu<'_>,
    editing: bool,
    commands: &mut Vec<Command>,
) {
    for side in [source, target] {
        if (side.clicked() || side.secondary_clicked()) && !editing {
            commands.push(GoCommand::Select(menu.sentence).into());
        }
        side.context_menu(|ui| menu.ui(ui, commands));
    }
    if target.double_clicked() && !editing {
        commands.push(EditCommand::Start(menu.sentence).into());
    }
}

/// The context menu of a sentence.
#[derive(Clone, Copy)]
pub(super) struct SentenceMenu<'a> {
    pub(super) sentence: usize,
    /// Its text and its translation, as a reader sees them.
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    pub(super) has_memory: bool,
}

impl SentenceMenu<'_> {
    fn ui(self, ui: &mut Ui, commands: &mut Vec<Command>) {
        ui.set_min_width(250.0);
        let is_translated = !self.target.is_empty();
        let mut group = |ui: &mut Ui, entries: &[(bool, Command)]| {
            for (enabled, command) in entries {
                if action_entry_ui(ui, *enabled, command) {
                    // That of the menu: another one may be selected meanwhile.
                    commands.push(GoCommand::Select(self.sentence).into());
                    commands.push(command.clone());
                }
            }
        };
        group(
            ui,
            &[
                (true, Command::from(EditCommand::StartSelected)),
                (
                    true,
                    Command::Document(DocumentCommand::Translate(Scope::SelectedSentence)),
                ),
                (
                    true,
                    Command::Document(DocumentCommand::Translate(Scope::SelectedSection)),
                ),
                (true, Command::from(AlternativesCommand::Find)),
            ],
        );
        ui.separator();
        group(
            ui,
            &[
                (
                    self.has_memory,
                    Command::Document(DocumentCommand::UseMatch(0)),
                ),
                (true, Command::from(EditCommand::CopySourceSelected)),
                (is_translated, Command::from(EditCommand::ClearSelected)),
            ],
        );
        let button = Button::new("Confirm / Unconfirm");
        let is_confirming = ui.add_enabled(is_translated, button).clicked();
        ui.separator();
        for (label, text) in [
            ("Copy source text", self.source),
            ("Copy translation", self.target),
        ] {
            let button = Button::new(label);
            if ui.add_enabled(!text.is_empty(), button).clicked() {
                ui.ctx().copy_text(text.to_owned());
            }
        }
        ui.separator();
        group(
            ui,
            &[
                (true, Command::from(TermsCommand::New)),
                (true, Command::from(SegmentsCommand::Split)),
                (true, Command::from(SegmentsCommand::Join)),
            ],
        );
        ui.separator();
        group(
            ui,
            &[(true, Command::Document(DocumentCommand::ToggleHistory))],
        );
        if is_confirming {
            commands.push(EditCommand::ToggleConfirmed(self.sentence).into());
        }
    }
}

/// An entry of a menu with the label and the key of its command; `true` where it is clicked.
fn action_entry_ui(ui: &mut Ui, enabled: bool, command: &Command) -> bool {
    let Some(action) = action_for(command) else {
        return false;
    };
    let is_mac = ui.ctx().os().is_mac();
    let shortcut = action.shortcut.map(|shortcut| written(shortcut, is_mac));
    let shortcut = RichText::new(shortcut.unwrap_or_default()).size(12.5);
    let button = Button::new(action.label).shortcut_text(shortcut);
    ui.add_enabled(enabled, button).clicked()
}
