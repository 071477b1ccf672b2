use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::completion::LanguageModel;
use crate::tokens::Specials;

/// A copy of a folder of the tests.
fn copied(family: &str) -> TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/folders");
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(from.join(family)).expect("a folder").flatten() {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    folder
}

fn change(folder: &TempDir, file: &str, change: impl Fn(&mut Value)) {
    let path = folder.path().join(file);
    let text = fs::read(&path).expect("a file");
    let mut value = serde_json::from_slice(&text).expect("JSON");
    change(&mut value);
    fs::write(path, value.to_string()).expect("written");
}

/// The error of a folder with a field of its settings changed.
fn error_with(family: &str, field: &str, value: Value) -> String {
    let folder = copied(family);
    change(&folder, "config.json", |config| {
        config[field] = value.clone();
    });
    error(folder.path())
}

fn error(folder: &Path) -> String {
    match LanguageModel::open(folder) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

/// The header of a file of weights, changed; the numbers stay.
fn change_header(path: &Path, change: impl Fn(&mut Value)) {
    let bytes = fs::read(path).expect("a file");
    let (length, rest) = bytes.split_first_chunk().expect("a length");
    let (header, data) =
        rest.split_at(usize::try_from(u64::from_le_bytes(*length)).expect("short"));
    let mut header = serde_json::from_slice(header).expect("JSON");
    change(&mut header);
    let header = header.to_string();
    let length = (header.len() as u64).to_le_bytes();
    fs::write(path, [&length[..], header.as_bytes(), data].concat()).expect("written");
}

fn assert_names(error: &str, words: &[&str]) {
    for word in words {
        assert!(error.contains(word), "{word:?} in {error}");
    }
}

#[test]
fn settings_that_make_no_model_are_named() {
    let other = error_with("qwen2", "model_type", json!("mamba"));
    assert_names(&other, &["config.json", "model_type", "mamba", "qwen3"]);
    for (field, value) in [
        ("num_hidden_layers", json!(3)),
        ("num_hidden_layers", json!(0)),
        ("num_hidden_layers", json!("two")),
        ("hidden_size", json!(64)),
        ("num_attention_heads", json!(3)),
        ("hidden_activation", json!("relu")),
        ("rms_norm_eps", json!(-1)),
        ("layer_types", json!(["sliding_attention"])),
        ("quantization_config", json!({"bits": 4})),
        ("use_bidirectional_attention", json!(true)),
    ] {
        let error = error_with("gemma2", field, value.clone());
        let names = [
            ("num_hidden_layers", "layers.2"),
            ("hidden_size", "embed_tokens"),
        ];
        let part = names
            .iter()
            .find(|it| it.0 == field && value.is_u64() && value != 0);
        assert_names(&error, &[part.map_or(field, |it| it.1)]);
    }
    for (field, value) in [
        ("num_layers", json!(1)),
        ("num_decoder_layers", json!(4)),
        ("feed_forward_proj", json!("gelu")),
        ("feed_forward_proj", json!("relu")),
        ("relative_attention_num_buckets", json!(6)),
        ("relative_attention_max_distance", json!(16)),
        ("decoder_start_token_id", json!(99)),
        ("d_model", json!(16)),
    ] {
        let error = error_with("madlad", field, value.clone());
        let names = [
            ("num_layers", "encoder.block.1"),
            ("num_decoder_layers", "decoder.block.3"),
            ("relative_attention_max_distance", "buckets"),
            ("decoder_start_token_id", "99"),
            ("d_model", "shared"),
        ];
        let part = names.iter().find(|it| it.0 == field);
        let part = part.map_or(field, |it| it.1);
        let is_relu = value == json!("relu");
        assert_names(&error, &[if is_relu { "wi_0" } else { part }]);
    }
    let missing = error_with("llama", "hidden_size", Value::Null);
    assert_names(&missing, &["config.json", "hidden_size", "missing"]);
    let scaling = error_with("llama", "rope_parameters", json!({"rope_type": "longrope"}));
    assert_names(&scaling, &["rope_parameters.rope_type", "longrope"]);
    let scaling = error_with("llama", "rope_parameters", json!({"rope_type": "linear"}));
    assert_names(&scaling, &["rope_parameters.factor", "missing"]);
    let fewer = error_with("qwen3", "num_hidden_layers", json!(1));
    assert_names(&fewer, &["model.layers.1", "model.safetensors"]);
}

#[test]
fn weights_that_are_missing_or_lie_are_named_with_their_file() {
    const SHARD: &str = "model-00002-of-00002.safetensors";
    const QUERIES: &str = "model.layers.1.self_attn.q_proj.weight";
    let folder = copied("llama");
    fs::remove_file(folder.path().join(SHARD)).expect("removed");
    let names = [SHARD, "missing", "model.safetensors.index.json"];
    assert_names(&error(folder.path()), &names);
    let folder = copied("llama");
    change(&folder, "model.safetensors.index.json", |index| {
        index["weight_map"]["model.norm.weight"] = json!("../model.safetensors");
    });
    let names = ["model.norm.weight", "no file of this folder"];
    assert_names(&error(folder.path()), &names);
    let folder = copied("llama");
    let shard = folder.path().join(SHARD);
    change_header(&shard, |header| header["model.norm.weight"] = Value::Null);
    assert_names(&error(folder.path()), &[SHARD, "model.norm.weight"]);
    let folder = copied("llama");
    fs::remove_file(folder.path().join("model.safetensors.index.json")).expect("removed");
    assert_names(&error(folder.path()), &["model.safetensors.index.json"]);
    for (field, value, word) in [
        ("data_offsets", json!([0, 1_u64 << 40]), "does not fit"),
        ("data_offsets", json!([64, 0]), "does not fit"),
        ("shape", json!([32, u64::MAX]), "does not fit"),
        ("shape", json!([0, 32]), "does not fit"),
        ("shape", json!([16, 64]), "[16, 64], not [32, 32]"),
        ("dtype", json!("F8_E4M3"), "F8_E4M3"),
        ("dtype", json!(7), "invalid type"),
    ] {
        let folder = copied("qwen2");
        let path = folder.path().join("model.safetensors");
        change_header(&path, |header| header[QUERIES][field] = value.clone());
        assert_names(&error(folder.path()), &[QUERIES, word]);
    }
    for part in ["self_attn.q_norm.weight", "post_attention_layernorm.weight"] {
        let folder = copied("qwen3");
        let path = folder.path().join("model.safetensors");
        let name = format!("model.layers.0.{part}");
        change_header(&path, |header| {
            header.as_object_mut().expect("an object").remove(&name);
        });
        assert_names(&error(folder.path()), &[&name, "missing"]);
    }
    let folder = copied("qwen2");
    let path = folder.path().join("model.safetensors");
    change_header(&path, |header| {
        let bias = header["model.layers.0.self_attn.q_proj.bias"].clone();
        header["model.layers.0.self_attn.sinks.weight"] = bias;
    });
    assert_names(&error(folder.path()), &["sinks", "no such part"]);
}

#[test]
fn a_file_of_weights_that_is_cut_off_anywhere_is_an_error() {
    let folder = copied("qwen2");
    let path = folder.path().join("model.safetensors");
    let whole = fs::read(&path).expect("a file");
    for length in [0, 1, 7, 8, 9, 500, 2_000, 10_000, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("written");
        assert_names(&error(folder.path()), &["model.safetensors"]);
    }
    fs::remove_file(&path).expect("removed");
    fs::write(folder.path().join("pytorch_model.bin"), "").expect("written");
    let names = ["model.safetensors", "PyTorch"];
    assert_names(&error(folder.path()), &names);
}

#[test]
fn damaged_folders_are_errors_and_never_panics() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).expect("48 bits")
    };
    let mut refused = 0;
    let files = [
        ("config.json", 800),
        ("model.safetensors", 2_400),
        ("tokenizer.json", 3_400),
        ("tokenizer_config.json", 180),
        ("generation_config.json", 200),
    ];
    let files = ["qwen2", "madlad"]
        .iter()
        .flat_map(|family| files.map(|it| (family, it)));
    for (family, (file, head)) in files {
        let folder = copied(family);
        let path = folder.path().join(file);
        let whole = fs::read(&path).expect("a file");
        for _ in 0..150 {
            let mut damaged = whole.clone();
            for _ in 0..=next() % 3 {
                let place = next() % head.min(whole.len());
                damaged[place] =
                    [b'"', b'9', b'-', b'{', 0xff, next().to_le_bytes()[0]][next() % 6];
            }
            fs::write(&path, &damaged).expect("written");
            match LanguageModel::open(folder.path()) {
                Ok(model) => drop(model.complete("the bank", 2)),
                Err(error) => {
                    refused += 1;
                    assert!(
                        error
                            .to_string()
                            .contains(folder.path().to_str().expect("a name")),
                        "{error}"
                    );
                }
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn a_folder_converses_by_its_template_wherever_it_stands() {
    let prompt = |folder: &TempDir| {
        let model = LanguageModel::open(folder.path()).expect("a model");
        let messages = [json!({"role": "user", "content": "the key"})];
        let template = model.template.as_ref().map(|it| it.prompt(&messages));
        template.map(|prompt| prompt.expect("a prompt"))
    };
    let expected = "<|im_start|>user\nthe key<|im_end|>\n<|im_start|>assistant\n";
    let folder = copied("qwen2");
    assert_eq!(prompt(&folder).as_deref(), Some(expected));
    let file = folder.path().join("chat_template.jinja");
    let source = fs::read_to_string(&file).expect("a template");
    fs::remove_file(&file).expect("removed");
    assert_eq!(prompt(&folder), None);
    for template in [
        json!(source),
        json!([{"name": "tools", "template": "no"}, {"name": "default", "template": source}]),
    ] {
        change(&folder, "tokenizer_config.json", |config| {
            config["chat_template"] = template.clone();
        });
        assert_eq!(prompt(&folder).as_deref(), Some(expected));
    }
    fs::write(&file, "{% for").expect("written");
    assert_names(&error(folder.path()), &["chat_template.jinja", "syntax"]);
}

#[test]
fn a_text_behind_another_has_no_space_before_it_and_no_special_tokens() {
    for family in ["llama", "mistral", "gemma3", "qwen2"] {
        let model = LanguageModel::open(copied(family).path()).expect("a model");
        let tokenizer = &model.tokenizer;
        let ids = tokenizer.encode("the bank", Specials::AsText, false);
        assert_eq!(tokenizer.decode(&ids), "the bank", "{family}");
        let special = tokenizer.special_text(tokenizer.eos()).to_owned();
        assert!(!special.is_empty(), "{family}");
        let text = format!("the {special} bank");
        let ids = tokenizer.encode(&text, Specials::AsText, false);
        assert!(!ids.iter().any(|id| tokenizer.is_end(*id)), "{family}");
        let ids = tokenizer.encode(&text, Specials::Recognised, true);
        assert!(ids.iter().any(|id| tokenizer.is_end(*id)), "{family}");
    }
}

#[test]
fn every_byte_of_a_prompt_has_its_id_in_a_folder() {
    for family in ["llama", "gemma3", "qwen3"] {
        let model = LanguageModel::open(copied(family).path()).expect("a model");
        let text = "the bank — é";
        let ids = model.tokenizer.encode_prompt(text);
        let places = model.tokenizer.places(text, &ids);
        let mut end = 0;
        for place in places {
            assert_eq!(place.start, end, "{family}");
            end = place.end;
        }
        // Qwen's letters were learnt from texts without some of these bytes.
        assert!(end == text.len() || family == "qwen3", "{family}: {end}");
    }
}

#[test]
fn a_text_model_within_one_that_sees_pictures_is_found() {
    let folder = copied("gemma3");
    change(&folder, "config.json", |config| {
        let text = config.clone();
        *config = json!({"model_type": "gemma3", "text_config": text, "eos_token_id": [3]});
    });
    change_header(&folder.path().join("model.safetensors"), |header| {
        let tensors = header.as_object().expect("an object").clone();
        let renamed = tensors
            .into_iter()
            .map(|(name, tensor)| match name.strip_prefix("model.") {
                Some(rest) => (format!("language_model.model.{rest}"), tensor),
                None => (name, tensor),
            });
        *header = renamed.collect();
    });
    let whole = LanguageModel::open(folder.path()).expect("a model");
    let alone = LanguageModel::open(copied("gemma3").path()).expect("a model");
    let [one, other] = [whole, alone].map(|model| model.complete("the river", 4).expect("room"));
    assert_eq!(one.tokens, other.tokens);
}

#[test]
fn a_model_is_described_by_its_card_and_has_its_own_files_alone() {
    let folder = copied("llama");
    let card = "---\nlanguage:\n- en\nlicense: apache-2.0\n---\n# Tiny\n";
    fs::write(folder.path().join("README.md"), card).expect("written");
    fs::write(folder.path().join("pytorch_model.bin"), "").expect("written");
    let model = LanguageModel::open(folder.path()).expect("a model");
    let about = model.about();
    assert_eq!(
        (about.architecture.as_str(), about.licence.as_deref()),
        ("llama", Some("apache-2.0"))
    );
    assert!(about.num_parameters > 20_000);
    let files = LanguageModel::files(folder.path()).expect("files");
    let has = |name: &str| files.iter().any(|file| file.ends_with(name));
    assert!(has("model-00001-of-00002.safetensors") && has("tokenizer.json") && has("README.md"));
    assert!(!has("pytorch_model.bin") && !has("expected.json"));
    let other = tempfile::tempdir().expect("a folder");
    assert!(!LanguageModel::is_one(other.path()));
    let config = json!({"model_type": "marian", "architectures": ["MarianMTModel"]});
    fs::write(other.path().join("config.json"), config.to_string()).expect("written");
    assert!(!LanguageModel::is_one(other.path()));
    let config = json!({"model_type": "phi3", "architectures": ["Phi3ForCausalLM"]});
    fs::write(other.path().join("config.json"), config.to_string()).expect("written");
    assert!(
        LanguageModel::is_one(other.path()),
        "with an error that says more"
    );
}
