//! Models of Marian itself, as OPUS-MT publishes them: `decoder.yml`, an npz with `special:model.yml` in it, vocabularies
//! as YAML or SentencePiece models; and as Firefox does: a binary file of 8-bit matrices.
//!
//! After `src/models/transformer.h` of marian-dev 1.12.

mod binary;
mod options;
mod vocabulary;
mod weights;

use std::collections::BTreeMap;
use std::path::Path;

use super::archive::Archive;
use super::foreign::{ForeignFormat, ForeignModel, Licence, SearchDefaults};
use super::npy::read_npz;
use super::stated::Stated;
use super::tensors::{Array, Numbers, Tensors};
use super::yaml::{Yaml, read_settings};
use crate::error::Result;
use binary::{is_binary, read_binary};
use canopy_nn::model::{SearchRule, SpecialTokens};
use canopy_nn::shortlist::Shortlist;
use options::Options;
use vocabulary::{languages, side};

const DECODER: &str = "decoder.yml";
/// Settings that accompany the models of Bergamot.
const BERGAMOT: &str = "config.intgemm8bitalpha.yml";
const SPECIAL: &str = "special:model.yml";

/// Shortlists are named so where no settings name them.
const SHORTLIST: &str = "*.s2t.bin";

/// The contents of `decoder.yml`; empty where there is none.
type Settings = BTreeMap<String, Yaml>;

pub(super) fn read(archive: &mut Archive) -> Result<ForeignModel> {
    let settings = settings(archive)?;
    let name = model_file(archive, &settings)?;
    let bytes = archive.large(&name)?;
    // Firefox's engine searches so; its models come without settings where they are handed out as single files.
    let is_of_firefox = is_binary(&bytes);
    let (beam, exponent) = if is_of_firefox { (1, 1.0) } else { (6, 0.0) };
    let found = if is_of_firefox {
        read_binary(&bytes)
    } else {
        read_npz(&bytes)
    };
    let mut arrays = found.map_err(|problem| archive.refuse(format!("{name}: {problem}")))?;
    let options = options(&mut arrays).and_then(|text| Options::read(&text));
    let options = options.map_err(|problem| archive.refuse(format!("{name}: {problem}")))?;
    let mut tensors = Tensors::new(archive.path());
    tensors.add(arrays)?;
    let mut config = options.config(&tensors)?;
    let weights = weights::read(&mut tensors, &config, &options)?;
    let files = vocabulary_files(archive, &settings)?;
    let [source_file, target_file] = &files;
    let source = side(archive, source_file, "source", config.vocab_size)?;
    let target = side(archive, target_file, "target", config.target_vocab_size())?;
    let end = |side: &super::TokenizerFiles, file: &str| {
        let missing = || archive.refuse(format!("{file} has no </s>"));
        side.suffix.last().copied().ok_or_else(missing)
    };
    let target_end = end(&target, target_file)?;
    let unknown = target.id("<unk>");
    config.tokens = SpecialTokens {
        // Its vector is zero, so that any id will do.
        start: target_end,
        zero_start: true,
        end: target_end,
        source_end: Some(end(&source, source_file)?),
        unknown: unknown.unwrap_or(target_end),
        forced_first: None,
        suppressed: unknown.into_iter().collect(),
        renormalised: false,
        most: None,
        most_for_hundred: most_for_hundred(&settings),
        search: SearchRule::Marian,
    };
    let languages = languages(archive, &source)?;
    let beam_size = settings.get("beam-size").and_then(Yaml::text);
    Ok(ForeignModel {
        format: ForeignFormat::Marian,
        made_by: format!("Marian {}", options.version),
        alignment: Some((options.alignment_layer, 0)),
        config,
        weights,
        source,
        target,
        languages,
        licence: Licence::default(),
        stated: Stated::default(),
        search: SearchDefaults {
            beam_size: beam_size
                .and_then(|size| size.parse().ok())
                .filter(|size| (1..=1_000).contains(size))
                .unwrap_or(beam),
            length_penalty: number(&settings, "normalize").unwrap_or(exponent),
        },
        shortlist: shortlist(archive, &settings)?,
    })
}

fn number(settings: &Settings, key: &str) -> Option<f32> {
    settings.get(key)?.text()?.parse().ok()
}

/// Tokens of a translation for a hundred of its source, at most.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and 100,000"
)]
fn most_for_hundred(settings: &Settings) -> Option<usize> {
    let factor = number(settings, "max-length-factor")?;
    (0.01..1_000.0)
        .contains(&factor)
        .then(|| (factor * 100.0).round() as usize)
}

/// The binary shortlist that the settings name, or that the archive has; text tables and files that are missing are left out.
fn shortlist(archive: &mut Archive, settings: &Settings) -> Result<Option<Shortlist>> {
    let named = settings.get("shortlist").map(Yaml::texts);
    let named = named.unwrap_or_default().first().copied();
    let name = match named {
        Some(path) => archive.find(file_name(path)),
        None => archive.find(SHORTLIST),
    };
    let Some(name) = name.map(str::to_owned) else {
        return Ok(None);
    };
    let bytes = archive.bytes(&name)?;
    if named.is_some() && !Shortlist::is_binary(&bytes) {
        return Ok(None);
    }
    let read = Shortlist::from_bytes(&bytes);
    let refuse = |problem| {
        archive.refuse(format!(
            "{name} is damaged: {problem}; get it again, or remove it to score all words"
        ))
    };
    read.map(Some).map_err(refuse)
}

fn settings(archive: &mut Archive) -> Result<Settings> {
    let is_named = |name: &&str| {
        let name = file_name(name);
        name.starts_with("config.") && has_extension(name, "yml")
    };
    let files = [DECODER, BERGAMOT].iter();
    let mut files = files.filter_map(|name| archive.find(name));
    let found = files.next().or_else(|| archive.names().find(is_named));
    let Some(name) = found.map(str::to_owned) else {
        return Ok(Settings::new());
    };
    let text = archive.text(&name)?;
    read_settings(&text).map_err(|problem| archive.refuse(format!("{name}: {problem}")))
}

/// The name of a file at the end of a path, since folders are looked into whatever their names.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of the file with the weights: the one that was named, else that of the settings, else the only one that there is.
fn model_file(archive: &mut Archive, settings: &Settings) -> Result<String> {
    if let Some(named) = archive.named() {
        return Ok(named.to_owned());
    }
    let named = settings.get("models").map(Yaml::texts).unwrap_or_default();
    if named.len() > 1 {
        return Err(archive.refuse(format!(
            "{DECODER} names several models, of which one alone is not what it says; name one under models"
        )));
    }
    let named = named.first().map(|path| file_name(path).to_owned());
    if let Some(name) = named.filter(|name| archive.find(name).is_some()) {
        return Ok(name);
    }
    if let Some(name) = archive.find("*.npz") {
        return Ok(name.to_owned());
    }
    match &binary_files(archive)?[..] {
        [] => Err(archive.refuse("there is no npz and no *.intgemm.alphas.bin in it".to_owned())),
        [only] => Ok(only.clone()),
        several => Err(archive.refuse(format!(
            "it holds several models: {}; name one of these files",
            several.join(", ")
        ))),
    }
}

/// The binary files of Marian in the uppermost folder that has any, by their first bytes.
pub(super) fn binary_files(archive: &mut Archive) -> Result<Vec<String>> {
    let is_named = |name: &&str| {
        let name = file_name(name);
        has_extension(name, "bin") && !name.starts_with("lex.") && name != "pytorch_model.bin"
    };
    let names: Vec<String> = archive
        .names()
        .filter(is_named)
        .map(str::to_owned)
        .collect();
    let depth = |name: &str| name.matches('/').count();
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let is_deeper = found
            .first()
            .is_some_and(|first| depth(first) < depth(&name));
        if !is_deeper && is_binary(&archive.head(&name, 8)?.into()) {
            found.push(name);
        }
    }
    Ok(found)
}

fn has_extension(name: &str, extension: &str) -> bool {
    let found = Path::new(name).extension();
    found.is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Whether a vocabulary is a SentencePiece model.
fn is_sentencepiece(name: &str) -> bool {
    let extension = Path::new(name).extension();
    let mut known = ["spm", "model"].iter();
    extension.is_some_and(|found| known.any(|ending| found.eq_ignore_ascii_case(ending)))
}

/// The files of the source's and the target's vocabulary.
fn vocabulary_files(archive: &Archive, settings: &Settings) -> Result<[String; 2]> {
    let named = settings.get("vocabs").map(Yaml::texts).unwrap_or_default();
    if let [source, .., target] = named[..] {
        let files = [source, target].map(|path| file_name(path).to_owned());
        if files.iter().all(|file| archive.find(file).is_some()) || !has_vocabulary(archive) {
            return Ok(files);
        }
    }
    let of_side = |beginning: &str| {
        archive.names().find(|name| {
            let name = file_name(name);
            name.starts_with(beginning) && is_sentencepiece(name)
        })
    };
    if let (Some(source), Some(target)) = (of_side("srcvocab"), of_side("trgvocab")) {
        return Ok([source, target].map(str::to_owned));
    }
    let found = ["*.vocab.yml", "vocab.yml", "vocab.spm"];
    let found = found.into_iter().find_map(|name| archive.find(name));
    let found = found.or_else(|| of_side("vocab"));
    let Some(found) = found else {
        return Err(archive.refuse(format!(
            "there is no {DECODER} that names its vocabularies, and no vocab.yml in it"
        )));
    };
    Ok([found.to_owned(), found.to_owned()])
}

/// Whether there is a vocabulary by one of the usual names, whatever the settings say.
fn has_vocabulary(archive: &Archive) -> bool {
    archive.names().any(|name| {
        let name = file_name(name);
        is_sentencepiece(name) && name.contains("vocab")
    })
}

/// The text of the options that were stored with the weights.
fn options(arrays: &mut BTreeMap<String, Array>) -> Result<String, String> {
    let missing = || format!("there is no {SPECIAL} in it");
    let array = arrays.remove(SPECIAL).ok_or_else(missing)?;
    let Numbers::Bytes(mut bytes) = array.numbers else {
        return Err(format!("{SPECIAL} is not text"));
    };
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8(bytes)
        .ok()
        .ok_or_else(|| format!("{SPECIAL} is not UTF-8"))
}
