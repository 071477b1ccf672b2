//! The registry of Mozilla: models by pair of languages, each file by a path of its own below `baseUrl`.

use serde_json::Value;

use super::{List, Reading, sha256, text};
use crate::catalogue::languages::{code, is_code};
use crate::catalogue::model::{CatalogueFile, CatalogueModel, PublishedScore};

/// The files of a model, and whether it cannot do without.
const FILES: [(&str, bool); 5] = [
    ("model", true),
    ("lexicalShortlist", false),
    ("vocab", false),
    ("srcVocab", false),
    ("trgVocab", false),
];

pub(super) fn read(list: &Value, reading: &Reading<'_>) -> List {
    let base = text(list, "baseUrl").unwrap_or_default();
    let mut read = List::default();
    for (pair, entries) in list["models"].as_object().into_iter().flatten() {
        for entry in entries.as_array().into_iter().flatten() {
            match model(pair, entry, base, reading) {
                Some(model) => read.models.push(model),
                None => read.num_unread += 1,
            }
        }
    }
    read
}

fn model(pair: &str, entry: &Value, base: &str, reading: &Reading<'_>) -> Option<CatalogueModel> {
    let filed = pair.split_once('-').unwrap_or((pair, ""));
    let source = text(entry, "sourceLanguage").unwrap_or(filed.0);
    let target = text(entry, "targetLanguage").unwrap_or(filed.1);
    if !is_code(source) || !is_code(target) {
        return None;
    }
    let architecture = text(entry, "architecture").unwrap_or("model");
    let mut model = CatalogueModel {
        name: format!("{source}-{target}-{architecture}"),
        sources: vec![code(source)],
        targets: vec![code(target)],
        kind: architecture.to_owned(),
        num_parameters: entry["modelStatistics"]["parameters"].as_u64(),
        scores: scores(&entry["metrics"]),
        ..reading.model()
    };
    if let Some(licence) = licence(entry, base, &model.licence) {
        model.licence = licence.to_owned();
    }
    // What is not released yet has another name than what is.
    if let Some(status) = text(entry, "releaseStatus").filter(|it| !it.starts_with("Release")) {
        let status = status.to_lowercase().replace(char::is_whitespace, "-");
        model.name = format!("{}-{status}", model.name);
    }
    let is_filed = format!("{source}-{target}").eq_ignore_ascii_case(pair);
    if !is_filed {
        model.problem = Some(format!(
            "the list has it under {pair} but says that it translates {source} → {target}"
        ));
    }
    match files_of(&entry["files"], base, reading) {
        Ok(found) => model.files = found,
        Err(problem) => model.problem = Some(problem),
    }
    let main = model.files.first();
    model.num_bytes = main.and_then(|file| file.num_bytes);
    model.release = main.map_or_else(String::new, |file| {
        let path = || file.source.to_string();
        file.sha256.clone().unwrap_or_else(path)
    });
    Some(model)
}

/// Licence of the entry; for Mozilla's own models theirs, whoever keeps a copy of the list.
fn licence<'a>(entry: &'a Value, base: &str, known: &str) -> Option<&'a str> {
    let own = text(entry, "license").or_else(|| text(entry, "licence"));
    let is_mozilla = known.is_empty() && base.contains("moz-fx-translations");
    own.or(is_mozilla.then_some("MPL-2.0"))
}

fn files_of(told: &Value, base: &str, reading: &Reading<'_>) -> Result<Vec<CatalogueFile>, String> {
    let mut files = Vec::new();
    for (key, is_needed) in FILES {
        let entry = &told[key];
        let Some(path) = text(entry, "path") else {
            if is_needed {
                return Err(format!("the list names no {key} file of it"));
            }
            continue;
        };
        let base = base.trim_end_matches('/');
        let address = if base.is_empty() || path.contains("://") {
            path.to_owned()
        } else {
            format!("{base}/{}", path.trim_start_matches('/'))
        };
        files.push(CatalogueFile {
            num_bytes: entry["uncompressedSize"].as_u64(),
            sha256: sha256(text(entry, "uncompressedHash"))?,
            ..reading.file(&address)?
        });
    }
    let has = |key: &str| text(&told[key], "path").is_some();
    if has("vocab") || has("srcVocab") && has("trgVocab") {
        Ok(files)
    } else {
        Err("the list names no vocabulary of it".to_owned())
    }
}

fn scores(told: &Value) -> Vec<PublishedScore> {
    let mut scores = Vec::new();
    for (test, metrics) in told.as_object().into_iter().flatten() {
        for (metric, value) in metrics.as_object().into_iter().flatten() {
            if let Some(value) = value.as_f64().filter(|it| it.is_finite()) {
                let (test, metric) = (test.clone(), metric.to_lowercase());
                scores.push(PublishedScore {
                    test,
                    metric,
                    value,
                });
            }
        }
    }
    scores
}
