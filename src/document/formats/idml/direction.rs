//! Directions of paragraphs of an InDesign document.

use crate::formats::direction::{Directed, has_right, set_attributes};
use crate::formats::edits::Edits;
use crate::formats::xml::Xml;

/// Ranges of paragraphs, each with its direction.
pub(super) struct Paragraphs;

impl Directed for Paragraphs {
    fn set_direction(&self, xml: &Xml, is_right: bool, edits: &mut Edits) {
        const DIRECTION: &str = "ParagraphDirection";
        for range in xml.named("ParagraphStyleRange") {
            let is_turned =
                xml.attribute(range, DIRECTION).as_deref() == Some("RightToLeftDirection");
            if is_right != has_right(&xml.whole_text(range)) || is_turned == is_right {
                continue;
            }
            let direction = if is_right {
                "RightToLeftDirection"
            } else {
                "LeftToRightDirection"
            };
            set_attributes(xml, range, &[(DIRECTION, direction)], edits);
        }
    }
}
