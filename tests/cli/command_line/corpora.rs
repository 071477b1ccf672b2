//! Corpora are made of files, and contrastive sets of corpora.

use std::path::Path;

use canopy::model::MemoryUse;
use canopy::weights::Precision;
use serde_json::Value;

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};
use crate::command_line::tiny;

#[test]
fn a_talk_set_becomes_a_corpus() {
    let desk = Desk::new();
    let talk = |segments: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<mteval>\n<refset><doc docid=\"d\">\n<talkid>767</talkid>\n\
             {segments}</doc></refset></mteval>\n"
        )
    };
    let source = talk("<seg id=\"1\"> Save & print. </seg>\n<seg id=\"2\"> Thank you.\n");
    let target = talk("<seg id=\"1\"> Sichern. </seg>\n<seg id=\"2\"> Danke. </seg>\n");
    let (source, target) = (desk.file("en.xml", source), desk.file("de.xml", target));
    let corpus = desk.path("corpus");
    let import = [
        "corpus", "import", "iwslt", "--source", &source, "--target", &target, "--from", "en",
        "--to", "de", "--split", "test", "-o", &corpus,
    ];
    let output = canopy(&import);
    assert_done(&output);
    assert!(
        stdout(&output).contains("2 pairs of segments"),
        "{}",
        stdout(&output)
    );
    assert!(desk.read("corpus/test.jsonl").contains("Save & print."));
    assert_failed(&canopy(&import), &["corpus", "--force"]);
}

#[test]
fn a_table_becomes_a_corpus() {
    let desk = Desk::new();
    let table = desk.file(
        "pairs.tsv",
        "en\tde\nSave & print.\tSichern.\nThank you.\t\n\nGo on.\tWeiter.\n",
    );
    let corpus = desk.path("corpus");
    let import = [
        "corpus", "import", "tsv", &table, "--from", "en", "--to", "de", "-o", &corpus, "--json",
    ];
    let output = canopy(&import);
    assert_done(&output);
    let json: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let report = &json["report"];
    assert_eq!(report["pairs"], 2, "{json}");
    assert_eq!(report["incomplete"], 1, "{json}");
    assert_eq!(report["documents"], 2, "{json}");
    assert_failed(&canopy(&import), &["corpus", "--force"]);
}

/// A page with what the rules need: articles that show a gender, and two sentences with `it`.
fn pages(desk: &Desk) -> String {
    let source =
        "<d>\nSelect a frame.\nDelete a frame.\nOpen a frame.\nIt is moved.\nThen it is deleted.\n";
    let target = "<d>\nWählen Sie einen Rahmen.\nLöschen Sie einen Rahmen.\nÖffnen Sie einen Rahmen.\n\
        Er wird verschoben.\nDann wird er gelöscht.\n";
    let (source, target) = (desk.file("page.en", source), desk.file("page.de", target));
    let corpus = desk.path("pages");
    let import = [
        "corpus", "import", "text", "--source", &source, "--target", &target, "--from", "en",
        "--to", "de", "--split", "test", "-o", &corpus,
    ];
    assert_done(&canopy(&import));
    corpus
}

#[test]
fn ordinary_pages_are_no_help_of_libreoffice() {
    let desk = Desk::new();
    desk.file("en/page.html", "<p>Open the file.</p>");
    desk.file("de/page.html", "<p>Öffnen Sie die Datei.</p>");
    let (source, target, corpus) = (desk.path("en"), desk.path("de"), desk.path("corpus"));
    let import = [
        "corpus",
        "import",
        "libreoffice-help",
        "--source",
        &source,
        "--target",
        &target,
        "--from",
        "en",
        "--to",
        "de",
        "-o",
        &corpus,
    ];
    assert_failed(&canopy(&import), &["same id", "import folders"]);
    assert_eq!(desk.names(), ["de", "en"]);
}

#[test]
fn a_split_without_segments_is_not_evaluated() {
    let desk = Desk::new();
    let corpus = pages(&desk);
    let output = canopy(&["evaluate", "--corpus", &corpus, "--split", "dev"]);
    assert_failed(&output, &["dev documents", "--split", "pages"]);
}

#[test]
fn a_contrastive_set_is_made_and_scored() {
    let desk = Desk::new();
    let (corpus, set) = (pages(&desk), desk.path("set.json"));
    let make = |more: &[&str]| {
        let make = ["contrast", "make", "--corpus", &corpus, "-o", &set];
        canopy(&[&make[..], more].concat())
    };
    let output = make(&[]);
    assert_done(&output);
    assert!(
        stdout(&output).starts_with("2 items in 1 documents"),
        "{}",
        stdout(&output)
    );
    assert_failed(&make(&[]), &["set.json", "--force"]);
    assert_failed(&make(&["--force", "--kind", "terms"]), &["terms", "test"]);
    let figure = desk.path("figure.svg");
    let model = desk.model.path().to_str().expect("a name").to_owned();
    let score = |set: &str, more: &[&str]| {
        let score = [
            "contrast", "score", "--device", "cpu", "--model", &model, "--set", set,
        ];
        canopy(&[&score[..], more].concat())
    };
    // The set is not even looked for.
    for (name, words) in [("figure.pdf", ".svg"), ("missing/figure.svg", "folder")] {
        let refused = score("nowhere.json", &["-o", &desk.path(name)]);
        assert_failed(&refused, &[name, words]);
    }
    let output = score(&set, &["-o", &figure]);
    assert_done(&output);
    for part in [
        "chance",
        "33.3 %",
        "all sentences before",
        " of 2",
        "by pronoun",
    ] {
        assert!(stdout(&output).contains(part), "{}", stdout(&output));
    }
    assert!(desk.read("figure.svg").starts_with("<svg"));
    assert_failed(&score(&set, &["-o", &figure]), &["figure.svg"]);
    let output = score(&set, &["--json", "--gold-target-context"]);
    assert_done(&output);
    assert!(
        stderr(&output).contains("changes nothing"),
        "{}",
        stderr(&output)
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let scores = report["models"][0]["items"][1]["log_probs"]
        .as_array()
        .expect("scores");
    assert!(scores.len() == 3 && scores.iter().all(|x| x.as_f64().is_some_and(|x| x < 0.0)));
    assert_eq!(report["models"][0]["target_context"], "none");
    assert_eq!(
        report["models"][0]["accuracies"]["total"]["accuracy"],
        Value::Null
    );
    assert_done(&make(&["--force", "--limit", "1", "--seed", "3"]));
    let drawn = desk.read("set.json");
    assert_done(&make(&["--force", "--limit", "1", "--seed", "3"]));
    assert_eq!(desk.read("set.json"), drawn);
    let broken = desk.file("broken.json", drawn.replace("\"correct\"", "\"right\""));
    assert_failed(&score(&broken, &[]), &["broken.json", "item 1", "correct"]);
}

#[test]
fn contrastive_scores_say_that_they_know_no_memory() {
    let desk = Desk::new();
    let (corpus, set) = (pages(&desk), desk.path("set.json"));
    let make = ["contrast", "make", "--corpus", &corpus, "-o", &set];
    assert_done(&canopy(&make));
    let model = desk.path("looks-up");
    let mut description = tiny::description();
    description.model.memory_use = Some(MemoryUse::KnnMt);
    let (weights, vocabulary) = (tiny::talkative_model(1), tiny::vocabulary());
    let saved = description.save(Path::new(&model), &weights, &vocabulary, Precision::Full);
    saved.expect("a saved model");
    let output = canopy(&[
        "contrast", "score", "--device", "cpu", "--model", &model, "--set", &set,
    ]);
    assert_done(&output);
    let warning = "warning: tiny en-de: its memory is not used here";
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
}
