//! Models of other programs, by each way that they come: they are added, listed, chosen, and translate a page of HTML.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use canopy::text::document::Document;
use serde_json::Value;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use crate::command_line::desk::{assert_done, assert_failed, stderr, stdout};

/// A case of ../shared/models.
fn case(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    folder.join(name)
}

/// A user whose models are in a folder of their own.
pub struct User {
    home: TempDir,
}

impl User {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn canopy(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        let command = command.env("HOME", self.home.path());
        for variable in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(variable);
        }
        let output = command.args(arguments).output().expect("the program runs");
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        output
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The description of the model of this name.
    pub fn listed(&self, name: &str) -> Value {
        let output = self.canopy(&["model", "list", "--json"]);
        assert_done(&output);
        let list: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let models = list["models"].as_array().expect("a list");
        let found = models.iter().find(|model| model["name"] == name);
        found.unwrap_or_else(|| panic!("{name} in {list}")).clone()
    }

    /// Translates a sample page and gives the translation.
    fn translated(&self, model: &Path, more: &[&str]) -> String {
        let to = self.path("translated.html");
        let (page, model) = (page(), model.display().to_string());
        let arguments = [
            "translate",
            page.to_str().expect("a name"),
            "--device",
            "cpu",
            "--beam",
            "1",
            "--force",
            "--model",
            &model,
            "-o",
            to.to_str().expect("a name"),
        ];
        let output = self.canopy(&[&arguments, more].concat());
        assert_done(&output);
        fs::read_to_string(to).expect("written")
    }
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/printing-a-brochure.html")
}

/// All tags of a page, sorted, without the language that the translation is in.
fn tags(page: &str) -> Vec<&str> {
    let parts = page.split('<').skip(1);
    let tags = parts.filter_map(|part| part.split_once('>').map(|(tag, _)| tag));
    let mut tags: Vec<&str> = tags.filter(|tag| !tag.starts_with("html")).collect();
    tags.sort_unstable();
    tags
}

/// Every tag of the sample page is there, once, and none lies across another.
fn assert_tags_are_intact(translation: &str, name: &str) {
    let source = fs::read_to_string(page()).expect("readable");
    assert_eq!(tags(translation), tags(&source), "{name}");
    let mut open = Vec::new();
    for part in translation.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("tags end");
        let element = tag.split([' ', '\n']).next().unwrap_or_default();
        let is_void = ["br", "hr", "img", "link", "meta", "input"].contains(&element);
        if let Some(closed) = element.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{name}: </{closed}>");
        } else if !is_void && !tag.ends_with('/') && !tag.starts_with('!') {
            open.push(element);
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "{name}");
    let [before, after] = [source.as_str(), translation].map(|text| {
        let format = canopy::text::document::Format::Html;
        Document::parse("page.html", format, text.to_owned()).expect("a page")
    });
    assert_eq!(before.paragraphs.len(), after.paragraphs.len(), "{name}");
}

/// A zip file with the files of a folder below a folder in it.
fn zipped(folder: &Path, files: &[(&str, &str)], more: &[(&str, &str)], to: &Path) {
    let mut zip = zip::ZipWriter::new(fs::File::create(to).expect("writable"));
    let mut add = |name: &str, bytes: &[u8]| {
        let options = SimpleFileOptions::default();
        zip.start_file(name, options).expect("a new file");
        zip.write_all(bytes).expect("writable");
    };
    for (from, name) in files {
        add(
            name,
            &fs::read(folder.join(from)).expect("a file of the case"),
        );
    }
    for (name, text) in more {
        add(name, text.as_bytes());
    }
    zip.finish().expect("writable");
}

/// Adds a model and translates with it, by its folder among the models and directly.
fn assert_it_is_used(user: &User, path: &Path, name: &str, more: &[&str]) -> Value {
    assert_done(&user.canopy(&["model", "import", path.to_str().expect("a name")]));
    let model = user.listed(name);
    assert!(model["problem"].is_null(), "{model}");
    assert!(model["parameters"].as_u64() > Some(10_000), "{model}");
    assert!(
        model["format"]
            .as_str()
            .is_some_and(|format| !format.is_empty()),
        "{model}"
    );
    let folder = PathBuf::from(model["folder"].as_str().expect("a folder"));
    let translation = user.translated(&folder, more);
    assert_tags_are_intact(&translation, name);
    assert_eq!(user.translated(path, more), translation, "{name}: directly");
    // Never over one that is there.
    assert_failed(
        &user.canopy(&["model", "import", path.to_str().expect("a name")]),
        &["exists"],
    );
    model
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_folder_of_hugging_face_translates_a_page() {
    let folder = case("marian-base-1");
    let user = User::new();
    assert_it_is_used(&user, &folder, "marian-base-1", &[]);
    let several = case("marian-multi-1");
    let model = assert_it_is_used(&user, &several, "marian-multi-1", &["--to", "nl"]);
    assert_eq!(model["targets"], serde_json::json!(["de", "nl"]));
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_folder_of_marian_translates_a_page() {
    let folder = case("marian-native-align-1");
    let user = User::new();
    assert_it_is_used(&user, &folder, "marian-native-align-1", &[]);
    let ssru = case("marian-native-ssru-1");
    assert_it_is_used(&user, &ssru, "marian-native-ssru-1", &[]);
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_zip_file_of_marian_translates_a_page() {
    let folder = case("marian-native-separate-1");
    let user = User::new();
    let names: Vec<String> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &**name)).collect();
    let path = user.path("opus-en-de.zip");
    zipped(&folder, &files, &[], &path);
    let model = assert_it_is_used(&user, &path, "opus-en-de", &[]);
    // Its files do not say them, its name does.
    assert_eq!(
        (&model["sources"][0], &model["targets"][0]),
        (&"en".into(), &"de".into())
    );
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_folder_of_ctranslate2_translates_a_page() {
    let folder = case("ctranslate2-base-1-int8");
    assert_it_is_used(&User::new(), &folder, "ctranslate2-base-1-int8", &[]);
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn an_argos_package_is_added_chosen_and_removed() {
    let folder = case("ctranslate2-base-1-float32");
    let user = User::new();
    let path = user.path("translate-en_fr-1_0.argosmodel");
    let files = [
        ("model.bin", "translate/model/model.bin"),
        ("config.json", "translate/model/config.json"),
        (
            "shared_vocabulary.json",
            "translate/model/shared_vocabulary.json",
        ),
        ("source.spm", "translate/sentencepiece.model"),
    ];
    let metadata = r#"{"package_version": "1.0", "argos_version": "1.5", "from_code": "en", "from_name": "English",
        "to_code": "fr", "to_name": "French"}"#;
    let more = [
        ("translate/metadata.json", metadata),
        ("translate/LICENSE", "You are free to share."),
    ];
    zipped(&folder, &files, &more, &path);
    let name = "translate-en_fr-1_0";
    let model = assert_it_is_used(&user, &path, name, &[]);
    assert_eq!(model["copied_from"], path.display().to_string());

    // It is the only one that translates to French: no need to name it. Two in a row lead there from German.
    let to = user.path("to-french.html");
    let arguments = ["--device", "cpu", "--beam", "1", "--to", "fr", "-o"];
    let (sample, to) = (page(), to.display().to_string());
    let arguments = [
        &["translate", sample.to_str().expect("a name")],
        &arguments[..],
        &[&to],
    ];
    assert_done(&user.canopy(&arguments.concat()));
    assert_tags_are_intact(&fs::read_to_string(&to).expect("written"), "to French");
    let german = user.path("seite.html");
    fs::write(
        &german,
        "<p>Klicken Sie auf <b>Datei</b>, um das Dokument zu drucken. Zwei Seiten werden auf jede Seite des Blatts \
         gedruckt, so dass Sie es wie ein Buch lesen können.</p>",
    )
    .expect("written");
    let arguments = [
        "translate",
        german.to_str().expect("a name"),
        "--to",
        "fr",
        "--device",
        "cpu",
    ];
    let output = user.canopy(&arguments);
    assert_done(&output);
    assert!(
        stderr(&output).contains("through two models"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stdout(&output).matches("<b>").count(), 1);
    assert_failed(
        &user.canopy(&[&arguments[..], &["--no-pivot"]].concat()),
        &["de", "fr", "en"],
    );

    assert_done(&user.canopy(&["model", "default", "en-fr", name]));
    assert_eq!(user.listed(name)["default_for"][0], "en-fr");
    let german = german.to_str().expect("a name");
    let by_name = ["translate", german, "--model", name, "--device", "cpu"];
    assert_done(&user.canopy(&by_name));
    assert_failed(
        &user.canopy(&["model", "default", "en-nl", name]),
        &["en-nl", name],
    );
    assert_done(&user.canopy(&["model", "remove", name]));
    assert!(path.is_file(), "the original stays");
    let list = stdout(&user.canopy(&["model", "list"]));
    assert!(!list.contains(name) && list.contains("en → de"), "{list}");
    // One that came with the program is listed no more until it is restored.
    assert_done(&user.canopy(&["model", "remove", "help-en-de"]));
    let list = stdout(&user.canopy(&["model", "list"]));
    assert!(!list.contains("/help-en-de\n"), "{list}");
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_model_whose_files_are_damaged_is_listed_with_its_error() {
    let folder = case("ctranslate2-base-1-int16");
    let user = User::new();
    let name = "ctranslate2-base-1-int16";
    assert_done(&user.canopy(&["model", "import", folder.to_str().expect("a name")]));
    let installed = PathBuf::from(user.listed(name)["folder"].as_str().expect("a folder"));
    let weights = installed.join("model/model.bin");
    let bytes = fs::read(&weights).expect("readable");
    fs::write(&weights, &bytes[..bytes.len() / 2]).expect("written");
    let problem = user.listed(name)["problem"]
        .as_str()
        .expect("a problem")
        .to_owned();
    assert!(problem.contains("model.bin"), "{problem}");
    fs::remove_file(&weights).expect("deleted");
    assert!(user.listed(name)["problem"].is_string());
    fs::write(installed.join("installed.toml"), "version = [").expect("written");
    let problem = user.listed(name)["problem"]
        .as_str()
        .expect("a problem")
        .to_owned();
    assert!(problem.contains("installed.toml"), "{problem}");
    // It can still be removed.
    assert_done(&user.canopy(&["model", "remove", name]));
    assert!(!installed.exists());
}
