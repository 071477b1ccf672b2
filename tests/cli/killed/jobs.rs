//! Translating, editing, and importing corpora and memories, killed at any moment: nothing is half there, and what is begun
//! again ends as if nothing had happened.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use canopy::jobs::project::source_hash;
use canopy::jobs::{DocumentWork, Project, SavedTarget, State};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::killed::tiny;
use crate::support::alone::{is_alone, process};

fn kills() -> usize {
    env::var("CANOPY_KILLS").map_or(3, |kills| kills.parse().expect("a number"))
}

/// Files by their paths in a folder, without what a batch keeps of when it ran.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().contains(".canopy") {
                let name = path.strip_prefix(folder).expect("below").to_owned();
                found.insert(name, fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

/// A job of the program that is begun anew in a folder of its own.
struct Job {
    /// Its inputs.
    desk: TempDir,
    /// Its arguments, of which `OUT` is the folder that it writes.
    arguments: Vec<String>,
}

impl Job {
    fn new(arguments: &[&str], lay_out: impl FnOnce(&Path)) -> Self {
        let desk = TempDir::new().expect("a folder");
        lay_out(desk.path());
        Self {
            arguments: arguments.iter().map(|&it| it.to_owned()).collect(),
            desk,
        }
    }

    fn start(&self, out: &Path) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        let arguments = self.arguments.iter();
        command.args(arguments.map(|it| it.replace("OUT", out.to_str().expect("UTF-8"))));
        command
            .current_dir(self.desk.path())
            .env("HOME", self.desk.path())
            .env_remove("XDG_DATA_HOME")
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    fn finish(&self, out: &Path) {
        let output = self.start(out).wait_with_output().expect("it ends");
        let output_text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{output_text}");
    }

    /// Kills it at random moments, and begins it again; `check` sees what a kill has left.
    fn survives(&self, check: impl Fn(&BTreeMap<PathBuf, Vec<u8>>, &BTreeMap<PathBuf, Vec<u8>>)) {
        // The folder gives a corpus its name.
        let place = |name: &str| {
            let folder = self.desk.path().join(name);
            fs::create_dir_all(&folder).expect("a folder");
            folder.join("out")
        };
        let whole = place("whole");
        let begun = Instant::now();
        self.finish(&whole);
        let whole_secs = begun.elapsed().as_secs_f64();
        let whole = files(&whole);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut alive = 0;
        for number in 0..kills() {
            let out = place(&format!("killed-{number}"));
            let secs = rng.random_range(0.0..whole_secs);
            let mut child = self.start(&out);
            sleep(Duration::from_secs_f64(secs));
            alive += usize::from(child.try_wait().expect("a process").is_none());
            child.kill().expect("it was running or has ended");
            child.wait().expect("it ends");
            if out.exists() {
                check(&files(&out), &whole);
            }
            self.finish(&out);
            let again = files(&out);
            for (path, bytes) in &whole {
                let is_same = again.get(path) == Some(bytes);
                let path = path.display();
                assert!(is_same, "killed after {secs:.3} s, {path} differs");
            }
            fs::remove_dir_all(&out).expect("removes");
        }
        eprintln!("{} kills, {alive} of them before its end", kills());
    }
}

/// No part of these files is there.
fn none_in_part(left: &BTreeMap<PathBuf, Vec<u8>>, whole: &BTreeMap<PathBuf, Vec<u8>>) {
    for (path, bytes) in left {
        let is_temporary = path
            .iter()
            .any(|part| part.to_string_lossy().starts_with('.'));
        let is_whole = whole.get(path).is_none_or(|whole| whole == bytes);
        let path = path.display();
        assert!(is_temporary || is_whole, "{path} is there in part");
    }
}

#[test]
fn translations_of_a_folder() {
    let model = tiny::model_folder();
    let arguments = [
        "translate",
        "in",
        "-o",
        "OUT",
        "--model",
        model.path().to_str().expect("UTF-8"),
        "--device",
        "cpu",
    ];
    let job = Job::new(&arguments, |desk| {
        fs::create_dir(desk.join("in")).expect("a folder");
        for number in 0..12 {
            let page = "<p>Open the <b>file</b>. Close the window.</p>\n".repeat(10 + number);
            fs::write(desk.join(format!("in/{number}.html")), page).expect("written");
        }
    });
    let is_page = |path: &Path| path.extension().is_some_and(|ending| ending == "html");
    job.survives(|left, whole| {
        let mut left = left.clone();
        left.retain(|path, _| is_page(path));
        none_in_part(&left, whole);
    });
}

#[test]
fn corpora_of_folders() {
    let job = Job::new(
        &[
            "corpus", "import", "folders", "--source", "en", "--target", "de", "--from", "en",
            "--to", "de", "-o", "OUT", "--force",
        ],
        |desk| {
            for language in ["en", "de"] {
                fs::create_dir(desk.join(language)).expect("a folder");
                for number in 0..40 {
                    let line = |line: usize| format!("Page {number} has {line} lines in it.\n\n");
                    let text: String = (0..60).map(line).collect();
                    let path = desk.join(format!("{language}/{number}.txt"));
                    fs::write(path, text).expect("written");
                }
            }
        },
    );
    job.survives(none_in_part);
}

#[test]
fn memories() {
    let job = Job::new(
        &[
            "corpus",
            "import",
            "tmx",
            "memory.tmx",
            "--from",
            "en",
            "--to",
            "de",
            "-o",
            "OUT",
            "--force",
        ],
        |desk| {
            let unit = |number: usize| {
                format!(
                    "<tu><tuv xml:lang=\"en\"><seg>Sentence number {number}.</seg></tuv>\
                     <tuv xml:lang=\"de\"><seg>Satz Nummer {number}.</seg></tuv></tu>\n"
                )
            };
            let units: String = (0..4_000).map(unit).collect();
            let tmx =
                format!("<tmx version=\"1.4\"><header srclang=\"en\"/><body>{units}</body></tmx>");
            fs::write(desk.join("memory.tmx"), tmx).expect("written");
        },
    );
    job.survives(none_in_part);
}

const SENTENCES: usize = 400;

fn edits(work: &DocumentWork, round: usize) -> Project {
    let sentences = work.document.sentences.iter().enumerate();
    let target = |(index, sentence): (usize, &canopy::text::document::Sentence)| {
        SavedTarget::by_hand(
            index,
            source_hash(&sentence.text),
            format!("Bearbeitung {round}"),
            State::Edited,
        )
    };
    let targets = sentences.map(target).collect();
    Project {
        targets,
        ..Project::new(work.path.clone(), String::new(), vec![])
    }
}

/// Edits a document forever, and prints the number of each save.
fn edit_for_ever(folder: &Path) {
    let mut work = DocumentWork::write(&folder.join("data"), &folder.join("page.txt"));
    let work = work.as_mut().expect("nobody else has it open");
    for round in 1.. {
        work.save(edits(work, round)).expect("saved");
        println!("saved {round}");
    }
}

#[test]
fn edits_of_a_document() {
    let name = "killed::jobs::edits_of_a_document";
    if is_alone(name) {
        let folder = env::var_os("CANOPY_EDITED").expect("the folder of a document");
        return edit_for_ever(Path::new(&folder));
    }
    let folder = TempDir::new().expect("a folder");
    let page = (0..SENTENCES).map(|number| format!("This is sentence {number}.\n\n"));
    fs::write(folder.path().join("page.txt"), page.collect::<String>()).expect("written");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..kills() {
        let mut command = process(name);
        command
            .env("CANOPY_EDITED", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let output_text = BufReader::new(child.stdout.take().expect("piped"));
        let mut saved = output_text
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| line.rsplit_once("saved ")?.1.parse::<usize>().ok());
        let first = saved.next().expect("a save");
        sleep(Duration::from_millis(rng.random_range(0..400)));
        child.kill().expect("it runs for ever");
        child.wait().expect("it ends");
        let last = saved.last().unwrap_or(first);
        let work =
            DocumentWork::write(&folder.path().join("data"), &folder.path().join("page.txt"));
        let work = work.expect("what was saved can be read, and nobody holds it");
        let project = work.project.expect("the work is there");
        assert_eq!(project.targets.len(), SENTENCES);
        let text = &project.targets[0].text;
        assert!(
            project.targets.iter().all(|target| target.text == *text),
            "two saves are mixed"
        );
        let round = text
            .strip_prefix("Bearbeitung ")
            .and_then(|it| it.parse::<usize>().ok());
        assert!(
            round >= Some(last),
            "{round:?} is there, though {last} was saved"
        );
    }
}
