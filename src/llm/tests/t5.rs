//! GGUF files of T5 give the ids and logits of llama.cpp (`data/t5.py`).

use std::path::PathBuf;

use canopy_llm::LanguageModel;
use serde::Deserialize;

/// An answer that is given, as llama.cpp reads it.
#[derive(Deserialize)]
struct Row {
    text: String,
    source: Vec<u32>,
    target: Vec<u32>,
    /// The likeliest token in place of each of the target.
    likeliest: Vec<u32>,
    /// Before the first token, and before the last one.
    logits: [Vec<f32>; 2],
}

#[derive(Deserialize)]
struct Expected {
    #[serde(rename = "t5-1.0")]
    with_relu: Vec<Row>,
    #[serde(rename = "t5-1.1")]
    gated: Vec<Row>,
    #[serde(rename = "t5-1.1-q8")]
    gated_in_bytes: Vec<Row>,
}

fn expected() -> Expected {
    serde_json::from_str(include_str!("data/t5.json")).expect("rows")
}

/// Compares ids and logits, which llama.cpp has `scale` times as large; gives the largest difference, and in how many places
/// another token is the likeliest.
fn compare(name: &str, rows: &[Row], scale: f32) -> (f32, usize) {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let model = LanguageModel::open(data.join(name)).expect("a model");
    let (network, mut largest, mut others) = (&model.network, 0.0_f32, 0);
    for row in rows {
        let source = model.tokenizer.encode_prompt(&row.text);
        assert_eq!(source, row.source, "{name}: {:?}", row.text);
        let mut cache = network.new_cache();
        let mut logits = network.read_prompt(&source, &mut cache);
        let last = row.target.len() - 1;
        for (place, token) in row.target.iter().enumerate() {
            let best = (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b]));
            others += usize::from(best != Some(row.likeliest[place] as usize));
            let expected = match place {
                0 => &row.logits[0][..],
                _ if place == last => &row.logits[1],
                _ => &[],
            };
            for (own, expected) in logits.iter().zip(expected) {
                largest = largest.max((own * scale - expected).abs());
            }
            logits = network.read_tokens(&[*token], &mut cache);
        }
    }
    println!("{name}: logits differ by {largest:.1e}; {others} tokens are others");
    (largest, others)
}

#[test]
fn t5_with_gated_layers_in_32_bits_computes_as_llama_cpp() {
    let (largest, others) = compare("t5-1.1.gguf", &expected().gated, 1.0);
    // It keeps GELU and the cache in half floats.
    assert!(largest < 0.01 && others <= 1, "{largest}, {others}");
}

#[test]
fn t5_with_relu_in_32_bits_computes_as_llama_cpp_but_for_the_scale_of_a_tied_output() {
    let d_model = 32.0_f32;
    let (largest, others) = compare("t5-1.0.gguf", &expected().with_relu, d_model.sqrt());
    assert!(largest < 0.02 && others <= 1, "{largest}, {others}");
}

#[test]
fn t5_in_blocks_of_8_bits_computes_as_llama_cpp_up_to_rounding() {
    let (largest, others) = compare("t5-1.1-q8.gguf", &expected().gated_in_bytes, 1.0);
    assert!(largest < 0.3 && others <= 2, "{largest}, {others}");
}
