//! Files that come back from another person.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::jobs::Origin;
use crate::{DocumentCommand, DocumentEvent, EditCommand, MergeCommand};
use canopy_document::export::Languages;
use canopy_document::pseudo::Pseudo;
use canopy_project::Incoming;

/// An XLIFF as the lane of files reads it.
fn exchange(xml: String) -> Arc<Document> {
    let format = Format::from_ending("xlf").expect("a format");
    Arc::new(Document::parse("page.html.xlf", format, xml).expect("XLIFF"))
}

fn exported(open: &OpenDocument) -> String {
    let languages = Languages {
        source: "en".to_owned(),
        target: "de".to_owned(),
    };
    let texts = open.targets.texts();
    let bytes = open
        .document
        .exported(&texts, ExportFormat::Xliff, &languages);
    // Later changes have later times.
    std::thread::sleep(Duration::from_millis(3));
    String::from_utf8(bytes.expect("written")).expect("UTF-8")
}

fn translated() -> AppState {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    std::thread::sleep(Duration::from_millis(3));
    state
}

fn changed(xml: &str, from: &str, to: &str) -> String {
    let target = |text: &str| format!(">{text}</target>");
    let from = target(from);
    assert!(xml.contains(&from), "{from} is not in {xml}");
    xml.replace(&from, &target(to))
}

fn read(state: &mut AppState, file: Arc<Document>) {
    state.apply(MergeCommand::Read("page.html.xlf".into()));
    let Some(FileRequest::ReadExchange { job, .. }) = state.shared.file_requests.pop() else {
        panic!("{:?}", state.shared.file_requests)
    };
    state.receive(DocumentEvent::ExchangeRead {
        job,
        file: Ok(file),
    });
}

#[test]
fn changes_of_others_are_distinguished_from_conflicts_and_accepted_in_one_step() {
    let mut state = translated();
    let text = |state: &AppState, sentence: usize| document(state).target(sentence).text.clone();
    let drafts: Vec<String> = (0..5).map(|sentence| text(&state, sentence)).collect();
    let mut xml = exported(document(&state));
    xml = changed(&xml, &drafts[0], "Drucken");
    xml = changed(&xml, &drafts[2], "Dann warten.");
    let approved = format!("<target state=\"needs-review-translation\">{}<", drafts[3]);
    assert!(xml.contains(&approved));
    xml = xml.replace(
        &approved,
        &approved.replace("needs-review-translation", "final"),
    );
    edit(&mut state, 0, "Druck");
    state.apply(EditCommand::Keep);
    // Nobody else has touched this one.
    edit(&mut state, 4, "Sieh es dir an.");
    state.apply(EditCommand::Keep);
    read(&mut state, exchange(xml));
    let merging = state.document.merges.shown.clone().expect("changes");
    let kinds: Vec<(usize, ChangeKind)> = merging
        .incoming
        .changes
        .iter()
        .map(|it| (it.sentence, it.kind))
        .collect();
    let expected = [
        (0, ChangeKind::Conflict),
        (2, ChangeKind::Changed),
        (3, ChangeKind::Approved),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(merging.taken, [false, true, true]);
    state.apply(MergeCommand::Apply);
    assert_eq!(text(&state, 0), "Druck");
    assert_eq!(text(&state, 2), "Dann warten.");
    assert_eq!(text(&state, 4), "Sieh es dir an.");
    assert_eq!(states(&state)[3], State::Confirmed);
    let last = document(&state)
        .targets
        .history(2)
        .last()
        .cloned()
        .expect("a history");
    assert_eq!(last.origin, Origin::Merged);
    state.apply(EditCommand::Undo);
    assert_eq!(
        (text(&state, 2), states(&state)[3]),
        (drafts[2].clone(), State::Draft)
    );
}

#[test]
fn a_conflict_is_taken_only_if_a_person_says_so_and_the_old_text_stays_in_the_history() {
    let mut state = translated();
    let draft = document(&state).target(0).text.clone();
    let xml = changed(&exported(document(&state)), &draft, "Drucken");
    edit(&mut state, 0, "Druck");
    state.apply(EditCommand::Keep);
    read(&mut state, exchange(xml));
    state.apply(MergeCommand::Take(0, true));
    state.apply(MergeCommand::Apply);
    assert_eq!(document(&state).target(0).text, "Drucken");
    let texts: Vec<&str> = document(&state)
        .targets
        .history(0)
        .iter()
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(texts, [draft.as_str(), "Druck", "Drucken"]);
}

#[test]
fn a_file_without_a_date_overwrites_no_work_of_a_person() {
    let mut state = translated();
    let drafts: Vec<String> = [0, 2]
        .map(|sentence| document(&state).target(sentence).text.clone())
        .to_vec();
    let xml = exported(document(&state));
    let start = xml.find(" date=\"").expect("a date");
    let end = start + 7 + xml[start + 7..].find('"').expect("its end") + 1;
    let xml = format!("{}{}", &xml[..start], &xml[end..]);
    let xml = changed(
        &changed(&xml, &drafts[0], "Drucken"),
        &drafts[1],
        "Dann warten.",
    );
    edit(&mut state, 0, "Druck");
    state.apply(EditCommand::Keep);
    read(&mut state, exchange(xml));
    let merging = state.document.merges.shown.as_ref().expect("changes");
    let kinds: Vec<ChangeKind> = merging.incoming.changes.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChangeKind::Conflict, ChangeKind::Changed]);
}

#[test]
fn what_a_translation_has_changed_meanwhile_stays() {
    let mut state = translated();
    let draft = document(&state).target(2).text.clone();
    let xml = changed(&exported(document(&state)), &draft, "Dann warten.");
    read(&mut state, exchange(xml));
    state.document.editing.with_document(|open| {
        let other = Target {
            text: "Warten".to_owned(),
            state: State::Edited,
            ..Target::default()
        };
        open.change(2, other);
    });
    state.apply(MergeCommand::Apply);
    assert_eq!(document(&state).target(2).text, "Warten");
}

#[test]
fn real_documents_come_back_from_xliff_without_a_change() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let samples = Shipped::find().samples;
    let pages = [
        "docs/reference/formats.md",
        "docs/guide/training.md",
        "README.md",
    ];
    for path in samples.into_iter().chain(pages.map(|page| root.join(page))) {
        let read = Arc::new(Document::open(&path, None).expect("a document"));
        let mut open = OpenDocument::new(path.clone(), read.clone(), None);
        for (index, sentence) in read.sentences.iter().enumerate() {
            let text = Pseudo::Accents.translate(&read, sentence);
            open.receive(index, Translation::written(text), "accents");
        }
        let incoming = Incoming::between(&open, &exchange(exported(&open)));
        assert_eq!(incoming, Incoming::default(), "{}", path.display());
    }
}
