//! Controls whose text a Word document keeps a second time, in its properties or in data of its own: Word shows that copy.

use std::collections::HashMap;

use super::shown;
use crate::builder::Failure;
use crate::formats::opc;
use crate::formats::package::Package;
use crate::formats::xml::{Id, Xml, escaped};
use crate::view::{Part, Translation};

/// The stores of properties that every document may have.
const PROPERTIES: [(&str, &str); 2] = [
    ("{6C3C8BC8-F283-45AE-878A-BAB7291924A1}", "core-properties"),
    (
        "{6668398D-A668-4E3E-A5EB-62B293D839F1}",
        "extended-properties",
    ),
];

/// A control that shows the text of another part.
#[derive(Debug)]
pub(in crate::formats) struct Bound {
    /// The unit of its only paragraph.
    pub unit: usize,
    /// Its text, which is that of the other part.
    text: String,
    store: String,
    /// Names and numbers of the elements that lead to the text in the other part.
    path: Vec<(String, usize)>,
}

impl Bound {
    /// Reads what a control is bound to; none if it is not.
    pub(crate) fn read(xml: &Xml, control: Id, unit: usize) -> Option<Self> {
        let binding = xml.child(xml.child(control, "sdtPr")?, "dataBinding")?;
        Some(Self {
            unit,
            text: shown(xml, control),
            store: xml.attribute(binding, "storeItemID")?.into_owned(),
            path: path(&xml.attribute(binding, "xpath")?)?,
        })
    }

    /// Writes the translation into the part that Word takes the text from.
    pub(crate) fn write(
        &self,
        package: &Package,
        translation: &Translation,
        changed: &mut HashMap<String, Vec<u8>>,
    ) -> Result<(), Failure> {
        let (Some(parts), Some(name)) = (translation.parts(self.unit), self.part(package)?) else {
            return Ok(());
        };
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Code(_) => None,
        });
        let text: String = texts.collect();
        package.change(&name, changed, |xml, edits| {
            if let Some(element) = self.element(xml)
                && xml.whole_text(element) == self.text
                && !xml.is_empty_tag(element)
            {
                edits.replace(xml.inner(element), escaped(&text));
            }
        })
    }

    /// The name of the part that holds the text.
    fn part(&self, package: &Package) -> Result<Option<String>, Failure> {
        let known = PROPERTIES
            .iter()
            .find(|(id, _)| id.eq_ignore_ascii_case(&self.store));
        if let Some((_, kind)) = known {
            let related = opc::relationships(package, "")?;
            let found = related.into_iter().find(|it| it.kind == *kind);
            return Ok(found.and_then(|it| it.target));
        }
        for name in opc::related(package, "customXml")? {
            for properties in opc::relationships(package, &name)? {
                let Some(target) = properties.target else {
                    continue;
                };
                let xml = package.xml(&target)?.xml;
                let id = xml.attribute(xml.root(), "itemID");
                if id.is_some_and(|id| id.eq_ignore_ascii_case(&self.store)) {
                    return Ok(Some(name));
                }
            }
        }
        Ok(None)
    }

    fn element(&self, xml: &Xml) -> Option<Id> {
        let mut steps = self.path.iter();
        let (name, _) = steps.next()?;
        let root = Some(xml.root()).filter(|&root| xml.name(root) == name);
        steps.try_fold(root?, |element, (name, number)| {
            let mut named = xml.elements(element).filter(|&id| xml.name(id) == name);
            named.nth(*number - 1)
        })
    }
}

/// The steps of a path such as `/ns0:a[1]/ns0:b[2]`; none if it is of another kind.
fn path(xpath: &str) -> Option<Vec<(String, usize)>> {
    let steps = xpath.trim().strip_prefix('/')?.split('/');
    let step = |step: &str| {
        let (name, number) = match step.split_once('[') {
            Some((name, rest)) => (name, rest.strip_suffix(']')?.parse().ok()?),
            None => (step, 1),
        };
        let name = name.rsplit_once(':').map_or(name, |(_, local)| local);
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_-.".contains(c));
        (is_name && number > 0).then(|| (name.to_owned(), number))
    };
    steps.map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_element_to_element() {
        let steps = path("/ns1:coreProperties[1]/ns0:title[2]").expect("a path");
        assert_eq!(
            steps,
            [("coreProperties".to_owned(), 1), ("title".to_owned(), 2)]
        );
        for other in ["", "title", "/a[@b='c']", "/a//b", "/a/@b", "/a[0]"] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
