//! Translates a page of help with the starter that comes with the program.
//!
//! `cargo run --release --example translate_document`

use std::ops::ControlFlow;

use canopy::error::Result;
use canopy::inference::{DeviceChoice, SearchOptions, Translator, starter_model_for};
use canopy::text::document::{Document, Format};

const PAGE: &str = "<h1>Printing</h1>\n<p>Open the file. Then choose <b>Print</b>.</p>\n";

/// The page in German.
///
/// # Errors
/// If the model cannot be opened or does not translate.
pub fn translated() -> Result<String> {
    let model = starter_model_for(Some("en"), Some("de"))?;
    let translator = Translator::open(&model, DeviceChoice::Cpu)?;
    let page = Document::parse("printing.html", Format::Html, PAGE.to_owned())?;
    let mut targets = vec![None; page.sentences.len()];
    let all: Vec<usize> = (0..targets.len()).collect();
    let options = SearchOptions::default();
    translator.translate(&page, &all, &options, &mut |sentence, translation| {
        targets[sentence] = Some(translation.text);
        ControlFlow::Continue(())
    })?;
    Ok(page.translated(&targets))
}

/// Prints it.
///
/// # Errors
/// If the model cannot be opened or does not translate.
pub fn main() -> Result<()> {
    println!("{}", translated()?);
    Ok(())
}
