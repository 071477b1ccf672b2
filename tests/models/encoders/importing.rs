//! Folders that `canopy model import` accepts and refuses.

use std::fs;
use std::path::Path;

use canopy::weights::{NamedTensors, Precision, read_tensors, write_tensors};

use crate::encoders::desk::{Desk, assert_done, assert_failed, canopy, stdout};
use crate::encoders::reference;

/// A copy of a small encoder that a test may spoil.
fn copied(desk: &Desk, name: &str) -> String {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let path = entry.expect("an entry").path();
            let place = to.join(path.file_name().expect("a name"));
            if path.is_dir() {
                copy(&path, &place);
            } else {
                fs::copy(&path, place).expect("copied");
            }
        }
    }
    let place = desk.path(name);
    copy(&reference(name), Path::new(&place));
    place
}

/// Changes the tensors of the copied BERT.
fn spoil(folder: &str, change: impl FnOnce(&mut NamedTensors)) {
    let path = Path::new(folder).join("model.safetensors");
    let mut tensors = read_tensors(&path).expect("readable");
    change(&mut tensors);
    write_tensors(&path, &tensors, Precision::Full).expect("written");
}

#[test]
fn a_folder_is_imported_once() {
    let desk = Desk::new();
    let place = reference("tiny-bert").to_string_lossy().into_owned();
    let output = desk.path("encoder");
    let import = ["model", "import", "sbert", &place, "-o", &output];
    let done = canopy(&import);
    assert_done(&done);
    assert!(stdout(&done).contains("parameters"), "{}", stdout(&done));
    let names = ["encoder.toml", "vocabulary.json", "weights.safetensors"];
    for name in names {
        assert!(Path::new(&output).join(name).is_file(), "{name}");
    }
    let description = desk.read("encoder/encoder.toml");
    for line in [
        "name = \"tiny-bert\"",
        "pooling = \"mean\"",
        "max_tokens = 32",
    ] {
        assert!(description.contains(line), "{description}");
    }
    assert_failed(&canopy(&import), &["encoder", "--force"]);
    assert_done(&canopy(
        &[&import[..], &["--force", "--name", "mine"]].concat(),
    ));
    assert!(
        desk.read("encoder/encoder.toml")
            .contains("name = \"mine\"")
    );
}

#[test]
fn tensors_that_do_not_fit_are_named() {
    let desk = Desk::new();
    let output = desk.path("encoder");
    let folder = copied(&desk, "tiny-bert");
    let import = ["model", "import", "bert", &folder, "-o", &output];
    let name = "bert.encoder.layer.1.output.dense.bias";
    spoil(&folder, |tensors| {
        tensors.insert(name.to_owned(), (vec![3], vec![0.0; 3]));
    });
    assert_failed(&canopy(&import), &[name, "[3]", "[12]", "tiny-bert"]);
    spoil(&folder, |tensors| {
        tensors.remove(name);
    });
    assert_failed(&canopy(&import), &[name, "missing"]);
    let use_folder = copied(&desk, "tiny-use");
    fs::remove_file(Path::new(&use_folder).join("sp.model")).expect("removed");
    let import = ["model", "import", "use", &use_folder, "-o", &output];
    assert_failed(&canopy(&import), &["*.model", "tiny-use"]);
    assert!(!Path::new(&output).exists());
}

#[test]
fn padding_of_a_vocabulary_is_left_out() {
    let desk = Desk::new();
    let folder = copied(&desk, "tiny-bert");
    let import = |output: &str| {
        let output = desk.path(output);
        assert_done(&canopy(&[
            "model", "import", "bert", &folder, "-o", &output,
        ]));
        let weights = Path::new(&output).join("weights.safetensors");
        read_tensors(&weights).expect("readable")
    };
    let plain = import("plain");
    let config = desk.read("tiny-bert/config.json");
    let padded = config.replace("\"vocab_size\": 112", "\"vocab_size\": 128");
    fs::write(Path::new(&folder).join("config.json"), padded).expect("written");
    spoil(&folder, |tensors| {
        let name = "bert.embeddings.word_embeddings.weight";
        let (shape, numbers) = tensors.get_mut(name).expect("there");
        shape[0] = 128;
        numbers.resize(128 * 12, 0.5);
    });
    assert!(import("padded") == plain);
    assert!(
        desk.read("padded/encoder.toml")
            .contains("vocab_size = 112")
    );
}

#[test]
fn sequences_too_short_for_a_piece_are_refused() {
    let desk = Desk::new();
    let output = desk.path("encoder");
    let folder = copied(&desk, "tiny-bert");
    let import = ["model", "import", "sbert", &folder, "-o", &output];
    for length in [0, 2] {
        let json = format!("{{\"max_seq_length\": {length}}}");
        fs::write(Path::new(&folder).join("sentence_bert_config.json"), json).expect("written");
        assert_failed(&canopy(&import), &["max_seq_length", "3 or more"]);
    }
    assert!(!Path::new(&output).exists());
}

#[test]
fn pickles_other_vocabularies_and_other_models_are_refused() {
    let desk = Desk::new();
    let output = desk.path("encoder");
    let folder = copied(&desk, "tiny-bert");
    let import = ["model", "import", "sbert", &folder, "-o", &output];
    let path = |name: &str| Path::new(&folder).join(name);

    let lines = desk.read("tiny-bert/vocab.txt");
    fs::write(path("vocab.txt"), format!("{lines}more\n")).expect("written");
    assert_failed(&canopy(&import), &["vocabulary", "pieces", "config.json"]);
    fs::write(path("vocab.txt"), lines.replace("[SEP]\n", "sep\n")).expect("written");
    assert_failed(&canopy(&import), &["vocab.txt", "[SEP]"]);
    fs::write(path("vocab.txt"), lines).expect("written");

    let modules = desk.read("tiny-bert/modules.json");
    fs::write(path("modules.json"), modules.replace("Normalize", "Dense")).expect("written");
    assert_failed(&canopy(&import), &["modules.json", "Dense"]);
    fs::remove_file(path("modules.json")).expect("removed");
    assert_failed(&canopy(&import), &["modules.json", "bert"]);

    fs::rename(path("model.safetensors"), path("pytorch_model.bin")).expect("renamed");
    let import = ["model", "import", "bert", &folder, "-o", &output];
    assert_failed(&canopy(&import), &["pickle", "safetensors"]);
    let config = desk.read("tiny-bert/config.json");
    let other = config.replace("\"model_type\": \"bert\"", "\"model_type\": \"gpt2\"");
    fs::write(path("config.json"), other).expect("written");
    assert_failed(&canopy(&import), &["model_type", "gpt2"]);
    assert!(!Path::new(&output).exists());
}
