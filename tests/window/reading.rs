//! How the open document is read is chosen in the window; what was done on it stays.

use std::io::{Cursor, Write as _};

use canopy::app::{
    DocumentCommand, DocumentEvent, EditCommand, GoCommand, ModelsCommand, WindowCommand,
};
use canopy::text::document::ReadingOptions;
use egui::accesskit::Role;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// A Word document with a comment.
fn word() -> Vec<u8> {
    let namespace = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
    let relationships = "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"";
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let entries = [
        (
            "[Content_Types].xml",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>"
                .to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships {relationships}><Relationship Id=\"a\" Type=\"{kind}/officeDocument\" Target=\"word/document.xml\"/></Relationships>"
            ),
        ),
        (
            "word/_rels/document.xml.rels",
            format!(
                "<Relationships {relationships}><Relationship Id=\"b\" Type=\"{kind}/comments\" Target=\"comments.xml\"/></Relationships>"
            ),
        ),
        (
            "word/document.xml",
            format!(
                "<w:document {namespace}><w:body>{}{}</w:body></w:document>",
                paragraph("Print the page."),
                paragraph("Then wait.")
            ),
        ),
        (
            "word/comments.xml",
            format!(
                "<w:comments {namespace}><w:comment w:id=\"0\">{}</w:comment></w:comments>",
                paragraph("Is this right?")
            ),
        ),
    ];
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer
            .start_file(name, SimpleFileOptions::default())
            .expect("an entry");
        writer.write_all(text.as_bytes()).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// Carries out the requests to the file thread: the document is read as it says.
fn read(state: &mut AppState, bytes: &[u8]) -> Option<ReadingOptions> {
    let opens = |request: FileRequest| match request {
        FileRequest::OpenDocument {
            job, path, reading, ..
        } => Some((job, path, reading)),
        _ => None,
    };
    let (job, path, reading) = state.shared.file_requests.drain(..).find_map(opens)?;
    let options = reading.clone().unwrap_or_default();
    let name = path.to_string_lossy().into_owned();
    let format = Format::from_content(&path, bytes).expect("a format");
    let document = Document::from_bytes_with(&name, format, bytes.to_vec(), &options);
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: Arc::new(document.expect("readable")),
        project: None,
        project_error: None,
    });
    reading
}

fn opened(name: &str, bytes: &[u8]) -> Window {
    let mut window = Window {
        state: AppState::new(Folders::default(), Settings::default(), Shipped::default()),
        ..Window::default()
    };
    window.state.apply(WindowCommand::OpenPath(name.into()));
    read(&mut window.state, bytes);
    window.state.apply(ModelsCommand::Open("model".into()));
    window.model_opened()
}

fn sentences(state: &AppState) -> Vec<(String, String)> {
    let open = state.document.editing.open.as_ref().expect("a document");
    let sentences = open.document.sentences.iter().enumerate();
    let pair = |(index, sentence): (usize, &canopy::text::document::Sentence)| {
        (sentence.text.clone(), open.target(index).text.clone())
    };
    sentences.map(pair).collect()
}

fn pair(source: &str, target: &str) -> (String, String) {
    (source.to_owned(), target.to_owned())
}

#[test]
fn comments_are_translated_on_request_and_what_was_done_stays() {
    let bytes = word();
    let window = opened("letter.docx", &bytes).translated();
    let mut harness = window.harness();
    harness.run();
    harness.state_mut().state.apply(GoCommand::Select(1));
    harness.get_by_label_contains("Options").click();
    harness.run();
    assert!(
        harness
            .query_by_label("Translate names of sheets")
            .is_none()
    );
    harness.get_by_label("Translate comments").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let reading = read(state, &bytes).expect("it is read in another way");
    assert!(reading.comments);
    assert_eq!(
        sentences(state),
        [
            pair("Print the page.", "PRINT THE PAGE."),
            pair("Then wait.", "THEN WAIT."),
            pair("Is this right?", ""),
        ]
    );
    let open = state.document.editing.open.as_ref().expect("a document");
    assert_eq!(open.selected, Some(1));
    assert_eq!(open.project().reading, Some(reading));
    // And back.
    state.apply(DocumentCommand::ReadAs(ReadingOptions::default()));
    read(state, &bytes);
    assert_eq!(sentences(state).len(), 2);
    let open = state.document.editing.open.as_ref().expect("a document");
    assert_eq!(open.project().reading, None);
}

const FIELD: &str = "Columns to translate";

#[test]
fn columns_of_a_table_are_entered() {
    let bytes = b"key,en,note\na,Open the file,For the menu\nb,Close it,For all of us\n";
    let mut harness = opened("strings.csv", bytes).harness();
    harness.run();
    assert_eq!(sentences(&harness.state().state).len(), 2);
    harness.get_by_label_contains("Options").click();
    harness.run();
    let label = harness.get_by_role_and_label(Role::TextInput, FIELD);
    label.focus();
    harness.run_steps(2);
    let label = harness.get_by_role_and_label(Role::TextInput, FIELD);
    label.type_text("en,0");
    harness.run_steps(3);
    harness.get_by_label("columns are counted from 1");
    assert!(harness.query_by_label("Use these columns").is_none());
    harness.key_press(egui::Key::Backspace);
    harness.run_steps(2);
    let label = harness.get_by_role_and_label(Role::TextInput, FIELD);
    label.type_text("note");
    harness.run_steps(3);
    harness.get_by_label("Use these columns").click();
    harness.run_steps(3);
    let state = &mut harness.state_mut().state;
    read(state, bytes).expect("it is read in another way");
    assert_eq!(sentences(state).len(), 4);
}

#[test]
fn what_the_file_has_already_is_not_overwritten_unless_requested() {
    let unit = |id: u8, target: &str| {
        format!("<trans-unit id=\"{id}\"><source>Open {id}</source>{target}</trans-unit>")
    };
    let units = [
        unit(1, "<target state=\"needs-translation\">Auf 1</target>"),
        unit(2, "<target state=\"final\">Öffnen 2</target>"),
        unit(3, ""),
    ];
    let text = format!(
        "<xliff version=\"1.2\"><file original=\"a\" source-language=\"en\" datatype=\"plaintext\"><body>{}</body></file></xliff>",
        units.concat()
    );
    let mut window = opened("a.xlf", text.as_bytes()).translated();
    let state = &mut window.state;
    let found = [
        pair("Open 1", "Auf 1"),
        pair("Open 2", "Öffnen 2"),
        pair("Open 3", "OPEN 3"),
    ];
    assert_eq!(sentences(state), found);
    let states = |state: &AppState| {
        let open = state.document.editing.open.as_ref().expect("a document");
        [0, 1, 2].map(|sentence| open.target(sentence).state)
    };
    assert_eq!(
        states(state),
        [State::Edited, State::Confirmed, State::Draft]
    );
    // What the file has is not kept as if it had been done here.
    let project = state
        .document
        .editing
        .open
        .as_ref()
        .expect("a document")
        .project();
    assert_eq!(project.targets.len(), 1);
    // Once more: only the draft of the model is replaced.
    state.apply(DocumentCommand::Translate(Scope::Document));
    let Some(Request::Translate {
        sentences: requested,
        ..
    }) = state.shared.requests.pop()
    else {
        panic!("it is translated again");
    };
    assert_eq!(requested, [2]);
    state.apply(DocumentCommand::Cancel);

    let mut harness = window.harness();
    harness.run();
    harness.get_by_label_contains("Options").click();
    harness.run();
    harness
        .get_by_label("Translate drafts of the file anew")
        .click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    assert!(read(state, text.as_bytes()).expect("read again").drafts);
    assert_eq!(sentences(state)[0], pair("Open 1", ""));
    assert_eq!(sentences(state)[1], pair("Open 2", "Öffnen 2"));
}

#[test]
fn subtitles_show_their_times_and_their_reading_speed() {
    let srt = "1\n00:00:01,000 --> 00:00:03,000\nLook at it now.\n\n2\n00:00:04,000 --> 00:00:05,000\nThen wait for a while.\n";
    let document = Document::parse(
        "film.srt",
        Format::from_path("film.srt".as_ref()).expect("a format"),
        srt.to_owned(),
    );
    let mut window = Window::with_document(PAGE);
    let state = &mut window.state;
    state.apply(WindowCommand::OpenPath("film.srt".into()));
    let Some(FileRequest::OpenDocument { job, path, .. }) = state.shared.file_requests.pop() else {
        panic!()
    };
    state.receive(DocumentEvent::Opened {
        job,
        path,
        document: Arc::new(document.expect("subtitles")),
        project: None,
        project_error: None,
    });
    for (sentence, text) in [
        (0, "Sehen Sie hin."),
        (1, "Dann warten Sie eine ganze Weile."),
    ] {
        state.apply(EditCommand::Start(sentence));
        state.apply(EditCommand::Write(text.to_owned()));
        state.apply(EditCommand::Keep);
    }
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("0:00:01.0 → 0:00:03.0");
    harness.get_by_label("7.0 characters/s");
    harness.get_by_label("33.0 characters/s  ·  more than 17");
}
