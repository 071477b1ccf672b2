//! Tokenizers against those of other programs: the same pieces, ids and texts.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use canopy::tokenizers::{
    SentencePieces, Side, TokenList, Tokenizer, TwoSidedTokenizer, hugging_face_tokenizer,
    marian_tokenizer,
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What `make.py` writes.
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
    digest[..4]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
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
    let here =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tokenizers/sentence_pieces.json.gz");
    assert!(compare(&here) > 500);
}

/// With `CANOPY_TOKENIZER_CASES=FILE`, which `make.py full` made.
#[test]
fn so_they_are_on_many_lines() {
    let Some(path) = std::env::var_os("CANOPY_TOKENIZER_CASES") else {
        println!("skipped: CANOPY_TOKENIZER_CASES names no file of `make.py full`");
        return;
    };
    println!("{} the same", compare(Path::new(&path)));
}

fn models() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    if !folder.is_dir() {
        println!("skipped: there is no ../shared/models");
        return None;
    }
    Some(folder)
}

fn tokenizer_in(folder: &Path) -> TwoSidedTokenizer {
    let mut files = |name: &str| std::fs::read(folder.join(name)).ok();
    if folder.join("config.json").is_file() && folder.join("tokenizer_config.json").is_file() {
        return hugging_face_tokenizer("marian", &mut files).expect("a tokenizer");
    }
    let list = |names: [&str; 2]| {
        let path = names
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.is_file());
        let bytes = std::fs::read(path.expect("a vocabulary")).expect("reads");
        TokenList::from_json(&bytes).expect("a list")
    };
    let lists = [
        list(["source_vocabulary.json", "shared_vocabulary.json"]),
        list(["target_vocabulary.json", "shared_vocabulary.json"]),
    ];
    marian_tokenizer(lists, &mut files).expect("a tokenizer")
}

fn ids(value: &Value) -> Vec<u32> {
    let ids = value.as_array().into_iter().flatten();
    ids.filter_map(|id| u32::try_from(id.as_u64()?).ok())
        .collect()
}

/// Ids or tokens of sources, and what the texts of translations are, as the program that made each case has them.
#[test]
fn models_of_other_programs_have_their_ids_and_texts() {
    let Some(folder) = models() else { return };
    let mut num = 0;
    let mut folders: Vec<_> = std::fs::read_dir(folder)
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
        // The lists of native Marian are YAML, which `interchange` reads.
        if !folder.is_dir() || name.starts_with("aren") || name.contains("native") {
            continue;
        }
        let tokenizer = tokenizer_in(&folder);
        let json = std::fs::read(folder.join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_slice(&json).expect("JSON");
        for row in expected["rows"].as_array().expect("rows") {
            let source = row["text"].as_str().expect("a text");
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
            } else {
                let tokens = found
                    .iter()
                    .filter_map(|&id| tokenizer.token(Side::Source, id));
                let framed: Vec<String> = tokens.chain(["</s>".to_owned()]).collect();
                let listed: Vec<String> =
                    serde_json::from_value(row["tokens"].clone()).expect("tokens");
                assert_eq!(framed, listed, "{name}: {source}");
                let beam: Vec<String> =
                    serde_json::from_value(row["beam"].clone()).expect("tokens");
                let beam = beam
                    .iter()
                    .filter_map(|token| tokenizer.id(Side::Target, token));
                let shown = tokenizer.decode(Side::Target, &beam.collect::<Vec<_>>());
                assert_eq!(
                    shown,
                    row["beam_text"].as_str().unwrap_or_default(),
                    "{name}"
                );
            }
            num += 1;
        }
    }
    println!("{num} rows");
    assert!(num > 0, "no case was compared");
}

#[test]
fn characters_are_tokens_of_the_transliteration_models() {
    let Some(folder) = models() else { return };
    for version in ["aren-v1", "aren-v2"] {
        let folder = folder.join(version).join("aren-transliteration");
        let list = |name: &str| {
            TokenList::from_lines(&std::fs::read_to_string(folder.join(name)).expect("a list"))
        };
        let lists = ["source_vocabulary.txt", "target_vocabulary.txt"].map(list);
        let tokenizer = marian_tokenizer(lists, &mut |_| None).expect("a tokenizer");
        let source = tokenizer.tokens(Side::Source, "آتزمون");
        assert_eq!(source.len(), 6);
        let target: Vec<u32> = "atzmon"
            .chars()
            .filter_map(|c| tokenizer.id(Side::Target, &c.to_string()))
            .collect();
        assert_eq!(tokenizer.decode(Side::Target, &target), "atzmon");
        assert_eq!(tokenizer.encode(Side::Target, "atzmon"), target);
    }
}
