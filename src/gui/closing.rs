//! Closing the window while something is under way: it is held back, asks, and closes when that is done.

use egui::{Context, ViewportCommand};

use super::training::{Closing, closing_ui, losing_ui};
use crate::app::AppState;
use crate::training::Order;

/// How far the closing of the window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseState {
    Asking,
    /// Until the runs have ended.
    Waiting,
    /// Whatever is lost.
    Sure,
}

/// Keeps a window from closing in which something is under way, and closes it when the runs have ended. Also while it
/// is minimised: then nothing else is called.
pub fn hold(ctx: &Context, state: &AppState, closing: &mut Option<CloseState>) {
    let (asked, is_hidden) = ctx.input(|input| {
        let viewport = input.viewport();
        (
            viewport.close_requested(),
            viewport.visible() == Some(false),
        )
    });
    let busy = state.training.is_busy();
    let held = busy || state.lost_by_closing().is_some();
    if asked && held && *closing != Some(CloseState::Sure) {
        ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        if is_hidden {
            ctx.send_viewport_cmd(ViewportCommand::Minimized(false));
            ctx.send_viewport_cmd(ViewportCommand::Focus);
        }
        // Once more of whoever no longer wants to wait.
        *closing = Some(CloseState::Asking);
    }
    if *closing == Some(CloseState::Waiting) && !busy {
        ctx.send_viewport_cmd(ViewportCommand::Close);
    }
}

/// Asks what becomes of it; returns the order to all runs, if they get one.
pub fn ask(ctx: &Context, state: &AppState, closing: &mut Option<CloseState>) -> Option<Order> {
    if *closing != Some(CloseState::Asking) {
        return None;
    }
    let busy = state.training.is_busy();
    let answer = match state.lost_by_closing() {
        _ if busy => closing_ui(ctx, state),
        Some(lost) => losing_ui(ctx, lost),
        // It has ended meanwhile.
        None => Some(Closing::Abandon),
    };
    let (next, order) = match answer? {
        Closing::Stay => (None, None),
        Closing::Finish => (Some(CloseState::Waiting), None),
        Closing::Pause => (Some(CloseState::Waiting), Some(Order::Stop)),
        Closing::Abandon if busy => (Some(CloseState::Waiting), Some(Order::Abandon)),
        Closing::Abandon => {
            ctx.send_viewport_cmd(ViewportCommand::Close);
            (Some(CloseState::Sure), None)
        }
    };
    *closing = next;
    order
}

#[cfg(test)]
mod tests {
    use egui::{RawInput, ViewportEvent, ViewportId};

    use super::*;
    use crate::app::training::Queued;
    use crate::jobs::JobId;

    /// What a minimised window does that is told to close.
    fn told_to_close(state: &AppState, closing: &mut Option<CloseState>) -> Vec<ViewportCommand> {
        let mut input = RawInput::default();
        let window = input.viewports.entry(ViewportId::ROOT).or_default();
        window.events.push(ViewportEvent::Close);
        window.minimized = Some(true);
        let output = Context::default().run_logic(&input, |ctx| hold(ctx, state, closing));
        let commands = output.viewport_commands.get(&ViewportId::ROOT);
        commands.cloned().unwrap_or_default()
    }

    #[test]
    fn a_minimised_window_is_held_back_while_a_run_is_under_way() {
        let mut state = AppState::default();
        let mut closing = None;
        assert_eq!(told_to_close(&state, &mut closing), []);
        state.training.queue.push(Queued {
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
            assert_eq!(told_to_close(&state, &mut closing), held);
            assert_eq!(closing, Some(CloseState::Asking));
        }
    }
}
