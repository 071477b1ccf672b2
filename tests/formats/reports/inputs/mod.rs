//! Inputs that users of other programs reported, `../shared/reports`.
//!
//! Each comes back as it was, and with all its sentences in capitals it is a file with those sentences; [`right`] says what
//! else a translation of it has.

mod right;

use std::fs;
use std::io::{Cursor, Read};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use canopy::text::document::{Document, Format};
use zip::ZipArchive;

use crate::seen;

#[test]
#[cfg_attr(not(shared_reports), ignore = "needs ../shared/reports")]
fn every_input_is_read_and_written_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/reports");
    let inputs = inputs(&folder);
    let mut faults = Vec::new();
    for (name, path) in &inputs {
        let bytes = fs::read(path).expect("readable");
        // Some are for other parts of the program.
        let Some(format) = Format::from_content(path, &bytes) else {
            continue;
        };
        let outcome = catch_unwind(|| check(name, path, format, &bytes));
        let outcome = outcome.unwrap_or_else(|_| Err("it panics".to_owned()));
        faults.extend(outcome.err().map(|fault| format!("{name}: {fault}")));
    }
    let is_input = |name: &str| inputs.iter().any(|(input, _)| input == name);
    let missing = right::names().filter(|name| !is_input(name));
    faults.extend(missing.map(|name| format!("{name} is not there")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The files below a folder with their names from there, without their metadata.
fn inputs(folder: &Path) -> Vec<(String, PathBuf)> {
    let (mut inputs, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("README.md") {
                let name = path.strip_prefix(folder).expect("a path below it");
                inputs.push((name.to_string_lossy().into_owned(), path));
            }
        }
    }
    inputs.sort();
    inputs
}

/// The faults of the translations of a file.
fn check(name: &str, path: &Path, format: Format, bytes: &[u8]) -> Result<(), String> {
    let document = match (Document::open(path, None), right::refusal(name)) {
        (Ok(document), None) => document,
        (Ok(_), Some(reason)) => return Err(format!("it is not refused: {reason}")),
        (Err(error), Some(reason)) if error.to_string().contains(reason) => return Ok(()),
        (Err(error), _) => return Err(error.to_string()),
    };
    let translated = |translate: fn(&str) -> String| -> Vec<Option<String>> {
        let sentences = document.sentences.iter();
        let translations = sentences.map(|it| it.known.is_none().then(|| translate(&it.text)));
        translations.collect()
    };
    let same = document.written(&translated(str::to_owned), None);
    if same.map_err(|error| error.to_string())? != bytes {
        return Err("it does not come back as it was".to_owned());
    }
    let capitals = translated(str::to_ascii_uppercase);
    let written = document.written(&capitals, Some("de"));
    let written = written.map_err(|error| error.to_string())?;
    let shown = shown(&written);
    for part in right::parts(name) {
        if !shown.contains(part) {
            return Err(format!("{part:?} is not in\n{shown}"));
        }
    }
    // A bilingual file has its source still; the text columns of a table are recognised by their content.
    if format.is_bilingual() || matches!(format, Format::Csv | Format::Tsv) {
        return Ok(());
    }
    let again = Document::from_bytes(name, format, written).map_err(|error| error.to_string())?;
    let found: String = again.sentences.iter().map(|it| seen(&it.text)).collect();
    let expected: String = capitals.iter().flatten().map(|text| seen(text)).collect();
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found}\nfor {expected}"))
    }
}

/// A file as text: of an archive all its parts in XML.
fn shown(bytes: &[u8]) -> String {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    let mut shown = String::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let is_xml = entry.name().is_ok_and(|name| name.ends_with(".xml"));
        if is_xml {
            entry.read_to_string(&mut shown).expect("text");
        }
    }
    shown
}
