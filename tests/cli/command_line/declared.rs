//! The languages that files declare, and those that a person states of a model.

use std::fs;

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};
use crate::command_line::imported::User;
use crate::support::firefox;

fn xliff(target: &str) -> String {
    format!(
        "<xliff version=\"1.2\"><file original=\"a\" source-language=\"en\" target-language=\"{target}\" \
         datatype=\"plaintext\"><body><trans-unit id=\"1\"><source>Hello world</source><target>Bonjour le monde</target>\
         </trans-unit><trans-unit id=\"2\"><source>Open the window.</source></trans-unit></body></file></xliff>"
    )
}

#[test]
fn a_declared_target_stays_or_it_is_said_what_to_do() {
    let desk = Desk::new();
    let french = desk.file("simple.xlf", xliff("fr"));
    let output = desk.path("out.xlf");
    let translate = |more: &[&str]| {
        let arguments = [
            "translate",
            "--device",
            "cpu",
            "--beam",
            "1",
            "--force",
            &french,
        ];
        canopy(&[&arguments[..], &["-o", output.as_str()], more].concat())
    };
    let words = ["simple.xlf", "fr", "canopy model import", "--to"];
    assert_failed(&translate(&[]), &words);
    assert!(fs::metadata(&output).is_err(), "nothing is written");
    let starter = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/starter-en-de");
    assert_failed(&translate(&["--model", starter]), &words);

    // Said explicitly, the file is in that language, and in no other.
    let done = translate(&["--to", "de"]);
    assert_done(&done);
    assert!(stderr(&done).contains("fr"), "{}", stderr(&done));
    let written = desk.read("out.xlf");
    assert!(written.contains("target-language=\"de\""), "{written}");
    assert!(!written.contains("Bonjour"), "{written}");

    let german = desk.file("german.xlf", xliff("de-AT"));
    let arguments = ["translate", "--device", "cpu", "--beam", "1", &german];
    let done = canopy(&arguments);
    assert_done(&done);
    assert!(stdout(&done).contains("target-language=\"de-AT\""));
    assert!(stdout(&done).contains("Bonjour"), "what is finished stays");
}

#[test]
fn catalogues_and_qt_files_declare_their_languages_too() {
    let desk = Desk::new();
    let po = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\nLanguage: fr_CA\\n\"\n\n\
              msgid \"Open the window\"\nmsgstr \"\"\n";
    let ts = "<!DOCTYPE TS>\n<TS version=\"2.1\" language=\"pl_PL\" sourcelanguage=\"en\"><context><name>a</name>\
              <message><source>Open</source><translation type=\"unfinished\"></translation></message></context></TS>\n";
    for (name, text, code) in [("a.po", po, "fr_CA"), ("a.ts", ts, "pl_PL")] {
        let file = desk.file(name, text);
        let done = canopy(&["translate", "--device", "cpu", &file]);
        assert_failed(&done, &[name, code, "--to"]);
    }
    // A template whose language is that of its texts declares none.
    let template = po.replace("fr_CA", "").replace("Open", "Please open");
    let file = desk.file("b.po", &template);
    assert_done(&canopy(&["translate", "--device", "cpu", &file]));
}

#[test]
fn the_languages_of_a_model_are_stated_where_its_files_do_not_say_them() {
    let user = User::new();
    let unnamed = user.path("student");
    firefox::copy_without_languages_to(&unnamed);
    let path = unnamed.display().to_string();
    let import = ["model", "import", &path];
    assert_failed(
        &user.canopy(&[&import[..], &["--from", "en", "--to", "?"]].concat()),
        &["--to", "pt-BR"],
    );
    let done = user.canopy(&[&import[..], &["--from", "en", "--to", "pt"]].concat());
    assert_done(&done);
    assert!(stdout(&done).contains("en → pt"), "{}", stdout(&done));
    let listed = user.listed("student");
    assert_eq!(
        (&listed["sources"][0], &listed["targets"][0]),
        (&"en".into(), &"pt".into())
    );
    let file = user.path("a.xlf");
    fs::write(&file, xliff("pt-BR")).expect("written");
    let file = file.display().to_string();
    let done = user.canopy(&["translate", "--device", "cpu", "--beam", "1", &file]);
    assert_done(&done);
    assert!(stdout(&done).contains("target-language=\"pt-BR\""));

    // The same afterwards, with the choice of the default.
    assert_done(&user.canopy(&["model", "remove", "student"]));
    assert_done(&user.canopy(&import));
    assert_done(&user.canopy(&["model", "default", "student", "--from", "en", "--to", "pt"]));
    let listed = user.listed("student");
    assert_eq!(listed["default_for"][0], "en-pt");
    assert_done(&user.canopy(&["model", "default", "en-pt", "student"]));
    assert_failed(
        &user.canopy(&["model", "default", "student"]),
        &["en-de", "student"],
    );
}

#[test]
fn languages_that_a_person_states_win_over_those_of_the_files() {
    let user = User::new();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models");
    let firefox = format!("{shipped}/firefox-pt-en/model");
    let import = ["model", "import", &firefox, "--name", "galician"];
    assert_done(&user.canopy(&[&import[..], &["--from", "English", "--to", "gl"]].concat()));
    let listed = user.listed("galician");
    assert_eq!(
        (&listed["sources"], &listed["targets"]),
        (&serde_json::json!(["en"]), &serde_json::json!(["gl"]))
    );
    let file = user.path("a.xlf");
    fs::write(&file, xliff("gl")).expect("written");
    let file = file.display().to_string();
    let arguments = ["translate", "--device", "cpu", "--beam", "1", &file];
    let done = user.canopy(&arguments);
    assert_done(&done);
    assert!(stdout(&done).contains("target-language=\"gl\""));

    // A model folder of ours has learned its languages, and no others.
    let starter = format!("{shipped}/starter-en-de");
    let import = ["model", "import", &starter, "--from", "en", "--to", "fr"];
    assert_failed(&user.canopy(&import), &["en to de", "--to"]);
}

#[test]
fn of_a_model_of_several_languages_one_that_it_has_is_stated() {
    let user = User::new();
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/interchange");
    let folder = format!("{tests}/multilingual/nllb");
    let import = ["model", "import", &folder, "--to"];
    assert_failed(
        &user.canopy(&[&import[..], &["nl"]].concat()),
        &["ace, de, en, fr, zu", "nl"],
    );
    assert_done(&user.canopy(&[&import[..], &["Zulu"]].concat()));
    let listed = user.listed("nllb");
    assert_eq!(listed["targets"], serde_json::json!(["zu"]));
}
