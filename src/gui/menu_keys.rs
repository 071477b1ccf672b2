//! Menus by keys: Alt and the first letter of one, F10 for the first one, arrows within them.

use egui::{Context, Event, FocusDirection, Id, Key, Modifiers, Popup, Ui};

/// Which menu a key opens, by its place in the bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opens(usize);

/// The menus of the bar as they were drawn last.
#[derive(Debug, Clone, Default)]
struct Bar {
    popups: Vec<Id>,
}

fn bar_id() -> Id {
    Id::unique("menus by keys")
}

/// Set while a menu that a key has opened gives the keyboard to its first entry.
fn first_id() -> Id {
    Id::unique("first entry of a menu")
}

/// Takes the keys that open a menu, or move within an open one. A letter written with Alt is no text.
pub(super) fn take(ctx: &Context, labels: &[&str]) -> Option<Opens> {
    if ctx.memory(|memory| memory.top_modal_layer().is_some()) {
        return None;
    }
    let bar = ctx.data(|data| data.get_temp::<Bar>(bar_id()));
    let popups = bar.unwrap_or_default().popups;
    let open = popups.iter().position(|id| Popup::is_id_open(ctx, *id));
    let is_mac = ctx.os().is_mac();
    let (mut opens, mut letter, mut moves) = (None, None, None);
    ctx.input_mut(|input| {
        input.events.retain(|event| match event {
            Event::Key {
                key,
                modifiers,
                pressed: true,
                ..
            } => {
                let found = match (key, open) {
                    (Key::F10, _) if modifiers.is_none() => Some(0),
                    (Key::ArrowDown, Some(_)) if modifiers.is_none() => {
                        moves = Some(FocusDirection::Next);
                        return false;
                    }
                    (Key::ArrowUp, Some(_)) if modifiers.is_none() => {
                        moves = Some(FocusDirection::Previous);
                        return false;
                    }
                    _ if modifiers.matches_exact(Modifiers::ALT) && !is_mac => {
                        letter = Some(key.name());
                        labels
                            .iter()
                            .position(|label| label.starts_with(key.name()))
                    }
                    _ => None,
                };
                opens = found.or(opens);
                found.is_none()
            }
            Event::Text(text) => {
                let is_key = letter.is_some_and(|letter| text.eq_ignore_ascii_case(letter));
                opens.is_none() || !is_key
            }
            _ => true,
        });
    });
    if let Some(direction) = moves {
        if ctx.memory(|memory| memory.focused().is_some()) {
            ctx.memory_mut(|memory| memory.move_focus(direction));
        } else {
            ctx.data_mut(|data| data.insert_temp(first_id(), true));
        }
    }
    opens.map(Opens)
}

/// Opens the menu of a key, once all are drawn.
pub(super) fn open(ctx: &Context, opens: Option<Opens>, popups: Vec<Id>) {
    if let Some(popup) = opens.and_then(|Opens(place)| popups.get(place)) {
        Popup::open_id(ctx, *popup);
        ctx.data_mut(|data| data.insert_temp(first_id(), true));
        ctx.request_repaint();
    }
    ctx.data_mut(|data| data.insert_temp(bar_id(), Bar { popups }));
}

/// Before the entries of a menu: the first of them takes the keyboard where a key has opened it.
pub(super) fn focus_first(ui: &Ui) {
    let is_wanted = ui.data(|data| data.get_temp::<bool>(first_id()));
    // While it is measured nothing in it can have the keyboard.
    if is_wanted != Some(true) || ui.is_sizing_pass() {
        return;
    }
    ui.data_mut(|data| data.remove::<bool>(first_id()));
    ui.memory_mut(|memory| {
        if let Some(focused) = memory.focused() {
            memory.surrender_focus(focused);
        }
        memory.move_focus(FocusDirection::Next);
    });
}
