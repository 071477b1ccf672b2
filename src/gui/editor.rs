//! The editor of a target sentence, in place of its text.

mod chips;

use std::ops::Range;
use std::sync::Arc;

use egui::text::{CCursorRange, LayoutJob, TextFormat, TextWrapping};
use egui::text_edit::TextEditState;
use egui::{
    Context, FontId, Galley, Id, Rect, RichText, TextBuffer, TextEdit, Ui, UiBuilder, vec2,
};

use super::labels;
use super::row_layout::{PADDING, Script};
use super::sentence_row::paint_editor_frame;
use super::shortcuts::written_key;
use super::theme::{self, Palette};
use super::typeset;
use canopy_app::markup::{self, Piece, Token};
use canopy_app::{Command, EditCommand, Editor, Insertion};
use canopy_chart::typesetting::Direction;

const SIZE: f32 = 14.5;

/// Shows the editor in `rect`, which it may exceed downwards; returns the height it needs.
pub(crate) fn editor_ui(
    ui: &mut Ui,
    rect: Rect,
    editor: &Editor,
    (source, script): (&str, &Script),
    palette: &Palette,
    commands: &mut Vec<Command>,
) -> f32 {
    let frame = rect.expand2(vec2(8.0, 0.0));
    paint_editor_frame(ui, frame, palette, !editor.problems.is_empty());
    let mut child = ui.new_child(
        UiBuilder::new()
            .max_rect(frame.shrink2(vec2(8.0, PADDING)))
            .id_salt("editor"),
    );
    let mut text = editor.text.clone();
    let id = editor_id();
    let is_new = ui.ctx().data(|data| data.get_temp::<usize>(id)) != Some(editor.sentence);
    if is_new {
        // Caret and undo are of the sentence before.
        TextEditState::default().store(ui.ctx(), id);
    }
    let mut layouter = |ui: &Ui, text: &dyn TextBuffer, width: f32| {
        layout(ui, text.as_str(), width, script, palette)
    };
    let runs_left =
        Direction::from_text(&text, script.language.as_deref()) == Direction::RightToLeft;
    if runs_left {
        turn_arrows(ui, id);
    }
    let caret = chips::caret(ui, id);
    let behind = child.painter().add(egui::Shape::Noop);
    let output = TextEdit::multiline(&mut text)
        .id(id)
        .frame(egui::Frame::NONE)
        .margin(egui::Margin::ZERO)
        .desired_width(f32::INFINITY)
        .desired_rows(1)
        .return_key(None)
        .hint_text("Write the translation")
        .cursor_at_end(true)
        .layouter(&mut layouter)
        .show(&mut child);
    let response = output.response.response.clone();
    if typeset::has_right_to_left(&output.galley) {
        place_caret(ui, id, &output);
    }
    let direction = Direction::from_text(&text, script.language.as_deref());
    let tags = chips::shapes(&text, &output, direction, palette);
    child.painter().set(behind, tags);
    if response.changed() {
        keep_tags_whole(ui, id, &editor.text, &mut text);
    }
    chips::keep_caret_out(ui, id, &text, caret);
    if is_new {
        ui.ctx()
            .data_mut(|data| data.insert_temp(id, editor.sentence));
        response.request_focus();
    }
    if response.changed() {
        commands.push(EditCommand::Write(text.clone()).into());
    }
    let clicked = footer_ui(&mut child, editor, source, palette, commands);
    let chars = text.chars().count();
    // A click on a chip has taken the focus, not the place.
    let cursor = output
        .cursor_range
        .or_else(|| output.state.cursor.char_range());
    let selection = cursor.map_or(chars..chars, |range| {
        let [start, end] = range.sorted_cursors().map(|cursor| cursor.index.0);
        start..end
    });
    let inserted = match (clicked, &editor.insert) {
        (Some(token), _) => Some(with_tag(&text, selection.end, token)),
        (None, Some(Insertion::Term(term))) => {
            let at = cursor.map_or(chars, |range| range.primary.index.0);
            Some(with_term(&text, at, term))
        }
        (None, Some(Insertion::NextTag)) => with_next_tag(&text, selection, source),
        (None, None) => None,
    };
    if inserted.is_none() && editor.insert.is_some() {
        // No tag is missing: the command is done.
        commands.push(EditCommand::Write(text.clone()).into());
    }
    if let Some((text, caret)) = inserted {
        commands.push(EditCommand::Write(text).into());
        let mut state = output.state.clone();
        let caret = CCursorRange::one(egui::text::CCursor::new(caret));
        state.cursor.set_char_range(Some(caret));
        state.store(ui.ctx(), id);
        response.request_focus();
    }
    child.min_rect().height() + 4.0
}

/// After a change that has cut a tag: what is left of the tag goes, too.
fn keep_tags_whole(ui: &Ui, id: Id, before: &str, text: &mut String) {
    let Some(mut state) = TextEditState::load(ui.ctx(), id) else {
        return;
    };
    let caret = state.cursor.char_range().map(|range| range.primary.index.0);
    let caret = caret.unwrap_or_else(|| text.chars().count());
    if let Some((whole, caret)) = chips::without_cut_tags(before, text, caret) {
        *text = whole;
        let caret = CCursorRange::one(egui::text::CCursor::new(caret));
        state.cursor.set_char_range(Some(caret));
        state.store(ui.ctx(), id);
        ui.ctx().request_repaint();
    }
}

/// A text with a term at a character, spaces around it where words touch it, and the character after it.
fn with_term(text: &str, at: usize, term: &str) -> (String, usize) {
    let before: String = text.chars().take(at).collect();
    let after: String = text.chars().skip(at).collect();
    let touches = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let lead = if touches(before.chars().last()) {
        " "
    } else {
        ""
    };
    let trail = if touches(after.chars().next()) {
        " "
    } else {
        ""
    };
    let caret = at + lead.len() + term.chars().count();
    (format!("{before}{lead}{term}{trail}{after}"), caret)
}

/// A text with a tag at a character, and the character after it.
fn with_tag(text: &str, at: usize, token: Token) -> (String, usize) {
    let tag = token.to_string();
    let before: String = text.chars().take(at).collect();
    let after: String = text.chars().skip(at).collect();
    let caret = before.chars().count() + tag.chars().count();
    (format!("{before}{tag}{after}"), caret)
}

/// The tags of the source that an edited text lacks.
fn missing_tags(text: &str, source: &str) -> Vec<Token> {
    let present = markup::edited_pieces(text);
    let tags = markup::tokens(source).into_iter();
    tags.filter(|token| !present.contains(&Piece::Token(*token)))
        .collect()
}

/// A text with the next tag that it lacks after what is selected, or with a pair of tags around that, and the character
/// after it; none if it has all.
fn with_next_tag(text: &str, selection: Range<usize>, source: &str) -> Option<(String, usize)> {
    let missing = missing_tags(text, source);
    let letters: Vec<char> = text.chars().collect();
    let part = |range: Range<usize>| letters[range].iter().collect::<String>();
    let (start, end) = (
        selection.start.min(letters.len()),
        selection.end.min(letters.len()),
    );
    let [before, selected, after] = [0..start, start..end, end..letters.len()].map(part);
    let mut pairs = missing.iter().filter_map(|token| match token {
        Token::Open(number) if missing.contains(&Token::Close(*number)) => Some(*number),
        _ => None,
    });
    let (opening, closing) = match pairs.next().filter(|_| start < end) {
        Some(number) => (
            Token::Open(number).to_string(),
            Token::Close(number).to_string(),
        ),
        None => (String::new(), missing.first()?.to_string()),
    };
    let caret = end + opening.chars().count() + closing.chars().count();
    let text = format!("{before}{opening}{selected}{closing}{after}");
    Some((text, caret))
}

/// The selected text of the editor.
pub(crate) fn selected(ui: &Ui, editor: &Editor) -> String {
    let state = TextEditState::load(ui.ctx(), editor_id());
    let Some(range) = state.and_then(|state| state.cursor.char_range()) else {
        return String::new();
    };
    let [start, end] = range.sorted_cursors().map(|cursor| cursor.index.0);
    let letters = editor
        .text
        .chars()
        .skip(start)
        .take(end.saturating_sub(start));
    letters.collect()
}

/// Whether the editor has changes of its own to take back, and to make again; without, those keys are the document's.
pub(crate) fn own_changes(ctx: &Context, editor: &Editor) -> (bool, bool) {
    let Some(state) = TextEditState::load(ctx, editor_id()) else {
        return (false, false);
    };
    let here = (
        state.cursor.char_range().unwrap_or_default(),
        editor.text.clone(),
    );
    let is_other = |text: &str| text != editor.text;
    let mut undoer = state.undoer();
    let can_redo = undoer.has_redo(&here);
    // Steps in which only the caret has moved do not count.
    let (mut current, mut can_undo) = (here, false);
    while let Some(before) = undoer.undo(&current).cloned() {
        if before == current {
            break;
        }
        can_undo |= is_other(&before.1);
        current = before;
    }
    (can_undo, can_redo)
}

fn editor_id() -> Id {
    Id::unique("target editor")
}

/// Forgets which sentence was edited, so that the next editor takes the keyboard.
pub(crate) fn closed(ui: &Ui) {
    ui.ctx().data_mut(|data| data.remove::<usize>(editor_id()));
}

/// Missing tokens and problems; returns the token to insert.
fn footer_ui(
    ui: &mut Ui,
    editor: &Editor,
    source: &str,
    palette: &Palette,
    commands: &mut Vec<Command>,
) -> Option<Token> {
    let missing = missing_tags(&editor.text, source);
    let mut inserted = None;
    ui.add_space(2.0);
    ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
    ui.spacing_mut().button_padding = vec2(6.0, 1.0);
    ui.spacing_mut().interact_size.y = 20.0;
    let small = |text: &str| RichText::new(text).size(12.0);
    if !editor.problems.is_empty() {
        let text = format!("Not kept: {}", labels::problems(&editor.problems));
        ui.add(egui::Label::new(small(&text).color(palette.error)).wrap());
    }
    ui.horizontal_wrapped(|ui| {
        if !missing.is_empty() {
            let key = written_key(ui, &Command::from(EditCommand::InsertTag));
            let label = ui.label(small("Insert tag").color(palette.weak));
            label.on_hover_text(format!("The next one that is missing: {key}"));
            for token in missing {
                if chips::button_ui(ui, token, palette).clicked() {
                    inserted = Some(token);
                }
            }
        }
        if !editor.problems.is_empty() && ui.button(small("Repair")).clicked() {
            commands.push(EditCommand::Repair.into());
        }
        ui.label(small(&hint(ui)).color(palette.weak));
    });
    inserted
}

/// The editor's keys, as the table of actions names them.
fn hint(ui: &Ui) -> String {
    let [keep, confirm, discard] = [
        Command::from(EditCommand::Keep),
        Command::from(EditCommand::KeepAndConfirm),
        Command::from(EditCommand::Discard),
    ]
    .map(|command| written_key(ui, &command));
    format!("{keep}: save · {confirm}: save, confirm, next · {discard}: cancel")
}

/// The text with room for the chips of its tags.
fn layout(ui: &Ui, text: &str, width: f32, script: &Script, palette: &Palette) -> Arc<Galley> {
    let mut job = LayoutJob {
        wrap: TextWrapping::wrap_at_width(width),
        ..LayoutJob::default()
    };
    let format = |color| TextFormat {
        font_id: FontId::new(SIZE, theme::family(false, script.han)),
        line_height: Some(23.0),
        color,
        ..TextFormat::default()
    };
    let (mut plain, mut objects) = (String::new(), vec![]);
    for piece in markup::edited_pieces(text) {
        match piece {
            Piece::Text(run) => {
                job.append(run, 0.0, format(palette.text));
                plain.push_str(run);
            }
            Piece::Token(token) => {
                let start = job.text.chars().count();
                for (letters, format) in chips::letters(token, &format(palette.text), palette) {
                    job.append(&letters, 0.0, format);
                }
                objects.push(start..job.text.chars().count());
            }
        }
    }
    if job.sections.is_empty() {
        job.append("", 0.0, format(palette.text));
    }
    let direction = Direction::from_text(&plain, script.language.as_deref());
    typeset::galley(
        ui,
        typeset::Text {
            job,
            direction,
            objects,
        },
    )
}

/// In right-to-left text the left arrow moves forwards.
fn turn_arrows(ui: &Ui, id: Id) {
    if !ui.memory(|memory| memory.has_focus(id)) {
        return;
    }
    ui.input_mut(|input| {
        for event in &mut input.events {
            if let egui::Event::Key { key, .. } = event {
                *key = match *key {
                    egui::Key::ArrowLeft => egui::Key::ArrowRight,
                    egui::Key::ArrowRight => egui::Key::ArrowLeft,
                    other => other,
                };
            }
        }
    });
}

/// egui looks for the caret as if all letters ran from left to right; this puts it where the pointer is.
fn place_caret(ui: &Ui, id: Id, output: &egui::text_edit::TextEditOutput) {
    let response = &output.response.response;
    let Some(pointer) = response.interact_pointer_pos() else {
        return;
    };
    // A quick click is pressed and let go within one frame.
    let is_meant = response.is_pointer_button_down_on() || response.clicked();
    if !is_meant || response.double_clicked() || response.triple_clicked() {
        return;
    }
    let at = typeset::cursor_at(&output.galley, pointer - output.galley_pos);
    let anchor_id = id.with("where the selection begins");
    let is_pressed = ui.input(|input| input.pointer.any_pressed());
    let anchor = ui.data_mut(|data| {
        if is_pressed {
            data.insert_temp(anchor_id, at);
        }
        data.get_temp(anchor_id).unwrap_or(at)
    });
    let mut state = output.state.clone();
    state
        .cursor
        .set_char_range(Some(CCursorRange::two(anchor, at)));
    state.store(ui.ctx(), id);
    ui.ctx().request_repaint();
}
