//! Translates a page with a model that reads all of it, and says which sentences it read for a word.
//!
//! `cargo run --release --example read_trace`

use std::ops::ControlFlow;
use std::path::Path;

use canopy::error::Result;
use canopy::explain::{Heads, Query, TreeView};
use canopy::inference::{DeviceChoice, SearchOptions, Translator};
use canopy::text::document::{Document, Format};
use canopy::trace::{Side, TraceSource};

const FOLDER: &str = "assets/models/starter-en-de";

const PAGE: &str = "<p>Insert a table.</p><p>Select its first row.</p><p>Delete it.</p>";

/// Summarises the tree of the first word.
///
/// # Errors
/// If the model cannot be opened or does not translate.
pub fn summary() -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let translator = Translator::open(&folder, DeviceChoice::Cpu)?;
    let page = Document::parse("table.html", Format::Html, PAGE.to_owned())?;
    let mut translations = vec![None; page.sentences.len()];
    let all: Vec<usize> = (0..translations.len()).collect();
    let options = SearchOptions::default();
    translator.translate(&page, &all, &options, &mut |sentence, translation| {
        translations[sentence] = Some(translation);
        ControlFlow::Continue(())
    })?;
    let trace = TraceSource::from(translator.trace(&page, &translations)?);
    let query = Query {
        word: Some(0),
        heads: Heads::One(0),
        ..Query::sentence(Side::Source, 2)
    };
    let tree = TreeView::new(&trace, &query)?;
    Ok(tree.summary(Side::Source, "“Delete”"))
}

/// Prints it.
///
/// # Errors
/// If the model cannot be opened or does not translate.
pub fn main() -> Result<()> {
    println!("{}", summary()?);
    Ok(())
}
