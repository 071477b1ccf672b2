//! Inputs that users of other programs reported, `../shared/reports`: a test a file.
//!
//! Each comes back as it was, and with all its sentences in capitals it is a file with those sentences; [`right`] says what
//! else a translation of it has. This is a harness of its own: where the folder is not there it says *ignored*, not passed.

mod right;

use std::fs;
use std::io::{Cursor, Read};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use canopy::text::document::{Document, Format};
use canopy::text::placeholder::Placeholder;
use zip::ZipArchive;

const FOLDER: &str = "../shared/reports";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filters: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let mut inputs = inputs(&folder);
    inputs.retain(|(name, _)| {
        filters.is_empty() || filters.iter().any(|it| name.contains(it.as_str()))
    });
    if arguments.iter().any(|argument| argument == "--list") {
        for (name, _) in &inputs {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    if !folder.is_dir() {
        println!("\nrunning 1 test\ntest {FOLDER} ... ignored, there is no such folder");
        println!("\ntest result: ok. 0 passed; 0 failed; 1 ignored\n");
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", inputs.len());
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (name, path) in &inputs {
        let bytes = fs::read(path).expect("readable");
        let Some(format) = Format::from_content(path, &bytes) else {
            ignored += 1;
            println!("test {name} ... ignored, it is no document");
            continue;
        };
        let outcome = catch_unwind(|| check(name, path, format, &bytes));
        let fault = outcome.unwrap_or_else(|_| Err("it panics".to_owned()));
        match fault {
            Ok(()) => {
                passed += 1;
                println!("test {name} ... ok");
            }
            Err(fault) => {
                failed += 1;
                println!("test {name} ... FAILED\n{fault}");
            }
        }
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored\n");
    ExitCode::from(u8::from(failed > 0))
}

/// The files below a folder with their names from there, without what is told about them.
fn inputs(folder: &Path) -> Vec<(String, PathBuf)> {
    let (mut inputs, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
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

/// What is wrong with the translations of a file.
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
    // A bilingual file has its source still; which columns of a table are text is told by what they hold.
    if format.is_bilingual() || matches!(format, Format::Csv | Format::Tsv) {
        return Ok(());
    }
    let again = Document::from_bytes(name, format, written).map_err(|error| error.to_string())?;
    let found: String = again.sentences.iter().map(|it| letters(&it.text)).collect();
    let expected: String = capitals
        .iter()
        .flatten()
        .map(|text| letters(text))
        .collect();
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

/// The text without placeholders, whose numbers may change with their order, and without space, which may be folded.
fn letters(text: &str) -> String {
    let letters = text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_none());
    letters.filter(|c| !c.is_whitespace()).collect()
}
