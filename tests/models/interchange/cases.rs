//! Folders with what another program makes of them.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use canopy::interchange::{Archive, ForeignModel, TokenizerFiles, open};
use canopy::model::Model;
use serde_json::Value;

/// The folders of ../shared/models whose names begin so.
pub fn folders(beginning: &str) -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    let entries = std::fs::read_dir(&shared).expect("../shared/models");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let named = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with(beginning)
    };
    let mut found: Vec<PathBuf> = paths.filter(named).collect();
    found.sort();
    assert!(!found.is_empty(), "no {beginning} in ../shared/models");
    found
}

/// A model and what its own program says of it.
pub struct Case {
    pub name: String,
    pub foreign: ForeignModel,
    pub model: Model,
    pub expected: Value,
}

impl Case {
    pub fn open(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("expected.json")).unwrap_or("{}".into());
        let mut archive = Archive::open(folder).expect("a folder");
        let mut foreign = open(&mut archive).expect("a model that is known");
        let model = foreign
            .load(folder, &Device::flex())
            .expect("weights that fit");
        let parameters = canopy::weights::module_tensors(&model);
        let parameters: usize = parameters.values().map(|(_, numbers)| numbers.len()).sum();
        assert_eq!(
            foreign.config.num_parameters(),
            parameters,
            "{}",
            folder.display()
        );
        Self {
            name: folder
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            foreign,
            model,
            expected: serde_json::from_str(&text).expect("JSON"),
        }
    }

    pub fn rows(&self) -> &[Value] {
        self.expected["rows"].as_array().expect("rows")
    }
}

pub fn ids(value: &Value) -> Vec<u32> {
    let numbers = value.as_array().expect("ids").iter();
    numbers
        .map(|id| u32::try_from(id.as_u64().expect("an id")).expect("32 bits"))
        .collect()
}

pub fn floats(value: &Value) -> Vec<f32> {
    let numbers = value.as_array().expect("numbers").iter();
    #[expect(clippy::cast_possible_truncation, reason = "as precise as needed")]
    let floats = numbers.map(|number| number.as_f64().expect("a number") as f32);
    floats.collect()
}

pub fn words(value: &Value) -> Vec<&str> {
    let words = value.as_array().expect("words").iter();
    words.map(|word| word.as_str().expect("a word")).collect()
}

pub fn ids_of(words: &[&str], side: &TokenizerFiles) -> Vec<u32> {
    let id = |word: &&str| {
        side.id(word)
            .unwrap_or_else(|| side.id("<unk>").expect("<unk>"))
    };
    words.iter().map(id).collect()
}

pub fn tokens_of(ids: &[u32], side: &TokenizerFiles) -> Vec<String> {
    ids.iter()
        .map(|&id| side.tokens[id as usize].clone())
        .collect()
}

#[track_caller]
pub fn assert_near(found: f32, expected: f32, tolerance: f32, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found}, expected {expected}"
    );
}
