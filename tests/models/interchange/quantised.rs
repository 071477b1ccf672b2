//! Marian's 8-bit files, packed here from a case as `marian-conv --gemm-type intgemm8` packs them: no trained one is at hand.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use canopy::interchange::{Archive, open};

use super::cases::{Case, folders, ids_of, tokens_of, words};
use super::decoding::{Rule, greedy};

const INT8: u64 = 0x101;
const FLOAT32: u64 = 0x404;
/// `intgemm8` of the Marian that Bergamot and Firefox use.
const INTGEMM8: u64 = 0x4101;

struct Tensor {
    name: String,
    kind: u64,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// The arrays of an npz as numbers of their own kinds.
fn npz(path: &Path) -> Vec<Tensor> {
    let mut zip = zip::ZipArchive::new(File::open(path).expect("an npz")).expect("a zip file");
    let mut tensors = Vec::new();
    for number in 0..zip.len() {
        let mut bytes = Vec::new();
        let mut file = zip.by_index(number).expect("an entry");
        let name = file.name().expect("a name").to_string();
        file.read_to_end(&mut bytes).expect("readable");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = std::str::from_utf8(&bytes[10..10 + length]).expect("a header");
        let (_, shape) = header.split_once("'shape': (").expect("a shape");
        let (shape, _) = shape.split_once(')').expect("a shape");
        let sizes = shape.split(',').filter(|size| !size.trim().is_empty());
        tensors.push(Tensor {
            name: name.trim_end_matches(".npy").to_owned(),
            kind: if header.contains("i1") { INT8 } else { FLOAT32 },
            shape: sizes
                .map(|size| size.trim().parse().expect("a size"))
                .collect(),
            bytes: bytes[10 + length..].to_vec(),
        });
    }
    tensors
}

/// Matrices of maps and word vectors become 8-bit numbers.
fn quantised(tensor: Tensor) -> Tensor {
    let name = &tensor.name;
    let is_map = name
        .find("_W")
        .is_some_and(|place| (2..=3).contains(&(name.len() - place)));
    if !is_map && !name.contains("Wemb") {
        return tensor;
    }
    let (words, _) = tensor.bytes.as_chunks::<4>();
    let numbers: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
    let largest = numbers
        .iter()
        .fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let multiplier = 127.0 / largest;
    let &[rows, columns] = &tensor.shape[..] else {
        panic!("{name} is no matrix");
    };
    #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
    let integer = |number: f32| ((number * multiplier).round() as i8).cast_unsigned();
    let mut bytes: Vec<u8> = if name.contains("Wemb") {
        numbers.iter().map(|&number| integer(number)).collect()
    } else {
        let places =
            (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        places.map(|place| integer(numbers[place])).collect()
    };
    bytes.extend(multiplier.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(256), 0);
    Tensor {
        kind: INTGEMM8,
        bytes,
        ..tensor
    }
}

fn binary(tensors: &[Tensor]) -> Vec<u8> {
    let mut bytes = 1_u64.to_le_bytes().to_vec();
    bytes.extend((tensors.len() as u64).to_le_bytes());
    for Tensor {
        name,
        kind,
        shape,
        bytes: data,
    } in tensors
    {
        for number in [
            name.len() as u64 + 1,
            *kind,
            shape.len() as u64,
            data.len() as u64,
        ] {
            bytes.extend(number.to_le_bytes());
        }
    }
    for tensor in tensors {
        bytes.extend(tensor.name.as_bytes());
        bytes.push(0);
    }
    for tensor in tensors {
        for &size in &tensor.shape {
            bytes.extend(i32::try_from(size).expect("small").to_le_bytes());
        }
    }
    let padding = 256 - (bytes.len() + 8) % 256;
    bytes.extend((padding as u64).to_le_bytes());
    bytes.extend(vec![0; padding]);
    bytes.extend(tensors.iter().flat_map(|tensor| tensor.bytes.clone()));
    bytes
}

/// A folder as Firefox has it: the binary file and the vocabulary.
fn packed(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.extension().is_some_and(|end| end == "npz") {
            let mut tensors: Vec<Tensor> = npz(&path).into_iter().map(quantised).collect();
            tensors.push(Tensor {
                name: "encoder_l1_self_Wq_QuantMultA".to_owned(),
                kind: FLOAT32,
                shape: vec![1, 1],
                bytes: 20.0_f32.to_le_bytes().to_vec(),
            });
            let path = copy.path().join("model.ende.intgemm.alphas.bin");
            fs::write(path, binary(&tensors)).expect("writable");
        } else if name != "decoder.yml" {
            fs::write(copy.path().join(&name), fs::read(&path).expect("readable"))
                .expect("writable");
        }
    }
    copy
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn eight_bit_files_are_read_as_their_numbers_by_their_multiplier() {
    for folder in folders("marian-native-")
        .into_iter()
        .filter(|it| !it.ends_with("marian-native-separate-1"))
    {
        let copy = packed(&folder);
        let read = |path: &Path| {
            let mut archive = Archive::open(path).expect("a folder");
            open(&mut archive).expect("a model")
        };
        let (whole, bytes) = (read(&folder), read(copy.path()));
        assert_eq!(whole.config, bytes.config);
        let mut differs = false;
        for (name, (shape, numbers)) in &whole.weights {
            let (other_shape, others) = &bytes.weights[name];
            assert_eq!(shape, other_shape, "{name}");
            let [numbers, others] = [numbers, others].map(|it| it.values().expect("still there"));
            let largest = numbers
                .iter()
                .fold(0.0_f32, |largest, number| largest.max(number.abs()));
            for (number, other) in numbers.iter().zip(&others) {
                differs |= number.to_bits() != other.to_bits();
                assert!(
                    (number - other).abs() <= largest / 250.0,
                    "{name}: {number} and {other}"
                );
            }
        }
        assert!(differs, "nothing was quantised");
        // Where the model is sure, 8 bits change nothing.
        let case = Case::open(&folder);
        let mut quantised = Case::open(copy.path());
        quantised.expected = case.expected.clone();
        let row = &quantised.rows()[1];
        let side = &quantised.foreign.source;
        let source = [ids_of(&words(&row["pieces"]), side), side.suffix.clone()].concat();
        let found = greedy(&quantised, &source, 100, Rule::Marian);
        let expected = row["greedy"].as_str().expect("a line");
        let (expected, _) = expected.split_once(" ||| ").expect("words");
        assert_eq!(
            tokens_of(&found.ids, &quantised.foreign.target).join(" "),
            expected
        );
    }
}
