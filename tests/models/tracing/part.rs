//! A part of a document is traced as it is in the trace of the whole.

use canopy::model::{Context, ModelConfig, Placement};
use canopy::text::document::{Document, Format};
use canopy::trace::{MapRow, Side, Trace, save};

use crate::tracing::{document, systems, tiny, translated, translator};

/// Compares the rows of the part, and says whether all others are empty.
fn assert_is_part(part: &Trace, whole: &Trace, name: &str) {
    let sentences = part.overview.part.clone().expect("a part");
    assert!(part.maps.len() <= whole.maps.len(), "{name}");
    assert!(!part.maps.is_empty(), "{name}");
    for map in &part.maps {
        let info = &map.info;
        let place = whole.find(info.kind, info.layer, info.head);
        let expected = &whole.maps[place.expect("in the whole trace, too")];
        let own = if info.queries.are_words() {
            let words = whole.overview.words(info.queries.side());
            words.rows(sentences.start).start..words.rows(sentences.end - 1).end
        } else {
            sentences.clone()
        };
        assert!(!own.is_empty(), "{name}: a part with words");
        assert_eq!(map.rows.len(), expected.rows.len(), "{name}");
        for (number, (row, expected)) in map.rows.iter().zip(&expected.rows).enumerate() {
            let expected = if own.contains(&number) {
                expected
            } else {
                &MapRow::default()
            };
            assert_eq!(row, expected, "{name}, {}: row {number}", info.title());
        }
    }
    for (gate, expected) in part.overview.gates.iter().zip(&whole.overview.gates) {
        let words = whole.overview.words(gate.side);
        let own = words.rows(sentences.start).start..words.rows(sentences.end - 1).end;
        assert_eq!(gate.mean[own.clone()], expected.mean[own], "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.trace");
    save(part, &path, false).expect("it is a whole trace");
    let opened = canopy::trace::open(&path).expect("opens");
    assert_eq!(opened.overview().part, part.overview.part);
}

#[test]
fn a_part_is_traced_as_in_the_whole_document() {
    let document = document();
    for (name, config) in systems() {
        let translator = translator(config);
        let translations = translated(&translator, &document);
        let whole = translator.trace(&document, &translations).expect("traces");
        let part = translator.trace_part(&document, &translations, Some(2..5));
        assert_is_part(&part.expect("traces"), &whole, name);
    }
}

#[test]
fn of_a_document_read_in_windows_only_those_of_the_part_are_traced() {
    let text = "Open the file.\n\nClose the window.\n\nSave the table.\n\nPrint it.\n\n";
    let text = text.repeat(550).into_bytes();
    let document = Document::from_bytes("page.txt", Format::Text, text).expect("a document");
    let untranslated = vec![None; document.sentences.len()];
    for placement in [Placement::Gate, Placement::Sublayer] {
        let translator = translator(ModelConfig {
            context: Some(Context::Conditional {
                top_t: 2,
                placement,
            }),
            ..tiny::config()
        });
        let whole = translator.trace(&document, &untranslated).expect("traces");
        let windows = &whole.overview.windows;
        let last = windows.last().expect("it is read in windows");
        for part in [0..7, last.own - 2..last.own + 3, last.end - 9..last.end] {
            let part = translator.trace_part(&document, &untranslated, Some(part));
            assert_is_part(&part.expect("traces"), &whole, "in windows");
        }
    }
    let whole = translator(tiny::config()).trace(&document, &untranslated);
    assert_eq!(
        whole
            .expect("traces")
            .overview
            .words(Side::Target)
            .num_words(),
        0
    );
}
