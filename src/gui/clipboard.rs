//! Cut, copy and paste as entries of a menu, for the field that was written in last.

use egui::text_edit::TextEditState;
use egui::{Button, Context, Id, RichText, Ui, ViewportCommand};

use super::theme::Palette;
use canopy_app::AppState;
use canopy_app::jobs::State;
use canopy_document::placeholder::stripped;

fn last_id() -> Id {
    Id::unique("field written in last")
}

/// Notes the field that has the keyboard: a click on a menu takes it away.
pub(super) fn follow(ctx: &Context) {
    let focused = ctx.memory(egui::Memory::focused);
    if let Some(field) = focused.filter(|id| TextEditState::load(ctx, *id).is_some()) {
        ctx.data_mut(|data| data.insert_temp(last_id(), field));
    }
}

/// The field that was written in last, if it is still there.
fn last_field(ctx: &Context) -> Option<Id> {
    let field = ctx.data(|data| data.get_temp::<Id>(last_id()));
    field.filter(|id| ctx.read_response(*id).is_some())
}

/// Without a field *Copy* takes the translation of the selected sentence, or its source where there is none.
pub(super) fn entries_ui(ui: &mut Ui, state: &AppState) {
    let ctx = ui.ctx().clone();
    let field = last_field(&ctx);
    let sentence = sentence_text(state);
    let key = if ctx.os().is_mac() { "Cmd" } else { "Ctrl" };
    let text_color = Palette::of(ui).text;
    let mut entry = |label: &str, letter: &str, enabled: bool| {
        let mut shortcut = RichText::new(format!("{key}+{letter}")).size(12.5);
        if !enabled {
            // What is weak already would be too weak.
            shortcut = shortcut.color(text_color);
        }
        let button = Button::new(label).shortcut_text(shortcut);
        ui.add_enabled(enabled, button).clicked()
    };
    let command = if entry("Cut", "X", field.is_some()) {
        Some(ViewportCommand::RequestCut)
    } else if entry("Copy", "C", field.is_some() || sentence.is_some()) {
        Some(ViewportCommand::RequestCopy)
    } else if entry("Paste", "V", field.is_some()) {
        Some(ViewportCommand::RequestPaste)
    } else {
        None
    };
    match (field, command) {
        (Some(field), Some(command)) => {
            ctx.memory_mut(|memory| memory.request_focus(field));
            ctx.send_viewport_cmd(command);
        }
        (None, Some(ViewportCommand::RequestCopy)) => ctx.copy_text(sentence.unwrap_or_default()),
        _ => {}
    }
}

fn sentence_text(state: &AppState) -> Option<String> {
    let open = state.document.as_ref()?;
    let sentence = open.selected?;
    let target = open.target(sentence);
    Some(match target.state {
        State::Untranslated => open.document.sentences[sentence].plain_text(),
        _ => stripped(&target.text),
    })
}
