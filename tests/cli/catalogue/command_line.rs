//! `canopy model search`, `get` and `catalogue` as a user runs them.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::catalogue::desk::{assert_done, assert_failed, stderr, stdout};
use crate::catalogue::models::{argos, files, gzip, left, sha256, zip};
#[cfg(target_os = "linux")]
use crate::catalogue::server::authority;
use crate::catalogue::server::{Reply, Server};
use crate::support::firefox::{self, SHORTLIST};

/// A user with folders of their own, and no proxy.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().expect("a folder"),
        }
    }

    fn canopy(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command.env("HOME", self.home.path());
        for variable in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "HF_ENDPOINT"] {
            command.env_remove(variable);
        }
        let output = command.args(arguments).output().expect("the program runs");
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        output
    }

    /// With the authority of encrypted servers among the roots of the system, or without it.
    #[cfg(target_os = "linux")]
    fn trusting(&self, arguments: &[&str], trusts: bool) -> Output {
        let none = self.home.path().join("none.pem");
        let file = if trusts { authority() } else { none };
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command
            .env("HOME", self.home.path())
            .env("SSL_CERT_FILE", file);
        command
            .env_remove("XDG_DATA_HOME")
            .env_remove("SSL_CERT_DIR");
        command.args(arguments).output().expect("the program runs")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.canopy(&[arguments, &["--json"]].concat());
        assert_done(&output);
        serde_json::from_str(&stdout(&output)).expect("JSON")
    }

    fn models(&self) -> Vec<std::path::PathBuf> {
        left(&self.home.path().join(".local/share/canopy/models"))
    }
}

#[test]
fn a_model_is_searched_got_and_the_default_of_its_pair() {
    let (server, user) = (Server::start(), User::new());
    server.put(
        "/index.json",
        Reply::File(argos(&server.url("/m.argosmodel")).into_bytes()),
    );
    server.put("/m.argosmodel", Reply::File(zip()));
    let catalogue = server.url("/index.json");
    let search = [
        "model",
        "search",
        "--from",
        "en",
        "--to",
        "fr",
        "--catalogue",
        &catalogue,
    ];
    let output = user.canopy(&search);
    assert_done(&output);
    let table = stdout(&output);
    for part in ["NAME", "translate-en_fr", "en → fr", "Argos"] {
        assert!(table.contains(part), "{table}");
    }
    let none = ["model", "search", "--from", "xx", "--catalogue", &catalogue];
    assert_failed(&user.canopy(&none), &["a model from xx"]);

    let got = user.json(&["model", "get", "en-fr", "--catalogue", &catalogue]);
    assert_eq!(got["name"], "translate-en_fr");
    let again = user.canopy(&["model", "get", "translate-en_fr", "--catalogue", &catalogue]);
    assert_failed(&again, &["already exists", "--force"]);
    assert_done(&user.canopy(&[
        "model",
        "get",
        "translate-en_fr",
        "--catalogue",
        &catalogue,
        "--force",
    ]));
    assert_eq!(user.models().len(), 1);
    let found = user.json(&search);
    assert_eq!(found["models"][0]["installed"], "yes");
    // Another release.
    let newer = argos(&server.url("/m.argosmodel")).replace("1.9", "2.0");
    server.put("/index.json", Reply::File(newer.into_bytes()));
    assert_eq!(
        user.json(&search)["models"][0]["installed"],
        "other release"
    );
}

#[test]
fn nothing_is_requested_by_other_commands_and_own_catalogues_are_kept() {
    let (server, user) = (Server::start(), User::new());
    server.put(
        "/index.json",
        Reply::File(argos(&server.url("/m.argosmodel")).into_bytes()),
    );
    let catalogue = server.url("/index.json");
    for known in ["mozilla", "translatelocally", "opus-mt", "hplt", "argos"] {
        assert_done(&user.canopy(&["model", "catalogue", "remove", known]));
    }
    assert_done(&user.canopy(&["model", "catalogue", "add", &catalogue]));
    assert_done(&user.canopy(&["model", "list"]));
    let listed = user.json(&["model", "catalogue", "list"]);
    assert_eq!(listed["catalogues"][0]["address"], catalogue.as_str());
    assert_eq!(listed["catalogues"][1]["on"], false);
    assert!(server.requests().is_empty());
    let found = user.json(&["model", "search"]);
    assert_eq!(found["models"][0]["name"], "translate-en_fr");
    assert_done(&user.canopy(&["model", "catalogue", "remove", &catalogue]));
    assert_failed(
        &user.canopy(&["model", "catalogue", "remove", &catalogue]),
        &["not a catalogue"],
    );
    assert_done(&user.canopy(&["model", "catalogue", "add", "mozilla"]));
    assert_failed(
        &user.canopy(&["model", "catalogue", "add", "nonsense"]),
        &["nonsense"],
    );
}

#[test]
fn a_repository_of_hugging_face_is_got_with_the_files_that_are_needed() {
    let (server, user) = (Server::start(), User::new());
    let names = files().into_iter().map(|(name, _)| name);
    let names =
        names.chain(["tf_model.h5", "onnx/model.onnx", ".gitattributes"].map(str::to_owned));
    let siblings: Vec<Value> = names.map(|name| json!({ "rfilename": name })).collect();
    let description =
        json!({ "siblings": siblings, "cardData": { "license": "mit" }, "sha": "abc" });
    // Without sizes, as an older mirror answers.
    server.put(
        "/api/models/some/m2m-tiny",
        Reply::File(description.to_string().into_bytes()),
    );
    for (name, bytes) in files() {
        server.put(
            &format!("/some/m2m-tiny/resolve/main/{name}"),
            Reply::File(bytes),
        );
    }
    let got = user.json(&[
        "model",
        "get",
        "some/m2m-tiny",
        "--catalogue",
        &server.address,
    ]);
    assert_eq!(
        (&got["name"], &got["licence"]),
        (&"m2m-tiny".into(), &"mit".into())
    );
    assert!(got["targets"].as_array().expect("codes").len() > 2, "{got}");
    let requests = server.requests();
    assert!(
        requests
            .iter()
            .all(|it| !it.path.contains("tf_model") && !it.path.contains("onnx"))
    );
    let missing = user.canopy(&["model", "get", "some/other", "--catalogue", &server.address]);
    assert_failed(&missing, &["nothing is there", "some/other"]);
}

#[test]
fn an_office_without_internet_has_a_folder() {
    let user = User::new();
    let office = tempfile::tempdir().expect("a folder");
    let list = argos("https://argos-net.com/v1/en_fr.argosmodel");
    fs::write(office.path().join("index.json"), list).expect("written");
    fs::write(office.path().join("en_fr.argosmodel"), zip()).expect("written");
    let own = office.path().join("m2m-tiny");
    fs::create_dir(&own).expect("made");
    for (name, bytes) in files() {
        fs::write(own.join(name), bytes).expect("written");
    }
    let folder = office.path().display().to_string();
    let found = user.json(&["model", "search", "--catalogue", &folder]);
    let names: Vec<&str> = found["models"]
        .as_array()
        .expect("models")
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert_eq!(names, ["translate-en_fr", "m2m-tiny"]);
    let url = format!("file://{folder}/index.json");
    assert_done(&user.canopy(&["model", "get", "en-fr", "--catalogue", &url]));
    assert_done(&user.canopy(&["model", "get", "m2m-tiny", "--catalogue", &folder]));
    assert_eq!(user.models().len(), 2);
    assert!(own.join("config.json").exists() && office.path().join("en_fr.argosmodel").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn encrypted_hosts_are_verified_and_lead_to_encrypted_ones_alone() {
    let (plain, server, user) = (Server::start(), Server::encrypted(), User::new());
    let list = |address: &str| Reply::File(argos(address).into_bytes());
    server.put("/index.json", list(&server.url("/m.argosmodel")));
    server.put("/m.argosmodel", Reply::Redirect(plain.url("/m.argosmodel")));
    plain.put("/m.argosmodel", Reply::File(zip()));
    let catalogue = server.url("/index.json");
    let get = ["model", "get", "en-fr", "--catalogue", &catalogue];
    assert_failed(
        &user.trusting(&get, false),
        &["not to be trusted", "certificate"],
    );
    assert!(server.requests().is_empty());
    assert_failed(
        &user.trusting(&get, true),
        &["redirected to an address without encryption"],
    );
    assert!(plain.requests().is_empty());
    server.put("/index.json", list(&plain.url("/m.argosmodel")));
    assert_failed(&user.trusting(&get, true), &["not one of https"]);
    server.put("/index.json", Reply::Redirect(plain.url("/index.json")));
    assert_failed(
        &user.trusting(&get, true),
        &["redirected to an address without encryption"],
    );
    assert!(plain.requests().is_empty() && user.models().is_empty());
    server.put("/index.json", list(&server.url("/m.argosmodel")));
    server.put(
        "/m.argosmodel",
        Reply::Redirect(server.url("/n.argosmodel")),
    );
    server.put("/n.argosmodel", Reply::File(zip()));
    assert_done(&user.trusting(&get, true));
}

#[test]
fn the_model_of_firefox_as_mozilla_serves_it_installs_and_translates() {
    let (server, user) = (Server::start(), User::new());
    let list = mozilla(&server);
    server.put(
        "/db/models.json",
        Reply::File(list.to_string().into_bytes()),
    );
    let catalogue = server.url("/db/models.json");
    let got = user.json(&["model", "get", "pt-en", "--catalogue", &catalogue]);
    assert_eq!(got["name"], "pt-en-tiny");
    assert_eq!(
        (&got["sources"], &got["targets"]),
        (&json!(["pt"]), &json!(["en"]))
    );
    assert_eq!(got["licence"], "MPL-2.0");
    assert_eq!(got["default_for"], json!(["pt-en"]));
    let letter = user.home.path().join("letter.txt");
    fs::write(&letter, "Bom dia.\n").expect("written");
    let letter = letter.display().to_string();
    let output = user.canopy(&[
        "translate",
        &letter,
        "--from",
        "pt",
        "--to",
        "en",
        "--device",
        "cpu",
    ]);
    assert_done(&output);
    assert_eq!(stdout(&output).trim(), "Good morning.");
}

/// Serves the files of a model as Mozilla does, and gives the registry that names them.
fn mozilla(server: &Server) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    firefox::copy_to(folder.path());
    let mut files = serde_json::Map::new();
    for (key, name) in [
        ("model", "model.pten.intgemm.alphas.bin"),
        ("lexicalShortlist", SHORTLIST),
        ("vocab", "vocab.pten.spm"),
    ] {
        let bytes = fs::read(folder.path().join(name)).expect("readable");
        let path = format!("models/pt-en/x_{key}/exported/{name}.gz");
        server.put(&format!("/{path}"), Reply::File(gzip(&bytes)));
        let mut entry = json!({ "path": path });
        if key == "model" {
            entry["uncompressedSize"] = bytes.len().into();
            entry["uncompressedHash"] = sha256(&bytes).into();
        }
        files.insert(key.to_owned(), entry);
    }
    json!({ "baseUrl": server.address, "models": { "pt-en": [{
        "architecture": "tiny", "releaseStatus": "Release", "sourceLanguage": "pt", "targetLanguage": "en",
        "license": "MPL-2.0", "files": files
    }] } })
}
