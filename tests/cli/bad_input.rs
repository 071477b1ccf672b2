//! Bad input is refused by name, with exit code 1, and leaves everything as it was.

use crate::support::{desk, tiny};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use canopy::text::MAX_LINE_BYTES;
use canopy::weights::{Precision, read_tensors, write_tensors};
use desk::{Desk, PAGE, assert_failed, canopy, canopy_with, stderr};
use tempfile::TempDir;

#[test]
fn unreadable_documents_are_refused_by_name() {
    let desk = Desk::new();
    let long_line = "x".repeat(MAX_LINE_BYTES + 1);
    // UTF-16 opens (see `encodings_and_line_ends_are_kept`); what ends within a character does not.
    let mut utf16: Vec<u8> = "\u{FEFF}Open."
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    utf16.pop();
    let deep = "<div>".repeat(200_000);
    let cases: [(&str, &[u8], &[&str]); 6] = [
        ("binary.txt", b"Open\0the", &["byte 4"]),
        ("utf16.txt", &utf16, &["UTF-16"]),
        ("latin.txt", b"Open.\nDr\xFCcken.\n", &["line 2"]),
        ("long.txt", long_line.as_bytes(), &["line 1"]),
        ("deep.html", deep.as_bytes(), &["nested", "512"]),
        ("quotes.md", &b"> ".repeat(5_000), &["nested"]),
    ];
    let out = desk.file("out.txt", "mine");
    for (name, bytes, words) in cases {
        let path = desk.file(name, bytes);
        assert_failed(
            &desk.translate(&[&path, "-o", &out, "--force"]),
            &[&[name], words].concat(),
        );
        fs::remove_file(path).expect("removes");
    }
    assert_failed(
        &desk.translate(&[&desk.path("no.html"), "-o", &out, "--force"]),
        &["no.html"],
    );
    // A folder is translated document by document, into another one.
    let folder = desk.translate(&[desk.folder.path().to_str().expect("a name")]);
    let message = String::from_utf8_lossy(&folder.stderr);
    assert!(
        folder.status.code() == Some(2) && message.contains("--output"),
        "{message}"
    );
    assert_eq!(
        (desk.read("out.txt").as_str(), desk.names()),
        ("mine", vec!["out.txt".to_owned()])
    );
}

/// A zip archive; the last entry has a given size, of spaces.
fn package(entries: &[(&str, &str)], large: Option<(&str, usize)>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in entries {
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(text.as_bytes()).expect("written");
    }
    if let Some((name, mib)) = large {
        writer.start_file(name, options).expect("an entry");
        let spaces = vec![b' '; 1 << 20];
        for _ in 0..mib {
            writer.write_all(&spaces).expect("written");
        }
    }
    writer.finish().expect("an archive").into_inner()
}

#[test]
fn bombs_and_damaged_packages_are_refused_by_part_and_nothing_is_written() {
    let desk = Desk::new();
    let types = ("[Content_Types].xml", "<Types/>");
    let relation = (
        "_rels/.rels",
        "<Relationships><Relationship Id=\"a\" Type=\"x/officeDocument\" Target=\"word/document.xml\"/></Relationships>",
    );
    let main = "word/document.xml";
    let bomb = package(&[types, relation], Some((main, 257)));
    let cut_part = package(
        &[
            types,
            relation,
            (main, "<w:document xmlns:w=\"w\"><w:body><w:p>"),
        ],
        None,
    );
    let deep = format!("<w:document xmlns:w=\"w\">{}", "<w:p>".repeat(100_000));
    let deep = package(&[types, relation, (main, &deep)], None);
    let entities: Vec<String> = (1..12)
        .map(|level| {
            let inner = format!("&e{};", level - 1).repeat(10);
            format!("<!ENTITY e{level} \"{inner}\">")
        })
        .collect();
    let entities = entities.concat();
    let laughs = format!(
        "<!DOCTYPE a [<!ENTITY e0 \"ha\">{entities}]><w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>Ha &e11;</w:t></w:r></w:p></w:body></w:document>"
    );
    let laughs = package(&[types, relation, (main, &laughs)], None);
    let mut cut = cut_part.clone();
    cut.truncate(cut.len() - 30);
    let locked = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and so on";
    let cases: [(&str, &[u8], &[&str]); 6] = [
        ("bomb.docx", &bomb, &[main]),
        ("part.docx", &cut_part, &[main]),
        ("deep.docx", &deep, &[main, "512"]),
        ("cut.docx", &cut, &["zip archive"]),
        ("locked.docx", locked, &["password"]),
        ("laughs.docx", &laughs, &[main]),
    ];
    let out = desk.file("out.docx", "mine");
    for (name, bytes, words) in cases {
        let path = desk.file(name, bytes);
        for more in [&["--pseudo", "identity"][..], &[]] {
            let arguments = [&["translate", &path, "-o", &out, "--force"], more].concat();
            let output = match more {
                [] => desk.translate(&arguments[1..]),
                _ => canopy(&arguments),
            };
            assert_failed(&output, &[&[name], words].concat());
        }
        fs::remove_file(path).expect("removes");
    }
    assert_eq!(
        (desk.read("out.docx").as_str(), desk.names()),
        ("mine", vec!["out.docx".to_owned()])
    );
}

/// One way to damage a file of a model folder.
enum Damage {
    Missing,
    Replaced(&'static [u8]),
    /// Without its last bytes.
    Truncated(usize),
    /// One text instead of another.
    Edited(&'static str, &'static str),
}

impl Damage {
    fn apply(&self, path: &Path) {
        let bytes = fs::read(path).expect("readable");
        let text = || String::from_utf8(bytes.clone()).expect("UTF-8");
        let damaged = match self {
            Self::Missing => return fs::remove_file(path).expect("removes"),
            Self::Replaced(other) => other.to_vec(),
            Self::Truncated(missing) => bytes[..bytes.len() - missing].to_vec(),
            Self::Edited(from, to) => text().replace(from, to).into_bytes(),
        };
        assert_ne!(damaged, bytes, "nothing is damaged");
        fs::write(path, damaged).expect("writes");
    }
}

#[test]
fn damaged_model_folders_are_refused_by_file() {
    use Damage::{Edited, Missing, Replaced, Truncated};
    const MODEL: &str = "model.toml";
    const WEIGHTS: &str = "weights.safetensors";
    const VOCABULARY: &str = "vocabulary.json";
    // The damaged file, and what the message names.
    let cases: [(&str, Damage, &[&str]); 19] = [
        (MODEL, Missing, &[MODEL]),
        (MODEL, Replaced(b"\x01{{{"), &[MODEL]),
        (MODEL, Replaced(b"name = \"\xFF\""), &[MODEL]),
        (
            MODEL,
            Edited("version = 1", "version = 99"),
            &[MODEL, "version 99"],
        ),
        (
            MODEL,
            Edited("d_model = ", "d_modle = "),
            &[MODEL, "d_modle"],
        ),
        (
            MODEL,
            Edited("num_heads = 2", "num_heads = 7"),
            &[MODEL, "num_heads"],
        ),
        (MODEL, Edited("s-sf", "s-xf"), &[MODEL, "s-xf"]),
        (
            MODEL,
            Edited("d_model = 16", "d_model = 1000000"),
            &[WEIGHTS],
        ),
        (
            MODEL,
            Edited("d_model = 16", "d_model = 4000000000000000000"),
            &[MODEL, "d_model"],
        ),
        (
            MODEL,
            Edited("num_decoder_layers = 1", "num_decoder_layers = 1000000"),
            &[WEIGHTS],
        ),
        (
            MODEL,
            Edited("num_decoder_layers = 1", "num_decoder_layers = 2"),
            &[WEIGHTS, "decoder.layers.1"],
        ),
        (MODEL, Edited("d_ff = 32", "d_ff = 36"), &[WEIGHTS, "shape"]),
        (
            MODEL,
            Edited("tied_embeddings = false", "tied_embeddings = true"),
            &[WEIGHTS, "logits"],
        ),
        (
            MODEL,
            Edited("vocab_size = 340", "vocab_size = 341"),
            &[VOCABULARY, "340", "341"],
        ),
        (WEIGHTS, Missing, &[WEIGHTS]),
        (WEIGHTS, Truncated(100), &[WEIGHTS]),
        (WEIGHTS, Replaced(b""), &[WEIGHTS]),
        (VOCABULARY, Missing, &[VOCABULARY]),
        (VOCABULARY, Replaced(b"{\"a\": 1}"), &[VOCABULARY]),
    ];
    let desk = Desk::new();
    let out = desk.path("out.txt");
    let model = desk.model.path();
    let arguments = [
        "translate",
        "--device",
        "cpu",
        "-o",
        &out,
        "--model",
        model.to_str().expect("a name"),
    ];
    for (name, damage, words) in cases {
        let whole = fs::read(model.join(name)).expect("readable");
        damage.apply(&model.join(name));
        assert_failed(&canopy_with(&arguments, "Open the file."), words);
        assert!(desk.names().is_empty());
        fs::write(model.join(name), whole).expect("writes");
    }
    let nowhere = desk.path("nowhere");
    assert_failed(
        &canopy_with(
            &["translate", "--device", "cpu", "--model", &nowhere],
            "Open.",
        ),
        &["nowhere"],
    );
}

#[test]
fn weights_that_are_not_finite_are_named_and_overflow_is_reported() {
    let desk = Desk::new();
    let corpus = desk.path("corpus");
    tiny::corpus(Path::new(&corpus));
    let page = desk.file("page.txt", "Open the file. Close the window.");
    let (out, trace) = (desk.path("out.txt"), desk.path("page.trace"));
    let model = desk.model.path().to_str().expect("a name");
    let device = ["--device", "cpu", "--model", model];
    let commands: [&[&str]; 3] = [
        &["translate", &page, "-o", &out],
        &["translate", &page, "-o", &out, "--trace", &trace],
        &["evaluate", "--corpus", &corpus],
    ];
    let weights = desk.model.path().join("weights.safetensors");
    let whole = fs::read(&weights).expect("readable");
    let names = read_tensors(&weights).expect("tensors");
    let refused = |words: &[&str]| {
        for command in commands {
            assert_failed(&canopy(&[command, &device].concat()), words);
        }
    };
    for (value, found) in [(f32::NAN, "NaN"), (f32::NEG_INFINITY, "-inf")] {
        for name in names.keys() {
            tiny::spoil(&weights, name, value);
            let message = format!("{name} holds {found} (number 1 of");
            let command = canopy(&[commands[0], &device].concat());
            assert_failed(&command, &["weights.safetensors", &message]);
            fs::write(&weights, &whole).expect("written");
        }
    }
    let name = "encoder.sublayers.0.norm.beta";
    tiny::spoil(&weights, name, f32::NAN);
    refused(&["weights.safetensors", name, "NaN"]);
    // In 16 bits and in 8 a number can be infinite too.
    for precision in [Precision::Half, Precision::Int8] {
        write_tensors(&weights, &names, precision).expect("written");
        tiny::spoil(&weights, name, f32::INFINITY);
        refused(&["weights.safetensors", name, "inf"]);
    }
    write_tensors(&weights, &names, Precision::Int8).expect("written");
    tiny::spoil(&weights, "logits.row_scales", f32::NAN);
    refused(&["weights.safetensors", "logits holds NaN"]);
    // All weights are finite, but no score is.
    let mut large = names.clone();
    let (_, values) = large.get_mut("logits").expect("there");
    for value in values {
        *value = f32::MAX.copysign(*value);
    }
    write_tensors(&weights, &large, Precision::Full).expect("written");
    refused(&["scores of sentence", "not probabilities"]);
    assert_eq!(desk.names(), ["corpus", "page.txt"]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn a_full_standard_output_is_an_error() {
    let documents = Desk::new();
    let file = documents.file("one.txt", "Open the file.");
    for json in [false, true] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command
            .args(["translate", "--device", "cpu", &file, "--model"])
            .arg(documents.model.path())
            .args(json.then_some("--json"));
        command.stdout(
            File::options()
                .write(true)
                .open("/dev/full")
                .expect("opens"),
        );
        let output = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts")
            .wait_with_output()
            .expect("ends");
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        assert_failed(&output, &["standard output"]);
    }
}

/// A file system with room for a few kilobytes.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount(kilobytes: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let size = format!("size={kilobytes}k");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "none"])
            .arg(folder.path())
            .output()
            .expect("it starts");
        assert!(mount.status.success(), "{}", stderr(&mount));
        Self(folder)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0.path()).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "{} stays mounted",
            self.0.path().display()
        );
    }
}

#[test]
#[cfg_attr(not(may_mount), ignore = "needs the right to mount")]
fn a_full_disk_leaves_existing_files_as_they_were() {
    let disk = SmallDisk::mount(64);
    let documents = Desk::new();
    let page = documents.file(
        "page.html",
        format!("{PAGE}<!-- {} -->", "x".repeat(200_000)),
    );
    let out = disk.0.path().join("out.html");
    fs::write(&out, "mine").expect("writes");
    assert_failed(
        &documents.translate(&[&page, "--force", "-o", out.to_str().expect("a name")]),
        &["out.html", "left as it was"],
    );
    assert_eq!(fs::read_to_string(&out).expect("readable"), "mine");
    assert_eq!(
        fs::read_dir(disk.0.path()).expect("a folder").count(),
        1,
        "a temporary file was left behind"
    );
}

#[test]
#[cfg_attr(not(may_mount), ignore = "needs the right to mount")]
fn training_on_a_full_disk_fails_with_the_name_of_the_file() {
    let disk = SmallDisk::mount(2_000);
    let documents = Desk::new();
    let corpus = documents.path("corpus");
    tiny::corpus(Path::new(&corpus));
    let settings = documents.file("run.toml", "vocab_size = 340\nsteps = 1\n");
    let run = disk.0.path().join("run");
    let run = run.to_str().expect("a name");
    let output = canopy(&[
        "train", "--device", "cpu", "--corpus", &corpus, "--config", &settings, "--run", run,
    ]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("weights.safetensors") && message.contains(run),
        "{message}"
    );
}

#[test]
fn wrong_corpora_and_settings_are_refused_by_name() {
    let desk = Desk::new();
    let corpus = desk.path("corpus");
    tiny::corpus(Path::new(&corpus));
    let train = |arguments: &[&str]| {
        canopy(
            &[
                &["train", "--device", "cpu", "--run", &desk.path("run")],
                arguments,
            ]
            .concat(),
        )
    };
    assert_failed(
        &train(&["--corpus", &desk.path("nowhere")]),
        &["nowhere", "corpus.json"],
    );
    let unknown = train(&["--corpus", &corpus, "--preset", "huge"]);
    let message = stderr(&unknown);
    assert_eq!(unknown.status.code(), Some(2), "{message}");
    assert!(message.contains("huge") && message.contains("x-transformer-small"));
    assert_failed(&train(&["--resume"]), &["corpus"]);
    for (text, word) in [
        ("seeed = 1", "seeed"),
        ("dropout = 2.0", "dropout"),
        ("batch_tokens = \"many\"", "batch_tokens"),
        ("[[[", "run.toml"),
    ] {
        let settings = desk.file("run.toml", text);
        assert_failed(
            &train(&["--corpus", &corpus, "--config", &settings]),
            &[word],
        );
    }
    let settings = desk.file("run.toml", "preset = \"huge\"");
    assert_failed(
        &train(&["--corpus", &corpus, "--config", &settings]),
        &["run.toml", "preset is huge", "x-transformer-small"],
    );
    assert!(!Path::new(&desk.path("run")).exists());
    fs::write(format!("{corpus}/train.jsonl"), "{\"id\": ").expect("writes");
    assert_failed(&train(&["--corpus", &corpus]), &["train.jsonl", "line 1"]);
    let model = desk.model.path().to_str().expect("a name");
    assert_failed(
        &canopy(&[
            "evaluate",
            "--device",
            "cpu",
            "--model",
            model,
            "--corpus",
            &desk.path("nowhere"),
        ]),
        &["nowhere"],
    );
}
