//! Fields: links with their text, and others as they are.

use super::events::{Event, Piece, RunChild};

/// Fields that go over several paragraphs: how many are open.
#[derive(Debug, Default)]
pub(in crate::text::formats) struct OpenFields(usize);

/// An event that may stand for many: a field as one, or the beginning and the end of a link.
#[derive(Debug)]
pub(super) enum Item {
    One(Event),
    Opaque(&'static str, String, Vec<Piece>),
    Open(&'static str, Vec<Piece>),
    Close(&'static str, Vec<Piece>),
}

/// Puts fields together; none if one of them begins within an element and ends outside.
pub(super) fn without_fields(events: Vec<Event>, fields: &mut OpenFields) -> Option<Vec<Item>> {
    let mut items = Vec::with_capacity(events.len());
    let mut events = events.into_iter().peekable();
    if fields.0 > 0 {
        // The end of a field that has begun in another paragraph.
        let mut pieces = Vec::new();
        let mut depth = 0;
        while fields.0 > 0 {
            let event = events.next()?;
            depth += nesting(&event);
            fields.count(&event);
            pieces.push(event.piece().clone());
        }
        if depth != 0 {
            return None;
        }
        items.push(Item::Opaque("field", String::new(), pieces));
    }
    while let Some(event) = events.next() {
        if !matches!(
            &event,
            Event::Field {
                mark: RunChild::FieldBegin,
                ..
            }
        ) {
            items.push(Item::One(event));
            continue;
        }
        let mut field = vec![event];
        fields.count(&field[0]);
        while fields.0 > 0 {
            let Some(event) = events.next() else { break };
            fields.count(&event);
            field.push(event);
        }
        if field.iter().map(nesting).sum::<isize>() != 0 {
            return None;
        }
        items.extend(field_items(field, fields.0 > 0));
    }
    Some(items)
}

impl OpenFields {
    pub(super) fn count(&mut self, event: &Event) {
        if let Event::Field { mark, .. } = event {
            match mark {
                RunChild::FieldBegin => self.0 += 1,
                RunChild::FieldEnd => self.0 = self.0.saturating_sub(1),
                _ => {}
            }
        }
    }
}

pub(super) fn nesting(event: &Event) -> isize {
    match event {
        Event::Open { .. } => 1,
        Event::Close { .. } => -1,
        _ => 0,
    }
}

/// A link with its text, any other field as it is.
pub(super) fn field_items(field: Vec<Event>, is_unfinished: bool) -> Vec<Item> {
    let (mut depth, mut middle, mut instruction) = (0, None, String::new());
    for (place, event) in field.iter().enumerate() {
        let Event::Field {
            mark,
            instruction: told,
            ..
        } = event
        else {
            continue;
        };
        match mark {
            RunChild::FieldBegin => depth += 1,
            RunChild::FieldEnd => depth -= 1,
            RunChild::FieldMiddle if depth == 1 => middle = middle.or(Some(place)),
            RunChild::Instruction if depth == 1 => instruction += told,
            _ => {}
        }
    }
    let is_link = instruction.trim_start().starts_with("HYPERLINK");
    let num_marks = field.iter().filter(|event| {
        matches!(
            event,
            Event::Field {
                mark: RunChild::FieldBegin,
                ..
            }
        )
    });
    let is_simple = num_marks.count() == 1 && !is_unfinished;
    let pieces = |events: &[Event]| events.iter().map(|event| event.piece().clone()).collect();
    match middle {
        Some(middle) if is_link && is_simple => {
            let last = field.len() - 1;
            let begin = pieces(&field[..=middle]);
            let end = pieces(&field[last..]);
            let content = field.into_iter().take(last).skip(middle + 1).map(Item::One);
            let mut items = vec![Item::Open("a", begin)];
            items.extend(content);
            items.push(Item::Close("a", end));
            items
        }
        middle => {
            let shown = field
                .iter()
                .skip(middle.unwrap_or(field.len()))
                .filter_map(|event| match event {
                    Event::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                });
            let shown: String = shown.collect();
            vec![Item::Opaque("field", shown, pieces(&field))]
        }
    }
}
