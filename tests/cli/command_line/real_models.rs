//! Models as other programs hand them out, in each container; archives that are made to do harm; and files that are no model.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use crate::command_line::desk::{assert_done, assert_failed, stderr, stdout};
use crate::command_line::imported::User;
use crate::support::firefox::{self, SHORTLIST};

/// The files that Firefox and translateLocally keep of a model.
const FIREFOX: [&str; 5] = [
    "config.intgemm8bitalpha.yml",
    SHORTLIST,
    "model.pten.intgemm.alphas.bin",
    "model_info.json",
    "vocab.pten.spm",
];

/// The name of the folder that its files are copied to.
const FOLDER: &str = "mozilla-pt-en";

/// The model of Firefox among the files of a user.
fn firefox(user: &User) -> PathBuf {
    let folder = user.path(FOLDER);
    firefox::copy_to(&folder);
    folder
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(bytes).expect("packed");
    writer.finish().expect("whole")
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // Names that the crate would refuse are written as they are.
        header.as_gnu_mut().expect("GNU").name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, *bytes).expect("added");
    }
    builder.into_inner().expect("whole")
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).expect("begun");
        writer.write_all(bytes).expect("packed");
    }
    writer.finish().expect("whole").into_inner()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("Unicode")
}

/// The ways in which Firefox's model is handed out, made of its files.
fn containers(user: &User, folder: &Path) -> Vec<PathBuf> {
    let files: Vec<(&str, Vec<u8>)> = FIREFOX
        .iter()
        .map(|&name| {
            (
                name,
                fs::read(folder.join(name)).expect("a file of the case"),
            )
        })
        .collect();
    let names: Vec<String> = files
        .iter()
        .map(|(name, _)| format!("pten.tiny/{name}"))
        .collect();
    let below: Vec<(&str, &[u8])> = names
        .iter()
        .zip(&files)
        .map(|(name, (_, bytes))| (name.as_str(), bytes.as_slice()))
        .collect();
    let mut made = Vec::new();
    for (name, bytes) in [
        ("packed.tar.gz", gzip(&tar(&below))),
        ("packed2.tgz", gzip(&tar(&below))),
        ("packed3.tar", tar(&below)),
        ("packed4.zip", zip(&below)),
    ] {
        let path = user.path(name);
        fs::write(&path, bytes).expect("written");
        made.push(path);
    }
    // As Mozilla hands them out, without settings, and with what does not matter.
    let single = user.path("downloads");
    fs::create_dir(&single).expect("made");
    for (name, bytes) in &files {
        let written = match *name {
            "vocab.pten.spm" => (
                format!("{name}.zst"),
                compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest),
            ),
            "model_info.json" | "config.intgemm8bitalpha.yml" => continue,
            _ => (format!("{name}.gz"), gzip(bytes)),
        };
        fs::write(single.join(written.0), written.1).expect("written");
    }
    for (name, text) in [
        ("README.md", "# A model\n"),
        ("tokenizer.json", "{}"),
        ("modelMeta.json", "{}"),
    ] {
        fs::write(single.join(name), text).expect("written");
    }
    made.push(single.clone());
    made.push(folder.join("model.pten.intgemm.alphas.bin"));
    made.push(single.join("model.pten.intgemm.alphas.bin.gz"));
    made
}

fn translated(user: &User, more: &[&str]) -> String {
    let input = user.path("letter.txt");
    fs::write(&input, "Bom dia.\n").expect("written");
    let arguments = ["translate", text(&input), "--device", "cpu"];
    let output = user.canopy(&[&arguments, more].concat());
    assert_done(&output);
    stdout(&output)
}

#[test]
fn firefox_s_model_opens_however_it_is_handed_out() {
    let first = User::new();
    let folder = firefox(&first);
    let expected = translated(&first, &["--model", text(&folder)]);
    assert!(expected.contains("Good morning"), "{expected}");
    for path in containers(&first, &folder) {
        let shown = path.display();
        assert_eq!(
            translated(&first, &["--model", text(&path)]),
            expected,
            "{shown}"
        );
        let user = User::new();
        let added = user.canopy(&["model", "import", text(&path)]);
        assert_done(&added);
        // It is the only one that translates from Portuguese.
        assert_done(&user.canopy(&["model", "remove", "firefox-pt-en"]));
        let pair = ["--from", "pt", "--to", "en"];
        assert_eq!(translated(&user, &pair), expected, "{shown}");
        let name = stdout(&added)
            .split('\t')
            .next()
            .expect("a name")
            .to_owned();
        let model = user.listed(&name);
        assert_eq!(model["sources"], json!(["pt"]), "{shown}");
        assert_eq!(model["targets"], json!(["en"]), "{shown}");
        assert_eq!(translated(&user, &["--model", &name]), expected, "{shown}");
        let described = user.canopy(&["model", "describe", &name]);
        assert_done(&described);
        assert!(
            stdout(&described).contains("pt → en"),
            "{}",
            stdout(&described)
        );
        assert_done(&user.canopy(&["model", "remove", &name]));
    }
}

#[test]
fn name_and_version_are_those_that_its_files_state() {
    let user = User::new();
    let folder = firefox(&user);
    assert_done(&user.canopy(&["model", "import", text(&folder), "--name", "mozilla"]));
    let model = user.listed("mozilla");
    assert_eq!(model["title"], "Portuguese-English tiny");
    assert_eq!(model["version"], "2.0");
    let list = stdout(&user.canopy(&["model", "list"]));
    assert!(
        list.contains("Portuguese-English tiny, version 2.0"),
        "{list}"
    );
}

#[test]
fn models_of_others_are_evaluated_by_path_and_by_name() {
    let user = User::new();
    let folder = firefox(&user);
    let corpus = user.path("corpus");
    let sides = ["pt", "en"].map(|side| user.path(&format!("test.{side}")));
    fs::write(&sides[0], "Bom dia.\nObrigado.\n").expect("written");
    fs::write(&sides[1], "Good morning.\nThank you.\n").expect("written");
    let made = user.canopy(&[
        "corpus",
        "import",
        "text",
        "--source",
        text(&sides[0]),
        "--target",
        text(&sides[1]),
        "--from",
        "pt",
        "--to",
        "en",
        "--split",
        "test",
        "--output",
        text(&corpus),
    ]);
    assert_done(&made);
    let score = |model: &str| -> String {
        let arguments = [
            "evaluate",
            "--corpus",
            text(&corpus),
            "--device",
            "cpu",
            "--model",
            model,
        ];
        let output = user.canopy(&arguments);
        assert_done(&output);
        stdout(&output).lines().next().expect("a score").to_owned()
    };
    let direct = score(text(&folder));
    assert!(
        direct.starts_with("BLEU ") && direct.contains("2 segments"),
        "{direct}"
    );
    assert_done(&user.canopy(&["model", "import", text(&folder)]));
    assert_eq!(score(FOLDER), direct);
}

#[test]
fn a_model_without_languages_gets_the_given_ones() {
    let user = User::new();
    let folder = user.path("student");
    firefox::copy_without_languages_to(&folder);
    let added = user.canopy(&["model", "import", text(&folder)]);
    assert_done(&added);
    assert!(stderr(&added).contains("--from"), "{}", stderr(&added));
    let arguments = [
        "model",
        "import",
        text(&folder),
        "--name",
        "mine",
        "--from",
        "German",
        "--to",
    ];
    assert_failed(
        &user.canopy(&[&arguments[..], &["Klingonish"]].concat()),
        &["--to", "Klingonish"],
    );
    assert_done(&user.canopy(&[&arguments[..], &["pt_BR"]].concat()));
    let model = user.listed("mine");
    assert_eq!(model["sources"], json!(["de"]));
    assert_eq!(model["targets"], json!(["pt-BR"]));
    let output = translated(&user, &["--from", "de", "--to", "pt"]);
    assert!(!output.is_empty());
}

/// Nothing is left of a model that is not added, whatever was in its archive.
#[test]
fn archives_that_are_made_to_do_harm_are_refused_and_leave_nothing() {
    let user = User::new();
    let mut link = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    link.append_link(&mut header, "model.npz", "/etc/passwd")
        .expect("added");
    let link = link.into_inner().expect("whole");
    let outside: [(&str, &[u8]); 1] = [("../../outside.txt", b"harm")];
    let rooted: [(&str, &[u8]); 1] = [("/tmp/outside.txt", b"harm")];
    let whole = gzip(&tar(&[
        ("m/config.json", b"{}".as_slice()),
        ("m/model.npz", &[7; 9_000]),
    ]));
    let zeros = vec![0_u8; 300 << 20];
    let bomb = gzip(&zeros);
    let zstd = compress_to_vec(&[7_u8; 9_000][..], CompressionLevel::Fastest);
    let cases: [(&str, Vec<u8>, &str); 10] = [
        ("up.tar", tar(&outside), "outside its folder"),
        ("up.tar.gz", gzip(&tar(&outside)), "outside its folder"),
        ("root.tar", tar(&rooted), "outside its folder"),
        ("up.zip", zip(&outside), "outside its folder"),
        ("link.tar.gz", gzip(&link), "is a link"),
        (
            "cut.tar.gz",
            whole[..whole.len() / 2].to_vec(),
            "cut off or damaged",
        ),
        (
            "cut.tar",
            tar(&[("m/model.npz", &[7; 9_000])])[..4_000].to_vec(),
            "cut off",
        ),
        (
            "cut.tar.zst",
            zstd[..zstd.len() / 2].to_vec(),
            "cut off or damaged",
        ),
        ("bomb.tar.gz", bomb.clone(), "unpacks to more than"),
        (
            "bomb.zip",
            zip(&[("model.npz", &zeros)]),
            "as those of no model do",
        ),
    ];
    for (name, bytes, words) in cases {
        let path = user.path(name);
        fs::write(&path, bytes).expect("written");
        assert_failed(
            &user.canopy(&["model", "import", text(&path)]),
            &[words, name],
        );
        assert_failed(&user.canopy(&["model", "describe", text(&path)]), &[words]);
    }
    let single = user.path("single");
    fs::create_dir(&single).expect("made");
    fs::write(single.join("model.npz.gz"), bomb).expect("written");
    fs::write(single.join("vocab.yml"), "a: 0\n").expect("written");
    assert_failed(
        &user.canopy(&["model", "import", text(&single)]),
        &["unpacks to more than", "model.npz"],
    );
    let library = user.path(".local/share/canopy/models");
    let left = fs::read_dir(&library).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{}", library.display());
    assert!(!user.path(".local/outside.txt").exists() && !Path::new("/tmp/outside.txt").exists());
}

/// Files with their texts, and words of the refusal.
type Case<'c> = (&'c [(&'c str, &'c str)], &'c [&'c str]);

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn what_is_no_model_is_named_by_what_it_seems_to_be() {
    let user = User::new();
    let docx = zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", b"<w/>"),
    ]);
    let torch = zip(&[
        ("archive/data.pkl", b"\x80\x02"),
        ("archive/data/0", &[0; 8]),
    ]);
    let cases: &[(&str, &[u8], &[&str])] = &[
        ("llama.gguf", b"GGUF\x03\0\0\0", &["language model"]),
        ("letter.docx", &docx, &["seems to be a document"]),
        (
            "model.pt",
            &torch,
            &["checkpoint of PyTorch", "CTranslate2"],
        ),
        ("model.onnx", b"\x08\x07\x12\x07pytorch", &["ONNX"]),
        (
            "memory.tmx",
            b"<?xml version=\"1.0\"?><tmx version=\"1.4\"/>",
            &["translation memory", "--memory"],
        ),
        (
            "enpt.7z",
            b"7z\xbc\xaf\x27\x1c",
            &["an archive that is not read", "unpack"],
        ),
        (
            "enpt.zip",
            b"<!DOCTYPE html><title>404</title>",
            &["page of the web"],
        ),
        ("enpt.tar.gz.part", b"\x1f\x8b\x08", &["not finished"]),
        ("enpt.tar.gz.00", b"anything", &["divided archive"]),
        ("notes.txt", b"Open the file.", &["seems to be a document"]),
        ("empty.bin", b"", &["empty file"]),
        (
            "weights.safetensors.bin",
            b"version https://git-lfs.github.com/spec/v1\n",
            &["Git LFS"],
        ),
    ];
    let place = user.path("one");
    for (name, bytes, words) in cases {
        let _ = fs::remove_dir_all(&place);
        fs::create_dir(&place).expect("made");
        let path = place.join(name);
        fs::write(&path, bytes).expect("written");
        for command in ["describe", "import"] {
            let output = user.canopy(&["model", command, text(&path)]);
            assert_failed(&output, &[*words, &[*name][..]].concat());
            assert!(stderr(&output).len() < 600, "{}", stderr(&output));
        }
    }
    let folders: &[Case] = &[
        (&[], &["empty folder"]),
        (
            &[("a.docx", "PK"), ("b.txt", "b")],
            &["folder of documents", "no model.toml"],
        ),
        (
            &[("vocab.enpt.spm", "x")],
            &["vocab.enpt.spm", "no weights"],
        ),
        (&[("corpus.json", "{}")], &["a corpus", "--corpus"]),
        (&[("events.jsonl", "")], &["training run"]),
        (&[("enpt.tar.gz", "x")], &["the archive enpt.tar.gz"]),
        (
            &[("enpt.tar.gz.00", "x"), ("enpt.tar.gz.01", "x")],
            &["divided archive"],
        ),
        (
            &[(
                "config.json",
                r#"{"model_type": "llama", "hidden_size": 8}"#,
            )],
            &["language model", "model.safetensors", "missing"],
        ),
        (
            &[
                ("config.json", r#"{"model_type": "bart", "d_model": 8}"#),
                ("model.safetensors", "x"),
            ],
            &["bart"],
        ),
        (
            &[("en-pt/model.npz", "x"), ("pt-en/model.npz", "x")],
            &["2 models", "en-pt", "pt-en"],
        ),
        (
            &[("one/model.toml", "x"), ("readme.txt", "x")],
            &["folder one is a model"],
        ),
    ];
    for (files, words) in folders {
        let _ = fs::remove_dir_all(&place);
        fs::create_dir(&place).expect("made");
        for (name, text) in *files {
            let path = place.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let output = user.canopy(&[
            "translate",
            text(&place.join("..").join("none.txt")),
            "--model",
            text(&place),
        ]);
        let described = user.canopy(&["model", "describe", text(&place)]);
        assert_failed(&described, words);
        assert_ne!(output.status.code(), Some(0));
    }
}

#[test]
fn a_model_that_came_with_the_program_is_removed_and_restored() {
    let user = User::new();
    let names = || -> Vec<String> {
        let list: Value = serde_json::from_str(&stdout(&user.canopy(&["model", "list", "--json"])))
            .expect("JSON");
        let models = list["models"].as_array().expect("a list").iter();
        models
            .map(|model| model["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = names();
    let list = stdout(&user.canopy(&["model", "list"]));
    let starter = list
        .lines()
        .find(|line| line.starts_with("Starter\t"))
        .expect("a starter");
    assert!(starter.contains("GPL-3.0-or-later"), "{starter}");
    for name in ["Starter", "starter-de-en", "starter-en-pt"] {
        assert_done(&user.canopy(&["model", "remove", name]));
    }
    assert_eq!(names().len(), all.len() - 3);
    assert!(!names().iter().any(|name| name.starts_with("Starter")));
    assert_failed(&user.canopy(&["model", "restore", "nothing"]), &["Starter"]);
    assert_done(&user.canopy(&["model", "restore", "Starter"]));
    assert_eq!(names().len(), all.len() - 2);
    assert_done(&user.canopy(&["model", "restore"]));
    assert_eq!(names(), all);
}
