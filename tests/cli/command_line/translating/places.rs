//! Where translations go, and which files are never replaced.

use super::*;

#[test]
fn documents_are_written_to_the_requested_place() {
    let desk = Desk::new();
    let (one, two) = (
        desk.file("one.html", PAGE),
        desk.file("two.md", "Open *the* file.\n"),
    );
    let output = desk.translate(&[&one]);
    assert_done(&output);
    let translated = stdout(&output);
    let out = desk.path("out.html");
    let output = desk.translate(&[&one, "-o", &out]);
    assert_done(&output);
    assert_eq!(
        (stdout(&output).as_str(), desk.read("out.html")),
        ("", translated.clone())
    );
    let folder = desk.path("german");
    fs::create_dir(&folder).expect("a folder");
    assert_done(&desk.translate(&[&one, &two, "--output", &folder]));
    assert_eq!(desk.read("german/one.html"), translated);
    assert!(!desk.read("german/two.md").is_empty());
    assert_eq!(
        (desk.read("one.html").as_str(), desk.read("two.md").as_str()),
        (PAGE, "Open *the* file.\n")
    );
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
    assert_done(&desk.translate(&[&one, "--json", "-o", &folder]));
    assert!(desk.read("german/one.html.json").starts_with('{'));
}

#[test]
fn places_that_cannot_be_meant_are_refused_before_any_work() {
    let desk = Desk::new();
    let (one, same) = (
        desk.file("one.txt", "Open."),
        desk.file("more/one.txt", "Close."),
    );
    let folder = desk.path("german");
    fs::create_dir(&folder).expect("a folder");
    assert_misused(
        &desk.translate(&[&one, &same, "-o", &desk.path("new.txt")]),
        &["new.txt", "folder"],
    );
    assert_failed(
        &desk.translate(&[&one, &same, "-o", &folder, "--force"]),
        &["one.txt"],
    );
    assert_failed(&desk.translate_text(&["-o", &folder], "Open."), &["german"]);
    for missing in ["missing/one.txt", "missing/"] {
        let refused = desk.translate(&[&one, "-o", &desk.path(missing)]);
        assert_failed(&refused, &["missing", "folder does not exist"]);
        assert!(!stderr(&refused).contains("left as it was"));
    }
    // Nor is the first one translated.
    assert_failed(
        &desk.translate(&[&one, &desk.path("absent.txt"), "-o", &folder]),
        &["absent.txt"],
    );
    let trace = desk.path("missing/one.trace");
    let (out, absent) = (desk.path("out.txt"), desk.path("absent"));
    // The model is not even looked for.
    let refused = canopy(&[
        "translate",
        &one,
        "-o",
        &out,
        "--trace",
        &trace,
        "--model",
        &absent,
    ]);
    assert_failed(&refused, &["missing"]);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    assert_eq!(desk.names(), ["german", "more", "one.txt"]);
}

#[test]
fn nothing_is_replaced_without_force() {
    let desk = Desk::new();
    let one = desk.file("one.html", PAGE);
    let out = desk.file("out.html", "mine");
    assert_failed(
        &desk.translate(&[&one, "-o", &out]),
        &["out.html", "--force"],
    );
    let again = desk.file("german/one.html", "mine");
    assert_failed(
        &desk.translate(&[&one, "-o", &desk.path("german")]),
        &["one.html", "--force"],
    );
    fs::remove_file(again).expect("it is there");
    fs::remove_dir(desk.path("german")).expect("it is empty");
    assert_eq!(
        (
            desk.read("out.html").as_str(),
            desk.read("one.html").as_str()
        ),
        ("mine", PAGE)
    );
    assert_done(&desk.translate(&[&one, "-o", &out, "--force"]));
    assert!(desk.read("out.html").starts_with("<p>"));
    assert_eq!(desk.names(), ["one.html", "out.html"]);
}

/// Refused before any work, with no word of `--force`.
#[track_caller]
fn assert_kept(output: &Output, name: &str) {
    assert_failed(output, &[name, "is read here"]);
    assert!(!stderr(output).contains("--force"), "{}", stderr(output));
}

#[test]
fn no_input_is_replaced_even_with_force() {
    let desk = Desk::new();
    let one = desk.file("one.html", PAGE);
    let two = desk.file("more/two.txt", "Open the file.\n");
    let memory = desk.file("po/mine.po", "msgid \"Open\"\nmsgstr \"Auf\"\n");
    let folder = desk.path("");
    let spelt = desk.path("more/../one.html");
    let mut outputs = vec![one.clone(), spelt, folder];
    #[cfg(unix)]
    {
        let [link, name] = ["link.html", "name.html"].map(|name| desk.path(name));
        std::os::unix::fs::symlink("one.html", &link).expect("linked");
        fs::hard_link(&one, &name).expect("linked");
        outputs.extend([link, name]);
    }
    for output in &outputs {
        for force in [&[][..], &["--force"]] {
            let arguments = [&["-o", output, &one][..], force].concat();
            assert_kept(&desk.translate(&arguments), ".html");
        }
    }
    // What another document or the translation comes from is an input as well.
    let (more, po) = (desk.path("more"), desk.path("po"));
    let others: [&[&str]; 3] = [
        &["-o", &more, &one, &two],
        &["-o", &memory, &one, "--memory", &memory],
        &["-o", &memory, &one, "--memory", &po],
    ];
    for arguments in others {
        let output = desk.translate(&[arguments, &["--force"]].concat());
        assert_kept(&output, "is read here");
    }
    for part in fs::read_dir(desk.model.path()).expect("a folder") {
        let part = part.expect("an entry").path();
        let output = desk.translate(&[&one, "--force", "-o", part.to_str().expect("a name")]);
        assert_kept(
            &output,
            part.file_name().and_then(|it| it.to_str()).expect("a name"),
        );
    }
    let document = desk.file("page.json", "Open the file.\n");
    let arguments = ["--format", "txt", "--force", &document, "--trace"];
    let spelt = desk.path("more/../page.json");
    assert_kept(
        &desk.translate(&[&arguments[..], &[&*spelt]].concat()),
        "page.json",
    );
    // The same place as that of the translation.
    let (new, spelt) = (desk.path("new.json"), desk.path("more/../new.json"));
    let output = desk.translate(&[&one, "--json", "-o", &new, "--trace", &spelt]);
    assert_failed(&output, &["new.json", "two files"]);
    assert_eq!(
        (desk.read("one.html"), desk.read("more/two.txt")),
        (PAGE.to_owned(), "Open the file.\n".to_owned())
    );
    assert_eq!(desk.read("page.json"), "Open the file.\n");
    assert!(desk.read("po/mine.po").contains("msgstr"));
}

#[test]
fn other_commands_keep_what_they_read_as_well() {
    let desk = Desk::new();
    let page = desk.file("page.txt", "Open the file.\n");
    let trace = desk.path("page.json");
    assert_done(&desk.translate(&[&page, "--trace", &trace]));
    let before = desk.read("page.json");
    let output = canopy(&[
        "explain", &trace, "--view", "cross", "-o", &trace, "--force",
    ]);
    assert_kept(&output, "page.json");
    assert_eq!(desk.read("page.json"), before);
    let corpus = desk.path("corpus");
    tiny::corpus(Path::new(&corpus));
    let documents = desk.read("corpus/test.jsonl");
    for part in fs::read_dir(&corpus).expect("a folder") {
        let part = part.expect("an entry").path();
        let part = part.to_str().expect("a name");
        let made = [
            "contrast", "make", "--corpus", &corpus, "-o", part, "--force",
        ];
        let chosen = [
            "corpus",
            "select-context",
            "--type",
            "previous",
            "--corpus",
            &corpus,
        ];
        let chosen = [&chosen[..], &["-o", part, "--force"]].concat();
        let model = desk.model.path().to_str().expect("a name");
        let scored = [
            "evaluate", "--model", model, "--corpus", &corpus, "--device", "cpu",
        ];
        let scored = [&scored[..], &["--hypotheses", part, "--force"]].concat();
        for arguments in [&made[..], &chosen, &scored] {
            assert_kept(&canopy(arguments), part.rsplit('/').next().expect("a name"));
        }
    }
    assert_eq!(desk.read("corpus/test.jsonl"), documents);
    let model = desk.model.path().to_str().expect("a name");
    let average = ["model", "average", model, "-o", model, "--force"];
    assert_kept(&canopy(&average), "\"");
    // A file of one's own next to the corpus may be replaced.
    let contexts = desk.file("corpus/contexts.jsonl", "old");
    let chosen = [
        "corpus",
        "select-context",
        "--type",
        "previous",
        "--corpus",
        &corpus,
    ];
    assert_done(&canopy(
        &[&chosen[..], &["-o", &contexts, "--force"]].concat(),
    ));
}
