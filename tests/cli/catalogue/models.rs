//! Models to serve: tiny ones of this repository, as the files that catalogues name.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use canopy::catalogue::{Catalogue, CatalogueModel, Origin, look};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::catalogue::server::{Reply, Server};

/// The files of a tiny M2M-100, which translates between four languages.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/interchange/multilingual/m2m100");
    let entries = fs::read_dir(folder).expect("a folder");
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("a name");
        (name, fs::read(entry.path()).expect("readable"))
    };
    let mut files: Vec<_> = entries
        .map(|entry| file(entry.expect("an entry")))
        .collect();
    files.retain(|(name, _)| name != "expected.json");
    files
}

/// The same as a zip file, which is large enough to come in several parts.
pub fn zip() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files() {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("model/{name}"), options)
            .expect("begun");
        zip.write_all(&bytes).expect("written");
    }
    let noise = (0..1_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8);
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("model/notes.txt", stored).expect("begun");
    zip.write_all(&noise.collect::<Vec<u8>>()).expect("written");
    zip.finish().expect("finished").into_inner()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("packed");
    packed.finish().expect("packed")
}

pub fn sha256(bytes: &[u8]) -> String {
    let digits = |text: String, byte: &u8| format!("{text}{byte:02x}");
    Sha256::digest(bytes).iter().fold(String::new(), digits)
}

/// A list of Argos' form with one package, `translate-en_fr`.
pub fn argos(address: &str) -> String {
    format!(
        r#"[{{"package_version": "1.9", "from_code": "en", "from_name": "English", "to_code": "fr",
             "to_name": "French", "links": ["{address}"], "code": "translate-en_fr"}}]"#
    )
}

/// A list of translateLocally's form with one zip file.
pub fn translate_locally(address: &str, checksum: &str) -> String {
    format!(
        r#"{{"models": [{{"shortName": "en-fr-tiny", "modelName": "English-French tiny", "type": "tiny",
             "src": "English", "trg": "French", "srcTags": {{"en": "English"}}, "trgTag": "fr", "API": 1, "version": 1,
             "checksum": "{checksum}", "url": "{address}"}}]}}"#
    )
}

/// The models of the list at a path of a server.
pub fn listed(server: &Server, list: &str) -> Vec<CatalogueModel> {
    server.put("/list.json", Reply::File(list.as_bytes().to_vec()));
    let catalogue = Catalogue {
        name: "ours".to_owned(),
        origin: Origin::Web(server.url("/list.json")),
        licence: String::new(),
    };
    let look = look(&[catalogue]);
    assert!(look.failed.is_empty(), "{:?}", look.failed);
    look.models
}

/// The only model of such a list.
pub fn only(server: &Server, list: &str) -> CatalogueModel {
    let models = listed(server, list);
    let [model] = models.as_slice() else {
        panic!("{models:?}")
    };
    model.clone()
}

/// All that lies in a folder, however deep.
pub fn left(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
