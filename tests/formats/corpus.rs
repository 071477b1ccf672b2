//! Corpora are made, read and refused as documented.

use std::fs;
use std::path::{Path, PathBuf};

use canopy::corpus::error::{BaseError, Error};
use canopy::corpus::libreoffice_help::{HelpImport, HelpReport};
use canopy::corpus::parallel_text::TextImport;
use canopy::corpus::{Corpus, ParallelDocument, Split, UnitStatus, segments, train_vocabulary};
use tempfile::TempDir;

/// Names whose hashes lie in each split.
const TRAIN: &str = "scalc/01/0.html";
const DEV: &str = "scalc/01/17.html";
const TEST: &str = "scalc/01/16.html";

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
    fs::write(path, text).expect("writes");
}

fn page(paragraphs: &[(&str, &str)]) -> String {
    let paragraph = |(id, text): &(&str, &str)| match id.strip_prefix("hd_") {
        Some(_) => format!("<h2 id=\"{id}\">{text}</h2>\n"),
        None => format!("<p id=\"{id}\" class=\"paragraph\">{text}</p>\n"),
    };
    paragraphs.iter().map(paragraph).collect()
}

/// Three pages, one a split, in two languages.
fn help() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let english = page(&[
        ("hd_1", "Printing"),
        ("par_1", "Click <b>OK</b>. Then wait."),
        ("par_2", "Only English."),
        ("par_3", "One. Two."),
        ("par_4", "LibreOffice"),
        (
            "par_5",
            "See <a href=\"en-US/text/x.html\">help</a> for <code>SUM</code>.",
        ),
    ]);
    let german = page(&[
        ("hd_1", "Drucken"),
        ("par_1", "Klicken Sie auf <b>OK</b>. Warten Sie dann."),
        ("par_3", "Eins und zwei."),
        ("par_4", "LibreOffice"),
        (
            "par_5",
            "Zu <code>SUMME</code> siehe <a href=\"de/text/x.html\">Hilfe</a>.",
        ),
    ]);
    for name in [TRAIN, DEV] {
        write(folder.path(), &format!("en-US/text/{name}"), &english);
        write(folder.path(), &format!("de/text/{name}"), &german);
    }
    let more = [
        ("par_9", "A new line, twice."),
        ("par_10", "A new line, twice."),
    ];
    let mehr = [
        ("par_9", "Eine neue Zeile, zweimal."),
        ("par_10", "Eine neue Zeile, zweimal."),
    ];
    write(
        folder.path(),
        &format!("en-US/text/{TEST}"),
        &(english + &page(&more)),
    );
    write(
        folder.path(),
        &format!("de/text/{TEST}"),
        &(german + &page(&mehr)),
    );
    write(
        folder.path(),
        "en-US/text/only.html",
        "<p id=\"x\">Nobody translated this page.</p>",
    );
    folder
}

fn import(folder: &Path, replace: bool) -> Result<(Corpus, HelpReport), Error> {
    let import = HelpImport {
        source: folder.join("en-US"),
        target: folder.join("de"),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        output: folder.join("corpora/help"),
        replace,
    };
    import.run(|_, _| {})
}

fn documents(corpus: &Corpus, split: Split) -> Vec<ParallelDocument> {
    corpus
        .documents(split)
        .expect("opens")
        .collect::<Result<_, _>>()
        .expect("reads")
}

#[test]
fn help_pages_become_parallel_documents() {
    let folder = help();
    let (corpus, report) = import(folder.path(), false).expect("imports");
    assert_eq!(
        (
            report.pages,
            report.unpaired_pages,
            report.unpaired_paragraphs
        ),
        (4, 1, 3)
    );
    let [document] = documents(&corpus, Split::Train)
        .try_into()
        .expect("one document");
    assert_eq!(document.id, TRAIN);
    let units: Vec<Vec<(&str, &str)>> = document
        .paragraphs
        .iter()
        .map(|paragraph| {
            paragraph
                .units
                .iter()
                .map(|unit| (unit.source.as_str(), unit.target.as_str()))
                .collect()
        })
        .collect();
    let expected = [
        vec![("Printing", "Drucken")],
        vec![
            (
                "Click \u{E000}OK\u{E200}.",
                "Klicken Sie auf \u{E000}OK\u{E200}.",
            ),
            ("Then wait.", "Warten Sie dann."),
        ],
        vec![("One. Two.", "Eins und zwei.")],
        vec![("LibreOffice", "LibreOffice")],
        vec![(
            "See \u{E000}help\u{E200} for \u{E101}.",
            "Zu \u{E101} siehe \u{E000}Hilfe\u{E200}.",
        )],
    ];
    assert_eq!(units, expected);
    assert_eq!(
        document.paragraphs[3].units[0].status,
        UnitStatus::Identical
    );
    assert_eq!(document.sections[1].heading, Some(0));
    assert!(
        document.paragraphs[1..]
            .iter()
            .all(|paragraph| paragraph.section == 1)
    );
}

#[test]
fn segments_are_whole_paragraphs_with_their_code_and_know_what_is_new() {
    let folder = help();
    let (corpus, _) = import(folder.path(), false).expect("imports");
    let segments = segments(&corpus, Split::Test).expect("reads");
    let found: Vec<(&str, bool, bool)> = segments
        .iter()
        .map(|segment| (segment.reference.as_str(), segment.unseen, segment.repeated))
        .collect();
    let expected = [
        ("Drucken", false, false),
        ("Klicken Sie auf OK. Warten Sie dann.", false, false),
        ("Eins und zwei.", false, false),
        ("Zu SUMME siehe Hilfe.", false, false),
        ("Eine neue Zeile, zweimal.", true, false),
        ("Eine neue Zeile, zweimal.", true, true),
    ];
    assert_eq!(found, expected);
    assert_eq!(segments[3].source, "See help for SUM.");
    let unit = &segments[3].units[0];
    assert_eq!(
        unit.visible("Für \u{E101} siehe \u{E000}Hilfe\u{E200}."),
        "Für SUM siehe Hilfe."
    );
    assert_eq!(
        (segments[1].units.len(), segments[1].units[1].place),
        (2, (1, 1))
    );
    assert_eq!(corpus.statistics().test.segments, 6);
    assert_eq!(corpus.statistics().test.repeated, 1);
}

#[test]
fn the_same_pages_give_the_same_corpus_and_vocabulary() {
    let folder = help();
    let bytes = |corpus: &Corpus| {
        let vocabulary = train_vocabulary(corpus, 300).expect("trains");
        vocabulary.save(corpus.vocabulary_path()).expect("saves");
        let names = [
            "corpus.json",
            "train.jsonl",
            "dev.jsonl",
            "test.jsonl",
            "vocabulary.json",
        ];
        names.map(|name| fs::read(corpus.folder().join(name)).expect("reads"))
    };
    let first = bytes(&import(folder.path(), false).expect("imports").0);
    let second = bytes(&import(folder.path(), true).expect("imports").0);
    assert!(first == second);
    let beside = fs::read_dir(folder.path().join("corpora"))
        .expect("a folder")
        .count();
    assert_eq!(beside, 1, "nothing temporary is left");
}

#[test]
fn a_vocabulary_stays_while_the_training_documents_are_the_same() {
    let folder = help();
    let (corpus, _) = import(folder.path(), false).expect("imports");
    let vocabulary = corpus.vocabulary_path();
    fs::write(&vocabulary, "learnt").expect("writes");
    import(folder.path(), true).expect("imports");
    assert_eq!(fs::read(&vocabulary).expect("reads"), b"learnt");
    fs::write(corpus.folder().join("train.jsonl"), "others").expect("writes");
    import(folder.path(), true).expect("imports");
    assert!(!vocabulary.exists());
}

#[test]
fn what_is_there_is_only_replaced_on_request_and_if_it_is_a_corpus() {
    let folder = help();
    import(folder.path(), false).expect("imports");
    assert!(matches!(
        import(folder.path(), false),
        Err(Error::Base(BaseError::Exists { .. }))
    ));
    let output = folder.path().join("corpora/help");
    let notes = output.join("notes.txt");
    fs::write(&notes, "mine").expect("writes");
    assert!(matches!(
        import(folder.path(), true),
        Err(Error::NoCorpus { .. })
    ));
    fs::remove_file(notes).expect("still there");
    fs::write(output.join("vocabulary.json"), "{}").expect("writes");
    import(folder.path(), true).expect("imports");
    fs::remove_file(output.join("corpus.json")).expect("removes");
    assert!(matches!(
        import(folder.path(), true),
        Err(Error::NoCorpus { .. })
    ));
    assert!(output.join("train.jsonl").exists());
}

#[test]
fn folders_without_common_pages_are_refused_and_leave_nothing() {
    let folder = help();
    fs::remove_dir_all(folder.path().join("de/text")).expect("removes");
    assert!(matches!(
        import(folder.path(), false),
        Err(Error::NoPages { .. })
    ));
    assert!(!folder.path().join("corpora/help").exists());
}

#[test]
fn broken_corpora_say_where_they_are_broken() {
    let folder = help();
    let (corpus, _) = import(folder.path(), false).expect("imports");
    let path = corpus.folder().join("train.jsonl");
    let whole = fs::read_to_string(&path).expect("reads");
    let read = |text: &str| {
        fs::write(&path, text).expect("writes");
        let read: Result<Vec<_>, _> = corpus.documents(Split::Train).expect("opens").collect();
        read.expect_err("broken").to_string()
    };
    assert!(read(&whole[..whole.len() / 2]).contains("train.jsonl\", line 1:"));
    assert!(read("").contains("counts 1 documents, here are 0"));
    assert!(read(&whole.replace("\"section\":1", "\"section\":7")).contains("paragraph 0"));
    let manifest = corpus.folder().join("corpus.json");
    let newer = fs::read_to_string(&manifest)
        .expect("reads")
        .replace("\"version\": 1", "\"version\": 9");
    fs::write(&manifest, newer).expect("writes");
    assert!(
        Corpus::open(corpus.folder())
            .expect_err("newer")
            .to_string()
            .contains("version 9 is newer")
    );
}

fn import_text(
    folder: &Path,
    split: Option<Split>,
    source: &[u8],
    target: &[u8],
) -> Result<Corpus, Error> {
    let (ours, theirs): (PathBuf, PathBuf) = (folder.join("talks.en"), folder.join("talks.de"));
    fs::write(&ours, source).expect("writes");
    fs::write(&theirs, target).expect("writes");
    let import = TextImport {
        source: ours,
        target: theirs,
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        split,
        output: folder.join("talks"),
        replace: false,
    };
    let (corpus, report) = import.run()?;
    assert_eq!(
        report.pairs,
        Split::ALL
            .iter()
            .map(|split| {
                let documents = documents(&corpus, *split);
                documents
                    .iter()
                    .map(|document| document.paragraphs.len())
                    .sum::<usize>()
            })
            .sum::<usize>()
    );
    Ok(corpus)
}

#[test]
fn text_with_document_marks_becomes_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "<d>\nOne.\n\nTwo.\r\n<d>\n Three  words here. \n";
    let target = "<d>\nEins.\n\nZwei.\n<d>\nDrei Wörter hier.";
    let corpus = import_text(
        folder.path(),
        Some(Split::Dev),
        source.as_bytes(),
        target.as_bytes(),
    )
    .expect("imports");
    let [first, second] = documents(&corpus, Split::Dev)
        .try_into()
        .expect("two documents");
    assert_eq!(
        (first.id.as_str(), second.id.as_str()),
        ("talks/000001", "talks/000002")
    );
    let texts: Vec<&str> = first
        .paragraphs
        .iter()
        .map(|paragraph| paragraph.units[0].target.as_str())
        .collect();
    assert_eq!(texts, ["Eins.", "Zwei."]);
    assert_eq!(second.paragraphs[0].units[0].source, "Three words here.");
}

#[test]
fn documents_of_a_text_that_begins_without_a_mark_have_names_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, target) = (b"One.\n<d>\nTwo.\n", b"Eins.\n<d>\nZwei.\n");
    let corpus = import_text(folder.path(), Some(Split::Dev), source, target).expect("imports");
    let documents = documents(&corpus, Split::Dev);
    let names: Vec<&str> = documents.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(names, ["talks/000001", "talks/000002"]);
}

#[test]
fn unequal_or_unreadable_texts_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |source: &[u8], target: &[u8]| {
        let error = import_text(folder.path(), None, source, target)
            .expect_err("refused")
            .to_string();
        assert!(!folder.path().join("talks").exists());
        error
    };
    let error = refused(b"<d>\na\nb\n", b"<d>\na\n");
    assert!(
        error.contains("line 3") && error.contains("talks.de"),
        "{error}"
    );
    let error = refused(b"<d>\na\nb\n", b"<d>\na\n<d>\n");
    assert!(
        error.contains("line 3") && error.contains("talks.en"),
        "{error}"
    );
    let error = refused(b"a\n\xFF\n", b"a\nb\n");
    assert!(
        error.contains("byte 2") && error.contains("line 2"),
        "{error}"
    );
    let error = refused(&vec![b'x'; 10_000_100], b"a\n");
    assert!(error.contains("line 1"), "{error}");
}
