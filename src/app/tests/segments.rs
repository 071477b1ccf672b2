//! Sentences that are split and joined keep what was done on all others, and come back.

use super::*;
use crate::document::segments::SegmentsCommand;
use crate::document::terms::SourceSelection;
use crate::{CheckCommand, DocumentCommand, DocumentEvent, EditCommand, GoCommand, TermsCommand};
use canopy_qa::checks::{CheckKind, Finding, Severity};

/// Does what the lane of files does with a split or a join.
fn recut(state: &mut AppState, page: &str) {
    let request = state
        .shared
        .file_requests
        .drain(..)
        .find_map(|request| match request {
            FileRequest::Recut {
                job,
                document,
                edit,
                ..
            } => Some((job, document, edit)),
            _ => None,
        });
    let (job, document, edit) = request.expect("a request");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.html");
    std::fs::write(&path, page).expect("written");
    let document =
        Document::open_edited(&path, Some(document.format), &document.reading, Some(edit));
    let document = document.map(Arc::new).map_err(Into::into);
    state.receive(DocumentEvent::Recut { job, document });
}

fn texts(state: &AppState) -> Vec<String> {
    let sentences = document(state).document.sentences.iter();
    sentences
        .map(canopy_document::document::Sentence::plain_text)
        .collect()
}

fn targets(state: &AppState) -> Vec<(String, State)> {
    let open = document(state);
    let targets = (0..open.num_sentences()).map(|sentence| open.target(sentence));
    targets.map(|it| (it.text.clone(), it.state)).collect()
}

fn split_at(state: &mut AppState, sentence: usize, place: usize) {
    state.apply(GoCommand::Select(sentence));
    let chars = place..place;
    let caret = SourceSelection { sentence, chars };
    state.apply(TermsCommand::SelectSource(caret));
    state.apply(SegmentsCommand::Split);
}

fn join(state: &mut AppState, sentence: usize) {
    state.apply(GoCommand::Select(sentence));
    state.apply(SegmentsCommand::Join);
}

fn worked_on() -> AppState {
    let mut state = with_page();
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    edit(&mut state, 1, "Klicke ⟨1⟩Datei⟨/1⟩.");
    edit(&mut state, 3, "Vorschau");
    state.apply(EditCommand::ToggleConfirmed(3));
    state.shared.file_requests.clear();
    state
}

#[test]
fn a_finding_that_is_ignored_stays_so_when_sentences_are_split() {
    let mut state = worked_on();
    let finding = Finding {
        check: CheckKind::Tags,
        severity: Severity::Warning,
        segment: 3,
        message: "a tag is missing".to_owned(),
        repaired: None,
    };
    state.apply(CheckCommand::Ignore(finding.clone()));
    split_at(&mut state, 1, 6);
    recut(&mut state, PAGE);
    let open = document(&state);
    let moved = Finding {
        segment: 4,
        ..finding
    };
    assert_eq!(open.num_sentences(), 6);
    assert!(open.checks.is_ignored(&open.document, &moved));
    assert_eq!(
        open.project().ignored.len(),
        1,
        "the file of the work has it"
    );
}

#[test]
fn joined_sentences_have_both_translations_and_others_stay() {
    let mut state = worked_on();
    let (before, sources) = (targets(&state), texts(&state));
    join(&mut state, 1);
    recut(&mut state, PAGE);
    assert_eq!(
        texts(&state),
        ["Print", "Click File. Then wait.", "Preview", "Look at it."]
    );
    let joined = targets(&state);
    let text = canopy_document::placeholder::stripped(&joined[1].0);
    assert_eq!(
        (text.as_str(), joined[1].1),
        ("Klicke Datei. THEN WAIT.", State::Edited)
    );
    assert_eq!(joined[0], before[0]);
    assert_eq!(joined[2..], before[3..]);
    assert_eq!(joined[2].1, State::Confirmed);
    assert_eq!(document(&state).selected, Some(1));
    assert_eq!(document(&state).progress.counts().total(), 4);
    // The file is the same around them.
    let open = document(&state);
    let written = open
        .document
        .written(&open.targets.texts(), None)
        .expect("written");
    let written = String::from_utf8(written).expect("text");
    let expected =
        "<h1>PRINT</h1><p>Klicke <b>Datei</b>. THEN WAIT.</p><h2>Vorschau</h2><p>LOOK AT IT.</p>";
    assert_eq!(written, expected);
    // It is kept, and can be taken back and done again.
    let reading = open.project().reading.expect("how it is read");
    assert_eq!(reading.cuts.len(), 1);
    state.apply(EditCommand::Undo);
    assert_eq!((texts(&state), targets(&state)), (sources, before));
    assert_eq!(document(&state).project().reading, None);
    state.apply(EditCommand::Redo);
    assert_eq!(targets(&state), joined);
    // What was done before is undone after it.
    state.apply(EditCommand::Undo);
    state.apply(EditCommand::Undo);
    assert_eq!(states(&state)[3], State::Edited);
}

#[test]
fn a_sentence_is_split_at_the_caret_and_the_hand_s_work_is_kept() {
    let mut state = worked_on();
    split_at(&mut state, 1, 6);
    recut(&mut state, PAGE);
    assert_eq!(
        texts(&state),
        [
            "Print",
            "Click",
            "File.",
            "Then wait.",
            "Preview",
            "Look at it."
        ]
    );
    let cut = targets(&state);
    assert_eq!(
        (cut[1].0.as_str(), cut[1].1),
        ("Klicke Datei.", State::Edited)
    );
    assert_eq!(cut[2], (String::new(), State::Untranslated));
    assert_eq!(cut[4].1, State::Confirmed);
    // A draft is translated again: it is unknown where to cut it.
    split_at(&mut state, 5, 5);
    recut(&mut state, PAGE);
    assert_eq!(texts(&state)[5..], ["Look", "at it."]);
    assert_eq!(states(&state)[5..], [State::Untranslated; 2]);
    join(&mut state, 5);
    recut(&mut state, PAGE);
    join(&mut state, 1);
    recut(&mut state, PAGE);
    assert_eq!(texts(&state)[1], "Click File.");
    assert_eq!(document(&state).document.reading.cuts.len(), 2);
}

#[test]
fn paragraphs_stay_apart_and_a_caret_is_needed() {
    let mut state = worked_on();
    join(&mut state, 2);
    recut(&mut state, PAGE);
    assert_eq!(texts(&state).len(), 5);
    assert_eq!(
        state.shared.notices.last().map(|it| it.kind),
        Some(NoticeKind::Hint)
    );
    state.apply(SegmentsCommand::Split);
    assert!(state.shared.file_requests.is_empty());
    // The keys put it at the beginning of a word.
    state.apply(GoCommand::Select(4));
    for command in [
        SegmentsCommand::NextWord,
        SegmentsCommand::NextWord,
        SegmentsCommand::PreviousWord,
    ] {
        state.apply(Command::from(command));
    }
    state.apply(SegmentsCommand::Split);
    recut(&mut state, PAGE);
    assert_eq!(texts(&state)[4..], ["Look", "at it."]);
    // The first word is where a sentence begins already.
    split_at(&mut state, 4, 0);
    recut(&mut state, PAGE);
    assert_eq!(texts(&state).len(), 6);
}

#[test]
fn nothing_is_cut_while_it_is_translated_or_has_changed_on_disk() {
    let mut state = worked_on();
    join(&mut state, 1);
    recut(&mut state, &PAGE.replace("Print", "Printing"));
    assert_eq!(texts(&state).len(), 5);
    join(&mut state, 1);
    recut(&mut state, PAGE);
    edit(&mut state, 0, "");
    state.apply(DocumentCommand::Translate(Scope::Document));
    assert!(state.document.translations.is_busy());
    join(&mut state, 0);
    let asks = |request: &FileRequest| matches!(request, FileRequest::Recut { .. });
    assert!(!state.shared.file_requests.iter().any(asks));
}

#[test]
fn split_and_joined_sentences_keep_what_they_have_been() {
    let texts_of = |state: &AppState, sentence: usize| -> Vec<String> {
        let history = document(state).targets.history(sentence).iter();
        history
            .map(|it| canopy_document::placeholder::stripped(&it.text))
            .collect()
    };
    let mut state = worked_on();
    let before = [1, 2].map(|sentence| texts_of(&state, sentence));
    join(&mut state, 1);
    recut(&mut state, PAGE);
    let joined = texts_of(&state, 1);
    for text in before.iter().flatten() {
        assert!(joined.contains(text), "{text} is not in {joined:?}");
    }
    assert_eq!(
        joined.last().map(String::as_str),
        Some("Klicke Datei. THEN WAIT.")
    );
    split_at(&mut state, 1, 6);
    recut(&mut state, PAGE);
    // Both parts were in it.
    for part in [1, 2] {
        let after = texts_of(&state, part);
        assert!(joined.iter().all(|text| after.contains(text)), "{after:?}");
    }
}
