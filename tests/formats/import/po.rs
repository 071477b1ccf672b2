//! A folder of PO files becomes documents in the order of their source.

use std::ops::ControlFlow;
use std::path::Path;

use canopy::corpus::error::Error;
use canopy::corpus::gettext::{PoImport, PoReport};
use canopy::corpus::{Corpus, Split, UnitStatus, segments};

use crate::import::{documents, folder, pairs};

const GERMAN: &str = r#"
msgid ""
msgstr "Language: de_DE\n"

#. [message]: speaker=Lorin
#: tale/2.cfg:4 tale/1.cfg:30
msgid "Follow me."
msgstr "Folgt mir."

#. [message]: speaker=Haldric
#: tale/1.cfg:7
msgid ""
"Who are "
"you?"
msgstr "Wer seid Ihr?"

#, fuzzy
#: tale/1.cfg:9
msgid "You are late."
msgstr "Du bist spät."

#: tale/1.cfg:11
msgid "Never."
msgstr ""

#: tale/2.cfg:9
msgid "%d orc"
msgid_plural "%d orcs"
msgstr[0] "%d Ork"
msgstr[1] "%d Orks"

#~ msgid "Gone."
#~ msgstr "Weg."
"#;

fn import(
    files: &Path,
    test: &[&str],
    (from, to): (&str, &str),
) -> Result<(Corpus, PoReport), Error> {
    let import = PoImport {
        folder: files.to_owned(),
        source_language: from.to_owned(),
        target_language: to.to_owned(),
        dev: Vec::new(),
        test: test.iter().map(ToString::to_string).collect(),
        left_out: vec!["other".to_owned()],
        output: files.join("corpus"),
        replace: true,
    };
    let done = import.run(|_, _| ControlFlow::Continue(()))?;
    Ok(done.expect("nobody ends it"))
}

#[test]
fn messages_become_documents_in_the_order_of_their_scenes() {
    let other = "msgid \"One\"\nmsgstr \"Eins\"\n";
    let files = folder(&[
        ("po/tale/de.po", GERMAN),
        ("po/tale/fr.po", other),
        ("po/other/de.po", other),
        ("po/more/de.po", other),
    ]);
    let (corpus, report) =
        import(files.path(), &["tale/tale/2.cfg", "missing"], ("en", "de")).expect("imports");
    let [more, first, second] = documents(&corpus).try_into().expect("three documents");
    let ids = [&more, &first, &second].map(|document| document.id.as_str());
    assert_eq!(ids, ["more", "tale/tale/1.cfg", "tale/tale/2.cfg"]);
    let pair = |source: &str, target: &str| (source.to_owned(), target.to_owned());
    assert_eq!(
        pairs(&first),
        [
            pair("Who are you?", "Wer seid Ihr?"),
            pair("You are late.", "Du bist spät."),
            pair("Follow me.", "Folgt mir."),
        ]
    );
    let notes: Vec<_> = first
        .paragraphs
        .iter()
        .map(|it| it.note.as_deref())
        .collect();
    let speaker = "[message]: speaker=";
    assert_eq!(
        notes,
        [
            Some(format!("{speaker}Haldric").as_str()),
            None,
            Some(format!("{speaker}Lorin").as_str())
        ]
    );
    assert_eq!(first.paragraphs[1].units[0].status, UnitStatus::Doubtful);
    assert_eq!(pairs(&second).len(), 3, "the plural is two pairs");
    let held_out = segments(&corpus, Split::Test).expect("reads");
    assert_eq!(held_out.len(), 3, "only the named document is held out");
    let expected = PoReport {
        catalogues: 3,
        other_languages: 1,
        documents: 3,
        pairs: 7,
        fuzzy: 1,
        untranslated: 1,
        obsolete: 1,
        without_place: 2,
        unknown_names: vec!["missing".to_owned()],
    };
    assert_eq!(report, expected);
}

#[test]
fn either_side_may_be_the_source() {
    let files = folder(&[("de/tale.po", GERMAN)]);
    let (corpus, _) = import(files.path(), &[], ("de", "en")).expect("imports");
    let first = &documents(&corpus)[0];
    assert_eq!(
        pairs(first)[0],
        ("Wer seid Ihr?".to_owned(), "Who are you?".to_owned())
    );
}

#[test]
fn a_folder_without_the_language_and_a_damaged_file_are_reported() {
    let files = folder(&[("po/tale/de.po", GERMAN)]);
    let error = import(files.path(), &[], ("en", "fr")).expect_err("no French");
    assert!(matches!(error, Error::NoCatalogues { .. }), "{error}");
    let files = folder(&[("de.po", "msgid \"a\"\nmsgstr \"b\n")]);
    let error = import(files.path(), &[], ("en", "de")).expect_err("damaged");
    assert!(error.to_string().contains("line 2"), "{error}");
}
