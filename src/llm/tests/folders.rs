//! Folders of tiny models give the ids, logits, attention and greedy tokens of transformers, for each family
//! (`data/folders/make.py`).

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use canopy_llm::{Attention, Generation, LanguageModel, Session, Specials};
use serde::Deserialize;
use serde::de::DeserializeOwned;

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

/// A translation of T5 by transformers.
#[derive(Deserialize)]
struct ExpectedAnswer {
    text: String,
    ids: Vec<u32>,
    target: String,
    written: Vec<u32>,
    /// Behind all that is written.
    logits: Vec<f32>,
    logits_behind_start: Vec<f32>,
    /// Of the last token that is written, to the source: `[layers, heads, tokens]`
    attention: Vec<Vec<Vec<f32>>>,
    following: Vec<u32>,
}

fn opened<E: DeserializeOwned>(family: &str) -> (LanguageModel, E) {
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
    let (model, expected): (_, Expected) = opened(family);
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
    network.read_recorded(&[], last, &mut cache, &mut record);
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

/// A network with an encoder.
fn compare_answers(family: &str) {
    let (model, expected): (_, ExpectedAnswer) = opened(family);
    let ids = model.tokenizer.encode_prompt(&expected.text);
    assert_eq!(ids, expected.ids, "{family}");
    let (target, written) = (&expected.target, &expected.written);
    let encoded = model.tokenizer.encode(target, Specials::AsText, true);
    assert_eq!(&encoded, written, "{family}");
    let decoded = model.tokenizer.decode(written);
    assert_eq!(decoded.trim_start(), target, "{family}");
    let (network, mut cache) = (&model.network, model.network.new_cache());
    assert!(network.has_encoder());
    let logits = network.read_prompt(&ids, &mut cache);
    let near = distance(&logits, &expected.logits_behind_start);
    let logits = network.read_tokens(written, &mut cache);
    let far = distance(&logits, &expected.logits);
    println!("{family}: logits differ by {near:.1e} and {far:.1e}");
    assert!(far < 1e-3 && near < 1e-3, "{family}: {far}, {near}");
    let session = &mut Session::new(Arc::new(model));
    let mut attention = expected.attention;
    let mut recorder = |found: Attention<'_>| {
        assert_eq!(found.weights.len(), ids.len());
        if found.position == written.len() {
            let weights = &mut attention[found.layer][found.head];
            for (weight, own) in weights.iter_mut().zip(found.weights) {
                *weight -= own;
            }
        }
    };
    // Of what is recorded the last token is what follows, whatever it is.
    let answer = [written, &[0][..]].concat();
    let read = session.record(&ids, &answer, &mut recorder);
    read.expect("room");
    let left = attention.iter().flatten().flatten();
    let left = left.fold(0.0_f32, |largest, it| largest.max(it.abs()));
    println!("{family}: weights differ by {left:.1e}");
    assert!(left < 1e-3, "{family}: {left}");
    let generation = Generation {
        max_tokens: expected.following.len(),
        ..Generation::default()
    };
    let mut go_on = |_| ControlFlow::Continue(());
    let generated = session.continue_prompt(&ids, &generation, &mut go_on);
    let generated = generated.expect("room").expect("not broken off");
    assert_eq!(generated.ids, expected.following, "{family}");
    assert_eq!(session.cost().reused, ids.len(), "the source is read once");
    let log_probs = session.forced(&ids, &generated.ids).expect("room");
    let sum: f32 = log_probs.iter().sum();
    assert!((sum - generated.log_prob).abs() < 1e-3, "{family}");
    let raw = session.model().complete(&expected.text, 4).expect("room");
    let raw: Vec<u32> = raw.tokens.iter().map(|token| token.id).collect();
    assert_eq!(raw, expected.following[..4], "{family}");
}

#[test]
fn t5_with_relu_and_a_tied_output_computes_as_transformers() {
    compare_answers("t5");
}

#[test]
fn t5_with_gated_layers_and_an_output_of_its_own_as_madlad_has_it_computes_as_transformers() {
    compare_answers("madlad");
}
