//! The program from outside: runs it on a desk of documents with the tiny model.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::tiny;

pub const PAGE: &str = "<p>Open the <b>file</b>. Close the window.</p>\n";

pub fn canopy(arguments: &[&str]) -> Output {
    canopy_with(arguments, "")
}

/// Runs the program with a text on standard input; it must not panic, whatever happens.
pub fn canopy_with(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
    // What the window remembers of runs is not for those of tests.
    command
        .env("HOME", std::env::temp_dir().join("canopy-tests"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("CANOPY_LOG")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that refuses its arguments reads nothing.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    assert!(
        !stderr(&output).contains("panicked"),
        "{arguments:?}: {}",
        stderr(&output)
    );
    output
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
pub fn assert_done(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
}

/// Failed with exit code 1, a message with all of `words`, and nothing on standard output.
#[track_caller]
pub fn assert_failed(output: &Output, words: &[&str]) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.starts_with("canopy: "), "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in: {message}");
    }
    assert_eq!(stdout(output), "");
}

/// A folder with the tiny model and room for documents.
pub struct Desk {
    pub model: TempDir,
    pub folder: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Self {
            model: tiny::model_folder(),
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn path(&self, name: &str) -> String {
        self.folder
            .path()
            .join(name)
            .to_str()
            .expect("a name")
            .to_owned()
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(Path::new(&path).parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("writes");
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("readable")
    }

    /// Names of all that lies here.
    pub fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        };
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .expect("a folder")
            .map(name)
            .collect();
        names.sort();
        names
    }

    pub fn translate(&self, arguments: &[&str]) -> Output {
        self.translate_text(arguments, "")
    }

    pub fn translate_text(&self, arguments: &[&str], input: &str) -> Output {
        let model = self.model.path().to_str().expect("a name");
        canopy_with(
            &[
                &[
                    "translate",
                    "--device",
                    "cpu",
                    "--beam",
                    "1",
                    "--model",
                    model,
                ],
                arguments,
            ]
            .concat(),
            input,
        )
    }
}
