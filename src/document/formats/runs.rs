//! Paragraphs made of runs: stretches of text with one look each, as Office has them.
//!
//! A document, a presentation and a workbook spell them alike. What they call things is a [`Dialect`]; how the pieces of
//! a paragraph become a unit, and the unit's translation runs again, is written here once. The look that most letters of a
//! paragraph have goes without saying; stretches that look otherwise are pairs of codes.

mod drafter;
mod events;
mod fields;
mod looks;
mod place;
mod reader;

pub(super) use events::{Child, Dialect, RunChild};
pub(super) use fields::{OpenFields, is_link};
pub(super) use place::RunPlace;

use drafter::Drafter;
use fields::without_fields;
use looks::{base, looks};
use reader::RunReader;

use super::xml::{Id, Xml};
use crate::builder::{Builder, Context};
use crate::view::Draft;

/// A paragraph that was collected but is no unit yet.
pub(super) struct RunDraft {
    pub draft: Draft,
    place: RunPlace,
}

impl RunDraft {
    /// Makes a unit of it.
    pub(super) fn unit(self, builder: &mut Builder, context: Context) -> RunPlace {
        let unit = builder.unit(self.draft, context);
        RunPlace { unit, ..self.place }
    }

    /// Makes it another place of a unit that has the same text and codes.
    pub(super) fn mirror(self, unit: usize) -> RunPlace {
        RunPlace { unit, ..self.place }
    }
}

/// Collects a paragraph; none if there is nothing in it to translate.
pub(super) fn collect(
    dialect: &dyn Dialect,
    xml: &Xml,
    paragraph: Id,
    fields: &mut OpenFields,
) -> Option<RunDraft> {
    let mut reader = RunReader {
        dialect,
        xml,
        events: Vec::new(),
        bytes: None,
        is_bare: false,
        has_elements: false,
    };
    reader.children(paragraph);
    let RunReader {
        events,
        bytes,
        is_bare,
        has_elements,
        ..
    } = reader;
    let events = without_fields(events, fields)?;
    let qualified = xml.qualified(paragraph);
    let prefix = qualified
        .rsplit_once(':')
        .map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
    let looks = looks(dialect, xml, &events);
    let base = base(&looks);
    let mut drafter = Drafter {
        dialect,
        draft: Draft::default(),
        codes: Vec::new(),
        base: base.clone(),
        look: None,
        wrappers: Vec::new(),
    };
    for (event, look) in events.into_iter().zip(looks) {
        drafter.item(event, look);
    }
    drafter.end_look();
    if !drafter.draft.holds_letter() {
        return None;
    }
    Some(RunDraft {
        draft: drafter.draft,
        place: RunPlace {
            unit: usize::MAX,
            bytes: bytes?,
            base: base.and_then(|look| look.properties),
            codes: drafter.codes,
            prefix,
            is_bare,
            has_elements,
        },
    })
}
