use super::*;
use crate::error::BaseError;
use crate::project::{Project, source_hash};
use crate::{DocumentWork, SavedTarget, State};
use canopy_corpus::memory::Band;
use canopy_document::document::{ReadingOptions, SegmentEdit};
use canopy_metrics::formality::Formality;

const FIRST: &str = "<p>Print all pages.</p><p>Close the window.</p>";
const SECOND: &str = "<p>Print all pages.</p><p>Something else entirely stands here.</p>";

struct Desk {
    home: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().expect("a folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("writes");
        path
    }

    /// A project of two documents and a memory.
    fn project(&self) -> ProjectFolder {
        let documents = [self.file("a.html", FIRST), self.file("b.html", SECOND)];
        let memory = self.file("old.tsv", "Close the window.\tDas Fenster schließen.\n");
        let head = Head::new("Handbook".to_owned(), "en".to_owned(), "de".to_owned());
        let mut project = ProjectFolder::create(&self.path("book"), head).expect("begins");
        project.use_memory(&memory).expect("copied");
        project.add(&documents).expect("added");
        project
    }

    /// Confirms the first sentence of a document.
    fn confirm(&self, project: &ProjectFolder, document: &str, text: &str) {
        let path = project.path(document);
        let mut work = DocumentWork::write(&self.path("data"), &path).expect("opens");
        let target = SavedTarget::by_hand(
            0,
            source_hash(&work.document.sentences[0].text),
            text,
            State::Confirmed,
        );
        let mut kept = work.project.clone().expect("with the settings");
        kept.targets = vec![target];
        work.save(kept).expect("saved");
    }
}

#[test]
fn a_project_is_one_folder_that_can_be_moved() {
    let desk = Desk::new();
    let project = desk.project();
    assert_eq!(project.head.documents, ["sources/a.html", "sources/b.html"]);
    assert_eq!(project.head.memory.as_deref(), Some("old.tsv"));
    desk.confirm(&project, "sources/a.html", "Alle Seiten drucken.");
    let text = std::fs::read_to_string(project.work_place("sources/a.html")).expect("there");
    let home = desk.home.path().to_string_lossy().into_owned();
    assert!(!text.contains(&home), "{text}");
    let moved = desk.path("moved");
    std::fs::rename(&project.folder, &moved).expect("moves");
    let project = ProjectFolder::open(&moved.join(HEAD)).expect("opens");
    let memory = project.memory("en", "de").expect("a memory");
    // Confirmed sentences of all documents come before the file.
    assert_eq!(
        memory.exact("Print all pages."),
        Some("Alle Seiten drucken.")
    );
    assert_eq!(
        memory.exact("Close the window."),
        Some("Das Fenster schließen.")
    );
    let status = ProjectStatus::from_project(project).expect("readable");
    let confirmed: Vec<usize> = status.documents.iter().map(|row| row.confirmed).collect();
    assert_eq!(confirmed, [1, 0]);
}

#[test]
fn repetitions_count_across_documents_and_matches_by_the_memory() {
    let desk = Desk::new();
    let status = ProjectStatus::from_project(desk.project()).expect("readable");
    let words = |row: &DocumentStatus, band: Band| {
        let at = Band::ALL
            .iter()
            .position(|own| *own == band)
            .expect("a band");
        row.bands[at].words
    };
    let [first, second] = &status.documents[..] else {
        panic!("{status:?}");
    };
    assert_eq!((words(first, Band::New), words(first, Band::Exact)), (3, 3));
    assert_eq!(
        (words(second, Band::Repeated), words(second, Band::New)),
        (3, 5)
    );
    let total = status.total();
    assert_eq!((total.words, total.segments()), (14, 4));
}

#[test]
fn its_memory_knows_how_each_speaker_addresses_others() {
    let desk = Desk::new();
    let mut project = desk.project();
    let scene = "#. speaker=Anna\nmsgid \"Who are you?\"\nmsgstr \"\"\n";
    let scene = desk.file("scene.po", scene);
    project.add(&[scene]).expect("added");
    let forms = |project: &ProjectFolder| {
        let memory = project.memory("en", "de").expect("a memory");
        memory.forms().last_with_note(Some("speaker=Anna"))
    };
    assert_eq!(forms(&project), None);
    desk.confirm(&project, "sources/scene.po", "Wer seid Ihr?");
    assert_eq!(forms(&project), Some(Formality::Polite));
}

#[test]
fn settings_of_a_document_are_those_of_its_project() {
    let desk = Desk::new();
    let project = desk.project();
    let data = desk.path("data");
    let open = |name: &str| DocumentWork::write(&data, &project.path(name)).expect("opens");
    let mut work = open("sources/a.html");
    let mut kept = work.project.clone().expect("with the settings");
    assert!(kept.terms.is_empty() && kept.checks.is_none());
    kept.checks = Some(vec!["numbers".to_owned()]);
    work.save(kept).expect("saved");
    drop(work);
    let other = open("sources/b.html").project.expect("with the settings");
    assert_eq!(other.checks, Some(vec!["numbers".to_owned()]));
    let head = ProjectFolder::open(&project.folder).expect("opens").head;
    assert_eq!(head.checks, Some(vec!["numbers".to_owned()]));
}

#[test]
fn work_that_cannot_be_read_stays_and_new_work_goes_beside_it() {
    let desk = Desk::new();
    let project = desk.project();
    desk.confirm(&project, "sources/a.html", "Alle Seiten drucken.");
    let place = project.work_place("sources/a.html");
    let whole = std::fs::read_to_string(&place).expect("there");
    std::fs::write(&place, "<<<<<<< ours\n").expect("writes");
    let data = desk.path("data");
    assert!(DocumentWork::read(&data, &project.path("sources/a.html")).is_err());
    let (found, error) = project.readable_work("sources/a.html");
    assert!(found.is_none() && error.is_some());
    let other = Project::new(PathBuf::new(), String::new(), vec![]);
    project.save_work("sources/a.html", &other).expect("saved");
    let broken = std::fs::read_to_string(&place).expect("there");
    assert_eq!(broken, "<<<<<<< ours\n");
    std::fs::write(&place, whole).expect("mended");
    let work = project
        .work("sources/a.html")
        .expect("readable")
        .expect("there");
    assert_eq!(work.targets[0].text, "Alle Seiten drucken.");
}

#[test]
fn a_head_that_leaves_its_folder_is_refused() {
    let desk = Desk::new();
    let project = desk.project();
    for path in ["../a.html", "/etc/passwd", ""] {
        let mut head = project.head.clone();
        head.documents = vec![path.to_owned()];
        let project = ProjectFolder {
            head,
            ..project.clone()
        };
        project.save().expect("written");
        let error = ProjectFolder::open(&project.folder).expect_err("it leaves");
        assert!(error.to_string().contains("leaves the folder"), "{error}");
    }
    let again = ProjectFolder::create(&project.folder, project.head.clone());
    assert!(matches!(again, Err(Error::Base(BaseError::Exists { .. }))));
}

#[test]
fn a_document_is_looked_at_as_it_was_split() {
    let desk = Desk::new();
    let project = desk.project();
    let path = project.path("sources/a.html");
    let edit = SegmentEdit::Split {
        sentence: 0,
        chars: 6,
    };
    let split = Document::open_edited(&path, None, &ReadingOptions::default(), Some(edit));
    let split = split.expect("split");
    let target = SavedTarget::by_hand(
        0,
        source_hash(&split.sentences[0].text),
        "Drucken",
        State::Confirmed,
    );
    let work = Project {
        reading: Some(split.reading.clone()),
        ..Project::new(path, String::new(), vec![target])
    };
    project.save_work("sources/a.html", &work).expect("saved");
    let memory = project.memory("en", "de").expect("a memory");
    assert_eq!(memory.exact("Print"), Some("Drucken"));
    let status = ProjectStatus::from_project(project).expect("readable");
    let first = &status.documents[0];
    assert_eq!((first.confirmed, first.segments()), (1, 3));
}

#[test]
fn work_that_was_pulled_while_the_document_was_open_is_merged_and_not_overwritten() {
    let desk = Desk::new();
    let project = desk.project();
    desk.confirm(&project, "sources/a.html", "Alle Seiten drucken.");
    let path = project.path("sources/a.html");
    let data = desk.path("data");
    let mut here = DocumentWork::write(&data, &path).expect("opens");
    // Another person translates the second sentence, and the first one differently.
    let place = project.work_place("sources/a.html");
    let mut theirs = Project::read(&place).expect("readable").expect("there");
    let second = SavedTarget {
        index: 1,
        source: source_hash(&here.document.sentences[1].text),
        text: "Schließen Sie das Fenster.".to_owned(),
        ..theirs.targets[0].clone()
    };
    theirs.targets[0].text = "Drucken Sie alle Seiten.".to_owned();
    theirs.targets.push(second);
    std::fs::write(&place, theirs.to_bytes(&place).expect("bytes")).expect("writes");
    let mut ours = here.project.clone().expect("work");
    ours.targets[0].text = "Alle Seiten ausdrucken.".to_owned();
    here.save(ours).expect("saved");
    let kept = Project::read(&place).expect("readable").expect("there");
    let texts: Vec<&str> = kept.targets.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(
        texts,
        ["Alle Seiten ausdrucken.", "Schließen Sie das Fenster."]
    );
    let history = &kept.targets[0].history;
    assert!(
        history
            .iter()
            .any(|it| it.text == "Drucken Sie alle Seiten.")
    );
    // What is saved next is not theirs any more.
    let again = here.project.clone().expect("work");
    here.save(again).expect("saved");
    assert_eq!(Project::read(&place).expect("readable"), Some(kept));
}

#[test]
fn settings_name_memories_in_their_order_with_penalties_and_are_kept_in_the_head() {
    let desk = Desk::new();
    let mut project = desk.project();
    let other = desk.file(
        "vendor.tsv",
        "Print all pages.\tAlle Seiten ausdrucken.\nClose the window.\tFenster zu.\n",
    );
    let terms = desk.file("terms.tsv", "page\tSeite\n");
    let more = desk.file("vendor.csv", "source,target\nprint,drucken\n");
    let mut settings = ProjectSettings::from_head(&project.head);
    assert_eq!(settings.memories.len(), 1);
    let vendor = other.to_str().expect("Unicode").to_owned();
    settings.memories.push(ProjectMemory {
        path: vendor,
        penalty: 10,
    });
    let terms = [&terms, &more, &terms];
    settings.terms = terms
        .map(|it| it.to_str().expect("Unicode").to_owned())
        .to_vec();
    settings.model = Some("starter-en-de".to_owned());
    project.configure(&settings).expect("kept");
    let mut project = ProjectFolder::open(&project.folder).expect("opens");
    let head = &project.head;
    assert_eq!(head.memory.as_deref(), Some("old.tsv"));
    assert_eq!(
        head.terms,
        ["terms.tsv", "vendor.csv"],
        "each once, in their order"
    );
    assert_eq!(head.model.as_deref(), Some("starter-en-de"));
    assert_eq!(head.documents.len(), 2);
    let vendor = ProjectMemory {
        path: "vendor.tsv".to_owned(),
        penalty: 10,
    };
    assert_eq!(head.memories, std::slice::from_ref(&vendor));
    let memory = project.memory("en", "de").expect("readable");
    assert_eq!(
        memory.exact("Close the window."),
        Some("Das Fenster schließen.")
    );
    assert_eq!(memory.exact("Print all pages."), None);
    let found = memory.best("Print all pages.").expect("a match");
    assert!((found.score - 0.9).abs() < 1e-6, "{}", found.score);

    // One termbase is written as by versions that know no more.
    let mut settings = ProjectSettings::from_head(&project.head);
    settings.terms.truncate(1);
    project.configure(&settings).expect("kept");
    let head = std::fs::read_to_string(project.folder.join(HEAD)).expect("text");
    assert!(head.contains("terms = \"terms.tsv\""), "{head}");
    let mut project = ProjectFolder::open(&project.folder).expect("opens");
    assert_eq!(project.terms(), [project.folder.join("terms.tsv")]);

    // The one with a penalty first: its order alone makes no match exact.
    let mut settings = ProjectSettings::from_head(&project.head);
    settings.memories.reverse();
    project.configure(&settings).expect("kept");
    let project = ProjectFolder::open(&project.folder).expect("opens");
    assert_eq!(project.head.memory, None);
    assert_eq!(project.head.all_memories()[0], vendor);
    let memory = project.memory("en", "de").expect("readable");
    assert_eq!(
        memory.exact("Close the window."),
        Some("Das Fenster schließen.")
    );
}

#[test]
fn a_penalty_beyond_the_limit_is_refused_with_its_file() {
    let desk = Desk::new();
    let project = desk.project();
    let place = project.folder.join(HEAD);
    let head = std::fs::read_to_string(&place).expect("text");
    let memory = "\n[[memories]]\npath = \"old.tsv\"\npenalty = 90\n";
    std::fs::write(&place, head + memory).expect("written");
    let refused = ProjectFolder::open(&project.folder).expect_err("refused");
    let message = refused.to_string();
    assert!(
        message.contains("90") && message.contains("old.tsv"),
        "{message}"
    );
}

#[test]
fn further_memories_come_after_the_first_and_lose_their_penalty() {
    let desk = Desk::new();
    let first = desk.file("first.tsv", "Print all pages.\tDrucken Sie alle Seiten.\n");
    let text = "Print all pages.\tAlle Seiten drucken.\nClose the window.\tFenster zu.\n";
    let path = desk.file("second.tsv", text);
    let further = [FurtherMemory { path, penalty: 20 }];
    let (memory, left_out) = memories_at(&first, &further, "en", "de").expect("both are read");
    assert!(left_out.is_empty(), "{left_out:?}");
    let best = |source: &str| memory.best(source).expect("one that is equal");
    assert_eq!(best("Print all pages.").target, "Drucken Sie alle Seiten.");
    let closed = best("Close the window.");
    assert_eq!(closed.target, "Fenster zu.");
    assert!((closed.score - 0.8).abs() < 1e-6, "{}", closed.score);
}

#[test]
fn a_memory_that_cannot_be_read_is_left_out_and_named() {
    let desk = Desk::new();
    let lost = desk.home.path().join("lost.tsv");
    let there = desk.file("there.tsv", "Close the window.\tFenster zu.\n");
    let further = |path: &Path, penalty| FurtherMemory {
        path: path.to_owned(),
        penalty,
    };
    let read = |first: &Path, after: &[FurtherMemory]| {
        let (memory, left_out) = memories_at(first, after, "en", "de").expect("one is read");
        let [error] = left_out.as_slice() else {
            panic!("{left_out:?}")
        };
        assert!(error.to_string().contains("lost.tsv"), "{error}");
        memory.best("Close the window.").expect("a match").score
    };
    assert!((read(&there, &[further(&lost, 10)]) - 1.0).abs() < 1e-6);
    let after_lost = read(&lost, &[further(&there, 20)]);
    assert!(
        (after_lost - 0.8).abs() < 1e-6,
        "it keeps its penalty: {after_lost}"
    );
    let refused = memories_at(&lost, &[further(&lost, 0)], "en", "de");
    let refused = refused.expect_err("there is none").to_string();
    assert!(refused.contains("lost.tsv"), "{refused}");
}
