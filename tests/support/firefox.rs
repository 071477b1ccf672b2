//! The model of Firefox that comes with the program, Portuguese to English.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// Settings that name files whose names say no languages.
const SETTINGS: &str = "relative-paths: true
models:
  - model.bin
vocabs:
  - vocab.spm
  - vocab.spm
";

pub const SHORTLIST: &str = "lex.50.50.pten.s2t.bin";

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/firefox-pt-en/model")
}

/// Writes its files to a folder, as Firefox keeps them: the shortlist is not compressed.
pub fn copy_to(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for entry in fs::read_dir(model()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mut bytes = fs::read(&path).expect("readable");
        let name = path.file_name().expect("a name").to_string_lossy();
        let name = match name.strip_suffix(".gz") {
            Some(name) => {
                let packed = std::mem::take(&mut bytes);
                let mut unpacked = GzDecoder::new(packed.as_slice());
                unpacked.read_to_end(&mut bytes).expect("gzip");
                name
            }
            None => &*name,
        };
        fs::write(folder.join(name), bytes).expect("written");
    }
}

/// Writes the model to a folder in which nothing says its languages.
pub fn copy_without_languages_to(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for (from, to) in [
        ("model.pten.intgemm.alphas.bin", "model.bin"),
        ("vocab.pten.spm", "vocab.spm"),
    ] {
        fs::copy(model().join(from), folder.join(to)).expect("copied");
    }
    fs::write(folder.join("decoder.yml"), SETTINGS).expect("written");
}
