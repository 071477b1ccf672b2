//! A repository of Hugging Face: its files are those of a model folder, of which only the needed ones are downloaded.

use serde_json::Value;

use super::{List, Reading, sha256, text};
use crate::catalogue::languages::{code, is_code};
use crate::catalogue::model::{CatalogueFile, CatalogueModel, Source, is_plain_name};
use crate::catalogue::place::{Catalogue, Origin};
use crate::error::Result;

/// Files next to the weights, by name or, with `*`, by ending.
const BESIDE: &str = "config.json generation_config.json tokenizer_config.json special_tokens_map.json \
    added_tokens.json tokenizer.json vocab.json vocab.txt merges.txt metadata.json model_info.json \
    model.toml LICENSE LICENSE.txt LICENSE.md LICENCE README.md chat_template.jinja *.safetensors.index.json \
    *.spm *.model *.yml *vocabulary.json *vocabulary.txt";

/// Reads what the API says of a repository; `files` is the address below which its files are.
pub(in crate::catalogue) fn read_repository(
    bytes: &[u8],
    repository: &str,
    catalogue: &Catalogue,
    files: &Origin,
) -> Result<List> {
    let answer: Value = serde_json::from_slice(bytes)
        .map_err(|cause| catalogue.refused(format!("its answer is not JSON ({cause})")))?;
    let Some(siblings) = answer["siblings"].as_array() else {
        return Err(catalogue.refused("its answer does not list the files of a repository"));
    };
    let reading = Reading {
        catalogue,
        origin: files,
    };
    let [sources, targets] = languages(repository);
    let mut model = CatalogueModel {
        name: repository.to_owned(),
        sources,
        targets,
        is_guessed: true,
        kind: kind(&answer),
        release: text(&answer, "sha").unwrap_or_default().to_owned(),
        num_parameters: answer["safetensors"]["total"].as_u64(),
        licence: licence(&answer),
        ..reading.model()
    };
    match chosen(siblings, &answer).and_then(|names| located(&names, siblings, &reading)) {
        Ok(files) => model.files = files,
        Err(problem) => model.problem = Some(problem),
    }
    let sizes: Option<Vec<u64>> = model.files.iter().map(|file| file.num_bytes).collect();
    model.num_bytes = sizes.map(|sizes| {
        sizes
            .iter()
            .fold(0, |all, it| u64::saturating_add(all, *it))
    });
    model.check(catalogue);
    Ok(List {
        models: vec![model],
        num_unread: 0,
    })
}

fn kind(answer: &Value) -> String {
    let kind = text(&answer["config"], "model_type").or_else(|| text(answer, "library_name"));
    kind.unwrap_or("Hugging Face").to_owned()
}

fn licence(answer: &Value) -> String {
    let card = &answer["cardData"]["license"];
    let card = card.as_str().or_else(|| card[0].as_str());
    let tags = answer["tags"].as_array().into_iter().flatten();
    let tag = tags
        .filter_map(Value::as_str)
        .find_map(|tag| tag.strip_prefix("license:"));
    card.or(tag).unwrap_or_default().to_owned()
}

/// The languages in the name of a repository, such as `opus-mt-en-de`.
fn languages(repository: &str) -> [Vec<String>; 2] {
    let name = repository.rsplit('/').next().unwrap_or(repository);
    let parts: Vec<&str> = name.split(['-', '_', '.']).collect();
    let is_lower = |part: &&str| is_code(part) && part.chars().all(|c| c.is_ascii_lowercase());
    let pair = parts
        .windows(2)
        .rev()
        .find(|pair| pair.iter().all(&is_lower) && pair[0].len() == pair[1].len());
    let side = |at: usize| pair.map(|pair| code(pair[at])).into_iter().collect();
    [side(0), side(1)]
}

/// The names of the files that make the model.
fn chosen<'a>(siblings: &'a [Value], answer: &Value) -> Result<Vec<&'a str>, String> {
    let gated = &answer["gated"];
    if gated.as_bool().unwrap_or(gated.is_string()) {
        return Err("its owner lets in only those who have signed in and agreed to terms: download it with a browser, then add its folder".to_owned());
    }
    let names: Vec<&str> = siblings
        .iter()
        .filter_map(|it| text(it, "rfilename"))
        .collect();
    if let Some(odd) = names.iter().find(|name| leads_out(name)) {
        return Err(format!("its file {odd:?} leads out of its folder"));
    }
    let top: Vec<&str> = names
        .into_iter()
        .filter(|name| is_plain_name(name))
        .collect();
    let weights = weights(&top)?;
    let beside = top
        .iter()
        .filter(|name| BESIDE.split(' ').any(|known| matches(known, name)));
    Ok(weights.into_iter().chain(beside.copied()).collect())
}

fn leads_out(name: &str) -> bool {
    let mut parts = name.split(['/', '\\']);
    name.starts_with(['/', '\\']) || name.contains(':') || parts.any(|part| part == "..")
}

fn matches(known: &str, name: &str) -> bool {
    match known.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == known,
    }
}

/// Why a repository of language models alone is not downloaded.
pub const ONLY_GGUF: &str = "it holds only GGUF files: download one of them, and add it";

/// The weights of the kind that is read best.
fn weights<'a>(names: &[&'a str]) -> Result<Vec<&'a str>, String> {
    let is_shard = |name: &str, stem: &str| {
        name.strip_prefix(stem)
            .is_some_and(|rest| rest.starts_with("-0") && rest.contains("-of-"))
    };
    let of = |stem: &str, ending: &str| -> Vec<&'a str> {
        let whole = names
            .iter()
            .filter(|name| **name == format!("{stem}{ending}"));
        let shards = names
            .iter()
            .filter(|name| is_shard(name, stem) && name.ends_with(ending));
        let whole: Vec<&str> = whole.copied().collect();
        if whole.is_empty() {
            shards.copied().collect()
        } else {
            whole
        }
    };
    let ending = |ending: &str| -> Vec<&'a str> {
        names
            .iter()
            .filter(|name| name.ends_with(ending))
            .copied()
            .collect()
    };
    let kinds = [
        of("model", ".safetensors"),
        of("weights", ".safetensors"),
        of("pytorch_model", ".bin"),
        of("model", ".bin"),
        ending(".npz"),
        [ending(".alphas.bin"), ending(".s2t.bin")].concat(),
    ];
    if let Some(found) = kinds.into_iter().find(|found| !found.is_empty()) {
        return Ok(found);
    }
    Err(if !ending(".gguf").is_empty() {
        ONLY_GGUF.to_owned()
    } else if !ending(".h5").is_empty() || !ending(".msgpack").is_empty() {
        "its weights are only for TensorFlow or Flax; get safetensors from its owner".to_owned()
    } else {
        "it holds no weights of a translation model".to_owned()
    })
}

fn located(
    names: &[&str],
    siblings: &[Value],
    reading: &Reading<'_>,
) -> Result<Vec<CatalogueFile>, String> {
    let locate = |name: &&str| {
        let entry = siblings.iter().find(|it| it["rfilename"] == **name);
        let entry = entry.unwrap_or(&Value::Null);
        Ok(CatalogueFile {
            name: (*name).to_owned(),
            source: match reading.origin {
                Origin::Web(base) => Source::Web(format!("{base}/{name}")),
                Origin::Path(_) => reading.source(name)?,
            },
            is_gzip: false,
            num_bytes: entry["size"].as_u64(),
            sha256: sha256(text(&entry["lfs"], "sha256"))?,
        })
    };
    names.iter().map(locate).collect()
}
