//! Descriptions of files that are no translation model: a sentence with their likely kind and a remedy.

use std::path::Path;

use super::archive::Archive;
use super::sentencepiece::pieces;
use crate::error::OtherKind;

/// Bytes at the beginning of a file that identify it.
const HEAD: u64 = 1_024;

/// Bytes that are read.
const READ: &str = "There is no model.toml of Canopy in it, no config.json of Hugging Face, no npz, *.intgemm.alphas.bin or \
    decoder.yml of Marian, Bergamot or Firefox, and no model.bin of CTranslate2 or Argos Translate";

/// The beginning of a sentence about a file or folder as a whole.
const SEEMS: &str = "it seems to be";

/// The kind of a file, judged by its content.
#[derive(Clone, Copy, PartialEq)]
struct Kind {
    words: &'static str,
    other: Option<OtherKind>,
}

/// A kind that the program reads elsewhere.
const fn read_by_other(words: &'static str, other: OtherKind) -> Kind {
    let other = Some(other);
    Kind { words, other }
}

/// A kind that the program does not read, and a remedy.
const fn not_read(words: &'static str) -> Kind {
    Kind { words, other: None }
}

const CHECKPOINT: Kind = not_read(
    "a checkpoint of PyTorch, which does not say how the model is built; convert it with a converter of CTranslate2 \
    (ct2-fairseq-converter, ct2-opennmt-py-converter) and name the folder that it makes",
);
const ARCHIVE: Kind = not_read("an archive that is not read; unpack it and name the folder");
const DOCUMENT: Kind = read_by_other("a document", OtherKind::Document);
const MEMORY: Kind = read_by_other("a translation memory", OtherKind::Memory);
const TERMBASE: Kind = read_by_other("a termbase", OtherKind::Termbase);
const LARGE: Kind = read_by_other(
    "a large language model; of GGUF files name the file itself, of Hugging Face's the folder, any other form is served by a \
    program such as llama.cpp",
    OtherKind::LanguageModel,
);
const ONNX: Kind = not_read(
    "a model in ONNX, which is not read; take its safetensors, or a conversion to CTranslate2",
);
const TENSORFLOW: Kind = not_read(
    "a model of TensorFlow, which is not read; take its safetensors, or a conversion to CTranslate2",
);
const UNFINISHED: Kind = not_read("a download that is not finished; let it end, or fetch it again");
const PART: Kind =
    not_read("a part of a divided archive; join the parts (cat name.* > name) and name the whole");
const POINTER: Kind = not_read(
    "a pointer of Git LFS in place of the file; fetch the file itself with `git lfs pull`",
);
const WEB: Kind = not_read("a page of the web in place of the download; fetch the file again");

/// Endings of names, and what such files are.
const ENDINGS: &[(&str, Kind)] = &[
    ("gguf ggml", LARGE),
    ("onnx", ONNX),
    ("h5 hdf5 pb tflite keras", TENSORFLOW),
    ("pt pth ckpt pkl", CHECKPOINT),
    ("tmx", MEMORY),
    ("tbx", TERMBASE),
    ("part crdownload partial aria2 download", UNFINISHED),
    ("7z rar xz bz2 txz tbz2 lzma", ARCHIVE),
    (
        "docx xlsx pptx odt ods odp epub pdf html htm xhtml md txt rtf doc xliff xlf po srt vtt idml tex rst adoc properties \
        resx strings",
        DOCUMENT,
    ),
];

/// Bytes at the beginnings of files, and what such files are.
const BEGINNINGS: &[(&[u8], Kind)] = &[
    (b"GGUF", LARGE),
    (b"version https://git-lfs", POINTER),
    (b"7z\xbc\xaf", ARCHIVE),
    (b"Rar!", ARCHIVE),
    (b"\xfd7zXZ", ARCHIVE),
    (b"BZh", ARCHIVE),
    (b"%PDF", DOCUMENT),
    (b"\x89HDF", TENSORFLOW),
    (b"\x80\x02", CHECKPOINT),
    (b"\x80\x04", CHECKPOINT),
];

/// Files in folders, and what such folders are.
const BY_FILE: &[(&str, Kind)] = &[
    ("corpus.json", read_by_other("a corpus", OtherKind::Corpus)),
    (
        "encoder.toml",
        read_by_other("an encoder, which a training reads", OtherKind::Encoder),
    ),
    (
        "canopy-project.toml",
        read_by_other("a project of documents", OtherKind::Project),
    ),
    (
        "adapter_config.json",
        not_read("an adapter of a larger model; merge it into that one, and name the merged model"),
    ),
    ("saved_model.pb", TENSORFLOW),
];

/// Files of packages of documents.
const OF_DOCUMENTS: [&str; 4] = [
    "[Content_Types].xml",
    "mimetype",
    "META-INF/manifest.xml",
    "designmap.xml",
];

/// The kind of an archive without a model.
pub(super) struct Seeming {
    /// A sentence, with a remedy if there is one.
    pub(super) reason: String,
    pub(super) other: Option<OtherKind>,
}

impl Seeming {
    fn new(reason: impl Into<String>) -> Self {
        let (reason, other) = (reason.into(), None);
        Self { reason, other }
    }

    /// `begin` says where it is found, such as `it seems to be`.
    fn from_kind(begin: &str, kind: Kind) -> Self {
        let reason = format!("{begin} {}", kind.words);
        let other = kind.other;
        Self { reason, other }
    }
}

/// The likely kind of an archive without a model, and a remedy.
pub(super) fn seeming(archive: &mut Archive) -> Seeming {
    let path = archive.path().to_owned();
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let weights = archive.named().map(str::to_owned);
    let description = if path.is_dir() {
        seeming_folder(&path, &names)
    } else {
        let only = weights.or_else(|| names.first().filter(|_| names.len() == 1).cloned());
        only.and_then(|only| seeming_file(archive, &only))
            .or_else(|| packed_kind(&names).map(|kind| Seeming::from_kind(SEEMS, kind)))
    };
    description.unwrap_or_else(|| Seeming::new(listing(&names)))
}

/// The likely kind of a single file.
fn seeming_file(archive: &mut Archive, name: &str) -> Option<Seeming> {
    let head = archive.head(name, HEAD).unwrap_or_default();
    let description = |kind: Kind| Some(Seeming::from_kind(SEEMS, kind));
    if head.is_empty() && !is_partial(name) {
        return description(not_read("an empty file; fetch it again"));
    }
    if let Some((_, kind)) = BEGINNINGS.iter().find(|(begin, _)| head.starts_with(begin)) {
        return description(*kind);
    }
    let text = String::from_utf8_lossy(&head).to_lowercase();
    let text = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let ending = ending(name);
    if text.starts_with("<!doctype html") || text.starts_with("<html") {
        let is_meant = ["html", "htm", "xhtml"].contains(&ending.as_str());
        return description(if is_meant { DOCUMENT } else { WEB });
    }
    if text.contains("<tmx") {
        return description(MEMORY);
    }
    if is_partial(name) {
        let is_unfinished = kind_by_ending(&ending) == Some(UNFINISHED);
        return description(if is_unfinished { UNFINISHED } else { PART });
    }
    if name.starts_with("lex.") {
        return description(read_by_other(
            "a vocabulary shortlist",
            OtherKind::Shortlist,
        ));
    }
    if let Some(kind) = kind_by_ending(&ending) {
        return description(kind);
    }
    let whole = ["spm", "model", "vocab"].contains(&ending.as_str());
    let whole = whole.then(|| archive.bytes(name).ok()).flatten();
    if whole.is_some_and(|bytes| pieces(&bytes).is_some()) {
        return description(not_read(
            "a vocabulary of SentencePiece; name the folder of its model",
        ));
    }
    let is_text = !head.contains(&0);
    is_text.then(|| Seeming::from_kind(SEEMS, DOCUMENT))
}

/// Whether a name is that of a part of a file: of a download that is not finished, or of a divided archive.
pub(super) fn is_partial(name: &str) -> bool {
    let ending = ending(name);
    let is_number = ending.len() >= 2 && ending.bytes().all(|byte| byte.is_ascii_digit());
    let is_part = ending
        .strip_prefix("part")
        .is_some_and(|rest| !rest.is_empty());
    let is_letters = ["aa", "ab", "ac", "ad", "ae"].contains(&ending.as_str());
    is_number || is_part || is_letters || kind_by_ending(&ending) == Some(UNFINISHED)
}

fn ending(name: &str) -> String {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

fn kind_by_ending(ending: &str) -> Option<Kind> {
    let is_it = |known: &str| known == ending;
    let mut rows = ENDINGS.iter();
    let found = rows.find(|(endings, _)| endings.split(' ').any(is_it));
    found.map(|(_, kind)| *kind)
}

/// The likely kind of a folder.
fn seeming_folder(path: &Path, names: &[String]) -> Option<Seeming> {
    if names.is_empty() {
        return Some(Seeming::new("it is an empty folder"));
    }
    let has = |name: &str| names.iter().any(|found| found == name);
    let checkpoints = ["checkpoints/last", "checkpoints/best"].iter();
    let mut checkpoints = checkpoints.map(|name| path.join(name));
    if let Some(model) = checkpoints.find(|model| model.join("model.toml").is_file()) {
        let model = model.display();
        return Some(Seeming::new(format!(
            "it is a training run; name its model, {model}"
        )));
    }
    if has("events.jsonl") || has("config.toml") {
        let kind = read_by_other("a training run that has no model yet", OtherKind::Run);
        return Some(Seeming::from_kind(SEEMS, kind));
    }
    if let Some((_, kind)) = BY_FILE.iter().find(|(name, _)| has(name)) {
        return Some(Seeming::from_kind(SEEMS, *kind));
    }
    let below: Vec<&String> = names
        .iter()
        .filter(|name| name.ends_with("/model.toml"))
        .collect();
    if let [model] = below[..] {
        let folder = model.trim_end_matches("/model.toml");
        return Some(Seeming::new(format!(
            "its folder {folder} is a model; name that one"
        )));
    }
    seeming_by_endings(names)
}

/// The likely kind of a folder, by the endings of its files.
fn seeming_by_endings(names: &[String]) -> Option<Seeming> {
    let with = |endings: &str| {
        let mut found = names.iter();
        found.find(|name| endings.split(' ').any(|known| known == ending(name)))
    };
    let is_packed = |name: &&String| {
        let name = name.to_lowercase();
        [".tar.gz", ".tgz", ".tar", ".tar.zst", ".argosmodel", ".zip"]
            .iter()
            .any(|it| name.ends_with(it))
    };
    if let Some(packed) = names.iter().find(is_packed) {
        return Some(Seeming::new(format!(
            "it holds the archive {packed}; name that file itself"
        )));
    }
    let divided = |name: &&String| {
        let name = name.to_lowercase();
        [".tar.gz.", ".tar.", ".zip.", ".tgz."]
            .iter()
            .any(|it| name.contains(it))
    };
    if let Some(part) = names.iter().find(divided) {
        return Some(Seeming::from_kind(&format!("it holds {part},"), PART));
    }
    if let Some(vocabulary) = with("spm") {
        return Some(Seeming::new(format!(
            "it holds the vocabulary {vocabulary}, but no weights; of a model of Firefox or Bergamot the file model.*.bin \
             is missing"
        )));
    }
    let is_document = |name: &&String| kind_by_ending(&ending(name)) == Some(DOCUMENT);
    let documents = names.iter().filter(is_document).count();
    if let Some(found) = names.iter().find(is_document)
        && 2 * documents > names.len()
    {
        return Some(Seeming::new(format!(
            "it seems to be a folder of documents, such as {found}. {READ}"
        )));
    }
    for (endings, kind) in ENDINGS.iter().filter(|(_, kind)| *kind != DOCUMENT) {
        if let Some(found) = with(endings) {
            return Some(Seeming::from_kind(&format!("it holds {found},"), *kind));
        }
    }
    None
}

/// The likely kind of a packed file.
fn packed_kind(names: &[String]) -> Option<Kind> {
    let has = |name: &str| names.iter().any(|found| found == name);
    if OF_DOCUMENTS.iter().any(|name| has(name)) {
        return Some(DOCUMENT);
    }
    let is_checkpoint = names.iter().any(|name| name.ends_with("data.pkl"));
    if is_checkpoint {
        return Some(CHECKPOINT);
    }
    let is_own = names.iter().any(|name| name.ends_with("model.toml"));
    is_own.then_some(read_by_other(
        "a packed model folder of Canopy's",
        OtherKind::PackedModel,
    ))
}

fn listing(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(4).map(String::as_str).collect();
    let more = if names.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    if shown.is_empty() {
        return format!("it holds no files. {READ}");
    }
    format!("it holds {}{more}. {READ}", shown.join(", "))
}
