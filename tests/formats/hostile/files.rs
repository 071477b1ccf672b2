//! Sound files of our own program and of others', made or copied here.

use std::fs;
use std::path::{Path, PathBuf};

use canopy::app::Settings;
use canopy::jobs::{Project, SavedTarget, State};
use canopy::judgement::{FORMAT, JudgedDocument, Judgement};
use canopy::trace;

use super::seeds::Seed;
use crate::support::{small, tiny};

/// The files of a folder, this one first; only the first ones that are named are damaged.
fn folder_seed(folder: &Path, damaged: &[&str]) -> Seed {
    let read = |path: &Path| {
        let name = path
            .strip_prefix(folder)
            .expect("below")
            .to_string_lossy()
            .into_owned();
        (name, fs::read(path).expect("readable"))
    };
    let paths = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (name, bytes) in paths.iter().map(|path| read(path)) {
        let is_damaged = damaged.iter().any(|ending| name.ends_with(ending));
        let files = if is_damaged { &mut first } else { &mut others };
        files.push((name, bytes));
    }
    first.sort();
    let damaged = first.len();
    first.extend(others);
    Seed {
        damaged,
        ..Seed::folder(first)
    }
}

pub fn corpus() -> Vec<Seed> {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("corpus");
    tiny::corpus(&folder);
    vec![folder_seed(&folder, &[".json", ".jsonl"])]
}

pub fn contexts() -> Vec<Seed> {
    let text = "{\"format\":\"canopy-contexts\",\"version\":1,\"corpus\":\"c\",\"corpus_digest\":\"d\",\"context\":\"similarity\",\"top\":2}\n\
                {\"split\":\"test\",\"id\":\"a\",\"sentences\":[[{\"sentence\":1,\"score\":0.5}],[{\"document\":\"b\",\"in_index\":true,\"sentence\":0}]]}\n";
    vec![Seed::file("a.jsonl", text)]
}

pub fn contrastive_set() -> Vec<Seed> {
    let own = "{\"format\":\"canopy-contrastive\",\"version\":1,\"name\":\"n\",\"about\":\"\",\"documents\":[{\"id\":\"a\",\"sentences\":\
               [{\"source\":\"One.\",\"reference\":\"Eins.\",\"place\":[0,0]},{\"source\":\"It.\",\"reference\":\"Sie.\",\"place\":[0,1]}]}],\"items\":[{\"id\":\"a#1\",\
               \"document\":0,\"sentence\":1,\"correct\":\"Sie.\",\"contrasts\":[{\"text\":\"Er.\",\"replacement\":\"er\"}],\"category\":\"it:sie\",\"distance\":1}]}";
    vec![Seed::file("a.json", own)]
}

pub fn judgement() -> Vec<Seed> {
    let judgement = Judgement {
        format: FORMAT.to_owned(),
        systems: ["one".to_owned(), "other".to_owned()],
        seed: 1,
        documents: vec![JudgedDocument {
            name: "a".to_owned(),
            source: vec!["One.".to_owned()],
            translations: [vec!["Eins.".to_owned()], vec!["Ein.".to_owned()]],
            ..JudgedDocument::default()
        }],
    };
    vec![Seed::file("a.json", judgement.to_bytes())]
}

pub fn dictionary() -> Vec<Seed> {
    let rules = b"SET UTF-8\nTRY esian\nFLAG long\nPFX Aa Y 1\nPFX Aa 0 un .\nSFX Bb Y 2\nSFX Bb y ies [^aeiou]y\nSFX Bb 0 s [^y]\nREP 1\nREP f ph\nCOMPOUNDMIN 3\n";
    let words = b"3\nword/AaBb\nfly/Bb\nother\n";
    vec![Seed::folder(vec![
        ("en_US.dic".to_owned(), words.to_vec()),
        ("en_US.aff".to_owned(), rules.to_vec()),
    ])]
}

pub fn model() -> Vec<Seed> {
    let folder = tiny::model_folder();
    vec![folder_seed(
        folder.path(),
        &["model.toml", "vocabulary.json", "weights.safetensors"],
    )]
}

pub fn tensors() -> Vec<Seed> {
    let folder = tiny::model_folder();
    let bytes = fs::read(folder.path().join("weights.safetensors")).expect("weights");
    vec![Seed::file("weights.safetensors", bytes)]
}

/// Models of other programs that were made for tests: those of ../shared/models whose names begin so.
fn others(beginnings: &[&str], damaged: &[&str]) -> Vec<Seed> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    let entries = fs::read_dir(models).expect("../shared/models");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let name = |path: &Path| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    paths.retain(|path| {
        beginnings
            .iter()
            .any(|beginning| name(path).starts_with(beginning))
    });
    paths
        .iter()
        .map(|path| folder_seed(path, damaged))
        .collect()
}

pub fn ctranslate2() -> Vec<Seed> {
    others(
        &["ctranslate2-bpe-1-int8", "ctranslate2-multi-1-int8"],
        &[".json", "model.bin", ".spm"],
    )
}

pub fn marian() -> Vec<Seed> {
    others(&["marian-native"], &[".yml", ".npz"])
}

pub fn hugging_face() -> Vec<Seed> {
    let damaged = [
        "config.json",
        "vocab.json",
        ".safetensors",
        ".spm",
        "bpe.model",
    ];
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/interchange/multilingual");
    let names = ["m2m100", "nllb", "mbart50"];
    let mut seeds = Vec::from(names.map(|name| folder_seed(&own.join(name), &damaged)));
    if cfg!(shared_models) {
        seeds.extend(others(&["marian-base", "marian-bpe"], &damaged));
    }
    seeds
}

pub fn pickles() -> Vec<Seed> {
    others(&["marian-multi"], &[".bin"])
}

/// Archives as translateLocally's models come in.
pub fn archives() -> Vec<Seed> {
    let files: [(&str, &[u8]); 3] = [
        ("enpt/config.yml", b"vocabs:\n- vocab.spm\n"),
        ("enpt/model.bin", &[7; 900]),
        ("enpt/vocab.spm", &[5; 300]),
    ];
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder
            .append_data(&mut header, name, bytes)
            .expect("added");
    }
    let tar = builder.into_inner().expect("whole");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &tar).expect("packed");
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let zstandard = ruzstd::encoding::compress_to_vec(tar.as_slice(), level);
    vec![
        Seed::file("enpt.tar.gz", gzip.finish().expect("whole")),
        Seed::file("enpt.tar.zst", zstandard),
        Seed::file("enpt.tar", tar),
    ]
}

pub fn trace() -> Vec<Seed> {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = ["a.json", "a.trace"].map(|name| {
        let path = folder.path().join(name);
        trace::save(&small::trace(true), &path, false).expect("saved");
        Seed::file(name, fs::read(path).expect("readable"))
    });
    saved.into()
}

pub fn project() -> Vec<Seed> {
    let target = SavedTarget {
        index: 0,
        source: "0123456789abcdef".to_owned(),
        text: "Eins.".to_owned(),
        state: State::Edited,
        flags: Vec::new(),
        model: Some("m".to_owned()),
        confidence: Some(50),
        history: Vec::new(),
    };
    let project = Project::new(PathBuf::from("a.html"), "c".to_owned(), vec![target]);
    let bytes = project.to_bytes(Path::new("a.json")).expect("written");
    vec![Seed::file("a.json", bytes)]
}

pub fn settings() -> Vec<Seed> {
    vec![Seed::file("settings.json", Settings::default().to_bytes())]
}

pub fn training_config() -> Vec<Seed> {
    let text = "corpus = \"c\"\npreset = \"han-small\"\nseed = 1\nsteps = 100\nschedule = \"noam\"\nwarmup_steps = 10\nlearning_rate = 1e-3\ndropout = 0.1\n";
    vec![Seed::file("a.toml", text)]
}

pub fn sweep() -> Vec<Seed> {
    let text = "reference = \"A\"\nseeds = [1, 2]\n[base]\ncorpus = \"c\"\nsteps = 5\n[[row]]\nname = \"A\"\npreset = \"x-transformer-small\"\n\
                [[row]]\nname = \"B\"\npreset = \"nearest-neighbours-small\"\nweights = \"A\"\n";
    vec![Seed::file("a.toml", text)]
}

pub fn run() -> Vec<Seed> {
    let events = "{\"event\":\"phase\",\"phase\":\"read\"}\n\
                  {\"event\":\"started\",\"parameters\":59,\"examples\":13,\"skipped\":1,\"device\":\"CPU\",\"step\":0,\"limits\":{\"steps\":0,\"target_tokens\":600,\"minutes\":0.0},\"steps_per_epoch\":14}\n\
                  {\"event\":\"step\",\"step\":1,\"epoch\":0,\"loss\":3.4,\"learning_rate\":0.0004,\"gradient_norm\":0.8,\"target_tokens\":24,\"target_tokens_per_second\":12.0,\"secs\":1.9,\"elapsed_secs\":1.9,\"remaining_secs\":4.4}\n";
    vec![Seed::file("events.jsonl", events)]
}
