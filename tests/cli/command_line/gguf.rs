//! Language models in GGUF files and folders of Hugging Face: tiny ones, whose words mean nothing, translate pages whole and
//! with their tags; they are imported, listed, chosen and removed, and what is broken is refused.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

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
    let more = [
        "--from",
        "en",
        "--to",
        "pt",
        "--json",
        "--alternatives",
        "3",
    ];
    let drawn = user.canopy(&[&["translate", &page, "--model", &model], &more[..]].concat());
    assert_done(&drawn);
    let drawn: Value = serde_json::from_slice(&drawn.stdout).expect("JSON");
    for (one, other) in sentences
        .iter()
        .zip(drawn["sentences"].as_array().expect("sentences"))
    {
        assert_eq!(one["target"], other["target"], "it is the greedy one");
        let alternatives = other["alternatives"].as_array().expect("a list");
        assert!(
            alternatives.len() <= 3 && !alternatives.contains(&one["target"]),
            "{other}"
        );
    }
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
        vec!["--view", "tree", "--sentence", "3"],
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
fn each_sentence_before_is_left_out_edited_and_shuffled() {
    let (user, model, _) = desk();
    let page = user.path("page.txt");
    fs::write(
        &page,
        "Open the file. Print two pages. It is long. Close it.",
    )
    .expect("written");
    let page = page.display().to_string();
    let arguments = ["explain", &page, "--model", &model, "--sentence", "3"];
    let languages = ["--from", "en", "--to", "pt", "--json"];
    let json = |more: &[&str]| -> Value {
        let output = user.canopy(&[&arguments[..], &languages, more].concat());
        assert_done(&output);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let answer = json(&["--view", "leave-one-out", "--edit", "1=Close the window."]);
    let all = &answer["leave_one_out"];
    let changes = all["changes"].as_array().expect("changes");
    let left_out = |change: &&Value| change["edit"].is_null();
    let sentences: Vec<u64> = changes
        .iter()
        .filter(left_out)
        .map(|it| it["sentence"].as_u64().expect("a number"))
        .collect();
    assert_eq!(sentences, [0, 1], "those before it, and none behind");
    for change in changes {
        let words = change["words"].as_array().expect("words");
        assert_eq!(words.len(), all["words"].as_array().expect("words").len());
        assert!(words.iter().any(|it| it.as_f64() != Some(0.0)), "{change}");
    }
    let masses: Vec<f64> = changes
        .iter()
        .filter(left_out)
        .map(|it| it["attention"].as_f64().expect("a mass"))
        .collect();
    assert!(
        masses.iter().all(|mass| *mass > 0.0) && masses.iter().sum::<f64>() < 1.0,
        "{masses:?}"
    );
    assert_eq!(changes.len(), 3);
    let answer = json(&["--view", "difference"]);
    let difference = &answer["difference"];
    assert_eq!(difference["written"].as_array().map(Vec::len), Some(3));
    let words = difference["words"].as_array().expect("words");
    assert!(
        words
            .iter()
            .any(|word| word["in_document"] != word["alone"])
    );
    let first = user.canopy(
        &[
            &[
                "explain",
                &page,
                "--model",
                &model,
                "--view",
                "leave-one-out",
            ],
            &languages[..],
        ]
        .concat(),
    );
    assert_failed(&first, &["no other sentence"]);
    let unsaid = user.canopy(&["explain", &page, "--model", &model, "--view", "difference"]);
    assert_eq!(unsaid.status.code(), Some(2), "{}", stderr(&unsaid));
}

#[test]
fn the_heads_of_a_probe_are_kept_with_an_installed_model_and_shown() {
    let (user, model, page) = desk();
    let probe = |model: &str| -> Value {
        let output = user.canopy(&["model", "probe", model, "--json"]);
        assert_done(&output);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    assert_done(&user.canopy(&["model", "import", &model]));
    let heads = probe("tiny");
    assert_eq!(heads, probe(&model), "the same model");
    assert_eq!(heads["heads"].as_array().map(Vec::len), Some(2));
    let kept = user.path(".local/share/canopy/models/tiny/heads.json");
    let traced = |score: &str| {
        fs::write(&kept, format!(
            "{{\"version\":1,\"layers\":1,\"heads\":2,\"scores\":[{{\"layer\":0,\"head\":1,\"score\":{score},\"found\":0.9}}]}}"
        )).expect("written");
        let trace = user.path("page.trace").display().to_string();
        let languages = ["--from", "en", "--to", "pt", "--model", "tiny"];
        let translate = ["translate", &page, "--trace", &trace, "--force", "--json"];
        assert_done(&user.canopy(&[&translate[..], &languages].concat()));
        let shown = user.canopy(&["explain", &trace, "--sentence", "3"]);
        assert_done(&shown);
        let one = user.canopy(&[
            "explain",
            &trace,
            "--sentence",
            "3",
            "--layer",
            "1",
            "--head",
            "2",
            "--json",
        ]);
        let usual = user.canopy(&["explain", &trace, "--sentence", "3", "--json"]);
        let weights = |output: &std::process::Output| {
            let view: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            view["context"]["sentences"].clone()
        };
        (stdout(&shown), weights(&one) == weights(&usual))
    };
    let (shown, is_that_head) = traced("0.5");
    assert!(
        shown.contains("heads 1.2 (layer.head), which find the antecedent"),
        "{shown}"
    );
    assert!(is_that_head);
    let (shown, is_that_head) = traced("-0.5");
    assert!(shown.contains("layer 1 · mean of 2 heads"), "{shown}");
    assert!(!is_that_head, "no head is sure");
}

#[test]
fn a_project_is_translated_by_its_language_model() {
    let (user, model, page) = desk();
    let folder = user.path("book").display().to_string();
    let memory = user.path("old.tsv");
    fs::write(&memory, "Files\tFicheiros\n").expect("written");
    let memory = memory.display().to_string();
    let new = [
        "project", "new", &folder, &page, "--from", "en", "--to", "pt",
    ];
    assert_done(&user.canopy(&[&new[..], &["--model", &model, "--memory", &memory]].concat()));
    let translate = ["project", "translate", &folder];
    let wrong = user.canopy(&[&translate[..], &["--beam", "4"]].concat());
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
    let done = user.canopy(&translate);
    assert_done(&done);
    assert!(stderr(&done).contains("3 sentences"), "{}", stderr(&done));
    let source = user.path("book/sources/page.html").display().to_string();
    let history = user.canopy(&["project", "history", &source, "--json"]);
    let history: Value = serde_json::from_slice(&history.stdout).expect("JSON");
    let newest = |sentence: usize| history["sentences"][sentence]["history"][0].clone();
    assert_eq!(
        (&newest(0)["origin"], &newest(0)["text"]),
        (&"memory".into(), &"Ficheiros".into())
    );
    assert_eq!(newest(1)["origin"], "machine");
    assert_done(&user.canopy(&["project", "export", &folder]));
    let written = fs::read_to_string(user.path("book/translated/page.html")).expect("written");
    assert!(written.contains("<h1>Ficheiros</h1>"), "{written}");
    assert_eq!(
        written.matches("<code>print()</code>").count(),
        1,
        "{written}"
    );
    // Without a name the one that is the default of its languages is taken.
    assert_done(&user.canopy(&["model", "import", &model]));
    assert_done(&user.canopy(&["model", "default", "en-pt", "tiny"]));
    assert_done(&user.canopy(&["project", "settings", &folder, "--no-model"]));
    let again = user.canopy(&[&translate[..], &["--again"]].concat());
    assert_done(&again);
    assert!(stderr(&again).contains("3 sentences"), "{}", stderr(&again));
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

#[test]
fn a_folder_of_hugging_face_is_a_model_like_a_file() {
    let (user, _, page) = desk();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/folders/qwen2");
    let folder = user.path("small-qwen");
    fs::create_dir(&folder).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("copied");
    }
    fs::write(folder.join("README.md"), "---\nlicense: cc0-1.0\n---\n").expect("written");
    fs::write(folder.join("pytorch_model.bin"), [0; 4_096]).expect("written");
    let model = folder.display().to_string();
    let to_french = ["translate", &page, "--from", "en", "--to", "fr", "--json"];
    let by = |model: &str| {
        let report = user.canopy(&[&to_french[..], &["--model", model]].concat());
        assert_done(&report);
        let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
        report["sentences"].clone()
    };
    let translated = by(&model);
    let sentences = translated.as_array().expect("sentences");
    assert_eq!(sentences.len(), 3);
    for sentence in sentences {
        let [source, target] =
            ["source", "target"].map(|side| sentence[side].as_str().expect("a text"));
        for mark in ["⟨1⟩", "⟨/1⟩", "⟨1/⟩", "⟨2/⟩"] {
            let count = |text: &str| text.matches(mark).count();
            assert_eq!(count(target), count(source), "{mark} in {sentence}");
        }
    }
    assert_done(&user.canopy(&["model", "import", &model]));
    let listed = user.listed("small-qwen");
    assert_eq!(
        (&listed["format"], &listed["licence"]),
        (&"safetensors (qwen2)".into(), &"cc0-1.0".into())
    );
    let installed = user.path(".local/share/canopy/models/small-qwen/model");
    assert!(installed.join("tokenizer.json").is_file());
    assert!(
        !installed.join("pytorch_model.bin").exists(),
        "it is not read"
    );
    assert_eq!(by("small-qwen"), translated);
    let described = stdout(&user.canopy(&["model", "describe", "small-qwen"]));
    assert!(
        described.contains("(qwen2)") && described.contains("converses"),
        "{described}"
    );
    let prompt = user.path("prompt.txt");
    fs::write(&prompt, "The bank").expect("written");
    let prompt = prompt.display().to_string();
    let completed = user.canopy(&[
        "model", "complete", &model, &prompt, "--tokens", "3", "--json",
    ]);
    assert_done(&completed);
    let completed: Value = serde_json::from_slice(&completed.stdout).expect("JSON");
    let written = completed["tokens"].as_array().map(Vec::len);
    assert!(
        written == Some(3) || completed["ended"] == true,
        "{completed}"
    );
    // A folder of a family that is not known says which are.
    let config = fs::read_to_string(folder.join("config.json")).expect("a file");
    let other = config.replace("\"qwen2\"", "\"phi3\"");
    fs::write(folder.join("config.json"), other).expect("written");
    let refused = user.canopy(&[&to_french[..], &["--model", &model]].concat());
    assert_failed(&refused, &["model_type", "phi3", "qwen3", "config.json"]);
    let refused = user.canopy(&["model", "import", &model]);
    assert_failed(&refused, &["exists"]);
    fs::write(folder.join("config.json"), config).expect("written");
    fs::remove_file(folder.join("model.safetensors")).expect("removed");
    let refused = user.canopy(&[&to_french[..], &["--model", &model]].concat());
    assert_failed(&refused, &["model.safetensors", "PyTorch"]);
}

/// A zip file with files in a folder of it.
fn zipped(name: &str, files: &[(&str, Vec<u8>)], to: &Path) -> String {
    let mut zip = zip::ZipWriter::new(fs::File::create(to).expect("writable"));
    for (file, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        let file = format!("{name}/{file}");
        zip.start_file(file, options).expect("a new file");
        zip.write_all(bytes).expect("writable");
    }
    zip.finish().expect("writable");
    to.display().to_string()
}

#[test]
fn a_zip_file_with_a_language_model_is_a_model_like_its_folder_or_its_file() {
    let (user, tiny_file, page) = desk();
    let folders = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/folders");
    let folder = folders.join("qwen2");
    let files = fs::read_dir(&folder).expect("a folder").flatten();
    let files: Vec<(String, Vec<u8>)> = files
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect();
    let files: Vec<(&str, Vec<u8>)> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.clone()))
        .collect();
    let of_folder = zipped("Qwen", &files, &user.path("small-qwen.zip"));
    let of_file = zipped("Tiny", &[("tiny.gguf", tiny())], &user.path("packed.zip"));
    let by = |model: &str| {
        let translate = ["translate", &page, "--from", "en", "--to", "fr", "--json"];
        let report = user.canopy(&[&translate[..], &["--model", model]].concat());
        assert_done(&report);
        let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
        report["sentences"].clone()
    };
    let folder = folder.display().to_string();
    for (packed, whole, name, file) in [
        (&of_folder, &folder, "small-qwen", "model/tokenizer.json"),
        (&of_file, &tiny_file, "packed", "model.gguf"),
    ] {
        let translated = by(whole);
        assert_eq!(by(packed), translated);
        assert_done(&user.canopy(&["model", "import", packed]));
        let listed = user.listed(name);
        assert!(listed["problem"].is_null(), "{listed}");
        let library = user.path(".local/share/canopy/models").join(name);
        assert!(library.join(file).is_file(), "{listed}");
        assert!(!library.join("unpacked").exists());
        assert_eq!(by(name), translated);
        let described = stdout(&user.canopy(&["model", "describe", packed]));
        assert!(described.contains("a language model"), "{described}");
    }
    // A damaged one leaves nothing behind.
    let bytes = fs::read(&of_file).expect("a file");
    let place = bytes.len() / 2;
    let damaged = [&bytes[..place], &[!bytes[place]], &bytes[place + 1..]].concat();
    let cut = user.path("cut.zip");
    fs::write(&cut, damaged).expect("written");
    let cut = cut.display().to_string();
    assert_failed(&user.canopy(&["model", "import", &cut]), &["cut.zip"]);
    assert!(!user.path(".local/share/canopy/models/cut").exists());
}

#[test]
fn who_translates_by_t5_is_told_that_it_reads_no_terms() {
    let (user, other, page) = desk();
    let terms = user.path("terms.tsv");
    fs::write(&terms, "file\tficheiro\n").expect("written");
    let terms = terms.display().to_string();
    let folders = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/llm/tests/data/folders");
    let madlad = folders.join("madlad").display().to_string();
    let told = |model: &str, more: &[&str]| {
        let translate = ["translate", &page, "--from", "en", "--to", "pt", "--json"];
        let output = user.canopy(&[&translate[..], &["--model", model], more].concat());
        assert_done(&output);
        stderr(&output).contains("reads each sentence by itself, without terms")
    };
    assert!(told(&madlad, &["--terms", &terms]));
    assert!(!told(&madlad, &[]));
    assert!(!told(&other, &["--terms", &terms]));
}
