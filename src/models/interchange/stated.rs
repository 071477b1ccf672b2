//! Metadata in the files of a model: languages, name, version, licence.
//!
//! In `model_info.json` as translateLocally has it, in `metadata.json` as Argos Translate and Mozilla's registry have it, or
//! by the names of files and folders, such as `vocab.enpt.spm`.

use serde_json::{Map, Value};

use super::archive::Archive;
use super::foreign::ForeignModel;
use crate::error::Result;
use canopy_tokenize::{language_called, pair_in_name, pair_of_letters};

/// Name and version, as the model's files have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated {
    /// Such as `English-Portuguese tiny`.
    pub title: Option<String>,
    /// Version of the model, as its publisher counts.
    pub version: Option<String>,
}

/// Files that describe models, by the keys of [`KEYS`].
const FILES: [&str; 3] = ["model_info.json", "metadata.json", "modelMeta.json"];

/// Keys of a language, each for the source and the target.
const KEYS: [[&str; 2]; 6] = [
    ["src", "trg"],
    ["sourceLanguage", "targetLanguage"],
    ["fromLang", "toLang"],
    ["from_code", "to_code"],
    ["source_language", "target_language"],
    ["source", "target"],
];

/// Fills in what the files of the model's own program leave open.
///
/// # Errors
/// If such a file cannot be read. One that is no JSON is passed over: it is not needed to translate.
pub(super) fn complete(archive: &mut Archive, model: &mut ForeignModel) -> Result<()> {
    for name in FILES {
        if archive.find(name).is_none() {
            continue;
        }
        let bytes = archive.bytes(name)?;
        if let Ok(Value::Object(fields)) = serde_json::from_slice(&bytes) {
            fill(model, &fields);
        }
    }
    let languages = &mut model.languages;
    let is_open = languages.source.is_none() || languages.target.is_none();
    if is_open
        && languages.tokens.is_empty()
        && let Some([source, target]) = by_names(archive)
    {
        languages.source.get_or_insert(source);
        languages.target.get_or_insert(target);
    }
    Ok(())
}

fn fill(model: &mut ForeignModel, fields: &Map<String, Value>) {
    let text = |key: &str| match fields.get(key)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let first = |keys: &[&str]| keys.iter().find_map(|key| text(key));
    let stated = &mut model.stated;
    stated.title = stated
        .title
        .take()
        .or_else(|| first(&["modelName", "name"]));
    let version = || first(&["version", "package_version"]);
    stated.version = stated.version.take().or_else(version);
    let licence = &mut model.licence.name;
    *licence = licence.take().or_else(|| first(&["license", "licence"]));
    let languages = &mut model.languages;
    if languages.source.is_none() {
        let mut sources = KEYS.iter().map(|[key, _]| called(fields.get(*key)));
        let mut sources = sources.find(|found| !found.is_empty()).unwrap_or_default();
        if let (true, Some(Value::Object(tags))) = (sources.is_empty(), fields.get("srcTags")) {
            sources = tags
                .keys()
                .filter_map(|code| language_called(code))
                .collect();
        }
        let mut sources = sources.into_iter();
        languages.source = sources.next();
        languages.more_sources = sources.collect();
    }
    if languages.target.is_none() {
        let mut targets = KEYS.iter().map(|[_, key]| called(fields.get(*key)));
        let targets = targets.find(|found| !found.is_empty()).unwrap_or_default();
        let tag = || called(fields.get("trgTag")).into_iter().next();
        languages.target = targets.into_iter().next().or_else(tag);
    }
    let short = text("shortName").and_then(|name| pair_in_name(&name));
    if let (None, None, Some([source, target])) = (&languages.source, &languages.target, short) {
        (languages.source, languages.target) = (Some(source), Some(target));
    }
}

/// The codes of a language, or of a list of them.
fn called(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(name)) => language_called(name).into_iter().collect(),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.filter_map(language_called).collect()
        }
        _ => Vec::new(),
    }
}

/// The languages in the names of files, such as `lex.50.50.enpt.s2t.bin`, or those of the folders around them.
fn by_names(archive: &Archive) -> Option<[String; 2]> {
    let is_named = |name: &str| {
        ["vocab", "srcvocab", "trgvocab", "model", "lex"]
            .iter()
            .any(|known| name.split('.').next() == Some(known))
    };
    let of_file = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut parts = name.split('.').filter(|_| is_named(name));
        parts.find_map(pair_of_letters)
    };
    let of_folders = |path: &str| {
        let (folders, _) = path.rsplit_once('/')?;
        folders.rsplit('/').find_map(pair_in_name)
    };
    let by = |of: &dyn Fn(&str) -> Option<[String; 2]>| archive.names().find_map(of);
    by(&of_file).or_else(|| by(&of_folders))
}
