//! Open packaging conventions: how the parts of an Office file name each other.

use super::package::{Package, Part};
use crate::builder::Failure;

/// A relationship of a part to another one.
#[derive(Debug)]
pub(super) struct Relationship {
    pub id: String,
    /// The last word of its type: `officeDocument`, `header`, `slide`.
    pub kind: String,
    /// The name of the entry; none if it is outside of the file.
    pub target: Option<String>,
}

/// Opens an Office file; also its main part and the relationships of that.
pub(super) fn open(bytes: Vec<u8>) -> Result<(Package, String, Vec<Relationship>), Failure> {
    let package = Package::open(bytes)?;
    let main = main_part(&package)?;
    let related = relationships(&package, &main)?;
    Ok((package, main, related))
}

/// The name of the part that the file is about: document, presentation or workbook.
pub(super) fn main_part(package: &Package) -> Result<String, Failure> {
    let all = relationships(package, "")?;
    let main = all.into_iter().find(|it| it.kind == "officeDocument");
    main.and_then(|it| it.target)
        .ok_or_else(|| Failure::Damaged {
            part: "_rels/.rels".to_owned(),
            reason: match package.find("_rels/.rels") {
                Some(_) => "no main part that it names (officeDocument) is in the file".to_owned(),
                None => "it is missing, so no part is known to be the main one".to_owned(),
            },
        })
}

/// The parts of this kind that the main part has.
pub(super) fn related(package: &Package, kind: &str) -> Result<Vec<String>, Failure> {
    let all = relationships(package, &main_part(package)?)?.into_iter();
    let named = all.filter(|it| it.kind == kind);
    Ok(named.filter_map(|it| it.target).collect())
}

/// Whether the bytes are an Office file whose main part is in this folder.
pub(super) fn is_office(bytes: &[u8], folder: &str) -> bool {
    super::package::holds(bytes, |name| name == "[Content_Types].xml")
        && super::package::holds(bytes, |name| name.replace('\\', "/").starts_with(folder))
}

/// The relationships of a part, in their order; none if it has no such list.
pub(super) fn relationships(package: &Package, part: &str) -> Result<Vec<Relationship>, Failure> {
    let (folder, name) = part.rsplit_once(['/', '\\']).unwrap_or(("", part));
    let list = match folder {
        "" => format!("_rels/{name}.rels"),
        folder => format!("{folder}/_rels/{name}.rels"),
    };
    let Some(list) = package.find(&list) else {
        return Ok(Vec::new());
    };
    let Part { xml, .. } = package.xml(list)?;
    let relationships = xml.elements(xml.root()).filter_map(|element| {
        let kind = xml.attribute(element, "Type")?;
        let kind = kind.rsplit('/').next()?.to_owned();
        let id = xml.attribute(element, "Id")?.into_owned();
        let is_outside = xml.attribute(element, "TargetMode").as_deref() == Some("External");
        let target = xml.attribute(element, "Target")?;
        let target = (!is_outside).then(|| resolved(folder, &target));
        let target = target.and_then(|target| package.find(&target).map(str::to_owned));
        Some(Relationship { id, kind, target })
    });
    Ok(relationships.collect())
}

/// A target as the name of an entry.
fn resolved(folder: &str, target: &str) -> String {
    // Some programs write names as Windows does.
    let (folder, target) = (folder.replace('\\', "/"), target.replace('\\', "/"));
    let whole = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => [folder, target].join("/"),
    };
    let mut parts = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_meant_from_the_part_that_names_them() {
        assert_eq!(resolved("word", "header1.xml"), "word/header1.xml");
        assert_eq!(
            resolved("ppt/slides", "../media/./a.png"),
            "ppt/media/a.png"
        );
        assert_eq!(resolved("word", "/docProps/app.xml"), "docProps/app.xml");
        assert_eq!(resolved("", "word/document.xml"), "word/document.xml");
        assert_eq!(resolved("ppt\\slides", "..\\a.xml"), "ppt/a.xml");
    }
}
