//! Sentence-BERT as the package `sentence-transformers` saves it: a BERT, and what is made of its states.
//!
//! Reimers & Gurevych, "Sentence-BERT", EMNLP 2019, §3: the mean of the states, or the first one.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::archive::Archive;
use super::bert::check_length;
use super::encoder::Encoder;
use crate::error::Result;
use crate::weights::EncoderKind;
use canopy_nn::model::Pooling;

const MODULES: &str = "modules.json";

#[derive(Debug, Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Lengths {
    max_seq_length: Option<usize>,
}

impl Encoder {
    /// Reads a Sentence-BERT.
    ///
    /// # Errors
    /// As [`Self::bert`], and if sentences are pooled in a way that is not known here.
    pub fn sbert(archive: &mut Archive) -> Result<Self> {
        let mut encoder = Self::bert(archive)?;
        let (found_pooling, found_normalised) = modules(archive)?;
        let longest = longest(archive)?;
        if let EncoderKind::Bert {
            max_tokens,
            pooling,
            normalised,
            ..
        } = &mut encoder.kind
        {
            *max_tokens = longest.unwrap_or(*max_tokens).min(*max_tokens);
            check_length(archive, "max_seq_length", *max_tokens)?;
            *pooling = Some(found_pooling);
            *normalised = found_normalised;
        }
        Ok(encoder)
    }
}

/// How states are pooled, and whether the vector is normalised.
fn modules(archive: &mut Archive) -> Result<(Pooling, bool)> {
    if archive.find(MODULES).is_none() {
        return Err(archive.refuse(format!(
            "there is no {MODULES} in it, so it was not made for sentences; import it as bert"
        )));
    }
    let text = archive.text(MODULES)?;
    let modules: Vec<Module> = serde_json::from_str(&text)
        .map_err(|cause| archive.refuse(format!("{MODULES}: {cause}")))?;
    let (mut pooling, mut normalised) = (None, false);
    for module in modules {
        match module.kind.rsplit('.').next() {
            Some("Transformer") => {}
            Some("Pooling") => pooling = Some(pooling_of(archive, &module.path)?),
            Some("Normalize") => normalised = true,
            _ => {
                return Err(archive.refuse(format!(
                    "{MODULES} has a module {}; only Transformer, Pooling and Normalize are read",
                    module.kind
                )));
            }
        }
    }
    match pooling {
        Some(pooling) => Ok((pooling, normalised)),
        None => Err(archive.refuse(format!("{MODULES} has no module for pooling"))),
    }
}

fn pooling_of(archive: &mut Archive, folder: &str) -> Result<Pooling> {
    let name = format!("{folder}/config.json");
    let text = archive.text(&name)?;
    let config: BTreeMap<String, Value> =
        serde_json::from_str(&text).map_err(|cause| archive.refuse(format!("{name}: {cause}")))?;
    let modes = config.iter().filter_map(|(field, value)| {
        let mode = field.strip_prefix("pooling_mode_")?;
        (*value == Value::Bool(true)).then_some(mode)
    });
    match modes.collect::<Vec<_>>()[..] {
        ["mean_tokens"] => Ok(Pooling::Mean),
        ["cls_token"] => Ok(Pooling::First),
        ["mean_sqrt_len_tokens"] => Ok(Pooling::SumOverRoot),
        ref others => Err(archive.refuse(format!(
            "{name} pools by {}; one of mean_tokens, cls_token, mean_sqrt_len_tokens is read",
            others.join(" and ")
        ))),
    }
}

fn longest(archive: &mut Archive) -> Result<Option<usize>> {
    const NAME: &str = "sentence_bert_config.json";
    if archive.find(NAME).is_none() {
        return Ok(None);
    }
    let text = archive.text(NAME)?;
    let lengths: Lengths =
        serde_json::from_str(&text).map_err(|cause| archive.refuse(format!("{NAME}: {cause}")))?;
    Ok(lengths.max_seq_length)
}
