//! Names of the sheets of a workbook, where they are translated: formulas, charts and links follow them.

use std::collections::{HashMap, HashSet};

use super::edits::Edits;
use super::package::Package;
use super::xml::{Id, Kind, Xml, escaped, escaped_attribute};
use crate::builder::{Builder, Context, Failure};
use crate::document::ParagraphKind;
use crate::view::{Draft, Part, Translation};
use crate::words::Words;

/// As many as Excel accepts, in units of UTF-16.
const MAX_CHARS: usize = 31;

/// Elements whose text is a formula, and attributes that are one.
const FORMULAS: Words =
    Words("f formula formula1 formula2 definedName calculatedColumnFormula totalsRowFormula lpstr");
const LINKS: [&str; 4] = ["location", "textlink", "fmlaLink", "fmlaRange"];

/// The names of a workbook's sheets with their units.
#[derive(Debug, Default)]
pub(super) struct SheetNames {
    sheets: Vec<(usize, String)>,
}

/// New names by the old ones in lower case: names do not differ in case alone.
pub(super) struct Renamed(HashMap<String, String>);

impl SheetNames {
    /// Makes a unit of each name.
    pub(super) fn read(names: impl Iterator<Item = String>, builder: &mut Builder) -> Self {
        let unit = |name: String| {
            let mut draft = Draft::default();
            draft.text(&name);
            let context = Context {
                kind: ParagraphKind::Heading,
                note: Some("The name of a sheet".to_owned()),
                max_chars: Some(MAX_CHARS),
                is_sentence: true,
                ..Context::default()
            };
            (builder.unit(draft, context), name)
        };
        Self {
            sheets: names.map(unit).collect(),
        }
    }

    /// The names that change.
    pub(super) fn renamed(&self, translation: &Translation) -> Renamed {
        let mut taken = HashSet::new();
        let mut renamed = HashMap::new();
        let new = |unit: usize| {
            let parts = translation.parts(unit)?;
            let texts = parts.iter().map(|part| match part {
                Part::Text(text) => text.as_str(),
                Part::Code(_) => "",
            });
            Some(allowed(&texts.collect::<String>())).filter(|name| !name.is_empty())
        };
        let new: Vec<Option<String>> = self.sheets.iter().map(|(unit, _)| new(*unit)).collect();
        for ((_, old), new) in self.sheets.iter().zip(&new) {
            if new.is_none() {
                taken.insert(old.to_lowercase());
            }
        }
        for ((_, old), new) in self.sheets.iter().zip(new) {
            let Some(new) = new else { continue };
            let name = unlike(&new, &taken);
            taken.insert(name.to_lowercase());
            if name != *old {
                renamed.insert(old.to_lowercase(), name);
            }
        }
        Renamed(renamed)
    }
}

/// A name without the characters that Excel refuses in one.
fn allowed(name: &str) -> String {
    let kept = name.chars().map(|c| match c {
        '[' => '(',
        ']' => ')',
        '/' | '\\' | ':' => '-',
        '?' | '*' => ' ',
        c if c.is_control() => ' ',
        c => c,
    });
    let kept: String = kept.collect();
    let name = cut(kept.trim().trim_matches('\''), MAX_CHARS);
    if name.eq_ignore_ascii_case("history") {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

fn cut(name: &str, max: usize) -> &str {
    let mut units = 0;
    let end = name.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > max
    });
    end.map_or(name, |(end, _)| name[..end].trim_end())
}

/// The name, with a number after it if it is taken.
fn unlike(name: &str, taken: &HashSet<String>) -> String {
    if !taken.contains(&name.to_lowercase()) {
        return name.to_owned();
    }
    let numbered = (2_u32..).map(|number| {
        let suffix = format!(" ({number})");
        format!("{}{suffix}", cut(name, MAX_CHARS - suffix.len()))
    });
    let mut free = numbered.filter(|name| !taken.contains(&name.to_lowercase()));
    free.next().unwrap_or_else(|| name.to_owned())
}

impl Renamed {
    /// Puts the new names wherever the workbook says the old ones.
    pub(super) fn apply(
        &self,
        package: &Package,
        changed: &mut HashMap<String, Vec<u8>>,
    ) -> Result<(), Failure> {
        if self.0.is_empty() {
            return Ok(());
        }
        for name in package.names() {
            let is_xml = name.strip_suffix(".xml").is_some() && name.starts_with("xl/");
            let is_other = ["xl/externalLinks/", "xl/theme/", "xl/sharedStrings"]
                .iter()
                .any(|start| name.starts_with(start));
            if is_xml && !is_other || name == "docProps/app.xml" {
                package.change(name, changed, |xml, edits| self.edit(xml, edits))?;
            }
        }
        Ok(())
    }

    fn edit(&self, xml: &Xml, edits: &mut Edits) {
        let is_workbook = xml.name(xml.root()) == "workbook";
        for id in (xml.root()..xml.len()).filter(|&id| xml.kind(id) == Kind::Element) {
            match xml.name(id) {
                "sheet" if is_workbook => self.attribute(xml, id, "name", edits),
                "worksheetSource" | "rangeSet" => self.attribute(xml, id, "sheet", edits),
                "lpstr" if self.0.contains_key(&xml.whole_text(id).to_lowercase()) => {
                    let new = &self.0[&xml.whole_text(id).to_lowercase()];
                    edits.replace(xml.inner(id), escaped(new));
                }
                name if FORMULAS.contains(name) && !xml.is_empty_tag(id) => {
                    if let Some(new) = self.formula(&xml.whole_text(id)) {
                        edits.replace(xml.inner(id), escaped(&new));
                    }
                }
                _ => {}
            }
            for link in LINKS {
                if let Some(range) = xml.attribute_range(id, link)
                    && let Some(new) = xml.attribute(id, link).and_then(|it| self.formula(&it))
                {
                    edits.replace(range, escaped_attribute(&new));
                }
            }
        }
    }

    fn attribute(&self, xml: &Xml, id: Id, name: &str, edits: &mut Edits) {
        let old = xml.attribute(id, name);
        let new = old.and_then(|old| self.0.get(&old.to_lowercase()));
        if let (Some(new), Some(range)) = (new, xml.attribute_range(id, name)) {
            edits.replace(range, escaped_attribute(new));
        }
    }

    /// A formula with the new names; none if it names no sheet that has one.
    fn formula(&self, formula: &str) -> Option<String> {
        let mut written = String::with_capacity(formula.len());
        let (mut rest, mut is_changed) = (formula, false);
        while let Some(first) = rest.chars().next() {
            let token = match first {
                '"' | '\'' => quoted(rest, first),
                '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let (mut token, after) = rest.split_at(token);
            rest = after;
            if first == '"' {
                written += token;
                continue;
            }
            // `One:Three!A1` is all sheets between them.
            let whole = &formula[formula.len() - rest.len() - token.len()..];
            let span = after.strip_prefix(':').and_then(|second| {
                let end = second.find(|c| !is_word(c))?;
                second[end..]
                    .starts_with('!')
                    .then_some(token.len() + 1 + end)
            });
            if let Some(span) =
                span.filter(|_| is_word(first) && self.0.contains_key(&token.to_lowercase()))
            {
                token = &whole[..span];
                rest = &whole[span..];
            }
            let is_external = written.ends_with(']') || token.contains(']');
            if !rest.starts_with('!') || is_external || !(is_word(first) || first == '\'') {
                written += token;
                continue;
            }
            let plain = token.trim_matches('\'').replace("''", "'");
            let parts = plain.split(':').map(|name| {
                let known = self.0.get(&name.to_lowercase());
                is_changed |= known.is_some();
                known.map_or(name, String::as_str)
            });
            let new = parts.collect::<Vec<_>>().join(":");
            let is_plain = new.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
            if new == plain {
                written += token;
            } else if is_plain {
                written += &new;
            } else {
                written.extend(["'", &new.replace('\'', "''"), "'"]);
            }
        }
        is_changed.then_some(written)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// The bytes of a string or a name in marks, which are doubled within it.
fn quoted(text: &str, mark: char) -> usize {
    let mut place = 1;
    while let Some(end) = text[place..].find(mark) {
        place += end + 1;
        if !text[place..].starts_with(mark) {
            return place;
        }
        place += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_follow_the_names() {
        let names = [
            ("data", "Daten"),
            ("old data", "Alt 1"),
            ("it's", "Es"),
            ("q1", "V1"),
        ];
        let names = names.map(|(old, new)| (old.to_owned(), new.to_owned()));
        let renamed = Renamed(names.into_iter().collect());
        for (formula, wanted) in [
            (
                "SUM(Data!A1:B2)+'Old data'!C3",
                "SUM(Daten!A1:B2)+'Alt 1'!C3",
            ),
            ("\"Data!\"&DATA!$A$1", "\"Data!\"&Daten!$A$1"),
            ("'it''s'!A1", "Es!A1"),
            ("SUM(Data:Q1!A1)", "SUM('Daten:V1'!A1)"),
            ("'Data:Old data'!A1", "'Daten:Alt 1'!A1"),
            ("#Data!A1", "#Daten!A1"),
        ] {
            assert_eq!(
                renamed.formula(formula).as_deref(),
                Some(wanted),
                "{formula}"
            );
        }
        for same in [
            "Data+1",
            "[1]Data!A1",
            "'[b.xlsx]Data'!A1",
            "Other!A1",
            "Table[Data]",
            "\"a",
            "'a",
        ] {
            assert_eq!(renamed.formula(same), None, "{same}");
        }
    }

    #[test]
    fn names_are_such_as_excel_accepts() {
        assert_eq!(allowed("[Data: a/b?]"), "(Data- a-b )");
        assert_eq!(allowed("''"), "");
        assert_eq!(allowed("History"), "History_");
        assert_eq!(allowed(&"ab".repeat(40)).len(), MAX_CHARS);
        let taken = HashSet::from(["data".to_owned(), "data (2)".to_owned()]);
        assert_eq!(unlike("Data", &taken), "Data (3)");
    }
}
