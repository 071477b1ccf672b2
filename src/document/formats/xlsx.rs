//! Workbooks (Office Open XML).
//!
//! Translated: strings of cells in the order of their sheets, each once however many cells show it, and text boxes. Left
//! alone: numbers, dates, formulas and what they compute, headings of tables (formulas name columns by them), names of
//! sheets and comments unless requested, charts, pivot tables.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

use super::direction::Directed;
use super::edits::Edits;
use super::office::{Office, OfficeDialect, OfficePart, turn_sheet};
use super::opc;
use super::package::Package;
use super::pptx::{drawing_part, remarks};
use super::runs::{self, Child, Dialect, OpenFields, RunPlace};
use super::sheet_names::SheetNames;
use super::xml::{Id, Xml};
use super::{DocumentFormat, Kept, WriteBack};
use crate::builder::{Builder, Context, Failure};
use crate::document::{Document, ParagraphKind};
use crate::view::Translation;

/// Workbooks.
pub(super) struct Xlsx;

impl DocumentFormat for Xlsx {
    fn is_content(&self, bytes: &[u8]) -> bool {
        opc::is_office(bytes, "xl/")
    }

    fn read(&self, _: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let (package, main, related) = opc::open(bytes)?;
        let of_kind = |kind: &str| related.iter().find(|it| it.kind == kind)?.target.clone();
        let strings = match of_kind("sharedStrings") {
            Some(name) => Some(package.xml(&name)?),
            None => None,
        };
        let items: Vec<Id> = strings.as_ref().map_or(Vec::new(), |part| {
            let xml = &part.xml;
            xml.elements(xml.root())
                .filter(|&id| xml.name(id) == "si")
                .collect()
        });
        let mut shared = Shared {
            items,
            strings: strings.as_ref().map(|part| &part.xml),
            headings: HashSet::new(),
            cells: Vec::new(),
        };
        let workbook = package.xml(&main)?.xml;
        let (mut sheets, mut titles) = (Vec::new(), Vec::new());
        for sheet in workbook.named("sheet") {
            let id = workbook.qualified_attribute(sheet, "r:id");
            let named = related
                .iter()
                .find(|it| Some(it.id.as_str()) == id.as_deref());
            let title = workbook
                .attribute(sheet, "name")
                .unwrap_or_default()
                .into_owned();
            if let Some(name) = named.and_then(|it| it.target.clone()) {
                sheets.push(Sheet::read(&package, name, &title, &mut shared)?);
            }
            titles.push(title);
        }
        let reads_names = builder.options().sheet_names;
        let names = SheetNames::read(titles.into_iter().filter(|_| reads_names), builder);
        let mut places = shared.places(builder);
        let mut parts = Vec::new();
        let sheet_names = sheets.iter().map(|sheet| sheet.name.clone()).collect();
        for sheet in sheets {
            sheet.finish(&package, &mut parts, builder)?;
        }
        if let Some(part) = strings {
            let name = part.xml.part.clone();
            places.sort_by_key(RunPlace::end);
            parts.push(OfficePart::new(name, part, places, &Cells));
        }
        let office = Office {
            sheets: sheet_names,
            ..Office::new(package, parts)
        };
        Ok(Box::new(Workbook { office, names }))
    }
}

/// A workbook whose sheets may get other names.
#[derive(Debug)]
struct Workbook {
    office: Office,
    names: SheetNames,
}

impl WriteBack for Workbook {
    fn write(&self, _: &Document, translation: &Translation) -> Result<Vec<u8>, Failure> {
        let package = &self.office.package;
        let mut changed = self.office.changes(translation)?;
        let renamed = self.names.renamed(translation);
        renamed.apply(package, &mut changed)?;
        package.written(&changed)
    }
}

/// The strings that cells name by their number.
struct Shared<'x> {
    items: Vec<Id>,
    strings: Option<&'x Xml>,
    /// Numbers of those that name columns.
    headings: HashSet<usize>,
    /// Cells and the numbers of their strings, in reading order.
    cells: Vec<(String, usize)>,
}

impl Shared<'_> {
    /// A unit for every string, in the order in which cells show them.
    fn places(self, builder: &mut Builder) -> Vec<RunPlace> {
        let (mut seen, mut places) = (self.headings, Vec::new());
        let Some(xml) = self.strings else {
            return places;
        };
        for (cell, number) in self.cells {
            let Some(&item) = self.items.get(number).filter(|_| seen.insert(number)) else {
                continue;
            };
            if let Some(collected) = runs::collect(&Cells, xml, item, &mut OpenFields::default()) {
                places.push(collected.unit(builder, context(cell)));
            }
        }
        places
    }
}

fn context(cell: String) -> Context {
    Context {
        kind: ParagraphKind::TableCell,
        id: Some(cell),
        ..Context::default()
    }
}

struct Sheet {
    name: String,
    /// The sheet itself, if it has strings of its own; with the elements that hold them.
    own: Option<(super::package::Part, Vec<(String, Id)>)>,
    drawings: Vec<String>,
    /// Parts with comments, and the element that holds one.
    remarks: Vec<(String, &'static str)>,
}

impl Sheet {
    fn read(
        package: &Package,
        name: String,
        title: &str,
        shared: &mut Shared,
    ) -> Result<Self, Failure> {
        let (mut headings, mut drawings, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
        for related in opc::relationships(package, &name)? {
            match (related.kind.as_str(), related.target) {
                ("table", Some(table)) => headings.extend(heading_cells(&package.xml(&table)?.xml)),
                ("drawing", Some(drawing)) => drawings.push(drawing),
                ("comments", Some(name)) => remarks.push((name, "comment")),
                ("threadedComment", Some(name)) => remarks.push((name, "threadedComment")),
                _ => {}
            }
        }
        let part = package.xml(&name)?;
        let xml = &part.xml;
        let mut own = Vec::new();
        for cell in xml.named("c") {
            let reference = xml.attribute(cell, "r").unwrap_or_default();
            let is_heading = || {
                let place = position(&reference);
                place.is_some_and(|(column, row)| {
                    headings
                        .iter()
                        .any(|(columns, heading)| *heading == row && columns.contains(&column))
                })
            };
            match xml.attribute(cell, "t").as_deref() {
                Some("s") => {
                    let value = xml.child(cell, "v").map(|value| xml.whole_text(value));
                    let Some(number) = value.and_then(|value| value.trim().parse().ok()) else {
                        continue;
                    };
                    if is_heading() {
                        shared.headings.insert(number);
                    }
                    shared.cells.push((format!("{title}!{reference}"), number));
                }
                Some("inlineStr") if !is_heading() => {
                    own.extend(
                        xml.child(cell, "is")
                            .map(|text| (format!("{title}!{reference}"), text)),
                    );
                }
                _ => {}
            }
        }
        let own = (!own.is_empty()).then_some((part, own));
        Ok(Self {
            name,
            own,
            drawings,
            remarks,
        })
    }

    fn finish(
        self,
        package: &Package,
        parts: &mut Vec<OfficePart>,
        builder: &mut Builder,
    ) -> Result<(), Failure> {
        let Self {
            name,
            own,
            drawings,
            remarks: comments,
        } = self;
        if let Some((part, texts)) = own {
            let mut places = Vec::new();
            for (cell, text) in texts {
                let collected = runs::collect(&Cells, &part.xml, text, &mut OpenFields::default());
                places.extend(collected.map(|collected| collected.unit(builder, context(cell))));
            }
            parts.push(OfficePart::new(name, part, places, &Cells));
        }
        for name in drawings {
            if !parts.iter().any(|part| part.name == name) {
                parts.push(drawing_part(package, name, builder)?);
            }
        }
        let reads_comments = builder.options().comments;
        for (name, holder) in comments.into_iter().filter(|_| reads_comments) {
            parts.push(match holder {
                "comment" => notes(package, name, builder)?,
                holder => remarks(package, name, holder, builder)?,
            });
        }
        Ok(())
    }
}

/// The comments of a sheet, whose text is made of runs as that of cells.
fn notes(package: &Package, name: String, builder: &mut Builder) -> Result<OfficePart, Failure> {
    let part = package.xml(&name)?;
    let xml = &part.xml;
    let mut places = Vec::new();
    for comment in xml.named("comment") {
        let Some(text) = xml.child(comment, "text") else {
            continue;
        };
        let collected = runs::collect(&Cells, xml, text, &mut OpenFields::default());
        places.extend(collected.map(|collected| collected.unit(builder, Context::default())));
    }
    Ok(OfficePart::new(name, part, places, &Cells))
}

/// The columns and the row that hold the headings of a table.
fn heading_cells(table: &Xml) -> Option<(RangeInclusive<u32>, u32)> {
    let root = table.root();
    if table.attribute(root, "headerRowCount").as_deref() == Some("0") {
        return None;
    }
    let reference = table.attribute(root, "ref")?;
    let (first, last) = reference
        .split_once(':')
        .unwrap_or((&reference, &reference));
    let ((first, row), (last, _)) = (position(first)?, position(last)?);
    Some((first..=last, row))
}

/// Column and row of `AB12`.
fn position(reference: &str) -> Option<(u32, u32)> {
    let digits = reference.find(|c: char| c.is_ascii_digit())?;
    let mut column = 0_u32;
    for letter in reference[..digits].bytes().filter(u8::is_ascii_alphabetic) {
        let letter = u32::from(letter.to_ascii_uppercase() - b'A') + 1;
        column = column.checked_mul(26)?.checked_add(letter)?;
    }
    Some((column, reference[digits..].parse().ok()?))
}

/// How cells spell runs.
struct Cells;

impl Dialect for Cells {
    fn child(&self, xml: &Xml, id: Id) -> Child {
        match xml.name(id) {
            "r" => Child::Run,
            "t" => Child::BareText,
            "rPh" | "phoneticPr" | "extLst" => Child::Properties,
            _ => Child::Point("mark"),
        }
    }

    fn is_invisible(&self, name: &str) -> bool {
        matches!(name, "charset" | "family" | "scheme")
    }

    fn trims_space(&self) -> bool {
        true
    }

    fn keeps_lines(&self) -> bool {
        true
    }

    /// Cells spell characters that XML does not have as `_x000D_`.
    fn escape(&self, text: &str) -> Option<Range<usize>> {
        const LENGTH: usize = "_x000D_".len();
        let is_escape = |place: &usize| {
            let found = text.as_bytes().get(*place..place + LENGTH);
            found.is_some_and(|it| {
                it[LENGTH - 1] == b'_' && it[2..6].iter().all(u8::is_ascii_hexdigit)
            })
        };
        let mut starts = text.match_indices("_x").map(|(place, _)| place);
        starts.find(is_escape).map(|place| place..place + LENGTH)
    }
}

/// Workbooks do not say their language.
impl OfficeDialect for Cells {}

impl Directed for Cells {
    fn set_direction(&self, xml: &Xml, is_right: bool, edits: &mut Edits) {
        turn_sheet(xml, is_right, edits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_known_by_column_and_row() {
        assert_eq!(position("A1"), Some((1, 1)));
        assert_eq!(position("$AB$12".replace('$', "").as_str()), Some((28, 12)));
        assert_eq!(position("A"), None);
        assert_eq!(Cells.escape("a_x b_x000D_"), Some(5..12));
        assert_eq!(Cells.escape("_xyz1_ _x00"), None);
        let table = "<table ref=\"B3:D9\"><x/></table>".to_owned();
        let table = Xml::read("table", table).expect("a table");
        assert_eq!(heading_cells(&table), Some((2..=4, 3)));
    }
}
