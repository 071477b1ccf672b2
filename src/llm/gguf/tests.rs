use super::*;

/// Bytes of a small file with a value of each kind and two tensors.
pub(crate) fn small_file() -> Vec<u8> {
    let mut file = Vec::from(*MAGIC);
    file.extend(3_u32.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    file.extend(5_u64.to_le_bytes());
    let text = |file: &mut Vec<u8>, text: &str| {
        file.extend((text.len() as u64).to_le_bytes());
        file.extend(text.as_bytes());
    };
    text(&mut file, "general.architecture");
    file.extend(8_u32.to_le_bytes());
    text(&mut file, "llama");
    text(&mut file, "llama.block_count");
    file.extend(4_u32.to_le_bytes());
    file.extend(2_u32.to_le_bytes());
    text(&mut file, "llama.eps");
    file.extend(6_u32.to_le_bytes());
    file.extend(0.5_f32.to_le_bytes());
    text(&mut file, "tokens");
    file.extend(9_u32.to_le_bytes());
    file.extend(8_u32.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    text(&mut file, "a");
    text(&mut file, "b");
    text(&mut file, "types");
    file.extend(9_u32.to_le_bytes());
    file.extend(5_u32.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    file.extend(1_i32.to_le_bytes());
    file.extend((-3_i32).to_le_bytes());
    text(&mut file, "norm");
    file.extend(1_u32.to_le_bytes());
    file.extend(4_u64.to_le_bytes());
    file.extend(0_u32.to_le_bytes());
    file.extend(0_u64.to_le_bytes());
    text(&mut file, "matrix");
    file.extend(2_u32.to_le_bytes());
    file.extend(32_u64.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    file.extend(8_u32.to_le_bytes());
    file.extend(32_u64.to_le_bytes());
    file.resize(file.len().next_multiple_of(32), 0);
    file.extend([0; 32]);
    file.extend([1; 68]);
    file
}

#[test]
fn values_and_tensors_are_where_the_file_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.gguf");
    std::fs::write(&path, small_file()).expect("a file");
    let file = Gguf::open(&path).expect("a whole file");
    assert_eq!(
        file.text("general.architecture").expect("a text"),
        Some("llama")
    );
    assert_eq!(
        file.count("llama.block_count", 9).expect("a count"),
        Some(2)
    );
    assert_eq!(file.float("llama.eps").expect("a number"), Some(0.5));
    assert_eq!(
        file.integers("types").expect("integers"),
        Some(&[1, -3][..])
    );
    assert_eq!(
        file.texts("tokens").expect("texts").map(|it| it.len()),
        Some(2)
    );
    let matrix = &file.weights().tensors()["matrix"];
    assert_eq!((matrix.columns, matrix.rows), (32, 2));
    assert_eq!(matrix.kind, Kind::Q8_0);
    assert_eq!(file.weights().bytes(matrix), [1; 68]);
    let error = file.text("types").expect_err("no text").to_string();
    assert!(
        error.contains("types") && error.contains("small.gguf"),
        "{error}"
    );
}

#[test]
fn a_file_cut_off_anywhere_is_an_error() {
    let file = small_file();
    for length in 0..file.len() {
        assert!(read(&file[..length]).is_err(), "{length} bytes");
    }
    assert!(read(&file).is_ok());
}

#[test]
fn damaged_bytes_never_panic_and_never_reach_beyond_the_file() {
    let whole = small_file();
    // xorshift: the same damage in every run
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut file = whole.clone();
        for _ in 0..=next() % 4 {
            let place = usize::try_from(next()).expect("64 bits") % file.len();
            file[place] = [0, 1, 0x7f, 0x80, 0xff, next().to_le_bytes()[0]]
                [usize::try_from(next() % 6).expect("small")];
        }
        match read(&file) {
            Ok((_, tensors)) => {
                let end = tensors.values().map(|it| it.bytes.end).max();
                assert!(end.unwrap_or_default() <= file.len());
            }
            Err(Problem(field, problem)) => {
                refused += 1;
                assert!(!field.is_empty() || !problem.is_empty());
            }
        }
    }
    assert!(refused > 5_000, "{refused}");
}

#[test]
fn huge_counts_and_unknown_kinds_are_named() {
    let at = |place: usize, bytes: &[u8]| {
        let mut file = small_file();
        file[place..place + bytes.len()].copy_from_slice(bytes);
        match read(&file) {
            Ok(_) => panic!("accepted"),
            Err(Problem(field, problem)) => format!("{field}: {problem}"),
        }
    };
    assert!(at(0, b"GGML").starts_with("beginning"));
    assert!(at(4, &1_u32.to_le_bytes()).starts_with("version"));
    assert!(at(4, &3_u32.to_be_bytes()).contains("big-endian"));
    assert!(at(8, &u64::MAX.to_le_bytes()).starts_with("number of tensors"));
    assert!(at(16, &(1_u64 << 60).to_le_bytes()).starts_with("number of metadata"));
    assert!(at(24, &u64::MAX.to_le_bytes()).starts_with("key 0"));
    let file = small_file();
    let name = file.windows(6).position(|it| it == b"matrix");
    let kind = name.expect("a tensor") + 6 + 4 + 16;
    let message = at(kind, &99_u32.to_le_bytes());
    assert!(
        message.starts_with("matrix") && message.contains("99"),
        "{message}"
    );
    let message = at(kind + 4, &(1_u64 << 62).to_le_bytes());
    assert!(message.starts_with("matrix"), "{message}");
    let message = at(kind + 4, &33_u64.to_le_bytes());
    assert!(message.starts_with("matrix"), "{message}");
    let message = at(kind - 8, &u64::MAX.to_le_bytes());
    assert!(message.starts_with("matrix"), "{message}");
}
