//! Scrolls lists and forms to the widget that has the keyboard focus.

use egui::accesskit::{Action, ActionRequest, TreeId};
use egui::{Context, Event, Id, Rect, Ui};

/// Frames until a nested list and its page have scrolled.
const FRAMES: u8 = 6;

/// Follows the keyboard from control to control.
#[derive(Default)]
pub(crate) struct FocusFollower {
    last: Option<Id>,
    frames_left: u8,
}

impl FocusFollower {
    /// Makes lists scroll to a control focused with Tab, where it is not fully visible.
    pub(crate) fn follow(&mut self, ctx: &Context) {
        let focused = ctx.memory(egui::Memory::focused);
        if focused != self.last {
            self.last = focused;
            // A clicked control is visible already.
            let clicks =
                ctx.input(|input| input.pointer.any_down() || input.pointer.any_released());
            self.frames_left = if clicks { 0 } else { FRAMES };
        }
        let Some(id) = focused.filter(|_| self.frames_left > 0) else {
            return;
        };
        self.frames_left -= 1;
        ctx.request_repaint();
        let widget = ctx.viewport(|viewport| viewport.prev_pass.widgets.get(id).copied());
        if widget.is_none_or(|widget| widget.interact_rect.contains_rect(widget.rect)) {
            return;
        }
        let request = ActionRequest {
            action: Action::ScrollIntoView,
            target_tree: TreeId::ROOT,
            target_node: id.accesskit_id(),
            data: None,
        };
        let event = Event::AccessKitActionRequest(request);
        ctx.input_mut(|input| input.events.push(event));
    }

    /// Where the control is that Tab has just led to, if it was drawn in this frame out of what `ui` shows.
    pub(crate) fn out_of_sight(&self, ui: &Ui) -> Option<Rect> {
        let id = self.last.filter(|_| self.frames_left > 0)?;
        let ctx = ui.ctx();
        let widget = ctx.viewport(|viewport| viewport.this_pass.widgets.get(id).copied());
        let place = widget?.rect;
        (!ui.clip_rect().contains_rect(place)).then_some(place)
    }
}
