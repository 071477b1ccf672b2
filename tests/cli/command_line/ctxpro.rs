//! Sets in the form of CTXPRO: imported, combined with others, scored.

use serde_json::{Value, json};

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stdout};

/// An item as CTXPRO's JSON has it.
fn item(film: &str, segment: u32, (source, target): (&str, &str), expected: &str) -> Value {
    json!({
        "document id": film,
        "segment id": segment,
        "src segment": source,
        "ref segment": target,
        "expected": expected,
        "ante distance": segment % 3,
        "rule": "DO.ELL",
    })
}

/// Four items of three films, and the sentences before each.
fn set(desk: &Desk) -> [String; 2] {
    let items = [
        item("films/kettle", 4, ("I do.", "Eu sei."), "sei"),
        item("films/kettle", 7, ("So will I.", "Eu também vou."), "vou"),
        item("films/ladder", 2, ("- She did.", "- Ela viu."), "viu"),
        item("films/anchor", 9, ("I do.", "Eu gosto."), "gosto"),
    ];
    let inputs = "Who knows the way to the mill?<eos> I do.\n\
        The kettle sings.<eos> They go home.<eos> So will I.\n\
        - She did.\n\
        Who likes the rain?<eos> Not me.<eos> I do.\n";
    let items = desk.file("set.json", json!(items).to_string());
    [items, desk.file("set.inputs", inputs)]
}

fn import(desk: &Desk, split: &str, name: &str, more: &[&str]) -> String {
    let ([items, inputs], corpus) = (set(desk), desk.path(name));
    let fixed = [
        "corpus", "import", "ctxpro", split, &items, &inputs, "--from", "en", "--to", "pt", "-o",
        &corpus,
    ];
    assert_done(&canopy(&[&fixed, more].concat()));
    corpus
}

/// Sources of all units, the documents one after the other.
fn sources(lines: &str) -> Vec<Vec<String>> {
    let document = |line: &str| {
        let document: Value = serde_json::from_str(line).expect("JSON");
        let paragraphs = document["paragraphs"].as_array().expect("paragraphs");
        let source = |it: &Value| {
            it["units"][0]["source"]
                .as_str()
                .expect("a text")
                .to_owned()
        };
        paragraphs.iter().map(source).collect()
    };
    lines.lines().map(document).collect()
}

#[test]
fn a_word_that_the_sentences_before_decide_is_scored() {
    let desk = Desk::new();
    let corpus = import(&desk, "--test", "corpus", &["--sentences", "1"]);
    let documents = desk.read("corpus/test.jsonl");
    assert_eq!(
        sources(&documents),
        [
            &["Not me.", "I do."][..],
            &["Who knows the way to the mill?", "I do."],
            &["They go home.", "So will I."],
            &["- She did."],
        ]
    );
    assert_eq!(documents.matches("\"status\":\"context\"").count(), 3);
    assert_eq!(documents.matches("\"status\":\"new\"").count(), 4);
    let manifest: Value = serde_json::from_str(&desk.read("corpus/corpus.json")).expect("JSON");
    assert_eq!(manifest["version"], 3);
    let found = desk.file(
        "found.txt",
        "Eu gosto!\nEu faço.\nEu também VOU.\nEla viu-o.\n",
    );
    let other = desk.file("other.txt", "Faço.\nSei.\nVoutra.\nVi.\n");
    let arguments = ["evaluate", "--corpus", &corpus, "--output", &found, &other];
    let report = canopy(&[&arguments[..], &["--json"]].concat());
    assert_done(&report);
    let report: Value = serde_json::from_str(&stdout(&report)).expect("JSON");
    let expected = &report["expected"];
    assert_eq!(
        (&expected["segments"], &expected["origins"]),
        (&json!(4), &json!(3))
    );
    let systems: Vec<&Value> = (0..2)
        .map(|at| &expected["systems"][at]["accuracy"])
        .collect();
    assert_eq!(systems, [75.0, 25.0]);
    assert_eq!(expected["distances"][0]["name"], "the sentence itself");
    let text = canopy(&arguments);
    assert!(
        stdout(&text).contains("4 segments from 3 origins"),
        "{}",
        stdout(&text)
    );
}

#[test]
fn the_attention_to_the_sentence_that_decides_is_reported_by_distance() {
    let desk = Desk::new();
    let corpus = import(&desk, "--test", "corpus", &[]);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/starter-en-pt");
    let arguments = [
        "attention-statistics",
        "--corpus",
        &corpus,
        "--model",
        model,
        "--device",
        "cpu",
    ];
    let report = canopy(&[&arguments[..], &["--json"]].concat());
    assert_done(&report);
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let heads = report["attention"].as_array().expect("a list");
    assert!(!heads.is_empty());
    for head in heads {
        // Two items have it one sentence before; of the others one decides by itself, and one has no sentence before.
        let deciding = head["deciding"].as_array().expect("a list");
        let known = deciding.iter().map(|it| (&it["from"], &it["sentences"]));
        let expected = [(&Value::Null, &json!(2)), (&json!(1), &json!(2))];
        assert_eq!(known.collect::<Vec<_>>(), expected);
        let share = |name: &str| deciding[0][name].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&share("share")) && share("first") <= share("chosen"));
    }
    let text = canopy(&arguments);
    assert!(
        stdout(&text).contains("the one before"),
        "{}",
        stdout(&text)
    );
}

#[test]
fn the_control_has_the_sentences_of_other_items() {
    let desk = Desk::new();
    import(&desk, "--test", "control", &["--wrong-context"]);
    assert_eq!(
        sources(&desk.read("control/test.jsonl")),
        [
            &["The kettle sings.", "They go home.", "I do."][..],
            &["I do."],
            &["Who likes the rain?", "Not me.", "So will I."],
            &["Who knows the way to the mill?", "- She did."],
        ]
    );
}

#[test]
fn items_stay_as_they_are_among_other_corpora() {
    let desk = Desk::new();
    let items = import(&desk, "--train", "items", &[]);
    // The sentence of an item may be a development sentence of another corpus.
    let [source, target] = [("a.en", "<d>\nI do.\n"), ("a.pt", "<d>\nSim.\n")]
        .map(|(name, text)| desk.file(name, text));
    let other = desk.path("other");
    assert_done(&canopy(&[
        "corpus", "import", "text", "--source", &source, "--target", &target, "--from", "en",
        "--to", "pt", "--split", "dev", "-o", &other,
    ]));
    let both = desk.path("both");
    let combine = ["corpus", "combine", &items, &other, "-o", &both, "--json"];
    assert_done(&canopy(&combine));
    let train = desk.read("both/train.jsonl");
    assert_eq!(train.matches("\"status\":\"new\"").count(), 4);
    assert_eq!(train.matches("\"status\":\"context\"").count(), 5);
}

#[test]
fn what_is_wrong_with_a_set_is_reported_with_its_place() {
    let desk = Desk::new();
    let [items, inputs] = set(&desk);
    let corpus = desk.path("corpus");
    let import = |items: &str, inputs: &str| {
        canopy(&[
            "corpus", "import", "ctxpro", items, inputs, "--from", "en", "--to", "pt", "-o",
            &corpus,
        ])
    };
    let short = desk.file("short", "Yes.<eos> I do.\n");
    assert_failed(
        &import(&items, &short),
        &["short", "line 2", "1 lines for 4 items"],
    );
    let other = desk.read("set.inputs").replace("So will I", "So do I");
    let other = desk.file("other", other);
    assert_failed(&import(&items, &other), &["other", "line 2", "So do I."]);
    let broken = desk.file(
        "broken.json",
        desk.read("set.json").replacen("expected", "e", 1),
    );
    assert_failed(
        &import(&broken, &inputs),
        &["broken.json", "item 1", "expected"],
    );
    let none = desk.file("none.json", "{}");
    assert_failed(&import(&none, &inputs), &["none.json", "line 1"]);
}
