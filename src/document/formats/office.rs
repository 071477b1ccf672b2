//! Office files: parts whose paragraphs are made of runs, in a package.

use std::collections::HashMap;

use super::WriteBack;
use super::direction::{Directed, directed, set_attributes};
use super::docx::Bound;
use super::edits::Edits;
use super::language::{WordLanguage, is_right_to_left};
use super::package::{Package, Part};
use super::runs::{Dialect, RunPlace};
use super::xml::Xml;
use crate::builder::Failure;
use crate::document::Document;
use crate::view::Translation;

/// A part with the paragraphs in it.
pub(super) struct OfficePart {
    pub name: String,
    pub part: Part,
    pub places: Vec<RunPlace>,
    pub dialect: &'static (dyn OfficeDialect + Sync),
}

impl OfficePart {
    pub(super) fn new(
        name: String,
        part: Part,
        places: Vec<RunPlace>,
        dialect: &'static (dyn OfficeDialect + Sync),
    ) -> Self {
        Self {
            name,
            part,
            places,
            dialect,
        }
    }
}

/// An Office file whose text is in runs.
pub(super) struct Office {
    pub package: Package,
    pub parts: Vec<OfficePart>,
    /// Sheets of a workbook, which have a direction even where their strings are in another part.
    pub sheets: Vec<String>,
    /// Controls of a Word document that show the text of another part.
    pub bound: Vec<Bound>,
}

impl std::fmt::Debug for Office {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Office")
            .field("parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}

/// The parts that all files of a program have in addition to their runs.
pub(super) trait OfficeDialect: Dialect + Directed + Send {
    /// Says in a part that its text is in another language, where it has a place to say so.
    fn set_language(&self, _: &Xml, _: &WordLanguage, _: &mut Edits) {}
}

impl WriteBack for Office {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        self.package.written(&self.changes(translation)?)
    }
}

impl Office {
    pub(super) fn new(package: Package, parts: Vec<OfficePart>) -> Self {
        Self {
            package,
            parts,
            sheets: Vec::new(),
            bound: Vec::new(),
        }
    }

    /// The parts that change, by their names.
    pub(super) fn changes(
        &self,
        translation: &Translation,
    ) -> Result<HashMap<String, Vec<u8>>, Failure> {
        let language = translation.language.map(WordLanguage::new);
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
            // A text box ends before the paragraph in which it is anchored.
            let mut places: Vec<&RunPlace> = places.iter().collect();
            places.sort_by_key(|place| place.end());
            for place in places {
                if let Some(parts) = translation.parts(place.unit) {
                    place.write(*dialect, xml, &parts, &mut edits);
                }
            }
            if edits.is_empty() && translation.language.is_none() {
                continue;
            }
            let text = edits.applied(&xml.text);
            drop(edits);
            let text = directed(name, text, translation, *dialect)?;
            if text != xml.text {
                changed.insert(name.clone(), encoding.encode_xml(text)?);
            }
        }
        for bound in &self.bound {
            bound.write(&self.package, translation, &mut changed)?;
        }
        let sheets = self
            .sheets
            .iter()
            .filter(|name| !changed.contains_key(*name));
        let is_right = translation.language.is_some_and(is_right_to_left);
        let sheets: Vec<&String> = sheets.filter(|_| is_right).collect();
        for name in sheets {
            let Part { xml, encoding } = self.package.xml(name)?;
            let mut edits = Edits::default();
            turn_sheet(&xml, is_right, &mut edits);
            changed.insert(name.clone(), encoding.encode_xml(edits.applied(&xml.text))?);
        }
        Ok(changed)
    }
}

/// Says from which side the columns of a sheet begin.
pub(super) fn turn_sheet(xml: &Xml, is_right: bool, edits: &mut Edits) {
    let value = if is_right { "1" } else { "0" };
    for view in xml.named("sheetView") {
        if is_right || xml.attribute(view, "rightToLeft").is_some() {
            set_attributes(xml, view, &[("rightToLeft", value)], edits);
        }
    }
}
