//! Maps of attention: every word and sentence shares out one whole among what it may see.

use std::path::Path;

use canopy::inference::{DeviceChoice, Translator, starter_model};
use canopy::model::Context;
use canopy::text::document::Document;
use canopy::trace::{AttentionMap, MapKind, MapRow, Normaliser, Trace, Visible, open, save};

use crate::tracing::{systems, traced, translated};

fn mass(map: &AttentionMap, row: &MapRow) -> f32 {
    let words = row.words.iter().map(|&(_, weight)| weight);
    let sentences = row.sentences.iter().map(|sentence| sentence.weight);
    row.rest
        + if map.info.keys.are_words() {
            words.sum::<f32>()
        } else {
            sentences.sum()
        }
}

/// The sentence of the query of a map's row.
fn query_sentence(trace: &Trace, map: &AttentionMap, row: usize) -> usize {
    let queries = map.info.queries;
    if queries.are_words() {
        let words = trace.overview.words(queries.side());
        words.position(row).expect("a word").0
    } else {
        row
    }
}

/// Every query puts a mass of 1 on what it may see, or sees nothing.
fn check_map(name: &str, document: &Document, trace: &Trace, map: &AttentionMap) {
    let (info, title) = (&map.info, format!("{name}: {}", map.info.title()));
    let keys = trace.overview.words(info.keys.side());
    for (number, row) in map.rows.iter().enumerate() {
        let own = query_sentence(trace, map, number);
        let mass = mass(map, row);
        assert!(
            mass == 0.0 || (mass - 1.0).abs() < 1e-3,
            "{title}, row {number}: {mass}"
        );
        let first = own == 0;
        let copied = document.sentences[own].text == "1 2 3";
        // Parts of the third sentence leave no room for translations before.
        let is_full = info.includes_own && own == 2;
        if !first && !copied && !is_full {
            assert!(mass > 0.0, "{title}, row {number} reads nothing");
        }
        let words = row.words.iter().map(|&(word, _)| {
            let place = keys.position(usize::try_from(word).expect("small"));
            place.expect("a word").0
        });
        let sentences = row
            .sentences
            .iter()
            .map(|read| usize::try_from(read.sentence).expect("small"));
        for read in words.chain(sentences) {
            // Parts of one sentence are others to each other.
            let part = read == own && own == 2;
            assert!(
                part || info.visible.includes(own, read),
                "{title}: sentence {own} reads {read}"
            );
        }
        if info.normaliser == Normaliser::Sparsemax {
            assert!(row.rest < 1e-6, "{title}, row {number}");
        }
        for sentence in &row.sentences {
            if info.keys.are_words() {
                let own = keys.rows(usize::try_from(sentence.sentence).expect("small"));
                let kept = row
                    .words
                    .iter()
                    .filter(|(word, _)| own.contains(&usize::try_from(*word).expect("small")));
                let kept: f32 = kept.map(|&(_, weight)| weight).sum();
                assert!(
                    kept <= sentence.weight + 1e-4 && sentence.weight <= kept + row.rest + 1e-4,
                    "{title}, row {number}"
                );
            }
        }
    }
}

/// The translations after a source sentence are shown as words of the earlier translations: each row of the attention is in two
/// maps, which together have all of its mass but that of breaks.
fn check_translations_before(trace: &Trace, before: usize) {
    let kinds = [
        (MapKind::EncoderSelf, MapKind::Context),
        (MapKind::Cross, MapKind::DecoderContext),
    ];
    let mut read = 0;
    for map in &trace.maps {
        let Some((_, beside)) = kinds.iter().find(|(own, _)| *own == map.info.kind) else {
            assert!(map.info.includes_own);
            assert_eq!(map.info.visible, Visible::Previous(before));
            continue;
        };
        let place = trace.find(*beside, map.info.layer, map.info.head);
        let beside = &trace.maps[place.expect("what was read of others")];
        for (own, others) in map.rows.iter().zip(&beside.rows) {
            let mass = |row: &MapRow| row.words.iter().map(|(_, weight)| weight).sum::<f32>();
            let (own, others) = (mass(own), mass(others));
            assert!(own + others <= 1.0 + 1e-4);
            assert!(own > 0.0);
            read += usize::from(others > 0.0);
        }
    }
    assert!(read > 0, "nothing was read of the translations before");
}

#[test]
fn every_system_leaves_a_trace_that_comes_back_from_disk() {
    for (name, config) in systems() {
        let num_heads = config.num_heads;
        let context = config.context;
        let (before, reads_translations) = (
            config.previous_translations,
            config.translations_before() > 0,
        );
        let (document, translations, trace) = traced(config);
        assert!(trace.overview.is_of(&document), "{name}");
        for (sentence, translation) in trace.overview.target.iter().zip(&translations) {
            let parts = &translation.as_ref().expect("all are translated").parts;
            let ids: usize = parts.iter().map(|part| part.len() + 1).sum();
            let bilingual = context.is_some_and(canopy::model::Context::is_bilingual);
            let bilingual = bilingual || reads_translations;
            if ids > 0 || !bilingual {
                assert_eq!(sentence.tokens.len(), ids, "{name}");
            }
        }
        for map in &trace.maps {
            check_map(name, &document, &trace, map);
        }
        let found = |kind| {
            trace
                .maps
                .iter()
                .filter(|map| map.info.kind == kind)
                .count()
        };
        assert!(found(MapKind::Cross) >= 1, "{name}");
        let beyond = found(MapKind::Context) + found(MapKind::DecoderContext);
        match context {
            None if before > 0 => check_translations_before(&trace, before),
            None => assert_eq!(beyond, 0, "{name}"),
            Some(Context::Concatenation { .. }) => {
                let beyond = trace.maps.iter().filter(|map| {
                    let reads = |(row, read): (usize, &MapRow)| {
                        let own = trace.overview.words(map.info.keys.side());
                        let own = own.rows(query_sentence(&trace, map, row));
                        read.words
                            .iter()
                            .any(|(word, _)| !own.contains(&usize::try_from(*word).expect("small")))
                    };
                    map.rows.iter().enumerate().any(reads)
                });
                assert_eq!(beyond.count(), num_heads, "{name}");
            }
            Some(_) => assert!(beyond >= num_heads, "{name}"),
        }
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["a.json", "a.trace"] {
            let path = folder.path().join(file);
            save(&trace, &path, false).unwrap_or_else(|error| panic!("{name}: {error}"));
            let source = open(&path).expect("opens");
            assert_eq!(*source.trace().expect("reads"), trace, "{name}, {file}");
        }
    }
}

#[test]
fn a_trace_from_the_shipped_model_aligns_every_word_of_the_translation() {
    let folder = starter_model().expect("shipped");
    let translator = Translator::open(&folder, DeviceChoice::Cpu).expect("opens");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/sorting-a-table.md");
    let document = Document::open(&sample, None).expect("a sample");
    let translations = translated(&translator, &document);
    let trace = translator.trace(&document, &translations).expect("traces");
    let words = trace.overview.words(canopy::trace::Side::Target);
    assert!(words.num_words() > 50);
    let cross = trace
        .maps
        .iter()
        .filter(|map| map.info.kind == MapKind::Cross);
    for map in cross {
        assert_eq!(map.rows.len(), words.num_words());
        assert!(map.rows.iter().all(|row| !row.words.is_empty()));
        check_map("starter", &document, &trace, map);
    }
}
