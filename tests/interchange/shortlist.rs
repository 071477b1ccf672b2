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
fn marian_makes_the_same_of_a_shortlist() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shortlist");
    let expected = fs::read(data.join("marian.json")).expect("a file");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    for folder in folders("marian-native-align-1") {
        let mut translator = Translator::open(&folder, DeviceChoice::Cpu).expect("a model");
        let list = Shortlist::open(&data.join("list.bin")).expect("a shortlist");
        translator.use_shortlist(list).expect("of this vocabulary");
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
                    frame: SourceFrame::of(tokenizer.special()),
                    ..SourceText::of_sentences(vec![sentence])
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
