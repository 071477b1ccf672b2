//! Fields: links with their text, and others as they are.

use super::events::{Event, Piece, RunChild};

/// Fields that go over several paragraphs: those that are open, the innermost last.
#[derive(Debug, Default)]
pub(in crate::formats) struct OpenFields(Vec<Open>);

#[derive(Debug, Default)]
struct Open {
    instruction: String,
    /// Whether its instruction has ended, and what it shows has begun.
    shows: bool,
}

/// An event that may stand for many: a field as one, or the beginning and the end of a link.
#[derive(Debug)]
pub(super) enum Item {
    One(Event),
    Opaque(&'static str, String, Vec<Piece>),
    Point(&'static str, Vec<Piece>),
    Open(&'static str, Vec<Piece>),
    Close(&'static str, Vec<Piece>),
}

/// Puts fields together; none if one of them begins within an element and ends outside.
pub(super) fn without_fields(events: Vec<Event>, fields: &mut OpenFields) -> Option<Vec<Item>> {
    let mut items = Vec::with_capacity(events.len());
    let mut events = events.into_iter().peekable();
    if fields.is_open() && !fields.shows_link() {
        // The end of a field that has begun in another paragraph.
        let mut pieces = Vec::new();
        let mut depth = 0;
        while fields.is_open() {
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
        if !is_mark(&event, &RunChild::FieldBegin) {
            // The end of a link that has begun in another paragraph is a point.
            fields.count(&event);
            items.push(Item::One(event));
            continue;
        }
        let depth = fields.0.len();
        fields.count(&event);
        let mut field = vec![event];
        while fields.0.len() > depth {
            let Some(event) = events.next() else { break };
            fields.count(&event);
            field.push(event);
        }
        if field.iter().map(nesting).sum::<isize>() != 0 {
            return None;
        }
        items.extend(field_items(field, fields.0.len() > depth)?);
    }
    Some(items)
}

impl OpenFields {
    fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether text is in what links show, and in nothing else.
    fn shows_link(&self) -> bool {
        self.0
            .iter()
            .all(|open| open.shows && is_link(&open.instruction))
    }

    fn count(&mut self, event: &Event) {
        let Event::Field {
            mark, instruction, ..
        } = event
        else {
            return;
        };
        match (mark, self.0.last_mut()) {
            (RunChild::FieldBegin, _) => self.0.push(Open::default()),
            (RunChild::FieldEnd, _) => {
                self.0.pop();
            }
            (RunChild::FieldMiddle, Some(open)) => open.shows = true,
            (RunChild::Instruction, Some(open)) => open.instruction += instruction,
            _ => {}
        }
    }
}

/// Whether the instruction of a field makes a link of what it shows.
pub(in crate::formats) fn is_link(instruction: &str) -> bool {
    instruction.trim_start().starts_with("HYPERLINK")
}

fn is_mark(event: &Event, wanted: &RunChild) -> bool {
    matches!(event, Event::Field { mark, .. } if mark == wanted)
}

fn nesting(event: &Event) -> isize {
    match event {
        Event::Open { .. } => 1,
        Event::Close { .. } => -1,
        _ => 0,
    }
}

/// A link with its text, any other field as it is.
fn field_items(field: Vec<Event>, is_unfinished: bool) -> Option<Vec<Item>> {
    let (mut depth, mut middle, mut instruction) = (0, None, String::new());
    for (place, event) in field.iter().enumerate() {
        let Event::Field {
            mark,
            instruction: part,
            ..
        } = event
        else {
            continue;
        };
        match mark {
            RunChild::FieldBegin => depth += 1,
            RunChild::FieldEnd => depth -= 1,
            RunChild::FieldMiddle if depth == 1 => middle = middle.or(Some(place)),
            RunChild::Instruction if depth == 1 => instruction += part,
            _ => {}
        }
    }
    let pieces = |events: &[Event]| events.iter().map(|event| event.piece().clone()).collect();
    let Some(middle) = middle.filter(|_| is_link(&instruction)) else {
        let shown = field.iter().skip(middle.unwrap_or(field.len()));
        let shown = shown.filter_map(|event| match event {
            Event::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let shown: String = shown.collect();
        return Some(vec![Item::Opaque("field", shown, pieces(&field))]);
    };
    let last = field.len() - usize::from(!is_unfinished);
    let ends = [&field[..=middle], &field[last..]];
    if ends
        .iter()
        .any(|end| end.iter().map(nesting).sum::<isize>() != 0)
    {
        return None;
    }
    let [begin, end] = ends.map(pieces);
    let content: Vec<Event> = field.into_iter().take(last).skip(middle + 1).collect();
    // What it shows may be made by other fields.
    let content = without_fields(content, &mut OpenFields::default())?;
    let (first, last) = if is_unfinished {
        (Item::Point("a", begin), None)
    } else {
        (Item::Open("a", begin), Some(Item::Close("a", end)))
    };
    Some(std::iter::once(first).chain(content).chain(last).collect())
}
