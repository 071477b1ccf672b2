//! Two folders of documents become a corpus of aligned sentences.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use canopy::corpus::document_folders::{FolderImport, FolderReport};
use canopy::corpus::error::{BaseError, Error};
use canopy::corpus::{Corpus, Split, UnitStatus, segments};
use tempfile::TempDir;

use crate::import::{documents, folder, pairs};

fn folders(source: &Path, target: &Path, output: &Path) -> Result<(Corpus, FolderReport), Error> {
    let import = FolderImport {
        source: source.to_owned(),
        target: target.to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        output: output.to_owned(),
        replace: false,
        filter: None,
    };
    let done = import.run(|_, _| ControlFlow::Continue(()))?;
    Ok(done.expect("nobody ends it"))
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
        .map(|split| corpus.statistics().get(split).segments)
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
    assert!(matches!(
        refused("bad"),
        Error::Base(BaseError::Binary { .. })
    ));
    assert!(matches!(
        refused("missing"),
        Error::Base(BaseError::Read { .. })
    ));
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
        filter: None,
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
