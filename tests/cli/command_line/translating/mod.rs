//! `canopy translate`: where documents come from and go to, what is reported about them, and what a memory adds.

mod memories;
mod places;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::command_line::desk::{Desk, PAGE, assert_done, assert_failed, canopy, stderr, stdout};
use crate::command_line::tiny;

/// Ended with exit code 2, a message with all of `words`, and nothing on standard output.
#[track_caller]
fn assert_misused(output: &Output, words: &[&str]) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in: {message}");
    }
    assert_eq!(stdout(output), "");
}

#[test]
fn without_a_graphics_card_weights_of_16_bits_are_those_of_32_and_it_is_said() {
    let desk = Desk::new();
    let plain = desk.translate_text(&[], "Open the file.\n");
    let output = desk.translate_text(&["--quantize", "float16"], "Open the file.\n");
    assert_done(&output);
    assert_eq!(stdout(&output), stdout(&plain));
    let warning = "--quantize float16 is for a graphics card of this machine; weights keep 32 bits";
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
    assert!(!stderr(&plain).contains(warning));
}

#[test]
fn readers_are_addressed_as_requested() {
    let starter = canopy::inference::starter_model().expect("shipped");
    let starter = starter.to_str().expect("a path");
    let text = "You can save your document.\n\nDo you want to close your file?\n\nYou can see your changes here.\n";
    let desk = Desk::new();
    let source = desk.file("page.txt", text);
    let translated = |form: &[&str]| {
        let model = ["translate", &source, "--model", starter, "--device", "cpu"];
        let output = canopy(&[&model[..], form].concat());
        assert_done(&output);
        stdout(&output)
    };
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.map(str::to_owned).collect()
    };
    let familiar = |word: &String| {
        let word = word.to_lowercase();
        ["du", "dich", "dir"].contains(&word.as_str()) || word.starts_with("dein")
    };
    let formal = |word: &String| word == "Sie" || word == "Ihnen" || word.starts_with("Ihr");
    let du = words(&translated(&["--formality", "du"]));
    assert!(
        du.iter().filter(|word| familiar(word)).count() >= 3,
        "{du:?}"
    );
    assert!(!du.iter().any(formal), "{du:?}");
    let sie = words(&translated(&["--formality", "sie"]));
    assert!(
        sie.iter().filter(|word| formal(word)).count() >= 3,
        "{sie:?}"
    );
    assert!(!sie.iter().any(familiar), "{sie:?}");
    let one = words(&translated(&["--formality", "majority"]));
    assert!(
        one.iter().any(familiar) != one.iter().any(formal),
        "{one:?}"
    );
}

#[test]
fn an_address_is_for_english_to_german() {
    let desk = Desk::new();
    let source = desk.file("page.txt", "Öffnen.");
    let output = canopy(&[
        "translate",
        &source,
        "--from",
        "de",
        "--to",
        "en",
        "--device",
        "cpu",
        "--formality",
        "du",
    ]);
    assert_failed(&output, &["--formality", "English to German", "de to en"]);
}

#[test]
fn standard_input_is_translated_to_standard_output() {
    let desk = Desk::new();
    let output = desk.translate_text(&[], "Open the file.\n\nClose the window.\n");
    assert_done(&output);
    let text = stdout(&output);
    assert!(
        text.contains("\n\n") && text.ends_with('\n') && !text.contains("Open the file"),
        "{text}"
    );
    let output = desk.translate_text(&["-"], "Open the file.\n\nClose the window.\n");
    assert_done(&output);
    assert_eq!(stdout(&output), text);
    let output = desk.translate_text(&["--format", "html", "-o", "-"], PAGE);
    assert_done(&output);
    assert!(stdout(&output).starts_with("<p>") && stdout(&output).matches("<b>").count() == 1);
    for [from, to] in [["en", "de"], ["en-US", "de_DE"]] {
        let output = desk.translate_text(&["--from", from, "--to", to], "");
        assert_done(&output);
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_file_of_an_unknown_ending_is_translated_as_the_message_says() {
    let desk = Desk::new();
    let notes = desk.file("notes.wiki", "Open the file.\n");
    let refused = desk.translate(&[&notes]);
    assert_failed(&refused, &["notes.wiki", "--format"]);
    let message = stderr(&refused);
    let (_, advice) = message.split_once("--format ").expect("advice");
    let format = advice.split([',', ' ', ')']).next().expect("a value");
    assert_done(&desk.translate(&[&notes, "--format", format]));
    // Only this command has the option.
    let refused = canopy(&["explain", &notes, "--view", "difference", "--device", "cpu"]);
    assert_failed(&refused, &["notes.wiki"]);
    assert!(!stderr(&refused).contains("--format"));
}

#[test]
fn json_has_every_sentence() {
    let desk = Desk::new();
    let one = desk.file("one.html", PAGE);
    let output = desk.translate(&[&one, "--json"]);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (
            &report["document"],
            &report["source_language"],
            &report["target_language"]
        ),
        (&"one.html".into(), &"en".into(), &"de".into())
    );
    let sentences = report["sentences"].as_array().expect("a list");
    assert_eq!(sentences.len(), 2);
    assert_eq!(sentences[0]["source"], "Open the ⟨1⟩file⟨/1⟩.");
    let target = sentences[0]["target"].as_str().expect("a text");
    assert!(
        target.contains("⟨1⟩") && target.contains("⟨/1⟩"),
        "{target}"
    );
    for (index, sentence) in sentences.iter().enumerate() {
        assert_eq!(sentence["index"], index);
        assert!(
            sentence["source"].is_string()
                && sentence["target"].is_string()
                && sentence["flags"].is_array()
        );
        assert!(
            sentence["log_prob"]
                .as_f64()
                .is_some_and(|log_prob| log_prob < 0.0),
            "{sentence}"
        );
    }
    let nothing = desk.translate_text(&["--json"], "");
    assert_done(&nothing);
    assert_eq!(
        serde_json::from_slice::<Value>(&nothing.stdout).expect("JSON")["sentences"],
        Value::Array(Vec::new())
    );
}

#[test]
fn other_languages_than_the_models_are_refused() {
    let desk = Desk::new();
    for arguments in [["--from", "fr"], ["--to", "fr"]] {
        assert_misused(
            &desk.translate_text(&arguments, "Open."),
            &["en to de", "fr", "--model"],
        );
    }
}

#[test]
fn each_sentence_of_the_context_is_left_out_and_may_be_edited() {
    let desk = Desk::new();
    let text = "The printer is on the desk. Open the file. It is large.\n";
    let page = desk.file("page.txt", text);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/starter-en-de");
    let arguments = [
        "explain",
        &page,
        "--view",
        "leave-one-out",
        "--sentence",
        "3",
        "--model",
        model,
        "--device",
        "cpu",
    ];
    let output = canopy(&[&arguments[..], &["--edit", "2=Open the window."]].concat());
    assert_done(&output);
    let text = stdout(&output);
    for expected in [
        "sentence 3 · all words · ln p −",
        "likelihood",
        "The printer is on the desk.",
        "Open the file. → Open the window.",
        "attention: sentence 3",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let json = canopy(&[&arguments[..], &["--json"]].concat());
    assert_done(&json);
    let report: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let view = &report["leave_one_out"];
    let changes = view["changes"].as_array().expect("a list");
    let sentences: Vec<_> = changes
        .iter()
        .map(|change| change["sentence"].as_u64())
        .collect();
    assert_eq!(sentences, [Some(0), Some(1)]);
    assert!(changes.iter().all(|change| change["percent"].is_number()));
    assert_misused(
        &canopy(&["explain", &page, "--view", "difference", "--edit", "2=x"]),
        &["--edit", "leave-one-out"],
    );
    assert_failed(
        &canopy(&[&arguments[..], &["--edit", "9=x"]].concat()),
        &["sentence 9", "the document has 3"],
    );
    // A starter reads each sentence by itself.
    let alone = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/help-en-de");
    let alone = [
        "explain",
        &page,
        "--view",
        "leave-one-out",
        "--model",
        alone,
        "--device",
        "cpu",
    ];
    assert_failed(&canopy(&alone), &["reads each sentence by itself"]);
}

#[test]
fn a_trace_is_written_beside_the_translation() {
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let plain = stdout(&desk.translate(&[&page]));
    for name in ["page.trace", "page.json"] {
        let path = desk.path(name);
        let output = desk.translate(&[&page, "--trace", &path]);
        assert_done(&output);
        assert_eq!(stdout(&output), plain, "tracing changed the translation");
        let trace = canopy::trace::open(Path::new(&path)).expect("a trace");
        assert!(trace.num_maps() > 0);
        // What only the model can explain needs the document.
        let output = canopy(&["explain", &path, "--view", "memory"]);
        assert_misused(&output, &["--view memory", "document"]);
        assert_failed(&desk.translate(&[&page, "--trace", &path]), &[name]);
    }
    let wrong = desk.path("page.xml");
    assert_failed(
        &desk.translate(&[&page, "--trace", &wrong]),
        &[".json", ".trace"],
    );
    assert_failed(
        &desk.translate(&[&page, &page, "--trace", &desk.path("two.trace")]),
        &["trace"],
    );
}

#[test]
fn a_pseudo_translation_needs_no_model() {
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let pseudo = |how: &str, more: &[&str]| {
        let mut arguments = vec!["translate", "--pseudo", how, &page];
        arguments.extend(more);
        canopy(&arguments)
    };
    let output = pseudo("identity", &[]);
    assert_done(&output);
    assert_eq!(stdout(&output), PAGE);
    let output = pseudo("accents", &["-o", &desk.path("out.html")]);
    assert_done(&output);
    let written = desk.read("out.html");
    assert!(
        written.starts_with("<p>[") && written.contains("]</p>"),
        "{written}"
    );
    assert_eq!(written.matches("<b>").count(), PAGE.matches("<b>").count());
    assert_done(&pseudo("accents", &["--json"]));
    assert_misused(&pseudo("reversed", &[]), &["identity", "accents"]);
}

#[test]
fn a_translation_is_exported_for_other_tools() {
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let export = |format: &str, more: &[&str]| {
        let mut arguments = vec![
            "translate",
            "--pseudo",
            "identity",
            "--export",
            format,
            &page,
        ];
        arguments.extend(more);
        canopy(&arguments)
    };
    let output = export("tmx", &["--from", "en", "--to", "de"]);
    assert_done(&output);
    assert!(stdout(&output).contains("<tuv xml:lang=\"de\"><seg>Close the window.</seg></tuv>"));
    let folder = desk.path(".");
    assert_done(&export("bilingual-html", &["-o", &folder]));
    assert!(desk.read("page.html.html").contains("<table>"));
    assert_misused(&export("nothing", &[]), &["xliff", "interleaved"]);
}

#[test]
fn subtitles_have_as_much_room_as_is_said() {
    let desk = Desk::new();
    let times = "1\n00:00:01,000 --> 00:00:02,000\n";
    let cue = desk.file("a.srt", format!("{times}One two three four five six.\n"));
    let output = canopy(&[
        "translate",
        "--pseudo",
        "accents",
        "--line-chars",
        "20",
        &cue,
    ]);
    assert_done(&output);
    let text = stdout(&output);
    let lines = text.strip_prefix(times).expect("the times").lines();
    assert!(
        lines.clone().count() > 1 && lines.clone().all(|line| line.chars().count() <= 20),
        "{text}"
    );
    let bad = desk.file("bad.srt", "nothing of the kind\n");
    let output = canopy(&[
        "translate",
        "--pseudo",
        "identity",
        &bad,
        "-o",
        &desk.path("out.srt"),
    ]);
    assert_failed(&output, &["bad.srt", "line 1"]);
    assert!(!desk.names().contains(&"out.srt".to_owned()));
}

#[test]
fn drafts_of_a_file_stay_unless_they_are_to_be_translated_anew() {
    let desk = Desk::new();
    let unit = |id: u8, target: &str| {
        format!("<trans-unit id=\"{id}\"><source>Open {id}</source>{target}</trans-unit>")
    };
    let text = format!(
        "<xliff version=\"1.2\"><file original=\"a\" source-language=\"en\" datatype=\"plaintext\"><body>{}{}</body></file></xliff>",
        unit(1, "<target state=\"needs-translation\">Auf</target>"),
        unit(2, "<target state=\"final\">Zwei</target>"),
    );
    let file = desk.file("a.xlf", &text);
    let output = desk.translate(&[&file]);
    assert_done(&output);
    assert_eq!(stdout(&output), text);
    let message = stderr(&output);
    assert!(
        message.contains('1') && message.contains("--retranslate-drafts"),
        "{message}"
    );
    let output = desk.translate(&[&file, "--retranslate-drafts"]);
    assert_done(&output);
    let written = stdout(&output);
    assert!(
        written.contains(">Zwei<") && !written.contains(">Auf<"),
        "{written}"
    );
    assert!(!stderr(&output).contains("--retranslate-drafts"));
}
