use super::*;

fn field(number: u8, kind: u8, value: &[u8]) -> Vec<u8> {
    let tag = number << 3 | kind;
    let length = u8::try_from(value.len()).expect("short");
    match kind {
        2 => [&[tag, length], value].concat(),
        _ => [&[tag], value].concat(),
    }
}

fn piece(text: &str, score: f32, kind: u8) -> Vec<u8> {
    let piece = [
        field(1, 2, text.as_bytes()),
        field(2, 5, &score.to_le_bytes()),
        field(3, 0, &[kind]),
    ];
    field(1, 2, &piece.concat())
}

/// Ids: unknown, `<s>`, `</s>`, then these pieces.
fn model(pieces: &[(&str, f32)]) -> Vec<u8> {
    let special = [
        piece("<unk>", 0.0, 2),
        piece("<s>", 0.0, 3),
        piece("</s>", 0.0, 3),
    ];
    let ordinary = pieces.iter().map(|(text, score)| piece(text, *score, 1));
    let all: Vec<Vec<u8>> = special.into_iter().chain(ordinary).collect();
    all.concat()
}

#[test]
fn the_most_probable_pieces_are_taken() {
    let pieces = [
        ("▁", -4.0),
        ("▁a", -2.0),
        ("b", -3.0),
        ("ab", -1.0),
        ("▁ab", -4.5),
    ];
    let pieces = SentencePieces::from_bytes(&model(&pieces)).expect("a model");
    assert_eq!(pieces.len(), 8);
    assert_eq!(pieces.encode("ab"), [7], "-4.5, not -5");
    assert_eq!(
        pieces.encode("  abab  b "),
        [7, 6, 3, 5],
        "spaces are folded"
    );
    assert_eq!(pieces.sentence("ab"), [1, 7, 2]);
    assert_eq!(pieces.encode(" "), Vec::<u32>::new());
}

#[test]
fn a_run_of_unknown_characters_is_one_unknown() {
    let pieces = [("▁", -4.0), ("a", -2.0), ("<s>", -1.0)];
    let pieces = SentencePieces::from_bytes(&model(&pieces)).expect("a model");
    assert_eq!(pieces.encode("xyaöö"), [3, 0, 4, 0]);
}

#[test]
fn damaged_and_other_models_are_refused() {
    let whole = model(&[("a", -1.0)]);
    let refusal = |bytes: &[u8]| SentencePieces::from_bytes(bytes).expect_err("refused");
    assert!(refusal(&whole[..whole.len() - 1]).contains("damaged"));
    assert!(refusal(&whole[piece("<unk>", 0.0, 2).len()..]).contains("unknown"));
    let other = field(2, 2, &field(3, 0, &[9]));
    assert!(refusal(&[whole.clone(), other].concat()).contains("unknown way"));
    let twice = piece("a", -2.0, 1);
    assert!(refusal(&[whole.clone(), twice].concat()).contains("twice"));
    let byte = piece("<0x0A>", 0.0, 6);
    assert!(refusal(&[whole, byte].concat()).contains("no fallback"));
    assert!(refusal(b"").contains("unknown"));
}
