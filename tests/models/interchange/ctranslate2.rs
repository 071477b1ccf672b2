//! Models of CTranslate2, and Argos packages around them.

use std::io::Write;

use canopy::interchange::{Archive, ForeignFormat, open};
use serde_json::Value;
use zip::write::SimpleFileOptions;

use super::cases::{Case, assert_near, floats, folders, ids_of, tokens_of, words};
use super::decoding::{Rule, beam, greedy};

fn float(value: &Value) -> f32 {
    floats(&serde_json::json!([value]))[0]
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn translations_and_scores_are_the_same() {
    for folder in folders("ctranslate2-") {
        let case = Case::open(&folder);
        let (source_side, target_side) = (&case.foreign.source, &case.foreign.target);
        assert_eq!(case.foreign.format, ForeignFormat::CTranslate2);
        for row in case.rows() {
            let tokens = words(&row["tokens"]);
            let source = ids_of(&tokens, source_side);
            assert_eq!(source.last(), source_side.suffix.last(), "{}", case.name);
            let found = greedy(&case, &source, 40, Rule::CTranslate2);
            let found = tokens_of(&found.ids, target_side);
            assert_eq!(
                found,
                words(&row["greedy"]),
                "{}: {}",
                case.name,
                row["text"]
            );
            let found = &beam(&case, &source, (4, 40), Rule::CTranslate2)[0];
            let tokens = tokens_of(&found.ids, target_side);
            assert_eq!(
                tokens,
                words(&row["beam"]),
                "{}: {}",
                case.name,
                row["text"]
            );
            assert_near(
                found.score(Rule::CTranslate2),
                float(&row["beam_score"]),
                1e-3,
                &case.name,
            );
        }
    }
}

/// Characters are the tokens of these models, and nothing ends their sources.
#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_public_model_of_the_first_versions_writes_arabic_in_latin_letters() {
    let floats = [-0.15167, -0.26603, -0.33511, -0.36614];
    let bytes = [-0.15538, -0.26295, -0.33971, -0.3625];
    let names = ["atzmon", "atzumon", "atzmun", "atzemon"];
    for version in folders("aren-") {
        for entry in std::fs::read_dir(&version).expect("a folder") {
            let folder = entry.expect("readable").path();
            let case = Case::open(&folder);
            let quantised = folder.ends_with("aren-transliteration-i8");
            let characters: Vec<String> = "آتزمون".chars().map(String::from).collect();
            let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
            let source = ids_of(&characters, &case.foreign.source);
            assert_eq!(case.foreign.source.suffix, [] as [u32; 0]);
            let mut found = beam(&case, &source, (4, 64), Rule::CTranslate2);
            found.truncate(4);
            let texts = found
                .iter()
                .map(|it| tokens_of(&it.ids, &case.foreign.target).concat());
            assert_eq!(texts.collect::<Vec<_>>(), names, "{folder:?}");
            // Activations are not quantised here.
            let (expected, tolerance) = if quantised {
                (bytes, 5e-3)
            } else {
                (floats, 2e-3)
            };
            for (found, expected) in found.iter().zip(expected) {
                assert_near(
                    found.score(Rule::CTranslate2),
                    expected,
                    tolerance,
                    &folder.to_string_lossy(),
                );
            }
        }
    }
}

/// An Argos package is a zip file of a folder with the model in another one.
#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn an_argos_package_is_read_from_its_zip_file() {
    let folder = folders("ctranslate2-base").swap_remove(0);
    let directory = tempfile::tempdir().expect("a temporary folder");
    let path = directory.path().join("translate-en_de-1_0.argosmodel");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).expect("writable"));
    let mut add = |name: &str, bytes: &[u8]| {
        let name = format!("translate-en_de-1_0/{name}");
        zip.start_file(name, SimpleFileOptions::default())
            .expect("a new file");
        zip.write_all(bytes).expect("writable");
    };
    for name in ["model.bin", "config.json", "shared_vocabulary.json"] {
        let bytes = std::fs::read(folder.join(name)).expect("a file of the case");
        add(&format!("model/{name}"), &bytes);
    }
    let pieces = std::fs::read(folder.join("source.spm")).expect("a file of the case");
    add("sentencepiece.model", &pieces);
    add(
        "metadata.json",
        br#"{"package_version": "1.0", "argos_version": "1.5", "from_code": "en", "from_name": "English",
            "to_code": "de", "to_name": "German"}"#,
    );
    zip.finish().expect("writable");
    let foreign = open(&mut Archive::open(&path).expect("a zip file")).expect("a package");
    let unpacked = open(&mut Archive::open(&folder).expect("a folder")).expect("a model");
    assert_eq!(foreign.format, ForeignFormat::Argos);
    assert_eq!(foreign.languages.source.as_deref(), Some("en"));
    assert_eq!(foreign.languages.target.as_deref(), Some("de"));
    assert_eq!(foreign.source.sentencepiece, Some(pieces));
    assert_eq!(foreign.weights, unpacked.weights);
    assert_eq!(foreign.config, unpacked.config);
}
