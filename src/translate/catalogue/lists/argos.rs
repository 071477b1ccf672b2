//! The index of Argos Translate: an array of packages, without sizes and hashes, some of them without an address.

use serde_json::Value;

use super::{List, Reading, text};
use crate::catalogue::languages::{code, is_code, other_language};
use crate::catalogue::model::{CatalogueFile, CatalogueModel};

pub(super) fn read(packages: &Value, reading: &Reading<'_>) -> List {
    let mut read = List::default();
    let is_translation = |entry: &&Value| text(entry, "type").is_none_or(|it| it == "translate");
    let entries = packages.as_array().into_iter().flatten();
    for entry in entries.filter(is_translation) {
        match model(entry, reading) {
            Some(model) => read.models.push(model),
            None => read.num_unread += 1,
        }
    }
    read
}

fn model(entry: &Value, reading: &Reading<'_>) -> Option<CatalogueModel> {
    let (from, to) = (text(entry, "from_code")?, text(entry, "to_code")?);
    if !is_code(from) || !is_code(to) {
        return None;
    }
    let name = text(entry, "code").map(str::to_owned);
    let mut model = CatalogueModel {
        name: name.unwrap_or_else(|| format!("translate-{from}_{to}")),
        sources: vec![code(from)],
        targets: vec![code(to)],
        kind: "Argos".to_owned(),
        release: text(entry, "package_version")
            .unwrap_or_default()
            .to_owned(),
        is_archive: true,
        ..reading.model()
    };
    for (written, name) in [(from, "from_name"), (to, "to_name")] {
        let listed = text(entry, name).unwrap_or_default();
        if other_language(&code(written), listed).is_some() {
            model.doubt = Some(format!(
                "The list calls the language {written} {listed}, which is another one; see that the model translates what you need."
            ));
        }
    }
    match file(entry, reading) {
        Ok(file) => model.files = vec![file],
        Err(problem) => model.problem = Some(problem),
    }
    Some(model)
}

/// The first address that can be followed.
fn file(entry: &Value, reading: &Reading<'_>) -> Result<CatalogueFile, String> {
    let links = entry["links"].as_array().into_iter().flatten();
    let mut refused = None;
    for link in links.filter_map(Value::as_str) {
        match reading.file(link) {
            Ok(file) => return Ok(file),
            Err(problem) => {
                refused.get_or_insert(problem);
            }
        }
    }
    Err(refused.unwrap_or_else(|| "the list names no address of it".to_owned()))
}
