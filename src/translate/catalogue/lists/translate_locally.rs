//! The lists of translateLocally, which OPUS-MT and HPLT have, too: one archive a model.

use serde_json::Value;

use super::{List, Reading, sha256, text};
use crate::catalogue::languages::{code, code_of_name, is_code, other_language};
use crate::catalogue::model::CatalogueModel;

/// The version of the files that these models have.
const API: u64 = 1;

pub(super) fn read(models: &Value, reading: &Reading<'_>) -> List {
    let mut read = List::default();
    for entry in models.as_array().into_iter().flatten() {
        match model(entry, reading) {
            Some(model) => read.models.push(model),
            None => read.num_unread += 1,
        }
    }
    read
}

fn model(entry: &Value, reading: &Reading<'_>) -> Option<CatalogueModel> {
    let name = ["shortName", "code", "modelName", "name"]
        .iter()
        .find_map(|key| text(entry, key))?;
    let mut model = CatalogueModel {
        name: name.replace(' ', "-"),
        kind: text(entry, "type").unwrap_or_default().to_owned(),
        is_archive: true,
        ..reading.model()
    };
    if let Some(licence) = text(entry, "license").or_else(|| text(entry, "licence")) {
        licence.clone_into(&mut model.licence);
    }
    let mut doubts = Vec::new();
    model.sources = languages(entry, ["srcTags", "srcTag", "src"], &mut doubts);
    model.targets = languages(entry, ["trgTags", "trgTag", "trg"], &mut doubts);
    if model.sources.is_empty() || model.targets.is_empty() {
        return None;
    }
    model.doubt = doubts.into_iter().next();
    let version = &entry["version"];
    let version = version.as_str().map_or(version.to_string(), str::to_owned);
    model.release = text(entry, "checksum").map_or(version, str::to_lowercase);
    if let Err(problem) = add_file(&mut model, entry, reading) {
        model.problem = Some(problem);
    }
    Some(model)
}

fn add_file(
    model: &mut CatalogueModel,
    entry: &Value,
    reading: &Reading<'_>,
) -> Result<(), String> {
    if let Some(api) = entry["API"].as_u64().filter(|api| *api > API) {
        return Err(format!(
            "it is for a later translateLocally (API {api}; known is {API})"
        ));
    }
    let address = text(entry, "url").ok_or("the list names no address of it")?;
    let mut file = reading.file(address)?;
    file.sha256 = sha256(text(entry, "checksum"))?;
    model.files = vec![file];
    Ok(())
}

/// The codes of one side: tags with the names that they have there, one tag, or names alone. Codes are what the files are
/// named by, so they count where a name says another language.
fn languages(entry: &Value, keys: [&str; 3], doubts: &mut Vec<String>) -> Vec<String> {
    let [tags, tag, names] = keys.map(|key| &entry[key]);
    let names: Vec<&str> = match names {
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let mut codes = Vec::new();
    let mut take = |written: &str, listed: &str| {
        if !is_code(written) {
            return;
        }
        let own = code(written);
        if other_language(&own, listed).is_some() {
            doubts.push(doubt(written, &own, listed, &names));
        }
        if !codes.contains(&own) {
            codes.push(own);
        }
    };
    for (written, listed) in tags.as_object().into_iter().flatten() {
        take(written, listed.as_str().unwrap_or_default());
    }
    if let Some(written) = tag.as_str() {
        take(written, if names.len() == 1 { names[0] } else { "" });
    }
    if codes.is_empty() {
        codes = names.into_iter().filter_map(code_of_name).collect();
    }
    codes
}

/// A sentence on a code whose name is that of another language.
fn doubt(written: &str, own: &str, listed: &str, names: &[&str]) -> String {
    let agrees = names
        .iter()
        .find(|name| other_language(own, name).is_none() && code_of_name(name).is_some());
    match agrees {
        Some(name) => format!(
            "The list calls the language {written} {listed}; its code and its other name, {name}, are taken to be right."
        ),
        None => format!(
            "The list calls the language {written} {listed}, which is another one; see that the model translates what you need."
        ),
    }
}
