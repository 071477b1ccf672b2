//! Output of `canopy corpus similarity`.

use serde_json::Value;

use crate::encoders::desk::{Desk, assert_done, assert_failed, canopy, stdout};
use crate::encoders::selecting::{corpus, encoder};

const PAGE: &str = "<p>Save it. Print the <b>page</b>. Save it.</p><p>Close the window.</p>\n";

#[test]
fn all_pairs_become_a_figure_or_numbers() {
    let desk = Desk::new();
    let (encoder, page) = (encoder(&desk), desk.file("page.html", PAGE));
    let show = |name: &str| {
        let output = desk.path(name);
        canopy(&[
            "corpus",
            "similarity",
            &page,
            "--encoder",
            &encoder,
            "--device",
            "cpu",
            "-o",
            &output,
        ])
    };
    for name in ["matrix.svg", "matrix.csv", "matrix.json"] {
        let output = show(name);
        assert_done(&output);
        assert_eq!(stdout(&output), "", "no picks unless requested");
    }
    let figure = desk.read("matrix.svg");
    for text in ["page.html", "Print the page.", "tiny-bert"] {
        assert!(figure.contains(text), "{text}");
    }
    let numbers = desk.read("matrix.csv");
    assert_eq!(numbers.lines().count(), 1 + 16);
    let mut lines = numbers.lines();
    let same = lines.find(|line| line.starts_with("1,3,"));
    assert!(
        same.is_some_and(|line| line.ends_with(",true")),
        "{numbers}"
    );
    assert!(numbers.contains("2,2,,false\r\n"), "{numbers}");
    assert_failed(&show("matrix.svg"), &["matrix.svg", "--force"]);
    assert_failed(&show("matrix.pdf"), &[".svg"]);
}

#[test]
fn picks_are_shown_for_each_range() {
    let desk = Desk::new();
    let (encoder, page) = (encoder(&desk), desk.file("page.html", PAGE));
    let index = corpus(&desk, "index", &[&["Unused."], &["Close the window."]]);
    let base = [
        "corpus",
        "similarity",
        &page,
        "--encoder",
        &encoder,
        "--device",
        "cpu",
    ];
    let output = canopy(&base);
    assert_done(&output);
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 8, "each alone: {text}");
    let with_index = ["--index", &index, "--hybrid", "1", "--json"];
    let output = canopy(&[&base[..], &with_index].concat());
    assert_done(&output);
    let json: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let picks = &json[3]["picks"];
    assert_eq!(picks["all"]["document"], "index-1");
    assert_eq!(picks["all"]["text"], "Close the window.");
    assert_eq!(picks["hybrid 1"], picks["each"]);
    assert_eq!(json[0]["picks"]["each"]["sentence"], 2);
}

#[test]
fn empty_documents_have_nothing_to_show() {
    let desk = Desk::new();
    let (encoder, page) = (encoder(&desk), desk.file("page.html", ""));
    let output = desk.path("matrix.svg");
    let show = [
        "corpus",
        "similarity",
        &page,
        "--encoder",
        &encoder,
        "--device",
        "cpu",
        "--picks",
        "-o",
        &output,
    ];
    let done = canopy(&show);
    assert_done(&done);
    assert_eq!(stdout(&done), "");
}
