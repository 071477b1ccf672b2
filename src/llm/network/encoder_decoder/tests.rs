use crate::completion::LanguageModel;
use crate::fixture::{Fixture, open};
use crate::network::Network;
use crate::network::tests::{IDS, damage, distance, folder, network, numbers, with_tensor};

/// A file of T5 with the weights of a folder, as llama.cpp's converter names them.
fn t5(family: &str, [layers, decoder_layers, buckets]: [u32; 3]) -> Fixture {
    let folder = folder(family);
    let mut file = Fixture::words()
        .text("general.architecture", "t5")
        .count("t5.block_count", layers)
        .count("t5.decoder_block_count", decoder_layers)
        .count("t5.context_length", 512)
        .count("t5.embedding_length", 32)
        .count("t5.attention.head_count", 4)
        .count("t5.attention.key_length", 8)
        .count("t5.attention.value_length", 8)
        .count("t5.attention.relative_buckets_count", buckets)
        .float("t5.attention.layer_norm_rms_epsilon", 1e-6)
        .count("t5.decoder_start_token_id", 0);
    let parts = [
        ("shared", "token_embd"),
        ("lm_head", "output"),
        ("encoder.", "enc."),
        ("decoder.", "dec."),
        ("block.", "blk."),
        ("final_layer_norm", "output_norm"),
        ("layer.0.layer_norm", "attn_norm"),
        (
            "layer.0.SelfAttention.relative_attention_bias",
            "attn_rel_b",
        ),
        ("layer.0.SelfAttention.", "attn_"),
        ("layer.1.EncDecAttention.", "cross_attn_"),
        ("layer.1.DenseReluDense.wi_0", "ffn_gate"),
        ("layer.2.DenseReluDense.wi_0", "ffn_gate"),
        ("layer.1.DenseReluDense.wo", "ffn_down"),
        ("layer.2.DenseReluDense.wo", "ffn_down"),
        ("layer.2.layer_norm", "ffn_norm"),
    ];
    for name in folder.weights().tensors().keys() {
        let norm = if name.starts_with("encoder") {
            "ffn_norm"
        } else {
            "cross_attn_norm"
        };
        let own = parts
            .iter()
            .fold(name.clone(), |name, (one, other)| name.replace(one, other));
        let own = own.replace("layer.1.layer_norm", norm);
        let own = own
            .replace("wi_1", "wi")
            .replace("layer.1.DenseReluDense.wi", "ffn_up");
        let own = own.replace("layer.2.DenseReluDense.wi", "ffn_up");
        file = with_tensor(file, &folder, name, &own);
    }
    file
}

#[test]
fn a_t5_file_computes_as_a_folder_of_the_same_weights() {
    for (family, sizes) in [("t5", [2, 2, 16]), ("madlad", [2, 3, 32])] {
        let of_folder = Network::from_folder(&folder(family)).expect("a network");
        let of_file = network(t5(family, sizes));
        let [one, other] = [&of_folder, &of_file].map(|it| {
            let mut cache = it.new_cache();
            let first = it.read_prompt(&IDS, &mut cache);
            let whole = it.read_tokens(&[3, 1, 4, 1, 5], &mut cache);
            let mut last = Vec::new();
            it.read_prompt(&IDS, &mut cache);
            for id in [3, 1, 4, 1, 5] {
                last = it.read_tokens(&[id], &mut cache);
            }
            assert!(distance(&whole, &last) < 1e-4, "{family}");
            [first, whole].concat()
        });
        assert!(distance(&one, &other) < 1e-4, "{family}");
    }
}

#[test]
fn a_t5_file_with_missing_or_misshapen_parts_is_an_error_that_names_them() {
    let file = || t5("madlad", [2, 3, 32]);
    let error = |fixture: Fixture| {
        let read = Network::read(&open(fixture));
        read.expect_err("refused").to_string()
    };
    assert!(error(file().count("t5.block_count", 3)).contains("enc.blk.2"));
    assert!(error(file().count("t5.decoder_block_count", 4)).contains("dec.blk.3"));
    let buckets = "t5.attention.relative_buckets_count";
    assert!(error(file().count(buckets, 16)).contains("enc.blk.0.attn_rel_b"));
    assert!(error(file().count(buckets, 2)).contains(buckets));
    assert!(error(file().count("t5.attention.head_count", 8)).contains("attn_"));
    assert!(error(file().count("t5.decoder_start_token_id", 900)).contains("900"));
    assert!(
        error(file().float("t5.attention.layer_norm_rms_epsilon", f32::NAN)).contains("epsilon")
    );
    let second = file().tensor(
        "dec.blk.1.attn_rel_b.weight",
        &[4, 32],
        &numbers(128, 5, 1.0),
    );
    assert!(
        error(second).contains("dec.blk.2.attn_rel_b"),
        "some layers have their own"
    );
}

/// The pieces of a folder's tokenizer in a file, as llama.cpp's converter writes them.
fn with_pieces(file: Fixture, family: &str) -> Fixture {
    let path = folder(family).path().join("tokenizer.json");
    let text = std::fs::read(path).expect("a file");
    let settings: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let pieces = settings["model"]["vocab"].as_array().expect("pieces");
    let texts: Vec<&str> = pieces.iter().filter_map(|it| it[0].as_str()).collect();
    #[expect(clippy::cast_possible_truncation, reason = "scores of 32 bits")]
    let scores = pieces
        .iter()
        .filter_map(|it| it[1].as_f64())
        .map(|it| it as f32);
    let mut types = vec![1; texts.len()];
    types[..5].copy_from_slice(&[2, 3, 3, 4, 4]);
    file.text("tokenizer.ggml.model", "t5")
        .texts("tokenizer.ggml.tokens", &texts)
        .floats("tokenizer.ggml.scores", &scores.collect::<Vec<f32>>())
        .integers("tokenizer.ggml.token_type", &types)
        .count("tokenizer.ggml.unknown_token_id", 0)
        .count("tokenizer.ggml.bos_token_id", 1)
        .count("tokenizer.ggml.eos_token_id", 2)
        .bool("tokenizer.ggml.add_bos_token", false)
}

#[test]
fn a_t5_file_has_the_ids_of_a_folder_and_answers_as_it_does() {
    let place = folder("madlad").path().to_owned();
    let of_folder = LanguageModel::open(place).expect("a model");
    let other = tempfile::tempdir().expect("a folder");
    let path = other.path().join("t5.gguf");
    let file = with_pieces(t5("madlad", [2, 3, 32]), "madlad");
    std::fs::write(&path, file.bytes()).expect("a file");
    let of_file = LanguageModel::open(&path).expect("a model");
    for text in [
        "<2pt> The bank by the river.",
        "Ω bank",
        "<2de> the  key costs 25 euros",
    ] {
        let [one, other] = [&of_folder, &of_file].map(|it| it.tokenizer.encode_prompt(text));
        assert_eq!(one, other, "{text}");
        assert_eq!(one.last(), of_file.tokenizer.eos().as_ref(), "{text}");
    }
    let [one, other] = [&of_folder, &of_file].map(|it| it.complete("<2pt> The key.", 9));
    assert_eq!(one.expect("room").tokens, other.expect("room").tokens);
    // A source as long as the context has an answer; a longer one has none.
    assert!(
        of_file
            .complete_ids(vec![5; 512], 2, &mut of_file.network.new_cache())
            .is_ok()
    );
    assert!(
        of_file
            .complete_ids(vec![5; 513], 2, &mut of_file.network.new_cache())
            .is_err()
    );
}

#[test]
fn a_damaged_t5_file_is_an_error_and_never_panics() {
    let file = with_pieces(t5("madlad", [2, 3, 32]), "madlad");
    damage(&file.bytes(), 7_500, 1_500);
}
