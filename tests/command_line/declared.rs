//! The languages that files declare, and those that a person states of a model.

use std::fs;

use crate::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};
use crate::imported::{User, case};

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
    let french = desk.file("simple.xlf", &xliff("fr"));
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

    let german = desk.file("german.xlf", &xliff("de-AT"));
    let arguments = ["translate", "--device", "cpu", "--beam", "1", &german];
    let done = canopy(&arguments);
    assert_done(&done);
    assert!(stdout(&done).contains("target-language=\"de-AT\""));
    assert!(stdout(&done).contains("Bonjour"), "what is finished stays");
}

#[test]
fn catalogues_and_qt_files_declare_their_languages_too() {
    let desk = Desk::new();
    let po = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\nLanguage: pt_BR\\n\"\n\n\
              msgid \"Open the window\"\nmsgstr \"\"\n";
    let ts = "<!DOCTYPE TS>\n<TS version=\"2.1\" language=\"pl_PL\" sourcelanguage=\"en\"><context><name>a</name>\
              <message><source>Open</source><translation type=\"unfinished\"></translation></message></context></TS>\n";
    for (name, text, code) in [("a.po", po, "pt_BR"), ("a.ts", ts, "pl_PL")] {
        let file = desk.file(name, text);
        let done = canopy(&["translate", "--device", "cpu", &file]);
        assert_failed(&done, &[name, code, "--to"]);
    }
    // A template whose language is that of its texts declares none.
    let template = po.replace("pt_BR", "").replace("Open", "Please open");
    let file = desk.file("b.po", &template);
    assert_done(&canopy(&["translate", "--device", "cpu", &file]));
}

#[test]
fn the_languages_of_a_model_are_stated_where_its_files_do_not_say_them() {
    let Some(folder) = case("marian-native-ssru-1") else {
        return;
    };
    let user = User::new();
    // Under a name that says nothing.
    let unnamed = user.path("student");
    fs::create_dir(&unnamed).expect("a folder");
    for entry in fs::read_dir(&folder).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), unnamed.join(entry.file_name())).expect("copied");
    }
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
