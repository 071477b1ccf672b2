//! Cut, copy, paste and select all as entries of a menu, for the field that was written in last.
//!
//! A click on a menu takes the keyboard from the field, and the field forgets what was selected. So both are noted while it
//! has the keyboard, and given back in the frame after the click, together with the key of the entry.

use egui::text::CCursorRange;
use egui::text_edit::TextEditState;
use egui::{Button, Context, Event, Id, Key, Modifiers, RichText, Ui, ViewportCommand};

use super::theme::Palette;
use canopy_app::AppState;
use canopy_app::jobs::State;
use canopy_document::placeholder::stripped;

/// The field that was written in last, and what was selected there.
#[derive(Debug, Clone, Copy)]
struct Field {
    id: Id,
    range: Option<CCursorRange>,
}

/// An entry of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Cut,
    Copy,
    Paste,
    SelectAll,
}

impl Entry {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Cut, "Cut", "X"),
        (Self::Copy, "Copy", "C"),
        (Self::Paste, "Paste", "V"),
        (Self::SelectAll, "Select all", "A"),
    ];
}

fn field_id() -> Id {
    Id::unique("field written in last")
}

fn chosen_id() -> Id {
    Id::unique("entry of the clipboard")
}

/// Before a frame is drawn: notes the field that has the keyboard, and executes what was chosen in the frame before.
pub(super) fn follow(ctx: &Context) {
    if let Some(entry) = ctx.data(|data| data.get_temp::<Entry>(chosen_id())) {
        ctx.data_mut(|data| data.remove::<Entry>(chosen_id()));
        return execute(ctx, entry);
    }
    let focused = ctx.memory(egui::Memory::focused);
    let state = focused.and_then(|id| Some((id, TextEditState::load(ctx, id)?)));
    if let Some((id, state)) = state {
        let range = state.cursor.char_range();
        ctx.data_mut(|data| data.insert_temp(field_id(), Field { id, range }));
    }
}

fn execute(ctx: &Context, entry: Entry) {
    let Some(Field { id, range }) = last_field(ctx) else {
        return;
    };
    let Some(mut state) = TextEditState::load(ctx, id) else {
        return;
    };
    state.cursor.set_char_range(range);
    state.store(ctx, id);
    ctx.memory_mut(|memory| memory.request_focus(id));
    let event = match entry {
        Entry::Cut => Event::Cut,
        Entry::Copy => Event::Copy,
        // Only the system knows what is on its clipboard: it comes in the next frame.
        Entry::Paste => return ctx.send_viewport_cmd(ViewportCommand::RequestPaste),
        Entry::SelectAll => Event::Key {
            key: Key::A,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::COMMAND,
        },
    };
    ctx.input_mut(|input| input.events.push(event));
    ctx.request_repaint();
}

/// The field that was written in last, if it is still there.
fn last_field(ctx: &Context) -> Option<Field> {
    let field = ctx.data(|data| data.get_temp::<Field>(field_id()));
    field.filter(|field| ctx.read_response(field.id).is_some())
}

/// Without a field *Copy* takes the translation of the selected sentence, or its source without one.
pub(super) fn entries_ui(ui: &mut Ui, state: &AppState) {
    let ctx = ui.ctx().clone();
    let field = last_field(&ctx);
    let sentence = sentence_text(state);
    let key = if ctx.os().is_mac() { "Cmd" } else { "Ctrl" };
    let text_color = Palette::from_ui(ui).text;
    let is_selected = field.is_some_and(|field| field.range.is_some_and(|range| !range.is_empty()));
    for (entry, label, letter) in Entry::ALL {
        let enabled = match entry {
            Entry::Cut => is_selected,
            Entry::Copy => is_selected || field.is_none() && sentence.is_some(),
            Entry::Paste | Entry::SelectAll => field.is_some(),
        };
        let mut shortcut = RichText::new(format!("{key}+{letter}")).size(12.5);
        if !enabled {
            // What is weak already would be too weak.
            shortcut = shortcut.color(text_color);
        }
        let button = Button::new(label).shortcut_text(shortcut);
        if !ui.add_enabled(enabled, button).clicked() {
            continue;
        }
        if field.is_some() {
            ctx.data_mut(|data| data.insert_temp(chosen_id(), entry));
            ctx.request_repaint();
        } else {
            ctx.copy_text(sentence.clone().unwrap_or_default());
        }
    }
}

fn sentence_text(state: &AppState) -> Option<String> {
    let open = state.document.editing.open.as_ref()?;
    let sentence = open.selected?;
    let target = open.target(sentence);
    Some(match target.state {
        State::Untranslated => open.document.sentences[sentence].plain_text(),
        _ => stripped(&target.text),
    })
}
