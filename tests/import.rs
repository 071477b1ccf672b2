//! Corpora of document folders and of translation memories.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use canopy::corpus::document_folders::{FolderImport, FolderReport};
use canopy::corpus::tmx::{TmxImport, TmxReport};
use canopy::corpus::{Corpus, ParallelDocument, Split, UnitStatus, segments};
use canopy::error::Error;
use serde_json::Value;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        fs::write(path, text).expect("writes");
    }
    folder
}

fn folders(source: &Path, target: &Path, output: &Path) -> Result<(Corpus, FolderReport), Error> {
    let import = FolderImport {
        source: source.to_owned(),
        target: target.to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        output: output.to_owned(),
        replace: false,
    };
    let done = import.run(|_, _| ControlFlow::Continue(()))?;
    Ok(done.expect("nobody ends it"))
}

fn documents(corpus: &Corpus) -> Vec<ParallelDocument> {
    let splits = Split::ALL.into_iter();
    let mut documents: Vec<ParallelDocument> = splits
        .flat_map(|split| {
            corpus
                .documents(split)
                .expect("opens")
                .map(|document| document.expect("reads"))
        })
        .collect();
    documents.sort_by(|a, b| a.id.cmp(&b.id));
    documents
}

/// What both sides show.
fn pairs(document: &ParallelDocument) -> Vec<(String, String)> {
    let units = document
        .paragraphs
        .iter()
        .flat_map(|paragraph| &paragraph.units);
    units
        .map(|unit| (unit.visible_source(), unit.visible_target()))
        .collect()
}

fn samples() -> (Corpus, FolderReport, TempDir) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("samples");
    let (corpus, report) = folders(
        &root.join("assets/samples"),
        &root.join("tests/data/german"),
        &output,
    )
    .expect("imports");
    (corpus, report, folder)
}

#[test]
fn the_samples_and_their_german_versions_become_a_corpus() {
    let (corpus, report, _folder) = samples();
    assert_eq!((report.documents, report.doubtful), (3, 0), "{report:?}");
    assert_eq!(
        (
            report.unpaired_source_sentences,
            report.unpaired_target_sentences
        ),
        (1, 0)
    );
    let [notes, brochure, table] = documents(&corpus).try_into().expect("three documents");
    let [notes, brochure, table] =
        [notes, brochure, table].map(|document| (pairs(&document), document));

    assert_eq!(notes.0.len(), 8);
    let merged = &notes.0[4];
    assert!(
        merged.0.ends_with("if you use another file format."),
        "{merged:?}"
    );
    assert!(
        merged
            .0
            .starts_with("To save the document in another format,"),
        "{merged:?}"
    );
    assert!(
        merged.1.starts_with("Möchten Sie das Dokument"),
        "{merged:?}"
    );

    // The step about the orientation of the paper is only there in English.
    let all: Vec<&str> = brochure
        .0
        .iter()
        .map(|(source, _)| source.as_str())
        .collect();
    assert!(!all.contains(&"Set the paper orientation to landscape."));
    let of = |start: &str| {
        &brochure
            .0
            .iter()
            .find(|(source, _)| source.starts_with(start))
            .expect("is there")
            .1
    };
    assert!(of("If your printer can").starts_with("Wenn Ihr Drucker"));
    assert!(of("Reduce the scaling").starts_with("Verringern Sie"));
    let printing = &brochure.1.sections[2];
    let heading = printing.heading.expect("a heading");
    assert_eq!(
        brochure.1.paragraphs[heading].visible().1,
        "So drucken Sie eine Broschüre auf einem Drucker"
    );

    let units: Vec<_> = table
        .1
        .paragraphs
        .iter()
        .flat_map(|paragraph| &paragraph.units)
        .collect();
    let unit = |start: &str| {
        *units
            .iter()
            .find(|unit| unit.source.starts_with(start))
            .expect("is there")
    };
    assert_eq!(
        unit("Choose").target,
        "Wählen Sie \u{E000}Tabelle - Sortieren\u{E200}."
    );
    assert!(
        unit("See \u{E000}Defining")
            .target
            .starts_with("Siehe \u{E000}Eine Sortierliste")
    );
    assert_eq!(
        unit("Press").source,
        "Press \u{E100} to undo the last step."
    );
    assert_eq!(
        unit("Press").visible_source(),
        "Press Ctrl+Z to undo the last step."
    );
    assert_eq!(
        unit("Press").visible_target(),
        "Drücken Sie Strg+Z, um den letzten Schritt rückgängig zu machen."
    );
}

#[test]
fn a_paragraph_that_was_divided_and_one_that_is_missing_do_not_move_the_rest() {
    let english = "The first chapter.\n\nIt was a cold and windy night in November of 1843. Nobody was in the street, and the lamps had gone out one after the other.\n\nThe clock on the tower of the old church struck two, and from the river came the whistle of a boat.\n\nA dog barked.\n\nThen everything was quiet until a quarter past 4, when the milkman came with his cart and the two old horses.\n";
    let german = "Das erste Kapitel.\n\nEs war eine kalte und windige Nacht im November 1843.\n\nNiemand war auf der Straße, und die Laternen waren eine nach der anderen ausgegangen.\n\nDie Uhr am Turm der alten Kirche schlug zwei, und vom Fluss her kam das Pfeifen eines Schiffes.\n\nDann war alles still, bis um Viertel nach 4 der Milchmann mit seinem Karren und den zwei alten Pferden kam.\n";
    let folder = folder(&[("en/a.txt", english), ("de/a.txt", german)]);
    let (corpus, report) = folders(
        &folder.path().join("en"),
        &folder.path().join("de"),
        &folder.path().join("out"),
    )
    .expect("imports");
    let [document] = documents(&corpus).try_into().expect("one document");
    let targets: Vec<String> = pairs(&document)
        .into_iter()
        .map(|(_, target)| target)
        .collect();
    assert_eq!(targets.len(), 5, "{:?}", pairs(&document));
    assert!(targets[1].ends_with("1843.") && targets[2].starts_with("Niemand"));
    assert!(targets[3].starts_with("Die Uhr") && targets[4].starts_with("Dann"));
    assert_eq!(report.unpaired_source_sentences, 1);
    assert_eq!(
        document.paragraphs.len(),
        4,
        "a divided paragraph stays one"
    );
}

#[test]
fn pairs_that_cannot_be_translations_are_context_only() {
    let english = "A heading.\n\nShort.\n\nThe weather in the north will be fine for the whole week, with some clouds in the evening.\n";
    let german = "Eine Überschrift.\n\nDieser Satz ist viel zu lang, um die Übersetzung eines einzigen Wortes zu sein, und er handelt von 17 anderen Dingen, von denen dort gar keine Rede ist, wie man sofort sieht.\n\nDas Wetter im Norden wird die ganze Woche schön, mit einigen Wolken am Abend.\n";
    let folder = folder(&[("en/a.txt", english), ("de/a.txt", german)]);
    let (corpus, report) = folders(
        &folder.path().join("en"),
        &folder.path().join("de"),
        &folder.path().join("out"),
    )
    .expect("imports");
    let [document] = documents(&corpus).try_into().expect("one document");
    let units: Vec<_> = document
        .paragraphs
        .iter()
        .flat_map(|paragraph| &paragraph.units)
        .collect();
    for unit in &units {
        let expected = if unit.source == "Short." {
            UnitStatus::Doubtful
        } else {
            UnitStatus::New
        };
        assert_eq!(unit.status, expected, "{unit:?}");
    }
    let doubtful = units
        .iter()
        .filter(|unit| unit.status == UnitStatus::Doubtful)
        .count();
    assert_eq!(report.doubtful, doubtful);
    let scored: usize = Split::ALL
        .map(|split| segments(&corpus, split).expect("reads").len())
        .iter()
        .sum();
    assert_eq!(scored, units.len() - doubtful);
    let counted: usize = Split::ALL
        .map(|split| corpus.statistics().of(split).segments)
        .iter()
        .sum();
    assert_eq!(scored, counted);
}

#[test]
fn documents_about_something_else_are_doubtful_as_a_whole() {
    let english = "One line.\n\nAnother line that is a good deal longer than the first one, to tell them apart.\n\nThe end.\n";
    let german = "Ein völlig anderer Text, der mit dem englischen gar nichts zu tun hat und der auch ganz anders gegliedert ist als jener, was man an der Länge sieht.\n\nUnd noch ein langer Absatz, der nirgends hinpasst und von anderen Dingen handelt, die in keiner Zeile vorkommen. Er geht immer weiter und weiter, ohne dass im englischen Text etwas Ähnliches stünde, und auch dieser dritte Satz gehört noch dazu, obwohl er niemandem fehlen würde, der ihn überliest. Schließlich endet er.\n\nNein.\n";
    let folder = folder(&[
        ("en/a.txt", english),
        ("de/a.txt", german),
        ("en/b.txt", "Good morning."),
        ("de/b.txt", "Guten Morgen."),
        ("en/c.txt", "Good evening."),
        ("de/c.txt", "Guten Abend."),
    ]);
    let imported = folders(
        &folder.path().join("en"),
        &folder.path().join("de"),
        &folder.path().join("out"),
    );
    let (corpus, _) = imported.expect("imports");
    let new: Vec<String> = documents(&corpus)
        .into_iter()
        .filter(|document| {
            let mut units = document
                .paragraphs
                .iter()
                .flat_map(|paragraph| &paragraph.units);
            units.any(|unit| unit.status == UnitStatus::New)
        })
        .map(|document| document.id)
        .collect();
    assert_eq!(new, ["b.txt", "c.txt"]);
}

#[test]
fn one_folder_with_languages_in_the_names_is_enough() {
    let both = folder(&[
        ("text/a.en.md", "# Title\n\nSome text.\n"),
        ("text/a.de.md", "# Titel\n\nEtwas Text.\n"),
        ("text/b.en.md", "Alone.\n"),
        ("text/c_en.txt", "Good morning.\n"),
        ("text/c_de.txt", "Guten Morgen.\n"),
    ]);
    let text = both.path().join("text");
    let (corpus, report) = folders(&text, &text, &both.path().join("out")).expect("imports");
    assert_eq!((report.documents, report.pairs), (2, 3));
    assert_eq!(report.unpaired_sources, ["b.en.md"]);
    assert!(report.unpaired_targets.is_empty());
    assert_eq!(documents(&corpus)[1].id, "c_en.txt");
}

#[test]
fn unreadable_documents_are_left_out_and_named() {
    let two = folder(&[
        ("en/a.txt", "Good morning."),
        ("de/a.txt", "Guten Morgen."),
        ("en/b.txt", "Text."),
        ("en/c.txt", ""),
        ("de/c.txt", ""),
    ]);
    fs::write(two.path().join("de/b.txt"), b"Gr\xFC\xDFe").expect("writes");
    let output = two.path().join("out");
    let (_, report) =
        folders(&two.path().join("en"), &two.path().join("de"), &output).expect("imports");
    let left_out: Vec<&str> = report
        .left_out
        .iter()
        .map(|left_out| left_out.source.as_str())
        .collect();
    assert_eq!((report.documents, left_out), (1, vec!["b.txt", "c.txt"]));
    assert!(report.left_out[0].reason.contains("de/b.txt"), "{report:?}");
}

#[test]
fn folders_that_cannot_be_meant_are_refused() {
    let two = folder(&[
        ("en/a.txt", "Text."),
        ("de/b.txt", "Text."),
        ("bad/a.txt", "\0"),
    ]);
    let refused = |target: &str| {
        let output = two.path().join("out");
        let error = folders(&two.path().join("en"), &two.path().join(target), &output)
            .expect_err("refused");
        assert!(!output.exists());
        error
    };
    assert!(matches!(refused("de"), Error::NoDocumentPairs { .. }));
    assert!(matches!(refused("bad"), Error::Binary { .. }));
    assert!(matches!(refused("missing"), Error::Read { .. }));
}

#[test]
fn an_import_that_is_ended_leaves_nothing() {
    let two = folder(&[("en/a.txt", "Text."), ("de/a.txt", "Text.")]);
    let import = FolderImport {
        source: two.path().join("en"),
        target: two.path().join("de"),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        output: two.path().join("corpora/out"),
        replace: false,
    };
    assert!(
        import
            .run(|_, _| ControlFlow::Break(()))
            .expect("ends")
            .is_none()
    );
    let left = fs::read_dir(two.path().join("corpora"))
        .expect("a folder")
        .count();
    assert_eq!(left, 0);
}

/// Imports a file of these bytes.
fn memory(bytes: &[u8], languages: (&str, &str)) -> Result<(Corpus, TmxReport, TempDir), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("memory.tmx");
    fs::write(&file, bytes).expect("writes");
    let import = TmxImport {
        file,
        source_language: languages.0.to_owned(),
        target_language: languages.1.to_owned(),
        output: folder.path().join("out"),
        replace: false,
    };
    let done = import.run(|_, _| ControlFlow::Continue(()))?;
    let (corpus, report) = done.expect("nobody ends it");
    Ok((corpus, report, folder))
}

fn tmx(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n\
         <header creationtool=\"by hand\" segtype=\"sentence\" srclang=\"en-US\" datatype=\"html\"><prop type=\"file\">not a unit's</prop></header>\n\
         <body>\n{body}</body>\n</tmx>\n"
    )
}

fn unit(attributes: &str, english: &str, german: &str) -> String {
    format!(
        "<tu {attributes}><tuv xml:lang=\"EN-US\"><seg>{english}</seg></tuv>\n<tuv xml:lang=\"de_DE\"><seg>{german}</seg></tuv></tu>\n"
    )
}

#[test]
fn a_memory_with_inline_tags_becomes_paragraphs_with_placeholders() {
    let body = unit(
        "",
        "Press <bpt i=\"1\" x=\"7\">&lt;b></bpt>A &amp; B<ept i=\"1\">&lt;/b></ept> on <ph x=\"2\"><sub>all</sub>{0}</ph> &#x3c;now&gt;.",
        "Auf <ph x=\"2\">{0}</ph> dr&#252;cken Sie <bpt i=\"4\" x=\"7\">&lt;strong></bpt>A <![CDATA[& B]]><ept i=\"4\">&lt;/strong></ept>  &lt;jetzt>.",
    );
    let (corpus, report, _folder) = memory(tmx(&body).as_bytes(), ("en", "de")).expect("imports");
    let [document] = documents(&corpus).try_into().expect("one document");
    let unit = &document.paragraphs[0].units[0];
    assert_eq!(
        unit.source,
        "Press \u{E000}A & B\u{E200} on \u{E101} <now>."
    );
    assert_eq!(
        unit.target,
        "Auf \u{E101} drücken Sie \u{E000}A & B\u{E200} <jetzt>."
    );
    assert_eq!(unit.visible_target(), "Auf {0} drücken Sie A & B <jetzt>.");
    assert_eq!((report.pairs, report.dropped_markup), (1, 0));
}

#[test]
fn utf_16_is_read_like_utf_8() {
    let text = tmx(&unit("", "Good morning 😀", "Guten Morgen 😀")).replace("UTF-8", "UTF-16");
    let bytes = [
        vec![0xFF, 0xFE],
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ]
    .concat();
    let (corpus, _, _folder) = memory(&bytes, ("en", "de")).expect("imports");
    assert_eq!(
        pairs(&documents(&corpus)[0]),
        [("Good morning 😀".to_owned(), "Guten Morgen 😀".to_owned())]
    );
}

#[test]
fn units_become_documents_by_what_they_say_or_by_fifty() {
    let file = |name: &str, english: &str| {
        unit("", english, english).replacen(
            "<tuv",
            &format!("<prop type=\"x-filename\">{name}</prop><tuv"),
            1,
        )
    };
    let mut body = file("b.html", "One") + &file("a.html", "Two") + &file("b.html", "Three");
    body += &unit("tuid=\"c/d.md:1\"", "Four", "Vier");
    for number in 0..60 {
        body += &unit("", &format!("Number {number}"), &format!("Nummer {number}"));
    }
    body += &unit("", "Number 1", "Nummer 1");
    body += "<tu><tuv lang=\"en\"><seg>Only English</seg></tuv></tu>";
    let (corpus, report, _folder) =
        memory(tmx(&body).as_bytes(), ("en-US", "de")).expect("imports");
    let found: Vec<(String, usize)> = documents(&corpus)
        .iter()
        .map(|document| (document.id.clone(), document.paragraphs.len()))
        .collect();
    let expected = [
        ("a.html", 1),
        ("b.html", 2),
        ("c/d.md", 1),
        ("memory/000001", 50),
        ("memory/000002", 11),
    ];
    assert_eq!(found, expected.map(|(id, count)| (id.to_owned(), count)));
    assert_eq!(
        (report.units, report.incomplete, report.named_documents),
        (66, 1, 3)
    );
    let in_one_split = Split::of("memory/000001") == Split::of("memory/000002");
    assert_eq!(report.repeated, usize::from(in_one_split));
    assert_eq!(report.languages["EN-US"], 65);
}

#[test]
fn junk_is_refused_with_file_and_line() {
    let good = tmx(&unit("", "Good morning", "Guten Morgen"));
    let refused = |bytes: &[u8], languages| {
        let error = memory(bytes, languages)
            .map(|_| ())
            .expect_err("refused")
            .to_string();
        assert!(error.contains("memory.tmx"), "{error}");
        error
    };
    let cases: [(Vec<u8>, &str); 8] = [
        (Vec::new(), "line 1: the file is empty"),
        (b"Just some text.\n".to_vec(), "no <tu>"),
        (
            b"<html><body>text</body></html>".to_vec(),
            "this is no TMX but a file of <html>",
        ),
        (tmx("").into_bytes(), "no <tu>"),
        (
            good.replace("</body>\n</tmx>", "").into_bytes(),
            "the file ends inside of <body>",
        ),
        (
            good.replace("</seg></tuv></tu>", "</tuv></tu>")
                .into_bytes(),
            "line 7",
        ),
        (
            good.replace("Guten", "Guten&nbsp;").into_bytes(),
            "nothing says what &nbsp; stands for",
        ),
        (
            good.replace("Guten", "G\u{1}")
                .into_bytes()
                .iter()
                .map(|&byte| if byte == 1 { 0xFF } else { byte })
                .collect(),
            "line 7",
        ),
    ];
    for (bytes, words) in cases {
        let error = refused(&bytes, ("en", "de"));
        assert!(error.contains(words), "{error}");
    }
    let error = refused(good.as_bytes(), ("en", "fr"));
    assert!(
        error.contains("en and fr") && error.contains("EN-US, de_DE"),
        "{error}"
    );
    assert!(matches!(
        memory(good.as_bytes(), ("en", "en-US")),
        Err(Error::TmxLanguages { .. })
    ));
}

#[test]
fn the_command_line_tells_what_was_found() {
    let two = folder(&[
        ("en/a.txt", "Good morning."),
        ("de/a.txt", "Guten Morgen."),
        ("en/b.txt", "Alone."),
    ]);
    let canopy = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command.current_dir(two.path()).args(["corpus", "import"]);
        command
            .args(arguments)
            .args(["--from", "en", "--to", "de", "--json"]);
        let output = command.output().expect("the program runs");
        let told = String::from_utf8(output.stdout).expect("UTF-8");
        (
            output.status.code(),
            told,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, told, _) = canopy(&["folders", "--source", "en", "--target", "de", "-o", "out"]);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!(
        told["report"]["unpaired_sources"],
        serde_json::json!(["b.txt"])
    );
    assert_eq!(told["report"]["pairs"], 1);
    assert!(told["statistics"]["train"]["units"].is_u64());

    fs::write(two.path().join("memory.tmx"), tmx(&unit("", "One", "Eins"))).expect("writes");
    let (code, told, _) = canopy(&["tmx", "memory.tmx", "-o", "memory"]);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((code, &told["report"]["pairs"]), (Some(0), &Value::from(1)));

    fs::write(two.path().join("memory.tmx"), "").expect("writes");
    let (code, told, error) = canopy(&["tmx", "memory.tmx", "-o", "other"]);
    assert_eq!((code, told.as_str()), (Some(1), ""));
    assert!(error.contains("the file is empty"), "{error}");
}
