//! Asks for a path to be typed: the way where the system has no file dialogs.

use std::path::PathBuf;

use egui::{Context, Id, Key, Modifiers, RichText};

use super::theme::{self, Palette};
use crate::app::{Ask, Command, Pick};

/// The question and what has been typed so far.
pub struct PathQuestion {
    ask: Ask,
    text: String,
    focused: bool,
}

impl PathQuestion {
    /// `None` if the question is not about a path.
    pub fn new(ask: Ask) -> Option<Self> {
        let (_, pick) = ask.pick()?;
        let folder = ask.folder().cloned().unwrap_or_default();
        let start = match pick {
            Pick::NewFile(name) => folder.join(name),
            Pick::File(..) | Pick::Folder => folder.join(""),
        };
        Some(Self {
            ask,
            text: start.to_string_lossy().into_owned(),
            focused: false,
        })
    }

    /// Shows the question; `true` when it has been answered or given up.
    pub fn ui(&mut self, ctx: &Context, commands: &mut Vec<Command>) -> bool {
        let Some((title, pick)) = self.ask.pick() else {
            return true;
        };
        let label = match pick {
            Pick::NewFile(_) => "Save",
            Pick::File(..) | Pick::Folder => "Open",
        };
        let mut done = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        let entered = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
        let modal = theme::modal(ctx, Id::unique("path question")).show(ctx, |ui| {
            let palette = Palette::of(ui);
            ui.set_width(520.0);
            ui.heading(title);
            ui.add_space(4.0);
            let why = "This system offers no file dialog, so type the path here.";
            ui.label(RichText::new(why).color(palette.weak));
            ui.add_space(8.0);
            let edit = theme::text_field(ui, &mut self.text).desired_width(f32::INFINITY);
            let response = ui.add(edit.cursor_at_end(true)).accessible_name("Path");
            if !self.focused {
                response.request_focus();
                self.focused = true;
            }
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                let answered = ui.button(label).clicked() || entered;
                if answered && !self.text.trim().is_empty() {
                    commands.push(self.answer());
                    done = true;
                }
                done |= ui.button("Cancel").clicked();
            });
        });
        done || modal.backdrop_response.clicked()
    }

    fn answer(&self) -> Command {
        let path = PathBuf::from(self.text.trim());
        // Nothing has asked yet whether an existing file may go.
        self.ask.clone().answer(path, false)
    }
}
