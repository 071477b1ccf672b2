//! Folders of tiny models give the ids, logits, attention and greedy tokens of transformers, for each family
//! (`data/folders/make.py`).

use std::fs;
use std::path::PathBuf;

use canopy_llm::{Attention, LanguageModel};
use serde::Deserialize;

#[derive(Deserialize)]
struct Expected {
    text: String,
    ids: Vec<u32>,
    /// Ids of the beginning.
    beginning: usize,
    logits: Vec<f32>,
    logits_behind_beginning: Vec<f32>,
    /// Of the last token: `[layers, heads, tokens]`
    attention: Vec<Vec<Vec<f32>>>,
    following: Vec<u32>,
}

fn opened(family: &str) -> (LanguageModel, Expected) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/folders");
    let folder = folder.join(family);
    let expected = fs::read_to_string(folder.join("expected.json")).expect("a file");
    assert!(LanguageModel::is_one(&folder));
    (
        LanguageModel::open(&folder).expect("a model"),
        serde_json::from_str(&expected).expect("numbers"),
    )
}

/// The largest difference of two lists.
fn distance(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    let differences = one.iter().zip(other).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max)
}

fn compare(family: &str) {
    let (model, expected) = opened(family);
    let ids = model.tokenizer.encode_prompt(&expected.text);
    assert_eq!(ids, expected.ids, "{family}");
    let mut text = expected.text.clone();
    if ids.iter().any(|id| model.tokenizer.is_end(*id)) {
        // It has no text.
        text = text.replace("<|im_end|>", "");
    }
    let decoded = model.tokenizer.decode(&ids);
    assert_eq!(decoded.trim_start(), text, "{family}");
    let network = &model.network;
    let logits = network.read_tokens(&ids, &mut network.new_cache());
    let far = distance(&logits, &expected.logits);
    let beginning = &ids[..expected.beginning];
    let logits = network.read_tokens(beginning, &mut network.new_cache());
    let near = distance(&logits, &expected.logits_behind_beginning);
    println!("{family}: logits differ by {far:.1e} and {near:.1e}");
    assert!(far < 1e-3 && near < 1e-3, "{family}: {far}, {near}");
    // What a window hides has no weight.
    let mut attention = expected.attention.clone();
    let (context, last) = ids.split_at(ids.len() - 1);
    let mut cache = network.new_cache();
    network.read_context(context, &mut cache);
    let mut record = |found: Attention<'_>| {
        let weights = &mut attention[found.layer][found.head];
        for (weight, own) in weights[found.first..].iter_mut().zip(found.weights) {
            *weight -= own;
        }
    };
    network.read_recorded(last, &mut cache, &mut record);
    let left = attention.iter().flatten().flatten();
    let left = left.fold(0.0_f32, |largest, it| largest.max(it.abs()));
    println!("{family}: weights differ by {left:.1e}");
    assert!(left < 1e-3, "{family}: {left}");
    let written = model.complete_ids(ids, expected.following.len(), &mut network.new_cache());
    let written = written.expect("room").tokens;
    let written: Vec<u32> = written.iter().map(|token| token.id).collect();
    let mut ends = expected.following.iter();
    let ends = ends.position(|id| model.tokenizer.is_end(*id));
    let following = &expected.following[..ends.unwrap_or(expected.following.len())];
    assert_eq!(written, following, "{family}");
}

#[test]
fn llama_with_shards_and_the_frequencies_of_llama_3_computes_as_transformers() {
    compare("llama");
}

#[test]
fn mistral_with_a_window_computes_as_transformers() {
    compare("mistral");
}

#[test]
fn qwen_2_with_yarn_computes_as_transformers() {
    compare("qwen2");
}

#[test]
fn qwen_3_computes_as_transformers() {
    compare("qwen3");
}

#[test]
fn gemma_2_computes_as_transformers() {
    compare("gemma2");
}

#[test]
fn gemma_3_computes_as_transformers() {
    compare("gemma3");
}

#[test]
fn hunyuan_computes_as_transformers() {
    compare("hunyuan");
}
