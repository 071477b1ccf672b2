//! Unreadable files are reported with file and field, and nothing in them is run.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use canopy::interchange::{Archive, open};
use tempfile::TempDir;

use super::cases::folders;

/// A copy of a folder's files.
fn copied(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let bytes = fs::read(&path).expect("readable");
        fs::write(copy.path().join(path.file_name().expect("a name")), bytes).expect("writable");
    }
    copy
}

fn problem(folder: &Path) -> String {
    let archive = Archive::open(folder).and_then(|mut archive| open(&mut archive));
    archive.expect_err("it was read").to_string()
}

#[track_caller]
fn assert_refused(folder: &Path, parts: &[&str]) {
    let problem = problem(folder);
    for part in parts {
        assert!(problem.contains(part), "{problem:?} does not tell {part:?}");
    }
}

fn edited(folder: &Path, file: &str, from: &str, to: &str) -> TempDir {
    let copy = copied(folder);
    let path = copy.path().join(file);
    let text = fs::read_to_string(&path).expect("a text");
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(&path, text.replace(from, to)).expect("writable");
    copy
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn every_missing_file_is_named() {
    for (beginning, files) in [
        (
            "marian-base",
            &[
                "model.safetensors",
                "source.spm",
                "target.spm",
                "vocab.json",
            ][..],
        ),
        (
            "marian-native-separate",
            &["source.vocab.yml", "target.vocab.yml"],
        ),
        ("ctranslate2-base-1-int8", &["shared_vocabulary.json"]),
    ] {
        for folder in folders(beginning) {
            for file in files {
                let copy = copied(&folder);
                fs::remove_file(copy.path().join(file)).expect("a file of the case");
                let name = file
                    .trim_start_matches("model")
                    .trim_start_matches("shared");
                let name = if name == ".safetensors" {
                    "safetensors"
                } else {
                    name
                };
                let name = if file.starts_with("shared") {
                    "vocabulary.json"
                } else {
                    name
                };
                assert_refused(copy.path(), &[name]);
            }
        }
    }
}

#[test]
fn an_empty_folder_is_refused_as_one() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    assert_refused(empty.path(), &["it is an empty folder"]);
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn settings_that_are_not_known_are_named() {
    for (folder, file, from, to, parts) in [
        (
            "marian-base",
            "config.json",
            "\"swish\"",
            "\"mish\"",
            &["config.json", "activation_function", "mish"][..],
        ),
        (
            "marian-base",
            "config.json",
            "\"marian\"",
            "\"bart\"",
            &["config.json", "model_type", "bart"],
        ),
        (
            "marian-base",
            "config.json",
            "\"d_model\": 64",
            "\"d_model\": 60",
            &["model.shared.weight", "64", "60"],
        ),
        (
            "marian-base",
            "config.json",
            "\"decoder_layers\": 2",
            "\"decoder_layers\": 3",
            &["model.decoder.layers.2", "missing"],
        ),
        (
            "marian-base",
            "config.json",
            "\"vocab_size\": 547",
            "\"vocab_size\": 99999999999",
            &["config.json"],
        ),
        (
            "marian-native-ssru",
            "decoder.yml",
            "relative-paths: true",
            "relative-paths: [",
            &["decoder.yml"],
        ),
        (
            "marian-native-ssru",
            "opus.spm.vocab.yml",
            "</s>: 0",
            "</s>: none",
            &["opus.spm.vocab.yml", "</s>"],
        ),
        (
            "ctranslate2-base-1-int8",
            "shared_vocabulary.json",
            "\"</s>\"",
            "\"</t>\"",
            &["eos_token", "</s>"],
        ),
    ] {
        for folder in folders(folder) {
            assert_refused(edited(&folder, file, from, to).path(), parts);
        }
    }
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn files_that_are_cut_off_or_filled_with_anything_are_errors() {
    for (beginning, file) in [
        ("marian-base", "model.safetensors"),
        ("marian-multi", "pytorch_model.bin"),
        (
            "marian-native-separate",
            "opus.spm.transformer-align.model1.npz.best-perplexity.npz",
        ),
        ("ctranslate2-base-1-int8", "model.bin"),
    ] {
        for folder in folders(beginning) {
            let copy = copied(&folder);
            let path = copy.path().join(file);
            let whole = fs::read(&path).expect("a file of the case");
            for length in [0, 3, 100, whole.len() / 2, whole.len() - 1] {
                fs::write(&path, &whole[..length]).expect("writable");
                problem(copy.path());
            }
            for start in (0..whole.len().min(4_000)).step_by(97) {
                let mut bytes = whole.clone();
                let end = bytes.len().min(start + 50);
                bytes[start..end].fill(0xff);
                fs::write(&path, bytes).expect("writable");
                // Some changes are those of weights, which cannot be detected; none may panic.
                let _ = Archive::open(copy.path()).and_then(|mut archive| open(&mut archive));
            }
        }
    }
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_pickle_that_calls_something_is_refused_by_name() {
    for folder in folders("marian-multi") {
        let copy = copied(&folder);
        let path = copy.path().join("pytorch_model.bin");
        fs::write(
            &path,
            b"\x80\x02cos\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85Rq\x02.",
        )
        .expect("writable");
        assert_refused(copy.path(), &["pytorch_model.bin", "os.system"]);
    }
}

/// Overwrites the first number of a tensor in a file of any of these formats with what is not one.
fn spoil(path: &Path, tensor: &str) {
    let bytes = fs::read(path).expect("a file of the case");
    let end = path.extension().expect("an ending").to_string_lossy();
    let spoilt = match &*end {
        "safetensors" => spoilt_safetensors(bytes, tensor),
        "npz" => spoilt_npz(bytes, tensor),
        _ => spoilt_variable(bytes, tensor),
    };
    fs::write(path, spoilt).expect("writable");
}

/// All bits of a float set are NaN, whatever their number.
fn fill(bytes: &mut [u8]) {
    bytes[..4].fill(0xff);
}

fn spoilt_safetensors(mut bytes: Vec<u8>, tensor: &str) -> Vec<u8> {
    let file = safetensors::SafeTensors::deserialize(&bytes).expect("tensors");
    let data = file.tensor(tensor).expect("such a tensor").data();
    let at = data.as_ptr().addr() - bytes.as_ptr().addr();
    fill(&mut bytes[at..]);
    bytes
}

fn spoilt_npz(bytes: Vec<u8>, tensor: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).expect("an entry");
        let name = entry.name().expect("a name").into_owned();
        let mut array = Vec::new();
        entry.read_to_end(&mut array).expect("readable");
        if name == format!("{tensor}.npy") {
            let at = array.len() - 4;
            fill(&mut array[at..]);
        }
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(name, options).expect("an entry");
        writer.write_all(&array).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// A variable of CTranslate2: name and zero, rank, sizes, kind, length, numbers.
fn spoilt_variable(mut bytes: Vec<u8>, tensor: &str) -> Vec<u8> {
    let name = [tensor.as_bytes(), &[0]].concat();
    let mut places = bytes.windows(name.len());
    let at = places.position(|it| it == name).expect("such a variable") + name.len();
    let rank = usize::from(bytes[at]);
    fill(&mut bytes[at + 1 + 4 * rank + 1 + 4..]);
    bytes
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_tensor_with_a_number_that_is_not_finite_is_named() {
    for (beginning, file, tensor) in [
        (
            "marian-base",
            "model.safetensors",
            "model.encoder.layers.0.fc1.bias",
        ),
        (
            "marian-native-separate",
            "opus.spm.transformer-align.model1.npz.best-perplexity.npz",
            "decoder_l1_ffn_b1",
        ),
        (
            "ctranslate2-base-1-float32",
            "model.bin",
            "encoder/layer_0/ffn/linear_0/weight",
        ),
        (
            "ctranslate2-base-1-int8",
            "model.bin",
            "encoder/layer_0/ffn/linear_0/weight_scale",
        ),
        (
            "ctranslate2-base-1-int8",
            "model.bin",
            "encoder/layer_0/ffn/linear_0/bias",
        ),
    ] {
        for folder in folders(beginning) {
            let copy = copied(&folder);
            spoil(&copy.path().join(file), tensor);
            assert_refused(copy.path(), &[tensor, "NaN"]);
        }
    }
}
