//! Asks for a path to be typed: the way where the system has no file dialogs.

use std::path::{Path, PathBuf};

use egui::{Context, Id, Key, Modifiers, RichText};

use super::theme::{self, Palette};
use canopy_app::{Ask, Command, Pick};

/// The question and what has been typed so far.
pub struct PathQuestion {
    ask: Ask,
    text: String,
    focused: bool,
    /// Whether it has been said that the file is there, so that the next answer replaces it.
    warned: bool,
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
            warned: false,
        })
    }

    /// Shows the question; `true` when it has been answered or given up.
    pub fn ui(&mut self, ctx: &Context, commands: &mut Vec<Command>) -> bool {
        let Some((title, pick)) = self.ask.pick() else {
            return true;
        };
        let saves = matches!(pick, Pick::NewFile(_));
        let label = if saves { "Save" } else { "Open" };
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
            if response.changed() {
                self.warned = false;
            }
            if self.warned {
                let warning = "A file of this name is there; save again to replace it.";
                ui.label(RichText::new(warning).color(palette.warning));
            }
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                let answered = ui.button(label).clicked() || entered;
                if answered && !self.text.trim().is_empty() {
                    if !self.warned && saves && self.path().is_file() {
                        self.warned = true;
                    } else {
                        commands.push(self.ask.clone().answer(self.path(), self.warned));
                        done = true;
                    }
                }
                done |= ui.button("Cancel").clicked();
            });
        });
        done || modal.backdrop_response.clicked()
    }

    fn path(&self) -> PathBuf {
        expanded(self.text.trim(), std::env::home_dir())
    }
}

/// With the home folder in place of a `~` in front, as shells have it.
fn expanded(text: &str, home: Option<PathBuf>) -> PathBuf {
    let path = Path::new(text);
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use canopy_app::EvaluateCommand;

    #[test]
    fn a_tilde_in_front_is_the_home_folder() {
        let home = || Some(PathBuf::from("home"));
        for (text, expected) in [
            ("~/page.html", "home/page.html"),
            ("~", "home"),
            ("~other/page.html", "~other/page.html"),
            ("here/~", "here/~"),
        ] {
            assert_eq!(expanded(text, home()), Path::new(expected));
        }
        assert_eq!(expanded("~/page.html", None), Path::new("~/page.html"));
    }

    #[test]
    fn an_existing_file_goes_only_when_it_is_saved_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new] = ["old.csv", "new.csv"].map(|name| folder.path().join(name));
        std::fs::write(&old, "mine").expect("a file");
        let warning = "A file of this name is there; save again to replace it.";
        for (path, answers) in [(new, 1), (old, 2)] {
            let name = path.to_string_lossy().into_owned();
            let question = PathQuestion::new(Ask::Scores { name }).expect("a question");
            let commands: Vec<Command> = Vec::new();
            let mut harness = Harness::builder()
                .with_context_setup(crate::install_theme)
                .build_ui_state(
                    |ui, (question, commands): &mut (PathQuestion, Vec<Command>)| {
                        if commands.is_empty() {
                            question.ui(ui.ctx(), commands);
                        }
                    },
                    (question, commands),
                );
            harness.run_steps(4);
            for answer in 1..=answers {
                assert!(harness.state().1.is_empty());
                assert_eq!(harness.query_by_label(warning).is_some(), answer > 1);
                harness.get_by_label("Save").click();
                harness.run_steps(4);
            }
            let expected = Command::Evaluate(EvaluateCommand::Save(path));
            assert_eq!(harness.state().1, [expected]);
        }
    }
}
