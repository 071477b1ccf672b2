//! Choices of `canopy corpus select-context`.

use std::fs;
use std::path::Path;

use canopy::corpus::{
    Chosen, Corpus, CorpusInfo, CorpusWriter, DocumentContexts, Split, Unit, read_contexts,
};
use canopy::weights::{Precision, read_tensors, write_tensors};
use serde_json::Value;

use crate::encoders::desk::{Desk, assert_done, assert_failed, canopy, stderr, stdout};
use crate::encoders::{reference, tiny};

/// The small Sentence-BERT as an encoder folder.
pub fn encoder(desk: &Desk) -> String {
    let output = desk.path("encoder");
    let place = reference("tiny-bert").to_string_lossy().into_owned();
    assert_done(&canopy(&[
        "model", "import", "sbert", &place, "-o", &output,
    ]));
    output
}

/// A corpus with a document for each list of sentences; the first is for development, the others for training.
pub fn corpus(desk: &Desk, name: &str, documents: &[&[&str]]) -> String {
    let path = desk.path(name);
    let info = CorpusInfo {
        name: name.to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        origin: String::new(),
        licence: String::new(),
    };
    let mut writer = CorpusWriter::create(Path::new(&path), info, false).expect("new");
    for (number, sentences) in documents.iter().enumerate() {
        let split = if number == 0 {
            Split::Dev
        } else {
            Split::Train
        };
        let units = sentences.iter();
        let units = units.map(|text| Unit::new((*text).to_owned(), "x".to_owned()));
        let document = tiny::document(&format!("{name}-{number}"), units.collect());
        writer.add(split, document).expect("written");
    }
    let corpus: Corpus = writer.finish().expect("a corpus");
    corpus.folder().to_string_lossy().into_owned()
}

/// Sentences of which some stand more than once, and a document without any.
fn repeating(desk: &Desk) -> String {
    let documents: [&[&str]; 4] = [
        &["Print the page.", "Close the window."],
        &["Save it.", "Print the page.", "Save it.", "Save it."],
        &[],
        &["Close the window."],
    ];
    corpus(desk, "corpus", &documents)
}

fn select(desk: &Desk, arguments: &[&str]) -> Vec<DocumentContexts> {
    let output = desk.path("contexts.jsonl");
    let fixed = [
        "corpus",
        "select-context",
        "--force",
        "--device",
        "cpu",
        "-o",
        &output,
    ];
    assert_done(&canopy(&[&fixed[..], arguments].concat()));
    read_contexts(Path::new(&output)).expect("contexts").1
}

/// The best of each sentence of a document.
fn best<'a>(found: &'a [DocumentContexts], id: &str) -> Vec<Option<&'a Chosen>> {
    let document = found.iter().find(|document| document.id == id);
    let sentences = &document.expect("a document").sentences;
    sentences.iter().map(|chosen| chosen.first()).collect()
}

fn places(found: &[DocumentContexts], id: &str) -> Vec<Option<usize>> {
    let best = best(found, id).into_iter();
    best.map(|chosen| chosen.map(|chosen| chosen.sentence))
        .collect()
}

#[test]
fn the_most_similar_other_sentence_is_chosen_and_of_equals_the_nearer() {
    let desk = Desk::new();
    let (encoder, corpus) = (encoder(&desk), repeating(&desk));
    for measure in ["cosine", "euclidean", "manhattan", "snr", "snr-variance"] {
        let arguments = [
            "--corpus",
            &corpus,
            "--encoder",
            &encoder,
            "--measure",
            measure,
        ];
        let found = select(&desk, &arguments);
        assert_eq!(found.len(), 4, "documents, the empty one too");
        let chosen = places(&found, "corpus-1");
        assert_eq!(
            [chosen[0], chosen[2], chosen[3]],
            [Some(2), Some(3), Some(2)]
        );
        assert_eq!(places(&found, "corpus-2"), []);
        assert_eq!(places(&found, "corpus-3"), [None], "there is no other");
        let first = best(&found, "corpus-1")[0].expect("chosen");
        let same = if measure == "cosine" { 1.0 } else { 0.0 };
        assert!(
            (first.score.expect("a score") - same).abs() < 1e-5,
            "{first:?}"
        );
    }
}

#[test]
fn ranges_reach_other_documents_and_the_index() {
    let desk = Desk::new();
    let (encoder, corpus) = (encoder(&desk), repeating(&desk));
    let base = ["--corpus", &corpus, "--encoder", &encoder, "--range"];
    let found = select(&desk, &[&base[..], &["all", "--index", &corpus]].concat());
    let window = best(&found, "corpus-0")[1].expect("chosen");
    let document = window.document.as_deref();
    assert_eq!((document, window.sentence), (Some("corpus-3"), 0));
    assert!(window.in_index);
    let own = best(&found, "corpus-1")[0].expect("chosen");
    assert_eq!(
        (own.document.as_deref(), own.sentence),
        (None, 2),
        "not twice"
    );

    let found = select(&desk, &[&base[..], &["all"]].concat());
    assert_eq!(places(&found, "corpus-0"), [Some(1), Some(0)], "no index");
    assert_eq!(places(&found, "corpus-3").len(), 1);
    assert!(best(&found, "corpus-3")[0].is_some_and(|chosen| !chosen.in_index));

    let hybrid = ["hybrid", "--hybrid", "1", "--index", &corpus];
    let found = select(&desk, &[&base[..], &hybrid].concat());
    let of_dev = best(&found, "corpus-0");
    assert!(
        of_dev[0].is_some_and(|chosen| chosen.in_index),
        "the first looks everywhere"
    );
    assert!(of_dev[1].is_some_and(|chosen| chosen.document.is_none()));
}

#[test]
fn previous_and_same_need_no_encoder() {
    let desk = Desk::new();
    let corpus = repeating(&desk);
    let found = select(
        &desk,
        &["--corpus", &corpus, "--type", "previous", "--top", "2"],
    );
    assert_eq!(
        places(&found, "corpus-1"),
        [None, Some(0), Some(1), Some(2)]
    );
    let document = found.iter().find(|document| document.id == "corpus-1");
    let third = &document.expect("there").sentences[2];
    let third: Vec<usize> = third.iter().map(|one| one.sentence).collect();
    assert_eq!(third, [1, 0], "the nearest first");
    let found = select(&desk, &["--corpus", &corpus, "--type", "same"]);
    assert_eq!(places(&found, "corpus-0"), [Some(0), Some(1)]);
    let output = desk.path("other.jsonl");
    let without = canopy(&[
        "corpus",
        "select-context",
        "--corpus",
        &corpus,
        "-o",
        &output,
    ]);
    let message = stderr(&without);
    assert_eq!(without.status.code(), Some(2), "{message}");
    assert!(
        message.contains("--encoder") && message.contains("sbert"),
        "{message}"
    );
}

#[test]
fn what_was_done_is_reported_and_nothing_is_replaced() {
    let desk = Desk::new();
    let (encoder, corpus) = (encoder(&desk), repeating(&desk));
    let output = desk.path("contexts.jsonl");
    let arguments = [
        "corpus",
        "select-context",
        "--corpus",
        &corpus,
        "--encoder",
        &encoder,
        "--device",
        "cpu",
        "--json",
        "-o",
        &output,
    ];
    let done = canopy(&arguments);
    assert_done(&done);
    let json: Value = serde_json::from_str(&stdout(&done)).expect("JSON");
    assert_eq!(json["report"]["sentences"], 7);
    assert_eq!(json["report"]["without_context"], 1);
    assert_eq!(json["contexts"]["measure"], "cosine");
    assert_eq!(json["contexts"]["encoder"], "tiny-bert");
    assert_failed(&canopy(&arguments), &["contexts.jsonl", "--force"]);
}

#[test]
fn encoders_that_cannot_be_used_are_refused() {
    let desk = Desk::new();
    let (encoder, corpus) = (encoder(&desk), repeating(&desk));
    let output = desk.path("contexts.jsonl");
    let select = |encoder: &str| {
        canopy(&[
            "corpus",
            "select-context",
            "--corpus",
            &corpus,
            "--encoder",
            encoder,
            "--device",
            "cpu",
            "-o",
            &output,
        ])
    };
    assert_failed(&select(&corpus), &["encoder.toml"]);
    let words = desk.path("words");
    let place = reference("tiny-bert").to_string_lossy().into_owned();
    assert_done(&canopy(&["model", "import", "bert", &place, "-o", &words]));
    assert_failed(&select(&words), &["words, not sentences", "sbert"]);

    let path = Path::new(&encoder).join("weights.safetensors");
    let whole = read_tensors(&path).expect("readable");
    tiny::spoil(&path, "norm.beta", f32::NAN);
    assert_failed(&select(&encoder), &["norm.beta", "NaN"]);
    let mut spoilt = whole.clone();
    spoilt.remove("norm.beta");
    write_tensors(&path, &spoilt, Precision::Full).expect("written");
    assert_failed(&select(&encoder), &["norm.beta", "missing"]);
    write_tensors(&path, &whole, Precision::Full).expect("written");

    let other = desk.path("other");
    let place = reference("tiny-use").to_string_lossy().into_owned();
    assert_done(&canopy(&["model", "import", "use", &place, "-o", &other]));
    let model = Path::new(&other).join("vocabulary.model");
    fs::write(&model, b"no model").expect("written");
    assert_failed(&select(&other), &["vocabulary.model"]);
    assert!(!Path::new(&output).exists());
}
