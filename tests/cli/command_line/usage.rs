//! Every subcommand explains itself, wrong usage is distinguished from failure, and a missing display is no panic.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};

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
        "demo",
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
        &["translate", "--format", "exe"],
        &["translate", "--device", "tpu"],
        &["demo"],
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
        &[
            "train",
            "--run",
            "somewhere",
            "--corpus",
            "c",
            "--preset",
            "huge",
        ],
        &["evaluate"],
        &["corpus"],
        &["corpus", "vocabulary"],
        &["corpus", "import", "iwslt", "--source", "en.xml"],
        &["corpus", "select-context", "--corpus", "c", "-o", "o"],
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
        &["translate", "one.txt", "two.txt", "-o", "three.txt"],
        &["explain", "a.trace", "--width", "10"],
        &["run", "plot", "run", "-o", "a.svg", "--height", "9000"],
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
fn what_needs_no_window_wakes_no_window_system() {
    let desk = Desk::new();
    let text = desk.file("page.txt", "Open the file.\n");
    let model = desk.model.path().to_str().expect("a name");
    let translate = ["translate", "--model", model, "--device"];
    for arguments in [
        &["score", "-r", &text, &text][..],
        &[&translate[..], &["cpu"]].concat(),
        // A real GPU is looked for.
        &[&translate[..], &["auto"]].concat(),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        for variable in ["XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY"] {
            command.env_remove(variable);
        }
        let output = command.args(arguments).stdin(Stdio::null()).output();
        let output = output.expect("the program ends");
        assert_done(&output);
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}
