//! A disk that fails at any step of a save leaves the old state or the new one, whole; and the next save works.
//!
//! Steps fail in a whole process: each test has one of its own.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use canopy::app::{Settings, Theme};
use canopy::cli::error::Result;
use canopy::contrastive::{self, Contrast, ContrastiveSet, Item, SetDocument, SetSentence};
use canopy::corpus::{
    Chosen, ContextsInfo, Corpus, CorpusInfo, CorpusWriter, DocumentContexts, Split, Unit,
    read_contexts, write_contexts,
};
use canopy::jobs::project::source_hash;
use canopy::jobs::{DocumentWork, Project, SavedTarget, State};
use canopy::judgement::{FORMAT, JudgedDocument, Judgement};
use canopy::memory::TranslationMemory;
use canopy::results::{RunResults, Translations};
use canopy::terms::{Term, Termbase};
use canopy::text::disk;
use canopy::text::file::write_atomically;
use canopy::training::{Control, TrainingConfig, known_runs, remember_run, train};
use canopy::weights::{ModelFolder, Precision};
use tempfile::TempDir;

use crate::support::alone::{alone, is_alone, passed, process};
use crate::support::tiny;

/// Saves one of two states, over the other one if it is there.
type Save = fn(&Path, bool) -> Result<()>;
/// Whether the second state is there, or the first; none if neither is, whole.
type Read = fn(&Path) -> Option<bool>;

/// Lets every step of a save fail, one after the other, in the process of this test.
#[track_caller]
fn assert_survives(test: &str, save: Save, read: Read) {
    alone(&format!("faults::{test}"), || fail_each_step(save, read));
}

fn fail_each_step(save: Save, read: Read) {
    let mut steps = 0;
    loop {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path();
        save(path, false).expect("the first state");
        assert_eq!(read(path), Some(false));
        let names = names(path);
        disk::fail_after(steps);
        let saved = save(path, true);
        if !disk::has_failed() {
            saved.expect("nothing failed");
            assert_eq!(read(path), Some(true));
            break;
        }
        assert!(saved.is_err(), "step {steps} failed, without an error");
        assert!(read(path).is_some(), "step {steps}: neither state is whole");
        let left: Vec<String> = self::names(path)
            .into_iter()
            .filter(|it| !names.contains(it))
            .collect();
        assert!(
            left.is_empty() || read(path) == Some(true),
            "step {steps} leaves {left:?}"
        );
        save(path, true).expect("nothing fails any more");
        assert_eq!(read(path), Some(true));
        steps += 1;
    }
    assert!(steps > 2, "only {steps} steps could fail");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[test]
fn files() {
    let save: Save = |folder, second| {
        let text = if second { "second" } else { "first" }.repeat(1_000);
        Ok(write_atomically(
            folder.join("a.docx"),
            text.as_bytes(),
            true,
        )?)
    };
    assert_survives("files", save, |folder| {
        match fs::read(folder.join("a.docx")) {
            Ok(bytes) if bytes == b"first".repeat(1_000) => Some(false),
            Ok(bytes) if bytes == b"second".repeat(1_000) => Some(true),
            _ => None,
        }
    });
}

#[test]
fn projects() {
    let save: Save = |folder, second| {
        let target = |index| SavedTarget::by_hand(index, "0123".to_owned(), "Eins.", State::Edited);
        let targets = (0..if second { 200 } else { 1 }).map(target).collect();
        let path = folder.join("p.json");
        let project = Project::new("a.html".into(), "c".to_owned(), targets);
        Ok(write_atomically(&path, &project.to_bytes(&path)?, true)?)
    };
    assert_survives("projects", save, |folder| {
        let project = Project::read(&folder.join("p.json")).ok()??;
        Some(project.targets.len() == 200)
    });
}

#[test]
fn settings() {
    let save: Save = |folder, second| {
        let settings = Settings {
            theme: if second { Theme::Dark } else { Theme::Light },
            ..Settings::default()
        };
        Ok(write_atomically(
            folder.join("s.json"),
            &settings.to_bytes(),
            true,
        )?)
    };
    assert_survives("settings", save, |folder| {
        Some(Settings::read(&folder.join("s.json")).theme == Theme::Dark)
    });
}

#[test]
fn memories() {
    let save: Save = |folder, second| {
        let pairs =
            (0..if second { 50 } else { 1 }).map(|it| (format!("one {it}"), "eins".to_owned()));
        Ok(TranslationMemory::new(pairs).save(&folder.join("m.tsv.gz"))?)
    };
    assert_survives("memories", save, |folder| {
        let memory = TranslationMemory::open(&folder.join("m.tsv.gz")).ok()?;
        Some(memory.len() == 50)
    });
}

#[test]
fn termbases() {
    let save: Save = |folder, second| {
        let mut base = Termbase::empty("en", "de");
        base.add(Term::new("cell", "Zelle"));
        if second {
            base.add(Term::new("row", "Zeile"));
        }
        Ok(base.save(&folder.join("t.tbx"), true)?)
    };
    assert_survives("termbases", save, |folder| {
        let base = Termbase::read(&folder.join("t.tbx"), "en", "de").ok()?;
        Some(base.len() == 2)
    });
}

#[test]
fn judgements() {
    let save: Save = |folder, second| {
        let judgement = Judgement {
            format: FORMAT.to_owned(),
            systems: ["one".to_owned(), "other".to_owned()],
            seed: 1,
            documents: vec![JudgedDocument::default(); if second { 9 } else { 1 }],
        };
        Ok(judgement.save(&folder.join("j.json"), true)?)
    };
    assert_survives("judgements", save, |folder| {
        let judgement = Judgement::open(&folder.join("j.json")).ok()?;
        Some(judgement.documents.len() == 9)
    });
}

#[test]
fn contexts() {
    let save: Save = |folder, second| {
        let chosen = Chosen {
            document: None,
            in_index: false,
            sentence: 0,
            score: None,
        };
        let document = DocumentContexts {
            split: Split::Test,
            id: "a".to_owned(),
            sentences: vec![vec![chosen]],
        };
        let documents = vec![document; if second { 9 } else { 1 }];
        Ok(write_contexts(
            &folder.join("c.jsonl"),
            &ContextsInfo::default(),
            &documents,
            true,
        )?)
    };
    assert_survives("contexts", save, |folder| {
        let (_, documents) = read_contexts(&folder.join("c.jsonl")).ok()?;
        Some(documents.len() == 9)
    });
}

#[test]
fn contrastive_sets() {
    let save: Save = |folder, second| {
        let sentence = SetSentence {
            source: "It.".to_owned(),
            reference: Some("Sie.".to_owned()),
            place: (0, 0),
        };
        let document = SetDocument {
            id: "a".to_owned(),
            sentences: vec![sentence],
        };
        let item = Item {
            id: "a#0".to_owned(),
            correct: "Sie.".to_owned(),
            contrasts: vec![Contrast {
                text: "Er.".to_owned(),
                replacement: None,
            }],
            ..Item::default()
        };
        let set = ContrastiveSet {
            name: if second { "second" } else { "first" }.to_owned(),
            about: String::new(),
            documents: vec![document],
            items: vec![item],
            needs_target_context: false,
        };
        Ok(set.save(&folder.join("s.json"), true)?)
    };
    assert_survives("contrastive_sets", save, |folder| {
        let set = contrastive::open(&folder.join("s.json"), None).ok()?;
        Some(set.name == "second")
    });
}

#[test]
fn models() {
    let save: Save = |folder, second| {
        let mut description = tiny::description();
        description.name = if second { "second" } else { "first" }.to_owned();
        let model = tiny::talkative_model(if second { 2 } else { 1 });
        let place = folder.join("m");
        Ok(description.save(&place, &model, &tiny::vocabulary(), Precision::Full)?)
    };
    assert_survives("models", save, |folder| {
        let folder = folder.join("m");
        let description = ModelFolder::open(&folder).ok()?;
        let (model, _) = description.load(&folder, &tiny::device()).ok()?;
        // The weights are those of the description.
        let tensors = canopy::weights::module_tensors(&model);
        let is = |seed| canopy::weights::module_tensors(&tiny::talkative_model(seed)) == tensors;
        match description.name.as_str() {
            "second" if is(2) => Some(true),
            "first" if is(1) => Some(false),
            _ => None,
        }
    });
}

#[test]
fn corpora() {
    let save: Save = |folder, second| {
        let info = CorpusInfo {
            name: if second { "second" } else { "first" }.to_owned(),
            source_language: "en".to_owned(),
            target_language: "de".to_owned(),
            origin: "made in a test".to_owned(),
            licence: "CC0-1.0".to_owned(),
        };
        let mut writer = CorpusWriter::create(folder.join("c"), info, true)?;
        for number in 0..6 {
            let units = tiny::pairs()
                .into_iter()
                .map(|(source, target)| Unit::new(source, target));
            writer.add(
                Split::Train,
                tiny::document(&number.to_string(), units.collect()),
            )?;
        }
        writer.finish()?;
        Ok(())
    };
    assert_survives("corpora", save, |folder| {
        let corpus = Corpus::open(folder.join("c")).ok()?;
        let documents = corpus
            .documents(Split::Train)
            .ok()?
            .collect::<Result<Vec<_>, _>>();
        let name = corpus.info().name.clone();
        (documents.ok()?.len() == 6).then_some(name == "second")
    });
}

#[test]
fn results() {
    let save: Save = |folder, second| {
        let hypotheses = vec!["Eins.".to_owned(); if second { 200 } else { 1 }];
        let translations = Translations {
            hypotheses,
            ..Translations::default()
        };
        let results = RunResults {
            translations: [("test-beam-4".to_owned(), translations)].into(),
            ..RunResults::default()
        };
        Ok(results.save(&folder.join("results.json"))?)
    };
    assert_survives("results", save, |folder| {
        let results = RunResults::read(&folder.join("results.json")).ok()?;
        let translations = results.translations.get("test-beam-4")?;
        Some(translations.hypotheses.len() == 200)
    });
}

#[test]
fn lists_of_runs() {
    let save: Save = |folder, second| {
        for name in ["first", "second"] {
            fs::create_dir_all(folder.join(name)).expect("a folder");
            fs::write(folder.join(name).join("config.toml"), "").expect("written");
        }
        let name = if second { "second" } else { "first" };
        Ok(remember_run(&folder.join("home"), &folder.join(name))?)
    };
    assert_survives("lists_of_runs", save, |folder| {
        let known = known_runs(&folder.join("home"));
        let has = |name: &str| known.contains(&folder.join(name));
        has("first").then(|| has("second"))
    });
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copied(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copied");
        }
    }
}

/// Steps of two checkpoints and the best model fail, one after the other; the run then goes on to the same weights. Every
/// seventh step, or each that `CANOPY_STRIDE` says.
#[test]
fn checkpoints() {
    alone("faults::checkpoints", fail_steps_of_a_training);
}

fn fail_steps_of_a_training() {
    let place = TempDir::new().expect("a folder");
    tiny::corpus(&place.path().join("corpus"));
    let config = |steps| TrainingConfig {
        corpus: place.path().join("corpus"),
        vocab_size: tiny::VOCAB,
        batch_tokens: 120,
        checkpoint_every: 1,
        keep_checkpoints: 1,
        validate_every: 2,
        steps,
        ..TrainingConfig::default()
    };
    let trained = |steps, run: &Path, resume| {
        let control = Control::default();
        train(
            &config(steps),
            run,
            resume,
            &tiny::device(),
            "CPU",
            &control,
            &mut |_| (),
        )
    };
    let weights =
        |run: &Path| fs::read(run.join("checkpoints/last/weights.safetensors")).expect("whole");
    let begun = place.path().join("begun");
    trained(1, &begun, false).expect("one step");
    let whole = place.path().join("whole");
    copied(&begun, &whole);
    trained(3, &whole, true).expect("three steps");
    let stride = env::var("CANOPY_STRIDE").map_or(7, |it| it.parse().expect("a number"));
    let mut steps = 0;
    loop {
        let run = place.path().join("run");
        copied(&begun, &run);
        disk::fail_after(steps);
        let ended = trained(3, &run, true);
        if !disk::has_failed() {
            ended.expect("nothing failed");
            break;
        }
        trained(3, &run, true).expect("nothing fails any more");
        assert!(
            weights(&run) == weights(&whole),
            "step {steps} failed, and the weights differ"
        );
        fs::remove_dir_all(&run).expect("removes");
        steps += stride;
    }
    println!("{steps} steps of a training can fail");
    assert!(steps > 20, "only {steps} steps could fail");
}

fn edited(work: &DocumentWork, length: usize) -> Project {
    let sentence = &work.document.sentences[0];
    let target = SavedTarget::by_hand(
        0,
        source_hash(&sentence.text),
        "a".repeat(length),
        State::Edited,
    );
    Project {
        targets: vec![target],
        ..Project::new(work.path.clone(), String::new(), Vec::new())
    }
}

fn length(work: &DocumentWork) -> Option<usize> {
    Some(work.project.as_ref()?.targets.first()?.text.len())
}

/// The folder of our data is gone, then the document's.
#[test]
fn folders_that_vanish() {
    let place = TempDir::new().expect("a folder");
    let (data, documents) = (place.path().join("data"), place.path().join("documents"));
    fs::create_dir(&documents).expect("a folder");
    let document = documents.join("page.txt");
    fs::write(&document, "Print the page.\n").expect("written");
    let mut work = DocumentWork::write(&data, &document).expect("opens");
    work.save(edited(&work, 3)).expect("saved");
    fs::remove_dir_all(&data).expect("removed");
    work.save(edited(&work, 5)).expect("saved anew");
    drop(work);
    let mut work = DocumentWork::write(&data, &document).expect("opens");
    assert_eq!(length(&work), Some(5));
    // A file in the place of the folder: nothing can be written, and that is reported.
    fs::remove_dir_all(data.join("projects")).expect("removed");
    fs::write(data.join("projects"), "").expect("written");
    let error = work.save(edited(&work, 7)).expect_err("no folder");
    assert!(error.to_string().contains("projects"), "{error}");
    fs::remove_file(data.join("projects")).expect("removed");
    fs::remove_dir_all(&documents).expect("removed");
    work.save(edited(&work, 9))
        .expect("the work needs no document");
    let error = DocumentWork::read(&data, &document).expect_err("it is gone");
    assert!(error.to_string().contains("page.txt"), "{error}");
    fs::create_dir(&documents).expect("a folder");
    fs::write(&document, "Print the page.\n").expect("written");
    drop(work);
    assert_eq!(
        length(&DocumentWork::read(&data, &document).expect("opens")),
        Some(9)
    );
}

fn edit_until_the_disk_is_full(folder: &Path) {
    let document = folder.join("page.txt");
    fs::write(&document, "Print the page.\n").expect("written");
    let data = folder.join("data");
    let mut work = DocumentWork::write(&data, &document).expect("opens");
    let mut saved = 0;
    let error = (1..100).find_map(|round| {
        let failed = work.save(edited(&work, round * 10_000)).err();
        saved = if failed.is_none() { round } else { saved };
        failed
    });
    let error = error.expect("it is full").to_string();
    assert!(error.contains("space") && saved > 2, "{error}");
    drop(work);
    let mut work = DocumentWork::write(&data, &document).expect("opens");
    assert_eq!(
        length(&work),
        Some(saved * 10_000),
        "the last save is whole"
    );
    let names = names(&data.join("projects"));
    assert!(names.iter().all(|name| !name.contains("tmp")), "{names:?}");
    work.save(edited(&work, 10))
        .expect("there is room for less");
    println!("{saved} saves, then: {error}");
}

/// Where a user may mount: on Linux in a name space of its own.
#[test]
#[cfg_attr(
    not(may_mount_apart),
    ignore = "needs the right to mount in a name space"
)]
fn a_full_disk() {
    let name = "faults::a_full_disk";
    if is_alone(name) {
        let folder = env::var_os("CANOPY_FULL_DISK").expect("the folder of a small disk");
        return edit_until_the_disk_is_full(Path::new(&folder));
    }
    let place = TempDir::new().expect("a folder");
    let editor = process(name);
    let script = r#"mount -t tmpfs -o size=512k none "$CANOPY_FULL_DISK" && exec "$@""#;
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]);
    command.arg(editor.get_program()).args(editor.get_args());
    let variables = editor
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command
        .envs(variables)
        .env("CANOPY_FULL_DISK", place.path());
    let text = passed(command);
    assert!(text.contains("saves, then"), "{text}");
}
