//! Language models in GGUF files: a tiny one, whose words mean nothing, translates pages whole and with their tags; it is
//! imported, listed, chosen and removed, and what is broken is refused.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::command_line::desk::{assert_done, assert_failed, stderr, stdout};
use crate::command_line::imported::User;

const PAGE: &str = "<h1>Files</h1>\n<p>Open the <b>file</b>. Print 2 pages with <code>print()</code>, please.</p>\n<p>42</p>\n";

/// A model of one layer with random weights, by `src/llm/tests/data/tiny.py`.
fn tiny() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/tiny.gguf");
    fs::read(path).expect("a file of the repository")
}

/// A desk with a model and a page, and the names of both.
fn desk() -> (User, String, String) {
    let user = User::new();
    let put = |name: &str, bytes: &[u8]| {
        let path = user.path(name);
        fs::write(&path, bytes).expect("written");
        path.display().to_string()
    };
    let (model, page) = (put("tiny.gguf", &tiny()), put("page.html", PAGE.as_bytes()));
    (user, model, page)
}

#[test]
fn whatever_a_language_model_says_a_page_is_whole_and_has_its_tags() {
    let (user, model, page) = desk();
    let report = user.canopy(&[
        "translate",
        &page,
        "--model",
        &model,
        "--from",
        "en",
        "--to",
        "pt",
        "--json",
    ]);
    assert_done(&report);
    let message = stderr(&report);
    assert!(
        message.contains("tokens read") && message.contains("tokens/s"),
        "{message}"
    );
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(
        (&report["model"], &report["target_language"]),
        (&"tiny".into(), &"pt".into())
    );
    let sentences = report["sentences"].as_array().expect("sentences");
    assert_eq!(sentences.len(), 3, "a number is none");
    for sentence in sentences {
        let target = sentence["target"].as_str().expect("a translation");
        let source = sentence["source"].as_str().expect("a source");
        assert!(
            !target.trim().is_empty() && !target.contains('\n'),
            "{sentence}"
        );
        for mark in ["⟨1⟩", "⟨/1⟩", "⟨1/⟩", "⟨2/⟩"] {
            let count = |text: &str| text.matches(mark).count();
            assert_eq!(count(target), count(source), "{mark} in {sentence}");
        }
    }
    let (written, trace) = (user.path("page.pt.html"), user.path("page.trace"));
    let (output, trace) = (written.display().to_string(), trace.display().to_string());
    let done = user.canopy(&[
        "translate",
        &page,
        "--model",
        &model,
        "--from",
        "en",
        "--to",
        "pt",
        "-o",
        &output,
        "--trace",
        &trace,
    ]);
    assert_done(&done);
    let written = fs::read_to_string(written).expect("written");
    for part in ["<h1>", "<b>", "</b>", "<code>print()</code>", "<p>42</p>"] {
        assert_eq!(written.matches(part).count(), 1, "{part} in {written}");
    }
    let views = [
        vec!["--sentence", "3"],
        vec!["--view", "cross", "--sentence", "2"],
        vec!["--view", "gates", "--side", "target", "--sentence", "2"],
        vec!["--view", "sentences", "--side", "target", "--sentence", "3"],
    ];
    for view in views {
        let shown = user.canopy(&[&["explain", &trace, "--json"], &view[..]].concat());
        assert_done(&shown);
        assert!(shown.stdout.len() > 100, "{view:?}: {}", stdout(&shown));
    }
}

#[test]
fn a_language_model_is_a_model_like_others() {
    let (user, model, page) = desk();
    assert_done(&user.canopy(&["model", "import", &model]));
    let listed = user.listed("tiny");
    assert_eq!(
        (&listed["format"], &listed["licence"]),
        (&"GGUF (llama)".into(), &"CC0-1.0".into())
    );
    let list = stdout(&user.canopy(&["model", "list"]));
    assert!(list.contains("any → any"), "{list}");
    let described = user.canopy(&["model", "describe", "tiny"]);
    assert_done(&described);
    assert!(
        stdout(&described).contains("continues texts"),
        "{}",
        stdout(&described)
    );
    let to_french = ["translate", &page, "--from", "en", "--to", "fr", "--json"];
    let named = user.canopy(&[&to_french[..], &["--model", "tiny"]].concat());
    assert_done(&named);
    // Unasked it translates nothing, as the default of a pair it does.
    assert_done(&user.canopy(&["model", "default", "en-fr", "tiny"]));
    let by_default = user.canopy(&to_french);
    assert_done(&by_default);
    assert_eq!(by_default.stdout, named.stdout);
    // So it does with folders.
    let folder = user.path("pages");
    fs::create_dir(&folder).expect("made");
    fs::copy(&page, folder.join("page.html")).expect("copied");
    let (folder, to) = (
        folder.display().to_string(),
        user.path("to").display().to_string(),
    );
    let batch = [
        "translate",
        &folder,
        "-o",
        &to,
        "--from",
        "en",
        "--to",
        "fr",
    ];
    assert_done(&user.canopy(&batch));
    let again = user.canopy(&batch);
    assert!(stdout(&again).contains("unchanged"), "{}", stdout(&again));
    assert_done(&user.canopy(&["model", "remove", "tiny"]));
}

#[test]
fn what_a_language_model_has_no_use_for_or_no_sense_is_refused() {
    let (user, model, page) = desk();
    let translate =
        |more: &[&str]| user.canopy(&[&["translate", &page, "--model", &model], more].concat());
    let languages = ["--from", "en", "--to", "pt"];
    let is_wrong_usage = |more: &[&str], word: &str| {
        let output = translate(more);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    };
    is_wrong_usage(&["--from", "en"], "--to");
    for (option, value) in [("--beam", "4"), ("--reranker", &model)] {
        is_wrong_usage(&[&languages[..], &[option, value]].concat(), option);
    }
    let whole = tiny();
    let cut = user.path("cut.gguf");
    let cut_name = cut.display().to_string();
    let damaged = |name: &[u8], by: &[u8]| {
        let place = whole
            .windows(name.len())
            .position(|it| it == name)
            .expect("there");
        [&whole[..place], by, &whole[place + by.len()..]].concat()
    };
    let cases: [(Vec<u8>, &str); 4] = [
        (whole[..whole.len() / 2].to_vec(), "does not fit in a file"),
        (whole[..30].to_vec(), "the file"),
        (
            damaged(b"llama.block_count", b"llama.block_bount"),
            "block_count",
        ),
        (damaged(b"blk.0.attn_q", b"blk.0.attn_z"), "attn_q"),
    ];
    for (bytes, words) in cases {
        fs::write(&cut, bytes).expect("written");
        for command in [
            vec!["model", "import", &cut_name],
            vec![
                "translate",
                &page,
                "--model",
                &cut_name,
                "--from",
                "en",
                "--to",
                "pt",
            ],
        ] {
            assert_failed(&user.canopy(&command), &["cut.gguf", words]);
        }
    }
    let library = user.path(".local/share/canopy/models");
    let left = fs::read_dir(&library).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{}", library.display());
}
