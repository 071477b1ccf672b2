use std::cell::RefCell;

use super::*;

struct Folders {
    home: tempfile::TempDir,
}

impl Folders {
    fn with(names: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        for name in names {
            let path = home.path().join("in").join(name);
            fs::create_dir_all(path.parent().expect("below")).expect("a folder");
            fs::write(path, name).expect("a file");
        }
        Self { home }
    }

    fn source(&self, name: &str) -> PathBuf {
        self.home.path().join("in").join(name)
    }

    fn output(&self, name: &str) -> PathBuf {
        self.home.path().join("out").join(name)
    }

    fn batch(&self) -> Batch {
        let out = self.home.path().join("out");
        let files = files_below(&self.home.path().join("in"), &out).expect("read");
        let documents = files
            .into_iter()
            .map(|(source, output)| BatchDocument { source, output })
            .collect();
        Batch::new(documents, out).expect("places")
    }

    /// Runs the batch; the outcomes by document, and how often something was translated.
    fn run(&self, options: &BatchOptions) -> (Vec<(String, Outcome)>, usize) {
        let translated = RefCell::new(0);
        let mut outcomes = Vec::new();
        let done = self.batch().run(
            options,
            &mut |document| {
                *translated.borrow_mut() += 1;
                let text = fs::read_to_string(&document.source).map_err(Error::read("source"))?;
                if text.contains("bad") {
                    return Err(Error::Base(BaseError::Read {
                        path: document.source.clone(),
                        cause: std::io::ErrorKind::InvalidData.into(),
                    }));
                }
                Ok(text.to_uppercase().into_bytes())
            },
            &mut |document, outcome| {
                outcomes.push((document.output.to_string_lossy().into_owned(), outcome));
                Ok(())
            },
        );
        done.expect("run");
        (outcomes, translated.into_inner())
    }
}

fn options() -> BatchOptions {
    BatchOptions {
        settings: "model".to_owned(),
        lease: Duration::from_mins(1),
        waits: true,
        force: false,
    }
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(path).expect("there")
}

#[test]
fn a_batch_is_done_once() {
    let folders = Folders::with(&["a.txt", "sub/b.txt", ".hidden/c.txt"]);
    let (outcomes, translated) = folders.run(&options());
    assert_eq!(translated, 2);
    assert!(
        outcomes
            .iter()
            .all(|(_, outcome)| *outcome == Outcome::Translated)
    );
    assert_eq!(read(folders.output("sub/b.txt")), "SUB/B.TXT");
    let (outcomes, translated) = folders.run(&options());
    assert_eq!(translated, 0);
    assert!(
        outcomes
            .iter()
            .all(|(_, outcome)| *outcome == Outcome::Unchanged)
    );
}

#[test]
fn what_has_changed_is_translated_again() {
    let folders = Folders::with(&["a.txt", "b.txt"]);
    folders.run(&options());
    fs::write(folders.source("a.txt"), "new").expect("written");
    assert_eq!(folders.run(&options()).1, 1);
    assert_eq!(read(folders.output("a.txt")), "NEW");
    fs::remove_file(folders.output("b.txt")).expect("removed");
    assert_eq!(folders.run(&options()).1, 1);
    let other = BatchOptions {
        settings: "another model".to_owned(),
        ..options()
    };
    assert_eq!(folders.run(&other).1, 2);
}

#[test]
fn files_of_others_and_edited_translations_stay() {
    let folders = Folders::with(&["a.txt", "b.txt"]);
    fs::create_dir_all(folders.output("")).expect("a folder");
    fs::write(folders.output("a.txt"), "mine").expect("written");
    let (outcomes, translated) = folders.run(&options());
    assert!(matches!(outcomes[0].1, Outcome::Failed { .. }));
    assert_eq!(translated, 1, "nothing is translated in vain");
    fs::write(folders.output("b.txt"), "edited").expect("written");
    fs::write(folders.source("b.txt"), "new").expect("written");
    let (outcomes, _) = folders.run(&options());
    assert!(
        outcomes
            .iter()
            .all(|(_, it)| matches!(it, Outcome::Failed { .. }))
    );
    assert_eq!(read(folders.output("a.txt")), "mine");
    assert_eq!(read(folders.output("b.txt")), "edited");
    let force = BatchOptions {
        force: true,
        ..options()
    };
    folders.run(&force);
    assert_eq!(read(folders.output("b.txt")), "NEW");
}

#[test]
fn a_failure_is_tried_again_and_keeps_nothing_from_being_done() {
    let folders = Folders::with(&["a.txt", "bad.txt", "c.txt"]);
    let (outcomes, _) = folders.run(&options());
    assert!(matches!(outcomes[1].1, Outcome::Failed { .. }));
    assert_eq!(read(folders.output("c.txt")), "C.TXT");
    assert!(!folders.output("bad.txt").exists());
    fs::write(folders.source("bad.txt"), "good").expect("written");
    let (_, translated) = folders.run(&options());
    assert_eq!(translated, 1);
    // A translation that fails later leaves the earlier one, which is replaced when it succeeds.
    fs::write(folders.source("bad.txt"), "bad").expect("written");
    folders.run(&options());
    assert_eq!(read(folders.output("bad.txt")), "GOOD");
    fs::write(folders.source("bad.txt"), "better").expect("written");
    folders.run(&options());
    assert_eq!(read(folders.output("bad.txt")), "BETTER");
}

#[test]
fn a_process_killed_while_it_writes_leaves_what_another_finishes() {
    let folders = Folders::with(&["a.txt"]);
    folders.run(&options());
    let state = folders.output(STATE_FOLDER);
    let path = state.join(format!("{}.json", key(Path::new("a.txt"))));
    let mut record = Record::read(&path).expect("read").expect("there");
    // Killed after the record of a new translation, before that was there.
    fs::write(folders.source("a.txt"), "new").expect("written");
    record.stage = Stage::Writing;
    record.source_sha256 = digest_of(&folders.source("a.txt")).expect("read");
    record.replaced_sha256 = record.output_sha256.replace("of the new one".to_owned());
    record.write(&path).expect("written");
    let (outcomes, _) = folders.run(&options());
    assert_eq!(outcomes[0].1, Outcome::Translated);
    assert_eq!(read(folders.output("a.txt")), "NEW");
    // Killed after the translation was there, before the record said so.
    let mut record = Record::read(&path).expect("read").expect("there");
    record.stage = Stage::Writing;
    record.write(&path).expect("written");
    assert_eq!(folders.run(&options()).1, 0);
}

#[test]
fn many_at_once_do_every_document_once() {
    let names: Vec<String> = (0..60).map(|number| format!("{number}.txt")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folders = Folders::with(&names);
    let counts: Vec<usize> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| folders.run(&options()).1))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("done"))
            .collect()
    });
    assert_eq!(counts.iter().sum::<usize>(), 60, "{counts:?}");
    assert!(
        names
            .iter()
            .all(|name| read(folders.output(name)) == name.to_uppercase())
    );
}

#[test]
fn shards_share_all_documents() {
    assert_eq!(
        Shard::parse("3/16"),
        Ok(Shard {
            index: 2,
            count: 16
        })
    );
    for wrong in ["0/4", "5/4", "1", "a/b", "-1/4", "1/0"] {
        assert!(Shard::parse(wrong).is_err(), "{wrong}");
    }
    let folders = Folders::with(&["a", "b", "c", "d", "e"]);
    let mut all = Vec::new();
    for index in 0..3 {
        let mut batch = folders.batch();
        batch.keep(Shard { index, count: 3 });
        all.extend(batch.documents().to_vec());
    }
    all.sort_by(|one, other| one.output.cmp(&other.output));
    assert_eq!(all, folders.batch().documents());
}

#[test]
fn two_translations_in_one_place_and_a_source_as_a_place_are_refused() {
    let folders = Folders::with(&["a.txt"]);
    let document = |output: &str| BatchDocument {
        source: folders.source("a.txt"),
        output: output.into(),
    };
    let out = folders.home.path().join("in");
    assert!(matches!(
        Batch::new(vec![document("b"), document("b")], out.clone()),
        Err(Error::Base(BaseError::SameName { .. }))
    ));
    assert!(matches!(
        Batch::new(vec![document("a.txt")], out),
        Err(Error::Base(BaseError::OverInput { .. }))
    ));
}

#[test]
fn a_list_keeps_paths_that_lead_down() {
    let place = |path: &str| place_of(Path::new(path));
    assert_eq!(place("./a/b.txt"), Some("a/b.txt".into()));
    assert_eq!(place("/x/a/b.txt"), Some("b.txt".into()));
    assert_eq!(place("../b.txt"), Some("b.txt".into()));
}
