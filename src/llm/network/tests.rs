use std::ops::ControlFlow;

use super::*;
use crate::completion::LanguageModel;
use crate::fixture::{Fixture, open};
use crate::sampling::Sampling;
use crate::session::{Generation, Session};

const D_MODEL: u64 = 32;
const D_HIDDEN: u64 = 64;
const VOCAB: u64 = 7;

/// Numbers that are the same in every run, around 0.
pub(super) fn numbers(count: u64, seed: u32, size: f32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        #[expect(clippy::cast_precision_loss, reason = "random numbers")]
        let number = (state >> 8) as f32 / 8_388_608.0 - 1.0;
        number * size
    };
    (0..count).map(|_| next()).collect()
}

/// A network of two layers, four heads of 8, two of keys and values.
pub(super) fn tiny(family: &str) -> Fixture {
    let key = |rest: &str| format!("{family}.{rest}");
    let mut file = Fixture::words()
        .text("general.architecture", family)
        .count(&key("block_count"), 2)
        .count(&key("context_length"), 64)
        .count(&key("embedding_length"), 32)
        .count(&key("attention.head_count"), 4)
        .count(&key("attention.head_count_kv"), 2)
        .float(&key("attention.layer_norm_rms_epsilon"), 1e-5);
    let mut seed = 0;
    let mut add = |file: Fixture, name: &str, shape: &[u64], size: f32| {
        seed += 1;
        let values = numbers(shape.iter().product(), seed, size);
        file.tensor(name, shape, &values)
    };
    file = add(file, "token_embd.weight", &[D_MODEL, VOCAB], 1.0);
    file = add(file, "output_norm.weight", &[D_MODEL], 1.0);
    for layer in 0..2 {
        for (name, shape) in [
            ("attn_norm", &[D_MODEL][..]),
            ("attn_q", &[D_MODEL, 32]),
            ("attn_k", &[D_MODEL, 16]),
            ("attn_v", &[D_MODEL, 16]),
            ("attn_output", &[32, D_MODEL]),
            ("ffn_norm", &[D_MODEL]),
            ("ffn_gate", &[D_MODEL, D_HIDDEN]),
            ("ffn_up", &[D_MODEL, D_HIDDEN]),
            ("ffn_down", &[D_HIDDEN, D_MODEL]),
        ] {
            file = add(file, &format!("blk.{layer}.{name}.weight"), shape, 0.4);
        }
    }
    file
}

pub(super) fn network(fixture: Fixture) -> Network {
    Network::read(&open(fixture)).expect("a network")
}

pub(super) fn distance(one: &[f32], other: &[f32]) -> f32 {
    let differences = one.iter().zip(other).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max)
}

pub(super) const IDS: [u32; 9] = [1, 4, 2, 6, 5, 3, 3, 1, 2];

#[test]
fn reading_token_by_token_equals_reading_the_prompt_at_once() {
    for family in [
        "llama",
        "qwen2",
        "qwen3",
        "gemma2",
        "gemma3",
        "hunyuan-dense",
    ] {
        let window = format!("{family}.attention.sliding_window");
        let network = network(tiny(family).count(&window, 3));
        let whole = network.read_tokens(&IDS, &mut network.new_cache());
        let mut cache = network.new_cache();
        let mut last = Vec::new();
        for id in IDS {
            last = network.read_tokens(&[id], &mut cache);
        }
        assert!(distance(&whole, &last) < 1e-4, "{family}");
        assert_eq!(cache.len(), IDS.len());
    }
}

#[test]
fn a_kept_prefix_continues_as_if_it_had_been_read_anew() {
    let network = network(tiny("llama"));
    let mut cache = network.new_cache();
    network.read_tokens(&IDS, &mut cache);
    cache.truncate(4);
    let continued = network.read_tokens(&[6, 6], &mut cache);
    let anew = network.read_tokens(&[1, 4, 2, 6, 6, 6], &mut network.new_cache());
    assert!(distance(&continued, &anew) < 1e-4);
}

#[test]
fn what_a_file_says_of_its_family_changes_what_it_computes() {
    let logits = |fixture: Fixture| {
        let network = network(fixture);
        network.read_tokens(&IDS, &mut network.new_cache())
    };
    let plain = logits(tiny("gemma3"));
    let bias = numbers(32, 99, 1.0);
    let factors = [1.0, 2.0, 4.0, 8.0];
    for (name, fixture) in [
        (
            "window",
            tiny("gemma3").count("gemma3.attention.sliding_window", 2),
        ),
        (
            "cap of scores",
            tiny("gemma3").float("gemma3.attn_logit_softcapping", 0.5),
        ),
        (
            "cap of logits",
            tiny("gemma3").float("gemma3.final_logit_softcapping", 0.5),
        ),
        (
            "bias",
            tiny("gemma3").tensor("blk.0.attn_q.bias", &[32], &bias),
        ),
        (
            "query norm",
            tiny("gemma3").tensor("blk.1.attn_q_norm.weight", &[8], &bias[..8]),
        ),
        (
            "post norm",
            tiny("gemma3").tensor("blk.1.post_ffw_norm.weight", &[32], &bias),
        ),
        (
            "factors",
            tiny("gemma3").tensor("rope_freqs.weight", &[4], &factors),
        ),
        ("base", tiny("gemma3").float("gemma3.rope.freq_base", 50.0)),
        (
            "linear",
            tiny("gemma3").float("gemma3.rope.scaling.factor", 8.0),
        ),
        (
            "YaRN",
            tiny("gemma3")
                .text("gemma3.rope.scaling.type", "yarn")
                .float("gemma3.rope.scaling.factor", 8.0),
        ),
        ("pairs and gate", tiny("llama")),
        (
            "output",
            tiny("gemma3").tensor("output.weight", &[32, 7], &numbers(32 * 7, 98, 1.0)),
        ),
    ] {
        let changed = logits(fixture);
        assert!(changed.iter().all(|it| it.is_finite()), "{name}");
        assert!(distance(&plain, &changed) > 1e-4, "{name}");
    }
}

#[test]
fn a_network_with_missing_or_misshapen_parts_is_an_error_that_names_them() {
    let error = |fixture: Fixture| {
        let read = Network::read(&open(fixture));
        read.expect_err("refused").to_string()
    };
    assert!(error(Fixture::words()).contains("general.architecture"));
    let other = tiny("llama").text("general.architecture", "mamba");
    assert!(error(other).contains("mamba"));
    assert!(error(tiny("llama").count("llama.block_count", 3)).contains("blk.2.ffn_gate"));
    assert!(error(tiny("llama").count("llama.block_count", 0)).contains("block_count"));
    assert!(error(tiny("llama").count("llama.embedding_length", 64)).contains("token_embd"));
    assert!(error(tiny("llama").count("llama.attention.head_count", 3)).contains("head"));
    assert!(error(tiny("llama").float("llama.rope.freq_base", -1.0)).contains("rope"));
    let bias = tiny("llama").tensor("blk.0.attn_q.bias", &[3], &[0.0; 3]);
    assert!(error(bias).contains("blk.0.attn_q.bias"));
}

#[test]
fn damaged_models_are_errors_and_never_panics() {
    damage(&tiny("llama").bytes(), 3_500, 1_500);
}

/// Opens a model damaged within its first `head` bytes, where metadata and the list of tensors stand, and cut off anywhere.
pub(super) fn damage(whole: &[u8], head: usize, times: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("damaged.gguf");
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).expect("48 bits")
    };
    for length in (0..whole.len()).step_by(whole.len() / 60 + 1) {
        std::fs::write(&path, &whole[..length]).expect("a file");
        let error = LanguageModel::open(&path).expect_err("cut off").to_string();
        assert!(error.contains("damaged.gguf"), "{error}");
    }
    let mut refused = 0;
    for _ in 0..times {
        let mut file = whole.to_owned();
        for _ in 0..=next() % 3 {
            let place = next() % head;
            file[place] = [0, 1, 0x7f, 0x80, 0xff, next().to_le_bytes()[0]][next() % 6];
        }
        std::fs::write(&path, &file).expect("a file");
        match LanguageModel::open(&path) {
            Ok(model) => {
                // Short: whatever a damaged file computes, it does not panic.
                drop(model.complete("ab ab", 2));
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("damaged.gguf"), "{error}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_completion_is_as_long_as_wanted_and_within_the_context() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    std::fs::write(&path, tiny("llama").bytes()).expect("a file");
    let model = LanguageModel::open(&path).expect("a model");
    let completion = model.complete("ab ab", 5).expect("a completion");
    assert_eq!(completion.prompt_ids, [4, 5]);
    assert!(completion.tokens.len() == 5 || completion.ended);
    let error = model
        .complete("ab ab", 63)
        .expect_err("too long")
        .to_string();
    assert!(
        error.contains("64") && error.contains("tiny.gguf"),
        "{error}"
    );
    assert!(model.complete("", 5).is_err());
}

#[test]
fn a_prompt_that_grows_is_continued_as_if_it_were_read_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    std::fs::write(&path, tiny("llama").bytes()).expect("a file");
    let model = Arc::new(LanguageModel::open(&path).expect("a model"));
    let generation = Generation {
        max_tokens: 5,
        ..Generation::default()
    };
    let mut growing = Session::new(Arc::clone(&model));
    let mut anew = Session::new(Arc::clone(&model)).without_cache();
    for length in [3, 7, 7, 5, 9] {
        let [one, other] = [&mut growing, &mut anew].map(|session| {
            let mut go_on = |_| ControlFlow::Continue(());
            let generated = session.continue_prompt(&IDS[..length], &generation, &mut go_on);
            generated.expect("room").expect("not broken off")
        });
        assert_eq!(one.ids, other.ids);
        assert!((one.log_prob - other.log_prob).abs() < 1e-3 && one.log_prob < 0.0);
    }
    assert_eq!(anew.cost().read, 3 + 7 + 7 + 5 + 9);
    assert!(growing.cost().read < 20, "{:?}", growing.cost());
    assert_eq!(growing.cost().reused + growing.cost().read, 31);
    // A break leaves what can be gone on with.
    let broken = growing.continue_prompt(&IDS, &generation, &mut |_| ControlFlow::Break(()));
    assert_eq!(broken.expect("room"), None);
    let mut go_on = |_| ControlFlow::Continue(());
    let first = growing
        .continue_prompt(&IDS, &generation, &mut go_on)
        .expect("room")
        .expect("ids");
    let other = Generation {
        other_beginnings: vec![first.ids[0]],
        ..generation
    };
    let second = growing
        .continue_prompt(&IDS, &other, &mut go_on)
        .expect("room")
        .expect("ids");
    assert_ne!(first.ids.first(), second.ids.first());
    // What was written is scored as it was written, and drawn again by the same seed.
    let log_probs = growing.forced(&IDS, &first.ids).expect("room");
    assert_eq!(log_probs.len(), first.ids.len());
    if !first.ended {
        let sum: f32 = log_probs.iter().sum();
        assert!((sum - first.log_prob).abs() < 1e-3, "{sum} {first:?}");
    }
    let mut drawn = |seed| {
        let drawn = Generation {
            sampling: Some(Sampling {
                temperature: 5.0,
                top_p: 1.0,
                seed,
            }),
            other_beginnings: Vec::new(),
            ..other.clone()
        };
        let drawn = growing.continue_prompt(&IDS, &drawn, &mut go_on);
        drawn.expect("room").expect("ids").ids
    };
    assert_eq!(drawn(1), drawn(1));
    assert!((2..9).any(|seed| drawn(seed) != drawn(1)));
    assert!(
        growing
            .continue_prompt(&[1; 64], &other, &mut go_on)
            .is_err()
    );
}

/// A tensor of a folder in a file under another name.
pub(super) fn with_tensor(file: Fixture, folder: &Folder, name: &str, own: &str) -> Fixture {
    let tensor = &folder.weights().tensors()[name];
    let mut numbers = vec![0.0; tensor.rows * tensor.columns];
    let bytes = folder.weights().bytes(tensor);
    tensor.kind.dequantise(bytes, &mut numbers);
    let shape = [tensor.columns as u64, tensor.rows as u64];
    let shape = if tensor.rows == 1 {
        &shape[..1]
    } else {
        &shape
    };
    file.tensor(own, shape, &numbers)
}

pub(super) fn folder(family: &str) -> Folder {
    let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/folders");
    Folder::open(place.join(family)).expect("a folder")
}

#[test]
fn a_hunyuan_file_computes_as_a_folder_of_the_same_weights() {
    let folder = folder("hunyuan");
    let of_folder = Network::from_folder(&folder).expect("a network");
    let key = |rest: &str| format!("hunyuan-dense.{rest}");
    // With its alpha, as files have it: θ · α^(d / (d - 2)).
    let base = 10_000.0 * 1_000.0_f32.powf(8.0 / 6.0);
    let mut file = Fixture::words()
        .text("general.architecture", "hunyuan-dense")
        .count(&key("block_count"), 2)
        .count(&key("context_length"), 4_096)
        .count(&key("embedding_length"), 32)
        .count(&key("attention.head_count"), 4)
        .count(&key("attention.head_count_kv"), 2)
        .count(&key("attention.key_length"), 8)
        .float(&key("attention.layer_norm_rms_epsilon"), 1e-5)
        .float(&key("rope.freq_base"), base);
    let parts = [
        ("self_attn.query_layernorm", "attn_q_norm"),
        ("self_attn.key_layernorm", "attn_k_norm"),
        ("self_attn.q_proj", "attn_q"),
        ("self_attn.k_proj", "attn_k"),
        ("self_attn.v_proj", "attn_v"),
        ("self_attn.o_proj", "attn_output"),
        ("mlp.gate_proj", "ffn_gate"),
        ("mlp.up_proj", "ffn_up"),
        ("mlp.down_proj", "ffn_down"),
        ("input_layernorm", "attn_norm"),
        ("post_attention_layernorm", "ffn_norm"),
        ("model.embed_tokens", "token_embd"),
        ("model.layers.", "blk."),
        ("model.norm", "output_norm"),
    ];
    for name in folder.weights().tensors().keys() {
        let rename = |name: String, (one, other): &(&str, &str)| name.replace(one, other);
        let own = parts.iter().fold(name.clone(), rename);
        file = with_tensor(file, &folder, name, &own);
    }
    let of_file = network(file);
    let [one, other] = [&of_folder, &of_file].map(|it| it.read_tokens(&IDS, &mut it.new_cache()));
    // Keys and values of a file are half floats.
    let far = distance(&one, &other);
    assert!(far < 0.01, "{far}");
}
