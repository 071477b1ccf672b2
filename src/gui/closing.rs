//! Closing the window: it is held back until everything is written, with a question where work is under way or could not be kept,
//! and closes when that is done.

use egui::{Context, Id, RichText, ViewportCommand};

use super::theme::{self, Palette};
use super::training::{Closing, closing_ui, losing_ui};
use canopy_app::actions::label_of;
use canopy_app::training::TrainingCommand;
use canopy_app::{AppState, Command, DocumentCommand, SaveCommand, WindowCommand};
use canopy_train::Order;

/// Progress of closing the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseState {
    /// Asks what becomes of the runs.
    Asking,
    /// Reminds the user that the translation is in no file yet.
    Reminding,
    /// Until the runs have ended.
    Waiting,
    /// Until everything is written.
    Writing,
    /// Something could not be written, or not yet.
    Unwritten,
    /// Close, whatever is lost.
    Sure,
}

/// The choice about work that could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unwritten {
    Again,
    Lose,
    Stay,
}

/// Keeps a window from closing in which something is under way or not written, and closes it when that is done. Also
/// while it is minimised: then nothing else is called.
pub(crate) fn intercept_close(
    ctx: &Context,
    state: &AppState,
    closing: &mut Option<CloseState>,
    commands: &mut Vec<Command>,
) {
    let (close_requested, is_hidden) = ctx.input(|input| {
        let viewport = input.viewport();
        (
            viewport.close_requested(),
            viewport.visible() == Some(false),
        )
    });
    let show = || {
        if is_hidden {
            ctx.send_viewport_cmd(ViewportCommand::Minimized(false));
            ctx.send_viewport_cmd(ViewportCommand::Focus);
        }
    };
    let busy = state.training.runs.is_busy();
    if close_requested && *closing != Some(CloseState::Sure) {
        let next = match *closing {
            // A second request of a user who no longer wants to wait.
            Some(CloseState::Writing | CloseState::Unwritten) => Some(CloseState::Unwritten),
            _ if busy || state.lost_by_closing().is_some() => Some(CloseState::Asking),
            _ if state
                .document
                .reminds_of_saving(&state.shared, &state.projects) =>
            {
                Some(CloseState::Reminding)
            }
            _ if state.has_last_writes() => {
                commands.push(WindowCommand::WriteLast.into());
                Some(CloseState::Writing)
            }
            _ => None,
        };
        if next.is_some() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            *closing = next;
        }
        let questions = [
            CloseState::Asking,
            CloseState::Reminding,
            CloseState::Unwritten,
        ];
        if next.is_some_and(|next| questions.contains(&next)) {
            show();
        }
    }
    if *closing == Some(CloseState::Waiting) && !busy {
        ctx.send_viewport_cmd(ViewportCommand::Close);
    }
    // The commands of this frame are carried out after it.
    let begins = commands.contains(&WindowCommand::WriteLast.into());
    let is_writing = begins || state.shared.is_writing_last();
    let is_written = *closing == Some(CloseState::Writing) && !is_writing;
    if is_written && state.shared.last_failures().is_empty() {
        ctx.send_viewport_cmd(ViewportCommand::Close);
        *closing = Some(CloseState::Sure);
    } else if is_written {
        *closing = Some(CloseState::Unwritten);
        show();
    }
}

/// Closes the window, once everything is written.
fn close(
    ctx: &Context,
    state: &AppState,
    closing: &mut Option<CloseState>,
    commands: &mut Vec<Command>,
) {
    if state.has_last_writes() {
        commands.push(WindowCommand::WriteLast.into());
        *closing = Some(CloseState::Writing);
    } else {
        ctx.send_viewport_cmd(ViewportCommand::Close);
        *closing = Some(CloseState::Sure);
    }
}

/// Asks what becomes of work that is under way, in no file or not written.
pub fn close_dialog_ui(
    ctx: &Context,
    state: &AppState,
    closing: &mut Option<CloseState>,
    commands: &mut Vec<Command>,
) {
    match *closing {
        Some(CloseState::Unwritten) => match unwritten_ui(ctx, state) {
            Some(Unwritten::Again) => close(ctx, state, closing, commands),
            Some(Unwritten::Lose) => {
                ctx.send_viewport_cmd(ViewportCommand::Close);
                *closing = Some(CloseState::Sure);
            }
            Some(Unwritten::Stay) => *closing = None,
            None => {}
        },
        Some(CloseState::Reminding) => match reminder_ui(ctx) {
            Some(Reminded::Save) => {
                *closing = None;
                commands.push(SaveCommand::SaveAs.into());
            }
            Some(Reminded::Quit) => {
                commands.push(DocumentCommand::LeaveUnsaved.into());
                close(ctx, state, closing, commands);
            }
            Some(Reminded::Stay) => *closing = None,
            None => {}
        },
        Some(CloseState::Asking) => ask_about_jobs(ctx, state, closing, commands),
        Some(CloseState::Waiting | CloseState::Writing | CloseState::Sure) | None => {}
    }
}

/// Asks what becomes of runs and other jobs that are under way.
fn ask_about_jobs(
    ctx: &Context,
    state: &AppState,
    closing: &mut Option<CloseState>,
    commands: &mut Vec<Command>,
) {
    let busy = state.training.runs.is_busy();
    let answer = match state.lost_by_closing() {
        _ if busy => closing_ui(ctx, state),
        Some(lost) => losing_ui(ctx, lost),
        // It has ended meanwhile.
        None => Some(Closing::Abandon),
    };
    let order_all = |order| Command::Training(TrainingCommand::OrderAll(order));
    match answer {
        Some(Closing::Stay) => *closing = None,
        Some(Closing::Finish) => *closing = Some(CloseState::Waiting),
        Some(Closing::Pause) => {
            *closing = Some(CloseState::Waiting);
            commands.push(order_all(Order::Stop));
        }
        Some(Closing::Abandon) if busy => {
            *closing = Some(CloseState::Waiting);
            commands.push(order_all(Order::Abandon));
        }
        Some(Closing::Abandon) => close(ctx, state, closing, commands),
        None => {}
    }
}

/// The choice about a translation that is in no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reminded {
    Save,
    Quit,
    Stay,
}

/// Reminds the user that the translation is in no file; `None` until answered.
fn reminder_ui(ctx: &Context) -> Option<Reminded> {
    let mut answer = None;
    let modal = theme::modal(ctx, Id::unique("reminder")).show(ctx, |ui| {
        let palette = Palette::from_ui(ui);
        ui.set_width(460.0);
        ui.heading("The translated file has not been saved");
        ui.add_space(6.0);
        let text = "Your work is kept and comes back with the document. Save translation as… writes the file.";
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            let label = label_of(&Command::from(SaveCommand::SaveAs));
            if ui.add(theme::primary(ui, label)).clicked() {
                answer = Some(Reminded::Save);
            }
            for (label, reminded) in [("Quit", Reminded::Quit), ("Cancel", Reminded::Stay)] {
                if ui.button(label).clicked() {
                    answer = Some(reminded);
                }
            }
        });
    });
    if modal.should_close() {
        return answer.or(Some(Reminded::Stay));
    }
    answer
}

/// Asks what becomes of work that is not written; `None` until a person has answered.
fn unwritten_ui(ctx: &Context, state: &AppState) -> Option<Unwritten> {
    let mut answer = None;
    let modal = theme::modal(ctx, Id::unique("unwritten")).show(ctx, |ui| {
        let palette = Palette::from_ui(ui);
        ui.set_width(460.0);
        let (heading, reasons) = match state.shared.last_failures() {
            [] => ("Your work is still being saved", String::new()),
            failures => ("Your work could not be saved", failures.join("\n")),
        };
        ui.heading(heading);
        ui.add_space(6.0);
        if !reasons.is_empty() {
            ui.label(RichText::new(reasons).color(palette.text));
            ui.add_space(6.0);
        }
        let text = "Unsaved work is lost if the window closes now.";
        ui.label(RichText::new(text).color(palette.weak));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            if ui.add(theme::primary(ui, "Try again")).clicked() {
                answer = Some(Unwritten::Again);
            }
            if ui.button("Close anyway").clicked() {
                answer = Some(Unwritten::Lose);
            }
            if ui.button("Keep open").clicked() {
                answer = Some(Unwritten::Stay);
            }
        });
    });
    if modal.should_close() {
        return answer.or(Some(Unwritten::Stay));
    }
    answer
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable;
    use std::sync::Arc;

    use egui::{RawInput, ViewportEvent, ViewportId};
    use egui_kittest::Harness;

    use super::*;
    use canopy_app::error::Error;
    use canopy_app::jobs::{Event, FileRequest, JobId};
    use canopy_app::training::Queued;
    use canopy_app::{DocumentEvent, EditCommand, Folders, Settings, Shipped, Written};
    use canopy_document::document::{Document, Format};

    /// The answer of a minimised window to a request to close.
    fn commands_on_close(
        state: &mut AppState,
        closing: &mut Option<CloseState>,
    ) -> Vec<ViewportCommand> {
        minimised(state, closing, &[ViewportEvent::Close])
    }

    fn minimised(
        state: &mut AppState,
        closing: &mut Option<CloseState>,
        events: &[ViewportEvent],
    ) -> Vec<ViewportCommand> {
        let mut input = RawInput::default();
        let window = input.viewports.entry(ViewportId::ROOT).or_default();
        window.events.extend(events.iter().copied());
        window.minimized = Some(true);
        let mut applied = vec![];
        let output = Context::default().run_logic(&input, |ctx| {
            intercept_close(ctx, state, closing, &mut applied);
        });
        for command in applied {
            state.apply(command);
        }
        let commands = output.viewport_commands.get(&ViewportId::ROOT);
        commands.cloned().unwrap_or_default()
    }

    #[test]
    fn a_minimised_window_is_held_back_while_a_run_is_under_way() {
        let mut state = AppState::default();
        let mut closing = None;
        assert_eq!(commands_on_close(&mut state, &mut closing), []);
        state.training.runs.queue.push(Queued {
            job: JobId(1),
            folder: "run".into(),
        });
        let held = [
            ViewportCommand::CancelClose,
            ViewportCommand::Minimized(false),
            ViewportCommand::Focus,
        ];
        // Asked again where the window was to wait for the run.
        for before in [None, Some(CloseState::Waiting)] {
            closing = before;
            assert_eq!(commands_on_close(&mut state, &mut closing), held);
            assert_eq!(closing, Some(CloseState::Asking));
        }
    }

    /// A window with an edit that is not on the disk yet, and what it writes on a request to close.
    fn with_an_edit() -> (AppState, Option<CloseState>, Vec<FileRequest>) {
        let folders = Folders {
            data: Some("data".into()),
            config: None,
        };
        let mut state = AppState::new(folders, Settings::default(), Shipped::default());
        state.apply(WindowCommand::OpenPath("page.txt".into()));
        let job = state.document.opening.as_ref().expect("it is opened").0;
        let page = Document::parse("page.txt", Format::Text, "Print the page.".to_owned());
        state.receive(DocumentEvent::Opened {
            job,
            path: "page.txt".into(),
            document: Arc::new(page.expect("a page")),
            project: None,
            project_error: None,
        });
        state.apply(EditCommand::StartWith("Seite drucken".to_owned()));
        state
            .document
            .editing
            .open
            .as_mut()
            .expect("a page")
            .written = Some(Written {
            path: "seite.txt".into(),
            digest: String::new(),
            language: None,
        });
        state.shared.file_requests.clear();
        let mut closing = None;
        assert_eq!(
            commands_on_close(&mut state, &mut closing),
            [ViewportCommand::CancelClose]
        );
        assert_eq!(closing, Some(CloseState::Writing));
        let requests = std::mem::take(&mut state.shared.file_requests);
        let saves = |request: &FileRequest| matches!(request, FileRequest::SaveProject { project, .. } if project.targets[0].text == "Seite drucken");
        assert!(requests.iter().any(saves));
        assert_eq!(minimised(&mut state, &mut closing, &[]), []);
        (state, closing, requests)
    }

    /// The file thread's answers to `requests` when the disk is full or has room again.
    fn written(state: &mut AppState, requests: Vec<FileRequest>, is_full: bool) {
        for request in requests {
            match request {
                FileRequest::SaveProject { job, .. } if is_full => {
                    let cause = std::io::Error::other("no space left on device");
                    let error = Error::write("project.json")(cause);
                    state.receive(Event::Failed { job, error });
                }
                FileRequest::Flush { job } => state.receive(Event::Flushed { job }),
                _ => {}
            }
        }
    }

    #[test]
    fn a_window_closes_when_its_work_is_written() {
        let (mut state, mut closing, requests) = with_an_edit();
        written(&mut state, requests, false);
        let commands = minimised(&mut state, &mut closing, &[]);
        assert_eq!(commands, [ViewportCommand::Close]);
        assert_eq!(commands_on_close(&mut state, &mut closing), []);
    }

    /// The dialog of a window that is about to close.
    fn harness_with_question(
        state: AppState,
        closing: Option<CloseState>,
    ) -> Harness<'static, (AppState, Option<CloseState>)> {
        let mut harness = Harness::builder()
            .with_context_setup(crate::install_theme)
            .build_ui_state(
                |ui, (state, closing): &mut (AppState, Option<CloseState>)| {
                    let mut commands = vec![];
                    close_dialog_ui(ui.ctx(), state, closing, &mut commands);
                    for command in commands {
                        state.apply(command);
                    }
                },
                (state, closing),
            );
        harness.run_steps(4);
        harness
    }

    #[test]
    fn work_that_cannot_be_written_is_lost_only_where_a_person_says_so() {
        for (label, expected) in [
            ("Close anyway", Some(CloseState::Sure)),
            ("Keep open", None),
            ("Try again", Some(CloseState::Writing)),
        ] {
            let (mut state, mut closing, requests) = with_an_edit();
            written(&mut state, requests, true);
            let shown = [ViewportCommand::Minimized(false), ViewportCommand::Focus];
            assert_eq!(minimised(&mut state, &mut closing, &[]), shown);
            assert_eq!(closing, Some(CloseState::Unwritten));
            let mut harness = harness_with_question(state, closing);
            assert!(harness.query_by_label_contains("no space left").is_some());
            harness.get_by_label(label).click();
            harness.run_steps(4);
            let (state, closing) = harness.state_mut();
            assert_eq!(*closing, expected, "{label}");
            // What was not written is written again.
            let requests = std::mem::take(&mut state.shared.file_requests);
            let saves = |request: &FileRequest| matches!(request, FileRequest::SaveProject { .. });
            assert_eq!(requests.iter().any(saves), label == "Try again");
            if label == "Try again" {
                written(state, requests, false);
                let commands = minimised(state, closing, &[]);
                assert_eq!(commands, [ViewportCommand::Close]);
            }
        }
    }

    #[test]
    fn quitting_without_a_translated_file_says_so_once() {
        for (label, expected) in [
            ("Save translation as…", None),
            ("Cancel", None),
            ("Quit", Some(CloseState::Writing)),
        ] {
            let (mut state, _, _) = with_an_edit();
            state
                .document
                .editing
                .open
                .as_mut()
                .expect("a page")
                .written = None;
            state.shared.file_requests.clear();
            let mut closing = None;
            let held = commands_on_close(&mut state, &mut closing);
            assert!(held.contains(&ViewportCommand::CancelClose));
            assert_eq!(closing, Some(CloseState::Reminding));
            let mut harness = harness_with_question(state, closing);
            harness.get_by_label(label).click();
            harness.run_steps(4);
            let (state, closing) = harness.state_mut();
            assert_eq!(*closing, expected, "{label}");
            assert_eq!(
                state.shared.asks.len(),
                usize::from(label.starts_with("Save"))
            );
            assert_eq!(
                state
                    .document
                    .reminds_of_saving(&state.shared, &state.projects),
                label != "Quit",
                "once"
            );
        }
    }
}
