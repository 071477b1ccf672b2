//! `canopy model complete`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::options::{Device, positive, warn_of_software};
use super::terminal::print;
use crate::error::{Error, Result};
use canopy_llm::LanguageModel;
use canopy_translate::inference::{LanguageModelFiles, place_language_model};

#[derive(Debug, Args)]
pub(super) struct CompleteArguments {
    /// Language model, as a GGUF file or a Hugging Face folder: Llama, Mistral, SmolLM, Qwen 2 or 3, Gemma 2 or 3,
    /// Hunyuan, T5
    #[arg(value_name = "FILE.gguf|FOLDER")]
    model: PathBuf,
    /// Text file whose content is the prompt; T5 answers it, other models continue it
    #[arg(value_name = "PROMPT.txt")]
    prompt: PathBuf,
    /// Maximum number of tokens to write
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = positive())]
    tokens: usize,
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// Print ids and texts of all tokens, and tokens per second, as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &CompleteArguments) -> Result<()> {
    let path = &arguments.prompt;
    let prompt = std::fs::read_to_string(path).map_err(Error::read(path))?;
    let files = LanguageModelFiles::unpack(&arguments.model)?;
    let mut model = LanguageModel::open(files.path())?;
    let device = place_language_model(&mut model, arguments.device.into())?;
    warn_of_software(&device);
    let completion = model.complete(&prompt, arguments.tokens)?;
    let text = if arguments.json {
        format!("{:#}\n", json!(completion))
    } else {
        format!("{}\n", completion.text)
    };
    print(&text)
}
