//! Models of other programs, and documents to translate with them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use canopy::inference::{DeviceChoice, SearchOptions, Translation, Translator};
use canopy::text::document::{Document, Format};

/// Folders of ../shared/models, one of each program, where they are.
pub fn one_of_each() -> Vec<PathBuf> {
    those_there(&[
        "marian-base-1",
        "marian-tc-big-1",
        "marian-multi-1",
        "marian-native-align-1",
        "marian-native-ssru-1",
        "ctranslate2-bpe-1-float32",
    ])
}

/// Those folders of ../shared/models that are there: what is tested with them is tested with [`multilingual`], too.
pub fn those_there(names: &[&str]) -> Vec<PathBuf> {
    let folders = names.iter().map(|name| shared(name));
    folders.filter(|folder| folder.exists()).collect()
}

pub fn shared(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("../shared/models").join(name)
}

/// Tiny M2M-100, NLLB and mBART-50 models; these are in the repository.
pub fn multilingual() -> [PathBuf; 3] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/interchange/multilingual");
    ["m2m100", "nllb", "mbart50"].map(|name| root.join(name))
}

pub fn all() -> Vec<PathBuf> {
    let mut folders = one_of_each();
    folders.extend(multilingual());
    folders
}

pub fn opened(folder: &Path) -> Translator {
    let opened = Translator::open_between(folder, DeviceChoice::Cpu, Some("en"), Some("de"));
    opened.unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

pub fn text(text: &str) -> Document {
    Document::parse("text.txt", Format::Text, text.to_owned()).expect("a text")
}

pub fn translations(
    translator: &Translator,
    document: &Document,
    options: &SearchOptions,
) -> Vec<Translation> {
    let mut found = vec![None; document.sentences.len()];
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let done = translator.translate(document, &all, options, &mut |index, translation| {
        found[index] = Some(translation);
        ControlFlow::Continue(())
    });
    done.expect("translates");
    found
        .into_iter()
        .map(|it| it.expect("all of them"))
        .collect()
}

pub fn greedy() -> SearchOptions {
    SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    }
}
