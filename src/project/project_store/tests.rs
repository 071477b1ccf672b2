//! Earlier work is found, and none is ever lost.

use super::*;
use crate::State;
use crate::error::BaseError;
use crate::project::source_hash;
use canopy_document::document::Format;

const PAGE: &str = "Print the page.\n\nClose the window.\n";

/// A folder of documents and the one of our data, with one session after the other.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn document(&self, name: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.canonicalize().expect("it is there")
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    /// The work that is found when a document is opened.
    fn open(&self, path: &Path) -> SavedWork {
        ProjectFiles::find(&self.data(), path, &document(path)).1
    }

    /// Opens a document, and keeps this as all that was done on it.
    fn keep(&self, path: &Path, texts: &[&str]) {
        let (mut files, _) = ProjectFiles::find(&self.data(), path, &document(path));
        files.save(&project(path, texts)).expect("saved");
    }

    /// All project files with what is in them.
    fn files(&self) -> Vec<(PathBuf, String)> {
        let entries = entries(&self.data().join("projects")).expect("a folder");
        let mut files: Vec<(PathBuf, String)> = entries
            .into_iter()
            .map(|entry| {
                let text = std::fs::read_to_string(&entry.path).expect("readable");
                (entry.path, text)
            })
            .collect();
        files.sort();
        files
    }
}

/// Edits of the first sentences of a document.
fn project(path: &Path, texts: &[&str]) -> Project {
    let document = Document::open(path, Some(Format::Text)).expect("a document");
    let edits = texts.iter().zip(&document.sentences).enumerate();
    let edits = edits.map(|(index, (text, sentence))| {
        SavedTarget::by_hand(index, source_hash(&sentence.text), *text, State::Edited)
    });
    Project::new(path.to_owned(), content_hash(&document), edits.collect())
}

fn texts(project: Option<&Project>) -> Vec<&str> {
    let targets = project.into_iter().flat_map(|project| &project.targets);
    targets.map(|target| target.text.as_str()).collect()
}

/// As versions before this one wrote it.
fn write_old(home: &Home, path: &Path, texts: &[&str]) -> PathBuf {
    let targets = project(path, texts).targets;
    let json = serde_json::json!({"version": 1, "document": path, "targets": targets});
    let folder = home.data().join("projects");
    std::fs::create_dir_all(&folder).expect("a folder");
    let name = hex(path.to_string_lossy().as_bytes());
    let file = folder.join(format!("{name}.json"));
    std::fs::write(&file, json.to_string()).expect("written");
    file
}

#[test]
fn what_cannot_be_read_stays_and_nothing_is_saved_over_it() {
    let home = Home::new();
    let page = home.document("page.txt", PAGE);
    home.keep(&page, &["Seite drucken."]);
    let (first, text) = home.files().pop().expect("one file");
    let half = text[..text.len() / 2].to_owned();
    std::fs::write(&first, &half).expect("damaged");
    for round in 0..2 {
        let found = home.open(&page);
        let message = found.error.expect("it is damaged").to_string();
        let name = first.file_name().and_then(OsStr::to_str).expect("a name");
        assert!(message.contains(name), "{message}");
        assert_eq!(texts(found.project.as_ref()).len(), round);
        home.keep(&page, &["Drucken.", "Schließen."][..=round]);
        assert_eq!(home.files().len(), 2);
        assert!(home.files().contains(&(first.clone(), half.clone())));
    }
    // The second one, too.
    let (second, _) = home
        .files()
        .into_iter()
        .find(|(path, _)| *path != first)
        .expect("two");
    std::fs::write(&second, "{").expect("damaged");
    let message = home.open(&page).error.expect("both are").to_string();
    assert_eq!(message.matches(".json").count(), 2, "{message}");
    home.keep(&page, &["Fenster."]);
    assert_eq!(home.files().len(), 3);
    assert!(home.files().contains(&(second.clone(), "{".to_owned())));
    // The first one is repaired: what is newer comes first, nothing is lost.
    std::fs::write(&first, &text).expect("repaired");
    std::fs::remove_file(second).expect("it is there");
    let found = home.open(&page);
    assert!(found.error.is_none());
    let mut all = texts(found.project.as_ref());
    all.sort_unstable();
    assert_eq!(all, ["Fenster.", "Seite drucken."]);
    home.keep(&page, &["Eins."]);
    assert_eq!(home.files().len(), 1);
}

#[test]
fn a_file_that_is_no_file_is_left_alone() {
    let home = Home::new();
    let page = home.document("page.txt", PAGE);
    let (place, _) = ProjectFiles::find(&home.data(), &page, &document(&page));
    // As unreadable as on a disk that fails, even for root.
    let folder = place.free(&content_hash(&document(&page)));
    std::fs::create_dir_all(folder.join("inside")).expect("a folder");
    assert!(matches!(
        home.open(&page).error,
        Some(Error::Base(BaseError::Read { .. }))
    ));
    home.keep(&page, &["Seite drucken."]);
    assert!(folder.join("inside").is_dir());
    assert_eq!(texts(home.open(&page).project.as_ref()), ["Seite drucken."]);
}

fn document(path: &Path) -> Document {
    Document::open(path, None).expect("a document")
}

#[test]
fn a_moved_document_finds_its_work_and_the_question_comes_once() {
    let home = Home::new();
    let page = home.document("page.txt", PAGE);
    home.keep(&page, &["Seite drucken."]);
    let moved = page.with_file_name("renamed.txt");
    std::fs::rename(&page, &moved).expect("renamed");
    let found = home.open(&moved);
    assert!(found.project.is_none() && found.error.is_none());
    let moved_work = found.moved_work.expect("it is known");
    assert_eq!(moved_work.document, page);
    assert_eq!(texts(Some(&moved_work)), ["Seite drucken."]);
    // Begun anew: the old work stays where it is, and the question is not repeated.
    home.keep(&moved, &[]);
    let found = home.open(&moved);
    assert!(found.project.is_some() && found.moved_work.is_none());
    // A copy has work of its own, but may begin with that of the other.
    let copy = home.document("copy.txt", PAGE);
    assert_eq!(
        texts(home.open(&copy).moved_work.as_ref()),
        ["Seite drucken."]
    );
    home.keep(&copy, &["Drucken."]);
    assert_eq!(home.files().len(), 3);
    std::fs::rename(&moved, &page).expect("renamed back");
    assert_eq!(texts(home.open(&page).project.as_ref()), ["Seite drucken."]);
}

#[test]
fn a_changed_document_keeps_one_file() {
    let home = Home::new();
    let page = home.document("page.txt", PAGE);
    home.keep(&page, &["Seite drucken."]);
    let before = home.files();
    home.document("page.txt", &format!("{PAGE}\nMore.\n"));
    let found = home.open(&page);
    assert_eq!(texts(found.project.as_ref()), ["Seite drucken."]);
    assert_eq!(home.files(), before, "nothing was done");
    home.keep(&page, &["Seite drucken.", "Fenster schließen."]);
    let [(path, _)] = &home.files()[..] else {
        panic!("the old name is gone");
    };
    assert_ne!(*path, before[0].0);
    // Moved and changed at once: half of the work still fits.
    let text = "Another beginning.\n\nClose the window.\n";
    let moved = home.document("moved.txt", text);
    assert!(
        home.open(&moved).moved_work.is_none(),
        "the old one is there"
    );
    std::fs::remove_file(&page).expect("it is there");
    let moved_work = home.open(&moved).moved_work.expect("it fits");
    assert_eq!(moved_work.document, page);
    let other = home.document("other.txt", "Something else.\n");
    assert!(home.open(&other).moved_work.is_none());
}

#[test]
fn work_of_older_versions_is_found() {
    let home = Home::new();
    let page = home.document("page.txt", PAGE);
    let old = write_old(&home, &page, &["Seite drucken."]);
    assert_eq!(texts(home.open(&page).project.as_ref()), ["Seite drucken."]);
    home.keep(&page, &["Seite drucken.", "Schließen."]);
    assert!(!old.exists(), "its work is in the new one");
    assert_eq!(texts(home.open(&page).project.as_ref()).len(), 2);
    // Renamed before it was opened again.
    let home = Home::new();
    let page = home.document("page.txt", PAGE);
    write_old(&home, &page, &["Seite drucken."]);
    let moved = page.with_file_name("renamed.txt");
    std::fs::rename(&page, &moved).expect("renamed");
    assert_eq!(
        texts(home.open(&moved).moved_work.as_ref()),
        ["Seite drucken."]
    );
    // An old one that cannot be read is not replaced either.
    let old = write_old(&home, &moved, &[]);
    std::fs::write(&old, "{").expect("damaged");
    assert!(home.open(&moved).error.is_some());
    home.keep(&moved, &["Drucken."]);
    assert_eq!(std::fs::read_to_string(old).expect("there"), "{");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_unicode_do_not_collide() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let [one, other] = [&b"page-\xFE.txt"[..], b"page-\xFF.txt"].map(|name| {
        let text = format!("{PAGE}\n{name:?}.\n");
        home.document(OsStr::from_bytes(name), &text)
    });
    home.keep(&one, &["Eins."]);
    assert!(home.open(&other).project.is_none());
    home.keep(&other, &["Zwei."]);
    let found = home.open(&one).project.expect("it was kept");
    assert_eq!(
        (found.document.as_path(), texts(Some(&found))),
        (one.as_path(), vec!["Eins."])
    );
    assert_eq!(texts(home.open(&other).project.as_ref()), ["Zwei."]);
    // As older versions named them both.
    let look_alike = home.document("page-\u{FFFD}.txt", PAGE);
    write_old(&home, &look_alike, &["Drei."]);
    assert_eq!(texts(home.open(&one).project.as_ref()), ["Eins."]);
    assert_eq!(texts(home.open(&look_alike).project.as_ref()), ["Drei."]);
}
