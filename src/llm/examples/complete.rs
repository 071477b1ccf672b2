//! Continues a prompt: `cargo run --release -p canopy-llm --example complete -- FILE.gguf PROMPT.txt 64`

use std::error::Error;

use canopy_llm::LanguageModel;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, prompt, tokens] = &arguments[..] else {
        return Err(
            "name a GGUF file, a file with the prompt, and how many tokens to write".into(),
        );
    };
    let model = LanguageModel::open(file)?;
    let prompt = std::fs::read_to_string(prompt)?;
    let completion = model.complete(&prompt, tokens.parse()?)?;
    println!("{}", serde_json::to_string_pretty(&completion)?);
    Ok(())
}
