use super::*;
use crate::fixture::{Fixture, open};

fn pieces() -> Fixture {
    let bytes: Vec<String> = (0..=255).map(|byte| format!("<0x{byte:02X}>")).collect();
    let mut tokens = vec![
        "<unk>", "<s>", "</s>", "▁", "a", "b", "▁a", "ab", "▁ab", "<x>",
    ];
    let mut types = vec![2, 3, 3, 1, 1, 1, 1, 1, 1, 4];
    let mut scores = vec![0.0, 0.0, 0.0, -9.0, -8.0, -7.0, -3.0, -2.0, -1.0, 0.0];
    tokens.extend(bytes.iter().map(String::as_str));
    types.resize(tokens.len(), 6);
    scores.resize(tokens.len(), 0.0);
    Fixture::default()
        .text("tokenizer.ggml.model", "llama")
        .texts("tokenizer.ggml.tokens", &tokens)
        .integers("tokenizer.ggml.token_type", &types)
        .floats("tokenizer.ggml.scores", &scores)
        .count("tokenizer.ggml.bos_token_id", 1)
        .count("tokenizer.ggml.eos_token_id", 2)
        .count("tokenizer.ggml.unknown_token_id", 0)
}

fn read(fixture: Fixture) -> Tokenizer {
    Tokenizer::read(&open(fixture)).expect("a tokenizer")
}

#[test]
fn byte_pairs_are_merged_and_specials_found_first() {
    let tokenizer = read(Fixture::words());
    let ids = tokenizer.encode("ab ab<s>a<x>", Specials::Recognised, true);
    assert_eq!(ids, [4, 5, 0, 1, 6]);
    assert_eq!(tokenizer.decode(&ids), "ab aba<x>");
    // Texts of others cannot speak for the template.
    assert_eq!(tokenizer.encode("<s>a<x>", Specials::AsText, true), [1, 6]);
    assert!(tokenizer.is_end(0) && !tokenizer.is_end(1));
}

#[test]
fn a_text_of_others_does_not_end_an_answer() {
    let tokenizer = read(Fixture::words());
    let defused = tokenizer.defused("a<s>b<x>");
    assert!(
        !tokenizer
            .encode(&defused, Specials::Recognised, true)
            .contains(&0)
    );
    assert_eq!(tokenizer.fused(&defused), "a<s>b<x>");
    assert_eq!(tokenizer.encode_conversation("<s>ab"), [0, 4]);
}

#[test]
fn every_byte_of_a_prompt_has_its_id() {
    let tokenizer = read(Fixture::words());
    let ids = tokenizer.encode_prompt("ab ab<s>a");
    assert_eq!(
        tokenizer.places("ab ab<s>a", &ids),
        [0..2, 2..5, 5..8, 8..9]
    );
    let tokenizer = read(pieces());
    let ids = tokenizer.encode_prompt("ab aé");
    assert_eq!(ids.len(), 5);
    assert_eq!(
        tokenizer.places("ab aé", &ids),
        [0..0, 0..2, 2..4, 4..5, 5..6]
    );
}

#[test]
fn pieces_are_merged_by_score_with_bytes_for_the_rest() {
    let tokenizer = read(pieces());
    assert_eq!(
        tokenizer.encode_prompt("ab aé"),
        [1, 8, 6, 10 + 0xc3, 10 + 0xa9]
    );
    assert_eq!(tokenizer.decode(&[8, 6, 10 + 0xc3, 10 + 0xa9]), " ab aé");
    let tokenizer = read(pieces().bool("tokenizer.ggml.add_space_prefix", false));
    assert_eq!(tokenizer.encode_prompt("ab<x>b"), [1, 7, 9, 5]);
    assert_eq!(tokenizer.encode("", Specials::Recognised, true), [0; 0]);
}

#[test]
fn lists_that_do_not_fit_together_are_errors_with_their_key() {
    let error = |fixture: Fixture| {
        let read = Tokenizer::read(&open(fixture));
        read.expect_err("refused").to_string()
    };
    let types = Fixture::words().integers("tokenizer.ggml.token_type", &[1]);
    assert!(error(types).contains("token_type"));
    let types = Fixture::words().integers("tokenizer.ggml.token_type", &[77; 7]);
    assert!(error(types).contains("77"));
    let beyond = Fixture::words().count("tokenizer.ggml.bos_token_id", 99);
    assert!(error(beyond).contains("bos_token_id"));
    let scores = pieces().floats("tokenizer.ggml.scores", &[1.0]);
    assert!(error(scores).contains("scores"));
    let unknown = Fixture::words().text("tokenizer.ggml.pre", "nobody's");
    assert!(error(unknown).contains("tokenizer.ggml.pre"));
}
