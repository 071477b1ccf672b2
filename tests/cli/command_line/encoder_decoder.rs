//! A model with an encoder, T5 as MADLAD-400 is one: it translates sentence by sentence, a page is whole all the same, and its
//! trace is the attention to each sentence.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::command_line::desk::{assert_done, assert_failed, stderr, stdout};
use crate::command_line::imported::User;

/// A user, the tiny model by `src/llm/tests/data/folders/make.py`, and a page.
fn desk() -> (User, String, String) {
    let user = User::new();
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = user.path("small-madlad");
    fs::create_dir(&folder).expect("made");
    let from = repository.join("src/llm/tests/data/folders/madlad");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("copied");
    }
    let page = repository.join("assets/samples/printing-a-brochure.html");
    (
        user,
        folder.display().to_string(),
        page.display().to_string(),
    )
}

#[test]
fn a_page_is_whole_with_its_tags_and_its_trace_is_that_of_each_sentence() {
    let (user, model, page) = desk();
    let (output, trace) = (user.path("page.html"), user.path("page.trace"));
    let (output, trace) = (output.display().to_string(), trace.display().to_string());
    let languages = ["--from", "en", "--to", "pt", "--model", &model];
    let to = ["-o", &output, "--trace", &trace];
    let done = user.canopy(&[&["translate", &page], &languages[..], &to].concat());
    assert_done(&done);
    let message = stderr(&done);
    assert!(message.contains("tokens read"), "{message}");
    assert!(!message.contains("dropped from the context"), "{message}");
    let [source, written] = [&page, &output].map(|path| fs::read_to_string(path).expect("a page"));
    // Tags of the head, such as the language, may be others.
    let tags = |page: &str| {
        let body = page.split_once("<body").map_or(page, |parts| parts.1);
        let tags = body.split('<').skip(1).map(|tag| tag.split('>').next());
        let mut tags: Vec<String> = tags.flatten().map(str::to_owned).collect();
        tags.sort_unstable();
        tags
    };
    assert_eq!(tags(&written), tags(&source));
    assert_ne!(written, source);
    let explained = |view: &[&str]| user.canopy(&[&["explain", &trace, "--json"], view].concat());
    let cross = explained(&["--view", "cross", "--sentence", "3"]);
    assert_done(&cross);
    assert!(cross.stdout.len() > 100, "{}", stdout(&cross));
    let tree = explained(&["--view", "tree", "--sentence", "3"]);
    assert!(!tree.status.success(), "no sentence before is read");
}

#[test]
fn it_is_a_model_like_others_for_languages_that_it_has_a_tag_for() {
    let (user, model, page) = desk();
    assert_done(&user.canopy(&["model", "import", &model]));
    assert_eq!(user.listed("small-madlad")["format"], "safetensors (t5)");
    let described = stdout(&user.canopy(&["model", "describe", "small-madlad"]));
    assert!(described.contains("each sentence by itself"), "{described}");
    let probed = user.canopy(&["model", "probe", "small-madlad"]);
    assert!(
        stdout(&probed).contains("nothing to probe"),
        "{}",
        stdout(&probed)
    );
    let to = |code: &str, more: &[&str]| {
        let languages = ["translate", &page, "--from", "en", "--to", code, "--json"];
        user.canopy(&[&languages[..], &["--model", "small-madlad"], more].concat())
    };
    let report = to("de", &[]);
    assert_done(&report);
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let sentences = report["sentences"].as_array().expect("sentences");
    assert!(sentences.len() > 5, "{report}");
    for sentence in sentences {
        let target = sentence["target"].as_str().expect("a translation");
        assert!(!target.trim().is_empty(), "{sentence}");
    }
    assert_failed(&to("nl", &[]), &["<2nl>", "Dutch"]);
    let prompt = user.path("prompt.txt");
    fs::write(&prompt, "<2pt> The bank is closed.").expect("written");
    let prompt = prompt.display().to_string();
    let answered = user.canopy(&[
        "model", "complete", &model, &prompt, "--tokens", "5", "--json",
    ]);
    assert_done(&answered);
    let answered: Value = serde_json::from_slice(&answered.stdout).expect("JSON");
    let written = answered["tokens"].as_array().map_or(0, Vec::len);
    assert!(written == 5 || answered["ended"] == true, "{answered}");
}
