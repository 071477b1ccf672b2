//! Firefox's own students, computed as Firefox's engine computes them. Its translations of FLORES dev are next to the models.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use canopy::inference::{DeviceChoice, SearchOptions, Translator};
use canopy::interchange::{Archive, open};
use canopy::kernels::packed::{Integers, Kept, PackedMatrix, Quantization, Scratch, Table};
use canopy::text::document::{Document, Format};
use tempfile::TempDir;

use super::cases::folders;
use crate::support::firefox::{self, SHORTLIST};

/// Lines that are translated.
const LINES: usize = 120;

/// A copy of a folder with the settings under the name that Marian gives them.
fn copied(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let name = if name.starts_with("config.intgemm") {
            "decoder.yml"
        } else {
            &*name
        };
        let is_model = [".bin", ".spm", ".yml"]
            .iter()
            .any(|end| name.ends_with(end));
        if is_model {
            fs::write(copy.path().join(name), fs::read(&path).expect("readable"))
                .expect("writable");
        }
    }
    copy
}

/// Translations of lines, each a paragraph.
fn translated(translator: &Translator, lines: &[&str], beam_size: usize) -> Vec<String> {
    let text = lines.join("\n\n");
    let document = Document::parse("lines", Format::Text, text).expect("a text");
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut found = vec![None; all.len()];
    let done = translator.translate(&document, &all, &options, &mut |sentence, translation| {
        found[sentence] = Some(translation.text);
        ControlFlow::Continue(())
    });
    done.expect("translates");
    let text = document.translated(&found);
    text.split("\n\n").map(str::to_owned).collect()
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn lines_become_what_firefox_makes_of_them() {
    for folder in folders("firefox-") {
        let copy = copied(&folder);
        let translator = Translator::open(copy.path(), DeviceChoice::Cpu).expect("a model");
        let model = translator.model();
        assert_eq!(model.packing(), Some(Quantization::Int8));
        assert!(model.shortlist.is_some(), "its own shortlist");
        assert_eq!(
            (model.beam_size, model.length_penalty),
            (Some(1), Some(1.0))
        );
        let (source, target) = if folder.ends_with("firefox-en-pt") {
            ("flores-dev.en", "flores-dev.firefox.pt")
        } else {
            ("flores-dev.pt", "flores-dev.firefox.en")
        };
        let [sources, expected] =
            [source, target].map(|name| fs::read_to_string(folder.join(name)).expect("a text"));
        let sources: Vec<&str> = sources.lines().take(LINES).collect();
        let found = translated(&translator, &sources, 0);
        assert_eq!(found.len(), LINES);
        // Spaces at the end of a line are kept here.
        let found = found.iter().map(|line| line.trim_end());
        let same = found.zip(expected.lines()).filter(|(a, b)| a == b);
        let same = same.count();
        assert!(same * 100 >= LINES * 75, "{target}: {same} of {LINES}");
        // The requested action is done.
        let mut floats = translator.clone();
        floats.loaded_mut().quantize(Quantization::None);
        floats.loaded_mut().score_all_words();
        let others = translated(&floats, &sources, 4);
        let same = others.iter().zip(expected.lines()).filter(|(a, b)| a == b);
        assert!(
            same.count() * 100 < LINES * 90,
            "floats and a beam are not Firefox's"
        );
    }
}

#[test]
fn a_shortlist_that_is_damaged_is_refused_with_what_to_do() {
    let unpacked = tempfile::tempdir().expect("a temporary folder");
    firefox::copy_to(unpacked.path());
    let copy = copied(unpacked.path());
    let path = copy.path().join(SHORTLIST);
    let whole = fs::read(&path).expect("a shortlist");
    let opened = || {
        let mut archive = Archive::open(copy.path()).expect("a folder");
        open(&mut archive).map(|model| model.shortlist.is_some())
    };
    assert!(opened().expect("a model"));
    let mut damaged = whole.clone();
    damaged[100_000] ^= 1;
    for bytes in [&damaged, &whole[..whole.len() - 8]] {
        fs::write(&path, bytes).expect("writable");
        let message = opened().expect_err("damaged").to_string();
        let words = [SHORTLIST, "damaged", "remove it"];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    fs::remove_file(&path).expect("removed");
    assert!(!opened().expect("a model that scores all words"));
}

/// Products with the integers of a file are intgemm's of unsigned rows, to the last bit where the processor has products of
/// bytes.
#[test]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "small numbers"
)]
fn products_of_integers_are_those_of_intgemm() {
    let (rows, [inputs, outputs]) = (7, [70, 41]);
    let number = |i: usize| (i * 37 % 101) as f32 / 5.0 - 10.0;
    let x: Vec<f32> = (0..rows * inputs).map(number).collect();
    let bias: Vec<f32> = (0..outputs).map(number).collect();
    let bytes: Vec<i8> = (0..inputs * outputs)
        .map(|i| i16::try_from(i * 53 % 255).expect("small") - 127)
        .map(|it| it as i8)
        .collect();
    let (multiplier, activations) = (150.0_f32, 20.0_f32);
    let integers = Integers {
        bytes: bytes.clone(),
        multiplier,
        activations: Some(activations),
        is_turned: true,
    };
    let table = Table::kept(Kept::Integers(integers), [inputs, outputs]);
    let packed = PackedMatrix::from_integers(&[(&table, Some(&bias))]).expect("integers");
    let mut found = Vec::new();
    packed.multiply(&x, &mut found, &mut Scratch::default());
    let mut beyond = 0;
    for (place, found) in found.iter().enumerate() {
        let (row, column) = (place / outputs, place % outputs);
        let weights = bytes[column * inputs..][..inputs].iter();
        let sum: i32 = weights.clone().map(|&byte| i32::from(byte)).sum();
        let products = weights.zip(&x[row * inputs..]).map(|(&byte, x)| {
            let steps = (x * activations).round_ties_even();
            beyond += usize::from(steps.abs() > 127.0);
            (steps.clamp(-127.0, 127.0) as i32 + 127) * i32::from(byte)
        });
        let products: i32 = products.sum();
        let step = -((127.0 / activations) * (127.0 / multiplier)) / 127.0;
        let zero = bias[column] + sum as f32 * step;
        let expected = products as f32 * (1.0 / (activations * multiplier)) + zero;
        if cfg!(target_arch = "x86_64") {
            assert_eq!(found.to_bits(), expected.to_bits(), "{found} {expected}");
        } else {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
    }
    assert!(beyond > 0, "numbers beyond the largest step");
}
