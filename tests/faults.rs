//! A disk that fails at any step of a save leaves the old state or the new one, whole; and the next save works.

mod tiny;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use canopy::app::{Settings, Theme};
use canopy::contrastive::{self, Contrast, ContrastiveSet, Item, SetDocument, SetSentence};
use canopy::corpus::{
    Chosen, ContextsInfo, Corpus, CorpusInfo, CorpusWriter, DocumentContexts, Split, Unit,
    read_contexts, write_contexts,
};
use canopy::error::Result;
use canopy::jobs::{Project, SavedTarget, State};
use canopy::judgement::{FORMAT, JudgedDocument, Judgement};
use canopy::memory::TranslationMemory;
use canopy::terms::{Term, Termbase};
use canopy::text::disk;
use canopy::text::file::write_atomically;
use canopy::weights::{ModelFolder, Precision};
use tempfile::TempDir;

/// Saves one of two states, over the other one if it is there.
type Save = fn(&Path, bool) -> Result<()>;
/// Whether the second state is there, or the first; none if neither is, whole.
type Read = fn(&Path) -> Option<bool>;

/// Lets every step of a save fail, one after the other.
#[track_caller]
fn assert_survives(save: Save, read: Read) {
    // The steps of the whole process are counted.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
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
        assert!(saved.is_err(), "step {steps} failed, and nobody was told");
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
        write_atomically(folder.join("a.docx"), text.as_bytes(), true)
    };
    assert_survives(save, |folder| match fs::read(folder.join("a.docx")) {
        Ok(bytes) if bytes == b"first".repeat(1_000) => Some(false),
        Ok(bytes) if bytes == b"second".repeat(1_000) => Some(true),
        _ => None,
    });
}

#[test]
fn projects() {
    let save: Save = |folder, second| {
        let target = |index| SavedTarget {
            index,
            source: "0123".to_owned(),
            text: "Eins.".to_owned(),
            state: State::Edited,
            flags: Vec::new(),
            model: None,
            confidence: None,
            history: Vec::new(),
        };
        let targets = (0..if second { 200 } else { 1 }).map(target).collect();
        let path = folder.join("p.json");
        let project = Project::new("a.html".into(), "c".to_owned(), targets);
        write_atomically(&path, &project.to_bytes(&path)?, true)
    };
    assert_survives(save, |folder| {
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
        write_atomically(folder.join("s.json"), &settings.to_bytes(), true)
    };
    assert_survives(save, |folder| {
        Some(Settings::read(&folder.join("s.json")).theme == Theme::Dark)
    });
}

#[test]
fn memories() {
    let save: Save = |folder, second| {
        let pairs =
            (0..if second { 50 } else { 1 }).map(|it| (format!("one {it}"), "eins".to_owned()));
        TranslationMemory::new(pairs).save(&folder.join("m.tsv.gz"))
    };
    assert_survives(save, |folder| {
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
        base.save(&folder.join("t.tbx"), true)
    };
    assert_survives(save, |folder| {
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
        judgement.save(&folder.join("j.json"), true)
    };
    assert_survives(save, |folder| {
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
        write_contexts(
            &folder.join("c.jsonl"),
            &ContextsInfo::default(),
            &documents,
            true,
        )
    };
    assert_survives(save, |folder| {
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
        set.save(&folder.join("s.json"), true)
    };
    assert_survives(save, |folder| {
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
        description.save(
            &folder.join("m"),
            &model,
            &tiny::vocabulary(),
            Precision::Full,
        )
    };
    assert_survives(save, |folder| {
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
        writer.finish().map(drop)
    };
    assert_survives(save, |folder| {
        let corpus = Corpus::open(folder.join("c")).ok()?;
        let documents = corpus
            .documents(Split::Train)
            .ok()?
            .collect::<Result<Vec<_>>>();
        let name = corpus.info().name.clone();
        (documents.ok()?.len() == 6).then_some(name == "second")
    });
}
