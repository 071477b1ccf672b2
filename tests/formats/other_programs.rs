//! Programs that documents come from open what was written: LibreOffice every office file, epubcheck every EPUB.
//!
//! Where one is not installed its test is ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use canopy::text::document::{Document, Format};
use canopy::text::pseudo::Pseudo;

use super::properties::Inline;
use super::{office, packages, pseudo, real_documents};

const OFFICE: [&str; 6] = ["docx", "pptx", "xlsx", "odt", "odp", "ods"];

/// The first of these ways to start a program that prints its name.
fn program(name: &str, ways: &[&[&'static str]]) -> Vec<&'static str> {
    let answers = |way: &&&[&str]| {
        let run = Command::new(way[0])
            .args(&way[1..])
            .arg("--version")
            .output();
        // Its exit code means nothing: epubcheck wants a book even then.
        run.is_ok_and(|run| {
            let version = String::from_utf8_lossy(&run.stdout).to_lowercase();
            version.contains(name)
        })
    };
    let way = ways.iter().find(answers);
    way.unwrap_or_else(|| panic!("{name} does not start"))
        .to_vec()
}

/// Files of other makers with these endings, and their contents; those that are damaged on purpose are left out.
fn real_files(endings: &[&str]) -> Vec<(String, Vec<u8>)> {
    let files = real_documents().into_iter().filter_map(|path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let is_meant = endings.contains(&path.extension()?.to_str()?);
        let is_sound = is_meant && !name.contains("clusterfuzz");
        is_sound.then(|| (name, fs::read(&path).expect("readable")))
    });
    files.collect()
}

/// A file with every sentence in accents, or none if this program reads no such file.
fn in_accents(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let format = Format::from_content(Path::new(name), bytes)?;
    let document = Document::from_bytes(name, format, bytes.to_vec()).expect("readable");
    let accents = pseudo(&document, Pseudo::Accents);
    Some(document.written(&accents, Some("de")).expect("written"))
}

/// Small files of our own, so that there is something to check wherever the tests run.
fn own_files() -> Vec<(String, Vec<u8>)> {
    let paragraphs = [
        vec![Inline::Text("One sentence & more.".to_owned())],
        vec![
            Inline::Text("A ".to_owned()),
            Inline::Marked("bold".to_owned()),
            Inline::Text(" word.".to_owned()),
        ],
    ];
    vec![
        ("own.docx".to_owned(), office::docx(&paragraphs)),
        ("own.odt".to_owned(), packages::odt(&paragraphs)),
    ]
}

/// The files in a folder that LibreOffice opens, by their names without endings.
fn opened_by_libreoffice(office: &str, folder: &Path, files: &[PathBuf]) -> Vec<String> {
    let out = folder.join("out");
    fs::create_dir_all(&out).expect("a folder");
    // A profile of its own: nothing of the user is touched, and one that runs already does not answer in its place.
    let profile = format!(
        "-env:UserInstallation=file://{}",
        folder.join("profile").display()
    );
    let run: Output = Command::new(office)
        .args([&profile, "--headless", "--convert-to", "pdf", "--outdir"])
        .arg(&out)
        .args(files)
        .output()
        .expect("LibreOffice runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let entries = fs::read_dir(out).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| fs::metadata(path).is_ok_and(|about| about.len() > 500))
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
#[cfg_attr(
    not(has_libreoffice),
    ignore = "needs LibreOffice: libreoffice-writer, -calc, -impress"
)]
fn libreoffice_opens_every_office_file_that_was_written() {
    let office = program("libreoffice", &[&["soffice"], &["libreoffice"]]);
    let mut files = own_files();
    files.extend(real_files(&OFFICE));
    let folder = tempfile::tempdir().expect("a folder");
    let place = |kind: &str| {
        let place = folder.path().join(kind);
        fs::create_dir_all(&place).expect("a folder");
        place
    };
    let (before, after) = (place("before"), place("after"));
    let (mut originals, mut written) = (vec![], vec![]);
    for (number, (name, bytes)) in files.iter().enumerate() {
        let Some(translated) = in_accents(name, bytes) else {
            continue;
        };
        // Names with one stem would be written to one file.
        let (stem, ending) = name.rsplit_once('.').expect("an ending");
        let name = format!("{number:02}-{stem}.{ending}");
        for (place, bytes, list) in [
            (&before, bytes, &mut originals),
            (&after, &translated, &mut written),
        ] {
            let path = place.join(&name);
            fs::write(&path, bytes).expect("written");
            list.push(path);
        }
    }
    let could = opened_by_libreoffice(office[0], &before, &originals);
    let can = opened_by_libreoffice(office[0], &after, &written);
    assert!(!could.is_empty(), "LibreOffice opens something");
    let lost: Vec<&String> = could.iter().filter(|name| !can.contains(name)).collect();
    assert!(lost.is_empty(), "no longer opened: {lost:?}");
    println!("LibreOffice opened {} of {} files", can.len(), files.len());
}

#[test]
#[cfg_attr(not(has_epubcheck), ignore = "needs epubcheck")]
fn epubcheck_passes_every_book_that_it_passed_before() {
    // Debian's is a jar that starts by itself only where the system is configured for it.
    let jar: &[&str] = &["java", "-jar", "/usr/share/java/epubcheck.jar"];
    let epubcheck = program("epubcheck", &[&["epubcheck"], jar]);
    let folder = tempfile::tempdir().expect("a folder");
    let passes = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        let run = Command::new(epubcheck[0])
            .args(&epubcheck[1..])
            .arg(&path)
            .output()
            .expect("it runs");
        let report = [run.stdout, run.stderr].concat();
        (
            run.status.success(),
            String::from_utf8_lossy(&report).into_owned(),
        )
    };
    let mut count = 0;
    for (name, bytes) in real_files(&["epub"]) {
        if !passes(&name, &bytes).0 {
            continue;
        }
        let Some(written) = in_accents(&name, &bytes) else {
            continue;
        };
        let (is_sound, report) = passes(&format!("written-{name}"), &written);
        assert!(is_sound, "{name}: {report}");
        count += 1;
    }
    println!("epubcheck is_sound {count} books");
}
