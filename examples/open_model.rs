//! Opens a model of another program, Firefox's between English and Portuguese, and says what it is.
//!
//! `cargo run --release --example open_model`

use std::path::Path;

use canopy::error::Result;
use canopy::inference::{DeviceChoice, Translator};

/// Any folder, zip or tar file that Firefox, Marian, `CTranslate2` or Hugging Face's tools write would do.
const FOLDER: &str = "assets/models/firefox-pt-en";

/// Describes the model: name, languages, size and device.
///
/// # Errors
/// If the model cannot be opened or does not translate.
pub fn description() -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let translator = Translator::open(&folder, DeviceChoice::Cpu)?;
    let info = translator.info();
    Ok(format!(
        "{}: {} to {}, {} parameters, on {}",
        info.name,
        info.source_language,
        info.target_language,
        info.num_parameters,
        translator.loaded().device().name
    ))
}

/// Prints it.
///
/// # Errors
/// If the model cannot be opened or does not translate.
pub fn main() -> Result<()> {
    println!("{}", description()?);
    Ok(())
}
