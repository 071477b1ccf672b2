//! A shortlist that Marian reads as we do: its translations with it are in `tests/data/shortlist`, whose `make.py` made them.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use canopy::inference::{DeviceChoice, SearchOptions, Translator};
use canopy::memory::Shortlist;
use canopy::search::{SourceFrame, SourceSentence, SourceText, search_sentences};
use canopy::tokenizers::Side;
use serde_json::Value;

use super::cases::folders;

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn marian_makes_the_same_of_a_shortlist() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shortlist");
    let expected = fs::read(data.join("marian.json")).expect("a file");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    for folder in folders("marian-native-align-1") {
        let mut translator = Translator::open(&folder, DeviceChoice::Cpu).expect("a model");
        let opened = translator
            .loaded_mut()
            .open_shortlist(&data.join("list.bin"));
        opened.expect("a shortlist of this vocabulary");
        let (model, tokenizer) = (translator.model(), translator.tokenizer());
        let unknown = tokenizer.special().unk;
        let id = |piece: &Value| {
            let piece = piece.as_str().expect("a piece");
            tokenizer.id(Side::Source, piece).or(unknown)
        };
        let sentences = expected["pieces"].as_array().expect("sentences");
        for beam_size in [1, 4] {
            let options = SearchOptions {
                beam_size,
                ..SearchOptions::default()
            };
            for (number, pieces) in sentences.iter().enumerate() {
                let pieces = pieces.as_array().expect("pieces");
                // One at a time: a list is for a whole batch.
                let ids = pieces
                    .iter()
                    .map(|piece| id(piece).expect("an unknown word"));
                let sentence = SourceSentence {
                    ids: ids.collect(),
                    position: (0, 0),
                };
                let text = SourceText {
                    frame: SourceFrame::from_special_ids(tokenizer.special()),
                    ..SourceText::from_sentences(vec![sentence])
                };
                let mut found = Vec::new();
                search_sentences(model, tokenizer, &text, &options, &mut |_, hypothesis| {
                    found = hypothesis.ids;
                    ControlFlow::Continue(())
                })
                .expect("probabilities");
                let found = found
                    .iter()
                    .filter_map(|&id| tokenizer.token(Side::Target, id));
                let found = found.collect::<Vec<_>>().join(" ");
                let theirs = &expected[format!("beam {beam_size}")][number];
                assert_eq!(found, theirs.as_str().expect("pieces"), "beam {beam_size}");
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_lexical_table_is_a_shortlist() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lex.s2t");
    for model in folders("marian-native-align-1") {
        let translator = Translator::open(&model, DeviceChoice::Cpu).expect("a model");
        let (tokenizer, scored) = (
            translator.tokenizer(),
            translator.model().network.vocab_size(),
        );
        let words = |side| (100..).filter_map(move |id| Some((id, tokenizer.token(side, id)?)));
        let sources: Vec<(u32, String)> = words(Side::Source).take(2).collect();
        let targets: Vec<(u32, String)> = words(Side::Target).take(120).collect();
        // The second of two sources has more words than are kept; the most probable of them are last.
        let first = [
            format!("{} {} 0.5", targets[119].1, sources[0].1),
            format!("NULL {} 0.9", sources[0].1),
        ];
        let line = |(number, (_, target)): (usize, &(u32, String))| {
            format!("{target} {} {}", sources[1].1, number + 1)
        };
        let table = first
            .into_iter()
            .chain(targets.iter().enumerate().map(line));
        let table = table.collect::<Vec<_>>().join("\n");
        fs::write(&path, &table).expect("writes");
        let list = Shortlist::read(&path, tokenizer, scored).expect("a table");
        let always = || 0..100;
        let filled = |expected: Vec<u32>| {
            let found = list.words([sources[usize::from(expected.len() > 101)].0], [0, scored]);
            assert!(found.len() < expected.len() + 8, "{found:?}");
            assert!(expected.iter().all(|id| found.contains(id)), "{found:?}");
        };
        filled(always().chain([targets[119].0]).collect());
        filled(
            always()
                .chain(targets[20..].iter().map(|it| it.0))
                .collect(),
        );
        fs::write(&path, "one word\n").expect("writes");
        let refused = Shortlist::read(&path, tokenizer, scored).expect_err("no table");
        assert!(refused.to_string().contains("line 1"), "{refused}");
    }
}
