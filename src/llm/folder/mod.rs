//! Folders of language models in the form of Hugging Face's `transformers`: `config.json`, weights as safetensors, in one file
//! or in several with an index, and what belongs to them.

mod safetensors;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use serde_json::Value;
pub(crate) use settings::Settings;

use super::weights::{Mapped, Weights};

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const GENERATION: &str = "generation_config.json";
const TEMPLATE: &str = "chat_template.jinja";

/// The template in [`TOKENIZER_CONFIG`].
const TEMPLATE_KEY: &str = "chat_template";

/// Bytes of a text in a folder, such as a template.
const MOST_BYTES: u64 = 1 << 20;

/// Files that belong to a model in addition to its weights.
const FILES: [&str; 11] = [
    CONFIG,
    INDEX,
    TOKENIZER,
    TOKENIZER_CONFIG,
    GENERATION,
    TEMPLATE,
    "README.md",
    "LICENSE",
    "LICENSE.txt",
    "LICENSE.md",
    "LICENCE",
];

/// An open folder; its tensors stay where they are on the disk until they are read.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    config: Settings,
    /// Empty, if there is no such file.
    generation: Option<Settings>,
    tokenizer_config: Option<Settings>,
    weights: Arc<Weights>,
}

/// The `model_type` of a folder, if it is one of a language model: of a type that is known here, or one that says that it
/// continues texts.
pub(crate) fn model_type(path: &Path, is_known: impl Fn(&str) -> bool) -> Option<String> {
    if !path.is_dir() {
        return None;
    }
    let config = Settings::open_if_there(&path.join(CONFIG)).ok()??;
    model_type_of(&config, is_known)
}

/// The kind of a language model by the text of its `config.json`.
pub(crate) fn model_type_of_text(text: &[u8], is_known: impl Fn(&str) -> bool) -> Option<String> {
    let config = Settings::from_text(text, Path::new(CONFIG)).ok()?;
    model_type_of(&config, is_known)
}

fn model_type_of(config: &Settings, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let model_type = config.text("model_type").ok()??;
    let architectures = config.texts("architectures").ok().flatten();
    let continues = architectures.is_some_and(|names| {
        let mut names = names.iter();
        names.any(|name| name.ends_with("ForCausalLM") || name.ends_with("LMHeadModel"))
    });
    (continues || is_known(model_type)).then(|| model_type.to_owned())
}

impl Folder {
    /// Opens a folder, and reads its settings and the list of its tensors.
    ///
    /// # Errors
    /// [`BaseError::Read`](canopy_base::error::Error::Read); [`Error::LanguageModel`] with file and field, if a file is missing or contradicts itself.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let config = Settings::open(&path.join(CONFIG))?;
        if config.has("quantization_config") {
            let problem = "weights that are quantised so are not read; take them in F32, F16 or BF16, or a GGUF file";
            return Err(config.problem("quantization_config", problem));
        }
        let weights = weights(path)?;
        let optional = |name: &str| Settings::open_if_there(&path.join(name));
        Ok(Self {
            generation: optional(GENERATION)?,
            tokenizer_config: optional(TOKENIZER_CONFIG)?,
            weights: Arc::new(weights),
            config,
            path: path.to_owned(),
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn config(&self) -> &Settings {
        &self.config
    }

    /// The tensors of all its files.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// An error about one of its files.
    pub(crate) fn problem(&self, file: &str, problem: impl Into<String>) -> Error {
        Error::LanguageModel {
            field: file.to_owned(),
            problem: problem.into(),
            path: self.path.join(file),
        }
    }

    /// `tokenizer.json`.
    pub(crate) fn tokenizer(&self) -> Result<Vec<u8>> {
        let path = self.path.join(TOKENIZER);
        if !path.is_file() {
            let problem = "it is missing; other forms of a vocabulary are not read";
            return Err(self.problem(TOKENIZER, problem));
        }
        fs::read(&path).map_err(Error::read(path))
    }

    /// Ids that a setting of the generation, or else of the model names, such as `eos_token_id`.
    pub(crate) fn ids(&self, key: &str) -> Result<Vec<u32>> {
        let mut ids = self.config.ids(key)?;
        if let Some(generation) = &self.generation {
            ids.extend(generation.ids(key)?);
        }
        Ok(ids)
    }

    /// The text of a special token, such as `eos_token`.
    pub(crate) fn special_token(&self, key: &str) -> Result<Option<String>> {
        let Some(settings) = &self.tokenizer_config else {
            return Ok(None);
        };
        if let Some(Value::Object(_)) = settings.get(key) {
            let token = settings.section(key)?;
            let content = token.map(|token| token.text("content").map(|it| it.map(str::to_owned)));
            return Ok(content.transpose()?.flatten());
        }
        Ok(settings.text(key)?.map(str::to_owned))
    }

    /// The template of conversations, if there is one, with the field and the file that it stands in.
    pub(crate) fn template(&self) -> Result<Option<(String, [PathBuf; 2])>> {
        let path = self.path.join(TEMPLATE);
        if path.is_file() {
            let length = fs::metadata(&path).map_err(Error::read(&path))?.len();
            if length > MOST_BYTES {
                return Err(self.problem(TEMPLATE, format!("it has {length} bytes")));
            }
            let text = fs::read_to_string(&path).map_err(Error::read(&path))?;
            return Ok(Some((text, [PathBuf::from(TEMPLATE), path])));
        }
        let Some(settings) = &self.tokenizer_config else {
            return Ok(None);
        };
        let text = match settings.get(TEMPLATE_KEY) {
            // Several with names, of which one is that of conversations.
            Some(Value::Array(templates)) => {
                let field = |template: &Value, key: &str| {
                    template.get(key).and_then(Value::as_str).map(str::to_owned)
                };
                let mut templates = templates.iter();
                let default = templates.find(|it| field(it, "name").as_deref() == Some("default"));
                default.and_then(|it| field(it, "template"))
            }
            _ => settings.text(TEMPLATE_KEY)?.map(str::to_owned),
        };
        let place = [PathBuf::from(TEMPLATE_KEY), settings.path().to_owned()];
        Ok(text.map(|text| (text, place)))
    }

    /// The licence that its card names, such as `apache-2.0`.
    pub fn licence(&self) -> Option<String> {
        let path = self.path.join("README.md");
        let is_short = fs::metadata(&path).is_ok_and(|about| about.len() <= MOST_BYTES);
        let card = is_short.then(|| fs::read_to_string(&path).ok()).flatten()?;
        let mut lines = card.lines();
        if lines.next()?.trim() != "---" {
            return None;
        }
        let mut settings = lines.take_while(|line| line.trim() != "---");
        let licence = settings.find_map(|line| line.strip_prefix("license:"))?;
        let licence = licence.trim().trim_matches(['"', '\'']);
        (!licence.is_empty()).then(|| licence.to_owned())
    }

    /// The files that belong to the model; others in the folder are none of its.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
        let mut files = weight_files(path)?.0;
        let others = FILES.iter().map(|name| path.join(name));
        files.extend(others.filter(|file| file.is_file()));
        Ok(files)
    }
}

/// Which tensors each file of weights is to have, by an index.
type Indexed = BTreeMap<String, String>;

/// The files of weights, and the index if there is one.
fn weight_files(path: &Path) -> Result<(Vec<PathBuf>, Option<Indexed>)> {
    let refuse = |field: &str, problem: String, path: PathBuf| Error::LanguageModel {
        field: field.to_owned(),
        problem,
        path,
    };
    if let Some(index) = Settings::open_if_there(&path.join(INDEX))? {
        let map = index.section("weight_map")?;
        let map = index.needed("weight_map", map)?;
        let mut names: Vec<&str> = Vec::new();
        let mut indexed = Indexed::new();
        for tensor in map.fields().keys() {
            let name = map.needed(tensor, map.text(tensor)?)?;
            let is_plain = Path::new(name).file_name().is_some_and(|it| it == name);
            if !is_plain {
                let problem = format!("{name:?} is no file of this folder");
                return Err(map.problem(tensor, problem));
            }
            indexed.insert(tensor.clone(), name.to_owned());
            names.push(name);
        }
        names.sort_unstable();
        names.dedup();
        if let Some(missing) = names.iter().find(|name| !path.join(name).is_file()) {
            let problem = format!("this file of {} is missing", names.len());
            return Err(refuse(missing, problem, path.join(INDEX)));
        }
        let files = names.iter().map(|name| path.join(name)).collect();
        return Ok((files, Some(indexed)));
    }
    let whole = path.join(WEIGHTS);
    if whole.is_file() {
        return Ok((vec![whole], None));
    }
    let entries = fs::read_dir(path).map_err(Error::read(path))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    let has = |ending: &str| names.iter().any(|name| name.ends_with(ending));
    let problem = if names
        .iter()
        .any(|it| it.starts_with("model-") && it.ends_with(".safetensors"))
    {
        format!("it is missing, as is {INDEX}, without which files of a divided model are not read")
    } else if has(".bin") || has(".pth") || has(".pt") {
        "it is missing; weights of PyTorch are not read, take the safetensors of the model"
            .to_owned()
    } else {
        "it is missing".to_owned()
    };
    Err(refuse(WEIGHTS, problem, whole))
}

fn weights(path: &Path) -> Result<Weights> {
    let (paths, index) = weight_files(path)?;
    let (mut files, mut tensors, mut unknown) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for path in &paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let belongs = |tensor: &String| {
            let index = index.as_ref();
            index.is_none_or(|index| index.get(tensor).is_some_and(|file| *file == name))
        };
        let file = Mapped::open(path)?;
        let contents = safetensors::read(&file, files.len())?;
        tensors.extend(contents.tensors.into_iter().filter(|it| belongs(&it.0)));
        unknown.extend(contents.unknown.into_iter().filter(|it| belongs(&it.0)));
        files.push(file);
    }
    let is_lost = |name: &&String| !tensors.contains_key(*name) && !unknown.contains_key(*name);
    if let Some(index) = &index
        && let Some(lost) = index.keys().find(is_lost)
    {
        return Err(Error::LanguageModel {
            field: lost.clone(),
            problem: format!("{INDEX} says that it is in this file"),
            path: path.join(&index[lost]),
        });
    }
    Ok(Weights::new(path, files, tensors, unknown))
}
