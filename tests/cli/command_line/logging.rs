//! `--verbose` and `CANOPY_LOG`: what the log contains, where it goes, and that there is none by default.

use std::process::{Command, Output};

use crate::command_line::desk::{Desk, PAGE, assert_done, assert_failed, stderr, stdout};

/// The program without the settings and variables of the user who runs the tests.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
    command
        .env("HOME", std::env::temp_dir().join("canopy-tests"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("CANOPY_LOG");
    command
}

/// Translates a page with the tiny model, with these arguments and directives.
fn translated(desk: &Desk, arguments: &[&str], directives: Option<&str>) -> Output {
    let page = desk.file("page.html", PAGE);
    let model = desk.model.path().to_str().expect("a name");
    let mut command = program();
    command
        .args(["translate", &page, "--model", model, "--beam", "1"])
        .args(["--device", "cpu"])
        .args(arguments);
    if let Some(directives) = directives {
        command.env("CANOPY_LOG", directives);
    }
    command.output().expect("the program runs")
}

#[track_caller]
fn assert_contains(log: &str, words: &[&str]) {
    for word in words {
        assert!(log.contains(word), "{word:?} is not in: {log}");
    }
}

#[test]
fn nothing_is_logged_unasked() {
    let output = translated(&Desk::new(), &[], None);
    assert_done(&output);
    for words in ["INFO", "WARN", "canopy_"] {
        assert!(!stderr(&output).contains(words), "{}", stderr(&output));
    }
}

#[test]
fn verbose_logs_document_model_device_and_search_on_standard_error() {
    let desk = Desk::new();
    let plain = translated(&desk, &[], None);
    let output = translated(&desk, &["--verbose"], None);
    assert_done(&output);
    assert_eq!(stdout(&output), stdout(&plain));
    let log = stderr(&output);
    let words = [
        concat!("Canopy ", env!("CARGO_PKG_VERSION")),
        "open document",
        "page.html",
        "open model",
        "chose a device",
        "it was requested",
        "packed the weights for the CPU",
        "search{",
        "write document",
        "time.busy",
    ];
    assert_contains(&log, &words);
    assert!(
        !log.contains("search batch"),
        "once tells no batches: {log}"
    );
}

#[test]
fn the_log_holds_no_text_of_the_document() {
    let output = translated(&Desk::new(), &["-vvv"], None);
    let message = stderr(&output);
    // Warnings quote the sentence that they are about.
    let log = message.lines().filter(|line| !line.starts_with("canopy: "));
    let log = log.collect::<Vec<_>>().join("\n");
    assert_contains(&log, &["search batch", "encode"]);
    for words in ["Open the", "Close the", "the window"] {
        assert!(!log.contains(words), "{log}");
    }
}

#[test]
fn the_flag_may_stand_before_the_subcommand() {
    let desk = Desk::new();
    let page = desk.file("page.txt", "Open the file.\n");
    let mut command = program();
    let output = command.args(["-v", "detect", &page]).output();
    let output = output.expect("the program runs");
    assert_done(&output);
    assert_contains(&stderr(&output), &["open document"]);
}

#[test]
fn the_variable_chooses_modules() {
    let output = translated(&Desk::new(), &[], Some("canopy_nn=debug"));
    assert_done(&output);
    let log = stderr(&output);
    assert_contains(&log, &["search batch"]);
    assert!(!log.contains("open document"), "{log}");
}

#[test]
fn a_variable_that_cannot_be_read_is_refused() {
    let output = translated(&Desk::new(), &[], Some("canopy=loud"));
    assert_failed(&output, &["CANOPY_LOG", "canopy=loud", "canopy=debug"]);
}
