//! The window system's own file dialogs, each on a thread, so that the window keeps drawing.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use std::time::{Duration, Instant};

use egui::Context;

use canopy_app::{Command, DialogKind, DialogRequest};

/// Nobody closes a dialog as fast as this: there was none.
const AT_ONCE: Duration = Duration::from_millis(400);

/// How a dialog ended.
#[derive(Debug)]
pub(crate) enum Answer {
    Command(Command),
    Cancelled,
    /// This system has no dialogs; the window asks itself.
    Unavailable(DialogRequest),
}

/// Dialogs that are open, and how they end.
pub(crate) struct Dialogs {
    answers: Receiver<Answer>,
    sender: Sender<Answer>,
    num_open: usize,
}

impl Default for Dialogs {
    fn default() -> Self {
        let (sender, answers) = channel();
        Self {
            answers,
            sender,
            num_open: 0,
        }
    }
}

impl Dialogs {
    /// The dialogs that were closed.
    pub(crate) fn answers(&mut self) -> Vec<Answer> {
        let answers = self.answers.try_iter().collect::<Vec<_>>();
        self.num_open = self.num_open.saturating_sub(answers.len());
        answers
    }

    /// Opens a dialog; one at a time.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(crate) fn open(&mut self, ctx: &Context, ask: DialogRequest) -> std::io::Result<()> {
        if self.num_open > 0 {
            return Ok(());
        }
        let (sender, ctx) = (self.sender.clone(), ctx.clone());
        let show = move || {
            let started = Instant::now();
            let answer = match answer(ask.clone()) {
                Some(command) => Answer::Command(command),
                None if started.elapsed() < AT_ONCE => Answer::Unavailable(ask),
                None => Answer::Cancelled,
            };
            // The window may have been closed meanwhile.
            let _ = sender.send(answer);
            ctx.request_repaint();
        };
        std::thread::Builder::new()
            .name("canopy-dialog".to_owned())
            .spawn(show)?;
        self.num_open += 1;
        Ok(())
    }
}

fn answer(ask: DialogRequest) -> Option<Command> {
    let (title, pick) = ask.pick()?;
    let dialog = in_folder(ask.folder().cloned()).set_title(title);
    let path = match pick {
        DialogKind::File(name, extensions) => dialog
            .add_filter(name, &extensions)
            .add_filter("All files", &["*"])
            .pick_file(),
        DialogKind::Folder => dialog.pick_folder(),
        DialogKind::NewFile(name) => dialog.set_file_name(name).save_file(),
    };
    path.map(|path| ask.answer(path, true))
}

fn in_folder(folder: Option<PathBuf>) -> rfd::FileDialog {
    let dialog = rfd::FileDialog::new();
    match folder {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}
