//! `canopy model probe`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::options::{Device, models};
use super::terminal::print;
use crate::error::{BaseError, Error, Result};
use canopy_explain::probed_heads_words;
use canopy_translate::inference::{HeadScore, LanguageModelTranslator, Languages};

#[derive(Debug, Args)]
pub(super) struct ProbeArguments {
    /// Language model: a GGUF file, a Hugging Face folder, or the name of an installed one, which keeps what is found
    #[arg(value_name = "FILE.gguf|FOLDER|NAME", value_parser = models())]
    model: PathBuf,
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// Print the scores of all heads as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ProbeArguments) -> Result<()> {
    if LanguageModelTranslator::file_of(&arguments.model).is_none() {
        return Err(Error::Base(BaseError::Config {
            field: "model",
            found: arguments.model.display().to_string(),
            allowed: "a language model as a GGUF file or a folder, or an installed one".to_owned(),
        }));
    }
    // The languages of the probe are its own.
    let model = LanguageModelTranslator::open(
        &arguments.model,
        Languages::new("en", "de"),
        arguments.device.into(),
    )?;
    let scores = model.probe()?;
    if arguments.json {
        let heads = scores.iter().map(|it| {
            json!({
                "layer": it.layer + 1,
                "head": it.head + 1,
                "score": it.score,
                "found": it.found,
                "shown": HeadScore::surest(&scores).contains(&(it.layer, it.head)),
            })
        });
        let heads: Vec<serde_json::Value> = heads.collect();
        return print(&format!("{:#}\n", json!({ "heads": heads })));
    }
    if scores.is_empty() {
        return print("the model reads each sentence by itself: there is nothing to probe\n");
    }
    let surest = HeadScore::surest(&scores);
    if surest.is_empty() {
        return print("no head finds the antecedent on the probe: traces show the mean of all\n");
    }
    let shown = scores.iter().filter(|it| it.is_sure()).take(surest.len());
    let lines = shown.map(|it| {
        format!(
            "layer {}, head {}: {:+.3}, finds {:.0} %\n",
            it.layer + 1,
            it.head + 1,
            it.score,
            100.0 * it.found
        )
    });
    print(&format!(
        "{}{}\n",
        lines.collect::<String>(),
        probed_heads_words(&surest)
    ))
}
