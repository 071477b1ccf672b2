//! Lists of all forms, with their flaws.

use std::fs;
use std::path::Path;

use canopy::catalogue::{Catalogue, CatalogueModel, Look, Source, look};

use crate::catalogue::models::listed;
use crate::catalogue::server::Server;

/// A short list in the form of a public one, with its flaws.
fn sample(name: &str, catalogue: &str) -> Look {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/catalogue/samples");
    let path = samples.join(name);
    let catalogue = Catalogue {
        name: catalogue.to_owned(),
        licence: "MPL-2.0".to_owned(),
        ..Catalogue::named(path.to_str().expect("a path")).expect("there")
    };
    look(&[catalogue])
}

fn names(models: &[&CatalogueModel]) -> Vec<String> {
    models.iter().map(|model| model.name.clone()).collect()
}

#[test]
fn the_registry_of_mozilla() {
    let look = sample("mozilla-models.json", "Mozilla");
    assert_eq!(
        names(&look.between(Some("en"), None)),
        ["en-ja-base-memory", "en-pt-tiny"]
    );
    let model = look.between(None, Some("pt"))[0];
    assert_eq!(model.scores_line(), "flores200-plus: BLEU 46.2");
    assert_eq!(
        (model.kind.as_str(), model.licence.as_str()),
        ("tiny", "MPL-2.0")
    );
    assert_eq!(
        (model.num_bytes, model.num_parameters),
        (Some(17_140_836), Some(16_907_062))
    );
    let files: Vec<&str> = model.files.iter().map(|file| file.name.as_str()).collect();
    let expected = [
        "model.enpt.intgemm.alphas.bin",
        "lex.50.50.enpt.s2t.bin",
        "vocab.enpt.spm",
    ];
    assert_eq!(files, expected);
    assert!(model.files.iter().all(|file| file.is_gzip));
    let source = "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/models/en-pt/EXAMPLE/exported/vocab.enpt.spm.gz";
    assert_eq!(model.files[2].source, Source::Web(source.to_owned()));
    let other = look.between(None, Some("ja"))[0];
    assert_eq!(
        other.scores_line(),
        "flores200-plus: BLEU 30.0, COMET22 0.880"
    );
    assert_eq!(other.files.len(), 4);
}

#[test]
fn the_list_of_translate_locally_names_a_wrong_language() {
    let look = sample("translatelocally-models.json", "HPLT");
    assert_eq!(
        names(&look.between(Some("lt"), Some("en"))),
        ["bat-en-tiny"]
    );
    let model = look.between(Some("gl"), Some("en"))[0];
    let doubt = model.doubt.as_deref().expect("a doubt");
    assert!(
        doubt.contains("gl Arabic") && doubt.contains("Galician"),
        "{doubt}"
    );
    assert!(look.between(Some("ar"), None).is_empty());
    assert!(look.between(Some("af"), None)[0].doubt.is_none());
}

#[test]
fn the_index_of_argos_has_links_of_other_schemes_or_none() {
    let look = sample("argos-index.json", "Argos");
    assert_eq!(
        names(&look.between(Some("zh"), Some("en"))),
        ["translate-zt_en"]
    );
    assert_eq!(look.between(Some("zh"), None)[0].sources, ["zh-Hant"]);
    let german = look.between(Some("de"), None)[0];
    assert!(
        german
            .problem
            .as_deref()
            .expect("a problem")
            .contains("no address")
    );
    assert!(look.between(None, Some("pt"))[0].problem.is_none());
}

#[test]
fn hostile_entries_have_a_problem_and_others_stay() {
    let server = Server::start();
    let list = r#"[
        {"from_code": "en", "to_code": "fr", "code": "../../etc", "links": ["http://127.0.0.1/a.argosmodel"]},
        {"from_code": "en", "to_code": "de", "code": "a", "links": ["ipfs://abc"]},
        {"from_code": "en", "to_code": "es", "code": "b", "links": ["file:///etc/passwd"]},
        {"from_code": "en", "to_code": "it", "code": "c", "links": ["http://127.0.0.1/x/../../a.zip"]},
        {"from_code": "en", "to_code": "pt", "code": "d", "links": ["http://127.0.0.1/good.argosmodel"]},
        {"from_code": "en", "to_code": "pt", "code": "d", "links": ["http://127.0.0.1/good2.argosmodel"]},
        {"from_code": "tell-me-more-than-this", "to_code": "pt"},
        7
    ]"#;
    let models = listed(&server, list);
    let problems: Vec<bool> = models.iter().map(|model| model.problem.is_some()).collect();
    assert_eq!(
        problems,
        [true, true, true, true, false, false],
        "{models:?}"
    );
    let of = |at: usize| models[at].problem.clone().expect("a problem");
    assert!(of(0).contains("../../etc"), "{}", of(0));
    assert!(of(1).contains("ipfs://abc"), "{}", of(1));
    assert!(of(2).contains("file:///etc/passwd"), "{}", of(2));
    assert!(of(3).contains("leads out"), "{}", of(3));
    assert_eq!([models[4].name.as_str(), &models[5].name], ["d", "d-2"]);
}

#[test]
fn an_encrypted_list_leads_to_encrypted_files_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("index.json");
    let text = r#"[{"from_code": "en", "to_code": "fr", "code": "a", "links": ["http://host/a.argosmodel"]}]"#;
    fs::write(&list, text).expect("written");
    // A user's own list may say so.
    let own = Catalogue::named(list.to_str().expect("a path")).expect("there");
    assert!(look(&[own]).models[0].problem.is_none());
}

#[test]
fn what_is_no_list_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text, word) in [
        ("a.json", "<html>", "not JSON"),
        ("b.json", "{}", "none of the known forms"),
        ("c.json", "\"models\"", "none of the known forms"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        let catalogue = Catalogue::named(path.to_str().expect("a path")).expect("there");
        let found = look(&[catalogue]);
        let error = found.failed[0].1.to_string();
        assert!(error.contains(word) && error.contains(name), "{error}");
    }
    let catalogue = Catalogue::named(folder.path().to_str().expect("a path")).expect("there");
    let error = look(&[catalogue]).failed[0].1.to_string();
    assert!(
        error.contains("neither a list of models nor a model"),
        "{error}"
    );
}
