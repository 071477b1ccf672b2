//! A field for typing a path, where the system has no file dialogs.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, EventFilter, Id, Key, Modifiers, RichText, Ui};

use super::theme::{self, Palette};
use canopy_app::{Command, DialogKind, DialogRequest};

/// Maximum number of completions that are shown.
const SHOWN: usize = 6;

/// The question and what has been typed so far.
pub struct PathQuestion {
    ask: DialogRequest,
    text: String,
    focused: bool,
    /// Whether the warning that the file exists is shown, so that the next answer replaces it.
    warned: bool,
    /// Why the last answer cannot be.
    problem: Option<String>,
    /// Whether something was typed that Tab has not gone on with: else it leaves the field.
    is_typed: bool,
    /// The names that begin as the last one typed, which another thread looks for.
    looking: Option<Receiver<Names>>,
    names: Vec<String>,
}

/// Names in a folder that begin as one that is being typed; those of folders end in a separator.
struct Names {
    /// The text that they were looked for.
    text: String,
    names: Vec<String>,
}

impl PathQuestion {
    /// `None` if the question is not about a path.
    pub fn new(ask: DialogRequest) -> Option<Self> {
        let (_, pick) = ask.pick()?;
        let folder = ask.folder().cloned().unwrap_or_default();
        let start = match pick {
            DialogKind::NewFile(name) => folder.join(name),
            DialogKind::File(..) | DialogKind::Folder => folder.join(""),
        };
        Some(Self {
            ask,
            text: start.to_string_lossy().into_owned(),
            focused: false,
            warned: false,
            problem: None,
            is_typed: false,
            looking: None,
            names: Vec::new(),
        })
    }

    /// Shows the question; `true` when it has been answered or given up.
    pub fn ui(&mut self, ctx: &Context, commands: &mut Vec<Command>) -> bool {
        let Some((title, pick)) = self.ask.pick() else {
            return true;
        };
        let mut done = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        let entered = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
        self.take_names(ctx);
        let modal = theme::modal(ctx, Id::unique("path question")).show(ctx, |ui| {
            let palette = Palette::from_ui(ui);
            ui.set_width(520.0);
            ui.heading(title);
            ui.add_space(4.0);
            let why = "This system offers no file dialog, so type the path here. Tab completes it.";
            ui.label(RichText::new(why).color(palette.weak));
            ui.add_space(8.0);
            self.field_ui(ui);
            if self.warned {
                let warning = "A file of this name exists; save again to replace it.";
                ui.label(RichText::new(warning).color(palette.warning));
            }
            if let Some(problem) = &self.problem {
                ui.label(RichText::new(problem).color(palette.error));
            }
            if self.names.len() > 1 {
                ui.label(RichText::new(shown(&self.names)).color(palette.weak));
            }
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                let answered = ui.button(self.ask.button()).clicked() || entered;
                if answered && !self.text.trim().is_empty() {
                    done |= self.answer(&pick, commands);
                }
                done |= ui.button("Cancel").clicked();
            });
        });
        done || modal.backdrop_response.clicked()
    }

    fn field_ui(&mut self, ui: &mut Ui) {
        let id = field_id();
        if !self.focused {
            // Where the caret was belongs to the question before.
            TextEditState::default().store(ui.ctx(), id);
        }
        let filter = EventFilter {
            horizontal_arrows: true,
            tab: self.is_typed,
            ..EventFilter::default()
        };
        let edit = theme::text_field(ui, &mut self.text).desired_width(f32::INFINITY);
        let edit = edit.id(id).cursor_at_end(true).event_filter(filter);
        let response = ui.add(edit).accessible_name("Path");
        if !self.focused {
            response.request_focus();
            self.focused = true;
        }
        if self.is_typed
            && response.has_focus()
            && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Tab))
        {
            self.is_typed = false;
            self.complete(ui.ctx());
        }
        if response.changed() {
            self.is_typed = true;
            self.warned = false;
            self.problem = None;
            self.names.clear();
        }
    }

    /// Takes the path as the answer if it can be one; else says why not and stays.
    fn answer(&mut self, pick: &DialogKind, commands: &mut Vec<Command>) -> bool {
        let path = self.path();
        // A folder may be a project, or a model.
        let opens_all = matches!(self.ask, DialogRequest::OpenDocument { .. });
        self.problem = match pick {
            DialogKind::File(..) if path.is_dir() && !opens_all => {
                Some(format!("{} is a folder.", path.display()))
            }
            DialogKind::File(..) if !path.exists() => {
                Some(format!("The file {} does not exist.", path.display()))
            }
            DialogKind::Folder if path.is_file() => Some(format!("{} is a file.", path.display())),
            DialogKind::Folder if !path.exists() => {
                Some(format!("The folder {} does not exist.", path.display()))
            }
            DialogKind::NewFile(_)
                if path.is_dir() && !matches!(self.ask, DialogRequest::NewProject { .. }) =>
            {
                Some(format!("{} is a folder: add a name.", path.display()))
            }
            _ => None,
        };
        if self.problem.is_some() {
            return false;
        }
        let saves = matches!(pick, DialogKind::NewFile(_));
        if !self.warned && saves && path.is_file() {
            self.warned = true;
            return false;
        }
        commands.push(self.ask.clone().answer(path, self.warned));
        true
    }

    fn path(&self) -> PathBuf {
        expanded(self.text.trim(), std::env::home_dir())
    }

    /// Lists continuations of the path on a thread: a folder may be remote.
    fn complete(&mut self, ctx: &Context) {
        let (sender, looking) = channel();
        let (text, path, ctx) = (self.text.clone(), self.path(), ctx.clone());
        self.looking = Some(looking);
        std::thread::spawn(move || {
            let is_folder = text.ends_with(['/', MAIN_SEPARATOR]);
            let names = names_at(&path, is_folder);
            // The question may have been answered meanwhile.
            let _ = sender.send(Names { text, names });
            ctx.request_repaint();
        });
    }

    /// Goes on with the path as far as there is one way.
    fn take_names(&mut self, ctx: &Context) {
        let Some(Names { text, names }) = self.looking.as_ref().and_then(|it| it.try_recv().ok())
        else {
            return;
        };
        self.looking = None;
        if text != self.text {
            return;
        }
        let start = text.rfind(['/', MAIN_SEPARATOR]).map_or(0, |at| at + 1);
        let common = common_start(&names);
        if common.chars().count() > text[start..].chars().count() {
            self.text.replace_range(start.., &common);
        }
        self.names = names;
        let end = CCursorRange::one(CCursor::new(self.text.chars().count()));
        let mut state = TextEditState::load(ctx, field_id()).unwrap_or_default();
        state.cursor.set_char_range(Some(end));
        state.store(ctx, field_id());
    }
}

fn field_id() -> Id {
    Id::unique("path that is typed")
}

/// Names in the folder of a path that begin like its last component; all in it if it is that of a folder, which ends in a
/// separator.
fn names_at(path: &Path, is_folder: bool) -> Vec<String> {
    let (folder, beginning) = if is_folder {
        (path, String::new())
    } else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (path.parent().unwrap_or(Path::new("")), name.into_owned())
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        // As shells do it.
        let is_hidden = name.starts_with('.') && !beginning.starts_with('.');
        let fits = name.starts_with(&beginning) && !is_hidden;
        let end = if entry.path().is_dir() {
            MAIN_SEPARATOR.to_string()
        } else {
            String::new()
        };
        fits.then(|| name + &end)
    });
    let mut names: Vec<String> = found.collect();
    names.sort();
    names
}

/// The common prefix of all names.
fn common_start(names: &[String]) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let is_common = |end: &usize| names.iter().all(|name| name.starts_with(&first[..*end]));
    let ends = first
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    let end = ends.take_while(is_common).last().unwrap_or(0);
    first[..end].to_owned()
}

/// The first names in a line.
fn shown(names: &[String]) -> String {
    let mut line = names[..names.len().min(SHOWN)].join("   ");
    if names.len() > SHOWN {
        line += "   …";
    }
    line
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
    use canopy_app::{EvaluateCommand, WindowCommand};

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
        let warning = "A file of this name exists; save again to replace it.";
        for (path, answers) in [(new, 1), (old, 2)] {
            let name = path.to_string_lossy().into_owned();
            let question = PathQuestion::new(DialogRequest::Scores { name }).expect("a question");
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

    /// A window with a question, and its commands.
    fn harness_for(ask: DialogRequest) -> Harness<'static, (PathQuestion, Vec<Command>)> {
        let question = PathQuestion::new(ask).expect("a question");
        let mut harness = Harness::builder()
            .with_context_setup(crate::install_theme)
            .build_ui_state(
                |ui, (question, commands): &mut (PathQuestion, Vec<Command>)| {
                    if commands.is_empty() {
                        question.ui(ui.ctx(), commands);
                    }
                },
                (question, Vec::new()),
            );
        harness.run_steps(4);
        harness
    }

    fn typed(harness: &Harness<'static, (PathQuestion, Vec<Command>)>, text: &str) {
        let role = egui::accesskit::Role::TextInput;
        harness.get_by_role(role).type_text(text);
    }

    #[test]
    fn a_wrong_path_is_reported_and_can_be_corrected() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("page.html"), "<p>Print it.</p>").expect("written");
        let begin = Some(folder.path().to_owned());
        let mut harness = harness_for(DialogRequest::OpenDocument { folder: begin });
        // The caret is at the end.
        typed(&harness, "nothere.docx");
        harness.run_steps(4);
        harness.key_press(Key::Enter);
        harness.run_steps(4);
        let place = folder.path().join("nothere.docx");
        harness.get_by_label(&format!("The file {} does not exist.", place.display()));
        assert!(harness.state().1.is_empty());
        harness.state_mut().0.text = folder.path().join("page.html").display().to_string();
        harness.get_by_label("Open").click();
        harness.run_steps(4);
        let opens = Command::Window(WindowCommand::OpenPath(folder.path().join("page.html")));
        assert_eq!(harness.state().1, [opens]);
    }

    #[test]
    fn tab_goes_on_as_far_as_there_is_one_way() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["chapter-1.html", "chapter-2.html", "other.txt"] {
            std::fs::write(folder.path().join(name), "x").expect("written");
        }
        std::fs::create_dir(folder.path().join("drafts")).expect("a folder");
        let begin = Some(folder.path().to_owned());
        let mut harness = harness_for(DialogRequest::OpenDocument { folder: begin });
        let mut complete = |written: &str| {
            typed(&harness, written);
            harness.run_steps(2);
            harness.key_press(Key::Tab);
            for _ in 0..200 {
                harness.step();
                if harness.state().0.looking.is_none() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            harness.run_steps(3);
            harness.state().0.text.clone()
        };
        let place = |name: &str| folder.path().join(name).display().to_string();
        assert_eq!(complete("ch"), place("chapter-"));
        assert_eq!(complete("2"), place("chapter-2.html"));
        harness.get_by_role(egui::accesskit::Role::TextInput);
        let mut names = names_at(&folder.path().join("dr"), false);
        assert_eq!(names.pop(), Some(format!("drafts{MAIN_SEPARATOR}")));
    }

    #[test]
    fn the_button_says_what_it_does() {
        for (ask, label) in [
            (
                DialogRequest::NewProject {
                    name: "book".to_owned(),
                },
                "Create",
            ),
            (DialogRequest::AddModel, "Add"),
            (DialogRequest::ProjectFolder, "Open"),
        ] {
            let harness = harness_for(ask);
            assert!(harness.query_by_label(label).is_some(), "{label}");
        }
    }
}
