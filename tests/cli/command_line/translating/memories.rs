//! Translation memories of the command line.

use super::*;

#[test]
fn what_a_memory_has_exactly_is_taken_over() {
    let desk = Desk::new();
    let memory = desk.file(
        "mine.tsv",
        "Close the window.\tMach das Fenster zu.\nOpen the file.\tMach die Datei auf.\n",
    );
    let output = desk.translate_text(&["--format", "html", "--memory", &memory], PAGE);
    assert_done(&output);
    let text = stdout(&output);
    assert!(text.contains("Mach das Fenster zu.</p>"), "{text}");
    // A memory does not know where the tags belong: what it has for a sentence with some is only looked up.
    let marked = ["--format", "html", "--json", "--memory", &memory];
    let output = desk.translate_text(&marked, PAGE);
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let flags = |sentence: usize| report["sentences"][sentence]["flags"].to_string();
    assert!(!flags(0).contains("memory") && flags(1).contains("memory"));
    let memory = desk.file(
        "mine.tmx",
        "<tmx version='1.4'><header srclang='en'/><body><tu><tuv xml:lang='en'><seg>Close the window.</seg></tuv>\
         <tuv xml:lang='de'><seg>Fenster zu.</seg></tuv></tu></body></tmx>",
    );
    let output = desk.translate_text(&["--json", "--memory", &memory], "Close the window.");
    assert_done(&output);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sentence = &report["sentences"][0];
    assert_eq!(sentence["target"], "Fenster zu.");
    assert_eq!(sentence["flags"], serde_json::json!(["memory"]));
    assert!(sentence["log_prob"].is_null() && sentence["tokens"] == 0);
    let similar =
        serde_json::json!({"source": "Close the window.", "target": "Fenster zu.", "score": 1.0});
    assert_eq!(sentence["similar"][0], similar);
    let broken = desk.file("broken.tsv", "Open the file.\n");
    let output = desk.translate_text(&["--format", "html", "--memory", &broken], PAGE);
    assert_failed(&output, &["broken.tsv", "1", ".tmx"]);
}

#[test]
fn several_memories_count_in_their_order_each_with_its_penalty() {
    let desk = Desk::new();
    let vendor = "Close the window.\tMach das Fenster zu.\nOpen the file.\tMach die Datei auf.\n";
    let (own, vendor) = (
        desk.file("own.tsv", "Close the window.\tFenster zu.\n"),
        desk.file("vendor.tsv", vendor),
    );
    let translated = |memories: [&str; 2]| -> Value {
        let [first, second] = memories;
        let arguments = ["--json", "--memory", first, "--memory", second];
        let output = desk.translate_text(&arguments, "Close the window.\n\nOpen the file.");
        assert_done(&output);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let penalized = format!("{vendor}=20");
    for memories in [[own.as_str(), &penalized], [&penalized, &own]] {
        let report = translated(memories);
        let [closed, opened] = [0, 1].map(|sentence| &report["sentences"][sentence]);
        assert_eq!(
            closed["target"], "Fenster zu.",
            "the exact one, {memories:?}"
        );
        assert_ne!(opened["flags"], serde_json::json!(["memory"]), "not exact");
        let similar = &opened["similar"][0];
        assert_eq!(similar["target"], "Mach die Datei auf.");
        let score = similar["score"].as_f64().expect("a number");
        assert!((score - 0.8).abs() < 1e-6, "{score}");
    }
    for (memories, closed) in [
        ([&own, &vendor], "Fenster zu."),
        ([&vendor, &own], "Mach das Fenster zu."),
    ] {
        let report = translated(memories.map(String::as_str));
        assert_eq!(report["sentences"][0]["target"], closed);
        assert_eq!(report["sentences"][1]["target"], "Mach die Datei auf.");
    }
    let lost = desk.path("lost.tsv");
    let arguments = ["--memory", &own, "--memory", &lost];
    let output = desk.translate_text(&arguments, "Close the window.");
    assert_failed(&output, &["lost.tsv"]);
    let arguments = ["--memory", &own, "--memory", &format!("{vendor}=51")];
    let output = desk.translate_text(&arguments, "Close the window.");
    assert_misused(&output, &["--memory", "0 to 50"]);
}

#[test]
fn learning_for_a_document_needs_something_to_learn_from() {
    let desk = Desk::new();
    let memory = desk.file("mine.tsv", "Close the window.\tMach das Fenster zu.\n");
    let output = desk.translate_text(&["--memory", &memory, "--adapt"], "Close a window.");
    assert_done(&output);
    let output = desk.translate_text(&["--adapt"], "Close a window.");
    assert_eq!(output.status.code(), Some(2), "there is no memory");
}

#[test]
fn what_was_looked_up_in_a_memory_of_ones_own_is_shown() {
    let desk = Desk::new();
    let memory = desk.file("mine.tsv", "Close the window.\tMach das Guckloch zu.\n");
    let page = desk.file("page.txt", "Close a window.\n");
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/help-en-de");
    let arguments = [
        "explain", &page, "--view", "memory", "--model", model, "--device", "cpu",
    ];
    let output = canopy(&[&arguments[..], &["--memory", &memory]].concat());
    assert_done(&output);
    assert!(stdout(&output).contains("Guckloch"), "{}", stdout(&output));
    assert_failed(&canopy(&arguments), &["nothing was looked up", "memory"]);
}
