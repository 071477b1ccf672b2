//! The program from outside: what it prints, what it writes, and with which exit code it ends.

mod desk;
mod tiny;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use desk::{Desk, PAGE, assert_done, assert_failed, canopy, canopy_with, stderr, stdout};
use serde_json::Value;

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn every_subcommand_explains_itself() {
    let (mut paths, mut explained) = (vec![Vec::new()], Vec::new());
    while let Some(path) = paths.pop() {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let output = canopy(&arguments);
        assert_done(&output);
        let (help, name) = (stdout(&output), path.join(" "));
        assert!(
            help.contains(&format!("Usage: {}", format!("canopy {name}").trim_end())),
            "{help}"
        );
        assert!(
            help.lines().next().is_some_and(|line| line.len() > 10),
            "{name} says nothing of itself: {help}"
        );
        assert_eq!(stderr(&output), "");
        paths.extend(
            subcommands(&help)
                .into_iter()
                .map(|sub| [path.as_slice(), &[sub]].concat()),
        );
        explained.push(name);
    }
    for name in [
        "translate",
        "train",
        "evaluate",
        "corpus vocabulary",
        "corpus import libreoffice-help",
        "corpus import folders",
        "corpus import tmx",
        "contrast make",
        "contrast score",
        "corpus import iwslt",
        "corpus select-context",
        "corpus similarity",
        "model import bert",
        "model import sbert",
        "model import use",
    ] {
        assert!(
            explained.iter().any(|other| other == name),
            "{name} is not in {explained:?}"
        );
    }
    let help = canopy(&["help", "translate"]);
    assert_done(&help);
    assert!(
        [
            "--model", "--from", "--to", "--device", "--beam", "--format", "--json", "--force"
        ]
        .iter()
        .all(|o| stdout(&help).contains(o))
    );
    assert_done(&canopy(&["--version"]));
}

#[test]
fn wrong_usage_has_exit_code_two() {
    for arguments in [
        &["translate", "--unknown"][..],
        &["translate", "--beam", "0"],
        &["translate", "--beam", "many"],
        &["translate", "--beam", "99999999999"],
        &["translate", "--format", "pdf"],
        &["translate", "--device", "tpu"],
        &["train"],
        &["train", "--run", "somewhere"],
        &[
            "train",
            "--run",
            "somewhere",
            "--corpus",
            "c",
            "--steps",
            "-1",
        ],
        &["evaluate"],
        &["corpus"],
        &["corpus", "vocabulary"],
        &["corpus", "import", "iwslt", "--source", "en.xml"],
        &[
            "corpus",
            "select-context",
            "--corpus",
            "c",
            "-o",
            "o",
            "--range",
            "hybrid",
        ],
        &[
            "corpus",
            "select-context",
            "--corpus",
            "c",
            "-o",
            "o",
            "--measure",
            "dot",
        ],
        &["model", "import", "sbert", "somewhere"],
    ] {
        let output = canopy(arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("Usage:") || stderr(&output).contains("--help"),
            "{}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn standard_input_is_translated_to_standard_output() {
    let desk = Desk::new();
    let output = desk.translate_text(&[], "Open the file.\n\nClose the window.\n");
    assert_done(&output);
    let text = stdout(&output);
    assert!(
        text.contains("\n\n") && text.ends_with('\n') && !text.contains("Open the file"),
        "{text}"
    );
    let output = desk.translate_text(&["--format", "html", "-o", "-"], PAGE);
    assert_done(&output);
    assert!(stdout(&output).starts_with("<p>") && stdout(&output).matches("<b>").count() == 1);
    let output = desk.translate_text(&["--from", "en", "--to", "de"], "");
    assert_done(&output);
    assert_eq!(stdout(&output), "");
}

#[test]
fn documents_are_written_where_they_are_asked_for() {
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
    assert_failed(
        &desk.translate(&[&one, &same, "-o", &desk.path("new.txt")]),
        &["new.txt"],
    );
    assert_failed(
        &desk.translate(&[&one, &same, "-o", &folder, "--force"]),
        &["one.txt"],
    );
    assert_failed(&desk.translate_text(&["-o", &folder], "Open."), &["german"]);
    assert_failed(
        &desk.translate(&[&one, "-o", &desk.path("missing/one.txt")]),
        &["missing"],
    );
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
    assert_failed(
        &desk.translate(&[&one, "-o", desk.folder.path().to_str().expect("a name")]),
        &["one.html", "--force"],
    );
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

#[test]
fn json_tells_of_every_sentence() {
    let desk = Desk::new();
    let one = desk.file("one.html", PAGE);
    let output = desk.translate(&[&one, "--json"]);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (
            &report["document"],
            &report["source_language"],
            &report["target_language"]
        ),
        (&"one.html".into(), &"en".into(), &"de".into())
    );
    let sentences = report["sentences"].as_array().expect("a list");
    assert_eq!(sentences.len(), 2);
    for (index, sentence) in sentences.iter().enumerate() {
        assert_eq!(sentence["index"], index);
        assert!(
            sentence["source"].is_string()
                && sentence["target"].is_string()
                && sentence["flags"].is_array()
        );
        assert!(
            sentence["log_prob"]
                .as_f64()
                .is_some_and(|log_prob| log_prob < 0.0),
            "{sentence}"
        );
    }
    let nothing = desk.translate_text(&["--json"], "");
    assert_done(&nothing);
    assert_eq!(
        serde_json::from_slice::<Value>(&nothing.stdout).expect("JSON")["sentences"],
        Value::Array(Vec::new())
    );
}

#[test]
fn other_languages_than_the_models_are_refused() {
    let desk = Desk::new();
    for arguments in [["--from", "fr"], ["--to", "fr"]] {
        assert_failed(
            &desk.translate_text(&arguments, "Open."),
            &["en to de", "fr", "--model"],
        );
    }
}

#[test]
fn a_model_is_trained_resumed_evaluated_and_used() {
    let desk = Desk::new();
    let (corpus, run) = (desk.path("corpus"), desk.path("run"));
    tiny::corpus(Path::new(&corpus));
    let settings = desk.file("run.toml", "vocab_size = 340\nbatch_tokens = 100\n");
    let train = |arguments: &[&str]| {
        canopy(&[&["train", "--device", "cpu", "--run", &run], arguments].concat())
    };
    let output = train(&[
        "--corpus", &corpus, "--config", &settings, "--steps", "1", "--seed", "5",
    ]);
    assert_done(&output);
    assert!(
        stderr(&output).contains("parameters") && stderr(&output).contains("finished after step 1"),
        "{}",
        stderr(&output)
    );
    assert_failed(
        &train(&["--corpus", &corpus, "--steps", "2"]),
        &["--resume", "run"],
    );
    let output = train(&["--resume", "--steps", "2"]);
    assert_done(&output);
    assert!(
        stderr(&output).contains("finished after step 2"),
        "{}",
        stderr(&output)
    );
    let kept = desk.read("run/config.toml");
    assert!(
        kept.contains("seed = 5")
            && kept.contains("batch_tokens = 100")
            && kept.contains("steps = 2"),
        "{kept}"
    );

    let model = format!("{run}/checkpoints/best");
    let output = canopy(&[
        "evaluate", "--device", "cpu", "--beam", "1", "--model", &model, "--corpus", &corpus,
        "--json",
    ]);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (
            &report["scores"][0]["segments"],
            &report["scores"][0]["count"]
        ),
        (&"all".into(), &1.into())
    );
    let lines = desk.path("lines.txt");
    let evaluate = [
        "evaluate",
        "--device",
        "cpu",
        "--beam",
        "1",
        "--model",
        &model,
        "--corpus",
        &corpus,
        "--hypotheses",
        &lines,
    ];
    assert_done(&canopy(&evaluate));
    assert_eq!(desk.read("lines.txt").lines().count(), 1);
    assert_failed(&canopy(&evaluate), &["lines.txt"]);
    let both = [&evaluate[..9], &["--output", &lines]].concat();
    let output = canopy(&both);
    assert_done(&output);
    for part in ["lines.txt", "chrF2", "+0.00  p = 1.000", "by source words"] {
        assert!(stdout(&output).contains(part), "{}", stdout(&output));
    }
    let output = canopy(&[both.as_slice(), &["--json"]].concat());
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["systems"][1]["model"], "lines.txt");
    assert_eq!(report["comparison"]["systems"][1]["scores"][0]["p"], 1.0);
    assert_eq!(
        report["comparison"]["segments"][0]["scores"][1],
        report["comparison"]["segments"][0]["scores"][0]
    );
    let short = desk.file("short.txt", "");
    assert_failed(
        &canopy(&["evaluate", "--corpus", &corpus, "--output", &short]),
        &["short.txt", "0 lines", "1 segments"],
    );
    assert_done(&canopy_with(
        &[
            "translate",
            "--device",
            "cpu",
            "--beam",
            "1",
            "--model",
            &model,
        ],
        "Open the file.",
    ));
}

#[test]
fn what_a_memory_has_exactly_is_taken_over() {
    let desk = Desk::new();
    let memory = desk.file(
        "mine.tsv",
        "Close the window.\tMach das Fenster zu.\nOpen the file.\tMach die Datei auf.\n",
    );
    let output = desk.translate_text(&["--format", "html", "--memory", &memory], PAGE);
    assert_done(&output);
    let text = stdout(&output);
    assert!(text.contains("Mach das Fenster zu.</p>"), "{text}");
    // A memory does not know where the tags belong: what it has for a sentence with some is only looked up.
    let marked = ["--format", "html", "--json", "--memory", &memory];
    let output = desk.translate_text(&marked, PAGE);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let flags = |sentence: usize| report["sentences"][sentence]["flags"].to_string();
    assert!(!flags(0).contains("memory") && flags(1).contains("memory"));
    let memory = desk.file(
        "mine.tmx",
        "<tmx version='1.4'><header srclang='en'/><body><tu><tuv xml:lang='en'><seg>Close the window.</seg></tuv>\
         <tuv xml:lang='de'><seg>Fenster zu.</seg></tuv></tu></body></tmx>",
    );
    let output = desk.translate_text(&["--json", "--memory", &memory], "Close the window.");
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sentence = &report["sentences"][0];
    assert_eq!(sentence["target"], "Fenster zu.");
    assert_eq!(sentence["flags"], serde_json::json!(["memory"]));
    let broken = desk.file("broken.tsv", "Open the file.\n");
    let output = desk.translate_text(&["--format", "html", "--memory", &broken], PAGE);
    assert_failed(&output, &["broken.tsv", "1"]);
}

#[test]
fn learning_for_a_document_needs_something_to_learn_from() {
    let desk = Desk::new();
    let memory = desk.file("mine.tsv", "Close the window.\tMach das Fenster zu.\n");
    let output = desk.translate_text(&["--memory", &memory, "--adapt"], "Close a window.");
    assert_done(&output);
    let output = desk.translate_text(&["--adapt"], "Close a window.");
    assert_eq!(output.status.code(), Some(2), "there is no memory");
}

#[test]
fn the_program_knows_where_it_runs() {
    // Without a display the window is an error, not a panic.
    let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    let output = command
        .env("HOME", OsStr::new("/nonexistent"))
        .stdin(Stdio::null())
        .output()
        .expect("starts");
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    assert_failed(&output, &["window", "canopy translate"]);
}

#[test]
fn a_talk_set_becomes_a_corpus() {
    let desk = Desk::new();
    let talk = |segments: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<mteval>\n<refset><doc docid=\"d\">\n<talkid>767</talkid>\n\
             {segments}</doc></refset></mteval>\n"
        )
    };
    let source = talk("<seg id=\"1\"> Save & print. </seg>\n<seg id=\"2\"> Thank you.\n");
    let target = talk("<seg id=\"1\"> Sichern. </seg>\n<seg id=\"2\"> Danke. </seg>\n");
    let (source, target) = (desk.file("en.xml", source), desk.file("de.xml", target));
    let corpus = desk.path("corpus");
    let import = [
        "corpus", "import", "iwslt", "--source", &source, "--target", &target, "--from", "en",
        "--to", "de", "--split", "test", "-o", &corpus,
    ];
    let output = canopy(&import);
    assert_done(&output);
    assert!(
        stdout(&output).contains("2 pairs of segments"),
        "{}",
        stdout(&output)
    );
    assert!(desk.read("corpus/test.jsonl").contains("Save & print."));
    assert_failed(&canopy(&import), &["corpus", "--force"]);
}

#[test]
fn a_model_is_described_by_its_parts() {
    for preset in ["x-transformer-small", "selective", "rnnsearch-small"] {
        let output = canopy(&["model", "describe", preset, "--json"]);
        assert_done(&output);
        let description: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let parts = description["parts"].as_array().expect("parts");
        let sum: u64 = parts
            .iter()
            .filter_map(|part| part["parameters"].as_u64())
            .sum();
        assert_eq!(Some(sum), description["parameters"].as_u64(), "{preset}");
    }
    let folder = tiny::model_folder();
    let output = canopy(&["model", "describe", &folder.path().to_string_lossy()]);
    assert_done(&output);
    assert!(stdout(&output).contains("in all"), "{}", stdout(&output));
    let unknown = canopy(&["model", "describe", "no-such-model"]);
    assert_failed(&unknown, &["no-such-model", "selective-small"]);
}

#[test]
fn a_trace_is_written_beside_the_translation() {
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let plain = stdout(&desk.translate(&[&page]));
    for name in ["page.trace", "page.json"] {
        let path = desk.path(name);
        let output = desk.translate(&[&page, "--trace", &path]);
        assert_done(&output);
        assert_eq!(stdout(&output), plain, "tracing changed the translation");
        let trace = canopy::trace::open(Path::new(&path)).expect("a trace");
        assert!(trace.num_maps() > 0);
        assert_failed(&desk.translate(&[&page, "--trace", &path]), &[name]);
    }
    let wrong = desk.path("page.xml");
    assert_failed(
        &desk.translate(&[&page, "--trace", &wrong]),
        &[".json", ".trace"],
    );
    assert_failed(
        &desk.translate(&[&page, &page, "--trace", &desk.path("two.trace")]),
        &["trace"],
    );
}

/// A page with what the rules need: articles that tell a gender, and two sentences with `it`.
fn pages(desk: &Desk) -> String {
    let source =
        "<d>\nSelect a frame.\nDelete a frame.\nOpen a frame.\nIt is moved.\nThen it is deleted.\n";
    let target = "<d>\nWählen Sie einen Rahmen.\nLöschen Sie einen Rahmen.\nÖffnen Sie einen Rahmen.\n\
        Er wird verschoben.\nDann wird er gelöscht.\n";
    let (source, target) = (desk.file("page.en", source), desk.file("page.de", target));
    let corpus = desk.path("pages");
    let import = [
        "corpus", "import", "text", "--source", &source, "--target", &target, "--from", "en",
        "--to", "de", "--split", "test", "-o", &corpus,
    ];
    assert_done(&canopy(&import));
    corpus
}

#[test]
fn a_contrastive_set_is_made_and_scored() {
    let desk = Desk::new();
    let (corpus, set) = (pages(&desk), desk.path("set.json"));
    let make = |more: &[&str]| {
        let make = ["contrast", "make", "--corpus", &corpus, "-o", &set];
        canopy(&[&make[..], more].concat())
    };
    let output = make(&[]);
    assert_done(&output);
    assert!(
        stdout(&output).starts_with("2 items in 1 documents"),
        "{}",
        stdout(&output)
    );
    assert_failed(&make(&[]), &["set.json", "--force"]);
    assert_failed(&make(&["--force", "--kind", "terms"]), &["terms", "test"]);
    let figure = desk.path("figure.svg");
    let model = desk.model.path().to_str().expect("a name").to_owned();
    let score = |set: &str, more: &[&str]| {
        let score = [
            "contrast", "score", "--device", "cpu", "--model", &model, "--set", set,
        ];
        canopy(&[&score[..], more].concat())
    };
    let output = score(&set, &["-o", &figure]);
    assert_done(&output);
    for part in [
        "by lot",
        "33.3 %",
        "all sentences before",
        " of 2",
        "by pronoun",
    ] {
        assert!(stdout(&output).contains(part), "{}", stdout(&output));
    }
    assert!(desk.read("figure.svg").starts_with("<svg"));
    assert_failed(&score(&set, &["-o", &figure]), &["figure.svg"]);
    let output = score(&set, &["--json", "--gold-target-context"]);
    assert_done(&output);
    assert!(
        stderr(&output).contains("changes nothing"),
        "{}",
        stderr(&output)
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let scores = report["models"][0]["items"][1]["log_probs"]
        .as_array()
        .expect("scores");
    assert!(scores.len() == 3 && scores.iter().all(|x| x.as_f64().is_some_and(|x| x < 0.0)));
    assert_eq!(report["models"][0]["target_context"], "none");
    assert_eq!(
        report["models"][0]["accuracies"]["total"]["accuracy"],
        Value::Null
    );
    assert_done(&make(&["--force", "--limit", "1", "--seed", "3"]));
    let drawn = desk.read("set.json");
    assert_done(&make(&["--force", "--limit", "1", "--seed", "3"]));
    assert_eq!(desk.read("set.json"), drawn);
    let broken = desk.file("broken.json", drawn.replace("\"correct\"", "\"right\""));
    assert_failed(&score(&broken, &[]), &["broken.json", "item 1", "correct"]);
}
