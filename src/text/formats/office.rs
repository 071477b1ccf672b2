//! Office files: parts whose paragraphs are made of runs, in a package.

use std::collections::HashMap;

use super::WriteBack;
use super::edits::Edits;
use super::language::WordLanguage;
use super::package::{Package, Part};
use super::runs::{Dialect, Place};
use super::xml::Xml;
use crate::text::builder::Failure;
use crate::text::document::Document;
use crate::text::view::Translation;

/// A part with the paragraphs in it.
pub(super) struct OfficePart {
    pub name: String,
    pub part: Part,
    pub places: Vec<Place>,
    pub dialect: &'static (dyn OfficeDialect + Sync),
}

/// An Office file whose text stands in runs.
pub(super) struct Office {
    pub package: Package,
    pub parts: Vec<OfficePart>,
}

impl std::fmt::Debug for Office {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Office")
            .field("parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}

/// The parts that all files of a program have beside their runs.
pub(super) trait OfficeDialect: Dialect + Send {
    /// Says in a part that its text is in another language.
    fn set_language(&self, xml: &Xml, language: &WordLanguage, edits: &mut Edits);

    /// Says in a part that its text is written from the right now, or no longer is.
    fn set_direction(&self, xml: &Xml, to_right: bool, edits: &mut Edits);

    /// The properties of a run that has none where text is written from the right.
    fn right_to_left_run(&self) -> &'static str {
        ""
    }
}

impl WriteBack for Office {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        self.package.written(&self.changes(translation)?)
    }
}

impl Office {
    /// The parts that change, by their names.
    pub fn changes(&self, translation: &Translation) -> Result<HashMap<String, Vec<u8>>, Failure> {
        let language = translation.language.map(WordLanguage::of);
        let turned = translation.turned();
        let mut changed = HashMap::new();
        for OfficePart {
            name,
            part,
            places,
            dialect,
        } in &self.parts
        {
            let Part { xml, encoding } = part;
            let mut edits = Edits::default();
            if let Some(language) = &language {
                dialect.set_language(xml, language, &mut edits);
            }
            if let Some(to_right) = turned {
                dialect.set_direction(xml, to_right, &mut edits);
            }
            let plain = match turned {
                Some(true) => dialect.right_to_left_run(),
                _ => "",
            };
            // A text box ends before the paragraph in which it is anchored.
            let mut places: Vec<&Place> = places.iter().collect();
            places.sort_by_key(|place| place.end());
            for place in places {
                if let Some(parts) = translation.parts(place.unit) {
                    place.write(*dialect, xml, &parts, plain, &mut edits);
                }
            }
            if !edits.is_empty() {
                let bytes = encoding.encode(&edits.applied(&xml.text))?;
                changed.insert(name.clone(), bytes);
            }
        }
        Ok(changed)
    }
}
