//! States of the targets in a file.

use std::borrow::Cow;

use crate::document::Standing;
use crate::formats::xml::{Id, Xml};

/// Returns the state of a target; none if the target is empty, or a copy of the source that awaits translation.
pub(super) fn standing(xml: &Xml, source: Id, target: Id) -> Option<Standing> {
    let text = xml.whole_text(target);
    if text.trim().is_empty() {
        return None;
    }
    let is_copy = text == xml.whole_text(source);
    match said_of(xml, target) {
        Said::Nothing => (!is_copy).then_some(Standing::Translated),
        Said::NotBegun => (!is_copy).then_some(Standing::Draft),
        Said::Standing(standing) => Some(standing),
    }
}

/// Maps the state attributes of a target to a [`State`].
enum Said {
    Nothing,
    NotBegun,
    Standing(Standing),
}

/// By what is at the unit, then at the segment, then at the target itself.
fn said_of(xml: &Xml, target: Id) -> Said {
    let unit = xml
        .ancestors(target)
        .find(|&id| xml.name(id) == "trans-unit");
    if let Some(unit) = unit {
        let is_approved = xml.attribute(unit, "approved").as_deref() == Some("yes")
            || xml.qualified_attribute(unit, "m:confirmed").as_deref() == Some("1");
        if is_approved {
            return Said::Standing(Standing::Approved);
        }
        let status = xml.qualified_attribute(unit, "mq:status");
        if let Some(said) = status.and_then(|status| from_memoq_status(&status)) {
            return said;
        }
        if let Some(said) =
            confirmation(xml, unit, target).and_then(|it| from_trados_confirmation(&it))
        {
            return said;
        }
    }
    let of_segment = xml
        .parent(target)
        .and_then(|segment| xml.attribute(segment, "state"));
    let state = xml.attribute(target, "state").or(of_segment);
    state.map_or(Said::Nothing, |state| from_xliff_state(&state))
}

/// The states of XLIFF 1 and 2.
fn from_xliff_state(state: &str) -> Said {
    match state {
        "new" | "initial" | "needs-translation" => Said::NotBegun,
        "final" | "signed-off" | "reviewed" => Said::Standing(Standing::Approved),
        state if state.starts_with("needs-") => Said::Standing(Standing::Draft),
        _ => Said::Standing(Standing::Translated),
    }
}

/// memoQ's `mq:status`.
fn from_memoq_status(status: &str) -> Option<Said> {
    Some(match status {
        "NotStarted" => Said::NotBegun,
        "ManuallyConfirmed" | "Reviewed" | "Proofread" => Said::Standing(Standing::Approved),
        "PartiallyEdited"
        | "Edited"
        | "Rejected"
        | "MachineTranslated"
        | "Pretranslated"
        | "AssembledFromFragments" => Said::Standing(Standing::Draft),
        _ => return None,
    })
}

/// Trados' `conf`.
fn from_trados_confirmation(confirmation: &str) -> Option<Said> {
    Some(match confirmation {
        // Also what Trados has copied from the source.
        "Draft" => Said::NotBegun,
        "RejectedTranslation" | "RejectedSignOff" => Said::Standing(Standing::Draft),
        "Translated" | "ApprovedTranslation" | "ApprovedSignOff" => {
            Said::Standing(Standing::Approved)
        }
        _ => return None,
    })
}

/// Trados's confirmation level of a segment.
fn confirmation(xml: &Xml, unit: Id, segment: Id) -> Option<Cow<'_, str>> {
    let mid = xml.attribute(segment, "mid")?;
    let is_it =
        |&id: &Id| xml.name(id) == "seg" && xml.attribute(id, "id").is_some_and(|id| id == mid);
    let found = xml.descendants(unit).find(is_it)?;
    xml.attribute(found, "conf")
}
