//! One corpus of several: shares, and what is held out.

use serde_json::Value;

use crate::command_line::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};

const WORDS: [(&str, &str); 8] = [
    ("apple", "Apfel"),
    ("bridge", "Brücke"),
    ("candle", "Kerze"),
    ("donkey", "Esel"),
    ("engine", "Motor"),
    ("feather", "Feder"),
    ("garden", "Garten"),
    ("hammer", "Hammer"),
];

/// A corpus of these pairs, each a document of its own.
fn corpus(desk: &Desk, name: &str, split: &str, pairs: &[(&str, &str)]) -> String {
    let side = |of: fn(&(&str, &str)) -> String| {
        let lines = pairs.iter().map(|pair| format!("<d>\n{}\n", of(pair)));
        lines.collect::<Vec<_>>().concat()
    };
    let source = desk.file(&format!("{name}.en"), side(|pair| pair.0.to_owned()));
    let target = desk.file(&format!("{name}.de"), side(|pair| pair.1.to_owned()));
    let folder = desk.path(name);
    let import = [
        "corpus", "import", "text", "--source", &source, "--target", &target, "--from", "en",
        "--to", "de", "--split", split, "-o", &folder,
    ];
    assert_done(&canopy(&import));
    folder
}

/// A corpus of `count` documents with five target words each.
fn plenty(desk: &Desk, name: &str, count: usize) -> String {
    let pairs: Vec<(String, String)> = (0..count)
        .map(|at| {
            let (one, other) = (WORDS[at % 8], WORDS[(at / 8 + at + 1) % 8]);
            let source = format!("{name} {at}: the {} lies beside the {}.", one.0, other.0);
            let target = format!("{name} {at}: {} neben {}.", one.1, other.1);
            (source, target)
        })
        .collect();
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&**a, &**b)).collect();
    corpus(desk, name, "train", &pairs)
}

fn report(arguments: &[&str]) -> Value {
    let output = canopy(arguments);
    assert_done(&output);
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

#[test]
fn nothing_like_a_held_out_source_is_learnt() {
    let desk = Desk::new();
    let pages = corpus(
        &desk,
        "pages",
        "train",
        &[
            (
                "Choose File - Print to print the whole document.",
                "Wählen Sie Datei - Drucken.",
            ),
            (
                "Choose File - Print to print the whole page!",
                "Wählen Sie Datei - Drucken!",
            ),
            (
                "Open the garden gate slowly.",
                "Öffnen Sie langsam das Gartentor.",
            ),
            (
                "Open the garden gate slowly.",
                "Öffnen Sie langsam das Gartentor.",
            ),
            ("LibreOffice", "LibreOffice"),
            ("Yes.", "Ja, das ist ein viel zu langer Satz für so wenig."),
            ("A cat sleeps on the wall.", "Кошка спит на стене."),
        ],
    );
    let kept_back = corpus(
        &desk,
        "kept-back",
        "test",
        &[("Choose File – Print to print the whole document", "Anders.")],
    );
    let whole = desk.path("whole");
    let combine = [
        "corpus",
        "combine",
        &pages,
        "--without",
        &kept_back,
        "-o",
        &whole,
        "--json",
    ];
    let json = report(&combine);
    let part = &json["report"]["parts"][0];
    for (what, count) in [
        ("pairs", 7),
        ("equal", 1),
        ("alike", 1),
        ("identical", 1),
        ("doubtful", 2),
        ("repeated", 1),
        ("kept", 1),
    ] {
        assert_eq!(part[what], count, "{what}: {part:#}");
    }
    let train = desk.read("whole/train.jsonl");
    assert!(
        train.contains("garden gate") && !train.contains("Choose File"),
        "{train}"
    );
    assert_failed(&canopy(&combine), &["whole", "--force"]);
    assert_done(&canopy(&[&combine[..], &["--force"]].concat()));
}

#[test]
fn held_out_documents_of_one_part_are_kept_out_of_another() {
    let desk = Desk::new();
    let pairs = [
        (
            "Open the garden gate slowly.",
            "Öffnen Sie langsam das Gartentor.",
        ),
        (
            "Close every window at night.",
            "Schließen Sie nachts jedes Fenster.",
        ),
    ];
    let train = corpus(&desk, "first", "train", &pairs);
    let test = corpus(&desk, "second", "test", &pairs[1..]);
    let whole = desk.path("whole");
    let json = report(&["corpus", "combine", &train, &test, "-o", &whole, "--json"]);
    assert_eq!(json["report"]["parts"][0]["equal"], 1);
    assert_eq!(json["statistics"]["train"]["units"], 1);
    assert_eq!(json["statistics"]["test"]["units"], 1);
    assert!(desk.read("whole/test.jsonl").contains("\"second/"));
}

#[test]
fn parts_have_their_shares() {
    let desk = Desk::new();
    let (few, many) = (plenty(&desk, "few", 20), plenty(&desk, "many", 80));
    let whole = desk.path("whole");
    let half = format!("{few}=0.5");
    let json = report(&["corpus", "combine", &half, &many, "-o", &whole, "--json"]);
    let parts = &json["report"]["parts"];
    assert_eq!(parts[0]["times"], 4.0, "{parts:#}");
    assert_eq!(
        (&parts[0]["share"], &parts[1]["share"]),
        (&0.5.into(), &0.5.into())
    );
    assert_eq!(json["statistics"]["train"]["documents"], 160);
    assert_eq!(json["statistics"]["train"]["repeated"], 0);
    let shares = [format!("{few}=0.3"), format!("{many}=0.7")];
    let all = [
        "corpus", "combine", &shares[0], &shares[1], "-o", &whole, "--json", "--force",
    ];
    let json = report(&all);
    assert_eq!(json["statistics"]["train"]["documents"], 100);
    assert_eq!(json["report"]["parts"][1]["documents"], 70);
}

#[test]
fn what_cannot_be_combined_is_named() {
    let desk = Desk::new();
    let pages = plenty(&desk, "pages", 3);
    let output = canopy(&[
        "corpus",
        "combine",
        &format!("{pages}=1.5"),
        "-o",
        &desk.path("x"),
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("1.5"), "{}", stderr(&output));
    let combine = |inputs: &[&str], output: &str| {
        canopy(&[&["corpus", "combine"], inputs, &["-o", output, "--force"]].concat())
    };
    let missing = desk.path("missing");
    assert_failed(&combine(&[&pages, &missing], &desk.path("x")), &["missing"]);
    assert_failed(
        &combine(&[&pages], &pages),
        &["pages", "name another place"],
    );
    assert_failed(&combine(&[&pages, &pages], &desk.path("x")), &["same name"]);
    let french = desk.read("pages/corpus.json").replace("\"de\"", "\"fr\"");
    for split in ["train", "dev", "test"] {
        let documents = desk.read(&format!("pages/{split}.jsonl"));
        desk.file(&format!("french/{split}.jsonl"), documents);
    }
    desk.file("french/corpus.json", french);
    let mixed = combine(&[&pages, &desk.path("french")], &desk.path("x"));
    assert_failed(&mixed, &["french", "en to fr", "en to de"]);
}
