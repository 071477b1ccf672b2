//! Tokenizers against those of other programs: the same pieces, ids and texts.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use canopy::inference::{DeviceChoice, SearchOptions, Translation, Translator};
use canopy::text::document::{Document, Format};
use canopy::tokenizers::{SentencePieces, Side, Tokenizer};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A case as `make.py` writes it.
#[derive(Deserialize)]
struct Cases {
    made_with: String,
    lines: Vec<String>,
    /// Tables of normalisation, in hexadecimal.
    tables: Vec<String>,
    models: BTreeMap<String, ModelCases>,
}

#[derive(Deserialize)]
struct ModelCases {
    before: String,
    table: usize,
    after: String,
    /// For each line its ids, a digest of its pieces, a digest of what its ids show.
    cases: Vec<(Vec<u32>, String, String)>,
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().collect();
    let bytes = digits.chunks(2).map(|pair| {
        let digit = |place: usize| pair[place].to_digit(16).expect("hexadecimal");
        u8::try_from(16 * digit(0) + digit(1)).expect("a byte")
    });
    bytes.collect()
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let bytes = digest[..4].iter();
    let bytes: Vec<String> = bytes.map(|byte| format!("{byte:02x}")).collect();
    bytes.concat()
}

/// Compares all lines with all models; says how many were the same.
fn compare(path: &Path) -> usize {
    let packed = std::fs::read(path).expect("the cases");
    let mut json = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(packed.as_slice());
    unpacked.read_to_string(&mut json).expect("gzip");
    let cases: Cases = serde_json::from_str(&json).expect("cases");
    println!("{} lines, {}", cases.lines.len(), cases.made_with);
    let (mut num, mut wrong) = (0, Vec::new());
    for (name, model) in &cases.models {
        let parts = [&model.before, &cases.tables[model.table], &model.after];
        let file: Vec<u8> = parts.into_iter().flat_map(|part| hex(part)).collect();
        let model_pieces = SentencePieces::from_bytes(&file).expect("a model");
        for (line, (ids, pieces_digest, text_digest)) in cases.lines.iter().zip(&model.cases) {
            let pieces = model_pieces.cut(line);
            let found: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
            let texts: Vec<&str> = pieces.iter().map(|piece| &*piece.text).collect();
            let shown = model_pieces.decode(&found);
            for piece in &pieces {
                assert!(
                    line.get(piece.range.clone()).is_some(),
                    "{name}: {line:?}: {piece:?}"
                );
            }
            let same_pieces = found == *ids && digest(&texts.join("\n")) == *pieces_digest;
            num += usize::from(same_pieces);
            if !same_pieces || digest(&shown) != *text_digest {
                wrong.push(format!(
                    "{name}: {line:?}: {texts:?} {found:?} {ids:?}; {shown:?}"
                ));
            }
        }
        println!("{name}: {} cases", model.cases.len());
    }
    let first: Vec<_> = wrong.iter().take(12).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong, {num} right: {first:#?}",
        wrong.len()
    );
    num
}

#[test]
fn pieces_ids_and_texts_are_those_of_sentencepiece() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/formats/tokenizers/sentence_pieces.json.gz");
    assert!(compare(&here) > 500);
}

/// With `CANOPY_TOKENIZER_CASES=FILE`, which `make.py full` made.
#[test]
#[ignore = "needs CANOPY_TOKENIZER_CASES, a file of `make.py full`"]
fn so_they_are_on_many_lines() {
    let path = std::env::var_os("CANOPY_TOKENIZER_CASES").expect("CANOPY_TOKENIZER_CASES");
    println!("{} the same", compare(Path::new(&path)));
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models")
}

/// Leaves out what sentencepiece shows of unknown tokens; the sentence is flagged here instead.
fn without_unknown(text: &Value) -> String {
    text.as_str().unwrap_or_default().replace(" \u{2047} ", "")
}

fn ids(value: &Value) -> Vec<u32> {
    let ids = value.as_array().into_iter().flatten();
    ids.filter_map(|id| u32::try_from(id.as_u64()?).ok())
        .collect()
}

/// Ids or tokens of sources, and what the texts of translations are, as the program that made each case has them.
#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn models_of_other_programs_have_their_ids_and_texts() {
    let mut num = 0;
    let mut folders: Vec<_> = std::fs::read_dir(models())
        .expect("models")
        .flatten()
        .collect();
    folders.sort_by_key(std::fs::DirEntry::path);
    for folder in folders.iter().map(std::fs::DirEntry::path) {
        let name = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        // Really trained ones have no list of ids.
        if !folder.join("expected.json").exists() {
            continue;
        }
        let opened = Translator::open(&folder, DeviceChoice::Cpu).expect("opens");
        let json = std::fs::read(folder.join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_slice(&json).expect("JSON");
        for row in expected["rows"].as_array().expect("rows") {
            let text = row["text"].as_str().expect("a text");
            let pair = text
                .strip_prefix(">>")
                .and_then(|rest| rest.split_once("<< "));
            let tokenizer: Arc<dyn Tokenizer> = match pair {
                Some((code, _)) => opened.tokenizer().between(None, code).expect("a language"),
                None => opened.loaded().tokenizer(),
            };
            let source = pair.map_or(text, |(_, source)| source);
            let found = tokenizer.encode(Side::Source, source);
            if row["source_ids"].is_array() {
                let framed = tokenizer.special().framed(&found);
                assert_eq!(framed, ids(&row["source_ids"]), "{name}: {source}");
                let shown = tokenizer.decode(Side::Target, &ids(&row["beam_ids"]));
                assert_eq!(
                    shown,
                    row["beam_text"].as_str().unwrap_or_default(),
                    "{name}"
                );
            } else if row["pieces"].is_array() {
                let listed: Vec<String> =
                    serde_json::from_value(row["pieces"].clone()).expect("pieces");
                let listed = listed.iter().map(|piece| {
                    let id = tokenizer.id(Side::Source, piece);
                    id.or(tokenizer.special().unk).expect("an id")
                });
                assert_eq!(found, listed.collect::<Vec<_>>(), "{name}: {source}");
            } else {
                let framed = tokenizer.special().framed(&found);
                let listed: Vec<String> =
                    serde_json::from_value(row["tokens"].clone()).expect("tokens");
                // Pieces as they were cut: those without an id are unknown.
                let listed = listed.iter().map(|token| {
                    let id = tokenizer.id(Side::Source, token);
                    id.or(tokenizer.special().unk).expect("an id")
                });
                let listed: Vec<u32> = listed.collect();
                assert_eq!(framed, listed, "{name}: {source}");
                let beam: Vec<String> =
                    serde_json::from_value(row["beam"].clone()).expect("tokens");
                let beam = beam
                    .iter()
                    .filter_map(|token| tokenizer.id(Side::Target, token));
                let shown = tokenizer.decode(Side::Target, &beam.collect::<Vec<_>>());
                assert_eq!(shown, without_unknown(&row["beam_text"]), "{name}");
            }
            num += 1;
        }
    }
    println!("{num} rows");
    assert!(num > 0, "no case was compared");
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn characters_are_tokens_of_the_transliteration_models() {
    let folder = models();
    for version in ["aren-v1", "aren-v2"] {
        let folder = folder.join(version).join("aren-transliteration");
        let opened = Translator::open(&folder, DeviceChoice::Cpu).expect("opens");
        let tokenizer = opened.tokenizer();
        assert_eq!(tokenizer.tokens(Side::Source, "آتزمون").len(), 6);
        let target = tokenizer.encode(Side::Target, "atzmon");
        assert_eq!(target.len(), 6);
        assert_eq!(tokenizer.decode(Side::Target, &target), "atzmon");
    }
}

/// Each case's best translation, from its folder through a document and back.
#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn documents_are_translated_by_models_of_other_programs() {
    let folder = models();
    let mut num = 0;
    for name in [
        "marian-base-1",
        "marian-tc-big-1",
        "ctranslate2-bpe-1-int8",
        "marian-native-align-1",
    ] {
        let folder = folder.join(name);
        let translator = Translator::open(&folder, DeviceChoice::Cpu).expect("opens");
        let json = std::fs::read(folder.join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_slice(&json).expect("JSON");
        let rows = expected["rows"].as_array().expect("rows");
        let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let best = if rows[0]["beam_text"].is_string() {
            "beam_text"
        } else {
            "best_text"
        };
        let (mut same, mut all) = (0, 0);
        for row in rows {
            let page = format!("<p>{}</p>", text(row, "text"));
            let document = Document::parse("page", Format::Html, page).expect("HTML");
            if document.sentences.len() != 1 || document.sentences[0].text != text(row, "text") {
                continue;
            }
            let mut found = String::new();
            let mut keep = |_: usize, translation: Translation| {
                found = translation.text;
                ControlFlow::Continue(())
            };
            // As many as the program that made the case kept.
            let beam_size = if name.contains("native") { 6 } else { 4 };
            let options = SearchOptions {
                beam_size,
                ..SearchOptions::default()
            };
            translator
                .translate(&document, &[0], &options, &mut keep)
                .expect("translates");
            all += 1;
            same += usize::from(found == text(row, best));
            println!("{name}: {found:?}");
        }
        println!("{name}: {same} of {all} as expected");
        assert!(all > 4 && same * 10 >= all * 7, "{name}: {same} of {all}");
        num += same;
    }
    assert!(num > 0);
}
